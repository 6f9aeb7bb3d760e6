"""What a loop puts on record, in the clone, for the commit that lands: contracts, check-ins, retros, notes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.errors import InfrastructureError
from guildmoot.loops.workshop import QUIET, git
from guildmoot.projects.checkins import list_checkins, write_checkin
from guildmoot.projects.errors import RecordError
from guildmoot.projects.events import append_event
from guildmoot.projects.sessions import write_retro
from guildmoot.projects.slugs import stamp
from guildmoot.projects.store import Project
from guildmoot.text.clean import count as counted

if TYPE_CHECKING:
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.loops.units import UnitContract
    from guildmoot.loops.values import Quarantine, UnitResult
    from guildmoot.loops.workshop import Workshop
    from guildmoot.model.report import RunReport
    from guildmoot.projects.manifest import Record

_TOLD = 20
"""Findings of one unit that the project's history names; the run has them all."""


@contextmanager
def records_at(root: Path, commit: str, inner: Path) -> Iterator[Path]:
    """A project's folder as a commit holds it, whatever is checked out; gone afterwards. Empty where it has none."""
    with tempfile.TemporaryDirectory(prefix="guild-records-") as place:
        folder, index = Path(place) / inner, Path(place) / "index"
        if git(root, "rev-parse", "-q", "--verify", f"{commit}:{inner}", fine=(0, 1, 128)):
            git(root, "read-tree", f"{commit}:{inner}", index=index)
            git(root, "checkout-index", "-a", f"--prefix={folder}/", index=index)
        yield folder


def commit_own(root: Path, path: Path, message: str) -> None:
    """Commit one file or folder of the project's records in the checkout, when it changed."""
    inner = str(path.relative_to(root)) if path.is_absolute() else str(path)
    git(root, "add", "-A", "--", inner)
    if git(root, "diff", "--cached", "--name-only", "--", inner).strip():
        git(root, *QUIET, "commit", "-q", "--no-verify", "-m", message, "--", inner)


class LoopRecords:
    """Writes the records of one phase."""

    def __init__(self, root: Path, shop: Workshop, place: PhasePlace) -> None:
        self._root, self._shop, self._place = root, shop, place
        self.last = 0
        """Number of the last check-in."""

    def change(self, work: Callable[[Project], object]) -> None:
        """Put something on record in the clone, for the phase's branch."""
        side = "" if self._place.base == self._place.branch else self._place.branch
        try:
            work(Project(str(self._shop.folder / self._place.inner), side))
        except RecordError as wrong:
            raise InfrastructureError(wrong.message) from None

    def count(self) -> None:
        """Go on from the last check-in that the clone has on record."""

        def look(project: Project) -> None:
            rows = list_checkins(project.read(), self._place.branch)
            numbers = (int(row["number"]) for row in rows if str(row["number"]).isdecimal())
            self.last = max(numbers, default=0)

        if (self._shop.folder / self._place.inner).is_dir():
            self.change(look)

    def note(self, text: str) -> None:
        """One event for whoever reads the project's history."""
        self.change(lambda project: append_event(project, "note", {"text": text}))

    def tier_contract(self, tier: int, items: Sequence[str], contract: UnitContract) -> str:
        """What holds for every unit of a tier, before the first one; nothing is approved by it."""
        rules = [f"Verification: `{command}`" for command in contract.verify]
        record = self._checkin(f"contract of tier {tier}", list(items))
        record["contract"] = {
            "goal": f"apply {contract.transformer.name} to all Tier {tier} items: {contract.goal}",
            "acceptance_criteria": [
                "Every item in this tier is updated, needs no change, or is left out with the evidence",
                *(f"`{command}` passes after each batch" for command in contract.verify),
                "No unrelated files modified",
            ],
            "rules_applied": rules,
            "disqualifiers": [
                "Any regression in what the verification covers",
                "Any file in scope left untouched without being told",
            ],
            "inputs": [f"{self._place.inventory} Tier {tier} items"],
        }
        agreed = self._agreed(record)
        if agreed:
            self.last -= 1
            return agreed
        record["verdict"] = {"result": "flagged", "reasons": ["a contract: not judged yet"]}
        self.change(lambda project: write_checkin(project, record))
        return str(record["number"])

    def _agreed(self, record: Record) -> str:
        """The check-in of an earlier run that holds the same contract."""
        found = ""

        def look(project: Project) -> None:
            nonlocal found
            for row in list_checkins(project.read(), self._place.branch):
                if (row["unit"], row["contract"]) == (record["unit"], record["contract"]):
                    found = str(row["number"])

        self.change(look)
        return found

    def unit(
        self, tier: int, done: UnitResult, contract: UnitContract, agreed: str, tree: str
    ) -> str:
        """What the panel flagged on the way, and how the unit ended, bound to the run and the tree."""
        for remedy in done.remedies:
            flagged = self._checkin(f"tier {tier}: flagged", list(remedy.files))
            flagged["execution"]["actions"] = [f"run {remedy.run} flagged it", remedy.action]
            flagged["verdict"] = {
                "result": "flagged",
                "reasons": list(remedy.reasons) or ["flagged"],
            }
            self._write(flagged, tier, contract, agreed)
        proofs = [f"{r.command}: exit code {r.code} in {r.seconds:.1f} s" for r in done.results]
        judged = "panel: nothing was changed"
        if done.report:
            seats = ", ".join(seated.seat.name for seated in done.report.seats)
            judged = f"panel: {done.report.verdict} by {seats or 'nobody'}"
        left_out = [f"{each.item}: {each.reason}" for each in (*done.bad, *done.flagged)]
        seen = [
            f"{told} ({each.first_line()})"
            for told, each in zip(left_out, (*done.bad, *done.flagged), strict=True)
        ]
        record = self._checkin(f"tier {tier}: {counted(len(done.changed), 'item')}", done.good)
        unchanged = [path for path in done.good if path not in done.changed]
        told = [f"left as they were: {', '.join(unchanged)}"] if unchanged else []
        record["execution"] = {
            "actions": [contract.transformer.name, *proofs, judged, *told], "files_touched": done.changed,
            "corrections": seen,
        }  # fmt: skip
        record["notes_for_pr"] = [f"left out {line}" for line in left_out] + [
            f"changed by {contract.transformer.name}",
            *([f"flagged units are mended by {contract.fixer.name}"] if contract.fixer else []),
        ]
        if done.report:
            self._judges(done.report, str(record["number"]))
        if done.changed:
            run = done.report.run_id if done.report else ""
            return self._write(record, tier, contract, agreed, run, tree)
        record["verdict"] = {
            "result": "flagged",
            "reasons": [*left_out, *told] or ["nothing was done"],
        }
        return self._write(record, tier, contract, agreed)

    def _judges(self, report: RunReport, unit: str) -> None:
        """Who judged a unit and what each found, in the words of the project's history."""
        place = {"slug": self._place.slug, "phase": self._place.number, "unit": unit}

        def write(project: Project) -> None:
            for seated in report.seats:
                append_event(project, "evaluator-spawned", {**place, "evaluator": seated.seat.name})
            for finding in (*report.blocking, *report.advisory)[:_TOLD]:
                detail = {"evaluator": finding.seat, "code": finding.code}
                severity = "blocking" if finding.blocking else "advisory"
                append_event(
                    project, "evaluator-finding-emitted", {**place, **detail, "severity": severity}
                )

        self.change(write)

    def _write(
        self, record: Record, tier: int, contract: UnitContract, agreed: str,
        run: str = "", tree: str = "",
    ) -> str:  # fmt: skip
        record["contract"] = {
            "goal": f"{contract.goal}, for {counted(len(record['scope']), 'item')} of tier {tier}",
            "acceptance_criteria": [], "disqualifiers": [], "inputs": [str(self._place.inventory)],
            "rules_applied": [f"tier-{tier} contract (see checkin {agreed})"],
        }  # fmt: skip
        home = str(self._root)
        self.change(lambda project: write_checkin(project, record, run, home, tree))
        return str(record["number"])

    def _checkin(self, unit: str, scope: list[str]) -> Record:
        self.last += 1
        nothing: Record = {"actions": [], "files_touched": [], "corrections": []}
        return {
            "schema_version": 1, "number": f"{self.last:02}", "created": stamp(),
            "phase": self._place.plain(), "branch": self._place.branch, "unit": unit,
            "execution": nothing, "scope": scope, "changes_since_previous": "", "notes_for_pr": [],
            "verdict": {"result": "approved", "reasons": []},
        }  # fmt: skip

    def retro(self, tier: int, findings: Sequence[tuple[str, str]]) -> None:
        """What was learnt in a tier; after one that is run again the newest counts."""
        retro = {
            "schema_version": 1, "type": "session", "created": stamp(), "phase": self._place.number,
            "tier": tier, "findings": [{"category": kind, "description": text} for kind, text in findings],
        }  # fmt: skip
        self.change(lambda project: write_retro(project, retro, again=True))


def tier_retro(
    row: Record, left_out: Sequence[Quarantine], next_size: int, blocker: str
) -> list[tuple[str, str]]:
    """The retro of a tier: what was processed, what went well, what did not, and what to change."""
    smooth = f"{row['landed']} landed, {row['unchanged']} left as they were"
    found = [
        ("kept-well", f"items_processed: {row['items']}"), ("kept-well", f"units: {row['units']}"),
        ("kept-well", "verification_at_close: green"), ("kept-well", f"what_went_smoothly: {smooth}"),
    ]  # fmt: skip
    bitten = [f"{each.item}: {each.reason}" for each in left_out] or ["nothing"]
    found += [("improvement", f"what_bit_us: {told}") for told in bitten]
    if next_size:
        told = f"adjustment_for_next: batches are of {next_size} items now"
        found.append(("process-change", told))
    return [*found, ("follow-up", f"blocker: {blocker}")] if blocker else found


def blocker_of(row: Record) -> str:
    """Why the next tier must not start, as the figures of this one show; empty when it may."""
    lost = int(row["quarantined"])
    if lost * 2 > int(row["items"]):
        return f"more than half of its items are in quarantine ({lost} of {row['items']})"
    return ""
