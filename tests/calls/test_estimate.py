"""Before anything is called: what a panel would cost and send. After: what it did cost."""

from __future__ import annotations

import json

import pytest

from builders import packet
from guildmoot.backends import traits_of
from guildmoot.calls.estimate import (
    estimate,
    estimate_json,
    estimate_rows,
    seat_costs,
)
from guildmoot.calls.pricing import Prices, estimate_tokens, read_prices
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply, Usage
from guildmoot.model.packet import Masking, Omission, PacketFile, Section

SHARED = "def pay():\n    return 1\n" * 400
PACKET = packet(
    [PacketFile("a.py", "x = 'ü'\n", "0"), PacketFile("b.py", "y = 2\n", "1")],
    target="src",
    sections=(Section("diff", "the change", "+y\n"),),
    omitted=(Omission("logo.png", "binary"),),
    masked=(Masking("a.py", 3, "AWS access key", True),),
    hash="abc",
)
SONNET = "anthropic:claude-sonnet-4-5"


def call(name: str, backend: str, model: str = "", family: str = "f", **agent: object) -> Call:
    who = Agent(name, "a judge", "Judge.", "judge.md", backend=backend, model=model, **agent)
    prompt = "" if backend == "tool" else f"{SHARED}Look for {name}."
    shared = 0 if backend == "tool" else len(SHARED)
    return Call(Seat(name, name, backend, family, model), who, prompt, shared=shared)


def test_each_seat_is_priced_at_its_own_model_at_most():
    calls = [call("security", "api", SONNET), call("speed", "api", "openai:gpt-5")]
    found = estimate(calls, Prices(), 1000)
    tokens = [estimate_tokens(SHARED) + estimate_tokens(f"Look for {c.seat.name}.") for c in calls]
    assert [seat.input_tokens for seat in found.seats] == tokens
    assert found.seats[0].usd == pytest.approx((tokens[0] * 3.75 + 1000 * 15) / 1e6)
    assert found.seats[1].usd == pytest.approx((tokens[1] * 1.25 + 1000 * 10) / 1e6)
    assert found.usd == pytest.approx(found.seats[0].usd + found.seats[1].usd)


def test_a_client_sends_words_of_its_own_before_ours():
    (seat,) = estimate([call("b", "codex", "gpt-5")], Prices(), 1000).seats
    assert seat.input_tokens >= traits_of("codex").overhead_tokens + estimate_tokens(SHARED)
    assert seat.usd > 0


def test_a_seat_whose_model_is_not_known_has_no_price_until_the_settings_give_one():
    calls = [call("a", "api", "openai:gpt-99"), call("b", "claude"), call("c", "api", SONNET)]
    assert estimate(calls, Prices(), 1000).unknown == ("a", "b")
    own = read_prices({"openai:gpt-99": {"input": 1, "output": 1}}, "guild.toml")
    assert estimate(calls, own, 1000).unknown == ("b",)


@pytest.mark.parametrize(
    ("made", "leaves", "to"),
    [
        (call("ruff", "tool"), "no", ""),
        (call("echo", "scripted"), "no", ""),
        (call("llm", "command", command=("/usr/bin/llm", "-m", "x")), "may", "llm"),
        (call("local", "api", "ollama:llama3"), "may", "ollama"),
        (call("a", "api", "openrouter:x/y"), "yes", "openrouter"),
        (call("b", "gemini"), "yes", "gemini"),
    ],
)
def test_what_leaves_the_machine_and_to_whom_is_said_of_each_seat(made, leaves, to):
    (seat,) = estimate([made], Prices(), 1000).seats
    assert (seat.leaves, seat.to) == (leaves, to)


def test_a_dry_run_shows_the_roster_the_cost_and_what_would_leave():
    calls = [
        call("security", "api", SONNET, "anthropic"),
        call("review", "claude", "", "anthropic"),
        call("ruff", "tool", "", "ruff"),
    ]
    rows = estimate_rows(estimate(calls, Prices(), 8192), PACKET)
    text = "\n".join(rows)
    assert max(map(len, rows)) <= 80
    assert "  security: api anthropic:claude-sonnet-4-5, family anthropic" in rows
    assert "  review: claude, family anthropic" in rows
    assert "    no model, nothing leaves this machine" in rows
    assert "8,192 out, at most $0." in text
    assert "no price is known for claude" in text.replace("\n    ", " ")
    assert rows[-4:] == [
        "LEAVES THIS MACHINE",
        "  To: anthropic, claude.",
        "  2 files, 18 bytes, with 1 diff.",
        "  1 secret masked, 1 file left out.",
    ]


def test_a_panel_of_tools_sends_nothing():
    rows = estimate_rows(estimate([call("ruff", "tool")], Prices(), 8192), PACKET)
    assert rows[-2:] == ["LEAVES THIS MACHINE", "  Nothing."]
    assert "  Nothing: no judge runs a model." in rows


def test_a_dry_run_for_programs_holds_the_same():
    calls = [call("security", "api", SONNET), call("b", "api", "openai:gpt-99")]
    found = json.loads(json.dumps(estimate_json(estimate(calls, Prices(), 100), PACKET)))
    assert found["total"]["unknown"] == ["b"]
    assert found["total"]["usd_at_most"] is None, "the whole is not known"
    assert found["seats"][0]["usd_at_most"] == found["total"]["usd_known_at_most"] > 0
    assert found["seats"][1]["usd_at_most"] is None
    assert found["leaves"] == {
        "to": ["anthropic", "openai"],
        "files": ["a.py", "b.py"],
        "bytes": 18,
        "sections": ["diff"],
        "masked": [PACKET.masked[0]._asdict()],
        "omitted": {"binary": 1},
    }


def seat_cost(backend: str, model: str, reply: Reply):
    (cost,) = seat_costs([Seat("s", "s", backend, "f", model)], [reply], Prices())
    return cost


def test_what_a_seat_cost_is_priced_by_the_model_that_answered():
    usage = Usage(100_000, 1000, cache_read_tokens=100_000)
    cost = seat_cost("claude", "", Reply("s", "answered", usage=usage, model="claude-opus-5-5"))
    assert cost.usd == pytest.approx(100_000 * 0.2e-6 + 1000 * 20e-6)
    assert cost.saved_usd == pytest.approx(100_000 * 3.8e-6)
    assert cost.model == "claude-opus-5-5"


def test_a_version_without_a_price_of_its_own_has_that_of_the_model_asked_for():
    reply = Reply("s", "answered", usage=Usage(1_000_000), model="an-unheard-of-version")
    assert seat_cost("api", "openai:gpt-5", reply).usd == pytest.approx(1.25)


def test_what_the_backend_was_billed_goes_before_our_price():
    reply = Reply("s", "answered", usage=Usage(1000, 10, cost_usd=0.5))
    assert seat_cost("api", "openai:gpt-5", reply).usd == 0.5
    assert seat_cost("api", "openai:gpt-99", reply).usd == 0.5


def test_nothing_billed_for_tokens_is_a_price_that_the_backend_does_not_know():
    reply = Reply("s", "answered", usage=Usage(1_000_000, 0, cost_usd=0.0))
    assert seat_cost("claude", "a-model-of-tomorrow", reply).usd is None
    assert seat_cost("api", "openai:gpt-5", reply).usd == pytest.approx(1.25)


@pytest.mark.parametrize(
    ("backend", "status", "usd"),
    [
        ("tool", "answered", 0.0),
        ("scripted", "failed", 0.0),
        ("claude", "missing", 0.0),
        ("api", "excused", 0.0),
        ("claude", "timeout", None),
        ("command", "answered", None),
    ],
)
def test_a_seat_that_tells_nothing_is_free_only_when_no_model_ran(backend, status, usd):
    assert seat_cost(backend, "", Reply("s", status)).usd == usd
