"""The right reader for each kind of agent."""

from __future__ import annotations

import json
from functools import partial

import pytest

from builders import agent, call
from guildmoot.model.agent import Seat
from guildmoot.model.call import Call, Reply
from guildmoot.model.verdict import Judgement
from guildmoot.reading.council.confirm import to_confirm
from guildmoot.reading.reply import read_reply, read_second

FILES = ("src/net.py", "src/a/util.py", "src/b/util.py")


exits = partial(call, format="exit", files=FILES)


def test_a_tool_is_read_by_its_format_and_a_writer_by_the_grammar() -> None:
    assert (
        read_reply(Reply("judge", "answered", "ok", exit_code=0), exits("tool")).outcome
        == "approved"
    )
    assert read_reply(Reply("judge", "answered", "ok"), exits("command")).outcome == "unreadable"


def test_a_writer_that_did_not_answer_is_absent_whatever_it_wrote() -> None:
    reply = Reply("judge", "timeout", "VERDICT: approved", "no answer in 5 s")
    judgement = read_reply(reply, exits("command"))
    assert judgement.outcome == "absent"
    assert "no answer in 5 s" in judgement.reason


def test_a_reply_in_the_councils_json_is_read_as_a_judgement() -> None:
    text = (
        '{"verdict": "FAIL", "confidence": "HIGH", "key_insight": "k", "recommendation": "r",'
        ' "schema_version": 3, "findings": [{"severity": "critical", "category": "Security",'
        ' "description": "SQL from a string", "location": "db.py:4", "recommendation": "bind it",'
        ' "test_assertions": [{"description": "d", "verifies_by": "grep",'
        ' "command": "grep -n execute db.py", "expected_result": "4"}]}]}'
    )
    judgement = read_reply(Reply("a", "answered", text), call("command", files=("db.py",)))
    [finding] = judgement.findings
    assert judgement.outcome == "flagged"
    assert (finding.path, finding.line, finding.severity) == ("db.py", 4, "critical")
    assert finding.assertions[0].command == "grep -n execute db.py"


WHERE = "the name goes into the query unescaped (app/users.py:6)"
HELD = [
    f"PASS on layout. FAIL on safety: {WHERE}.",
    f"Verdict: ~~PASS~~ FAIL\n\n{WHERE}",
    f"I cannot give this a PASS: {WHERE}.",
    f"Verdict: PASS, but hold the release until line 6 of app/users.py is mended: {WHERE}.",
    '{"verdict":{"layout":"PASS","safety":"FAIL"},"key_insight":"a hole","findings":[]}',
    "Preliminary verdict: PASS (I have not read users.py yet)",
    "Verdict: PASS once the query is bound",
    "Verdict: PASS unless names come from strangers",
    "LGTM except that anyone can log in as anyone.",
    "Verdict: PASS pending human review of the query",
    "Verdict: PASS for find, FAIL for remove",
    "Verdict: PASS/WARN",
    "PASS: 3/10",
    f"The comment says it is fine. I disagree: {WHERE}.",
    "Then I can give you PASS, WARN or FAIL.",
    "I'm sorry, but I can't help with reviewing this code.",
]
OPEN = [
    ("LGTM! Nothing to add, ship it.", 0),
    ("My verdict is PASS with high confidence: the code does what it says.", 0),
    ("Verdict: PASS with no findings", 0),
    ("Verdict: PASS with flying colours", 0),
    ("Verdict: PASS without reservations.", 0),
    ("Final verdict: **PASS** (HIGH)\n\nI checked whether it fails when empty; it does not.", 0),
    ("Overall verdict: PASS. I have no concerns and would merge this as it is.", 0),
    ("approved (with minor notes)\n\nNotes:\n- minor: json is never used (app/users.py:2)\n", 1),
    ("Verdict: PASS\n\nMinor notes (non-blocking):\n- `app/users.py:2` json is never used", 1),
]


STANDS = '{"code": "abcd1234", "stands": "PASS", "was_everything_read": true, "must_fix": []}'


def asked_again(text: str, form: str, line: str, then: str = "") -> Judgement:
    judge = agent(backend="api", reply=form)
    asked = Call(Seat("judge", "judge", "api", "family"), judge, "Judge it.", nonce="")
    first = Reply("judge", "answered", text=text, nonce="")
    return read_second(
        first, first._replace(text=then or f"VERDICT abcd1234: {line}", nonce="abcd1234"), asked
    )


@pytest.mark.parametrize(("form", "line"), [("council", "PASS"), ("verdict", "approved")])
@pytest.mark.parametrize("text", HELD)
def test_a_second_asking_does_not_wash_away_what_the_first_reply_says(text, form, line) -> None:
    judgement = asked_again(text, form, line)
    assert judgement.outcome in ("unreadable", "absent", "flagged")
    assert judgement.outcome == "flagged" or judgement.reason


@pytest.mark.parametrize(("text", "notes"), OPEN)
def test_an_honest_approval_in_other_words_counts_with_its_notes(text, notes) -> None:
    judgement = asked_again(text, "council", "PASS", STANDS if to_confirm(text) else "")
    assert (judgement.outcome, judgement.reason) == ("approved", "")
    assert len(judgement.findings) == notes


@pytest.mark.parametrize(
    "said",
    [
        "- **app/users.py:6** (critical): the name goes into the query",
        "- critical: the name goes into the query (app/users.py:6)",
        "### 1. The query (critical)\n\n**Where:** `app/users.py:6`\n\nthe name goes into the query",
        "🔴 app/users.py:6 the name goes into the query",
    ],
)
def test_a_severity_that_stands_in_the_words_is_kept(said) -> None:
    judgement = asked_again(f"## FAIL\n\n{said}\n", "council", "FAIL")
    assert [(f.severity, f.path, f.line) for f in judgement.findings] == [
        ("critical", "app/users.py", 6)
    ]


def test_a_finding_that_is_one_text_keeps_its_severity_and_its_place() -> None:
    said = "critical: the name goes into the query (app/users.py:6)"
    text = json.dumps({"verdict": "FAIL", "confidence": "HIGH", "findings": [said]})
    found = asked_again(text, "council", "FAIL").findings
    assert [(f.severity, f.path, f.line) for f in found] == [("critical", "app/users.py", 6)]
