"""What a council cost is recorded and reported, also where nobody votes."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from guildmoot.calls.session import ReusePolicy, new_reuse
from guildmoot.config import load_config
from judges import verdict
from loopback import Rule, serving

BRAINSTORM = json.dumps(
    {"options": [{"title": "ETags", "summary": "s", "pros": ["cheap"], "cons": ["old"]}]}
)
RESEARCH = json.dumps({"facets": [{"facet": "Cost", "findings": ["two clusters for a day"]}]})
OPENING = json.dumps(
    {
        "positioning": "here",
        "recommendations": [{"rank": n, "text": f"do {n}", "why": "w"} for n in (1, 2, 3)],
        "kill_list": [{"text": "stop", "why": "w"}],
        "top_risk": "time",
    }
)


@pytest.mark.parametrize(
    ("text", "words", "requests"),
    [
        (BRAINSTORM, ("brainstorm", "caching"), 1),
        (RESEARCH, ("research", "upgrade patterns"), 1),
        (OPENING, ("--perspectives", "beck,hickey", "debate", "one repository"), 3),
    ],
)
def test_usage_model_and_cost_are_on_record_and_in_the_report(shop, text, words, requests):
    shop.write("prices.py", "LIMIT = 3\n")
    shop.commit()
    with serving([Rule(text=text)]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        model = "anthropic:claude-sonnet-4-5"
        ran = shop.guild("council", "--model", model, *words, "--json", env=env)
    assert ran.code == 0, ran
    judges = ran.json["roster"]["judges"]
    assert len(judges) == 2
    for judge in judges:
        assert judge["usage"]["requests"] == requests
        assert judge["usage"]["input_tokens"] > 0
        assert judge["usd"] > 0
    [file] = shop.root.glob(".guild/runs/*/replies.json")
    replies = json.loads(file.read_text())["replies"]
    judged = [reply for reply in replies if not reply["seat"].startswith("chair")]
    assert len(judged) == 2 * requests
    assert all(reply["usage"]["input_tokens"] > 0 for reply in replies)
    assert all("claude" in reply["model"] for reply in replies)


PASS = verdict("PASS")
MODEL = "anthropic:claude-sonnet-4-5"
LIMITS = {
    # where each provider's request says how long the answer may be
    MODEL: lambda body: body["max_tokens"],
    "openai:gpt-5": lambda body: body["max_output_tokens"],
    "openai-chat:gpt-5": lambda body: body["max_completion_tokens"],
    "google:gemini-2.5-pro": lambda body: body["generationConfig"]["maxOutputTokens"],
    "openrouter:x/y": lambda body: body["max_tokens"],
    "openai-compatible:mine": lambda body: body["max_tokens"],
}


@pytest.fixture
def desk(shop):
    """A change to judge, and prices of what the public table has none for."""
    shop.write("prices.py", "LIMIT = 3\n")
    shop.commit()
    prices = "input = 3.0\noutput = 15.0\n"
    shop.settings(
        f'[prices."openrouter:x/y"]\n{prices}[prices."openai-compatible:mine"]\n{prices}'
        f'[prices."openai-chat:gpt-5"]\n{prices}'
    )
    return shop


def ask_council(shop, provider, *argv, model=MODEL, **env):
    where = {**provider.environment(), "NO_PROXY": "127.0.0.1", **env}
    return shop.guild("council", "--model", model, *argv, "validate", "prices.py", env=where)


@pytest.mark.parametrize("model", LIMITS)
def test_what_a_request_allows_is_what_is_set_aside(desk, model):
    with serving([Rule(text=PASS)]) as provider:
        planned = ask_council(desk, provider, "--dry-run", "--json", model=model).json
        ran = ask_council(desk, provider, "--max-usd", "2", "--json", model=model)
    assert ran.code == 0, ran
    reserved = {seat["output_tokens_at_most"] for seat in planned["seats"]}
    assert {LIMITS[model](request.body) for request in provider.requests} == reserved


def test_a_limit_below_what_the_answers_may_cost_asks_nobody(desk):
    """Two judges of 16,000 tokens at 15 dollars a million may cost 0.48."""
    with serving([Rule(text=PASS)]) as provider:
        refused = ask_council(desk, provider, "--max-usd", "0.4")
        allowed = ask_council(desk, provider, "--max-usd", "0.4", GUILD_BUDGET_MAX_OUTPUT="4000")
    assert refused.code != 0
    assert "0.4" in refused.err
    assert allowed.code == 0, allowed
    assert [request.body["max_tokens"] for request in provider.requests] == [4000, 4000]


def test_a_provider_that_bills_for_more_than_was_allowed_is_told(desk):
    desk.settings('[prices."openai-compatible:mine"]\ninput = 3.0\noutput = 30000.0\n')
    with serving([Rule(text=PASS)]) as provider:
        model, env = "openai-compatible:mine", {"GUILD_BUDGET_MAX_OUTPUT": "1"}
        ran = ask_council(
            desk, provider, "--max-usd", "0.5", "--quick", "--json", model=model, **env
        )
    assert ran.code == 0, ran
    assert ran.json["costs"]["total"]["cost_usd"] > 0.5
    [note] = [note for note in ran.json["notes"] if note.startswith("cost: ")]
    assert "above the limit of $0.50" in note


def test_what_it_did_cost_stands_in_every_view(desk):
    with serving([Rule(text=PASS)]) as provider:
        ran = ask_council(desk, provider, "--report", "r.html", "--report", "r.json")
    total = json.loads((desk.root / "r.json").read_text())["costs"]["total"]
    assert total["cost_usd"] > 0
    assert total["requests"] == 2
    shown = f"${total['cost_usd']:,.4f}"
    [markdown] = (desk.root / ".agents/council").glob("*.md")
    for view in (ran.out, markdown.read_text(), (desk.root / "r.html").read_text()):
        assert shown in view


def test_what_a_dry_run_calls_the_most_holds_where_no_answer_can_be_read(desk):
    with serving([Rule(text="Well, it depends on what you want.")]) as provider:
        planned = ask_council(desk, provider, "--dry-run", "--json").json["total"]
        ask_council(desk, provider)
    assert 2 < len(provider.requests) <= planned["calls_at_most"]


def test_a_price_that_nobody_knows_is_unknown_and_holds_no_limit(desk):
    model = "anthropic:no-such-model-yet"
    with serving([Rule(text=PASS)]) as provider:
        planned = ask_council(desk, provider, "--dry-run", model=model)
        ran = ask_council(desk, provider, "--report", "r.json", model=model)
        asked = len(provider.requests)
        refused = ask_council(desk, provider, "--max-usd", "5", model=model)
    assert "Not known" in planned.out
    told = "two judges and the chair, each once more, a clerk for each judge and two for remedies"
    assert "(10 calls)" in " ".join(planned.out.split()), told
    assert "$0.00" not in planned.out + ran.out
    assert "cost unknown" in ran.out
    assert json.loads((desk.root / "r.json").read_text())["costs"]["total"]["cost_usd"] is None
    [markdown] = (desk.root / ".agents/council").glob("*.md")
    assert "Total unknown: the cost is not known of: judge-1, judge-2" in markdown.read_text()
    assert refused.code != 0
    assert "no price is known" in refused.err
    assert "[prices]" in refused.err
    assert len(provider.requests) == asked


EFFORTS = {
    MODEL: (lambda body: body["output_config"]["effort"], "low"),
    "openai:gpt-5": (lambda body: body["reasoning"]["effort"], "low"),
    "openai-chat:gpt-5": (lambda body: body["reasoning_effort"], "low"),
    "google:gemini-3-pro": (lambda body: body["generationConfig"]["thinkingConfig"],
                            {"thinkingLevel": "low"}),
    "google:gemini-2.5-pro": (lambda body: body["generationConfig"]["thinkingConfig"],
                              {"thinkingBudget": 1000}),
}  # fmt: skip


@pytest.mark.parametrize("model", EFFORTS)
def test_effort_reaches_the_providers_that_know_it(desk, model):
    with serving([Rule(text=PASS)]) as provider:
        assert ask_council(desk, provider, "--effort", "low", model=model).code == 0
        assert ask_council(desk, provider, "--quick", model=model).code == 0
    *told, plain = provider.requests
    read, expected = EFFORTS[model]
    assert [read(request.body) for request in told] == [expected] * len(told)
    with pytest.raises(KeyError):
        read(plain.body)


def test_a_model_that_cannot_be_told_how_hard_to_think_is_asked_without(desk):
    refusal = Rule(status=400, message="This model does not support the effort parameter.", times=1)
    with serving([refusal, Rule(text=PASS)]) as provider:
        ran = ask_council(desk, provider, "--quick", "--effort", "high")
    assert ran.code == 0, ran
    first, second = (request.body.get("output_config", {}) for request in provider.requests)
    assert first["effort"] == "high"
    assert "effort" not in second


def test_a_verdict_that_is_asked_for_again_is_asked_for_again(desk):
    with serving([Rule(text=verdict("WARN"), times=2), Rule(text=PASS)]) as provider:
        outcomes = [ask_council(desk, provider, "--json").json["outcome"] for _ in range(2)]
    assert outcomes == ["WARN", "PASS"]
    assert len(provider.requests) == 4


@pytest.mark.slow  # several councils, in every form
def test_a_reused_answer_is_said_with_its_run_and_age_in_every_view(desk):
    """Only where the user lets runs share answers, and never after anything about the question changed."""
    share = {"GUILD_RUNS_REUSE_HOURS": "100000"}
    with serving([Rule(text=verdict("WARN"), times=2), Rule(text=PASS)]) as provider:
        first = ask_council(desk, provider, "--json", **share).json
        assert first["reused"] == []
        ran = ask_council(desk, provider, "--report", "r.html", "--report", "r.json", **share)
        assert len(provider.requests) == 2, "nobody was asked again"
        for changed in ({"GUILD_PANEL_EFFORT": "low"}, {"GUILD_BUDGET_MAX_OUTPUT": "9000"}):
            ask_council(desk, provider, "--json", **share, **changed)
        assert len(provider.requests) == 6, "other settings are another question"
        fresh = ask_council(desk, provider, "--fresh", "--json", **share).json
    with serving([Rule(text=PASS)]) as another:
        elsewhere = ask_council(desk, another, "--json", **share).json
    assert (elsewhere["reused"], len(another.requests)) == ([], 2), "others may answer there"
    again = json.loads((desk.root / "r.json").read_text())
    assert [row["run_id"] for row in again["reused"]] == [first["run_id"]] * 2
    assert all(0 <= row["age_seconds"] < 600 for row in again["reused"])
    assert again["costs"] is None or again["costs"]["total"]["cost_usd"] == 0
    said = f"2 answers reused of run {first['run_id']}"
    assert said in " ".join(ran.out.split())
    [file] = (desk.root / ".agents/council").glob("*-2.md")
    markdown = file.read_text()
    for view in (markdown, (desk.root / "r.html").read_text()):
        assert f"run {first['run_id']}" in view
        assert "--fresh asks everyone anew" in view
    assert (fresh["outcome"], fresh["reused"]) == ("PASS", [])


def test_answers_are_shared_within_the_hours_that_were_set_and_not_beyond():
    config = load_config(None, Path("/nowhere"), {}, {"runs.reuse_hours": 2.0})
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    names = [new_reuse(config, "r", noon + timedelta(hours=h)).shared for h in (0, 1.9, 2, 30)]
    assert names[0] == names[1]
    assert len(set(names)) == 3
    assert new_reuse(config, "r", noon, fresh=True) == ReusePolicy(only="r")
    plain = load_config(None, Path("/nowhere"), {})
    assert new_reuse(plain, "r", noon) == ReusePolicy(only="r")
