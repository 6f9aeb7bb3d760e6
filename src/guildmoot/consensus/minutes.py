"""The minutes of a board: what is decided, contested, possible and open, and who holds what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from guildmoot.consensus.movement import (
    Contest,
    Round,
    Settled,
    align_rounds,
    current,
    follow,
    judge_settled,
    standing,
)
from guildmoot.consensus.positions import Contradiction, Stand, find_stands
from guildmoot.consensus.stances import Position


class Minutes(NamedTuple):
    """What a board comes to; every report is rendered from this."""

    rounds: tuple[int, ...]
    engineers: tuple[str, ...]
    failed: tuple[tuple[int, str], ...]
    """Round and engineer of every section that is no answer."""
    holds: tuple[Position, ...]
    """What every engineer says now."""
    decisions: tuple[Stand, ...]
    """What is wanted or rejected now, like positions together."""
    options: tuple[Stand, ...]
    questions: tuple[Stand, ...]
    contests: tuple[Contest, ...]
    """Every contradiction that ever stood."""
    possible: tuple[Contradiction, ...]
    settled: Settled
    ids: dict[str, str]
    """A short name for every scope, the same whatever is said later."""
    left_out: int = 0
    """Older rounds that were not compared."""

    @property
    def open(self) -> tuple[Contest, ...]:
        """The contradictions that stand now."""
        return tuple(contest for contest in self.contests if contest.state == "open")

    @property
    def choices(self) -> dict[str, Stand]:
        """The decisions under the names by which a person picks one of them.

        That is the name of the scope, with a number where there are several on it.
        """
        held = Counter(stand.scope for stand in self.decisions)
        seen: Counter[str] = Counter()
        named = {}
        for stand in self.decisions:
            seen[stand.scope] += 1
            number = f".{seen[stand.scope]}" if held[stand.scope] > 1 else ""
            named[self.ids[stand.scope] + number] = stand
        return named

    def contested(self, stand: Stand) -> bool:
        """Whether the stand is part of a contradiction that stands now."""
        now = {position for contest in self.open for position in contest.contradiction.positions}
        return any(position in now for position in stand.positions)


def take_minutes(rounds: Sequence[Round], earlier: Sequence[int] = ()) -> Minutes:
    """The minutes of rounds in their order; scopes need not be aligned.

    ``earlier`` are the numbers of rounds before these, which are not compared.
    """
    kept = align_rounds(rounds)
    now = current(kept)
    stands = find_stands(now)
    scopes = (position.scope for each in kept for position in each.positions)
    return Minutes(
        rounds=(*earlier, *(each.number for each in rounds)),
        engineers=tuple(
            dict.fromkeys(name for each in kept for name in (*each.answered, *each.failed))
        ),
        failed=tuple((each.number, name) for each in kept for name in each.failed),
        holds=now,
        decisions=tuple(stand for stand in stands if stand.stance in ("adopt", "reject")),
        options=tuple(stand for stand in stands if stand.stance == "option"),
        questions=tuple(stand for stand in stands if stand.stance == "open"),
        contests=follow(kept),
        possible=standing(kept, kept[-1].number).possible if kept else (),
        settled=judge_settled(kept),
        ids=name_scopes(scopes),
        left_out=len(earlier),
    )


def name_scopes(scopes: Iterable[str]) -> dict[str, str]:
    """A name of letters, digits and dashes for each scope; a second one of a name is numbered."""
    taken: Counter[str] = Counter()
    names: dict[str, str] = {}
    for scope in dict.fromkeys(scopes):
        plain = re.sub(r"[^a-z0-9]+", "-", scope.casefold()).strip("-")[:48].strip("-")
        name = plain or "scope-" + sha256(scope.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        taken[name] += 1
        names[scope] = name if taken[name] == 1 else f"{name}-{taken[name]}"
    return names
