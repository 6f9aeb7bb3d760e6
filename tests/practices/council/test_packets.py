"""The council_packet: what judges are shown can be printed as one, and one can be handed over."""

from __future__ import annotations

import json

import pytest

from guildmoot.errors import UsageError
from guildmoot.practices.council.packets import ENVIRONMENT, read_handed
from judges import PRICES, add_council_judge, finding, verdict
from loopback import Rule, serving

HANDED = {
    "council_packet": {
        "version": "1.0",
        "mode": "validate",
        "target": "the totals of the shop",
        "context": {
            "files": [{"path": "src/prices.py", "content": PRICES}],
            "diff": "--- a/src/prices.py\n+++ b/src/prices.py\n",
            "spec": {"source": "ticket 42", "content": "Totals are sums."},
            "prior_decisions": ["Prices are whole cents", "No floats"],
            "empirical_results": "2 of 3 tests fail",
            "known_risks": [{"id": "r1", "pattern": "halving"}],
        },
        "perspective": "skeptic",
        "perspective_description": "What could go wrong?",
        "output_schema": {"verdict": "PASS | WARN | FAIL", "schema_version": 3},
    }
}
SHOWN = ("return sum(items) / 2", "+++ b/src/prices.py", "Totals are sums.", "No floats")


@pytest.fixture
def desk(shop):
    shop.write("prices.py", PRICES)
    shop.commit()
    return shop


def test_a_packet_is_handed_over_judged_and_printed_again(desk):
    """Nothing of its context is lost, also what no schema names; nothing of the repository is added."""
    third = {"key_insight": "k", "recommendation": "r", "schema_version": 3}
    said = verdict("FAIL", finding(place="src/prices.py:2"), **third)
    desk.write("p.json", json.dumps(HANDED))
    with serving([Rule(text=said)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        model = ("--model", "openai-compatible:m")
        ran = desk.guild("council", "--packet", "p.json", *model, "--count=1", "--json", env=env)
    assert (ran.code, ran.json["outcome"]) == (2, "FAIL"), ran
    assert ran.json["target"] == "the totals of the shop"
    prompt = provider.requests[0].prompt
    for text in (*SHOWN, "2 of 3 tests fail", "halving", "skeptic", "What could go wrong?"):
        assert text in prompt
    [judge] = ran.json["roster"]["judges"]
    assert judge["perspective"] == "skeptic"
    assert judge["verdict"]["findings"][0]["severity"] == "critical"
    printed = desk.guild(
        "council", "validate", "--packet", "-", "--print-packet", stdin=json.dumps(HANDED)
    ).json
    inner, given = printed["council_packet"], HANDED["council_packet"]
    assert inner["mode"] == "validate"
    assert inner["context"]["files"] == given["context"]["files"]
    for key in ("diff", "prior_decisions", "spec"):
        assert inner["context"][key] == given["context"][key]
    assert "2 of 3 tests fail" in inner["context"]["empirical_results"]
    assert inner["output_schema"]["verdict"] == "PASS | WARN | FAIL"
    again = desk.guild("council", "--packet", "-", "--print-packet", stdin=json.dumps(printed)).json
    assert again["council_packet"]["context"]["files"] == inner["context"]["files"]
    assert (
        not (desk.root / ".guild/runs").exists() or len(list(desk.root.glob(".guild/runs/2*"))) == 1
    )


def test_what_is_judged_is_printed_with_secrets_masked_and_nobody_is_asked(desk):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    desk.write("prices.py", f'{PRICES}TOKEN = "{token}"\n')
    ran = desk.guild(
        "council", "--preset=security-audit", "validate", "prices.py", "--print-packet"
    )
    inner = ran.json["council_packet"]
    assert [file["path"] for file in inner["context"]["files"]] == ["prices.py"]
    assert token not in ran.out
    assert {each["perspective"] for each in inner["perspectives"]} >= {"attacker", "defender"}
    assert not (desk.root / ".guild/runs").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is no JSON"),
        ("[]", "holds no council_packet"),
        ('{"council_packet": {"mode": "sing", "target": "x"}}', "needs a target and a mode"),
        ('{"council_packet": {"mode": "validate"}}', "needs a target and a mode"),
        ('{"target": "x", "context": {"files": [{"path": "a"}]}}', "needs a path and its content"),
        ('{"target": "x", "context": {"files": [{"path": "../a", "content": ""}]}}', "is no path"),
        ('{"target": "x", "context": {"files": [{"path": "/a", "content": ""}]}}', "is no path"),
    ],
)
def test_a_packet_that_cannot_be_read_says_why(text, told):
    with pytest.raises(UsageError) as wrong:
        read_handed(text, "p.json")
    assert told in wrong.value.message


def test_a_packet_beside_a_target_is_refused(desk):
    desk.write("p.json", json.dumps(HANDED))
    ran = desk.guild("council", "--packet", "p.json", "validate", "prices.py")
    assert ran.code == 64
    assert "something else was named too" in ran.err


def test_the_environment_that_was_written_down_is_shown_as_one_and_never_through_a_link(desk):
    add_council_judge(desk, "calm", verdict("PASS"))
    desk.write(ENVIRONMENT, '{"python": "3.11", "docker": false}\n')
    line = ("council", "validate", "prices.py", "--agents", "calm", "--print-packet")
    context = desk.guild(*line).json["council_packet"]["context"]
    assert json.loads(context["environment"]) == {"python": "3.11", "docker": False}
    assert [file["path"] for file in context["files"]] == ["prices.py"]
    (desk.root / ENVIRONMENT).unlink()
    secret = desk.home / "diary.json"
    secret.write_text('{"dear": "diary"}')
    (desk.root / ENVIRONMENT).symlink_to(secret)
    assert "environment" not in desk.guild(*line).json["council_packet"]["context"]
