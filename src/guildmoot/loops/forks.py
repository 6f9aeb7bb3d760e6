"""A fork on the way of an armed loop: engineers on a whiteboard say what they hold, and a rule decides by that.

The panel only collects. Consensus is taken; otherwise another round, three at most; a word that a person must judge,
an empty roster, or a sixth fork in one phase ends in the escape hatch. The loop never decides alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.loops.armed import FORKS, ROUNDS, BudgetOut
from guildmoot.loops.records import commit_own
from guildmoot.practices.whiteboard.request import WhiteboardRequest
from guildmoot.projects.slugs import kebab
from guildmoot.reports.whiteboard import BoardReport
from guildmoot.system.files import read_own, write_atomic

Hold = Callable[[WhiteboardRequest], BoardReport]
"""Has a whiteboard run."""
_SILENT = re.compile(
    r"(?i)(?:(?:no (?:objections?|comments?)|nothing to add|agreed|silent|none)[.!]?)?"
)
_FOR_A_PERSON = ("operator-judgment", "operator-judgement")


class Convergence(NamedTuple):
    """What a round of the panel comes to."""

    next: str
    """``take``, ``again`` or ``person``."""
    text: str


def converge(report: BoardReport) -> Convergence:
    """The rule: a person's judgement that is called for wins, then contradictions, then what is held."""
    last = report.board.rounds[-1].sections if report.board.rounds else ()
    for section in last:
        if any(word in section.section.lower() for word in _FOR_A_PERSON):
            return Convergence("person", f"{section.engineer} says that a person must judge it")
    if not last or report.exit_code:
        return Convergence("person", "nobody answered on the board")
    if report.minutes.open:
        scopes = ", ".join(each.contradiction.scope for each in report.minutes.open[:3])
        return Convergence("again", f"the engineers contradict each other on {scopes}")
    speakers = {each.engineer for each in last if not _SILENT.fullmatch(each.section.strip())}
    if not speakers:
        return Convergence("take", "")  # a silent panel: nobody objects to what was proposed
    sides = report.minutes.decisions
    shared = [
        each
        for each in sides
        if each.stance == "adopt"
        and speakers <= set(each.engineers)
        and all(
            position.names_scope for position in each.positions
        )  # said as a choice, not in prose
    ]
    alone = [each for each in shared if [side.scope for side in sides].count(each.scope) == 1]
    if alone:
        return Convergence("take", "; ".join(each.said for each in alone))
    return Convergence("again", "the engineers hold no one thing together")


class ForkPanel:
    """The forks of one phase; how many there were outlives the run."""

    def __init__(
        self, root: Path, folder: Path, key: str, engineers: Sequence[str], hold: Hold
    ) -> None:
        self._root, self._folder, self._engineers, self._hold = root, folder, engineers, hold
        self._count = root / ".guild" / "loops" / f"{key}.forks.json"
        self.rounds = 0
        self.undecided: list[str] = []
        """What a person needs to decide it."""

    @property
    def held(self) -> int:
        """Panels so far."""
        try:
            value = json.loads(read_own(self._count) or b"0")
        except (OSError, ValueError):
            return FORKS  # a count that cannot be read is no licence to start anew
        return value if isinstance(value, int) and value >= 0 else FORKS

    def settle(self, question: str, proposal: str) -> str:
        """What the panel holds; BudgetOut when it does not come to one thing."""
        if not self._engineers:
            self._leave(question, proposal)
            raise BudgetOut(f"no engineer can be asked about: {question}", "empty-roster")
        if self.held >= FORKS:
            self._leave(question, proposal)
            raise BudgetOut(
                f"this phase had {FORKS} panels already; undecided: {question}", "fork-cap"
            )
        number = self.held + 1
        self._count.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(self._count, json.dumps(number).encode())
        board = (
            self._folder / "plans" / f"fork-{number:02}-{kebab(question, 'invalid-topic')[:40]}.md"
        )
        brief = f"{question}\n\nProposed: {proposal}" if proposal else question
        for round_number in range(1, ROUNDS + 1):
            self.rounds += 1
            report = self._hold(
                WhiteboardRequest(
                    brief, tuple(self._engineers), board, self._root, rounds=round_number
                )
            )
            found = converge(report)
            if found.next == "take":
                commit_own(self._root, board, f"[loop] fork {number}: {question}"[:120])
                return found.text or proposal
            if found.next == "person":
                self._leave(question, proposal, board)
                raise BudgetOut(f"{found.text}: {question}", "operator-judgment")
        self._leave(question, proposal, board)
        raise BudgetOut(
            f"undecided after {ROUNDS} rounds, {found.text}: {question}", "round-budget"
        )

    def _leave(self, question: str, proposal: str, board: Path | None = None) -> None:
        proposed = f" Proposed: {proposal}." if proposal else ""
        said = f" Who said what: {board.relative_to(self._root)}." if board else ""
        self.undecided.append(f"{question}{proposed}{said} Answer it with --decision '...'")
