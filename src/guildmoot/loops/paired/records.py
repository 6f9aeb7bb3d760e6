"""What a proven unit of paired work leaves on record, in the clone, for the commit that lands."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import InfrastructureError
from guildmoot.loops.hatch import keep_out
from guildmoot.loops.paired.signals import (
    ADR_MARK,
    RECURS,
    ScopeSignal,
    WorkContract,
    concurring,
    scope_signals,
)
from guildmoot.practices.whiteboard.boards import WHITEBOARD
from guildmoot.practices.whiteboard.minutes import summarise_board
from guildmoot.projects.checkins import write_checkin
from guildmoot.projects.documents import write_adr
from guildmoot.projects.errors import RecordError
from guildmoot.projects.events import append_event
from guildmoot.projects.findings import FindingRow, append, count, harvest
from guildmoot.projects.phases import update_phase
from guildmoot.projects.slugs import stamp
from guildmoot.projects.store import Project
from guildmoot.system.files import write_atomic

if TYPE_CHECKING:
    from guildmoot.loops.paired.judging import UnitVerdict
    from guildmoot.loops.paired.pairing import InteractiveRequest
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.loops.values import CommandResult
    from guildmoot.loops.workshop import Workshop
    from guildmoot.model.report import RunReport
    from guildmoot.projects.manifest import Record

_STREAM = ".guild-findings.jsonl"


class PairedUnit(NamedTuple):
    """A unit that the panel approved."""

    text: str
    contract: WorkContract
    paths: list[str]
    results: list[CommandResult]
    judged: UnitVerdict
    notes: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    """What was wrong before it was approved."""

    @property
    def report(self) -> RunReport:
        return self.judged.report


class UnitOutcome(NamedTuple):
    """What followed from a unit beside its own records."""

    signals: list[ScopeSignal]
    accepted: bool
    """The plan is to be revised first."""
    more: list[str]
    """Further files for the commit."""


class UnitRecords:
    """Writes the records of one phase's units."""

    def __init__(self, root: Path, shop: Workshop, place: PhasePlace) -> None:
        self._root, self._shop, self._place = root, shop, place
        self.last = max(place.checkins, default=0)
        self._stream = b""

    def write(
        self, unit: PairedUnit, request: InteractiveRequest, board: Path, boundary: str,
        agree: Callable[[str], bool], accept: Callable[[str], bool],
    ) -> UnitOutcome:  # fmt: skip
        """Findings, signals, decisions and the check-in of a unit."""
        tree = self._shop.tree(unit.paths)
        notes = [*unit.notes, *unit.corrections, *self._recurring(unit)]
        notes.append(f"criteria of {unit.text}: {unit.judged.criteria}")
        findings = (*unit.report.blocking, *unit.report.advisory)
        signals = scope_signals(findings, request.comment, _contradictions(board), boundary)
        accepted = False
        if concurring(signals):
            told = "; ".join(f"{each.source}: {each.text}" for each in signals)
            detail = {"slug": self._place.slug, "phase": self._place.number}
            self._event(
                "scope-shift-detected",
                {**detail, "unit": unit.text, "signal_count": len(signals), "signals": told},
            )
            accepted = accept(told)
            if accepted:
                self._event("rpi-inner-triggered", {**detail, "trigger": told})
            else:
                self._event("rpi-inner-declined", {**detail, "signal_count": len(signals)})
        else:
            notes += [
                f"signal: {each.source}: {each.text} (single signal; no revise offered)"
                for each in signals
            ]
        more = self._decisions(unit, notes, agree)
        self._checkin(unit, notes, tree)
        return UnitOutcome(signals, accepted, more)

    def _recurring(self, unit: PairedUnit) -> list[str]:
        """Put every finding on the stream; what is there for the third time is a correction to be made."""
        notes = []
        place, branch = self._place, self._place.branch
        if keep_out(self._root):
            self._shop.keep_repository()
        keep_out(self._shop.folder)
        here = self._root / place.inner / _STREAM
        there = self._shop.folder / place.inner / _STREAM
        if here.is_file():
            there.write_bytes(here.read_bytes())
        blocking = {*unit.report.blocking}
        for finding in (*unit.report.blocking, *unit.report.advisory):
            row = FindingRow(
                place.slug, finding.seat, finding.code, finding.title,
                "blocking" if finding in blocking else "advisory", branch, unit.text,
            )  # fmt: skip
            append(self._shop.folder, row, datetime.now(UTC))
            times = count(self._shop.folder, row)
            if times >= RECURS:
                notes.append(
                    f"correction: recurring: {finding.code}: {finding.title} ({times} times)"
                )
        if there.is_file():
            self._change(lambda project: harvest(project, branch))
            self._stream = there.read_bytes()
        return notes

    def keep_stream(self) -> None:
        """The findings' stream in the checkout, once the unit landed."""
        if self._stream:
            write_atomic(self._root / self._place.inner / _STREAM, self._stream)
            self._stream = b""

    def _decisions(
        self, unit: PairedUnit, notes: Sequence[str], agree: Callable[[str], bool]
    ) -> list[str]:
        """Notes that are marked as decisions become decision records, when somebody agrees."""
        made = []
        for note in notes:
            if ADR_MARK not in note:
                continue
            title = " ".join(note.replace(ADR_MARK, "").split())[:120]
            detail = {"slug": self._place.slug, "phase": self._place.number, "unit": unit.text}
            if not agree(title):
                self._event("adr-emit-declined", {**detail, "marker_excerpt": title})
                continue
            done = write_adr(title, "", "accepted", commit=False)
            path = Path(done["path"])
            inner = os.path.relpath(path, os.path.realpath(self._root))
            target = self._shop.folder / inner
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
            path.unlink()  # it comes back with the commit
            made.append(inner)
            self._event(
                "adr-emitted",
                {
                    **detail,
                    "adr_number": done["number"],
                    "adr_path": inner,
                    "marker_excerpt": title,
                },
            )
        return made

    def _checkin(self, unit: PairedUnit, notes: list[str], tree: str) -> None:
        self.last += 1
        proofs = [f"{r.command}: exit code {r.code} in {r.seconds:.1f} s" for r in unit.results]
        panel = f"panel: {unit.report.verdict} by {', '.join(unit.judged.judges) or 'nobody'}"
        contract = unit.contract
        record: Record = {
            "schema_version": 1, "number": f"{self.last:02}", "created": stamp(),
            "phase": self._place.plain(), "branch": self._place.branch, "unit": unit.text,
            "contract": {
                "goal": contract.goal, "acceptance_criteria": list(contract.criteria),
                "rules_applied": list(contract.rules), "disqualifiers": list(contract.disqualifiers),
                "inputs": list(contract.inputs),
            },
            "execution": {
                "actions": [*proofs, panel, f"criteria: {unit.judged.criteria}"], "files_touched": unit.paths,
                "corrections": [note for note in notes if note.startswith("correction:")],
            },
            "scope": unit.paths, "changes_since_previous": "", "notes_for_pr": notes,
            "verdict": {"result": "approved", "reasons": []},
        }  # fmt: skip
        number, branch = self._place.number, self._place.branch
        self._change(lambda project: update_phase(project, number, "in-progress", branch))
        home = str(self._root)
        self._change(lambda project: write_checkin(project, record, unit.report.run_id, home, tree))

    def _event(self, name: str, detail: Record) -> None:
        self._change(lambda project: append_event(project, name, detail))

    def _change(self, work: Callable[[Project], object]) -> None:
        side = "" if self._place.base == self._place.branch else self._place.branch
        try:
            work(Project(str(self._shop.folder / self._place.inner), side))
        except RecordError as wrong:
            raise InfrastructureError(wrong.message) from None


def _contradictions(board: Path) -> list[str]:
    """What the engineers of the phase's board do not agree on, from its second round on."""
    if not board.is_file():
        return []
    minutes = summarise_board(board, WHITEBOARD).minutes
    return [each.contradiction.scope for each in minutes.open if each.last_round > 1]
