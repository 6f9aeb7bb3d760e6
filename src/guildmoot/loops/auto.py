"""The armed posture, ``--mode=auto``: a loop that asks no person, within terms that were given beforehand.

What a person would agree to goes to the contract-fit evaluator; a fork to a whiteboard panel; a closed gate, a broken
term, a budget that is used up or a stall to the escape hatch. Done is what passes on a clean checkout of the result.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.calls import Watch
from guildmoot.errors import InfrastructureError, Interrupted, UsageError
from guildmoot.loops.armed import (
    APPROVER,
    DECISIONS,
    GIVE_MODEL,
    ROUNDS,
    SILENCE,
    ArmedTerms,
    Arming,
    BudgetOut,
    DecisionBudget,
    StallClock,
    TermStatus,
    WorkProgress,
    broken_term,
    outside_scope,
)
from guildmoot.loops.close import PhasePull
from guildmoot.loops.confidence.telling import pull_body, standing_report
from guildmoot.loops.forks import ForkPanel
from guildmoot.loops.hatch import Unresolved, escape, recovery_of
from guildmoot.loops.paired.engineers import phase_engineers
from guildmoot.loops.paired.judging import no_judge
from guildmoot.loops.paired.loop import paired_place
from guildmoot.loops.paired.pairing import InteractiveReport
from guildmoot.loops.records import commit_own
from guildmoot.loops.units import first_red, told_of
from guildmoot.loops.values import Boundary, LoopReport, LoopStop, LoopTools, Question, Watcher
from guildmoot.loops.workshop import Workshop, check_clean, dirty_paths, git
from guildmoot.packet import PacketRequest
from guildmoot.practices.panel import PanelRequest
from guildmoot.projects.events import append_event
from guildmoot.projects.store import Project
from guildmoot.system.process import kill_all

if TYPE_CHECKING:
    from guildmoot.loops.paired.pairing import InteractiveRequest, PairTools
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.loops.values import LoopRequest
    from guildmoot.model.call import Call, Reply
    from guildmoot.model.report import RunReport

    RunLoop = Callable[[LoopRequest, LoopTools], LoopReport]

_EVERY = 1.0
_DECISION_RECORDS = "projects/adr-log/"
"""Written by the loop itself when it is agreed to; what a command writes there is refused before it lands."""


class ArmedRun:
    """One armed run of one phase: holds the loop's tools to the terms."""

    def __init__(
        self, root: Path, place: PhasePlace, terms: ArmedTerms, tools: LoopTools, surface: str,
        timeout: float = 600.0,
    ) -> None:  # fmt: skip
        self.root, self.place, self.surface, self._tools = root, place, surface, tools
        self.budget = DecisionBudget(DECISIONS[surface])
        self.questions: list[str] = []
        self.progress = WorkProgress()
        self.usd = 0.0
        self.hung = ""
        """Why the run was ended from outside, if it was."""
        self._clock = StallClock(time.monotonic(), max(SILENCE, timeout * 1.5))
        self._over = threading.Event()
        try:
            check_clean(root)
        except LoopStop as stop:
            raise UsageError(stop.reason, "Commit or stash it; nothing was armed.") from None
        self._tip = _commit(root, f"refs/heads/{place.branch}") or _commit(root, "HEAD")
        self._ref = f"refs/guild/armed/{place.key}"
        self.arming = Arming(terms, datetime.now(UTC), self._begin())
        outside = outside_scope(terms, self._changed(self._tip))
        if outside:
            hint = f"Take it back, or name it in --scope too; 'git diff {self._ref} {place.branch}' shows it."
            raise UsageError(f"{place.branch} changed what lies outside the scope: {outside}", hint)
        before = recovery_of(root / place.inner, f"ev-loop-{surface}", place.number)
        if before:
            tools.watcher.tell(f"goes on where it stopped: {before.get('failed_step')}")

    def _begin(self) -> str:
        """Where the work began: kept from the first run on, for as long as the branch stands on it."""
        kept = _commit(self.root, self._ref)
        if kept and git(self.root, "merge-base", kept, self._tip, fine=(0, 1)).strip() == kept:
            return kept
        git(self.root, "update-ref", self._ref, self._tip)
        return self._tip

    @property
    def tools(self) -> LoopTools:
        """The loop's tools, held to the terms; whoever would be asked is not."""
        watcher = Watcher(
            self._heard(self._tools.watcher.tell), self._heard(self._tools.watcher.show)
        )
        return self._tools._replace(
            judge=self._judge, employ=self._employ, ask=self.agree, watcher=watcher, boundary=self._boundary,
            admit=self.admit,
        )  # fmt: skip

    def watch_silence(self) -> None:
        """Stop the loop, in the midst of a command too, when its time is up or nothing is heard for too long."""

        def look() -> None:
            while not self._over.wait(_EVERY):
                silent = self._clock.stalled(time.monotonic())
                late = broken_term(self.arming, TermStatus(datetime.now(UTC), 0.0, (), (), True))
                if silent or late:
                    self.hung = late or "nothing was heard for too long"
                    self._tools.stopped.set()
                    kill_all()
                    return

        threading.Thread(target=look, daemon=True).start()

    def end(self) -> None:
        self._over.set()

    def agree(self, question: Question) -> bool | None:
        """The evaluator's word on a contract; whatever else a person would decide is not decided."""
        if question.flag != "--yes":
            self.questions.append(question.text)
            return False
        return self.fits(question.text)

    def fits(self, contract: str) -> bool:
        """Whether the evaluator finds that a contract fits what the plan asks for; agreed at once is no decision."""
        report = self._ask_fit(contract)
        if report.verdict == "approved":
            return True
        self.budget.decide()
        self.budget.round()
        while True:
            reasons = [f"{each.code}: {each.title}" for each in report.blocking[:3]] or list(
                report.header.reasons[:2]
            )
            told = f"the contract of {contract.splitlines()[0]!r}: {'; '.join(reasons)}"
            if report.verdict == "flagged":
                self.questions.append(told)
                return False
            try:
                self.budget.round()
            except BudgetOut:
                self.questions.append(told)
                raise
            report = self._ask_fit(contract)
            if report.verdict == "approved":
                return True

    def _ask_fit(self, contract: str) -> RunReport:
        text = f"# Contract of phase {self.place.number} {self.place.name}\n\n{contract}\n"
        packet = PacketRequest(
            ("-",), self.root, stdin=text.encode(), stdin_name="contract.md", ask=self.place.goal
        )  # fmt: skip
        command = f"guild loop {self.surface} --mode=auto"
        try:
            return self._judge(PanelRequest(packet, (APPROVER,), command=command), Watch())
        except InfrastructureError as wrong:
            raise InfrastructureError(no_judge(wrong), GIVE_MODEL) from None

    def admit(self, paths: Sequence[str]) -> None:
        """LoopStop before anything lands that lies outside the scope."""
        outside = outside_scope(self.arming.terms, paths)
        if outside:
            reason = f"outside the scope, so nothing of it landed: {outside}"
            raise LoopStop("gated", reason, "keep to --scope, or arm it again with a wider one")

    def check(self, *, green: bool = True) -> None:
        """LoopStop when a term no longer holds."""
        known = _commit(self.root, self._ref)
        meets = git(self.root, "merge-base", self.arming.undo, "HEAD", fine=(0, 1, 128)).strip()
        can_undo = known == meets == self.arming.undo
        standing = TermStatus(
            datetime.now(UTC), self.usd, tuple(dirty_paths(self.root)),
            self._changed("HEAD"), can_undo, green,
        )  # fmt: skip
        why = broken_term(self.arming, standing)
        if why:
            raise LoopStop("gated", why, "look at the branch; arm it again when all is well")

    def _changed(self, commit: str) -> tuple[str, ...]:
        """What differs from where the work began, the loop's own records apart."""
        words = ("diff", "--name-only", "-z", "--no-renames", self.arming.undo, commit)
        own = (f"{self.place.inner}/", _DECISION_RECORDS)
        paths = git(self.root, *words).split("\0")
        return tuple(path for path in paths if path and not path.startswith(own))

    def prove(self, verify: Sequence[str], timeout: float, copies: Sequence[str] = ()) -> str:
        """What fails on a clean checkout of the branch; empty when everything passes."""
        shop = Workshop(self.root, f"{self.place.key}-proof", self._tools.stopped, copies)
        try:
            shop.open(git(self.root, "rev-parse", self.place.branch).strip())
            return told_of(first_red([shop.run(command, timeout) for command in verify]))
        finally:
            shop.end()

    def escaped(
        self, step: str, reason: str, kind: str, pull: PhasePull | None, resume: str
    ) -> LoopReport:
        """Leave what there is in a state that a person can look at."""
        found = Unresolved(
            f"ev-loop-{self.surface}", step, reason, kind, tuple(dict.fromkeys(self.questions)),
            self.budget.decisions, self.budget.rounds,
        )  # fmt: skip
        made = escape(self.root, self.place, found, pull, resume)
        action = f"read {self.place.inner}/UNRESOLVED.md, decide, then: {resume}"
        return LoopReport(
            "escalated", self.place.plain(), self.place.branch, reason=reason, next_action=action,
            pull=made, usd=self.usd,
        )  # fmt: skip

    def converged(self) -> None:
        """The run came to its end: on record, unless it only found that everything was done before."""
        if _commit(self.root, f"refs/heads/{self.place.branch}") == self._tip:
            return
        side = "" if self.place.base == self.place.branch else self.place.branch
        project = Project(str(self.root / self.place.inner), side)
        budgets = {"decision_budget": DECISIONS[self.surface], "round_budget": ROUNDS}
        common = {"surface": f"ev-loop-{self.surface}", "slug": self.place.slug}
        append_event(project, "auto-mode-entered", {**common, **budgets})
        counts = {
            "decisions_completed": self.budget.decisions,
            "rounds_completed": self.budget.rounds,
        }
        append_event(project, "auto-mode-converged", {**common, **counts})
        commit_own(self.root, self.place.inner, "[loop] the armed run came to its end")

    def _boundary(self, at: Boundary) -> None:
        self._clock.event(time.monotonic())
        self.check()
        if at.kind == "unit" and self.progress.round(at.verified, at.failing):
            raise LoopStop(
                "stalled", "three units in a row brought nothing forward",
                "look at what is in quarantine; --resume goes on",
            )  # fmt: skip

    def _heard(self, tell: Callable[..., None]) -> Callable[..., None]:
        def told(what: object) -> None:
            self._clock.event(time.monotonic(), what if isinstance(what, str) else "")
            tell(what)

        return told

    def _judge(self, request: PanelRequest, watch: Watch) -> RunReport:
        self.check_money()
        heard = Watch(watch.on_begin, self._heard(watch.on_event), self._heard(watch.on_note))
        report = self._tools.judge(request, heard)
        self._clock.event(time.monotonic())
        self.usd += sum(seat.usd or 0.0 for seat in report.seats)
        return report

    def _employ(self, call: Call) -> Reply:
        self.check_money()
        reply = self._tools.employ(call)
        self._clock.event(time.monotonic())
        self.usd += (reply.usage.cost_usd or 0.0) if reply.usage else 0.0
        return reply

    def check_money(self) -> None:
        """LoopStop before a call when money, time or the arming itself is used up."""
        standing = TermStatus(datetime.now(UTC), self.usd, (), (), True)
        why = broken_term(self.arming, standing)
        if why:
            raise LoopStop("gated", why, "arm it again with higher limits when it is worth it")


def run_armed(
    request: LoopRequest, place: PhasePlace, terms: ArmedTerms, tools: LoopTools, run: RunLoop
) -> LoopReport:
    """Run the confidence loop armed: to a pull request that a clean checkout proves, or to the escape hatch."""
    if not request.verify:
        raise UsageError(
            "--mode=auto needs --verify: what a manifest names is not run unasked",
            "Name the commands that must pass.",
        )
    armed = ArmedRun(request.root, place, terms, tools, "confidence", request.timeout)
    write = partial(pull_body, request.root, place, request.verify)
    pulls = PhasePull(request.root, place, request.limits, request.stacked_on, write)
    pull = pulls if request.pull else None
    resume = f"{request.command} --resume"

    def whole(left: LoopReport) -> LoopReport:
        """With everything that the branch holds."""
        told = standing_report(request.root, place, left.status, left.reason)
        return told._replace(next_action=left.next_action, pull=left.pull, usd=left.usd)

    armed.watch_silence()
    try:
        report = run(request._replace(flagged=request.flagged or "stop", yes=False), armed.tools)
        if report.status == "completed" and report.landed:
            red = armed.prove(request.verify, request.timeout, request.copies)
            if red:
                report = report._replace(status="gated", reason=f"a clean checkout fails: {red}")
            else:
                armed.check()
    except BudgetOut as out:
        return whole(armed.escaped("contract", out.reason, out.kind, pull, resume))
    except LoopStop as stop:
        return whole(armed.escaped("end", stop.reason, "terms", pull, resume))
    except Interrupted:
        if not armed.hung:
            raise
        return whole(armed.escaped("work", armed.hung, "stalled", pull, resume))
    finally:
        armed.end()
    if report.status in ("completed", "infrastructure", "planned"):
        if report.status == "completed" and report.last_checkin:
            armed.converged()
        return report
    kind = report.status if report.status == "stalled" else "gate"
    left = armed.escaped("gate", report.reason, kind, pull, resume)
    return report._replace(
        status=report.status if report.status == "stalled" else "escalated", pull=left.pull,
        next_action=left.next_action,
    )  # fmt: skip


def run_paired_armed(
    request: InteractiveRequest, terms: ArmedTerms, tools: PairTools,
    run: Callable[[InteractiveRequest, PairTools], InteractiveReport],
) -> InteractiveReport:  # fmt: skip
    """Run the paired loop armed: a command does the work, and evaluators and engineers stand in for the person."""
    if not request.verify or not request.implementer:
        missing = "--verify" if request.implementer else "--implementer"
        raise UsageError(f"--mode=auto needs {missing}", "Nobody else is there to do it.")
    place = paired_place(request)
    armed = ArmedRun(request.root, place, terms, tools.loop, "interactive", request.timeout)
    pulls = PhasePull(request.root, place, None, request.stacked_on) if request.pull else None
    folder = request.root / place.inner
    engineers = phase_engineers(request, place)
    fork = ForkPanel(request.root, folder, place.key, engineers, tools.hold) if tools.hold else None
    alone = tools._replace(loop=armed.tools, approve=armed.fits, fork=fork, ask_text=_nobody)
    resume = request.command
    armed.watch_silence()
    try:
        report = run(request._replace(yes=False), alone)
        if report.status == "completed":
            armed.check()
    except LoopStop as stop:
        report = report._replace(status=stop.status, reason=stop.reason)
    except Interrupted:
        if not armed.hung:
            raise
        stopped = armed.escaped("work", armed.hung, "stalled", pulls, resume)
        return InteractiveReport(
            "escalated", place.plain(), place.branch, pull=stopped.pull, reason=stopped.reason,
            next_action=stopped.next_action,
        )  # fmt: skip
    finally:
        armed.end()
    if report.status == "completed":
        armed.converged()
    if report.status in ("completed", "infrastructure"):
        return report
    armed.questions += fork.undecided if fork else ()
    armed.questions += [
        f"not done: {row['text']}" for row in report.deliverables if not row["done"]
    ]
    left = armed.escaped("unit", report.reason, report.status, pulls, resume)
    return report._replace(status="escalated", pull=left.pull, next_action=left.next_action)


def _commit(root: Path, ref: str) -> str:
    """The commit that a ref names; empty when there is none."""
    words = ("rev-parse", "-q", "--verify", f"{ref}^{{commit}}")
    return git(root, *words, fine=(0, 1, 128)).strip()


def _nobody(question: str) -> str | None:
    return None
