"""One name for each scope of a board, whoever wrote it and in whichever round.

Scopes that engineers wrote are one where they are spelled alike, and in no other case: "cache ttl" and "cache key"
share half of their words. Who means a scope of the board under another name writes that name, for each round lists the
scopes that are there; or a clerk finds that two statements meet. Only who names no scope, or says that they move or
withdraw, is led to the scope of what they take up in its words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from guildmoot.consensus.board.clashes import subject
from guildmoot.consensus.board.positions import BoardPosition, choice, plain, scope_stems
from guildmoot.text.note import Note
from guildmoot.text.similar import group

SAME_WORDS = 0.3
"""Least likeness of two positions without a scope that stand under one."""
_TAKEN_UP = 0.6
"""Least share of a position's words that an earlier one must have, to be what it takes up."""


def align(positions: Iterable[BoardPosition]) -> tuple[BoardPosition, ...]:
    """The positions with one spelling for each scope: the one that was written first."""
    given = tuple(positions)
    first: dict[str, str] = {}
    for each in given:
        first.setdefault(plain(each.scope), each.scope)
    canonical = {key: _listed(key, first) for key in first}
    canonical |= _unnamed(given, first)
    homes = [canonical[plain(each.scope)] for each in given]
    taken = _taken_up(given, homes)
    homes = [taken.get(number, home) for number, home in enumerate(homes)]
    return tuple(
        each if each.scope == home else each._replace(scope=home, named=each.named or each.scope)
        for each, home in zip(given, homes, strict=True)
    )


def _listed(key: str, first: Mapping[str, str]) -> str:
    """The scope itself, or the one before the brackets: rounds list a scope with its answers behind it."""
    before, bracket, _ = key.partition(" (")
    known = plain(before) if bracket and key.endswith(")") else key
    return first.get(known, first[key])


def _unnamed(positions: Sequence[BoardPosition], first: Mapping[str, str]) -> dict[str, str]:
    """Positions that name no scope stand together where they are alike; a scope that somebody wrote stays alone."""
    written = {plain(each.scope) for each in positions if each.names_scope}
    keys = [key for key in first if key not in written]
    found = {}
    for same in group([Note(title=key, source=key) for key in keys], threshold=SAME_WORDS):
        earliest = keys[min(same.members)]
        found.update({keys[number]: first[earliest] for number in same.members})
    return found


def _taken_up(positions: Sequence[BoardPosition], homes: Sequence[str]) -> dict[int, str]:
    """Where positions belong that take up what was said before: "I move to signed cookies", "I withdraw it".

    They name no scope, or one that their engineer has not used before.
    """
    used: defaultdict[str, set[str]] = defaultdict(set)
    by_round = sorted(range(len(positions)), key=lambda at: positions[at].round)
    found: dict[int, str] = {}
    for at in by_round:
        position = positions[at]
        turns = position.moves or position.stance == "withdraw"
        if not position.names_scope or (turns and homes[at] not in used[position.engineer]):
            earlier = [n for n in by_round if positions[n].round < position.round]
            if (best := _best(position, positions, earlier)) is not None:
                found[at] = found.get(best, homes[best])
        used[position.engineer].add(found.get(at, homes[at]))
    return found


def _best(
    position: BoardPosition, positions: Sequence[BoardPosition], earlier: Sequence[int]
) -> int | None:
    """The earlier position that has most of the words of this one; who withdraws withdraws their own."""
    mine = subject(position) if position.names_scope else scope_stems(position.text)
    mine = mine & subject(position) or mine
    gives_up = position.stance == "withdraw"
    ranked = [
        (len(mine & subject(each)) / len(mine), -number)
        for number in earlier
        if (each := positions[number]).takes_side
        and mine
        and mine & (subject(each) if gives_up else _chosen(each))
        and (each.engineer == position.engineer or not gives_up)
    ]
    share, number = max(ranked, default=(0.0, 0))
    if share >= _TAKEN_UP:
        return -number
    return _only_one(position, positions, earlier) if gives_up and not ranked else None


def _only_one(
    position: BoardPosition, positions: Sequence[BoardPosition], earlier: Sequence[int]
) -> int | None:
    """What its engineer held last, where that is one thing: "I withdraw my proposal"."""
    own = [n for n in earlier if positions[n].engineer == position.engineer]
    last = max((positions[n].round for n in own), default=0)
    held = [n for n in own if positions[n].round == last and positions[n].takes_side]
    return held[0] if len(held) == 1 else None


def _chosen(position: BoardPosition) -> frozenset[str]:
    """What tells its choice; where its own words are its scope, all of them do."""
    return choice(position) if position.names_scope else subject(position)
