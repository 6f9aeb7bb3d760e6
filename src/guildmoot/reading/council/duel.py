"""Reads the three answers of an expert in a duel: its opening, its ballots, its last word.

A score that cannot be read as a number from 0 to 1000 is missing, never a guess; one for somebody
who is not on the ballot, oneself included, is left out. Nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from guildmoot.reading.council.debate import shortened
from guildmoot.reading.reply_json import JsonFields, as_text, find_answer

MOST_SCORE = 1000
MOST_RECOMMENDATIONS = 7
_MOST_ITEMS = 12
_TEXT = 600
_NUMBER = re.compile(
    r"(\d{1,6}(?:\.\d{1,6})?)(?:\s*(?:/|out of|of)\s*1[, ]?000)?(?:\s*(?:points|pts))?"
)
_WHO = re.compile(r"(?:expert)?[\s_-]*([A-Z])", re.IGNORECASE)
_ITEM = re.compile(r"(?:expert)?[\s_-]*([A-Z])?[\s_.#-]*(\d{1,2})", re.IGNORECASE)
_TEXTS = ("text", "recommendation", "title", "what", "item", "name", "point", "summary")
_WHYS = ("why", "reason", "rationale", "because")

Ids = Mapping[str, str]
"""What is on the ballot: an item as it was shown, e.g. ``A1``, and whose it is, e.g. ``A``."""


class Opening(NamedTuple):
    """An expert's position before it saw the others'."""

    recommendations: tuple[str, ...] = ()
    """Ranked, the best first."""
    kills: tuple[str, ...] = ()
    positioning: str = ""
    risk: str = ""
    problem: str = ""
    """Why there is none."""


class Ballot(NamedTuple):
    """What one expert gives another."""

    of: str
    """The letter that it was shown under."""
    overall: int | None = None
    scores: tuple[tuple[str, int], ...] = ()
    """By item, e.g. ``("A1", 640)``; what was not scored is not there."""
    comment: str = ""


class Ballots(NamedTuple):
    """All that one expert gives."""

    ballots: tuple[Ballot, ...] = ()
    problem: str = ""


class Concession(NamedTuple):
    """A point given up; ``item`` is the recommendation it is about, or empty."""

    item: str
    text: str


class LastWord(NamedTuple):
    """An expert after it saw what the others gave it."""

    concessions: tuple[Concession, ...] = ()
    defence: str = ""
    revision: str = ""
    blind_spots: tuple[str, ...] = ()
    problem: str = ""


def read_opening(text: str) -> Opening:
    """The recommendations, kill list, positioning and top risk in a reply."""
    found = find_answer(text, ("recommendations",))
    if found.problem:
        return Opening(problem=found.problem)
    fields = JsonFields(found.value)
    ranked = _ranked(fields.items("recommendations"))
    if not ranked:
        return Opening(problem="it recommends nothing")
    fields.alias("top_risk", ("risk", "biggest_risk"))
    kills = fields.items("kill_list") or fields.items("kills")
    return Opening(
        recommendations=tuple(ranked[:MOST_RECOMMENDATIONS]),
        kills=_texts(kills),
        positioning=_short(fields.text("positioning")),
        risk=_short(fields.text("top_risk")),
    )


def read_ballots(text: str, ids: Ids) -> Ballots:
    """The scores in a reply for what is on the ballot."""
    found = find_answer(text, ("ballots", "scores"))
    if found.problem:
        return Ballots(problem=found.problem)
    given: dict[str, Ballot] = {}
    for name, item in _ballots(found.value):
        who = _who(name)
        if who in ids.values():
            ballot = _ballot(who, JsonFields(item), ids)
            if given.setdefault(who, ballot) != ballot:  # neither counts
                given[who] = Ballot(who)
    if not given:
        return Ballots(problem="it scores nobody on the ballot")
    return Ballots(tuple(given[who] for who in sorted(given)))


def read_last_word(text: str, items: Collection[str]) -> LastWord:
    """Concessions, defence, revision and blind spots; ``items`` are the names of its own points."""
    names = ("concessions", "defence", "defense", "revision", "blind_spots", "blind_spot")
    found = find_answer(text, names)
    if found.problem:
        return LastWord(problem=found.problem)
    fields = JsonFields(found.value)
    spots = fields.items("blind_spots") or fields.items("blind_spot")
    return LastWord(
        concessions=tuple(
            _conceded(item, items) for item in fields.items("concessions")[:_MOST_ITEMS]
        ),
        defence=_short(as_text(fields.get("defence") or fields.get("defense") or "")),
        revision=_short("; ".join(_texts(fields.items("revision")))),
        blind_spots=_texts(spots),
    )


def read_score(said: object) -> int | None:
    """A whole number from 0 to 1000, also written as ``640``, ``640/1000`` or ``640 points``."""
    if isinstance(said, str):
        match = _NUMBER.fullmatch(said.strip())
        said = float(match[1]) if match else None
    if isinstance(said, bool) or not isinstance(said, int | float):
        return None
    return round(said) if 0 <= said <= MOST_SCORE else None  # which NaN is not


def _ballot(who: str, fields: JsonFields, ids: Ids) -> Ballot:
    scores: dict[str, int] = {}
    for name, said in _scores(fields):
        item, score = _item(name, who), read_score(said)
        if ids.get(item) != who or score is None:
            continue
        if scores.setdefault(item, score) != score:  # neither counts
            scores[item] = -1
    kept = tuple((item, score) for item, score in sorted(scores.items()) if score >= 0)
    overall = read_score(fields.get("overall"))
    return Ballot(who, overall, kept, _short(as_text(fields.get("comment") or "")))


def _ballots(value: Mapping[str, object]) -> list[tuple[str, dict[str, object]]]:
    """Name and content of each ballot, in a list or in a map by name."""
    fields = JsonFields(value)
    said = fields.get("ballots") or fields.get("scores")
    if isinstance(said, dict) and not {"expert", "overall"} & set(said):
        return [(name, item) for name, item in said.items() if isinstance(item, dict)]
    items = said if isinstance(said, list) else [said]
    return [
        (as_text(item.get("expert") or item.get("name") or item.get("of") or ""), item)
        for item in items
        if isinstance(item, dict)
    ]


def _scores(fields: JsonFields) -> list[tuple[str, object]]:
    """Item and score as written, in a list of objects or in a map."""
    said = fields.get("recommendations") or fields.get("scores")
    if isinstance(said, dict):
        return [(name, _inner(item)) for name, item in said.items()]
    pairs = [item for item in said if isinstance(item, dict)] if isinstance(said, list) else []
    return [
        (as_text(pair.get("id") or pair.get("recommendation") or ""), pair.get("score"))
        for pair in pairs
    ]


def _inner(item: object) -> object:
    return item.get("score") if isinstance(item, dict) else item


def _who(name: str) -> str:
    match = _WHO.fullmatch(name.strip().strip("*`'\""))
    return match[1].upper() if match else ""


def _item(name: str, who: str) -> str:
    """``A1`` for ``a-1``, ``Expert A 1``, and for ``1`` on the ballot of A."""
    match = _ITEM.fullmatch(name.strip().strip("*`'\""))
    return f"{(match[1] or who).upper()}{int(match[2])}" if match else ""


def _ranked(items: Iterable[object]) -> list[str]:
    """The texts by their ranks, when each has one of its own; else in the order given."""
    kept = [(item, text) for item in items if (text := _text(item))]
    ranks = [item.get("rank") if isinstance(item, dict) else None for item, _ in kept]
    whole = [rank for rank in ranks if isinstance(rank, int) and not isinstance(rank, bool)]
    if len(whole) < len(kept) or len(set(whole)) < len(kept):
        return [text for _, text in kept]
    return [text for _, text in sorted(zip(whole, (text for _, text in kept), strict=True))]


def _conceded(item: object, items: Collection[str]) -> Concession:
    said = item if isinstance(item, dict) else {"id": item, "text": item}
    named = as_text(said.get("id") or said.get("item") or said.get("recommendation") or "")
    own = _item(named.split(" ")[0].strip(":,."), "") if named.strip() else ""
    return Concession(own if own in items else "", _text(item) or _short(named))


def _texts(items: Iterable[object]) -> tuple[str, ...]:
    return tuple(text for item in items if (text := _text(item)))[:_MOST_ITEMS]


def _text(item: object) -> str:
    """What an item says, with its reason."""
    if not isinstance(item, dict):
        return _short(as_text(item)) if item is not None else ""
    fields = JsonFields(item)
    said = [
        next((as_text(fields.get(n)) for n in names if n in fields), "")
        for names in (_TEXTS, _WHYS)
    ]
    return _short(": ".join(part.strip() for part in said if part.strip()))


def _short(text: str) -> str:
    return shortened(" ".join(text.split()), _TEXT)
