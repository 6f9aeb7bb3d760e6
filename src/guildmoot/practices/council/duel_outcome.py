"""What a duel comes to: ballots under labels, and the report that the program counts from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from guildmoot.consensus.duel import Card, diagnose, missing_ballots, rank, whole_ballots
from guildmoot.model.council import Contender, Duel, Scored
from guildmoot.practices.council.anonymity import Masks
from guildmoot.practices.council.duel_prompts import frameworks_of, persona_of
from guildmoot.practices.council.seating import CouncilSeat
from guildmoot.reading.council.duel import Ballots, LastWord, Opening


class Cast(NamedTuple):
    """All ballots, by label."""

    read: Mapping[str, Ballots]
    overall: Mapping[tuple[str, str], int]
    """Scorer and expert to the score of the whole."""
    items: Mapping[tuple[str, str], Mapping[int, int]]
    """Scorer and expert to the scores by rank, counted from 1."""


def count(
    experts: Sequence[CouncilSeat],
    openings: Mapping[str, Opening],
    cast: Cast,
    last: Mapping[str, LastWord],
    masks: Mapping[str, Masks],
) -> Duel:
    """The duel as the numbers give it; what nobody said is not there."""
    labels = [seat.label for seat in experts]
    silent = [label for label in labels if not openings[label].recommendations]
    ballots = whole_ballots(cast.overall, labels)
    missing = missing_ballots(cast.overall, labels, silent)
    kills = {label: len(openings[label].kills) for label in labels if label not in silent}
    cards = [card for label in labels for card in _cards(label, openings[label], cast, last)]
    return Duel(
        tension="",
        ballots=ballots,
        matrix=tuple(Scored(*rated) for rated in rank(cards, labels)),
        conceded=_said(last, masks, lambda word: [each.text for each in word.concessions]),
        blind_spots=_said(last, masks, lambda word: word.blind_spots),
        diagnostics=diagnose(ballots, kills),
        contenders=tuple(
            _contender(seat, openings[seat.label], last, masks.get(seat.label)) for seat in experts
        ),
        missing=missing,
        seen=tuple((label, each.order) for label, each in masks.items()),
        notes=tuple(f"{who} did not score {whom}" for who, whom in missing),
    )


def _contender(
    seat: CouncilSeat, opening: Opening, last: Mapping[str, LastWord], masks: Masks | None
) -> Contender:
    word = last.get(seat.label, LastWord())
    return Contender(
        label=seat.label,
        persona=persona_of(seat),
        frameworks=frameworks_of(seat),
        positioning=opening.positioning,
        risk=opening.risk,
        recommendations=opening.recommendations,
        kills=opening.kills,
        defence=masks.named(word.defence) if masks else word.defence,
        revision=masks.named(word.revision) if masks else word.revision,
    )


def cast_of(read: Mapping[str, Ballots], masks: Mapping[str, Masks]) -> Cast:
    """The ballots with labels for letters."""
    overall: dict[tuple[str, str], int] = {}
    items: dict[tuple[str, str], dict[int, int]] = {}
    for scorer, given in read.items():
        for ballot in given.ballots:
            expert = masks[scorer].letters[ballot.of]
            if ballot.overall is not None:
                overall[scorer, expert] = ballot.overall
            items[scorer, expert] = {int(item[1:]): score for item, score in ballot.scores}
    return Cast(read, overall, items)


def _cards(label: str, opening: Opening, cast: Cast, last: Mapping[str, LastWord]) -> list[Card]:
    """An expert's recommendations with what the others gave them."""
    word = last.get(label, LastWord())
    given_up = {concession.item for concession in word.concessions if concession.item}
    return [
        Card(
            by=label,
            text=text,
            scores=tuple(
                (scorer, scores[number])
                for (scorer, expert), scores in cast.items.items()
                if expert == label and number in scores
            ),
            conceded=f"Y{number}" in given_up,
        )
        for number, text in enumerate(opening.recommendations, 1)
    ]


def _said(
    last: Mapping[str, LastWord],
    masks: Mapping[str, Masks],
    pick: Callable[[LastWord], Sequence[str]],
) -> tuple[tuple[str, str], ...]:
    return tuple(
        (label, masks[label].named(text)) for label, word in last.items() for text in pick(word)
    )
