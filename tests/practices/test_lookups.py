"""Eyes: what explorers, judges with ideas and engineers may see of a repository, within which bounds."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.packet.tree import open_tree
from guildmoot.practices.lookups import ROUNDS, Lookups, read_requests, without_requests
from judges import add_engineers, add_judge, decides, verdict

# of a form that is known, and made for this test
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def asks(*requests, before="I must look first."):
    return f"{before}\n{json.dumps({'requests': list(requests)})}"


@pytest.fixture
def tree(shop):
    shop.write("src/cache.py", f"LIMIT = 10\nTOKEN = '{TOKEN}'\n\n\ndef evict():\n    pass\n")
    shop.write("src/store.py", "from cache import LIMIT\n")
    shop.write("deploy/id_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n")
    shop.write("notes/private.md", "the salary list\n")
    shop.write(".guildignore", "notes/\n")
    shop.write(".gitignore", "build.log\n")
    shop.write("build.log", "LIMIT reached\n")
    shop.write(".agents/council/2026-01-01-validate-x.md", "an earlier verdict: LIMIT\n")
    (shop.root / "way-out").symlink_to("/etc")
    (shop.root / "passwd").symlink_to("/etc/passwd")
    shop.commit()
    return open_tree(shop.root)


def shown(tree, *requests):
    lookups = Lookups(tree)
    seat = Seat("explorer", "explorer", "scripted", "f")
    call = Call(seat, Agent("explorer", "d", "", "test"), "Look.")
    after = lookups.after(call, Reply("explorer", "answered", text=asks(*requests)), 1)
    return after.prompt, lookups.opened.get("explorer", [])


def test_what_is_listed_read_and_found_is_shown_behind_bars_and_remembered(tree):
    requests = (
        {"list": "src"},
        {"read": "src/cache.py", "lines": [1, 1]},
        {"grep": "limit", "in": "src"},
    )
    prompt, opened = shown(tree, *requests)
    assert "| cache.py" in prompt
    assert "| 1: LIMIT = 10" in prompt
    assert "| src/store.py:1: from cache import LIMIT" in prompt
    assert "def evict" not in prompt, "only the lines that were asked for"
    assert opened == ["src/cache.py", "src/store.py"]


def test_a_secret_is_masked(tree):
    prompt, _ = shown(tree, {"read": "src/cache.py"}, {"grep": "TOKEN"})
    assert TOKEN not in prompt
    assert "masked" in prompt


@pytest.mark.parametrize(
    "path",
    ["deploy/id_rsa", "notes/private.md", "build.log", "passwd", "way-out/hostname", "/etc/passwd",
     "../home/x", "src/../deploy/id_rsa", ".agents/council/2026-01-01-validate-x.md", ".git/config"],
)  # fmt: skip
def test_what_may_not_be_shown_is_not_there(tree, path):
    prompt, opened = shown(tree, {"read": path})
    assert "may not be shown" in prompt
    assert opened == []


def test_a_search_sees_only_what_may_be_shown(tree):
    prompt, opened = shown(tree, {"grep": "limit"}, {"grep": "salary"}, {"grep": "PRIVATE KEY"})
    assert set(opened) == {"src/cache.py", "src/store.py"}
    assert prompt.count("no line holds it") == 2
    listed, _ = shown(tree, {"list": ""}, {"list": "notes"}, {"list": "deploy"})
    assert "private.md" not in listed
    assert "id_rsa" not in listed


def test_what_is_shown_is_bounded_and_quick(tree, shop):
    shop.write("src/long.py", "x = 1\n" * 40_000)
    again = open_tree(shop.root)
    began = time.process_time()
    prompt, _ = shown(again, *[{"read": "src/long.py"}] * 6, *[{"grep": "x"}] * 6)
    assert len(prompt) < 30_000
    assert time.process_time() - began < 5


@given(st.text(max_size=200))
def test_any_reply_has_requests_or_none(text):
    assert isinstance(read_requests(text), tuple)
    assert read_requests(text) or without_requests(text) == text


def test_requests_are_read_where_a_reply_ends_with_them():
    fenced = "Let me look.\n```json\n" + json.dumps({"requests": [{"list": "src"}]}) + "\n```\n"
    assert read_requests(fenced) == ({"list": "src"},)
    assert without_requests(fenced) == "Let me look."
    quoted = (
        json.dumps({"requests": [{"list": "src"}]}) + "\nis what I could ask, but the answer is no."
    )
    assert read_requests(quoted) == ()
    assert read_requests('{"requests": "all"}') == ()


EXPLORER = "judge-1~explorer-1"


def test_an_explorer_looks_and_the_report_lists_what_it_opened(council):
    council.shop.write("src/cache.py", "LIMIT = 10\n")
    council.shop.commit()
    steps = [asks({"grep": "limit"}), "Findings: src/cache.py:1 sets it."]
    seats = {
        "judge-1~questions": json.dumps({"questions": ["what is the limit?"]}),
        EXPLORER: steps,
    }
    council.judge("wise", {"fail": "overloaded"}, seats=seats)
    line = ("--explorers=1", "--count=1", "validate", "prices.py", "--agents=wise")
    assert council.run(*line).code == 4
    before = council.shop.answered()
    assert before == 3, "the question, and two calls of the explorer"
    council.judge("wise", verdict("PASS"), seats={EXPLORER: "must not be asked again"})
    ran = council.shop.guild("resume", "last", "--json")
    assert council.shop.answered() == before + 1, (
        "what was shown and said is kept: nothing is paid twice"
    )
    assert ran.json["packet"]["opened"] == [{"seat": EXPLORER, "paths": ["src/cache.py"]}]
    [judge] = ran.json["roster"]["judges"]
    assert judge["explored"][0]["answer"] == "Findings: src/cache.py:1 sets it."
    assert "also opened src/cache.py" in council.text


def test_who_never_stops_looking_is_asked_to_answer_and_no_further(council):
    look = asks({"list": ""})
    seats = {"judge-1~questions": json.dumps({"questions": ["why?"]}), EXPLORER: look}
    council.judge("wise", verdict("PASS"), seats=seats)
    ran = council.run(
        "--explorers=1", "--count=1", "validate", "prices.py", "--agents=wise", "--json"
    )
    assert ran.code == 0, ran.err
    assert council.shop.answered() == 3 + ROUNDS
    [judge] = ran.json["roster"]["judges"]
    assert "requests" not in judge["explored"][0]["answer"]


def test_a_judge_of_a_research_looks_before_it_answers(council):
    council.shop.write("src/cache.py", "LIMIT = 10\n")
    council.shop.commit()
    found = {
        "facets": [{"facet": "limits", "findings": ["src/cache.py:1 sets 10"]}],
        "questions": [],
    }
    council.judge("wise", asks({"read": "src/cache.py"}), json.dumps(found))
    ran = council.run("research", "what", "bounds", "it", "--agents=wise", "--count=1", "--json")
    assert ran.json["ideas"]["facets"][0]["findings"] == ["src/cache.py:1 sets 10"]
    assert ran.json["packet"]["opened"] == [{"seat": "judge-1", "paths": ["src/cache.py"]}]


def test_an_engineer_is_shown_files_and_globs_and_may_look_further(shop):
    shop.write("src/cache.py", "LIMIT = 10\n")
    shop.write("src/store.py", "import cache\n")
    shop.commit()
    decision = decides("cache", "choose", "Keep the limit at 10")
    engineers = add_engineers(shop, ana=[asks({"grep": "import"}), decision], ben=decision)
    line = (
        "whiteboard",
        "run",
        "--engineers",
        engineers,
        "--brief",
        "How large?",
        "--board",
        "b.md",
    )
    ran = shop.guild(*line, "--files", "src/c*.py", "--json")
    assert (ran.code, ran.json["shown"]) == (0, ["src/cache.py"]), ran.err
    assert ran.json["opened"] == [{"engineer": "ana", "paths": ["src/store.py"]}]
    assert "requests" not in (shop.root / "b.md").read_text()


def test_the_files_of_a_whiteboard_stand_in_the_prompt_and_a_missing_one_is_refused(shop):
    shop.write("src/cache.py", "LIMIT = 10\n")
    shop.commit()
    keep = shop.home / "prompt.txt"
    command = f'["sh", "-c", "cat >> {keep}; echo Keep it."]'
    add_judge(shop, "ana", role="planner", backend="command", command=command, replies=None)
    line = ("whiteboard", "run", "--engineers", "ana", "--brief", "How large?", "--board", "b.md")
    assert shop.guild(*line, "--files", "src").code == 0
    assert "LIMIT = 10" in keep.read_text()
    ran = shop.guild(*line, "--files", "nowhere.py")
    assert ran.code != 0
    assert "nowhere.py" in ran.err
