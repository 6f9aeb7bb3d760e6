"""What engineers hold on one board: who agrees, who contradicts whom, and what is still open.

Positions meet when their scopes are alike. Two contradict each other when their words cannot both be
obeyed (``conflicts``), or when one adopts what another rejects in like words (``grouping``). Where
stances are opposite but nobody can tell whether they are about one thing, the meeting is *possible*:
shown to people, never counted as a contradiction. How positions move from round to round is told by
``movement``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from guildmoot.consensus.conflicts import find_conflicts
from guildmoot.consensus.conflicts.opposition import opposed
from guildmoot.consensus.conflicts.remedies import claims
from guildmoot.consensus.grouping import group_findings
from guildmoot.types import Finding

SAME_SCOPE = 0.3
"""Least likeness of two scopes that are one: "storage" and "the storage engine", not "cache size" and
"cache invalidation"."""
SAME_TEXT = 0.4
"""Least likeness at which an adopted and a rejected text are about one thing, or two texts are one."""

_NEGATIVE = re.compile(
    r"(?:please\s+)?(?P<lead>do\s+not\s+use|do\s+not|don't\s+use|don't|no|not|never|without)\s+"
    r"(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_NOUN = re.compile(r"(?:no|without)\s", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|a|an|our)\s+", re.IGNORECASE)


class Position(NamedTuple):
    """One engineer's stand on one scope, in one round."""

    engineer: str
    round: int
    scope: str
    stance: Literal["adopt", "reject", "option", "open"]
    text: str
    cited: tuple[str, ...] = ()

    @property
    def takes_side(self) -> bool:
        """Whether it is for or against something."""
        return self.stance in ("adopt", "reject")


class Contradiction(NamedTuple):
    """Positions on one scope that cannot all be followed."""

    scope: str
    engineers: tuple[str, ...]
    positions: tuple[Position, ...]
    why: str = ""
    """What pulls apart, in one line."""


class Stand(NamedTuple):
    """What one or several engineers say alike."""

    scope: str
    stance: Literal["adopt", "reject", "option", "open"]
    text: str
    engineers: tuple[str, ...]
    positions: tuple[Position, ...]


class Meeting(NamedTuple):
    """Where positions pull apart: surely, and perhaps."""

    contradictions: tuple[Contradiction, ...] = ()
    possible: tuple[Contradiction, ...] = ()


def align(positions: Iterable[Position]) -> tuple[Position, ...]:
    """The positions with one spelling for each scope: the one that was written first."""
    given = tuple(positions)
    spelled = list(dict.fromkeys(position.scope for position in given))
    first: dict[str, str] = {}
    for scope in spelled:
        first.setdefault(_plain(scope), scope)
    notes = [Finding(seat=plain, code="", title=plain) for plain in first]
    canonical: dict[str, str] = {}
    for issue in group_findings(notes, threshold=SAME_SCOPE):
        names = [member.title for member in issue.members]
        earliest = min((first[name] for name in names), key=spelled.index)
        canonical.update(dict.fromkeys(names, earliest))
    return tuple(position._replace(scope=canonical[_plain(position.scope)]) for position in given)


def find_contradictions(positions: Sequence[Position]) -> Meeting:
    """Where aligned positions of different engineers pull apart, one entry a scope."""
    sides = [position for position in positions if position.takes_side]
    sure, unsure = _by_words(sides)
    sure += _by_stance(sides)
    certain = {frozenset(pair) for pair, _ in sure}
    unsure += [(pair, "opposite stances") for pair in _opposite(sides)]
    perhaps = [(pair, why) for pair, why in unsure if frozenset(pair) not in certain]
    contradictions = _by_scope(sure, positions)
    told = {each.scope for each in contradictions}
    possible = tuple(each for each in _by_scope(perhaps, positions) if each.scope not in told)
    return Meeting(contradictions, possible)


def find_stands(positions: Sequence[Position]) -> tuple[Stand, ...]:
    """Aligned positions that say alike, in the order in which they were first said."""
    stands = []
    for members in alike(positions, lambda each: (each.scope, _side(each), each.stance == "open")):
        spoken = max(members, key=lambda each: (len(each.cited), -positions.index(each)))
        engineers = tuple(dict.fromkeys(each.engineer for each in members))
        stands.append(Stand(spoken.scope, spoken.stance, spoken.text, engineers, tuple(members)))
    return tuple(stands)


def alike(
    positions: Sequence[Position], apart: Callable[[Position], object]
) -> list[list[Position]]:
    """Positions that say the same; two that ``apart`` tells apart, or that are opposed, never do."""
    kinds: defaultdict[object, list[int]] = defaultdict(list)
    for number, position in enumerate(positions):
        kinds[apart(position)].append(number)
    found: list[list[int]] = []
    for numbers in kinds.values():
        notes = {_note(positions[n], n): n for n in numbers}
        issues = group_findings(notes, threshold=SAME_TEXT)
        for issue in issues:
            found += _unopposed(positions, sorted(notes[member] for member in issue.members))
    return [[positions[n] for n in group] for group in sorted(found)]


def _unopposed(positions: Sequence[Position], numbers: Iterable[int]) -> list[list[int]]:
    """The group cut where words are alike and say the opposite: "set it to 5", "set it to 3"."""
    groups: list[list[int]] = []
    for number in numbers:
        fits = (
            group
            for group in groups
            if not any(_opposed(positions[number], positions[other]) for other in group)
        )
        home = next(fits, None)
        if home is None:
            groups.append([number])
        else:
            home.append(number)
    return groups


def _opposed(a: Position, b: Position) -> bool:
    """Whether what the two ask for surely cannot both be done."""
    return any(
        found.certain
        for first in _remedies(a)
        for second in _remedies(b)
        if (found := opposed(first, second))
    )


# --- pulling apart --------------------------------------------------------------------------------

_Pair = tuple[tuple[Position, Position], str]


def _by_words(positions: Sequence[Position]) -> tuple[list[_Pair], list[_Pair]]:
    """Pairs whose words cannot both be obeyed, and pairs that only seem so."""
    origin: dict[Finding, Position] = {}
    for number, position in enumerate(positions):
        for remedy in _remedies(position):
            origin[_note(position, number, remedy)] = position
    report = find_conflicts(list(origin))
    sure: list[_Pair] = []
    for conflict, why in zip(report.conflicts, report.reasons, strict=True):
        members = list(dict.fromkeys(origin[finding] for finding in conflict.findings))
        sure += [
            (pair, why) for pair in combinations(members, 2) if pair[0].engineer != pair[1].engineer
        ]
    unsure = [((origin[u.findings[0]], origin[u.findings[1]]), u.reason) for u in report.undecided]
    return sure, unsure


def _by_stance(positions: Sequence[Position]) -> list[_Pair]:
    """Pairs in which one adopts what the other rejects, in like words."""
    found: list[_Pair] = []
    for members in alike(positions, lambda each: each.scope):
        found += [
            (pair, "one adopts what another rejects")
            for pair in combinations(members, 2)
            if pair[0].engineer != pair[1].engineer and pair[0].stance != pair[1].stance
            if _side(pair[0]) != _side(pair[1])
        ]
    return found


def _opposite(positions: Sequence[Position]) -> Iterator[tuple[Position, Position]]:
    """Pairs of opposite stances on one scope, whatever they are about."""
    by_scope: defaultdict[str, list[Position]] = defaultdict(list)
    for position in positions:
        by_scope[position.scope].append(position)
    for members in by_scope.values():
        for a, b in combinations(members, 2):
            if a.engineer != b.engineer and a.stance != b.stance and _side(a) != _side(b):
                yield a, b


def _by_scope(pairs: Iterable[_Pair], positions: Sequence[Position]) -> tuple[Contradiction, ...]:
    """One contradiction a scope, with everybody who takes part in it or says alike."""
    order = {position: number for number, position in reversed(list(enumerate(positions)))}
    company = {
        member: group
        for group in alike(positions, lambda each: (each.scope, _side(each)))
        for member in group
    }
    involved: defaultdict[str, set[Position]] = defaultdict(set)
    reasons: defaultdict[str, set[str]] = defaultdict(set)
    for pair, why in pairs:
        scope = min(pair, key=order.__getitem__).scope
        involved[scope].update(company[pair[0]], company[pair[1]])
        reasons[scope].add(why)
    found = []
    for scope, members in involved.items():
        ordered = tuple(sorted(members, key=order.__getitem__))
        engineers = tuple(dict.fromkeys(each.engineer for each in ordered))
        found.append(Contradiction(scope, engineers, ordered, min(reasons[scope])))
    return tuple(sorted(found, key=lambda each: order[each.positions[0]]))


# --- one position as the judgement core reads it --------------------------------------------------


def _note(position: Position, number: int, remedy: str = "") -> Finding:
    """The position as a finding: its scope is the place, its text what is asked for there.

    The same engineer may say the same again in another round, so the round is part of the seat.
    """
    said = _affirmed(position.text)
    seat = position.engineer if remedy else f"{position.engineer}\n{position.round}"
    return Finding(
        seat=seat, code="", title=said, path=position.scope, fix=remedy, note=str(number)
    )


def _remedies(position: Position) -> Iterator[str]:
    """What the position asks for, as an instruction; with its scope where the text names none."""
    said, noun = _affirmed(position.text), _NOUN.match(position.text.strip())
    asked = said if claims(said) and not noun else f"use {said}"
    if _side(position) < 0:
        asked = f"do not {asked[:1].lower()}{asked[1:]}"
    yield asked
    if not re.search(r"\bfor\b", asked):
        yield f"{asked} for {_plain(position.scope)}"


def _affirmed(text: str) -> str:
    """The text without its "do not"."""
    found = _NEGATIVE.match(text.strip())
    return found["rest"] if found else text


def _side(position: Position) -> int:
    """+1 for, -1 against, 0 for what takes no side; "reject: do not add it" is against, once."""
    if not position.takes_side:
        return 0
    against = position.stance == "reject" or _NEGATIVE.match(position.text.strip())
    return -1 if against else 1


def _plain(scope: str) -> str:
    """A scope without what does not tell it apart."""
    bare = " ".join(scope.replace("`", " ").split()).casefold().rstrip(".:")
    return _ARTICLE.sub("", bare) or bare
