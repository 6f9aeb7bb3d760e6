"""The confidence loop: a bulk change in tiers, small and safe first, with proof at each step. Read it from the top.

pre-flight ─▶ inventory ─▶ tiers ─▶ units: transform ─▶ scope ─▶ verify ─▶ panel ─▶ one commit ─▶ retro, gate

Batches are changed and verified in a clone of their own; the checkout's branch moves only to what is proven. A
unit that fails is parted into what is good, which lands, and what is to blame, which is put into quarantine with the
evidence. Nothing that a transformer says has any effect: git and exit codes do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.loops.inventory import (
    DONE,
    OPEN,
    QUARANTINED,
    Inventory,
    InventoryItem,
    read_inventory,
    vanished,
    write_inventory,
)
from guildmoot.loops.survey import find_items, measure
from guildmoot.loops.tiers import HIGHEST, BatchSize, assign
from guildmoot.loops.units import (
    LoopReport,
    LoopRequest,
    LoopStop,
    Quarantine,
    UnitResult,
    UnitRunner,
    first_red,
    told_of,
)
from guildmoot.loops.workshop import Workshop, check_clean, git
from guildmoot.projects.checkins import content_hash
from guildmoot.projects.errors import RecordError
from guildmoot.projects.events import note_event
from guildmoot.projects.phases import find_phase, update_phase
from guildmoot.projects.sessions import write_retro
from guildmoot.projects.slugs import find_project, kebab, stamp
from guildmoot.projects.store import Project
from guildmoot.system.files import lock

if TYPE_CHECKING:
    from guildmoot.loops.units import Judge
    from guildmoot.projects.manifest import Record
    from guildmoot.projects.store import RecordChange

    Tell = Callable[[str], None]

_SLOW = 60.0


def run_confidence(request: LoopRequest, judge: Judge, tell: Tell) -> LoopReport:
    """Run the phase, or go on with it: what is ticked in the inventory is not done again."""
    loop = _Loop(request, judge, tell)
    return loop.plan() if request.dry_run else loop.run()


class _Loop:
    def __init__(self, request: LoopRequest, judge: Judge, tell: Tell) -> None:
        self.request, self._tell = request, tell
        try:
            folder = find_project(
                str(request.root / "projects" / request.slug) if _is_full(request) else request.slug
            )
            values = Project(folder).read()
            self.phase: Record = values["phases"][find_phase(values, request.phase)]
        except RecordError as wrong:
            raise UsageError(wrong.message) from None
        self.slug = Path(folder).name
        self._inner = Path(folder).resolve().relative_to(request.root.resolve())
        if self.phase["status"] == "completed":
            raise UsageError(
                f"phase {request.phase} {self.phase['name']} is completed", "Choose another one."
            )
        self.verify = request.verify or tuple(values["config"]["verification"])
        if not self.verify or not request.transform:
            missing = "--transform" if not request.transform else "--verify"
            raise UsageError(
                f"the loop needs {missing}",
                "e.g. --transform 'ruff check --fix {files}' --verify 'pytest -q'",
            )
        short = kebab(str(self.phase["name"]), "invalid-phase")
        self.scope = self._inner / short / "inventory.md"
        self.branch = str(self.phase.get("branch") or f"{self.slug[11:]}.{short}")
        self.shop = Workshop(request.root, f"{self.slug}-{request.phase}")
        self.inventory: Inventory | None = None
        self._checkins = [int(row["number"]) for row in values["checkins"]
                          if row["branch"] == self.branch and row["number"].isdecimal()]  # fmt: skip
        self._units = UnitRunner(request, self.shop, self.verify, judge)
        self.quarantined: list[Quarantine] = []
        self.unchanged: list[str] = []
        self.tiers: dict[int, Record] = {}

    # What would be done.

    def plan(self) -> LoopReport:
        """Items, tiers and batches, and nothing else."""
        inventory = self._read() or self._survey(self.request.root)
        tiers = []
        for tier in sorted({item.tier for item in inventory.items}):
            items = inventory.of_tier(tier)
            size = BatchSize(tier, self.request.batch).size
            units = -(-len(items) // size) if tier < HIGHEST else 0
            tiers.append({"tier": tier, "items": len(items), "units": units})
            for item in items:
                self._tell(f"tier {tier}  {item.path}  {item.note}")
        units = sum(row["units"] for row in tiers)
        action = f"run it without --dry-run: {units} units, at least {units + 1} runs of the verification"
        return self._report("planned", "nothing was changed", action, tiers)

    # The loop.

    def run(self) -> LoopReport:
        own = self.request.root / ".guild"
        own.mkdir(exist_ok=True)
        handle = lock(own / "loop.lock", wait=False)
        if handle is None:
            raise UsageError(
                "another loop is at work in this repository", "Wait for it, or stop it."
            )
        try:
            self._preflight()
            self._take_inventory()
            for tier in sorted({item.tier for item in self._items()}):
                if tier < HIGHEST:
                    self._run_tier(tier)
            return self._close()
        except LoopStop as stop:
            self.shop.reset()
            return self._report(stop.status, stop.reason, stop.next_action)
        finally:
            import os

            self.shop.close()
            os.close(handle)

    def _preflight(self) -> None:
        """A clean tree, the phase's branch, and a verification that passes before anything is changed."""
        check_clean(self.request.root)
        here = git(self.request.root, "branch", "--show-current").strip()
        if here != self.branch:
            known = git(self.request.root, "branch", "--list", self.branch).strip()
            words = (
                ("checkout", "-q", self.branch) if known else ("checkout", "-q", "-b", self.branch)
            )
            git(self.request.root, *words)
        self.shop.open()
        self._tell(f"branch {self.branch}; verifying before anything is changed")
        red = next((result for result in self._units.verify() if not result.passed), None)
        if red:
            raise LoopStop(
                "aborted",
                f"the verification is red before any change: {told_of(red)}",
                "make it pass first",
            )

    def _take_inventory(self) -> None:
        self.inventory = self._read()
        if self.inventory is None:
            self.shop.reset()  # what the verification left behind is no part of the work
            self.inventory = self._survey(self.shop.folder)
            if not self.inventory.items:
                raise LoopStop("completed", "nothing matches the pattern", "nothing is to be done")
            self._write_inventory()
            self._project(
                lambda project: update_phase(
                    project, self.request.phase, "in-progress", self.branch
                )
            )
            self._commit(f"[loop] inventory of {len(self.inventory.items)} items")
        gone = vanished(self.inventory, self._tracked())
        if gone:
            raise LoopStop(
                "gated", f"{len(gone)} items of the inventory are no longer there: {', '.join(gone[:5])}",
                f"look what moved, then mend or delete {self.scope}",
            )  # fmt: skip
        for item in self.inventory.items:
            if item.mark == QUARANTINED:
                self.quarantined.append(Quarantine(item.path, item.note, "from an earlier run"))

    def _run_tier(self, tier: int) -> None:
        size = BatchSize(tier, self.request.batch)
        waiting = self._open(tier)
        if not waiting:
            return
        counts = dict.fromkeys(("landed", "quarantined", "units"), 0)
        row = self.tiers[tier] = {"tier": tier, "items": len(waiting), **counts}
        while waiting:
            batch = [item.path for item in waiting[: size.size]]
            self._tell(f"tier {tier}: {len(batch)} of {len(waiting)} items left")
            landed, slow = self._run_unit(tier, batch)
            row["units"] += 1
            row["landed"] += len(landed)
            row["quarantined"] += len(batch) - len(landed)
            size.passed(slow) if len(landed) == len(batch) else size.failed()
            waiting = self._open(tier)
            gone = vanished(self._inventory(), self._tracked())
            if gone:
                raise LoopStop(
                    "gated",
                    f"items vanished: {', '.join(gone[:5])}",
                    "look what moved under the loop",
                )
        self._retro(tier, row)

    # One unit.

    def _run_unit(self, tier: int, batch: list[str]) -> tuple[list[str], bool]:
        """Prove a batch and land what is good; what landed, and whether proving it was slow."""
        done = self._units.run(batch)
        self.unchanged += [path for path in done.good if path not in done.changed]
        self._land(tier, done)
        return done.good, sum(result.seconds for result in done.results) > _SLOW

    def _land(self, tier: int, done: UnitResult) -> None:
        """One commit: the changes, the ticks and the check-in, in a tree that was verified; then the branch moves."""
        self.quarantined += done.bad
        inventory = self._inventory().marked(done.good, DONE)
        for each in done.bad:
            inventory = inventory.marked([each.item], QUARANTINED, each.reason)
        self.inventory = inventory
        self._write_inventory()
        number = self._next_checkin()
        record = self._checkin(number, tier, done)
        self._project(lambda project: _write(project, record))
        title = f"[loop] {self.phase['name']}: {len(done.changed)} items of tier {tier}"
        names = "\n".join(done.changed[:50])
        self._commit(f"{title}\n\n{names}\n\nCheck-in {number} of {self.branch}", done.changed)

    def _checkin(self, number: str, tier: int, done: UnitResult) -> Record:
        proofs = [f"{r.command}: exit code {r.code} in {r.seconds:.1f} s" for r in done.results]
        judged = f"panel: {done.report.verdict}" if done.report else "panel: nothing was changed"
        verdict: Record = {"result": "approved", "reasons": []}
        if done.changed:
            verdict["content"] = content_hash(str(self.shop.folder), done.changed)
        if done.report and done.report.run_id:
            verdict["run"] = done.report.run_id
        left_out = [f"{each.item}: {each.reason}" for each in done.bad]
        return {
            "schema_version": 1, "number": number, "created": stamp(),
            "phase": {"number": self.phase["number"], "name": self.phase["name"]}, "branch": self.branch,
            "unit": f"tier {tier}: {len(done.good)} items",
            "contract": {
                "goal": f"apply {self.request.transform} to {len(done.good)} items of tier {tier}",
                "acceptance_criteria": [*(f"{command} passes" for command in self.verify), "no other file changes"],
                "rules_applied": [f"tier-{tier} contract"], "disqualifiers": ["a file outside the batch changes"],
                "inputs": [str(self.scope)],
            },
            "execution": {
                "actions": [self.request.transform, *proofs, judged], "files_touched": done.changed,
                "corrections": left_out,
            },
            "scope": done.good, "changes_since_previous": "",
            "notes_for_pr": [f"quarantined {line}" for line in left_out], "verdict": verdict,
        }  # fmt: skip

    # Between tiers, and the end.

    def _retro(self, tier: int, row: Record) -> None:
        kept = f"{row['landed']} of {row['items']} items landed in {row['units']} units"
        left_out = self.quarantined[-row["quarantined"] :] if row["quarantined"] else []
        findings = [{"category": "kept-well", "description": kept}]
        findings += [
            {"category": "follow-up", "description": f"{each.item}: {each.reason}"}
            for each in left_out
        ]
        retro = {
            "schema_version": 1, "type": "session", "created": stamp(), "phase": self.phase["number"],
            "tier": tier, "findings": findings,
        }  # fmt: skip

        def write(project: Project) -> None:
            try:
                write_retro(project, retro)
            except RecordError as wrong:
                if wrong.code != "retro-already-exists":
                    raise

        self.shop.reset()
        self._project(write)
        if self.shop.changed():
            self._commit(f"[loop] retro of tier {tier}")
        self.shop.reset()
        red = first_red(self._units.verify())
        if red:
            raise LoopStop(
                "gated",
                f"the verification is red after tier {tier}: {told_of(red)}",
                "look at the branch",
            )

    def _close(self) -> LoopReport:
        check_clean(self.request.root)
        left = [item for item in self._items() if item.mark == OPEN and item.tier < HIGHEST]
        if left:
            raise LoopStop("gated", f"{len(left)} items were not done", "run the loop again")
        compose = f"loom pr compose {self.slug} --branch={self.branch}"
        action = f"{compose}, then loom pr open; the phase is completed when that is merged"
        return self._report("completed", "", action)

    # Small things.

    def _survey(self, folder: Path) -> Inventory:
        if not self.request.pattern:
            raise UsageError("the loop needs --pattern", "A glob, grep:REGEX or cmd:COMMAND.")
        found = find_items(folder, self.request.pattern, str(self._inner.parts[0]))
        signals = measure(folder, found)
        items = []
        for path in sorted(found):
            assigned = assign(path, signals[path], self.request.rules)
            items.append(InventoryItem(path, assigned.tier, OPEN, assigned.why))
        return Inventory(
            self.request.phase, str(self.phase["name"]), self.request.pattern, tuple(items)
        )

    def _read(self) -> Inventory | None:
        place = (self.shop.folder if self.shop.folder.exists() else self.request.root) / self.scope
        return read_inventory(place.read_text(encoding="utf-8")) if place.is_file() else None

    def _write_inventory(self) -> None:
        place = self.shop.folder / self.scope
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(write_inventory(self._inventory()), encoding="utf-8")

    def _inventory(self) -> Inventory:
        if self.inventory is None:
            raise InfrastructureError("there is no inventory yet")
        return self.inventory

    def _items(self) -> tuple[InventoryItem, ...]:
        return self._inventory().items

    def _open(self, tier: int) -> list[InventoryItem]:
        return self._inventory().of_tier(tier)

    def _tracked(self) -> list[str]:
        return [name for name in git(self.shop.folder, "ls-files", "-z").split("\0") if name]

    def _next_checkin(self) -> str:
        number = 1 + max(self._checkins, default=0)
        self._checkins.append(number)
        return f"{number:02}"

    def _project(self, work: Callable[[Project], object]) -> None:
        """Put something on record in the clone, for the phase's branch."""
        from guildmoot.projects.repository import default_branch, find_checkout

        checkout = find_checkout(str(self.request.root))
        target = default_branch(checkout, "") if checkout else ""
        side = "" if not target or target == self.branch else self.branch
        try:
            work(Project(str(self.shop.folder / self._inner), side))
        except RecordError as wrong:
            raise InfrastructureError(wrong.message) from None

    def _commit(self, message: str, changed: Sequence[str] = ()) -> None:
        commit = self.shop.commit(message, [str(self._inner), *changed])
        check_clean(self.request.root)
        self.shop.land(commit)

    def _report(
        self, status: str, reason: str, action: str, tiers: Sequence[Record] = ()
    ) -> LoopReport:
        items = self.inventory.items if self.inventory else ()
        done = tuple(
            item.path for item in items if item.mark == DONE and item.path not in self.unchanged
        )
        last = f"{max(self._checkins):02}" if self._checkins else ""
        return LoopReport(
            status, {"number": self.phase["number"], "name": self.phase["name"]}, self.branch,
            tuple(tiers) or tuple(self.tiers.values()), done, tuple(self.unchanged), tuple(self.quarantined),
            tuple(item.path for item in items if item.tier >= HIGHEST and item.mark == OPEN), last, reason, action,
            self._units.trials,
        )  # fmt: skip


def _is_full(request: LoopRequest) -> bool:
    return bool(re.match(r"\d{4}-\d{2}-\d{2}-", request.slug))


def _write(project: Project, record: Record) -> None:
    def make(change: RecordChange) -> None:
        change.add("checkins", record)
        numbered = {"number": record["number"], "branch": record["branch"]}
        note_event(change, "checkin-created", numbered)

    project.change(make)
