"""A council with debate by the real command-line agents, against a scripted provider on loopback.

``scripts/clients`` installs them. Where they are absent this is skipped, unless GUILD_REQUIRE_CLIENTS
is set. Slow: each judge of each round is a client that starts, asks and ends.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from judges import HALVED, finding, verdict
from loopback import Rule, serving
from practices.conftest import headings

CLIENTS = Path(os.environ.get("GUILD_CLIENTS") or Path.home() / ".cache/guildmoot/clients")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all((CLIENTS / "bin" / name).exists() for name in ("claude", "codex", "gemini"))
        and not os.environ.get("GUILD_REQUIRE_CLIENTS"),
        reason="the real clients are not installed: scripts/clients",
    ),
]

RESTATING = "Before you learn what anybody else said"
NOTES = {
    "revised_from": None,
    "steel_man": "the division may be meant",
    "challenges": [{"target_judge": "Judge A", "claim": "it is fine", "response": "prices.py:2"}],
    "acknowledgments": [{"source_judge": "Judge A", "point": "it is short", "impact": "none"}],
}
CHANGED = {
    **NOTES,
    "revised_from": "PASS",
    "acknowledgments": [
        {
            "source_judge": "Judge A",
            "point": "the total is wrong",
            "impact": "prices.py:2 divides by two, which I had not named",
        }
    ],
}


def whole(word, *findings, debate_notes=None, insight="it is clear and sound"):
    """A verdict with every property of the schema: the client refuses a model that leaves one out."""
    more = {"satisfaction_score": None, "satisfaction_breakdown": None}
    more |= {"could_not_check": [], "conditions": []}
    full = [{**each, "id": None, "confidence": None, "test_assertions": None} for each in findings]
    return verdict(word, *full, key_insight=insight, debate_notes=debate_notes, **more)


RULES = [
    Rule(match=RESTATING, text="I hold what I said, on the evidence that I named."),
    Rule(match="Now the others", model="gpt", text=whole("FAIL", finding(), debate_notes=NOTES)),
    Rule(
        match="Now the others",
        text=whole("FAIL", finding(), debate_notes=CHANGED, insight="prices.py:2 halves it"),
    ),
    Rule(model="gpt", text=whole("FAIL", finding())),
    Rule(text=whole("PASS")),
]


@pytest.fixture
def provider():
    with serving(RULES) as running:
        yield running


def convene(council, provider, *argv):
    """``guild council`` with nothing in its environment but the provider and the clients."""
    env = {**council.shop.env, **provider.environment(), "NO_PROXY": "127.0.0.1"}
    command = council.shop.argv("council", *argv, "--json")
    return subprocess.run(
        command,
        cwd=council.root,
        env={**env, "GUILD_CLIENTS": str(CLIENTS)},
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_claude_and_codex_are_paired_debate_and_one_moves_for_a_reason(council, provider):
    line = ("--mixed", "--count=1", "--debate", "validate", "prices.py")
    models = ("--model", "claude:claude-sonnet-4-5,codex:gpt-5")
    done = convene(council, provider, *line, *models)
    assert done.returncode == 2, done.stdout[-3000:] + done.stderr
    told = json.loads(done.stdout)
    judges = told["roster"]["judges"]
    assert [(judge["label"], judge["seat"]["backend"]) for judge in judges] == [
        ("judge-1", "claude"), ("codex-1", "codex")
    ]  # fmt: skip
    assert told["debate"]["branch"] == "disagreed"
    moved = {each["label"]: each for each in told["debate"]["shifts"]}
    assert (moved["judge-1"]["first"], moved["judge-1"]["second"]) == ("PASS", "FAIL")
    assert (moved["judge-1"]["weak"], moved["codex-1"]["changed"]) == (False, False)
    assert told["outcome"] == "FAIL", "the change named a place, so it counts"
    assert told["debate"]["converged"] is True
    assert "Verdict Shifts" in headings(council.text)
    assert HALVED in council.text
    asked = {request.protocol for request in provider.requests}
    assert asked == {"anthropic", "responses"}


def test_three_clients_judge_one_packet_each_from_an_angle_of_its_own(council, provider):
    council.shop.agent(
        "one.md",
        "---\nname: one\ndescription: d\nreply: council\n---\nJudge it.\n",
    )
    agents = "one@claude:claude-sonnet-4-5,one@codex:gpt-5,one@gemini:gemini-2.5-pro"
    done = convene(
        council, provider, "--preset=architecture", "validate", "prices.py", "--agents", agents
    )
    assert done.returncode == 3, done.stdout[-3000:] + done.stderr
    told = json.loads(done.stdout)
    assert told["outcome"] == "DISAGREE"
    backends = [judge["seat"]["backend"] for judge in told["roster"]["judges"]]
    assert backends == ["claude", "codex", "gemini"]
    assert told["roster"]["missing"] == []
    assert told["counts"]["families"] == 3
    prompts = [request.prompt for request in provider.requests if "sum(items)" in request.prompt]
    for angle in ("scalability", "maintainability", "simplicity"):
        assert any(f"the judge for {angle}" in prompt for prompt in prompts), angle
