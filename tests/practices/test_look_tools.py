"""Eyes as tools of the model, over real sockets: what is sent, what is shown, and what is listed and paid."""

import json

import pytest

from guildmoot.practices.lookups import MOST_REQUESTS, ROUNDS
from judges import verdict
from loopback import Rule, serving

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
FOUND = json.dumps(
    {
        "facets": [{"facet": "limits", "findings": ["src/cache.py:1 sets 10"]}],
        "questions": [],
        "recommendation": "",
    }
)
MODELS = {
    "anthropic:claude-sonnet-4-5": lambda body: [
        block["content"]
        for turn in body["messages"]
        if isinstance(turn["content"], list)
        for block in turn["content"]
        if block["type"] == "tool_result"
    ],
    "openai:gpt-5": lambda body: [
        item["output"] for item in body["input"] if item.get("type") == "function_call_output"
    ],
    "openai-chat:gpt-5": lambda body: [
        turn["content"] for turn in body["messages"] if turn["role"] == "tool"
    ],
    "google:gemini-2.5-pro": lambda body: [
        part["functionResponse"]["response"]["shown"]
        for turn in body["contents"]
        for part in turn["parts"]
        if "functionResponse" in part
    ],
}
"""By the model: what a request shows of the tools' answers."""
PRICE = "input = 3.0\noutput = 15.0\n"


@pytest.fixture
def house(shop):
    shop.write("src/cache.py", f"LIMIT = 10\nTOKEN = '{TOKEN}'\n")
    shop.write("src/store.py", "from cache import LIMIT\n")
    shop.write("notes/private.md", "the salary list\n")
    shop.write(".guildignore", "notes/\n")
    shop.commit()
    shop.settings("".join(f'[prices."{model}"]\n{PRICE}' for model in MODELS))
    return shop


def ask(shop, model, rules, *line):
    with serving(rules) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        ran = shop.guild("council", "--model", model, "--count=1", *line, "--json", env=env)
        return ran, list(provider.requests)


@pytest.mark.parametrize("model", MODELS)
def test_a_judge_of_a_research_looks_with_tools_and_what_it_opened_is_listed(house, model):
    rules = [
        Rule(use=("read", {"path": "src/cache.py"}), times=1),
        Rule(use=("grep", {"text": "import", "folder": "src"}), times=1),
        Rule(FOUND),
    ]
    ran, requests = ask(house, model, rules, "research", "what", "bounds", "it")
    assert ran.code == 0, ran.err
    assert ran.json["ideas"]["facets"][0]["findings"] == ["src/cache.py:1 sets 10"]
    assert ran.json["packet"]["opened"] == [
        {"seat": "judge-1", "paths": ["src/cache.py", "src/store.py"]}
    ]
    shown = MODELS[model](requests[2].body)
    assert len(shown) == 2
    assert "1: LIMIT = 10" in shown[0]
    assert "src/store.py:1: from cache import LIMIT" in shown[1]
    assert TOKEN not in json.dumps([each.body for each in requests])
    [judge] = ran.json["roster"]["judges"]
    assert judge["usage"]["requests"] == 3
    assert judge["usd"] > 0


@pytest.mark.parametrize("model", MODELS)
def test_what_may_not_be_shown_and_what_is_no_tool_is_answered_so(house, model):
    uses = [
        ("read", {"path": "notes/private.md"}),
        ("write", {"path": "src/cache.py", "text": "gone"}),
        ("list", {"folder": ""}),
    ]
    rules = [*(Rule(use=use, times=1) for use in uses), Rule(FOUND)]
    ran, requests = ask(house, model, rules, "research", "what", "bounds", "it")
    assert ran.code == 0, ran.err
    assert ran.json["packet"]["opened"] == []
    refused, unknown, listed = MODELS[model](requests[3].body)
    assert "may not be shown" in refused
    assert "no request" in unknown
    assert "src/ (2 files)" in listed
    assert "notes" not in listed
    assert (house.root / "src/cache.py").read_text().startswith("LIMIT = 10")


@pytest.mark.parametrize("model", MODELS)
def test_a_model_that_never_stops_looking_is_left_no_tool(house, model):
    rules = [Rule(use=("list", {"folder": ""}), times=ROUNDS), Rule(FOUND)]
    ran, requests = ask(house, model, rules, "research", "what", "bounds", "it")
    assert ran.code == 0, ran.err
    assert len([each for each in requests if "judge" in each.prompt]) >= ROUNDS + 1
    last = json.dumps(requests[ROUNDS].body)
    assert '"none"' in last.lower()
    assert '"none"' not in json.dumps(requests[ROUNDS - 1].body).lower()


def test_an_explorer_looks_with_tools_and_a_resumed_run_pays_for_none_of_it_twice(house):
    model = "anthropic:claude-sonnet-4-5"
    questions = json.dumps({"questions": ["what is the limit?"]})
    rules = [
        Rule(questions, "questions", times=1),
        Rule(use=("read", {"path": "src/cache.py"}), times=1),
        Rule("Findings: src/cache.py:1 sets 10.", times=1),
        Rule("", status=400),
    ]
    line = ("--explorers=1", "validate", "src/store.py")
    ran, requests = ask(house, model, rules, *line)
    assert ran.code == 4, ran.err
    assert len(requests) >= 4
    assert "questions" in json.dumps(requests[0].body["output_config"]), "asked in a form"
    with serving([Rule(verdict("PASS"))]) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        ran = house.guild("resume", "last", "--json", env=env)
        again = [each for each in provider.requests if "You are the chair" not in each.prompt]
    assert ran.json["packet"]["opened"] == [
        {"seat": "judge-1~explorer-1", "paths": ["src/cache.py"]}
    ]
    assert len(again) == 1, "only the judge, who had not answered"


def test_an_engineer_looks_with_tools_and_is_held_to_the_form(house):
    section = {
        "section": "Keep it.",
        "decisions": [{"scope": "limit", "stance": "adopt", "text": "Keep 10", "cited": ["a"]}],
    }
    engineer = (
        "---\nname: ana\ndescription: d\nrole: planner\nbackend: api\n"
        "model: anthropic:claude-sonnet-4-5\n---\nYou design.\n"
    )
    file = house.home / ".config" / "guildmoot" / "agents" / "ana.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(engineer)
    rules = [Rule(use=("grep", {"text": "limit"}), times=1), Rule(json.dumps(section))]
    with serving(rules) as provider:
        env = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
        line = ("--engineers", "ana", "--brief", "How large?", "--board", "b.md", "--json")
        ran = house.guild("whiteboard", "run", *line, env=env)
        requests = list(provider.requests)
    assert ran.code == 0, ran.err
    assert ran.json["opened"] == [{"engineer": "ana", "paths": ["src/cache.py", "src/store.py"]}]
    assert requests[0].body["output_config"]["format"]["type"] == "json_schema"
    assert "Keep it." in (house.root / "b.md").read_text()


def test_a_look_that_cannot_be_paid_is_not_made(house):
    model = "anthropic:claude-sonnet-4-5"
    house.settings(f'[prices."{model}"]\ninput = 0.0\noutput = 15.0\n')
    rules = [Rule(use=("read", {"path": "src/cache.py"})), Rule(FOUND)]
    ran, requests = ask(
        house, model, rules, "--max-usd", "0.24", "research", "what", "bounds", "it"
    )
    assert len(requests) == 1, "what 16,000 tokens cost is all there is, and a little of it is gone"
    assert ran.code == 4


def test_more_uses_than_are_allowed_at_once_are_all_answered(house):
    from builders import call
    from guildmoot.model.call import FileLook, Reply
    from guildmoot.packet.tree import open_tree
    from guildmoot.practices.lookups import Lookups

    asked = call("api", "Look.", model="anthropic:claude-sonnet-4-5")._replace(looks_left=ROUNDS)
    uses = tuple(FileLook("list", '{"folder": ""}', f"t{n}") for n in range(MOST_REQUESTS + 2))
    reply = Reply(asked.seat.name, "answered", looks=uses)
    after = Lookups(open_tree(house.root)).after(asked, reply, 1)
    assert after is not None
    [turn] = after.looks
    assert [look.id for look in turn.looks] == [look.id for look in uses]
    assert "src/" in turn.looks[0].shown
    assert "not looked up" in turn.looks[-1].shown
