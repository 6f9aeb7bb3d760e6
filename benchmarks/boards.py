"""Print how many contradictions on whole boards are told: by code alone, and with a clerk.

    python benchmarks/boards.py [--show]

Twelve boards of three engineers, written by topic, each as blocks of decisions under the engineers' own names for their
scopes, and as prose. Which statements contradict was decided afterwards by the same hand over shuffled pairs, without scopes or
names (``board_labels.jsonl``); pairs of different topics that were not drawn count as compatible. The clerk is scripted:
right 95 times of 100, and it only sees the pairs that code puts to it.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from guildmoot.consensus.board.contradictions import (
    Rulings,
    align,
    find_contradictions,
    pair_key,
    propose_pairs,
)
from guildmoot.consensus.board.positions import BoardPosition
from guildmoot.reading.clerk.pairs import plain_words
from guildmoot.reading.decisions import read_decisions

DATA = Path(__file__).parent.parent / "tests" / "data" / "whiteboard"
STYLES = ("blocks", "prose")
RIGHT = 0.95
MOST_PAIRS = 96
"""As many as a run of a whiteboard asks about after a round."""

Pair = frozenset[str]


class Score(NamedTuple):
    """What was told of the boards in one style."""

    real: int
    told: int
    """Pairs that contradict and were told."""
    fine: int
    """Pairs that were found compatible by whoever labelled them."""
    alarms: tuple[str, ...]
    """Contradictions that were told and hold no two statements that contradict, or may."""
    missed: tuple[str, ...]


def boards() -> list[dict[str, object]]:
    """The boards, each with its statements."""
    return [json.loads(line) for line in (DATA / "boards.jsonl").read_bytes().splitlines()]


def labels() -> dict[Pair, str]:
    """The label of each pair of statements."""
    rows = [json.loads(line) for line in (DATA / "board_labels.jsonl").read_bytes().splitlines()]
    return {frozenset((row["a"], row["b"])): row["label"] for row in rows}


def section(statements: list[dict[str, str]], style: str) -> str:
    """What one engineer writes."""
    if style == "prose":
        return "My view of it. " + " ".join(each["text"] for each in statements)
    rows = [
        f"- scope: {each['scope']}\n  stance: adopt\n  text: {each['text']}\n  cited: none"
        for each in statements
    ]
    return "My view.\n\n```decisions\n" + "\n".join(rows) + "\n```"


def positions(board: dict[str, object], style: str) -> tuple[BoardPosition, ...]:
    """What is read from the board, as a round of it would be."""
    by_engineer: dict[str, list[dict[str, str]]] = {}
    for each in board["statements"]:  # type: ignore[attr-defined]
        by_engineer.setdefault(each["engineer"], []).append(each)
    return align(
        BoardPosition(engineer, 1, d.scope, d.stance, d.text, d.cited)
        for engineer, said in by_engineer.items()
        for d in read_decisions(section(said, style))
    )


def statement(position: BoardPosition, board: dict[str, object]) -> str:
    """The statement that a position was read from."""
    said = plain_words(position.text)
    for each in board["statements"]:  # type: ignore[attr-defined]
        whole = plain_words(each["text"])
        if each["engineer"] == position.engineer and (said in whole or whole in said):
            return str(each["text"])
    return ""


def told_groups(
    said: tuple[BoardPosition, ...], board: dict[str, object], rulings: Rulings
) -> Iterator[set[Pair]]:
    """Every contradiction that is told, as the pairs of different engineers' statements in it."""
    for found in find_contradictions(said, rulings).contradictions:
        sides = [(each.engineer, statement(each, board)) for each in found.positions]
        yield {
            frozenset((one, other))
            for at, (who, one) in enumerate(sides)
            for whom, other in sides[at + 1 :]
            if whom != who
        }


def clerks(
    said: tuple[BoardPosition, ...],
    board: dict[str, object],
    known: dict[Pair, str],
    rng: random.Random,
) -> Rulings:
    """What a clerk that is right 95 times of 100 says of the pairs that it is asked about."""
    rulings = {}
    for a, b in propose_pairs(said, MOST_PAIRS):
        label = known.get(frozenset((statement(a, board), statement(b, board))), "compatible")
        first, second = ((label == "contradict") == (rng.random() < RIGHT) for _ in range(2))
        if label != "unclear" and (not first or second):  # what contradicts must be said twice
            rulings[pair_key(a, b)] = first
    return rulings


def measure(style: str, *, clerk: bool) -> Score:
    """All boards in one style."""
    known, rng = labels(), random.Random(5)
    found: list[set[Pair]] = []
    for board in boards():
        said = positions(board, style)
        rulings = clerks(said, board, known, rng) if clerk else {}
        found += told_groups(said, board, rulings)
    real = [pair for pair, label in known.items() if label == "contradict"]
    told = {pair for group in found for pair in group}
    false = [
        group
        for group in found
        if all(known.get(pair, "compatible") == "compatible" for pair in group)
    ]
    return Score(
        len(real),
        sum(pair in told for pair in real),
        sum(label == "compatible" for label in known.values()),
        tuple(" || ".join(sorted({each for pair in group for each in pair})) for group in false),
        tuple(" || ".join(sorted(pair)) for pair in real if pair not in told),
    )


def main() -> None:
    """Print the figures, and with ``--show`` what was missed and told falsely."""
    for style in STYLES:
        for clerk in (False, True):
            score = measure(style, clerk=clerk)
            print(
                f"{style:7}{'with a clerk' if clerk else 'code alone':13} {score.told} of {score.real} told"
                f" = {score.told / score.real:.3f}; {len(score.alarms)} false, {score.fine} compatible pairs"
            )
            if "--show" in sys.argv:
                print("\n".join(f"  missed {each}" for each in score.missed))
                print("\n".join(f"  false  {each}" for each in score.alarms))


if __name__ == "__main__":
    main()
