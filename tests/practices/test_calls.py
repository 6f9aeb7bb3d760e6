"""Agents that answer with the council's JSON: held to its schema where it can be, else asked for it."""

import json
import os
import re
from pathlib import Path

import pytest

from guildmoot.agents.registry import load_agents
from guildmoot.backends.schemas import Form, schema_form
from guildmoot.config import load_config
from guildmoot.model.agent import Agent, Roster, Seat
from guildmoot.model.call import Call
from guildmoot.packet.egress import Draft, release
from guildmoot.practices.calls import ask_for_vote, make_calls
from guildmoot.reading.verdict_schema import SCHEMA, strict_schema
from loopback import Rule, serving

AGENT = """\
---
name: elder
description: Judges names
reply: council
---
Are the names good?
"""
FINDING = {
    "severity": "significant",
    "category": "Magic Number",
    "description": "nobody knows why three",
    "location": "prices.py:3",
    "recommendation": "say why",
    **dict.fromkeys(("fix", "why", "ref", "id", "confidence", "test_assertions")),
}
FAILED = {
    "verdict": "FAIL",
    "confidence": "HIGH",
    "key_insight": "a number without a name",
    "findings": [FINDING],
    "recommendation": "name it",
    "schema_version": 4,
    "satisfaction_score": 0.5,
    "satisfaction_breakdown": [{"name": "names", "score": 0.5}],
    "debate_notes": None,
    "could_not_check": [],
    "conditions": [],
}
PASSED = {
    **FAILED,
    "verdict": "PASS",
    "findings": [],
    "key_insight": "It is sound.",
    "recommendation": "Merge it.",
    "satisfaction_score": 0.9,
    "satisfaction_breakdown": [{"name": "names", "score": 0.9}],
}
ASKED = "fits this JSON Schema"


@pytest.fixture
def provider():
    with serving([Rule(text=json.dumps(FAILED))]) as running:
        yield running


def judge(shop, provider, where, agent=AGENT, **env):
    shop.write("prices.py", '"""Prices."""\n\nLIMIT = 3\n')
    shop.agent("elder.md", agent)
    environment = {**provider.environment(), "NO_PROXY": "127.0.0.1", **env}
    seat = f"elder@{where}" if where else "elder"
    return shop.guild("validate", "prices.py", "--agents", seat, "--json", env=environment)


def is_flagged_as_told(ran):
    assert ran.code == 2, ran
    [finding] = ran.json["blocking_findings"]
    return (finding["code"], finding["path"], finding["line"]) == ("magic-number", "prices.py", 3)


def at(body, *path):
    for key in path:
        body = body[key]
    return body


STRICT = {"name": "reply", "schema": strict_schema("openai"), "strict": True}
PLACES = {
    "anthropic:claude-sonnet-4-5": (
        ("output_config", "format"),
        {"type": "json_schema", "schema": strict_schema("anthropic")},
    ),
    "openai:gpt-5": (("text", "format"), {"type": "json_schema", **STRICT}),
    "openai-chat:gpt-5": (
        ("response_format",),
        {"type": "json_schema", "json_schema": STRICT},
    ),
    "google:gemini-2.5-pro": (("generationConfig", "responseSchema"), strict_schema("google")),
}


@pytest.mark.parametrize("where", PLACES)
def test_the_schema_stands_where_the_vendor_wants_it_and_the_verdict_is_read(shop, provider, where):
    assert is_flagged_as_told(judge(shop, provider, where))
    [request] = provider.requests
    path, schema = PLACES[where]
    assert at(request.body, *path) == schema
    assert ASKED not in request.prompt


def test_gemini_is_told_that_the_schema_is_for_json(shop, provider):
    judge(shop, provider, "google:gemini-2.5-pro")
    [request] = provider.requests
    assert request.body["generationConfig"]["responseMimeType"] == "application/json"


def test_a_server_that_may_overlook_the_schema_is_asked_for_the_same_form_last(shop, provider):
    assert is_flagged_as_told(judge(shop, provider, "openai-compatible:house-model"))
    [request] = provider.requests
    assert request.body["response_format"] == {"type": "json_schema", "json_schema": STRICT}
    last = request.prompt.rstrip().splitlines()[-1]
    assert json.loads(last) == strict_schema("openai")


def test_a_model_that_is_too_old_for_schemas_gets_the_instruction_alone(shop, provider):
    assert is_flagged_as_told(judge(shop, provider, "anthropic:claude-3-5-haiku-latest"))
    [request] = provider.requests
    assert "output_config" not in request.body
    assert json.loads(request.prompt.rstrip().splitlines()[-1]) == SCHEMA


def test_a_program_gets_the_instruction_after_the_agents_own_words(shop, provider):
    """It answers PASS only when it finds both, in this order."""
    program = (
        'p=$(cat); case "$p" in *"Are the names good?"*"fits this JSON Schema"*) echo "$PASSED";;'
        " *) echo nothing;; esac"
    )
    answer = json.dumps(PASSED)
    command = json.dumps(["sh", "-c", f"PASSED='{answer}'; {program}"])
    agent = AGENT.replace("reply:", f"backend: command\ncommand: {command}\nreply:")
    ran = judge(shop, provider, "", agent)
    assert ran.code == 0, ran


def test_a_reply_that_is_no_json_verdict_is_asked_for_again(shop, provider):
    broken = json.dumps({**PASSED, "verdict": "SPLENDID"})
    provider.rules = [Rule(text=broken, times=1), Rule(text=json.dumps(PASSED))]
    ran = judge(shop, provider, "openai:gpt-5")
    assert ran.code == 0, ran
    _, second = provider.requests
    assert "text" not in second.body
    assert "'SPLENDID', which is not one of its words" in second.prompt
    assert re.search(r"\nVERDICT [0-9a-f]{8}: PASS\n$", second.prompt)


def test_a_councils_judge_may_also_give_its_verdict_in_the_one_line(shop, provider):
    provider.rules = [Rule(text="PASS", times=1), Rule(text="VERDICT {nonce}: PASS")]
    assert judge(shop, provider, "openai:gpt-5").code == 0


def test_what_it_found_critical_is_not_taken_back_by_the_one_line(shop, provider):
    found = [{**FAILED["findings"][0], "severity": "critical"}]
    prose = f"Here it is:\n{json.dumps({**PASSED, 'findings': found})}"
    provider.rules = [Rule(text=prose, times=1), Rule(text="VERDICT {nonce}: PASS")]
    assert judge(shop, provider, "openai:gpt-5").code == 2


def test_a_verdict_in_the_other_grammar_is_not_taken_for_the_councils(shop, provider):
    provider.rules = [Rule(text="VERDICT: approved\nConfidence: high\n")]
    ran = judge(shop, provider, "openai:gpt-5")
    assert ran.code == 4
    assert ran.json["blocking_findings"] == []
    assert len(provider.requests) == 2


PANEL = AGENT.replace("council", "verdict")


@pytest.mark.parametrize("where", PLACES)
def test_a_panels_judge_is_held_to_a_schema_too(shop, provider, where):
    provider.rules = [Rule(text="{approved}")]
    assert judge(shop, provider, where, PANEL).code == 0
    [request] = provider.requests
    form = json.dumps(at(request.body, *PLACES[where][0]))
    assert '"operator-judgment-required"' in form
    assert not re.search("VERDICT [0-9a-f]{8}", request.prompt)


def test_where_no_schema_holds_the_last_line_votes_with_the_nonce_of_the_call(shop, provider):
    provider.rules = [Rule(text="Names are fine.\n\nVERDICT {nonce}: approved")]
    assert judge(shop, provider, "openai-compatible:house-model", PANEL).code == 0
    [request] = provider.requests
    assert "response_format" not in request.body
    assert re.search(r"\nVERDICT [0-9a-f]{8}: approved\n", request.prompt)


def test_an_approval_without_its_nonce_is_asked_for_once_and_is_no_vote_then(shop, provider):
    provider.rules = [Rule(text="VERDICT: approved\nConfidence: high\n")]
    ran = judge(shop, provider, "openai-compatible:house-model", PANEL)
    assert ran.code == 4
    assert ran.json["blocking_findings"] == []
    first, second = (
        re.findall("VERDICT ([0-9a-f]{8}): approved", request.prompt)[-1]
        for request in provider.requests
    )
    assert first != second
    assert second not in provider.requests[0].prompt


@pytest.mark.slow  # imports a large package
class TestAProviderThatOnlyPydanticAiKnows:
    """Its models tell what they take only when they are called, so the prompt asks as well."""

    @pytest.fixture(autouse=True)
    def is_installed(self):
        pytest.importorskip("pydantic_ai")

    def test_a_model_that_takes_a_schema_is_sent_it(self, shop, provider):
        agent = AGENT.replace("reply:", "backend: api\nmodel: sambanova:Qwen3.5-32B\nreply:")
        env = {"SAMBANOVA_BASE_URL": f"{provider.url}/v1", "SAMBANOVA_API_KEY": "dummy-key-0006"}
        assert is_flagged_as_told(judge(shop, provider, "", agent, **env))
        [request] = provider.requests
        form = request.body["response_format"]["json_schema"]
        assert (form["name"], form["strict"]) == ("reply", True)
        assert form["schema"]["properties"].keys() == SCHEMA["properties"].keys()
        assert ASKED in request.prompt

    def test_another_gets_the_instruction_alone(self, shop, provider):
        agent = AGENT.replace("reply:", "backend: api\nmodel: heroku:claude\nreply:")
        env = {"HEROKU_INFERENCE_URL": provider.url, "HEROKU_INFERENCE_KEY": "dummy-key-0005"}
        assert is_flagged_as_told(judge(shop, provider, "", agent, **env))
        [request] = provider.requests
        assert "response_format" not in request.body
        assert ASKED in request.prompt


def test_the_estimate_counts_the_schema(shop, provider):
    def tokens(agent):
        shop.agent("elder.md", agent)
        asked = ("validate", "prices.py", "--agents", "elder@openai:gpt-5", "--dry-run", "--json")
        ran = shop.guild(*asked, env=provider.environment())
        return ran.json["total"]["input_tokens"]

    shop.write("prices.py", "LIMIT = 3\n")
    assert tokens(AGENT) > tokens(PANEL) + 400
    assert tokens(PANEL) > 500


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("reply: jury", "reply"),
        ("backend: tool\ncommand: [true]\nformat: exit\nreply: council", "not for `backend: tool`"),
    ],
)
def test_an_agent_file_with_a_reply_that_cannot_be_is_refused(shop, wrong, why):
    shop.agent("elder.md", AGENT.replace("reply: council", wrong))
    ran = shop.guild("agents", "check")
    assert ran.code != 0
    assert why in ran.out + ran.err


@pytest.mark.parametrize(
    ("backend", "model", "form"),
    [
        ("claude", "", Form("anthropic", True)),
        ("codex", "gpt-5", Form("openai", True)),
        ("gemini", "gemini-2.5-pro", Form()),
        ("scripted", "", Form()),
        ("api", "anthropic:claude-opus-4-1", Form("anthropic", True)),
        ("api", "anthropic:claude-sonnet-4-20250514", Form()),
        ("api", "openai:gpt-4", Form()),
        ("api", "openai:gpt-4.1-mini", Form("openai", True)),
        ("api", "openai:gpt-4o", Form("openai", True)),
        ("api", "ollama:gemma3:4b", Form("openai", False)),
        ("api", "mistral:mistral-large-latest", Form("openai", False)),
    ],
)
def test_who_takes_a_schema(backend, model, form):
    assert schema_form(backend, model) == form


def test_the_shared_beginning_stays_as_it_is():
    agent = Agent("elder", "d", "Judge.", "elder.md", backend="gemini", reply="council")
    call = Call(Seat("elder", "elder", "gemini", "google"), agent, "the work\nJudge.\n", shared=8)
    asked = ask_for_vote(call)
    assert asked.prompt.startswith(call.prompt)
    assert (asked.shared, asked.schema) == (8, None)


CLIENTS = Path(os.environ.get("GUILD_CLIENTS") or Path.home() / ".cache/guildmoot/clients")


@pytest.fixture
def clients():
    if not (CLIENTS / "bin" / "claude").exists() and not os.environ.get("GUILD_REQUIRE_CLIENTS"):
        pytest.skip("the real clients are not installed: scripts/clients")
    return str(CLIENTS)


@pytest.mark.slow
def test_claude_is_held_to_the_schema(shop, provider, clients):
    """Slow: it starts the real client."""
    ran = judge(shop, provider, "claude:claude-sonnet-4-5", GUILD_CLIENTS=clients)
    assert is_flagged_as_told(ran)
    [tool] = provider.requests[0].body["tools"]
    assert tool["input_schema"]["properties"] == strict_schema("anthropic")["properties"]


@pytest.mark.slow
def test_claude_asks_again_by_itself_until_the_answer_fits(shop, provider, clients):
    """Slow: it starts the real client."""
    provider.rules = [Rule(text="All is well.", times=1), Rule(text=json.dumps(FAILED))]
    ran = judge(shop, provider, "claude:claude-sonnet-4-5", GUILD_CLIENTS=clients)
    assert is_flagged_as_told(ran)
    kept = [path.name for path in shop.root.glob(".guild/runs/*/replies/*")]
    assert kept == ["001-elder.txt"]
    assert len(provider.requests) > 1


@pytest.mark.slow
def test_codex_is_held_to_the_schema(shop, provider, clients):
    """Slow: it starts the real client."""
    assert is_flagged_as_told(judge(shop, provider, "codex:gpt-5", GUILD_CLIENTS=clients))
    form = provider.requests[0].body["text"]["format"]
    assert (form["type"], form["strict"]) == ("json_schema", True)
    assert form["schema"] == strict_schema("openai")


def test_a_linter_that_comes_along_has_as_long_as_the_text_of_a_change_can_take(tmp_path):
    shipped = load_agents(None, tmp_path / "none").get("shellcheck")
    roster = Roster((Seat("shellcheck", "shellcheck", "tool", ""),), {"shellcheck": shipped})

    def limit(letters, base="abc", **flags):
        made = tmp_path / f"{letters}{base}{len(flags)}"
        made.mkdir()
        text = "echo a\n" * (letters // 7)
        packet = release(Draft(str(tmp_path), "t", [("a.sh", text)], base=base))
        config = load_config(None, tmp_path / "none.toml", {}, flags)
        return make_calls(packet, roster, config, made).to_make[0].timeout

    assert limit(700) == 10
    assert limit(7_000) == 11
    assert limit(7_000_000) == limit(700, base="") == 120
    assert limit(700, **{"panel.timeout": 90.0}) == 90
