"""Print how many contradictions on whole boards are told: by code alone, and with a clerk.

    python benchmarks/boards.py [--show]

Twelve boards of three engineers, written by topic, each as blocks of decisions under the engineers' own names for their
scopes, and as prose. Which statements contradict was decided afterwards by the same hand over shuffled pairs, without scopes or
names (``board_labels.jsonl``); pairs of different topics that were not drawn count as compatible. The clerk is scripted:
right 95 times of 100, and it only sees the pairs that code puts to it. It puts prose into blocks first, and loses one
statement in twenty there.

Ten more boards (``answers.jsonl``) stand as they would in a second round: scopes are questions that are used again, with
the answer in a few words. Half of them (``held``) were only counted. The pairs of ``one_scope.jsonl`` are compatible.
Both are counted twice: as answers that nobody had seen, and (``kept``) as answers that stood on the board a round before.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from guildmoot.consensus.board.contradictions import (
    NO_RULINGS,
    Contradiction,
    FoundContradictions,
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
ANSWERS = ("answers", "kept")
HALVES = ("open", "held")
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
    shown: int = 0
    """Pairs that contradict and were told, or at least shown as what may contradict."""
    pairs_shown: tuple[int, int] = (0, 0)
    """Pairs that were shown as what may contradict, and how many of them do not."""


def boards(half: str = "") -> list[dict[str, object]]:
    """The boards, each with its statements; with ``half`` those that have questions and answers."""
    if not half:
        return rows("boards")
    return [board for board in rows("answers") if board["half"] == half]


def rows(name: str) -> list[dict[str, object]]:
    """The rows of one file."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_bytes().splitlines()]


def labels(half: str = "") -> dict[Pair, str]:
    """The label of each pair of statements; what is not among them is compatible."""
    if not half:
        return {frozenset((row["a"], row["b"])): row["label"] for row in rows("board_labels")}  # type: ignore[misc]
    found = {}
    for board in boards(half):
        said = {each["id"]: each["text"] for each in board["statements"]}  # type: ignore[attr-defined]
        found |= {frozenset((said[a], said[b])): "contradict" for a, b in board["contradict"]}  # type: ignore[attr-defined]
    return found


def section(statements: list[dict[str, str]], style: str) -> str:
    """What one engineer writes."""
    if style == "prose":
        return "My view of it. " + " ".join(each["text"] for each in statements)
    keys = ("question", "answer") if style in ANSWERS else ("scope", "")
    entries = [
        f"- scope: {each[keys[0]]}\n  stance: {each.get('stance', 'adopt')}\n"
        f"  answer: {each.get(keys[1], '')}\n  text: {each['text']}\n  cited: none"
        for each in statements
    ]
    return "My view.\n\n```decisions\n" + "\n".join(entries) + "\n```"


def positions(board: dict[str, object], style: str) -> tuple[BoardPosition, ...]:
    """What is read from the board, as a round of it would be."""
    by_engineer: dict[str, list[dict[str, str]]] = {}
    for each in board["statements"]:  # type: ignore[attr-defined]
        by_engineer.setdefault(each["engineer"], []).append(each)
    return align(
        BoardPosition(engineer, 2, d.scope, d.stance, d.text, d.cited, d.answer)
        for engineer, said in by_engineer.items()
        for d in read_decisions(section(said, style))
    )


def found_on(
    said: Sequence[BoardPosition], style: str, rulings: Rulings = NO_RULINGS
) -> FoundContradictions:
    """What pulls apart, where the same was said a round before, or nothing was."""
    before = [each._replace(round=1) for each in said] if style == "kept" else []
    return find_contradictions(said, rulings, before)


def statement(position: BoardPosition, board: dict[str, object]) -> str:
    """The statement that a position was read from."""
    said = plain_words(position.text)
    for each in board["statements"]:  # type: ignore[attr-defined]
        whole = plain_words(each["text"])
        if each["engineer"] == position.engineer and (said in whole or whole in said):
            return str(each["text"])
    return ""


def told_groups(
    found_all: Sequence[Contradiction], board: dict[str, object]
) -> Iterator[set[Pair]]:
    """Every contradiction that is told, as the pairs of different engineers' statements in it."""
    for found in found_all:
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


def measure(style: str, *, clerk: bool, half: str = "") -> Score:
    """All boards in one style, or one half of those with questions and answers."""
    known, rng = labels(half), random.Random(5)
    found: list[set[Pair]] = []
    may: set[Pair] = set()
    for board in boards(half):
        if clerk and style == "prose":
            board = {
                **board,
                "statements": [s for s in board["statements"] if rng.random() < RIGHT],
            }  # type: ignore[attr-defined]
        said = positions(board, "blocks" if clerk and style == "prose" else style)
        rulings = clerks(said, board, known, rng) if clerk else {}
        all_found = found_on(said, style, rulings)
        found += told_groups(all_found.contradictions, board)
        may |= {pair for group in told_groups(all_found.possible, board) for pair in group}
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
        sum(pair in told or pair in may for pair in real),
        (len(may - told), sum(known.get(p, "compatible") == "compatible" for p in may - told)),
    )


def one_scope(kind: str, half: str, style: str = "answers") -> tuple[int, int, int]:
    """How many compatible pairs under one scope are told as a contradiction, how many shown, and of how many."""
    pairs = [row for row in rows("one_scope") if (row["kind"], row["half"]) == (kind, half)]
    told = shown = 0
    for row in pairs:
        said = [{"engineer": e, "question": row["scope"], **row[e]} for e in "ab"]  # type: ignore[dict-item]
        found = found_on(positions({"statements": said}, style), style)
        told += bool(found.contradictions)
        shown += bool(found.possible)
    return told, shown, len(pairs)


def main() -> None:
    """Print the figures, and with ``--show`` what was missed and told falsely."""
    runs = [(style, "") for style in STYLES]
    runs += [(style, half) for half in HALVES for style in (*STYLES, *ANSWERS)]
    for style, half in runs:
        for clerk in (False, True):
            score = measure(style, clerk=clerk, half=half)
            print(
                f"{half:5}{style:8}{'with a clerk' if clerk else 'code alone':13} {score.told} of {score.real} told"
                f" = {score.told / score.real:.3f}; {len(score.alarms)} false, {score.fine} compatible pairs;"
                f" told or shown {score.shown / score.real:.3f}, %d shown, %d of them compatible"
                % score.pairs_shown
            )
            if "--show" in sys.argv:
                print("\n".join(f"  missed {each}" for each in score.missed))
                print("\n".join(f"  false  {each}" for each in score.alarms))
    for kind in ("side by side", "one thing in two words"):
        for half, style in product(HALVES, ANSWERS):
            print(
                f"{half:5}{style:8}compatible under one scope, {kind}: %d false, %d shown of %d"
                % one_scope(kind, half, style)
            )


if __name__ == "__main__":
    main()
