"""One thing that an engineer takes a stand on, made from words as they were written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Stance = Literal["adopt", "reject", "option", "open"]

LONGEST = 400
"""Characters kept of one text; the section itself has the rest."""
_STANCES: dict[Stance, str] = {
    "adopt": "adopt for support supports yes accept keep recommend prefer agree do propose choose + pro",
    "reject": "reject against oppose opposes no avoid drop disagree never - con refuse do-not withdraw withdrawn",
    "option": "option consider maybe possible possibly alternative neutral either could",
    "open": "open question unknown undecided unsure unclear open-question ask",
}
_STANCE_OF: dict[str, Stance] = {
    word: stance for stance, words in _STANCES.items() for word in words.split()
}
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
    known = _STANCE_OF.get(side.casefold().replace(" ", "-"))
    if side and known is None:
        said = f"{side}: {said}" if said else side
    short = one(answer)
    said = said or short or about
    if not said:
        return None
    about = about or " ".join(said.split()[:8])
    return StatedDecision(about, known or "adopt", said, _named(cited), short, _named(rejects))


def _named(given: Iterable[str]) -> tuple[str, ...]:
    """What is listed, without words that say that nothing is."""
    return tuple(each for each in map(one, given) if each.casefold() not in _NO_CITE)


def one(text: str) -> str:
    """The text on one line, without the quotes around it, and not too long."""
    flat = " ".join(text.split()).strip()
    if len(flat) > 1 and flat[0] == flat[-1] and flat[0] in "\"'":
        flat = flat[1:-1].strip()
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"
