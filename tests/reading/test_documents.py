"""Whatever a judge writes in documents of its own counts: no finding is lost beside a verdict, and none is passed over."""

from __future__ import annotations

import json

import pytest

from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.model.verdict import Judgement
from guildmoot.practices.calls import ask_once_more
from guildmoot.reading.clerk.transcript import is_unfinished
from guildmoot.reading.council.review import is_review
from guildmoot.reading.reply import read_reply, read_second

NONCE = "abcd1234"
CALL = Call(
    Seat("judge", "judge", "api", "family"),
    Agent("judge", "", "", "here", backend="api", reply="council"),
    "Judge it.",
    nonce="",
)
FLAW = {
    "severity": "critical",
    "category": "correctness",
    "description": "The basket is charged twice when the page is reloaded",
    "location": "shop/pay.py:31",
    "recommendation": "keep the key of the order",
}


def verdict(word: str, *findings: object, **parts: object) -> str:
    whole = {
        "verdict": word,
        "confidence": "HIGH",
        "key_insight": "The payment path is short and correct.",
        "findings": list(findings),
        "recommendation": "Merge it.",
        "schema_version": 4,
    }
    return json.dumps(whole | parts)


def read(text: str, line: str = "", again: str = "") -> Judgement:
    first = Reply("judge", "answered", text=text, nonce="")
    judged = read_reply(first, CALL)
    if not line and not again:
        return judged
    said = again or f"VERDICT {NONCE}: {line}"
    return read_second(first, first._replace(text=said, nonce=NONCE), CALL)


def fenced(text: str) -> str:
    return f"```json\n{text}\n```"


ONE, PASS = json.dumps(FLAW), verdict("PASS")
BESIDE = {
    "a fence each": f"{fenced(ONE)}\n\n{fenced(PASS)}",
    "a line before": f"{ONE}\n{PASS}",
    "a line after": f"{PASS}\n{ONE}",
    "a list under a heading": f"## Findings\n\n{fenced(f'[{ONE}]')}\n\n## Verdict\n\n{fenced(PASS)}",
    "an object of findings": f'{{"findings": [{ONE}]}}\n{PASS}',
    "under another name": f'{{"report": {{"issues": [{ONE}]}}}}\n{PASS}',
    "one list of both": f"[{ONE}, {PASS}]",
    "a short verdict": f'{ONE}\n{{"type": "verdict", "verdict": "PASS", "confidence": "HIGH"}}',
    "beside a line of prose": f"{fenced(ONE)}\n\nVerdict: PASS",
}


@pytest.mark.parametrize("severity", ["critical", "significant"])
@pytest.mark.parametrize("form", BESIDE)
def test_a_pass_beside_a_grave_finding_in_its_own_document_is_no_vote(
    form: str, severity: str
) -> None:
    text = BESIDE[form].replace('"critical"', f'"{severity}"')
    assert read(text).outcome == "unreadable"
    assert read(text, line="PASS").outcome in ("unreadable", "absent")


def test_a_minor_finding_in_its_own_document_stands_beside_the_pass() -> None:
    judged = read(BESIDE["a fence each"].replace('"critical"', '"minor"'), line="PASS")
    assert judged.outcome == "approved"
    assert [f.path for f in judged.findings] == ["shop/pay.py"]


def test_what_a_reply_only_shows_is_no_finding_of_its_own() -> None:
    shown = f"The log in the file says:\n\n{fenced(ONE)}\n\nThat is handled.\n\n{fenced(PASS)}"
    stands = {"code": NONCE, "stands": "PASS", "was_everything_read": True, "must_fix": []}
    assert read(shown, again=json.dumps(stands)).outcome == "approved"


DETAILS = (
    "Details:\n\n1. The basket is charged twice (shop/pay.py:31)\n2. No test (shop/pay.py:40)\n"
)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (f"[{ONE}]", "FAIL"),
        (f'{ONE}\n{{"verdict": "WARN", "confidence": "HIGH"}}', "WARN"),
        (f"{verdict('WARN')}\n\n{DETAILS}", "WARN"),
        (f"{verdict('FAIL')}\n\n{DETAILS}", "FAIL"),
        (f"{fenced(verdict('WARN'))}\nI revise this:\n{fenced(verdict('FAIL', FLAW))}", "FAIL"),
    ],
    ids=["list", "lines", "details of a WARN", "details of a FAIL", "revised"],
)
def test_findings_beside_or_without_a_verdict_are_read(text: str, word: str) -> None:
    judged = read(text, line=word)
    assert judged.outcome == ("flagged" if word == "FAIL" else "approved")
    assert ("shop/pay.py", 31) in [(f.path, f.line) for f in judged.findings]


def test_a_whole_object_in_place_of_the_line_is_read_with_what_was_found_before() -> None:
    judged = read(verdict("PASS", FLAW), again=verdict("WARN"))
    assert judged.council
    assert judged.council.verdict
    assert judged.council.verdict.verdict == "WARN"
    assert [f.path for f in judged.findings if f.blocking] == ["shop/pay.py"]


@pytest.mark.parametrize("word", ["WARN", "FAIL"])
def test_a_verdict_without_a_finding_goes_to_the_clerk_whatever_its_form(word: str) -> None:
    page = f"<h2>Verdict: {word}</h2><ul><li>the basket is charged twice in shop pay</li></ul>"
    beside = verdict(word, details="the basket is charged twice in shop pay")
    for text in (beside, f"{verdict(word)}\n\nThe basket is charged twice in shop pay.", page):
        judged = read(text, line=word)
        assert judged.outcome != "unreadable"
        assert is_unfinished(judged, text)
    for text in (verdict(word, FLAW), verdict(word)):  # nothing beside what was read
        assert not is_unfinished(read(text, line=word), text)


MINOR = FLAW | {"severity": "minor", "category": "style", "description": "The constant is unused"}


@pytest.mark.parametrize(
    "text",
    [
        verdict("PASS", key_insight="Verdict: FAIL"),
        verdict("PASS", recommendation="Request changes"),
        verdict("PASS", MINOR | {"description": "Blocking: the key is logged"}),
        verdict("PASS", MINOR | {"why": "CRITICAL: whoever reads the log can pay"}),
        verdict("PASS", MINOR | {"category": "critical security vulnerability"}),
        verdict("PASS", key_insight="", recommendation=""),
    ],
    ids=["insight", "recommendation", "mark", "why", "category", "empty"],
)
def test_a_pass_that_another_field_takes_back_is_no_vote(text: str) -> None:
    assert read(text).outcome == "unreadable"
    assert read(text, line="PASS").outcome in ("unreadable", "absent")


@pytest.mark.parametrize(
    "text",
    [
        verdict("PASS", MINOR),
        verdict("PASS", MINOR | {"category": "error handling"}),
        verdict("PASS", key_insight="The critical path is short and correct."),
        verdict("PASS", key_insight="No blocking issues found.", recommendation="None."),
        verdict("PASS", key_insight="LGTM", recommendation=""),
    ],
)
def test_an_honest_pass_stays_one(text: str) -> None:
    assert read(text).outcome == "approved"


NO_REVIEWS = [
    "",
    "ok",
    "I'll start by reading the files. Let me look at shop first.",
    "Could you share the tests so that I can review this properly?",
    "What a beautiful piece of code!",
    f"Answer with the council verdict, for example:\n{PASS}",
    '{"verdict": "PASS", "confidence": "HIGH"}',
]


@pytest.mark.parametrize("text", NO_REVIEWS)
def test_who_did_not_judge_is_asked_the_whole_question_and_a_bare_pass_is_no_vote(
    text: str,
) -> None:
    reply = Reply("judge", "answered", text=text, nonce="")
    asked = ask_once_more(CALL, reply, "it is no review")
    assert asked.nonce == ""
    assert asked.prompt.startswith(CALL.prompt)
    assert read(text, line="PASS").outcome in ("absent", "unreadable")
    later = read_second(reply, reply._replace(text=verdict("PASS")), CALL)
    assert later.outcome == "approved", "a review that comes then is one"
    assert read_second(reply, reply._replace(text=verdict("FAIL", FLAW)), CALL).outcome == "flagged"


@pytest.mark.parametrize(
    "text",
    [
        "PASS",
        "Key insight: the order is kept by its key.",
        "shop/pay.py:31 charges twice.",
        ONE,
        PASS,
    ],
)
def test_a_review_in_another_form_is_asked_for_its_line_alone(text: str) -> None:
    assert is_review(text)
    reply = Reply("judge", "answered", text=text, nonce="")
    asked = ask_once_more(CALL, reply, "it is no object")
    assert asked.nonce
    assert f"VERDICT {asked.nonce}: PASS" in asked.prompt


def test_a_panels_bare_approval_after_no_review_is_no_vote() -> None:
    call = CALL._replace(agent=CALL.agent._replace(reply="verdict"), nonce=NONCE)
    reply = Reply("judge", "answered", text="What a beautiful piece of code!", nonce=NONCE)
    bare = reply._replace(text=f"VERDICT {NONCE}: approved")
    assert read_second(reply, bare, call).outcome == "absent"
    told = reply._replace(text=f"I read pay and its tests.\n\nVERDICT {NONCE}: approved")
    assert read_second(reply, told, call).outcome == "approved"
