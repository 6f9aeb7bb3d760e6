"""The stretch of a page that speaks most of the question; pure."""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.memory.recall.words import STOP_WORDS
from guildmoot.text.clean import clean
from guildmoot.text.patterns import lazy

_LENGTH = 200
MOST_LOOKED_AT = 40_000
"""Characters of a page from which a snippet is taken."""
_WORD = lazy(r"\w+")
_HEADING = lazy(r"(?m)^#{1,6} +|^(?:={3,}|-{3,})$")


def beginnings(question: str) -> list[str]:
    """How the words of a question begin, in whatever form they stand in a text."""
    found = dict.fromkeys(
        word if len(word) < 5 else word[: max(4, len(word) - 3)]
        for word in _WORD.findall(question.lower())
        if word not in STOP_WORDS and (len(word) > 1 or not word.isascii())
    )
    return list(found)[:12]


def snippet(body: str, starts: Sequence[str]) -> str:
    """About two hundred characters around where most of the words stand, on one line."""
    low = body[:MOST_LOOKED_AT].lower()
    places = sorted(
        (at, number) for number, start in enumerate(starts) for at in _places(low, start)
    )
    best, most, first = 0, 0, 0
    for last, (at, _) in enumerate(places):
        while at - places[first][0] > _LENGTH - 40:
            first += 1
        held = len({number for _, number in places[first : last + 1]})
        if held > most:
            best, most = places[first][0], held
    begin = max(body.rfind("\n", 0, best) + 1, best - 40)
    if begin and body[begin - 1] not in "\n ":
        begin = body.find(" ", begin, best + 1) + 1 or begin
    end = min(len(body), begin + _LENGTH, MOST_LOOKED_AT)
    text = clean(" ".join(_HEADING.sub("", body[begin:end].lstrip("# ")).split()))
    return text + " ..." if end < len(body) else text


def _places(low: str, start: str, most: int = 8) -> list[int]:
    found: list[int] = []
    at = low.find(start)
    while at >= 0 and len(found) < most:
        if at == 0 or not low[at - 1].isalnum() or not start.isascii():
            found.append(at)
        at = low.find(start, at + len(start))
    return found
