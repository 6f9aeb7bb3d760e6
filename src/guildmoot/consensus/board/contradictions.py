"""What engineers hold on one board: who agrees, who contradicts whom, and what is still open.

Positions meet when their scopes are alike. Two contradict each other when their words cannot both be
obeyed (``conflicts``), or when one adopts what another rejects in like words (``grouping``). Where
stances are opposite or choices differ, but nobody can tell whether both can be followed, the meeting
is *possible*: shown to people, never counted as a contradiction. How positions move from round to round is told by
``movement``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from types import MappingProxyType
from typing import Literal, NamedTuple

from guildmoot.consensus.board import answers
from guildmoot.consensus.board.meetings import meetings
from guildmoot.consensus.board.positions import (
    BoardPosition,
    affirmed,
    choice,
    one_wording,
    plain,
    remedies,
    scope_key,
    scope_stems,
    side,
    side_text,
    tells_apart,
)
from guildmoot.consensus.conflicts import find_clashes
from guildmoot.text.note import Note
from guildmoot.text.opposed.lexicon import (
    CHANGERS,
    GENERIC,
    KEEPERS,
    PLACERS,
    SETTERS,
    stems,
)
from guildmoot.text.opposed.opposition import opposed
from guildmoot.text.similar import group

SAME_SCOPE = 0.3
"""Least likeness of two scopes that are one: "storage" and "the storage engine", not "cache size" and
"cache invalidation"."""
_PLAIN = GENERIC | KEEPERS | SETTERS | CHANGERS | PLACERS | {"use", "add"}
"""Words that alone say nothing of what a position is about."""
_TAKEN_UP = 0.6
"""Least share of a position's words that an earlier one must have, to be what it takes up."""
_RULED = "a clerk showed from their words that both cannot be followed"
SAME_TEXT = 0.4
"""Least likeness at which an adopted and a rejected text are about one thing, or two texts are one."""


class Contradiction(NamedTuple):
    """Positions on one scope that cannot all be followed."""

    scope: str
    engineers: tuple[str, ...]
    positions: tuple[BoardPosition, ...]
    why: str = ""
    """What pulls apart, in one line."""


class SharedPosition(NamedTuple):
    """What one or several engineers say alike."""

    scope: str
    stance: Literal["adopt", "reject", "option", "open"]
    text: str
    engineers: tuple[str, ...]
    positions: tuple[BoardPosition, ...]

    @property
    def said(self) -> str:
        """The choice in words that tell whether it is against something."""
        return side_text(self.positions[0]._replace(text=self.text, stance=self.stance))


Rulings = Mapping[frozenset[tuple[str, str]], bool]
"""Whether two positions contradict, where a clerk could show it; each by its engineer and words."""
NO_RULINGS: Rulings = MappingProxyType({})


class FoundContradictions(NamedTuple):
    """Where positions pull apart: surely, and perhaps."""

    contradictions: tuple[Contradiction, ...] = ()
    possible: tuple[Contradiction, ...] = ()
    undecided: tuple[tuple[BoardPosition, BoardPosition], ...] = ()
    """The pairs that are possible, and that nobody has ruled on."""


def align(positions: Iterable[BoardPosition]) -> tuple[BoardPosition, ...]:
    """The positions with one spelling for each scope: the one that was written first."""
    given = tuple(positions)
    spelled = list(dict.fromkeys(position.scope for position in given))
    first: dict[str, str] = {}
    for scope in spelled:
        first.setdefault(scope_key(scope), scope)
    known = list(first)
    canonical: dict[str, str] = {}
    for same in group(
        [Note(title=plain(first[key]), source=key) for key in known], threshold=SAME_SCOPE
    ):
        keys = [known[number] for number in same.members]
        earliest = min((first[key] for key in keys), key=spelled.index)
        canonical.update(dict.fromkeys(keys, earliest))
    canonical |= _joined(given, canonical)
    canonical |= _resumed(given, canonical)
    return tuple(each._replace(scope=canonical[scope_key(each.scope)]) for each in given)


def _joined(positions: Sequence[BoardPosition], canonical: Mapping[str, str]) -> dict[str, str]:
    """Where positions belong that contradict in their own words what stands under another scope."""
    joined: dict[str, str] = {}
    rounds: defaultdict[int, list[BoardPosition]] = defaultdict(list)
    for position in positions:
        if position.takes_side:
            rounds[position.round].append(position)
    for sides in rounds.values():
        for members, _ in _conflicts(sides, place="the board")[0]:
            home = min(members, key=lambda each: (not each.names_scope, sides.index(each)))
            scope = canonical[scope_key(home.scope)]
            for member in _around(home, members):
                if not member.names_scope or _one_subject(home, member):
                    joined.setdefault(scope_key(member.scope), scope)
    return joined


def _one_subject(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether words that pull apart under two scopes are about one thing: not "the timeout" of two."""
    if tells_apart(a.scope, b.scope):
        return False
    found = opposed(next(remedies(a)), next(remedies(b)))
    telling = set(found.topic.split()) - stems(GENERIC) if found else set()
    if found is not None and found.axis.startswith(("do:", "company:", "class:")):
        # the act, or a word such as "all", says little alone: they share one more word
        shared = set(scope_stems(a.text) & scope_stems(b.text))
        telling = shared if len(shared) > 1 else set()
    return bool(telling or scope_stems(a.scope) & scope_stems(b.scope))


def _resumed(positions: Sequence[BoardPosition], canonical: Mapping[str, str]) -> dict[str, str]:
    """Where positions without a scope belong that take up what was said before: "I move to signed cookies"."""
    found: dict[str, str] = {}
    for position in positions:
        mine = subject(position)
        if position.names_scope or not mine:
            continue
        ranked = [
            (len(mine & subject(each)) / len(mine), -number, each)
            for number, each in enumerate(positions)
            if each.round < position.round and mine & choice(each)
        ]
        best = max(ranked, key=lambda entry: entry[:2], default=None)
        if best and best[0] >= _TAKEN_UP:
            found[scope_key(position.scope)] = canonical[scope_key(best[2].scope)]
    return found


def _around(home: BoardPosition, members: Sequence[BoardPosition]) -> list[BoardPosition]:
    """Those who contradict it, and those who contradict them: a longer chain leads elsewhere."""
    against = [member for member in members if _opposed(member, home)]
    beside = [each for each in members if any(_opposed(each, other) for other in against)]
    return [home, *against, *beside]


def find_contradictions(
    positions: Sequence[BoardPosition],
    rulings: Rulings = NO_RULINGS,
    earlier: Sequence[BoardPosition] = (),
) -> FoundContradictions:
    """Where aligned positions of different engineers pull apart, one entry a scope.

    ``rulings`` decide what the words alone leave open; what the words show, no ruling takes away.
    ``earlier`` is all that was said on the board: who had seen another's answer.
    """
    sides = [position for position in positions if position.takes_side]
    conflicts, unsure = _conflicts(sides)
    sure = [
        (pair, why)
        for members, why in conflicts
        for pair in _rivals(members)
        if not answers.two_places(*pair)
    ]
    sure += _by_stance(sides)
    sure += [(pair, answers.WHY) for pair in _rivals(sides) if answers.contrary_answers(*pair)]
    for pair in filter(lambda each: answers.differing_answers(*each), _rivals(sides)):
        seen = answers.seen_apart(*pair, earlier) and pair_key(*pair) not in rulings
        (sure if seen else unsure).append((pair, answers.WHY))
    if rulings:
        sure += [(pair, _RULED) for pair in _rivals(sides) if rulings.get(pair_key(*pair))]
    certain = {frozenset(pair) for pair, _ in sure}
    unsure += _unlike(sides)
    perhaps = [
        (pair, why)
        for pair, why in unsure
        if frozenset(pair) not in certain and pair_key(*pair) not in rulings
    ]
    contradictions = _by_scope(sure, positions)
    told = {each.scope for each in contradictions}
    possible = tuple(each for each in _by_scope(perhaps, positions) if each.scope not in told)
    possible += tuple(_meeting(sides, (*contradictions, *possible), rulings))
    undecided = {frozenset(pair): pair for pair, _ in perhaps}
    return FoundContradictions(contradictions, possible, tuple(undecided.values()))


def _meeting(
    sides: Sequence[BoardPosition], shown: Sequence[Contradiction], rulings: Rulings
) -> Iterator[Contradiction]:
    """Pairs under different scopes that speak of one thing, but for what is shown, ruled on or said alike."""
    known = {frozenset(pair) for each in shown for pair in combinations(each.positions, 2)}
    for a, b in meetings(sides, [subject(each) for each in sides]):
        one, other = scope_stems(a.text), scope_stems(b.text)
        same = a.scope == b.scope or (side(a) == side(b) and (one <= other or other <= one))
        if not same and frozenset((a, b)) not in known and pair_key(a, b) not in rulings:
            yield Contradiction(a.scope, (a.engineer, b.engineer), (a, b), "they share rare words")


def pair_key(a: BoardPosition, b: BoardPosition) -> frozenset[tuple[str, str]]:
    """The same for two positions whichever comes first, and in every round in which they are held."""
    return frozenset([(a.engineer, a.text), (b.engineer, b.text)])


def propose_pairs(
    positions: Sequence[BoardPosition], most: int, rulings: Rulings = NO_RULINGS
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
    for number, (a, b) in enumerate(_rivals(sides)):
        pair = frozenset((a, b))
        if pair not in told and pair_key(a, b) not in rulings:
            shared = len(subject(a) & subject(b))
            ranked.append((pair not in open_, -shared, number, a, b))
    return [(a, b) for *_, a, b in sorted(ranked, key=lambda entry: entry[:3])[:most]]


def subject(position: BoardPosition) -> frozenset[str]:
    """The words that tell what it is about, as stems."""
    return scope_stems(f"{position.scope} {position.text}") - stems(_PLAIN)


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
            if not any(_opposed(positions[number], positions[other]) for other in agreed):
                agreed.append(number)
                break
        else:
            groups.append([number])
    return groups


def _opposed(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether what the two ask for surely cannot both be done."""
    return any(
        found.certain
        for first in remedies(a)
        for second in remedies(b)
        if (found := opposed(first, second))
    )


# --- pulling apart --------------------------------------------------------------------------------

_Pair = tuple[tuple[BoardPosition, BoardPosition], str]


def _rivals(members: Iterable[BoardPosition]) -> Iterator[tuple[BoardPosition, BoardPosition]]:
    """All pairs of different engineers."""
    return (pair for pair in combinations(members, 2) if pair[0].engineer != pair[1].engineer)


def _conflicts(
    positions: Sequence[BoardPosition], place: str = ""
) -> tuple[list[tuple[list[BoardPosition], str]], list[_Pair]]:
    """Positions of one scope, or of one place, that pull apart: surely, and perhaps."""
    asked = sorted(
        (position.engineer, affirmed(position.text), place or position.scope, remedy, str(number))
        for number, position in enumerate(positions)
        for remedy in islice(remedies(position), 1 if place else None)
    )
    origin = [positions[int(number)] for *_, number in asked]
    found = find_clashes(
        [Note(path=path, title=remedy, source=who) for who, _, path, remedy, _ in asked]
    )
    sure = [
        (list(dict.fromkeys(origin[member] for member in clash.members)), clash.reason)
        for clash in found.sure
    ]
    unsure = [
        ((origin[clash.members[0]], origin[clash.members[1]]), clash.reason)
        for clash in found.unsure
    ]
    return sure, unsure


def _by_stance(positions: Sequence[BoardPosition]) -> Iterator[_Pair]:
    """Pairs in which one adopts what the other rejects, in like words."""
    for members in alike(positions, lambda each: each.scope):
        for a, b in _rivals(members):
            if a.stance != b.stance and side(a) != side(b):
                yield (a, b), "one adopts what another rejects"


def _unlike(positions: Sequence[BoardPosition]) -> Iterator[_Pair]:
    """Pairs on one scope that take opposite stances, or choose without a word in common."""
    by_scope: defaultdict[str, list[BoardPosition]] = defaultdict(list)
    for position in positions:
        by_scope[position.scope].append(position)
    for members in by_scope.values():
        chosen = {each: choice(each) if each.names_scope else frozenset() for each in members}
        for a, b in _rivals(members):
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
    pairs: Iterable[_Pair], positions: Sequence[BoardPosition]
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
        scope = min(a, b, key=order.__getitem__).scope
        involved[scope].update(same_view[a], same_view[b])
        reasons[scope].add(why)
    found = []
    for scope, members in involved.items():
        ordered = tuple(sorted(members, key=order.__getitem__))
        engineers = tuple(dict.fromkeys(each.engineer for each in ordered))
        found.append(Contradiction(scope, engineers, ordered, min(reasons[scope])))
    return tuple(sorted(found, key=lambda each: order[each.positions[0]]))
