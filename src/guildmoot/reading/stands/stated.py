"""One thing that an engineer takes a stand on, made from words as they were written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

Stance = Literal["adopt", "reject", "option", "open", "withdraw"]

LONGEST = 400
"""Characters kept of one text; the section itself has the rest."""
_STANCES: dict[Stance, str] = {
    "adopt": "adopt for support supports yes accept keep recommend prefer agree do propose choose + pro",
    "reject": "reject against oppose opposes no avoid drop disagree never - con refuse do-not",
    "option": "option consider maybe possible possibly alternative neutral either could",
    "open": "open question unknown undecided unsure unclear open-question ask",
    "withdraw": "withdraw withdraws withdrawn withdrawing withdrew retract retracts retracted give-up gives-up gave-up"
    " given-up giving-up no-longer no-longer-held take-back taken-back rescind rescinded abandon abandoned dropped",
}
_STANCE_OF: dict[str, Stance] = {
    word: stance for stance, words in _STANCES.items() for word in words.split()
}
_MOVE_WORDS = """move moves moved moving switch switches switched switching change changes changed changing shift
    shifted revise revised replace replaced changed-my-mind change-of-mind
    concede concedes conceded"""
_MOVES = frozenset(_MOVE_WORDS.split())
_SIDE = re.compile(
    r"(?:(?:I|we)(?:'ve|\s+have|'m|\s+am)?\s+)?(?:now\s+)?(?P<word>[a-z]+(?:[ -](?:up|back|longer|of mind|my mind))?)"
    r"(?P<mark>\s*[(:;,]|\s+[\u2013\u2014-]+)?\s*(?P<rest>.*)",
    re.IGNORECASE,
)
"""A stance with words behind it: "withdraw (the load test)", "moved to signed cookies"."""
KEYS = {
    **dict.fromkeys(("scope", "about", "topic", "on"), "scope"),
    "question": "question",
    **dict.fromkeys(("stance", "position", "side"), "stance"),
    **dict.fromkeys(("text", "decision", "what", "recommendation"), "text"),
    **dict.fromkeys(("answer", "choice", "to"), "answer"),
    "from": "from",
    **dict.fromkeys(("rejects", "rejected", "instead"), "rejects"),
    **dict.fromkeys(("cited", "cites", "cite", "citations", "evidence", "because"), "cited"),
    **dict.fromkeys(("why", "reason", "reasons", "rationale"), "cited"),
}
"""What engineers call the fields of a decision."""
_STRUCK = re.compile(r"~~([^~]*)~~")
_NO_CITE = frozenset(["", "none", "nothing", "n/a", "na", "-", "null"])


class StatedDecision(NamedTuple):
    """One thing that an engineer takes a stand on."""

    scope: str
    """What is decided about, in the engineer's words: a file, a name or a choice."""
    stance: Stance
    text: str
    """The choice, as an instruction or a noun; for ``open`` the question."""
    cited: tuple[str, ...] = ()
    """What it rests on: places, numbers, what a colleague said."""
    answer: str = ""
    """The choice in a few words, where it is given apart from the text."""
    rejects: tuple[str, ...] = ()
    """Other answers that are ruled out by name."""
    moves: bool = False
    """Whether it takes the place of what the engineer held before."""


def make_decision(
    scope: str,
    stance: str,
    text: str,
    cited: Iterable[str] = (),
    answer: str = "",
    rejects: Iterable[str] = (),
) -> StatedDecision | None:
    """A decision from words as they were written; None when nothing is said."""
    said, about, side = one(text), one(scope), one(stance).rstrip(".")
    known, moves, rest = _read_stance(side)
    if struck := _STRUCK.search(said):  # what is struck out is given up
        left = " ".join(_STRUCK.sub(" ", said).split()).strip(" .")
        known, moves, said = (known, True, left) if left else ("withdraw", False, struck[1])
    if side and known is None:
        said = f"{side}: {said}" if said else side
    short = one(answer)
    said = said or short or rest or about
    if not said:
        return None
    about = about or " ".join(said.split()[:8])
    return StatedDecision(
        about, known or "adopt", said, _named(cited), short, _named(rejects), moves
    )


def _read_stance(side: str) -> tuple[Stance | None, bool, str]:
    """The stance that the words name, whether it is a move, and what is said behind it."""
    whole = side.casefold().replace(" ", "-")
    if whole in _STANCE_OF:
        return _STANCE_OF[whole], False, ""
    found = _SIDE.fullmatch(side)
    word = found["word"].casefold().replace(" ", "-") if found else ""
    if found and word in _MOVES:
        return "adopt", True, re.sub(r"(?i)^to\s+", "", found["rest"].strip("() "))
    known = _STANCE_OF.get(word)
    if found and known and (found["mark"] or known == "withdraw"):
        return known, False, ""
    return None, False, ""


def _named(given: Iterable[str]) -> tuple[str, ...]:
    """What is listed, without words that say that nothing is."""
    return tuple(each for each in map(one, given) if each.casefold() not in _NO_CITE)


def one(text: str) -> str:
    """The text on one line, without the quotes around it, and not too long."""
    flat = " ".join(text.split()).strip()
    if len(flat) > 1 and flat[0] == flat[-1] and flat[0] in "\"'":
        flat = flat[1:-1].strip()
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"
