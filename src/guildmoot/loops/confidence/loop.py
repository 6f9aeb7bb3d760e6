"""The confidence loop: a bulk change in tiers, small and safe first, with proof at each step. Read it from the top.

pre-flight ─▶ inventory ─▶ agreement ─▶ tiers: units ─▶ one commit each ─▶ retro, gate ─▶ pull request

Batches are changed and verified in a clone of their own; the checkout's branch moves only to what is proven. A
unit that fails is parted into what is good, which lands, and what is to blame, which is put into quarantine with the
evidence. Nothing that a transformer says has any effect: git and exit codes do.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from guildmoot.errors import InfrastructureError, Interrupted
from guildmoot.loops.close import NOT_NOW, PhasePull, should_checkpoint
from guildmoot.loops.confidence.batches import Crew
from guildmoot.loops.confidence.estimate import LoopEstimate, count_units, estimate, seconds_left
from guildmoot.loops.confidence.gate import (
    blocker_for_next,
    check_changed,
    check_gate,
    check_green,
    check_zero_diff,
    settle_flagged,
    was_cut_short,
)
from guildmoot.loops.confidence.inventory import DONE, FLAGGED, OPEN, QUARANTINED, UNCHANGED
from guildmoot.loops.confidence.preview import blobs_of, check_unmoved
from guildmoot.loops.confidence.scope import PhaseScope, check_free
from guildmoot.loops.confidence.telling import history_of, pull_body, standing_report, start_of
from guildmoot.loops.confidence.tiers import HIGHEST, BatchSize
from guildmoot.loops.contract import make_contract, settle, start_question
from guildmoot.loops.hatch import forget_stop
from guildmoot.loops.phase import find_place, make_project
from guildmoot.loops.records import LoopRecords, tier_retro
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
    copies_of,
    git,
    tip_of,
)
from guildmoot.projects.phases import update_phase
from guildmoot.text.clean import count as counted

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
        write = partial(pull_body, request.root, self.place, self.contract.verify)
        self.pulls = PhasePull(request.root, self.place, request.limits, request.stacked_on, write)
        self.crew = Crew(request, self.shop, self.contract, tools)
        self.quarantined: list[Quarantine] = []
        self.flagged: list[Quarantine] = []
        self.tiers: dict[int, Record] = {}
        self.still: tuple[str, ...] = ()
        self._by_hand: tuple[str, ...] = ()
        self._proven: set[str] = set()
        self._pull: Record | None = None
        self.second: Record | None = None
        self._expected: LoopEstimate | None = None
        self._baseline: float | None = None
        self.before_tier = ""
        self.seconds: list[float] = []
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
            landed = f"stopped; {counted(len(self.scope.done()), 'item')} landed and stay"
            raise LoopInterrupted(self.report("stopped", landed, self.request.command)) from None
        finally:
            self.crew.close()

    def _run(self) -> LoopReport:
        check_gate(self)
        self._preflight()
        self._take_inventory()
        self._agree()
        self._begin()
        for tier in self.scope.tiers:
            self._run_tier(tier)
        return self._close()

    def settle(self, question: Question, given: bool, status: str = "aborted") -> None:
        """Agreed by a flag or a person; LoopStop when not."""
        settle(question, given, self.tools.ask, self.request.command, status)

    def _preflight(self) -> None:
        """A clean tree, and a verification that passes before anything is changed."""
        check_clean(self.request.root)
        if not self.request.verify:
            told = "; ".join(self.contract.verify)
            text = f"the project's manifest names the verification: {told}. Run it?"
            self.settle(Question(text, "--yes"), self.request.yes)
        self.shop.open(start_of(self.request.root, self.place, self.request.stacked_on))
        self.records.count()
        self._tell("verifying before anything is changed")
        results = self.crew.first.verify()
        self._baseline = sum(result.seconds for result in results)
        red = first_red(results)
        if red:
            reason = f"the verification is red before any change: {told_of(red)}"
            mend = "make it pass first; a clone has what git tracks, --with PATH copies what it ignores"
            if "Read-only file system" in red.full:
                mend = "let it write in its clone alone: the checkout is read-only (GUILD_WORK_FENCE=false lifts that)"
            raise LoopStop("aborted", reason, mend)
        self.state.keep_seconds(results)
        self.shop.reset()  # what the verification left behind is no part of the work

    def _is_cut(self) -> str:
        return tip_of(self.request.root, self.place.branch)

    def _take_inventory(self) -> None:
        history = history_of(self.request.root, self.place)
        self.scope.take(history)
        self._by_hand = history.by_hand
        self._proven = {path for row in history.proof for path in row["files"]}
        if not self.scope.items:
            raise LoopStop("aborted", "nothing matches the pattern", "look at --pattern")
        for told, paths in (
            ("ticked by hand, proven by nothing, so done again", history.by_hand),
            ("match the pattern and came after the inventory was made, so left alone", self.scope.fresh),
        ):  # fmt: skip
            if paths:
                self._tell(f"{told}: {', '.join(paths[:5])}")
        self.scope.check_there()
        if self.request.resume:
            self.scope.reopen()
        self.tools.admit(self.scope.waiting())
        seen = self.state.evidence()
        now = history._replace(items=self.scope.items)
        self.quarantined += now.left_out(QUARANTINED, seen)
        self.flagged += now.left_out(FLAGGED, seen)
        if self._applied is not None:
            blobs = blobs_of(self.shop.folder, self.scope.waiting(), self.shop.base)
            check_unmoved(self._applied, blobs, self.request.command)

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
        root, base = self.request.root, self.place.base
        from_base = self.shop.base == tip_of(root, base) != git(root, "rev-parse", "HEAD").strip()
        known = base if from_base else here or "the commit that is checked out"
        cut_from = "" if self._is_cut() else known
        routed = len(self.scope.routed())
        question = start_question(self.contract, expected.items, where, cut_from, routed)
        self.settle(question, self.request.yes)

    def estimate(self) -> LoopEstimate:
        """What the items that wait will take."""
        usd = self.request.max_usd if self.request.implementer else 0.0
        batch, jobs = self.request.batch, self.request.jobs
        took = self._baseline
        if took is None:
            took = self.state.seconds(self.contract.verify)
        self._expected = estimate(self.scope.counts(), batch, took, usd, jobs)
        return self._expected

    def _begin(self) -> None:
        """The phase's branch in the checkout, and the inventory on record."""
        root, branch = self.request.root, self.place.branch
        if git(root, "branch", "--show-current").strip() != branch:
            git(
                root,
                "checkout",
                "-q",
                *((branch,) if self._is_cut() else ("-b", branch, self.shop.base)),
            )
        if self.place.new:
            make_project(self.shop.folder, self.place)
        first = not (self.shop.folder / self.place.inventory).is_file()
        if self.scope.put():
            if first:
                number = self.place.number
                self.records.change(lambda p: update_phase(p, number, "in-progress", branch))
            self._commit(f"[loop] inventory of {counted(len(self.scope.items), 'item')}")

    # Tiers.

    def _run_tier(self, tier: int) -> None:
        size = BatchSize(tier, self.request.batch)
        waiting = self.scope.waiting(tier)
        if not waiting:
            if was_cut_short(self.scope, tier) and not self.request.resume:
                self._end_tier(tier, size)
            return
        self.tools.boundary(self.scope.boundary("tier"))
        self.before_tier = self.shop.base
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
            self.seconds.append((time.monotonic() - started) / len(batches))
            waiting = self.scope.waiting(tier)
            self.scope.check_there()
            if should_checkpoint(False, self._units_since, green=True):
                self._checkpoint()
        self._end_tier(tier, size)

    def _show(self, tier: int, row: Record, size: BatchSize, waiting: int) -> None:
        """Where the loop is, and how long it will take by what its units took so far."""
        here = count_units(waiting, tier, self.request.batch, size)
        left = self._expected.seconds if self._expected else None
        if self.seconds:
            counts, largest = self.scope.counts(), self.request.batch
            left = seconds_left(counts, tier, here, largest, self.seconds)
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
        self.scope.mark((*done.changed, *(p for p in done.good if p in self._proven)), DONE)
        self.state.keep_evidence((*done.bad, *done.flagged))
        self.scope.leave_out(done.bad)
        self.scope.leave_out(done.flagged, FLAGGED)
        self.shop.put(done.held)
        tree = self.shop.tree(done.changed) if done.changed else ""
        number = self.records.unit(tier, done, self.contract, agreed, tree)
        self.scope.put()
        told = "" if done.changed else "nothing changed in "
        count = counted(len(done.changed) or len(done.batch), "item")
        title = f"[loop] {self.place.name}: {told}{count} of tier {tier}"
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

    def _end_tier(self, tier: int, size: BatchSize) -> None:
        """Pre-flight again, the retro, and the gate: it closes on a flagged unit, a red check or a blocker."""
        check_clean(self.request.root)
        check_green(self, tier)
        here = {item.path for item in self.scope.items if item.tier == tier}
        left_out = [each for each in (*self.quarantined, *self.flagged) if each.item in here]
        blocker = blocker_for_next(self.scope, tier)
        whole = next(
            row for row in history_of(self.request.root, self.place).rows() if row["tier"] == tier
        )
        self.records.retro(tier, tier_retro(whole, left_out, size.size, blocker))
        if self.shop.changed():
            self._commit(f"[loop] retro of tier {tier}")
        for each in left_out:
            self._tell(f"left out: {each.item}: {each.reason}")
        self._settle_flagged()
        if blocker:
            again = f"look at them, then {self.request.command} --resume"
            reason = f"the retro of tier {tier} names a blocker: {blocker}"
            raise LoopStop("gated", reason, again, gate=True)
        self._checkpoint()

    def _settle_flagged(self) -> None:
        if settle_flagged(self):
            self._commit("[loop] flagged items are in quarantine, as a person decided")

    def _checkpoint(self) -> None:
        """The pull request follows, where there is one already."""
        self._units_since = 0
        if self.request.pull:
            self._pull = self.pulls.refresh((), may_open=False)

    # The end.

    def _close(self) -> LoopReport:
        check_clean(self.request.root)
        left = self.scope.waiting()
        if left:
            raise LoopStop("gated", f"{counted(len(left), 'item')} not done", self.request.command)
        self._settle_flagged()
        check_changed(self)
        self.second = self.crew.apply_again(self.scope.done())
        check_zero_diff(self)
        forget_stop(self.request.root, self.place, "ev-loop-confidence")
        merged = "the phase is completed when that is merged"
        by_hand = f"merge {self.place.branch} into {self.place.base} when it is reviewed; {merged}"
        if not self.request.pull:
            return self.report("completed", "", by_hand)
        self._pull = self.pulls.refresh((), draft=self.request.draft)
        told = f"review {self._pull['url']}" if self._pull.get("url") else self._pull.get("command")
        if str(self._pull.get("note")).startswith(NOT_NOW):
            told = f"run the same again later, which opens it: {self.request.command}"
        return self.report("completed", "", f"{told}; {merged}" if told else by_hand)

    def _commit(self, message: str, changed: Sequence[str] = (), *, land: bool = True) -> str:
        commit = self.shop.commit(message, [str(self.place.inner), *changed])
        if land:
            self.shop.land(commit, self.place.branch)
            self.scope.landed()
        return commit

    def report(self, status: str, reason: str, action: str) -> LoopReport:
        """Everything that is known of the run; what landed is what the branch proves."""
        root, place = self.request.root, self.place
        if status == "planned":
            tiers, quarantined = tuple(self.tiers.values()), tuple(self.quarantined)
            told = LoopReport(status, place.plain(), place.branch, tiers, quarantined=quarantined,
                              routed=self.scope.routed())  # fmt: skip
        else:
            told = standing_report(root, place, status)
        return told._replace(
            still=self.still, fresh=self.scope.fresh, by_hand=tuple({*told.by_hand, *self._by_hand}), reason=reason,
            next_action=action, trials=self.crew.trials, pull=self._pull, plan=self.request.plan,
            estimate=self._expected.plain() if self._expected else None, again=self.second,
            attempts=self.crew.attempts, infrastructure=self.crew.infrastructure, usd=self._usd,
        )  # fmt: skip
