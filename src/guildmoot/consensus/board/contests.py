"""Contradictions from round to round: which stand, which are closed, and who moved.

Rewording closes nothing, nor does silence: a contradiction is closed when those who were apart now say the same, when
one of them moves to what the other says, withdraws, or when a clerk finds that both can be followed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import product
from typing import Literal, NamedTuple

from guildmoot.consensus.board.clashes import rivals, subject
from guildmoot.consensus.board.contradictions import (
    NO_RULINGS,
    Contradiction,
    FoundContradictions,
    Rulings,
    agree,
    alike,
    find_contradictions,
    find_firm,
    pair_key,
)
from guildmoot.consensus.board.firm import firm
from guildmoot.consensus.board.positions import BoardPosition, choice, scope_stems, side
from guildmoot.consensus.board.scopes import align
from guildmoot.text.opposed.lexicon import stems

_STAYING = frozenset({"belong", "live", "stay", "remain", "sit"})
"""Verbs in which a position is said again."""
_STAYS = re.compile(
    r"\b(?:unchanged|unmoved|(?:not|n't|no|nothing|neither)\b[^.;]*\b(?:chang|mov|withdr|switch|convinc|persua)\w*|still|stay|stick"
    r"|hold|stands?|maintain|keep|same|(?:as|like)\s+(?:before|in\s+round|I\s+said))\b",
    re.IGNORECASE,
)
"""Words in which somebody holds on to what they said."""
_SELF = re.compile(r"\b(?:I|me|my|mine|we|our)\b", re.IGNORECASE)
_FEW = 5
"""Words of a sentence that needs no subject: "No change here."."""
_REST = re.compile(r"\s*[;:].*", re.DOTALL)
"""What follows the choice: "do not retry; let the queue fail"."""


class NotRead(NamedTuple):
    """Sentences of one engineer that nobody has read."""

    engineer: str
    round: int
    texts: tuple[str, ...]


class Round(NamedTuple):
    """What was said in one round."""

    number: int
    positions: tuple[BoardPosition, ...]
    answered: tuple[str, ...]
    """Engineers with a section of their own; the others failed."""
    failed: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """Engineers who answered, and in whose words no decision was found."""
    prose: tuple[str, ...] = ()
    """Engineers who wrote sentences without a list of decisions; what else they decide was not read."""
    not_read: tuple[NotRead, ...] = ()
    """What engineers wrote and nobody has read: no program, and no clerk."""
    sentences: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What each engineer says in own words beside a block."""


class PositionChange(NamedTuple):
    """One engineer who says something else than before."""

    engineer: str
    round: int
    before: tuple[BoardPosition, ...]
    after: tuple[BoardPosition, ...]

    @property
    def cited(self) -> tuple[str, ...]:
        """What the new position rests on; empty when nothing was named."""
        return tuple(dict.fromkeys(cite for each in self.after for cite in each.cited))


class Contest(NamedTuple):
    """One contradiction from the round that brought it up until now."""

    contradiction: Contradiction
    """As it was last seen; of one that is open with what everybody says now."""
    first_round: int
    last_round: int
    """The last round in which it stood."""
    state: Literal["open", "closed", "dropped"]
    moves: tuple[PositionChange, ...] = ()
    silent: tuple[str, ...] = ()
    """Who was part of it and left it out of their latest section."""


def align_rounds(rounds: Sequence[Round]) -> tuple[Round, ...]:
    """The rounds with one spelling for each scope of the whole board, without what its engineer gives up at once."""
    aligned = iter(align(position for each in rounds for position in each.positions))
    kept = ([next(aligned) for _ in each.positions] for each in rounds)
    return tuple(
        each._replace(positions=tuple(p for p in said if not _given_up(p, said)))
        for each, said in zip(rounds, kept, strict=True)
    )


def _given_up(position: BoardPosition, said: Iterable[BoardPosition]) -> bool:
    """Whether its engineer withdraws the same choice in the same round."""
    return position.stance != "withdraw" and any(
        each.stance == "withdraw"
        and (each.engineer, each.scope) == (position.engineer, position.scope)
        and choice(each) == choice(position)
        for each in said
    )


def current(rounds: Sequence[Round]) -> tuple[BoardPosition, ...]:
    """What every engineer says now: in the last round in which they answered."""
    last = {name: each for each in rounds for name in each.answered}
    return tuple(
        position
        for each in rounds
        for position in each.positions
        if last.get(position.engineer) is each
    )


def standing(
    rounds: Sequence[Round], number: int, rulings: Rulings = NO_RULINGS
) -> FoundContradictions:
    """What pulls apart after the round of that number."""
    until = [each for each in rounds if each.number <= number]
    return find_contradictions(current(until), rulings)


def follow(rounds: Sequence[Round], rulings: Rulings = NO_RULINGS) -> tuple[Contest, ...]:
    """Every contradiction that ever stood on aligned rounds, in the order in which they came up."""
    found = contradictions_by_scope(rounds, rulings).values()
    return tuple(_contest(rounds, rulings, *entry) for entry in found)


def contradictions_by_scope(
    rounds: Sequence[Round], rulings: Rulings = NO_RULINGS
) -> dict[str, tuple[int, int, Contradiction, tuple[str, ...]]]:
    """By scope, the first and the last round in which each stood, how it was last seen, and all who were part of it."""
    seen: dict[str, tuple[int, int, Contradiction, tuple[str, ...]]] = {}
    for each in rounds:
        until = [earlier for earlier in rounds if earlier.number <= each.number]
        for found in find_firm(current(until), rulings):
            first, _, _, part = seen.get(found.scope, (each.number, 0, found, ()))
            part = tuple(dict.fromkeys((*part, *found.engineers)))
            seen[found.scope] = (first, each.number, found, part)
    return seen


def _contest(
    rounds: Sequence[Round],
    rulings: Rulings,
    first: int,
    last: int,
    found: Contradiction,
    part: Sequence[str],
) -> Contest:
    moves = tuple(_moves(rounds, found, first, part))
    if last == rounds[-1].number:
        return Contest(found, first, last, "open", moves)
    scopes = {position.scope for position in found.positions}
    spoke = {position.engineer for position in current(rounds) if position.scope in scopes}
    silent = [
        each.engineer
        for each in found.positions
        if each.engineer not in spoke and not _mentions(rounds, each, found.positions)
    ]
    words = {each: _last_word(rounds, each, scopes) for each in found.positions}
    pairs = (
        (a, b) for a, b in rivals(found.positions) if firm(a, b) or rulings.get(pair_key(a, b))
    )
    if all(_is_over((a, b), (words[a], words[b]), rulings) for a, b in pairs):
        return Contest(found, first, last, "closed", moves, tuple(dict.fromkeys(silent)))
    if silent:
        return Contest(found, first, last, "dropped", moves, tuple(dict.fromkeys(silent)))
    said = tuple(dict.fromkeys(word for each in words.values() for word in each))
    return Contest(found._replace(positions=said), first, rounds[-1].number, "open", moves)


def _mentions(
    rounds: Sequence[Round], position: BoardPosition, part: Sequence[BoardPosition]
) -> bool:
    """Whether the engineer's last words name the scope or a choice, say it elsewhere, or say that nothing changed."""
    last = next(each for each in reversed(rounds) if position.engineer in each.answered)
    said = [text for who, texts in last.sentences if who == position.engineer for text in texts]
    others = [choice(each) for each in part if each.engineer != position.engineer]
    mine = choice(position) - frozenset[str]().union(*others)
    whole = [each for each in (scope_stems(position.scope), *others) if each]
    return any(
        (_STAYS.search(text) and (_SELF.search(text) or len(text.split()) <= _FEW))
        or scope_stems(text) & mine
        or any(each <= scope_stems(text) for each in whole)
        for text in said
    ) or any(agree(each, position) for each in last.positions if each.engineer == position.engineer)


def _is_over(
    pair: tuple[BoardPosition, BoardPosition],
    now: tuple[Sequence[BoardPosition], Sequence[BoardPosition]],
    rulings: Rulings,
) -> bool:
    """Whether two who were apart agree now, one of them gave way, or a clerk finds that both can be followed."""
    both = list(product(*now))
    if any(agree(a, b) or len(alike([a, b], side)) == 1 for a, b in both if side(a) == side(b)):
        return True
    if all(rulings.get(pair_key(a, b)) is False for a, b in both):
        return True
    (a, b), (after_a, after_b) = pair, now
    return _gave_way(a, after_a, b) or _gave_way(b, after_b, a)


def _gave_way(before: BoardPosition, after: Sequence[BoardPosition], other: BoardPosition) -> bool:
    """Whether somebody takes no side any more, rejects their own choice, or chooses what the other does."""
    if not any(each.takes_side for each in after):
        return True
    if any(each.stance == "withdraw" or each.moves for each in after):
        return not any(each.takes_side and agree(each, before) for each in after)
    mine, theirs = choice(before) - choice(other), choice(other) - choice(before)
    return any(
        (side(each) != side(before) and choice(each) & choice(before))
        or (side(each) == side(other) and choice(each) & theirs and not choice(each) & mine)
        for each in after
    )


def _last_word(
    rounds: Sequence[Round], position: BoardPosition, scopes: Collection[str]
) -> list[BoardPosition]:
    """What the engineer said about the scopes when they last said anything about them."""
    for each in reversed(rounds):
        if said := _said(each, scopes, position.engineer):
            return said
    return []


def _moves(
    rounds: Sequence[Round], found: Contradiction, first: int, part: Sequence[str]
) -> list[PositionChange]:
    moves = []
    for engineer in part:
        others = [each for each in found.positions if each.engineer != engineer]
        scopes = {each.scope for each in found.positions}
        before: list[BoardPosition] = []
        for each in rounds:
            after = _said(each, scopes, engineer)
            if before and after and each.number > first and not _same(before, after, others):
                moves.append(PositionChange(engineer, each.number, tuple(before), tuple(after)))
            before = after or before
    return sorted(moves, key=lambda move: (move.round, part.index(move.engineer)))


def _said(each: Round, scopes: Collection[str], engineer: str) -> list[BoardPosition]:
    return [p for p in each.positions if p.scope in scopes and p.engineer == engineer]


def _same(
    before: Sequence[BoardPosition],
    after: Sequence[BoardPosition],
    others: Sequence[BoardPosition],
) -> bool:
    """Whether everything said after was said before, and the other way round, or the choice is only reworded."""
    if all(any(_says_no_more(now, then) for then in before) for now in after):
        return True
    if all(any(_rewords(now, then, others) for then in before) for now in after):
        return True
    groups = alike([*before, *after], lambda each: each.stance)
    rounds = [{member.round for member in group} for group in groups]
    return all(len(numbers) > 1 for numbers in rounds)


def _says_no_more(after: BoardPosition, before: BoardPosition) -> bool:
    """Whether nothing is named that was not named before: "I still hold that sessions belong in cookies"."""
    now = subject(after) - stems(_STAYING)
    choice = before._replace(text=_REST.sub("", before.text))
    stays = after.stance == before.stance or side(after) == side(before) != 0
    known = (subject(before), subject(choice))
    return stays and bool(now) and any(now <= each and 2 * len(now) > len(each) for each in known)


def _rewords(after: BoardPosition, before: BoardPosition, others: Sequence[BoardPosition]) -> bool:
    """Whether it still has what told it from the others' choices, and took nothing over from these."""
    theirs = frozenset[str]().union(*map(choice, others))
    mine, taken = choice(before) - theirs, theirs - choice(before)
    return side(after) == side(before) and bool(choice(after) & mine) and not choice(after) & taken
