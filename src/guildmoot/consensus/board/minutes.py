"""The minutes of a board: what is decided, contested, possible and open, who holds what, who moved.

An engineer's word is what the last round in which they answered says; who did not answer keeps what
they said before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256
from itertools import combinations, product
from typing import NamedTuple

from guildmoot.consensus.board.contests import (
    Contest,
    NotRead,
    Round,
    align_rounds,
    contradictions_by_scope,
    current,
    follow,
    standing,
)
from guildmoot.consensus.board.contradictions import (
    NO_RULINGS,
    Contradiction,
    FoundContradictions,
    Rulings,
    SharedPosition,
    agree,
    alike,
    find_stands,
    pair_key,
    propose_pairs,
)
from guildmoot.consensus.board.positions import BoardPosition, names_subject_of
from guildmoot.text.clean import one_line


class SettledCheck(NamedTuple):
    """Whether the last round added nothing, and why that is believed."""

    settled: bool
    reason: str
    quiet: bool = False
    """Nothing new was said, and yet it is not settled: another round would say the same."""


class Minutes(NamedTuple):
    """What a board comes to; every report is rendered from this."""

    rounds: tuple[int, ...]
    engineers: tuple[str, ...]
    failed: tuple[tuple[int, str], ...]
    """Round and engineer of every section that is no answer."""
    holds: tuple[BoardPosition, ...]
    """What every engineer says now."""
    decisions: tuple[SharedPosition, ...]
    """What is wanted or rejected now, like positions together."""
    options: tuple[SharedPosition, ...]
    questions: tuple[SharedPosition, ...]
    contests: tuple[Contest, ...]
    """Every contradiction that ever stood."""
    possible: tuple[Contradiction, ...]
    settled: SettledCheck
    ids: dict[str, str]
    """A short name for every scope, the same whatever is said later."""
    left_out: int = 0
    """Older rounds that were not compared."""
    not_read: tuple[NotRead, ...] = ()
    """What engineers wrote last and nobody has read; it settles nothing."""
    withdrawn: tuple[BoardPosition, ...] = ()
    """What engineers gave up in their last words."""

    @property
    def open(self) -> tuple[Contest, ...]:
        """The contradictions that stand now."""
        return tuple(contest for contest in self.contests if contest.state == "open")

    @property
    def choices(self) -> dict[str, SharedPosition]:
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

    def contested(self, stand: SharedPosition) -> bool:
        """Whether the stand is part of a contradiction that stands now."""
        now = {position for contest in self.open for position in contest.contradiction.positions}
        return any(position in now for position in stand.positions)


def take_minutes(
    rounds: Sequence[Round],
    earlier: Sequence[int] = (),
    rulings: Rulings = NO_RULINGS,
    decided: Collection[str] = (),
) -> Minutes:
    """The minutes of rounds in their order; scopes need not be aligned.

    ``earlier`` are the numbers of rounds before these, which are not compared; ``decided`` are the IDs of
    scopes on which people have chosen.
    """
    kept = align_rounds(rounds)
    now = current(kept)
    stands = find_stands(now)
    ids = name_scopes(position.scope for each in kept for position in each.positions)
    closed = [scope for scope, name in ids.items() if name in decided]
    last = standing(kept, kept[-1].number, rulings) if kept else FoundContradictions()
    contests = follow(kept, rulings)
    known = [{*each.contradiction.positions} for each in contests if each.state == "open"]
    return Minutes(
        rounds=(*earlier, *(each.number for each in rounds)),
        engineers=tuple(
            dict.fromkeys(name for each in kept for name in (*each.answered, *each.failed))
        ),
        failed=tuple((each.number, name) for each in kept for name in each.failed),
        holds=tuple(each for each in now if each.stance != "withdraw"),
        decisions=tuple(stand for stand in stands if stand.stance in ("adopt", "reject")),
        options=tuple(stand for stand in stands if stand.stance == "option"),
        questions=tuple(stand for stand in stands if stand.stance == "open"),
        contests=contests,
        possible=tuple(
            each for each in last.possible if not any({*each.positions} <= held for held in known)
        ),
        settled=judge_settled(kept, rulings, closed),
        ids=ids,
        left_out=len(earlier),
        not_read=unread_now(kept),
        withdrawn=tuple(each for each in now if each.stance == "withdraw"),
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


def judge_settled(
    rounds: Sequence[Round], rulings: Rulings = NO_RULINGS, closed: Collection[str] = ()
) -> SettledCheck:
    """Whether the last of the aligned rounds adds nothing new and leaves no contradiction open.

    ``closed`` are the scopes on which people have chosen.
    """
    if len(rounds) < 2:
        return SettledCheck(False, "one round alone cannot settle anything")
    *_, last = rounds
    if last.failed:
        return SettledCheck(
            False, f"{', '.join(last.failed)} did not answer in round {last.number}"
        )
    if not any(position.stance != "open" for position in last.positions):
        return SettledCheck(False, f"no decision could be read in round {last.number}")
    if last.unread:
        whose = _few([f"{name}'s" for name in last.unread])
        return SettledCheck(False, f"{whose} answer could not be read")
    stood = contradictions_by_scope(rounds, rulings).items()
    added = [f"a contradiction ({scope})" for scope, (first, *_) in stood if first == last.number]
    added += _new_positions(rounds)
    if added:
        return SettledCheck(False, f"round {last.number} added {_few(added)}")
    contests = (each for each in follow(rounds, rulings) if each.state != "closed")
    contested = [
        each.contradiction.scope
        for each in contests
        if not any(position.scope in closed for position in each.contradiction.positions)
    ]
    if contested:
        return SettledCheck(False, f"still contradicted: {_few(contested)}")
    now = standing(rounds, last.number, rulings)
    pairs = [pair for pair in now.undecided if pair[0].scope not in closed]
    if pairs:
        told = f"{len(pairs)} {'pair' if len(pairs) == 1 else 'pairs'} undecided"
        return SettledCheck(False, f"{told}: {_few([pair[0].scope for pair in pairs])}")
    differing = [
        scope
        for scope in _differing(last, rulings)
        if scope not in closed and not any(scope.startswith(f"{each} and ") for each in closed)
    ]
    if differing:
        why = f"different choices stand on {_few(differing)}, and nobody told whether both can hold"
        return SettledCheck(False, why, quiet=True)
    shown = [each.scope for each in now.possible if each.scope not in closed]
    if shown:
        return SettledCheck(False, f"may contradict: {_few(shown)}", quiet=True)
    if unread := unread_now(rounds):
        whose = _few([f"{each.engineer}'s {one_line(each.texts[0])!r}" for each in unread])
        return SettledCheck(False, f"nobody has read {whose}", quiet=True)
    if last.prose:
        whose = _few([f"{name}'s" for name in last.prose])
        why = f"{whose} answer has no list of decisions, and not every sentence of it could be read"
        return SettledCheck(False, why, quiet=True)
    if unruled := _unruled(current(rounds), rulings, closed):
        told = (
            f"{unruled} {'pair' if unruled == 1 else 'pairs'} on which nobody ruled may contradict"
        )
        return SettledCheck(False, told, quiet=True)
    return SettledCheck(True, f"round {last.number} added no new contradiction, decision or option")


def _unruled(held: Sequence[BoardPosition], rulings: Rulings, closed: Collection[str]) -> int:
    """Pairs of which nobody said whether both can hold; who holds both shows that they can."""
    sides = [each for each in held if each.takes_side and each.scope not in closed]

    def holds(who: str, what: BoardPosition) -> bool:
        return any(each.engineer == who and agree(each, what) for each in sides)

    return sum(
        not (holds(a.engineer, b) or holds(b.engineer, a)) for a, b in propose_pairs(sides, rulings)
    )


def unread_now(rounds: Sequence[Round]) -> tuple[NotRead, ...]:
    """What nobody has read of the last words of each engineer."""
    last = {name: each.number for each in rounds for name in each.answered}
    return tuple(
        unread
        for each in rounds
        for unread in each.not_read
        if last.get(unread.engineer) == each.number
    )


def _differing(last: Round, rulings: Rulings) -> list[str]:
    """Scopes on which engineers now choose in words that are not alike, and no clerk called compatible."""
    sides = [position for position in last.positions if position.takes_side]
    found = []
    for scope in dict.fromkeys(position.scope for position in sides):
        here = alike([each for each in sides if each.scope == scope], lambda each: each.stance)
        rivals = (  # who holds both does not find that they differ
            product(one, other)
            for one, other in combinations(here, 2)
            if not {each.engineer for each in one} & {each.engineer for each in other}
        )
        if any(
            rulings.get(pair_key(a, b)) is not False and not agree(a, b)
            for pairs in rivals
            for a, b in pairs
        ):
            found.append(scope)
    return found + _elsewhere(sides, rulings)


def _elsewhere(sides: Sequence[BoardPosition], rulings: Rulings) -> list[str]:
    """Pairs of scopes that seem to name one subject, each with another engineer's choice on it alone."""
    spoke = {(each.engineer, each.scope) for each in sides}
    found = {}
    for a, b in combinations(sides, 2):
        met = (a.engineer, b.scope) in spoke or (b.engineer, a.scope) in spoke
        if a.engineer == b.engineer or met or rulings.get(pair_key(a, b)) is False:
            continue
        if names_subject_of(a, b):
            found[f"{a.scope} and {b.scope}, which may be one subject"] = True
    return list(found)


def _new_positions(rounds: Sequence[Round]) -> list[str]:
    """Decisions and options of the last round that nobody had named before."""
    number = rounds[-1].number
    said = [p for each in rounds for p in each.positions if p.stance not in ("open", "withdraw")]
    known = {(p.scope, p.stance, p.text) for p in said if p.round != number}
    added = []
    for members in alike(said, lambda each: (each.scope,)):
        before = {member.stance for member in members if member.round != number}
        new = [m for m in members if m.round == number and (m.scope, m.stance, m.text) not in known]
        for stance in dict.fromkeys(m.stance for m in new):
            # Weighing what somebody already wants or rejects is no new option.
            if stance not in before and not (stance == "option" and before):
                what = "an option" if stance == "option" else "a decision"
                added.append(f"{what} ({members[0].scope})")
    return added


def _few(added: list[str], most: int = 3) -> str:
    rest = f" and {len(added) - most} more" if len(added) > most else ""
    return ", ".join(added[:most]) + rest
