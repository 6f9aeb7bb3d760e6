"""Replies as models write them when they do not keep to the form: what code reads in them without help.

Each is read as a judge's reply would be; one that is milder than a flag is no vote before its seat has said so
in one line, so it is asked once more here as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.model.verdict import Judgement
from guildmoot.reading.ideas import read_ideas
from guildmoot.reading.reply import read_reply, read_second

DATA = Path(__file__).parents[1] / "data" / "reading" / "messy.jsonl"
ROWS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
PLAIN = [row for row in ROWS if row["code"]]
NONCE = "abcd1234"


def call_for(form: str) -> Call:
    reply: Any = "council" if form == "council" else "verdict"
    agent = Agent("judge", "", "", "here", backend="api", reply=reply)
    nonce = "" if form == "council" else NONCE
    return Call(Seat("judge", "judge", "api", "family"), agent, "Judge it.", nonce=nonce)


def judged(row: dict[str, Any]) -> Judgement:
    call = call_for(row["form"])
    first = Reply("judge", "answered", text=row["text"], nonce=call.nonce)
    judgement = read_reply(first, call)
    if row["verdict"] in ("PASS", "WARN") and judgement.outcome == "unreadable":
        line = f"VERDICT {NONCE}: {row['verdict']}"
        judgement = read_second(first, first._replace(text=line, nonce=NONCE), call)
    return judgement


@pytest.mark.parametrize(
    "row", [r for r in PLAIN if r["form"] != "ideas"], ids=lambda row: row["id"]
)
def test_the_verdict_and_every_finding_are_read(row: dict[str, Any]) -> None:
    judgement = judged(row)
    council = judgement.council.verdict if judgement.council else None
    word = council.verdict if council else judgement.outcome
    assert word == ("unreadable" if row["verdict"] == "asked" else row["verdict"])
    said = " ".join(f"{f.title} {f.why} {f.fix}" for f in judgement.findings).casefold()
    assert [words for words in row["findings"] if words.casefold() not in said] == []


@pytest.mark.parametrize(
    "row", [r for r in PLAIN if r["form"] == "ideas"], ids=lambda row: row["id"]
)
def test_ideas_in_ordinary_markdown_are_read(row: dict[str, Any]) -> None:
    reading = read_ideas(row["text"], row["task"])
    titles = [*(each.title for each in reading.options), *(each.title for each in reading.facets)]
    told = " / ".join(titles).casefold()
    assert [title for title in row["titles"] if title.casefold() not in told] == []


@pytest.mark.parametrize("row", [r for r in ROWS if r["form"] == "council"], ids=lambda r: r["id"])
def test_nothing_milder_than_a_flag_is_read_out_of_a_mess(row: dict[str, Any]) -> None:
    call = call_for("council")
    judgement = read_reply(Reply("judge", "answered", text=row["text"], nonce=""), call)
    whole = "schema_version" in row["text"]  # an object with all that was asked for
    assert whole or judgement.outcome in ("flagged", "unreadable", "absent")
