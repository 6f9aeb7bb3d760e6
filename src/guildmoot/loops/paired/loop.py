"""The paired loop: a person (or a command) does one deliverable at a time, and the loop proves each. Read from the top.

deliverables ─▶ contract ─▶ work ─▶ verify ─▶ panel ─▶ findings, scope, decisions ─▶ one commit ─▶ pull request

The work of a person stays in the checkout until it is proven; what is judged is a copy of it in a clone. Whoever made
a change never approves it, and a phase is completed only when its pull request is merged.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.loops.close import PhasePull
from guildmoot.loops.hatch import forget_stop
from guildmoot.loops.paired.bench import Bench
from guildmoot.loops.paired.engineers import phase_engineers, planned_phase
from guildmoot.loops.paired.judging import UnitJudge
from guildmoot.loops.paired.pairing import (
    InteractiveReport,
    InteractiveRequest,
    PairState,
    PairTools,
)
from guildmoot.loops.paired.records import PairedUnit, UnitRecords
from guildmoot.loops.paired.signals import WorkContract, ambiguities, concurring, sharpened
from guildmoot.loops.phase import PhasePlace, find_place
from guildmoot.loops.records import commit_own
from guildmoot.loops.units import first_red, told_of
from guildmoot.loops.values import Boundary, LoopRequest, LoopStop, Question
from guildmoot.loops.workshop import check_clean, git
from guildmoot.practices.whiteboard.request import WhiteboardRequest
from guildmoot.projects.slugs import kebab
from guildmoot.projects.store import Project
from guildmoot.system.files import lock

if TYPE_CHECKING:
    from guildmoot.loops.values import CommandResult
    from guildmoot.projects.manifest import Record

PANELS = 3
"""Times that one unit may be put before a panel; then a person decides."""


def run_interactive(request: InteractiveRequest, tools: PairTools) -> InteractiveReport:
    """Carry the phase out in pairs, or go on with it."""
    return PairedLoop(request, tools).run()


def paired_place(request: InteractiveRequest) -> PhasePlace:
    """The phase that a request means."""
    return find_place(LoopRequest(request.root, request.slug, request.phase))


class PairedLoop:
    """One run of the loop on one phase."""

    def __init__(self, request: InteractiveRequest, tools: PairTools) -> None:
        self.request, self.tools = request, tools
        self.place = paired_place(request)
        self.state = PairState(request.root, self.place.key)
        self.verify = request.verify or self.place.verify
        self.bench = Bench(request, self.place, tools, self.verify)
        self.records = UnitRecords(request.root, self.bench.shop, self.place)
        self.judge = UnitJudge(request, tools, self.bench)
        self.pulls = PhasePull(request.root, self.place, None, request.stacked_on)
        self._phase = planned_phase(request.root, self.place)
        self._pull: Record | None = None
        self._signals: list[str] = []
        self._proof: list[Record] = []
        self._flagged: tuple[Record, ...] = ()
        self._waits_for_work = not request.done
        self._wrong = ""
        """What was wrong with the last try."""

    def run(self) -> InteractiveReport:
        """Every deliverable that is not done yet, then the pull request."""
        own = self.request.root / ".guild"
        own.mkdir(exist_ok=True)
        handle = lock(own / "loop.lock", wait=False)
        if handle is None:
            raise UsageError(
                "another loop is at work in this repository", "Wait for it, or stop it."
            )
        try:
            self.bench.mend_landing()
            self._start()
            for text in self.state.deliverables:
                if text not in self._done():
                    self._unit(text)
            return self._close()
        except LoopStop as stop:
            return self._report(stop.status, stop.reason, stop.next_action)
        except InfrastructureError as wrong:
            return self._report("infrastructure", wrong.message, wrong.hint or self.request.command)
        finally:
            self.bench.shop.end()
            os.close(handle)

    # The start of a phase.

    def _start(self) -> None:
        root, branch = self.request.root, self.place.branch
        here = git(root, "branch", "--show-current").strip()
        if here != branch or not self.state.deliverables:
            self._check_clean()
        if not self.verify:
            raise UsageError("the loop needs --verify", "e.g. --verify 'pytest -q'")
        if not self.request.verify:
            told = "; ".join(self.verify)
            self._settle(f"the project's manifest names the verification: {told}. Run it?", "--yes")
        if not self.state.deliverables:
            self._baseline()
            wanted = list(self.request.deliverables or self._phase.get("exitCriteria") or ())
            if not wanted:
                wanted = [self.place.goal]
            told = f"phase {self.place.number} {self.place.name}"
            text = f"{told} in {len(wanted)} deliverables: {'; '.join(wanted)}. Start?"
            if self.tools.approve is None:  # alone, the decomposition is confirmed as it is
                self._settle(text, "--yes")
            self.state.deliverables = list(dict.fromkeys(wanted))
            self.state.verify = list(self.verify)
            self.state.save()
        else:
            self._hold_to_agreed()
        if here != branch:
            known = git(root, "branch", "--list", branch).strip()
            git(root, "checkout", "-q", *(() if known else ("-b",)), branch)
        self._plan_step()

    def _hold_to_agreed(self) -> None:
        """What was agreed to prove the work proves it; further deliverables are agreed to, then taken on."""
        state, wanted = self.state, list(self.verify)
        if state.verify not in ([], wanted):
            told = (
                f"{'; '.join(state.verify)} was agreed to prove the work, not {'; '.join(wanted)}"
            )
            self._settle(f"{told}. Make a new contract with that?", "--new-contract")
            self._baseline()
            state.end()
        more = [
            text
            for text in dict.fromkeys(self.request.deliverables)
            if text not in state.deliverables
        ]
        if more and self.tools.approve is None:
            self._settle(
                f"{len(more)} further deliverables: {'; '.join(more)}. Take them on?", "--yes"
            )
        state.deliverables, state.verify = [*state.deliverables, *more], wanted
        state.save()

    def _check_clean(self) -> None:
        try:
            check_clean(self.request.root)
        except LoopStop as stop:
            raise UsageError(stop.reason, "Commit or stash it; nothing was changed.") from None

    def _baseline(self) -> None:
        self._tell("verifying before anything is changed")
        red = first_red(self.bench.verify_clean())
        if red:
            reason = f"the verification is red before any change: {told_of(red)}"
            raise LoopStop("aborted", reason, "make it pass first")

    def _plan_step(self) -> None:
        """Engineers plan the phase once, on a board; without engineers there is nothing to do."""
        engineers = phase_engineers(self.request, self.place)
        board = self._board()
        if not engineers or self.tools.hold is None or board.exists():
            return
        self._tell(f"{', '.join(engineers)} plan the phase")
        brief = f"{self.place.name}: {self.place.goal}"
        self.tools.hold(WhiteboardRequest(brief, engineers, board, self.request.root, rounds=1))
        commit_own(self.request.root, board, f"[loop] plan of phase {self.place.number}")

    def _board(self) -> Path:
        name = f"{self.place.number}-{kebab(self.place.name, 'invalid-phase')}.md"
        return self.request.root / self.place.inner / "plans" / name

    # One unit.

    def _unit(self, text: str) -> None:
        if self.state.unit != text or self.state.contract is None:
            self.state.begin(text, self._negotiate(text))
        contract = self.state.contract or WorkContract(text)
        self._tell(f"deliverable: {text}")
        while True:
            paths, results = self._work(contract)
            red = first_red(results)
            self.state.rounds += 1
            self.state.save()
            ended = self.tools.loop.trace.round(f"deliverable:{text}", self.state.rounds, PANELS)
            if red:
                ended("error", "verification")
                self._again(f"the verification fails: {told_of(red)}")
                continue
            judged = self.judge.judge(contract, results)
            report = judged.report
            if report.verdict == "approved":
                ended("satisfied", "panel")
                break
            ended("error" if report.verdict == "flagged" else "escalation", "panel")
            self._flagged = tuple(
                {"path": f.path, "line": f.line, "code": f.code, "message": f.title, "fix": f.fix}
                for f in report.blocking
            )
            self.bench.findings = report.blocking
            if report.verdict != "flagged":
                why = "; ".join(report.header.reasons[:2]) or report.verdict
                raise LoopStop(
                    "escalated",
                    f"the panel did not decide: {why}",
                    f"guild runs show {report.run_id}",
                )
            told = "; ".join(f"{f.path}:{f.line} {f.code}" for f in report.blocking[:5])
            self._again(f"the panel flags it: {told}")
        self._flagged = ()
        unit = PairedUnit(
            text,
            contract,
            paths,
            results,
            judged,
            self.request.notes,
            tuple(self.state.corrections),
        )
        self._finish(unit)

    def _negotiate(self, text: str) -> WorkContract:
        """The contract of a unit: only what is unclear is asked, then one word of agreement."""
        given = self.request
        absent = [path for path in given.inputs if not any(given.root.glob(path))]
        if absent:
            hint = f"the work cannot start from {absent[0]}: there is no such file"
            raise LoopStop("gated", hint, "name a file that is there with --input")
        criteria = given.criteria or tuple(f"{command} passes" for command in self.verify)
        contract = WorkContract(
            text, (text, *criteria), tuple(f"verification: {c}" for c in self.verify),
            given.disqualifiers, given.inputs,
        )  # fmt: skip
        for unclear in ambiguities(contract):
            if self.tools.approve is not None:
                continue  # alone, the evaluator says whether it is clear enough
            answer = self.tools.ask_text(f"{unclear.field}: {unclear.why}. What is it?")
            if answer is None:
                raise LoopStop(
                    "gated", f"the contract of {text!r} is not clear: {unclear.why}",
                    f"{given.command} {unclear.flag} '...'",
                )  # fmt: skip
            if answer.strip():
                contract = sharpened(contract, unclear.field, (answer.strip(),))
        if self.tools.approve is not None:
            if not self.tools.approve(contract.text()):
                reason = f"the evaluator refused the contract of {text!r}"
                raise LoopStop("escalated", reason, "mend the contract: UNRESOLVED.md tells why")
        else:
            self._settle(f"the contract:\n{contract.text()}\nAgreed?", "--yes")
        return contract

    def _work(self, contract: WorkContract) -> tuple[list[str], list[CommandResult]]:
        if self.request.implementer:
            return self.bench.employ(contract, self.state.rounds)
        if self.request.done and not self._waits_for_work and not self.bench.touched():
            again = "do the work in the checkout, then --done"
            raise LoopStop("gated", f"nothing has changed in the checkout: {contract.goal}", again)
        if self._waits_for_work or not self.bench.touched():
            text = f"do it now, in {self.request.root}: {contract.goal}. Done?"
            again = f"do the work in the checkout, then: {self.request.command} --done"
            answer = self.tools.loop.ask(Question(text, "--done"))
            if not answer:
                reason = f"{self._wrong}the work is yours now: {contract.goal}"
                raise LoopStop("gated", reason, again)
        if not self.bench.touched():
            raise LoopStop(
                "gated", "nothing was changed in the checkout", "do the work, then --done"
            )
        self._waits_for_work = True
        return self.bench.take()

    def _again(self, why: str) -> None:
        """Another round, while there is one; what was wrong stays on record."""
        self._tell(why)
        self._wrong = f"{why}; "
        self.state.corrections.append(f"correction: round {self.state.rounds}: {why}")
        self.state.save()
        if self.state.rounds >= PANELS:
            shows = "'git status' shows the work"
            if self.request.implementer:
                shows = f"'git apply {self.bench.keep_work()}' brings the last try back"
            again = f"decide what becomes of it; {shows}"
            raise LoopStop("escalated", f"after {PANELS} rounds still: {why}", again)

    def _finish(self, unit: PairedUnit) -> None:
        """On record in the clone, one commit, and the branch moves to it."""
        done, text, paths = self._done(), unit.text, unit.paths
        last = len(done) + 1 == len(self.state.deliverables)
        boundary = f"{text} is the last deliverable of phase {self.place.number}" if last else ""
        self.bench.settle()
        shift = self.records.write(
            unit, self.request, self._board(), boundary, self._agree_to_adr, self._accept_shift
        )
        if concurring(shift.signals):
            self._signals += [f"{each.source}: {each.text}" for each in shift.signals]
        message = f"[loop] {self.place.name}: {text}\n\nCheck-in {self.records.last:02} of {self.place.branch}"
        inner = [str(self.place.inner), *shift.more]
        commit = self.bench.shop.commit(message, [*inner, *paths])
        self.bench.land(commit, paths)
        self._proof.append({
            "deliverable": text, "commit": commit, "checkin": f"{self.records.last:02}", "files": paths,
            "commands": [{"command": r.command, "exit_code": r.code, "seconds": r.seconds} for r in unit.results],
            "run": unit.judged.report.run_id, "judges": list(unit.judged.judges),
            "criteria": unit.judged.criteria,
        })  # fmt: skip
        self.records.keep_stream()
        self.state.end()
        self._waits_for_work = True
        verified = frozenset((*done, text))
        self.tools.loop.boundary(Boundary("unit", verified))
        if self.request.pull:
            self._pull = self.pulls.refresh((), may_open=False)
        if shift.accepted:
            revise = f"loom revise-plan {self.place.slug} --revision-file=... --rationale='{shift.signals[0].text}'"
            raise LoopStop("gated", "the plan is stale, as two signals say", revise)

    def _agree_to_adr(self, title: str) -> bool:
        if self.tools.approve is not None:
            return self.tools.approve(f"Record this decision for all projects: {title}")
        if self.request.adr:
            return self.request.adr == "yes"
        return bool(self.tools.loop.ask(Question(f"record the decision {title!r}?", "--adr=yes")))

    def _accept_shift(self, told: str) -> bool:
        """Without a word of anybody's the loop goes on as planned; alone, it stops for a new plan."""
        if self.request.scope_shift:
            return self.request.scope_shift == "accept"
        if self.tools.approve is not None:
            return True
        text = f"the plan may be stale: {told}. Revise it now?"
        return bool(self.tools.loop.ask(Question(text, "--scope-shift=accept")))

    # The end.

    def _close(self) -> InteractiveReport:
        red = first_red(self.bench.verify_clean())
        if red:
            raise LoopStop("gated", f"a clean checkout fails: {told_of(red)}", "mend the branch")
        forget_stop(self.request.root, self.place, "ev-loop-interactive")
        merged = "the phase is completed when its pull request is merged"
        compose = f"merge {self.place.branch} into {self.place.base} when it is reviewed"
        if self.request.pull:
            self._pull = self.pulls.refresh((), draft=self.request.draft)
            first = f"review {self._pull['url']}" if self._pull.get("url") else ""
            compose = first or str(self._pull.get("command") or compose)
        return self._report("completed", "", f"{compose}; {merged}")

    def _done(self) -> list[str]:
        """Deliverables with an approved check-in on the branch."""
        side = "" if self.place.base == self.place.branch else self.place.branch
        rows = Project(str(self.request.root / self.place.inner), side).read()["checkins"]
        done = {
            row["unit"]
            for row in rows
            if row["branch"] == self.place.branch and row["verdict"]["result"] == "approved"
        }
        return [text for text in self.state.deliverables if text in done]

    def _settle(self, text: str, flag: str) -> None:
        from guildmoot.loops.contract import settle

        given = {"--yes": self.request.yes, "--new-contract": self.request.new_contract}[flag]
        settle(Question(text, flag), given, self.tools.loop.ask, self.request.command)

    def _tell(self, line: str) -> None:
        self.tools.loop.watcher.tell(line)

    def _report(self, status: str, reason: str, action: str) -> InteractiveReport:
        done = self._done()
        rows = tuple({"text": text, "done": text in done} for text in self.state.deliverables)
        last = f"{self.records.last:02}" if self.records.last else ""
        return InteractiveReport(
            status, self.place.plain(), self.place.branch, rows, last, self._pull,
            tuple(self._signals), self._flagged, reason, action, tuple(self._proof),
        )  # fmt: skip
