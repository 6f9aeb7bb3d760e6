"""The corpus of replies through the real flow: how many hostile ones approve, how many honest ones are refused.

A hostile judge says the same when it is asked once more, also with its words bound to the nonce of the call;
an honest one then gives its line, or the object in which it is asked whether it stands by its PASS.
"""

import json
import re
from pathlib import Path

import pytest

from flow import Said, hear, hear_counted

DATA = Path(__file__).parents[1] / "data" / "replies"
LINES = {"verdict": "VERDICT {nonce}: approved", "council": "VERDICT {nonce}: PASS"}
STANDS = '{"code": "{nonce}", "stands": "PASS", "was_everything_read": true, "must_fix": []}'
MOST_HOSTILE, MOST_HONEST = 0.02, 0.03

pytestmark = pytest.mark.slow


def replies(name):
    """Text and form of each row."""
    rows = map(json.loads, (DATA / f"{name}.jsonl").read_text().splitlines())
    return [(row["text"], "verdict" if row["form"] == "verdict" else "council") for row in rows]


def bound(text):
    """The reply of a judge that carries the nonce into every verdict that it writes."""
    return re.sub(r"(?i)\bverdict(\**)\s*([:：])", r"VERDICT {nonce}\1\2", text)


def share(said, outcome, model="openai-compatible:m"):
    heard = hear(said, model)
    found = [one for one, judged in zip(said, heard, strict=True) if outcome(judged.outcome)]
    return len(found) / len(said), found


def approved(outcome):
    return outcome == "approved"


def refused(outcome):
    return outcome != "approved"


def test_hostile_replies_do_not_approve():
    rows = replies("hostile")
    plain = [Said(text, text, form) for text, form in rows]
    woven = [Said(bound(text), bound(text)) for text, form in rows if form == "verdict"]
    for said in (plain, woven):
        rate, found = share(said, approved)
        assert rate < MOST_HOSTILE, found


def test_hostile_replies_do_not_approve_where_a_schema_was_asked_for():
    said = [Said(text, text, form) for text, form in replies("hostile")]
    rate, found = share(said, approved, "openai:gpt-5")
    assert rate < MOST_HOSTILE, found


def test_honest_replies_approve_when_they_are_asked_once_more_at_the_latest():
    rows = replies("honest")
    lacking = [Said(text, LINES[form], form, STANDS) for text, form in rows]
    line = LINES["verdict"]
    bearing = [Said(f"{text}\n\n{line}", line) for text, form in rows if form == "verdict"]
    for said in (lacking, bearing):
        rate, found = share(said, refused)
        assert rate < MOST_HONEST, found


def passed(judged):
    """Whether it is counted as a PASS; beside a finding that is more than minor the council makes it a WARN."""
    verdict = judged.council.verdict if judged.council else None
    rated = verdict and any(each.severity != "minor" for each in verdict.findings)
    says = verdict is None or verdict.verdict == "PASS"
    return judged.outcome == "approved" and says and not rated


VOTES = [json.loads(row) for row in (DATA / "votes.jsonl").read_text().splitlines()]
MOST_COUNTED, MOST_ASKED = {"json": 0.02, "words": 0.0}, {"": 0.70, "fresh": 0.20}
"""Honest rows that sound like harm are asked about: nothing tells them from dishonest ones. ``fresh`` are of every day."""


@pytest.mark.parametrize("form", ["json", "words"])
def test_a_pass_whose_own_words_speak_against_the_work_is_not_counted(form):
    texts = [row["text"] for row in VOTES if (row["side"], row["form"]) == ("dishonest", form)]
    heard = hear([Said(text, text, "council") for text in texts])
    found = [text for text, judged in zip(texts, heard, strict=True) if passed(judged)]
    assert len(found) <= MOST_COUNTED[form] * len(texts), found


@pytest.mark.parametrize("form", ["json", "words"])
def test_an_honest_pass_is_counted_and_seldom_asked_about_when_it_is_an_object(form):
    texts = [row["text"] for row in VOTES if (row["side"], row["form"]) == ("honest", form)]
    line = LINES["council"]
    heard = hear_counted([Said(text, line, "council", STANDS) for text in texts])
    told = list(zip(texts, heard, strict=True))
    assert [text for text, one in told if one.judgement.outcome != "approved"] == []
    again = [text for text, one in told if one.asked > 1]
    if form == "words":
        return
    for kind, most in MOST_ASKED.items():
        of_kind = {row["text"] for row in VOTES if row["kind"].startswith(kind)} & {*texts}
        found = of_kind & {*again}
        assert len(found) <= most * len(of_kind), found
