"""One name for each scope of a board, whoever wrote it and in whichever round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from guildmoot.consensus.board.clashes import conflicts, pull_apart, subject
from guildmoot.consensus.board.positions import (
    BoardPosition,
    choice,
    plain,
    remedies,
    scope_key,
    scope_stems,
    tells_apart,
)
from guildmoot.text.note import Note
from guildmoot.text.opposed.lexicon import GENERIC, stems
from guildmoot.text.opposed.opposition import opposed
from guildmoot.text.similar import group

SAME_SCOPE = 0.3
"""Least likeness of two scopes that are one: "storage" and "the storage engine", not "cache size" and
"cache invalidation"."""
_TAKEN_UP = 0.6
"""Least share of a position's words that an earlier one must have, to be what it takes up."""


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
    joined = _joined(given, canonical)
    canonical = {
        key: joined.get(key, joined.get(scope_key(home), home)) for key, home in canonical.items()
    }
    canonical |= _resumed(given, canonical)
    homes = ((each, canonical[scope_key(each.scope)]) for each in given)
    return tuple(
        each if each.scope == home else each._replace(scope=home, named=each.named or each.scope)
        for each, home in homes
    )


def _joined(positions: Sequence[BoardPosition], canonical: Mapping[str, str]) -> dict[str, str]:
    """Where positions belong that contradict in their own words what stands under another scope."""
    joined: dict[str, str] = {}
    rounds: defaultdict[int, list[BoardPosition]] = defaultdict(list)
    for position in positions:
        if position.takes_side:
            rounds[position.round].append(position)
    for sides in rounds.values():
        for members, _ in conflicts(sides, place="the board")[0]:
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
            if each.round < position.round and mine & _chosen(each)
        ]
        best = max(ranked, key=lambda entry: entry[:2], default=None)
        if best and best[0] >= _TAKEN_UP:
            found[scope_key(position.scope)] = canonical[scope_key(best[2].scope)]
    return found


def _chosen(position: BoardPosition) -> frozenset[str]:
    """What tells its choice; where its own words are its scope, all of them do."""
    return choice(position) if position.names_scope else subject(position)


def _around(home: BoardPosition, members: Sequence[BoardPosition]) -> list[BoardPosition]:
    """Those who contradict it, and those who contradict them: a longer chain leads elsewhere."""
    against = [member for member in members if pull_apart(member, home)]
    beside = [each for each in members if any(pull_apart(each, other) for other in against)]
    return [home, *against, *beside]
