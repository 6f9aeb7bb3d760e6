"""How positions move from round to round: what closed, who moved and why, what was dropped silently,
and whether a round still added anything.

An engineer's word is what the last round in which they answered says; who did not answer keeps what
they said before. Leaving a contested scope out without a word is neither moving nor agreeing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from guildmoot.consensus.positions import (
    Contradiction,
    Meeting,
    align,
    alike,
    find_contradictions,
)
from guildmoot.consensus.stances import Position


class Round(NamedTuple):
    """What was said in one round."""

    number: int
    positions: tuple[Position, ...]
    answered: tuple[str, ...]
    """Engineers with a section of their own; the others failed."""
    failed: tuple[str, ...] = ()


class Move(NamedTuple):
    """One engineer who says something else than before."""

    engineer: str
    round: int
    before: tuple[Position, ...]
    after: tuple[Position, ...]

    @property
    def cited(self) -> tuple[str, ...]:
        """What the new position rests on; empty when nothing was named."""
        return tuple(dict.fromkeys(cite for each in self.after for cite in each.cited))


class Contest(NamedTuple):
    """One contradiction from the round that brought it up until now."""

    contradiction: Contradiction
    """As it was last seen."""
    first_round: int
    last_round: int
    """The last round in which it stood."""
    state: Literal["open", "closed", "dropped"]
    moves: tuple[Move, ...] = ()
    silent: tuple[str, ...] = ()
    """Who was part of it and left it out of their latest section."""


class Settled(NamedTuple):
    """Whether the last round added nothing, and why that is believed."""

    settled: bool
    reason: str


def align_rounds(rounds: Sequence[Round]) -> tuple[Round, ...]:
    """The rounds with one spelling for each scope of the whole board."""
    aligned = iter(align(position for each in rounds for position in each.positions))
    return tuple(
        each._replace(positions=tuple(next(aligned) for _ in each.positions)) for each in rounds
    )


def current(rounds: Sequence[Round]) -> tuple[Position, ...]:
    """What every engineer says now: in the last round in which they answered."""
    last = {name: each for each in rounds for name in each.answered}
    return tuple(
        position
        for each in rounds
        for position in each.positions
        if last.get(position.engineer) is each
    )


def standing(rounds: Sequence[Round], number: int) -> Meeting:
    """What pulls apart once the round of that number has been heard."""
    return find_contradictions(current([each for each in rounds if each.number <= number]))


def follow(rounds: Sequence[Round]) -> tuple[Contest, ...]:
    """Every contradiction that ever stood on aligned rounds, in the order in which they came up."""
    seen: dict[str, tuple[int, int, Contradiction]] = {}
    for each in rounds:
        for found in standing(rounds, each.number).contradictions:
            first = seen[found.scope][0] if found.scope in seen else each.number
            seen[found.scope] = (first, each.number, found)
    return tuple(_contest(rounds, *entry) for entry in seen.values())


def judge_settled(rounds: Sequence[Round]) -> Settled:
    """Whether the last of the aligned rounds adds no new contradiction, decision or option."""
    if len(rounds) < 2:
        return Settled(False, "one round alone cannot settle anything")
    *_, last = rounds
    if last.failed:
        return Settled(False, f"{', '.join(last.failed)} did not answer in round {last.number}")
    if not any(position.stance != "open" for position in last.positions):
        return Settled(False, f"no decision could be read in round {last.number}")
    added = [*_new_contradictions(rounds), *_new_positions(rounds)]
    if added:
        return Settled(False, f"round {last.number} added {_few(added)}")
    return Settled(True, f"round {last.number} added no new contradiction, decision or option")


def _new_contradictions(rounds: Sequence[Round]) -> list[str]:
    before = {
        found.scope
        for each in rounds[:-1]
        for found in (*standing(rounds, each.number).contradictions,)
    }
    now = standing(rounds, rounds[-1].number).contradictions
    return [f"a contradiction ({found.scope})" for found in now if found.scope not in before]


def _new_positions(rounds: Sequence[Round]) -> list[str]:
    """Decisions and options of the last round that nobody had named before."""
    number = rounds[-1].number
    said = [p for each in rounds for p in each.positions if p.stance != "open"]
    added = []
    for members in alike(said, lambda each: (each.scope,)):
        before = {member.stance for member in members if member.round != number}
        for stance in dict.fromkeys(m.stance for m in members if m.round == number):
            # Weighing what somebody already wants or rejects is no new option.
            if stance not in before and not (stance == "option" and before):
                what = "an option" if stance == "option" else "a decision"
                added.append(f"{what} ({members[0].scope})")
    return added


def _few(added: list[str], most: int = 3) -> str:
    rest = f" and {len(added) - most} more" if len(added) > most else ""
    return ", ".join(added[:most]) + rest


def _contest(rounds: Sequence[Round], first: int, last: int, found: Contradiction) -> Contest:
    scope, engineers = found.scope, found.engineers
    moves = tuple(_moves(rounds, scope, engineers, first))
    if last == rounds[-1].number:
        return Contest(found, first, last, "open", moves)
    now = {position.engineer for position in current(rounds) if position.scope == scope}
    silent = tuple(name for name in engineers if name not in now)
    words = [word for name in engineers for word in _last_word(rounds, scope, name)]
    dropped = silent and any(
        each.scope == scope for each in find_contradictions(words).contradictions
    )
    return Contest(found, first, last, "dropped" if dropped else "closed", moves, silent)


def _last_word(rounds: Sequence[Round], scope: str, engineer: str) -> list[Position]:
    """What the engineer said about the scope when they last said anything about it."""
    for each in reversed(rounds):
        if said := _said(each, scope, engineer):
            return said
    return []


def _moves(rounds: Sequence[Round], scope: str, engineers: Sequence[str], first: int) -> list[Move]:
    moves = []
    for engineer in engineers:
        before: list[Position] = []
        for each in rounds:
            after = _said(each, scope, engineer)
            if before and after and each.number > first and not _same(before, after):
                moves.append(Move(engineer, each.number, tuple(before), tuple(after)))
            before = after or before
    return sorted(moves, key=lambda move: (move.round, engineers.index(move.engineer)))


def _said(each: Round, scope: str, engineer: str) -> list[Position]:
    return [p for p in each.positions if p.scope == scope and p.engineer == engineer]


def _same(before: Sequence[Position], after: Sequence[Position]) -> bool:
    """Whether everything said after was said before, and the other way round."""
    groups = alike([*before, *after], lambda each: each.stance)
    rounds = [{member.round for member in group} for group in groups]
    return all(len(numbers) > 1 for numbers in rounds)
