"""Print how many contradictions on whole boards are told: by code alone, and with a clerk.

    python benchmarks/boards.py [--show]

Twelve boards of three engineers, written by topic, each as blocks of decisions under the engineers' own names for their
scopes, and as prose. Which statements contradict was decided afterwards by the same hand over shuffled pairs, without scopes or
names (``board_labels.jsonl``); pairs of different topics that were not drawn count as compatible. The clerk is scripted:
right 95 times of 100, and it only sees the pairs that code puts to it. It puts prose into blocks first, and loses one
statement in twenty there.

Ten more boards (``answers.jsonl``) stand as they would in a second round: scopes are questions that are used again, with
the answer in a few words. Half of them (``held``) were only counted. The pairs of ``one_scope.jsonl`` are compatible.

Ten boards (``fresh.jsonl``) were written with their labels before their author had read a rule; each engineer writes
prose in a way of its own: paragraphs, a list, paragraphs led in bold, or a table. The rules were mended by the open half;
the held one was only counted. All pairs of ``side_by_side.jsonl`` are compatible, under one scope.

Twelve boards (``unread.jsonl``) and 142 compatible pairs under one scope (``unread_pairs.jsonl``) were written and committed
before their author had read a rule; the rules were chosen by the open half, the held one was counted once. They stand in
blocks under the engineers' own names, in prose, and as questions with answers.

Eight boards (``forms.jsonl``) and 40 compatible answers to one question (``form_pairs.jsonl``) were written with their
labels before the rules for Markdown; they stand in Markdown too, each engineer in a way of its own. The held half was
only counted.

*Firm* is what code is certain of; *possible* is shown as a pair that nobody has decided. Told is either. Precision is
the share of possible pairs that contradict; pairs labelled unclear count for neither.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.consensus.board.contradictions import (
    Contradiction,
    Rulings,
    find_contradictions,
    pair_key,
    propose_pairs,
)
from guildmoot.consensus.board.positions import BoardPosition
from guildmoot.consensus.board.scopes import align
from guildmoot.reading.clerk.pairs import plain_words
from guildmoot.reading.decisions import read_decisions

DATA = Path(__file__).parent.parent / "tests" / "data" / "whiteboard"
STYLES = ("blocks", "prose")
ANSWERS = ("answers",)
HALVES = ("open", "held")
FRESH = ("fresh open", "fresh held")
UNREAD = ("unread open", "unread held")
FORMS = ("forms open", "forms held")
RIGHT = 0.95
MOST_PAIRS = 96
"""As many as a run of a whiteboard asks about after a round."""

Pair = frozenset[str]


class Score(NamedTuple):
    """What was told of the boards in one style."""

    real: int
    firm: int
    """Pairs that contradict and were told as certain, by code or a clerk."""
    fine: int
    """Pairs that were found compatible by whoever labelled them."""
    alarms: tuple[str, ...]
    """Firm contradictions that hold no two statements that contradict, or may."""
    missed: tuple[str, ...]
    told: int = 0
    """Pairs that contradict and were told, as certain or as possible."""
    possible: tuple[int, int] = (0, 0)
    """Pairs that were told as possible, and how many of them do not contradict."""

    @property
    def precision(self) -> float:
        """The share of the possible pairs that contradict."""
        pairs, compatible = self.possible
        return 1 - compatible / pairs if pairs else 1.0


def boards(half: str = "") -> list[dict[str, object]]:
    """The boards, each with its statements; with ``half`` those that have questions and answers."""
    if not half:
        return rows("boards")
    *name, part = half.split()
    return [board for board in rows(*name or ["answers"]) if board["half"] == part]


def worded(board: dict[str, object], style: str) -> dict[str, object]:
    """The board with its statements as they stand in prose, where they were written so."""
    said = board["statements"]
    if style == "prose":
        said = [{**each, "text": each.get("prose", each["text"])} for each in said]  # type: ignore[attr-defined]
    return {**board, "statements": said}


def rows(name: str) -> list[dict[str, object]]:
    """The rows of one file."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_bytes().splitlines()]


def labels(half: str = "", style: str = "blocks") -> dict[Pair, str]:
    """The label of each pair of statements; what is not among them is compatible."""
    if not half:
        return {frozenset((row["a"], row["b"])): row["label"] for row in rows("board_labels")}  # type: ignore[misc]
    found = {}
    for board in boards(half):
        said = {each["id"]: each["text"] for each in worded(board, style)["statements"]}  # type: ignore[attr-defined]
        for label in ("contradict", "unclear"):
            found |= {frozenset((said[a], said[b])): label for a, b in board.get(label, ())}  # type: ignore[attr-defined]
    return found


def section(statements: list[dict[str, str]], style: str, way: str = "para") -> str:
    """What one engineer writes."""
    texts = [each["text"] for each in statements]
    if style == "markdown":
        return in_markdown(statements, way)
    if style == "prose" and way == "bullets":
        return "My view:\n\n" + "\n".join(f"- {text}" for text in texts)
    if style == "prose" and way == "bold":
        return "I thought about each part.\n\n" + "\n\n".join(texts)
    if style == "prose" and way == "table":
        cells = [f"| {each['scope']} | {each['text']} |" for each in statements]
        return "\n".join(["My decisions:", "", "| Topic | Decision |", "|---|---|", *cells])
    if style == "prose":
        return "My view of it. " + " ".join(texts)
    keys = ("question", "answer") if style in ANSWERS else ("scope", "")
    entries = [
        f"- scope: {each[keys[0]]}\n  stance: {each.get('stance', 'adopt')}\n"
        f"  answer: {each.get(keys[1], '')}\n  text: {each['text']}\n  cited: none"
        for each in statements
    ]
    return "My view.\n\n```decisions\n" + "\n".join(entries) + "\n```"


def in_markdown(statements: list[dict[str, str]], way: str) -> str:
    """Questions with their answers, as an engineer sets them."""
    said = [
        (each["question"], f"{each['answer'].capitalize()}. {each['text']}") for each in statements
    ]
    if way == "table":
        return "\n".join(
            ["| Question | Answer |", "|---|---|", *(f"| {q} | {a} |" for q, a in said)]
        )
    if way == "bullets":
        return "\n".join(f"{at}. {q} - {a}" for at, (q, a) in enumerate(said, 1))
    if way == "bold":
        return "\n\n".join(f"**Q: {q}** {a}" for q, a in said)
    return "\n\n".join(f"## {q}\n\n{a}" for q, a in said)


def positions(board: dict[str, object], style: str) -> tuple[BoardPosition, ...]:
    """What is read from the board, as a round of it would be."""
    by_engineer: dict[str, list[dict[str, str]]] = {}
    ways: dict[str, str] = board.get("styles", {})  # type: ignore[assignment]
    for each in board["statements"]:  # type: ignore[attr-defined]
        by_engineer.setdefault(each["engineer"], []).append(each)
    return align(
        BoardPosition(engineer, 2, d.scope, d.stance, d.text, d.cited, d.answer)
        for engineer, said in by_engineer.items()
        for d in read_decisions(section(said, style, ways.get(engineer, "para")))
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
    rulings: dict[frozenset[tuple[str, str]], bool | None] = {}
    likely = {pair_key(*pair) for pair in find_contradictions(said).undecided}
    for a, b in propose_pairs(said)[:MOST_PAIRS]:
        label = known.get(frozenset((statement(a, board), statement(b, board))), "compatible")
        first, second = ((label == "contradict") == (rng.random() < RIGHT) for _ in range(2))
        # what contradicts must be said twice, and of a likely pair also that it does not
        doubted = (first or pair_key(a, b) in likely) and first != second
        rulings[pair_key(a, b)] = None if label == "unclear" or doubted else first
    return rulings


def measure(style: str, *, clerk: bool, half: str = "", seed: int = 5) -> Score:
    """All boards in one style, or one half of those with questions and answers."""
    known, rng = labels(half, style), random.Random(seed)
    found: list[set[Pair]] = []
    may: set[Pair] = set()
    for board in (worded(each, style) for each in boards(half)):
        if clerk and style == "prose":
            board = {
                **board,
                "statements": [s for s in board["statements"] if rng.random() < RIGHT],
            }  # type: ignore[attr-defined]
        said = positions(board, "blocks" if clerk and style == "prose" else style)
        rulings = clerks(said, board, known, rng) if clerk else {}
        all_found = find_contradictions(said, rulings)
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
        tuple(" || ".join(sorted(pair)) for pair in real if pair not in told | may),
        sum(pair in told or pair in may for pair in real),
        _possible(may - told, known),
    )


def _possible(pairs: set[Pair], known: dict[Pair, str]) -> tuple[int, int]:
    decided = [pair for pair in pairs if known.get(pair) != "unclear"]
    return len(decided), sum(known.get(pair, "compatible") == "compatible" for pair in decided)


def one_scope(kind: str, half: str) -> tuple[int, int, int]:
    """How many compatible pairs under one scope are told as a contradiction, how many shown, and of how many."""
    pairs = [row for row in rows("one_scope") if (row["kind"], row["half"]) == (kind, half)]
    told = shown = 0
    for row in pairs:
        said = [{"engineer": e, "question": row["scope"], **row[e]} for e in "ab"]  # type: ignore[dict-item]
        found = find_contradictions(positions({"statements": said}, "answers"))
        told += bool(found.contradictions)
        shown += bool(found.possible)
    return told, shown, len(pairs)


def side_by_side(half: str, name: str = "side_by_side") -> tuple[int, int, int]:
    """The same of compatible pairs in sentences of their own."""
    pairs = [row for row in rows(name) if row["half"] == half]
    found = []
    for row in pairs:
        said = [BoardPosition(e, 1, str(row["scope"]), "adopt", str(row[e])) for e in "ab"]
        found.append(find_contradictions(align(said)))
    return (
        sum(bool(each.contradictions) for each in found),
        sum(bool(each.possible) for each in found),
        len(pairs),
    )


def main() -> None:
    """Print the figures, and with ``--show`` what was missed and told falsely."""
    runs = [(style, "") for style in STYLES]
    runs += [(style, half) for half in HALVES for style in (*STYLES, *ANSWERS)]
    runs += [(style, half) for half in FRESH for style in STYLES]
    runs += [(style, half) for half in UNREAD for style in (*STYLES, *ANSWERS)]
    runs += [(style, half) for half in FORMS for style in (*STYLES, *ANSWERS, "markdown")]
    if "--open" in sys.argv:  # what may be looked at while rules are chosen
        runs = [(style, half) for style, half in runs if "held" not in half]
    for style, half in runs:
        for clerk in (False, True):
            score = measure(style, clerk=clerk, half=half)
            print(
                f"{half:12}{style:8}{'with a clerk' if clerk else 'code alone':13} of {score.real}: firm {score.firm}"
                f" = {score.firm / score.real:.2f}, firm or possible {score.told} = {score.told / score.real:.2f};"
                f" {len(score.alarms)} firm and false; {score.possible[0]} possible, precision {score.precision:.2f}"
            )
            if "--show" in sys.argv:
                print("\n".join(f"  missed {each}" for each in score.missed))
                print("\n".join(f"  false  {each}" for each in score.alarms))
    for kind in ("side by side", "one thing in two words"):
        for half in HALVES:
            print(
                f"{half:5}compatible under one scope, {kind}: %d false, %d shown of %d"
                % one_scope(kind, half)
            )
    compatible = [(half, "side_by_side") for half in (*HALVES, "second")]
    for half, name in (*compatible, *((half, "unread_pairs") for half in HALVES)):
        if half != "held" or "--open" not in sys.argv:
            found = side_by_side(half, name)
            print(f"{half:7}compatible sentences ({name}): %d firm, %d possible of %d" % found)


if __name__ == "__main__":
    main()
