"""What a clerk may do with a reply: add what it says, close what it closes, and never make it milder."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.model.verdict import Judgement
from guildmoot.reading.clerk.transcript import is_unfinished, read_transcript, transcribed
from guildmoot.reading.reply import read_reply, read_second

NONCE = "abcd1234"
PROSE = (
    "My overall view is mixed. The parser accepts an empty name (parse.py:4), and I would call that"
    " critical. Nothing else stood out to me in the change."
)


def call_for(form: str) -> Call:
    agent = Agent("judge", "", "", "here", backend="api", reply=form)  # type: ignore[arg-type]
    nonce = "" if form == "council" else NONCE
    return Call(Seat("judge", "judge", "api", "family"), agent, "Judge it.", nonce=nonce)


def read(text: str, form: str = "council", line: str = "") -> Judgement:
    call = call_for(form)
    first = Reply("judge", "answered", text=text, nonce=call.nonce)
    if not line:
        return read_reply(first, call)
    again = first._replace(text=f"VERDICT {NONCE}: {line}", nonce=NONCE)
    return read_second(first, again, call)


def clerk(verdict: str, quote: str, *findings: tuple[str, str]) -> str:
    rows = [
        {"severity": severity, "quote": words, "location": "parse.py:4", "recommendation": ""}
        for severity, words in findings
    ]
    return json.dumps({"verdict": verdict, "verdict_quote": quote, "findings": rows})


def after(text: str, said: str, form: str = "council", line: str = "") -> Judgement:
    return transcribed(read(text, form, line), read_transcript(said, text), text)


def test_findings_of_a_warning_in_prose_come_from_its_own_words() -> None:
    told = clerk("WARN", "My overall view is mixed", ("minor", "The parser accepts an empty name"))
    plain = read(PROSE, line="WARN")
    assert plain.findings == ()
    assert is_unfinished(plain, PROSE)
    [found] = after(PROSE, told, line="WARN").findings
    assert found.title == "The parser accepts an empty name"
    assert (found.path, found.line) == ("parse.py", 4)
    assert found.severity == "critical", "the judge's own word for it is not made milder"


def test_what_the_judge_did_not_say_is_no_finding() -> None:
    told = clerk("WARN", "mixed", ("critical", "The server leaks the admin password"))
    assert after(PROSE, told, line="WARN") == read(PROSE, line="WARN")


@pytest.mark.parametrize("form", ["council", "verdict"])
def test_a_clerk_closes_but_does_not_approve(form: str) -> None:
    reply = "I would fail this. The handler trusts the header of the caller, so anybody is anybody."
    failing = clerk("FAIL", "I would fail this", ("critical", "The handler trusts the header"))
    closed = after(reply, failing, form)
    assert closed.outcome == "flagged"
    assert [f.title for f in closed.findings if f.blocking] == ["The handler trusts the header"]
    praise = "All in all this is lovely work and I am happy with every single line of it."
    passing = clerk("PASS", "I am happy with every single line")
    assert after(praise, passing, form) == read(praise, form)
    assert after(praise, clerk("WARN", "lovely work"), form).outcome == "unreadable"


def test_a_flag_without_readable_reasons_gets_them() -> None:
    reply = "VERDICT: flagged\n\nThe job is started twice when the lock is lost, which is bad for billing."
    said = clerk("FAIL", "flagged", ("significant", "The job is started twice"))
    judgement = after(reply, said, "verdict")
    assert judgement.outcome == "flagged"
    assert any("started twice" in f.title for f in judgement.findings)


WORDS = st.sampled_from(
    ["fine", "bad", "FAIL", "PASS", "critical", "flagged", "the lock", "\n- ", ". "]
)


@given(st.lists(WORDS, min_size=6, max_size=30), st.sampled_from(["PASS", "WARN", "FAIL", "NONE"]))
def test_no_transcript_makes_a_reply_milder(words: list[str], verdict: str) -> None:
    text = " ".join(words)
    said = clerk(verdict, words[0], ("minor", " ".join(words[:3])), ("minor", "made up by a clerk"))
    for form in ("council", "verdict"):
        before = read(text, form)
        judgement = transcribed(before, read_transcript(said, text), text)
        assert len(judgement.findings) >= len([f for f in before.findings if "-" not in f.code])
        if before.outcome == "flagged":
            assert judgement.outcome == "flagged"
        if judgement.outcome == "approved":
            assert before.outcome == "approved" or form == "council"
            council = judgement.council.verdict if judgement.council else None
            assert council is None or before.outcome == "approved" or council.verdict == "WARN"
        assert not any("made up" in f.title for f in judgement.findings)
