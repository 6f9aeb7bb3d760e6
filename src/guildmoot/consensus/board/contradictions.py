"""What engineers hold on one board: who agrees, who contradicts whom, and what is still open.

There are two levels. *Firm* is what code is certain of (``firm``): two values of one key; or what a clerk ruled.
*Possible* is what two engineers say of one thing, and of which nobody has told whether both can be followed; it is
shown pair by pair, the likeliest first, and keeps a board from being settled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Literal, NamedTuple

from guildmoot.consensus.board import answers
from guildmoot.consensus.board.clashes import (
    PulledPair,
    clashes_across,
    conflicts,
    pull_apart,
    rivals,
    subject,
)
from guildmoot.consensus.board.firm import firm
from guildmoot.consensus.board.meetings import meetings
from guildmoot.consensus.board.positions import (
    BoardPosition,
    affirmed,
    choice,
    one_wording,
    scope_stems,
    side,
    side_text,
)
from guildmoot.text.note import Note
from guildmoot.text.opposed.denial import denies
from guildmoot.text.opposed.lexicon import stems
from guildmoot.text.similar import group

_RULED = "a clerk showed from their words that both cannot be followed"
_LEFT_OPEN = "a clerk was to say whether both can be followed, and did not"
_RARE = "they share rare words"
_ANSWERS, _CLASH, _UNLIKE, _UNTOLD = 0.85, 0.8, 0.6, 0.1
"""The share that contradicts: of other answers, of words that oppose, of other choices, of what a clerk left open."""
_SHARED = ((2.5, 0.85), (2.0, 0.65), (1.5, 0.4), (1.0, 0.3), (0.0, 0.2))
"""The same of what shares rare words of at least that weight."""
_LIKELY = 0.6
"""From which on a pair is called likely; more than every second one of those contradicts on labelled boards."""
_USE = stems(frozenset({"use"}))
SAME_TEXT = 0.4
"""Least likeness at which an adopted and a rejected text are about one thing, or two texts are one."""


class Contradiction(NamedTuple):
    """Positions on one scope that cannot all be followed."""

    scope: str
    engineers: tuple[str, ...]
    positions: tuple[BoardPosition, ...]
    why: str = ""
    """What pulls apart, in one line."""
    likelihood: float = 1.0
    """The share of pairs like it that contradict on labelled boards, which orders them; another board may have none.

    1 for what is firm.
    """

    @property
    def level(self) -> Literal["firm", "possible"]:
        """Whether code is certain, or nobody has decided."""
        return "firm" if self.likelihood == 1 else "possible"

    @property
    def degree(self) -> Literal["firm", "likely", "possible"]:
        """How likely, in a word: no figure holds on every board."""
        return "likely" if _LIKELY <= self.likelihood < 1 else self.level


class SharedPosition(NamedTuple):
    """What one or several engineers say alike."""

    scope: str
    stance: Literal["adopt", "reject", "option", "open", "withdraw"]
    text: str
    engineers: tuple[str, ...]
    positions: tuple[BoardPosition, ...]

    @property
    def said(self) -> str:
        """The choice in words that tell whether it is against something."""
        return side_text(self.positions[0]._replace(text=self.text, stance=self.stance))


Rulings = Mapping[frozenset[tuple[str, str]], bool | None]
"""Whether two positions contradict, each by its engineer and words; None where a clerk was to say so and could not."""
NO_RULINGS: Rulings = MappingProxyType({})


class FoundContradictions(NamedTuple):
    """Where positions pull apart: surely, and perhaps."""

    contradictions: tuple[Contradiction, ...] = ()
    """The firm ones, one a scope."""
    possible: tuple[Contradiction, ...] = ()
    """Pairs that may contradict, the likeliest first."""

    @property
    def undecided(self) -> tuple[tuple[BoardPosition, BoardPosition], ...]:
        """The possible pairs in which more than shared words speaks for it."""
        pairs = (each.positions for each in self.possible if each.why != _RARE)
        return tuple((a, b) for a, b in pairs)


def find_contradictions(
    positions: Sequence[BoardPosition],
    rulings: Rulings = NO_RULINGS,
) -> FoundContradictions:
    """Where aligned positions of different engineers pull apart.

    ``rulings`` decide what the words alone leave open; what the words show, no ruling takes away.
    """
    sides = [position for position in positions if position.takes_side]
    pairs = list(rivals(sides))
    contradictions = find_firm(positions, rulings)
    told = {frozenset(pair) for each in contradictions for pair in combinations(each.positions, 2)}
    found: dict[frozenset[BoardPosition], Contradiction] = {}
    for (a, b), why, likelihood in _perhaps(sides, pairs, rulings):
        pair = frozenset((a, b))
        if pair in told or rulings.get(pair_key(a, b)) is not None or agree(a, b):
            continue
        new = Contradiction(a.scope, (a.engineer, b.engineer), (a, b), why, likelihood)
        first = found.setdefault(pair, new)  # the first reason says most
        found[pair] = first._replace(likelihood=max(first.likelihood, likelihood))
    possible = sorted(found.values(), key=lambda each: -each.likelihood)
    return FoundContradictions(contradictions, tuple(possible))


def find_firm(
    positions: Sequence[BoardPosition], rulings: Rulings = NO_RULINGS
) -> tuple[Contradiction, ...]:
    """What surely pulls apart, one a scope; a small part of the work that it is to look for the rest."""
    pairs = list(rivals([position for position in positions if position.takes_side]))
    sure = [(pair, why) for pair in pairs if (why := firm(*pair))]
    if rulings:
        sure += [(pair, _RULED) for pair in pairs if rulings.get(pair_key(*pair))]
    return _by_scope(sure, positions) if sure else ()


def _perhaps(
    sides: Sequence[BoardPosition],
    pairs: Sequence[tuple[BoardPosition, BoardPosition]],
    rulings: Rulings,
) -> Iterator[tuple[tuple[BoardPosition, BoardPosition], str, float]]:
    """Every pair that may contradict, why, and how likely that is."""
    clashing, unsure = conflicts(sides)
    for members, why in clashing:
        yield from ((pair, why, _CLASH) for pair in rivals(members))
    yield from ((pair, why, _CLASH) for pair, why in (*unsure, *clashes_across(sides)))
    for pair in pairs:
        if answers.differing_answers(*pair):
            yield pair, answers.WHY, _ANSWERS
        if rulings.get(pair_key(*pair), True) is None:
            yield pair, _LEFT_OPEN, _UNTOLD
    yield from ((pair, why, _UNLIKE) for pair, why in _unlike(sides))
    for a, b, weight in meetings(sides):
        likelihood = next(share for least, share in _SHARED if weight >= least)
        yield (a, b), _RARE, likelihood


def agree(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether both say the same: in their answers, or one in some of the other's words."""
    if a.scope == b.scope and a.answer and b.answer and a.stance == b.stance:
        return answers.same_answer(a, b)
    one, other = (scope_stems(one_wording(each.text)) - _USE for each in (a, b))
    return side(a) == side(b) and (one <= other or other <= one)


def pair_key(a: BoardPosition, b: BoardPosition) -> frozenset[tuple[str, str]]:
    """The same for two positions whichever comes first, and in every round in which they are held."""
    return frozenset([(a.engineer, side_text(a)), (b.engineer, side_text(b))])


def propose_pairs(
    positions: Sequence[BoardPosition], rulings: Rulings = NO_RULINGS
) -> list[tuple[BoardPosition, BoardPosition]]:
    """Pairs for a clerk: what the words leave open first, then by how much of a subject they share.

    What shares no word comes last: people name one thing in many ways ("money", "prices", "amounts").
    """
    found = find_contradictions(positions, rulings)
    told = {
        frozenset(pair) for each in found.contradictions for pair in combinations(each.positions, 2)
    }
    open_ = {frozenset(pair) for pair in found.undecided}
    sides = [position for position in positions if position.takes_side]
    told |= {
        frozenset(pair)
        for group in alike(sides, lambda each: (each.scope, side(each)))
        for pair in combinations(group, 2)
    }
    ranked = []
    for number, (a, b) in enumerate(rivals(sides)):
        pair = frozenset((a, b))
        if pair not in told and rulings.get(pair_key(a, b)) is None:
            shared = len(subject(a) & subject(b))
            ranked.append((pair not in open_, -shared, number, a, b))
    return [(a, b) for *_, a, b in sorted(ranked, key=lambda entry: entry[:3])]


def find_stands(positions: Sequence[BoardPosition]) -> tuple[SharedPosition, ...]:
    """Aligned positions that say alike, in the order in which they were first said."""
    stands = []
    for members in alike(positions, lambda each: (each.scope, side(each), each.stance == "open")):
        clearest = max(members, key=lambda each: (len(each.cited), -positions.index(each)))
        engineers = tuple(dict.fromkeys(each.engineer for each in members))
        stands.append(
            SharedPosition(
                clearest.scope, clearest.stance, clearest.text, engineers, tuple(members)
            )
        )
    return tuple(stands)


def alike(
    positions: Sequence[BoardPosition], apart: Callable[[BoardPosition], object]
) -> list[list[BoardPosition]]:
    """Positions that say the same; two that ``apart`` tells apart, or that are opposed, never do."""
    kinds: defaultdict[object, list[int]] = defaultdict(list)
    for number, position in enumerate(positions):
        kinds[apart(position)].append(number)
    found: list[list[int]] = []
    for numbers in kinds.values():
        for same in group([_note(positions[n]) for n in numbers], threshold=SAME_TEXT):
            found += _unopposed(positions, sorted(numbers[member] for member in same.members))
    return [[positions[n] for n in group] for group in sorted(found)]


def _note(position: BoardPosition) -> Note:
    """An engineer may say the same again in another round, so each round is a source of its own."""
    source = f"{position.engineer}\n{position.round}"
    return Note(path=position.scope, title=one_wording(affirmed(position.text)), source=source)


def _unopposed(positions: Sequence[BoardPosition], numbers: Iterable[int]) -> list[list[int]]:
    """The group cut where words are alike and say the opposite: "set it to 5", "set it to 3"."""
    groups: list[list[int]] = []
    for number in numbers:
        for agreed in groups:
            if not any(_opposite(positions[number], positions[other]) for other in agreed):
                agreed.append(number)
                break
        else:
            groups.append([number])
    return groups


def _opposite(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether two that may be alike in their words say the opposite, in these or in their answers."""
    denied = a.stance == b.stance != "reject" and denies(a.text, b.text)
    return denied or pull_apart(a, b) or bool(a.engineer != b.engineer and firm(a, b))


def _unlike(positions: Sequence[BoardPosition]) -> Iterator[PulledPair]:
    """Pairs on one scope that take opposite stances, or choose without a word in common."""
    by_scope: defaultdict[str, list[BoardPosition]] = defaultdict(list)
    for position in positions:
        by_scope[position.scope].append(position)
    for members in by_scope.values():
        chosen = {each: choice(each) if each.names_scope else frozenset() for each in members}
        for a, b in rivals(members):
            if a.stance != b.stance and side(a) != side(b):
                yield (a, b), "opposite stances"
            elif (
                side(a) == side(b) == 1
                and chosen[a]
                and chosen[b]
                and chosen[a].isdisjoint(chosen[b])
            ):
                yield (a, b), "different choices"


def _by_scope(
    pairs: Iterable[PulledPair], positions: Sequence[BoardPosition]
) -> tuple[Contradiction, ...]:
    """One contradiction a scope, with everybody who takes part in it or says alike."""
    order = {position: number for number, position in reversed(list(enumerate(positions)))}
    same_view = {
        member: group
        for group in alike(positions, lambda each: (each.scope, side(each)))
        for member in group
    }
    involved: defaultdict[str, set[BoardPosition]] = defaultdict(set)
    reasons: defaultdict[str, set[str]] = defaultdict(set)
    for (a, b), why in pairs:
        scope = min(a, b, key=lambda each: (each.round, not each.names_scope, each.scope)).scope
        involved[scope].update(same_view[a], same_view[b])
        reasons[scope].add(why)
    found = []
    for scope, members in involved.items():
        ordered = tuple(sorted(members, key=order.__getitem__))
        engineers = tuple(dict.fromkeys(each.engineer for each in ordered))
        found.append(Contradiction(scope, engineers, ordered, min(reasons[scope])))
    return tuple(sorted(found, key=lambda each: order[each.positions[0]]))
