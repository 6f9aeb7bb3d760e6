"""The confidence loop: a bulk change in tiers, small and safe first, with proof at each step. Read it from the top.

pre-flight ─▶ inventory ─▶ agreement ─▶ tiers: units ─▶ one commit each ─▶ retro, gate ─▶ pull request

Batches are changed and verified in a clone of their own; the checkout's branch moves only to what is proven. A
unit that fails is parted into what is good, which lands, and what is to blame, which is put into quarantine with the
evidence. Nothing that a transformer says has any effect: git and exit codes do.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from guildmoot.errors import InfrastructureError, Interrupted
from guildmoot.loops.close import PhasePull, should_checkpoint
from guildmoot.loops.confidence.batches import Crew
from guildmoot.loops.confidence.estimate import LoopEstimate, count_units, estimate
from guildmoot.loops.confidence.history import read_proof, tier_rows
from guildmoot.loops.confidence.inventory import DONE, FLAGGED, OPEN, QUARANTINED, UNCHANGED
from guildmoot.loops.confidence.preview import blobs_of, check_unmoved
from guildmoot.loops.confidence.scope import PhaseScope
from guildmoot.loops.confidence.tiers import HIGHEST, BatchSize
from guildmoot.loops.contract import make_contract
from guildmoot.loops.hatch import forget_stop
from guildmoot.loops.phase import find_place, make_project
from guildmoot.loops.questions import settle, start_question
from guildmoot.loops.records import LoopRecords, blocker_of, tier_retro
from guildmoot.loops.state import LoopState
from guildmoot.loops.units import first_red, told_of
from guildmoot.loops.values import (
    LoopInterrupted,
    LoopPosition,
    LoopReport,
    LoopRequest,
    LoopStop,
    LoopTools,
    Quarantine,
    Question,
    UnitResult,
)
from guildmoot.loops.workshop import (
    Workshop,
    check_clean,
    check_free,
    copies_of,
    git,
    tip_of,
)
from guildmoot.projects.phases import update_phase

if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

_SLOW = 60.0
"""Seconds above which a verification that takes twice as long as at the start lets batches shrink."""


class ConfidenceLoop:
    """One run of the loop on one phase."""

    def __init__(self, request: LoopRequest, tools: LoopTools) -> None:
        self.request, self.tools = request, tools
        self._tell = tools.watcher.tell
        self.place = find_place(request)
        self.contract, self._applied = make_contract(request, self.place, tools.employ)
        copies = copies_of(request.root, request.copies)
        self.shop = Workshop(request.root, self.place.key, tools.stopped, copies)
        self.scope = PhaseScope(request, self.place, self.shop)
        self.state = LoopState(request.root, self.place.key)
        self.records = LoopRecords(request.root, self.shop, self.place)
        self.pulls = PhasePull(request.root, self.place, request.limits, request.stacked_on)
        self.crew = Crew(request, self.shop, self.contract, tools)
        self.quarantined: list[Quarantine] = []
        self.flagged: list[Quarantine] = []
        self.tiers: dict[int, Record] = {}
        self._still: tuple[str, ...] = ()
        self._pull: Record | None = None
        self._second: Record | None = None
        self._expected: LoopEstimate | None = None
        self._baseline: float | None = None
        self._seconds: list[float] = []
        self._usd = 0.0
        self._units_since = 0
        self._waiting: list[UnitResult] = []
        """Units that are committed in the clone, and land with the next one."""

    # The loop.

    def run(self) -> LoopReport:
        """Carry the phase out, up to its pull request."""
        try:
            return self._run()
        except LoopStop as stop:
            if stop.gate:
                self.state.close_gate(stop.status, stop.reason)
                self.tools.trace.gate("tier", "closed", stop.reason)
            return self.report(stop.status, stop.reason, stop.next_action)
        except InfrastructureError as wrong:
            action = wrong.hint or self.request.command
            return self.report("infrastructure", wrong.message, action)
        except Interrupted:
            landed = f"stopped; {len(self.scope.done())} items landed and stay"
            raise LoopInterrupted(self.report("stopped", landed, self.request.command)) from None
        finally:
            self.crew.close()

    def _run(self) -> LoopReport:
        self._check_gate()
        self._preflight()
        self._take_inventory()
        self._agree()
        self._begin()
        for tier in self.scope.tiers:
            self._run_tier(tier)
        return self._close()

    def _check_gate(self) -> None:
        """A gate that was closed is opened by a person alone; a phase that was merged is done."""
        closed = self.state.closed
        if closed:
            question = Question(f"the last run stopped: {closed}. Go on?", "--resume")
            self._settle(question, self.request.resume, "gated")
            self.state.open_gate()
        if self.place.status == "in-progress" and self.pulls.state() == "MERGED":
            update = f"loom phase update {self.place.slug} {self.place.number} --status=completed"
            raise LoopStop("completed", "the pull request of this phase is merged", update)

    def _settle(self, question: Question, given: bool, status: str = "aborted") -> None:
        settle(question, given, self.tools.ask, self.request.command, status)

    def _preflight(self) -> None:
        """A clean tree, and a verification that passes before anything is changed."""
        check_clean(self.request.root)
        if not self.request.verify:
            told = "; ".join(self.contract.verify)
            text = f"the project's manifest names the verification: {told}. Run it?"
            self._settle(Question(text, "--yes"), self.request.yes)
        self.shop.open(self.start())
        self._tell("verifying before anything is changed")
        results = self.crew.first.verify()
        self._baseline = sum(result.seconds for result in results)
        red = first_red(results)
        if red:
            reason = f"the verification is red before any change: {told_of(red)}"
            mend = "make it pass first; a clone has what git tracks, --with PATH copies what it ignores"
            raise LoopStop("aborted", reason, mend)
        self.shop.reset()  # what the verification left behind is no part of the work

    def start(self) -> str:
        """The commit that the work starts from: the tip of the phase's branch, or where the checkout is."""
        return self._is_cut() or git(self.request.root, "rev-parse", "HEAD").strip()

    def _is_cut(self) -> str:
        return tip_of(self.request.root, self.place.branch)

    def _take_inventory(self) -> None:
        self.scope.take()
        if not self.scope.items:
            raise LoopStop("aborted", "nothing matches the pattern", "look at --pattern")
        self.scope.check_there()
        self.tools.admit(self.scope.waiting())
        if self.request.resume:
            self.scope.reopen_flagged()
        seen = self.state.evidence()
        self.quarantined += self.scope.marked(QUARANTINED, seen)
        self.flagged += self.scope.marked(FLAGGED, seen)
        if self._applied is not None:
            now = blobs_of(self.shop.folder, self.scope.waiting(), self.shop.base)
            check_unmoved(self._applied, now, self.request.command)

    def _agree(self) -> None:
        """The contract of all tiers, before the first change: a person agrees, or a flag did."""
        expected = self.estimate()
        if not expected.items:
            return
        if self.place.new:
            check_free(self.request.root, self.place.branch)
        self._tell(f"estimate: {expected.line()}")
        here = git(self.request.root, "branch", "--show-current").strip()
        where = "" if here == self.place.branch else self.place.branch
        cut_from = "" if self._is_cut() else here or "the commit that is checked out"
        routed = len(self.scope.routed())
        question = start_question(self.contract, expected.items, where, cut_from, routed)
        self._settle(question, self.request.yes)

    def estimate(self) -> LoopEstimate:
        """What the items that wait will take."""
        usd = self.request.max_usd if self.request.implementer else 0.0
        batch, jobs = self.request.batch, self.request.jobs
        self._expected = estimate(self.scope.counts(), batch, self._baseline, usd, jobs)
        return self._expected

    def _begin(self) -> None:
        """The phase's branch in the checkout, and the inventory on record."""
        root, branch = self.request.root, self.place.branch
        if git(root, "branch", "--show-current").strip() != branch:
            git(root, "checkout", "-q", *(() if self._is_cut() else ("-b",)), branch)
        if self.place.new:
            make_project(self.shop.folder, self.place)
        first = not (self.shop.folder / self.place.inventory).is_file()
        if self.scope.put():
            if first:
                number = self.place.number
                self.records.change(lambda p: update_phase(p, number, "in-progress", branch))
            self._commit(f"[loop] inventory of {len(self.scope.items)} items")

    # Tiers.

    def _run_tier(self, tier: int) -> None:
        size = BatchSize(tier, self.request.batch)
        waiting = self.scope.waiting(tier)
        if not waiting:
            return
        self.tools.boundary(self.scope.boundary("tier"))
        agreed = self.records.tier_contract(tier, waiting, self.contract)
        if self.shop.changed():
            self._commit(f"[loop] contract of tier {tier}")
        counts = dict.fromkeys(("landed", "unchanged", "quarantined", "flagged", "units"), 0)
        row = self.tiers[tier] = {"tier": tier, "items": len(waiting), **counts}
        while waiting:
            self._show(tier, row, size, len(waiting))
            started = time.monotonic()
            batches = size.cut(waiting, self.request.jobs)
            for done in self.crew.prove(batches):
                self._land(row, done, agreed, size)
                if done.last:
                    self.tools.boundary(self.scope.boundary("unit"))
            self._seconds.append((time.monotonic() - started) / len(batches))
            waiting = self.scope.waiting(tier)
            self.scope.check_there()
            if should_checkpoint(False, self._units_since, green=True):
                self._checkpoint()
        self._end_tier(tier, row, size)

    def _show(self, tier: int, row: Record, size: BatchSize, waiting: int) -> None:
        """Where the loop is, and how long it will take by what its units took so far."""
        here = count_units(waiting, tier, self.request.batch, size)
        left = self._expected.seconds if self._expected else None
        if self._seconds:
            later = {each: count for each, count in self.scope.counts().items() if each > tier}
            units = here + sum(
                count_units(n, each, self.request.batch) for each, n in later.items()
            )
            left = units * sum(self._seconds) / len(self._seconds)
        doable = [item.mark for item in self.scope.items if item.tier < HIGHEST]
        number, done = row["units"] + 1, len(doable) - doable.count(OPEN)
        self.crew.position = LoopPosition(
            tier, number, row["units"] + here, done, len(doable), seconds_left=left
        )
        self._tell(self.crew.position.line())

    def _land(self, row: Record, done: UnitResult, agreed: str, size: BatchSize) -> None:
        """One commit: the changes, the ticks and the check-in, in a tree that was verified; then the branch moves."""
        tier = row["tier"]
        self.scope.mark(done.good, UNCHANGED)
        self.scope.mark(done.changed, DONE)
        self.state.keep_evidence((*done.bad, *done.flagged))
        self.scope.leave_out(done.bad)
        self.scope.leave_out(done.flagged, FLAGGED)
        self.shop.put(done.held)
        tree = self.shop.tree(done.changed) if done.changed else ""
        number = self.records.unit(tier, done, self.contract, agreed, tree)
        self.scope.put()
        told = len(done.changed) or f"nothing changed in {len(done.good)}"
        title = f"[loop] {self.place.name}: {told} items of tier {tier}"
        names = "\n".join(done.changed[:50])
        message = f"{title}\n\n{names}\n\nCheck-in {number} of {self.place.branch}"
        self._commit(message, done.changed, land=done.last)
        self._waiting.append(done)
        if done.last:
            for each in self._waiting:
                self._count(row, each, size)
            self._waiting = []

    def _count(self, row: Record, done: UnitResult, size: BatchSize) -> None:
        """What landed is told; what did not is not."""
        unchanged = [path for path in done.good if path not in done.changed]
        for name, paths in (("landed", done.changed), ("unchanged", unchanged)):
            row[name] += len(paths)
        row["units"] += 1
        row["quarantined"] += len(done.bad)
        row["flagged"] += len(done.flagged)
        self.quarantined += done.bad
        self.flagged += done.flagged
        self._units_since += 1
        self._usd += done.usd
        slow = sum(r.seconds for r in done.results) > max(_SLOW, 2 * (self._baseline or 0.0))
        size.passed(slow) if len(done.good) == len(done.batch) else size.failed()

    # Between tiers.

    def _end_tier(self, tier: int, row: Record, size: BatchSize) -> None:
        """Pre-flight again, the retro, and the gate: it closes on a flagged unit, a red check or a blocker."""
        check_clean(self.request.root)
        self.shop.reset()
        red = first_red(self.crew.first.verify())
        self.shop.reset()
        if red:
            reason = f"the verification is red after tier {tier}: {told_of(red)}"
            raise LoopStop("gated", reason, "look at the branch", gate=True)
        here = {item.path for item in self.scope.items if item.tier == tier}
        left_out = [each for each in (*self.quarantined, *self.flagged) if each.item in here]
        self.records.retro(tier, tier_retro(row, left_out, size.size))
        if self.shop.changed():
            self._commit(f"[loop] retro of tier {tier}")
        for each in left_out:
            self._tell(f"left out: {each.item}: {each.reason}")
        self._settle_flagged()
        blocker = blocker_of(row)
        if blocker:
            again = f"look at them, then {self.request.command} --resume"
            reason = f"the retro of tier {tier} names a blocker: {blocker}"
            raise LoopStop("gated", reason, again, gate=True)
        self._checkpoint()

    def _settle_flagged(self) -> None:
        """What the panel still flags keeps the gate closed, unless a person puts it into quarantine."""
        if not self.flagged:
            return
        named = "; ".join(f"{each.item}: {each.reason}" for each in self.flagged[:3])
        told = f"the panel still flags {len(self.flagged)} items ({named})"
        if self.request.flagged == "stop":
            again = f"mend them, then {self.request.command} --resume"
            raise LoopStop("escalated", told, again, gate=True)
        question = Question(f"{told}. Quarantine them?", "--resume --flagged quarantine")
        try:
            self._settle(question, self.request.flagged == "quarantine", "escalated")
        except LoopStop as stop:
            raise LoopStop(stop.status, stop.reason, stop.next_action, gate=True) from None
        self.scope.leave_out(self.flagged)
        self.quarantined += self.flagged
        self.flagged = []
        self.scope.put()
        self._commit("[loop] flagged items are in quarantine, as a person decided")

    def _checkpoint(self) -> None:
        """The pull request follows, where there is one already."""
        self._units_since = 0
        if self.request.pull:
            self._pull = self.pulls.refresh(self._left_out(), may_open=False)

    # The end.

    def _close(self) -> LoopReport:
        check_clean(self.request.root)
        left = self.scope.waiting()
        if left:
            raise LoopStop("gated", f"{len(left)} items were not done", self.request.command)
        self._settle_flagged()
        self._check_changed()
        forget_stop(self.request.root, self.place, "ev-loop-confidence")
        self._second = self.crew.apply_again(self.scope.done())
        compose = f"loom pr compose {self.place.slug} --branch={self.place.branch}"
        merged = "the phase is completed when its pull request is merged"
        if not self.request.pull:
            return self.report("completed", "", f"{compose}; {merged}")
        self._pull = self.pulls.refresh(self._left_out(), draft=self.request.draft)
        first = f"review {self._pull['url']}" if self._pull.get("url") else ""
        told = first or self._pull.get("command") or compose
        return self.report("completed", "", f"{told}; {merged}")

    def _check_changed(self) -> None:
        """A phase that changed nothing is done only when the pattern finds nothing more."""
        still = self.scope.still_matching()
        if self.scope.inventory.pattern.startswith(("grep:", "ast:")):
            self._still = still
        if (still or self.quarantined) and not self.scope.done():
            reason = f"nothing was changed, and the pattern still finds {len(still)} items"
            if not still:
                reason = "nothing was changed: every item is in quarantine"
            again = f"mend the transform, then {self.request.command} --resume"
            raise LoopStop("gated", reason, again, gate=True)

    def _left_out(self) -> list[str]:
        return [each.line() for each in (*self.quarantined, *self.flagged)]

    def _commit(self, message: str, changed: Sequence[str] = (), *, land: bool = True) -> str:
        commit = self.shop.commit(message, [str(self.place.inner), *changed])
        if land:
            self.shop.land(commit, self.place.branch)
            self.scope.landed()
        return commit

    def report(self, status: str, reason: str, action: str) -> LoopReport:
        """Everything that is known of the run."""
        proof = () if status == "planned" else tuple(read_proof(self.request.root, self.place))
        items = self.scope.in_checkout
        tiers = tuple(self.tiers.values()) if status == "planned" else tier_rows(items, proof)
        last = f"{self.records.last:02}" if self.records.last else ""
        return LoopReport(
            status, self.place.plain(), self.place.branch, tiers, self.scope.done(),
            self.scope.done(UNCHANGED), self._still, tuple(self.quarantined), tuple(self.flagged), self.scope.routed(),
            last, reason, action, self.crew.trials, proof, self._pull,
            self._expected.plain() if self._expected else None, self.request.plan, self._second,
            self.crew.attempts, self.crew.infrastructure, self._usd,
        )  # fmt: skip
