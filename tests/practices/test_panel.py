"""A panel with models: one verdict, true costs, limits held, and no seat that harms another."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from loopback import Rule, serving

GOOD = '"""Prices."""\n\nLIMIT = 3\n'
APPROVED = "{approved}"
FLAGGED = (
    "VERDICT: flagged\nConfidence: high\n\nReasons:\n"
    "- BLOCKING: magic-number: prices.py:3 `LIMIT = 3`: nobody knows why three\n\n"
    "Suggested remedies:\n- say why\n"
)


@pytest.fixture
def provider():
    with serving([Rule(text=APPROVED)]) as running:
        yield running


def judge(shop, provider, *argv, env=None):
    shop.write("prices.py", GOOD)
    environment = {**provider.environment(), "NO_PROXY": "127.0.0.1", **(env or {})}
    return shop.guild("validate", "prices.py", *argv, "--json", env=environment)


def test_models_of_several_vendors_and_a_tool_give_one_verdict_with_costs(shop, provider):
    ran = judge(
        shop,
        provider,
        "--agents",
        "evaluator-correctness@anthropic:claude-sonnet-4-5,evaluator-security@openai:gpt-5,"
        "evaluator-tests@google:gemini-2.5-pro,ruff",
    )
    assert ran.code == 0, ran
    seats = {seat["name"]: seat for seat in ran.json["roster"]["seats"]}
    families = {seat["family"] for seat in seats.values()}
    assert families == {"anthropic", "openai", "google", "ruff"}
    assert ran.json["counts"]["effective"] == 4.0
    for name in ("evaluator-correctness", "evaluator-security", "evaluator-tests"):
        assert seats[name]["usage"]["input_tokens"] > 0
        assert seats[name]["usd"] > 0
    assert seats["ruff"]["usd"] == 0
    total = ran.json["costs"]["total"]["cost_usd"]
    assert total == pytest.approx(sum(seat["usd"] for seat in seats.values()), abs=1e-5)


def test_one_model_in_two_seats_is_one_family(shop, provider):
    agents = "evaluator-tests@anthropic:claude-sonnet-4-5,evaluator-docs@anthropic:claude-haiku-4-5"
    counts = judge(shop, provider, "--agents", agents).json["counts"]
    assert (counts["voted"], counts["families"], counts["effective"]) == (2, 1, 1.0)


def test_the_seat_that_fails_harms_nobody_and_is_no_vote(shop, provider):
    provider.rules = [Rule(status=401, model="gpt"), Rule(text=FLAGGED)]
    ran = judge(
        shop,
        provider,
        "--agents",
        "evaluator-tests@openai:gpt-5,evaluator-naming@anthropic:claude-sonnet-4-5",
    )
    assert ran.code == 2
    seats = {seat["name"]: seat for seat in ran.json["roster"]["seats"]}
    assert seats["evaluator-tests"]["outcome"] == "absent"
    [finding] = ran.json["blocking_findings"]
    assert (finding["code"], finding["path"], finding["grounding"]) == (
        "magic-number", "prices.py", "grounded"
    )  # fmt: skip


def test_an_unreadable_reply_is_asked_for_again_with_what_was_wrong(shop, provider):
    provider.rules = [Rule(text="Approved. It all looks fine to me!", times=1), Rule(text=APPROVED)]
    ran = judge(shop, provider, "--agents", "evaluator-tests@anthropic:claude-sonnet-4-5")
    assert ran.code == 0
    assert len(provider.requests) == 2
    assert "| Approved. It all looks fine to me!" in provider.requests[1].prompt
    assert "output_config" not in provider.requests[1].body, "one line is asked for, and no object"
    [seat] = ran.json["roster"]["seats"]
    assert seat["usage"]["requests"] == 2, "asking again is paid for too"
    kept = sorted(path.name for path in shop.root.glob(".guild/runs/*/replies/*"))
    assert kept == ["001-evaluator-tests.txt", "002-evaluator-tests_repair-1.txt"]


def test_a_secret_in_a_reply_is_kept_in_no_record_even_when_asked_again(shop, provider):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    provider.rules = [
        Rule(text=f"approved {token}", times=1),
        Rule(text=f"Saw {token}.\n\n{APPROVED}"),
    ]
    ran = judge(shop, provider, "--agents", "evaluator-tests@anthropic:claude-sonnet-4-5")
    assert ran.code == 0
    kept = [path.read_bytes() for path in shop.root.rglob("*") if path.is_file()]
    assert all(token.encode() not in text for text in [ran.out.encode(), *kept])


def test_a_refusal_is_no_vote_and_is_not_asked_for_for_ever(shop, provider):
    provider.rules = [Rule(text="I'm sorry, but I can't help with that.")]
    ran = judge(shop, provider, "--agents", "evaluator-tests@anthropic:claude-sonnet-4-5")
    assert ran.code == 4
    assert len(provider.requests) == 2
    assert ran.json["counts"]["voted"] == 0


def test_a_limit_is_refused_before_anything_is_called(shop, provider):
    agents = ("--agents", "evaluator-tests@anthropic:claude-sonnet-4-5")
    ran = judge(shop, provider, *agents, "--max-usd", "0.0001")
    assert ran.code == 64
    assert "limit" in ran.json["error"]["message"]
    assert provider.requests == []
    assert judge(shop, provider, *agents, "--max-usd", "5").code == 0
    with sqlite3.connect(shop.root / ".guild" / "ledger.sqlite3") as ledger:
        states = [row[0] for row in ledger.execute("SELECT state FROM spend ORDER BY id")]
    assert "settled" in states
    assert "reserved" not in states


def test_an_unknown_price_is_refused_under_a_limit_and_can_be_given(shop, provider):
    agents = ("--agents", "evaluator-tests@openai-compatible:house-model")
    ran = judge(shop, provider, *agents, "--max-usd", "1")
    assert ran.code == 64
    assert "[prices]" in ran.json["error"]["hint"]
    shop.settings('[prices."openai-compatible:house-model"]\ninput = 1.0\noutput = 2.0\n')
    assert judge(shop, provider, *agents, "--max-usd", "1").code == 0


def test_a_backend_that_is_missing_is_an_error_first_or_a_recorded_degradation(shop, provider):
    no_key = {"OPENAI_API_KEY": ""}
    agents = ("--agents", "evaluator-tests@openai:gpt-5,ruff")
    ran = judge(shop, provider, *agents, env=no_key)
    assert ran.code == 4
    assert "OPENAI_API_KEY" in ran.json["error"]["message"]
    assert provider.requests == []
    ran = judge(shop, provider, *agents, "--degrade", env=no_key)
    assert ran.code == 0
    assert "left out by --degrade" in ran.json["roster"]["passed_over"][0]["reason"]


def test_a_dry_run_calls_nobody_and_says_what_would_leave(shop, provider):
    ran = judge(shop, provider, "--agents", "evaluator-tests@openai:gpt-5,secrets", "--dry-run")
    assert ran.code == 0
    assert provider.requests == []
    assert ran.json["leaves"]["to"] == ["openai"]
    assert ran.json["leaves"]["files"] == ["prices.py"]
    assert ran.json["total"]["usd_at_most"] > 0
    assert not (shop.root / ".guild").exists()


def test_a_model_without_agents_seats_the_evaluators_that_the_files_call_for(shop, provider):
    ran = judge(shop, provider, "--model", "anthropic:claude-sonnet-4-5")
    assert ran.code == 0, ran
    called_for = shop.guild("derive-panel", "--files=prices.py").out.strip().split(",")
    seats = {seat["name"]: seat for seat in ran.json["roster"]["seats"]}
    assert {name for name in seats if seats[name]["model"]} == {*called_for}
    assert "secrets" in seats
    assert len(provider.requests) == len(called_for)
    ran = judge(shop, provider, "--model", "openai:gpt-5", "--skip", called_for[0])
    assert called_for[0] not in {seat["name"] for seat in ran.json["roster"]["seats"]}


def test_a_dry_run_needs_no_key_and_says_that_there_is_none(shop, provider):
    no_key = {"ANTHROPIC_API_KEY": ""}
    ran = judge(shop, provider, "--model", "anthropic:claude-sonnet-4-5", "--dry-run", env=no_key)
    assert ran.code == 0, ran
    assert "there is no key for anthropic" in ran.json["notes"][0]
    assert ran.json["leaves"]["to"] == ["anthropic"]


def test_everything_that_is_missing_is_named_at_once(shop, provider):
    agents = (
        "evaluator-tests@anthropic:claude-sonnet-4-5,evaluator-docs@openai:gpt-5,evaluator-naming"
    )
    no_keys = {"ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": ""}
    ran = judge(shop, provider, "--agents", agents, env=no_keys)
    said = ran.json["error"]["message"]
    assert (ran.code, "ANTHROPIC_API_KEY" in said, "OPENAI_API_KEY" in said) == (4, True, True)
    assert "evaluator-naming cannot answer: it needs a model: --model claude" in said


def test_no_key_is_in_any_record_report_or_error(shop, provider):
    provider.rules = [Rule(status=400, message="bad key dummy-anthropic-key-0001")]
    ran = judge(
        shop,
        provider,
        "--agents",
        "evaluator-tests@anthropic:claude-sonnet-4-5",
        "--report",
        "out.md",
    )
    kept = [path.read_bytes() for path in shop.root.rglob("*") if path.is_file()]
    for text in [ran.out.encode(), ran.err.encode(), *kept]:
        assert b"dummy-anthropic-key-0001" not in text


def test_the_work_under_review_is_sent_fenced_and_first(shop, provider):
    judge(
        shop,
        provider,
        "--agents",
        "evaluator-tests@anthropic:claude-sonnet-4-5,evaluator-docs@anthropic:claude-sonnet-4-5",
    )
    first, second = (json.dumps(request.body) for request in provider.requests)
    assert "LIMIT = 3" in first
    assert "LIMIT = 3" in second


CLIENTS = Path(os.environ.get("GUILD_CLIENTS") or Path.home() / ".cache/guildmoot/clients")


@pytest.mark.slow
def test_a_model_two_coding_agents_and_two_tools_give_one_verdict(shop, provider):
    """Slow: it starts the real clients."""
    if not (CLIENTS / "bin" / "claude").exists() and not os.environ.get("GUILD_REQUIRE_CLIENTS"):
        pytest.skip("the real clients are not installed: scripts/clients")
    ran = judge(
        shop,
        provider,
        "--agents",
        "evaluator-correctness@openai:gpt-5,evaluator-security@claude:claude-sonnet-4-5,"
        "evaluator-tests@codex:gpt-5,evaluator-docs@gemini:gemini-2.5-pro,ruff,secrets",
        env={"GUILD_CLIENTS": str(CLIENTS)},
    )
    assert ran.code == 0, ran
    seats = {seat["name"]: seat for seat in ran.json["roster"]["seats"]}
    assert {seat["status"] for seat in seats.values()} == {"answered"}
    assert {seat["family"] for seat in seats.values()} == {
        "anthropic", "openai", "google", "ruff", "guildmoot"
    }  # fmt: skip
    for name in ("evaluator-correctness", "evaluator-security", "evaluator-tests"):
        assert seats[name]["usd"] > 0, seats[name]
