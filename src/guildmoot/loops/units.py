"""One unit of a loop: a batch is changed, held to its scope, verified, and put before a panel.

A batch that fails is parted: what is good goes on, what is to blame is told with the evidence. Nothing is landed
here, and nothing is approved by whoever made the change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import InfrastructureError, NothingJudgedError
from guildmoot.loops.isolate import isolate
from guildmoot.loops.trial import on_trial, refuse_dirty
from guildmoot.loops.values import (
    CommandResult,
    Held,
    HeldFile,
    LoopRequest,
    LoopStop,
    Quarantine,
    Remedy,
    UnitResult,
)
from guildmoot.loops.workshop import dirty_paths
from guildmoot.memory.traces.rounds import LoopTrace
from guildmoot.packet import PacketRequest
from guildmoot.practices.panel import PanelRequest

if TYPE_CHECKING:
    from guildmoot.calls import Watch
    from guildmoot.loops.transform import Transformer
    from guildmoot.loops.values import Judge
    from guildmoot.loops.workshop import Workshop
    from guildmoot.model.report import RunReport
    from guildmoot.model.verdict import Finding

ROUNDS = 2
_ROUND_ENDS = {"approved": "satisfied", "flagged": "error"}
"""Times that a flagged unit may be mended."""


class Steadiness:
    """Whether the verification passes every time on the unchanged tree; asked once for all clones."""

    def __init__(self) -> None:
        self.known: bool | None = None


class UnitContract(NamedTuple):
    """What holds for every unit: who changes, who mends, what must pass, what was asked for."""

    transformer: Transformer
    fixer: Transformer | None
    verify: tuple[str, ...]
    goal: str

    def text(self, paths: Sequence[str], remedies: Sequence[Remedy] = ()) -> str:
        """What judges are told: the goal, the criteria, what is ruled out, and what was flagged before."""
        criteria = [
            "every file of this batch is changed as the goal says, or needs no change",
            *(f"`{command}` passes" for command in self.verify), "no other file is modified",
        ]  # fmt: skip
        lines = [self.goal, "", f"Changed by: {self.transformer.name}", "Acceptance criteria:"]
        lines += [f"{number}. {each}" for number, each in enumerate(criteria, 1)]
        lines += ["Disqualifiers: a regression, a file in scope left half changed", "Files:"]
        lines += [f"- {path}" for path in paths]
        told = [f"- {why}; {each.action}" for each in remedies for why in each.reasons[:5]]
        return "\n".join([*lines, *(["Flagged in earlier rounds:", *told] if told else [])])


class _Judged(NamedTuple):
    paths: list[str]
    flagged: list[Quarantine]
    report: RunReport | None
    remedies: list[Remedy]
    results: list[CommandResult]


class UnitRunner:
    """Runs units in one clone."""

    def __init__(
        self, request: LoopRequest, shop: Workshop, contract: UnitContract, judge: Judge,
        steadiness: Steadiness, step: Callable[[str], None], watch: Watch, trace: LoopTrace,
    ) -> None:  # fmt: skip
        self.request, self.shop, self.contract = request, shop, contract
        self._judge, self._steadiness, self._step, self._watch = judge, steadiness, step, watch
        self._trace = trace
        self._dirty = dirty_paths(request.root) if request.dry_run else ()
        """A dry run may begin with what is not committed; other runs do not."""
        self.trials = self.alone = 0
        """Runs of the verification that it took to part failing batches, and those of one item by itself."""
        self.infrastructure = 0

    def run(self, batch: list[str]) -> UnitResult:
        """Change a batch and prove what can be proven; the clone then holds what is good."""
        self._step("transform")
        held, bad, usd = self.transform(batch)
        results: list[CommandResult] = []
        changed = [path for path in batch if path in held and not is_binary(held[path])]
        unread = [path for path in batch if path in held and path not in changed]
        if changed:
            self.shop.put({path: held[path] for path in changed})
            results = self.verify()
            if not all(result.passed for result in results):
                changed, more, results = self._part(changed, held, results)
                bad += more
        judged = _Judged(changed, [], None, [], results)
        if changed:
            judged = self._judged(changed, held, results)
        changed = judged.paths
        told = "what it would hold is binary, and no judge reads that"
        flagged = [
            *judged.flagged,
            *(Quarantine(path, "nobody can judge it", told) for path in unread),
        ]
        left_out = {each.item for each in (*bad, *flagged)}
        kept = {path: held[path] for path in changed}
        self.shop.put(kept)
        return UnitResult(
            batch, [path for path in batch if path not in left_out], changed, kept, bad, flagged,
            judged.results, judged.report, judged.remedies, usd,
        )  # fmt: skip

    def verify(self, step: str = "verify") -> list[CommandResult]:
        """Every command that must pass, up to the first that does not."""
        self._step(step)
        results: list[CommandResult] = []
        with on_trial(self.shop) as check_looked:
            for command in self.contract.verify:
                results.append(self.shop.run(command, self.request.timeout))
                self._check_checkout(command)
                if results[-1].cannot_run:
                    self.infrastructure += 1
                    raise InfrastructureError(
                        f"the verification cannot be run: {told_of(results[-1])}",
                        "Nothing is blamed on any item. A clone has what git tracks; --with PATH copies more.",
                    )
                check_looked(command)
                if not results[-1].passed:
                    break
        return results

    def transform(self, batch: list[str]) -> tuple[Held, list[Quarantine], float]:
        """The new contents of a batch; where the whole cannot be taken, item by item."""
        found, usd = self._transform_once(batch)
        if not isinstance(found, Quarantine):
            return found, [], usd
        if len(batch) == 1:
            return {}, [found], usd
        held: Held = {}
        bad = []
        for path in batch:
            one, more = self._transform_once([path])
            usd += more
            if isinstance(one, Quarantine):
                bad.append(one)
            else:
                held |= one
        return held, bad, usd

    def _transform_once(self, paths: list[str]) -> tuple[Held | Quarantine, float]:
        """What the transformer makes of some items, if it kept to them."""
        self.shop.reset()
        outcome = self.contract.transformer.change(self.shop, paths)
        self.infrastructure += outcome.failures
        self._check_checkout(self.contract.transformer.name)
        problem = why_refused(self.shop, paths) or outcome.problem
        if problem:
            first = f"{self.contract.transformer.name}: {problem}"
            told = self._tail(paths[0], first, outcome.output)
            return Quarantine(paths[0], f"the transform {problem}", told), outcome.usd
        return self.shop.keep(self.shop.changed()), outcome.usd

    def _check_checkout(self, who: str) -> None:
        """LoopStop when the checkout itself changed while somebody was at work in the clone."""
        new = [path for path in dirty_paths(self.request.root) if path not in self._dirty]
        refuse_dirty(new, who, f"{self.request.command} --resume")

    def _part(
        self, paths: list[str], held: Held, results: list[CommandResult]
    ) -> tuple[list[str], list[Quarantine], list[CommandResult]]:
        """Which of the items break the verification; the others pass together."""
        self._check_steady()
        evidence = {tuple(paths): first_red(results)}
        last = results

        def passes(subset: Sequence[str]) -> bool:
            nonlocal last
            self.shop.put({path: held[path] for path in subset})
            last = self.verify(f"bisect: {len(subset)} of {len(paths)}")
            red = first_red(last)
            if red:
                evidence[tuple(subset)] = red
            return red is None

        done = isolate(paths, passes, failed=True)
        self.trials += done.trials
        self.alone += done.alone
        if done.flips:
            raise _flips("the same changes")
        bad = []
        for group in done.bad:
            seen = evidence.get(group) or evidence[tuple(paths)]
            for path in group:
                others = ", ".join(other for other in group if other != path)
                together = f" together with {others}" if others else ""
                told = self._evidence(path, seen)
                bad.append(Quarantine(path, f"the verification fails with it{together}", told))
        if done.good:
            self.shop.put({path: held[path] for path in done.good})
        return list(done.good), bad, last if done.good else []

    def _evidence(self, path: str, red: CommandResult | None) -> str:
        """What a check printed: how it ended, the last lines, and where all of it is."""
        if red is None:
            return ""
        return self._tail(path, told_of(red), red.full or red.output)

    def _tail(self, path: str, first: str, text: str) -> str:
        """The last lines of a text, and where all of it is."""
        log = self.shop.keep_log(path, f"{first}\n\n{text}\n")
        return "\n".join((first, *tail_of(text), f"all of it: {log}"))

    def _check_steady(self) -> None:
        """A check that flips on the unchanged tree may not blame anything."""
        if self._steadiness.known is None:
            self.shop.reset()
            runs = [self.verify() for _ in range(2)]
            passed = [result.passed for results in runs for result in results]
            self._steadiness.known = all(passed)
        if not self._steadiness.known:
            raise _flips("the same unchanged tree")

    def _judged(self, paths: list[str], held: Held, results: list[CommandResult]) -> _Judged:
        """The panel's word on the batch. What it flags goes to the fixer, twice at most; what is flagged still is
        held back, and the rest is verified and judged again without it."""
        flagged: list[Quarantine] = []
        remedies: list[Remedy] = []
        mended = 0
        lane, cap = f"unit:{paths[0]}", ROUNDS + len(paths)
        while paths := self._changed(paths, held):
            ended = self._trace.round(lane, len(remedies) + 1, cap)
            try:
                report = self._ask_panel(results, self.contract.text(paths, remedies))
            except NothingJudgedError as wrong:
                ended("escalation", "panel")
                flagged += [
                    Quarantine(path, "nobody can judge it", wrong.message) for path in paths
                ]
                return _Judged([], flagged, None, remedies, [])
            ended(_ROUND_ENDS.get(report.verdict, "escalation"), "panel")
            if report.verdict == "approved":
                return _Judged(paths, flagged, report, remedies, results)
            if report.verdict != "flagged":
                why = "; ".join(report.header.reasons[:2]) or report.verdict
                raise LoopStop(
                    "escalated", f"the panel did not decide: {why}",
                    f"guild runs show {report.run_id}" if report.run_id else "look at the change",
                )  # fmt: skip
            reasons = tuple(f"{f.path}:{f.line} {f.code}: {f.title}" for f in report.blocking[:20])
            if self.contract.fixer and mended < ROUNDS:
                mended += 1
                said = self._mend(self.contract.fixer, paths, held, report.blocking)
                remedies.append(Remedy(report.run_id, reasons, tuple(paths), said))
            else:
                blamed = {finding.path for finding in report.blocking} & set(paths) or set(paths)
                flagged += _told_flagged(paths, blamed, report)
                remedies.append(Remedy(report.run_id, reasons, tuple(paths), "held back"))
                paths = [path for path in paths if path not in blamed]
            paths = self._changed(paths, held)
            if paths:
                results = self.verify()
                red = first_red(results)
                if red:
                    why = "the verification fails with it, after what was flagged was mended or held back"
                    told = [Quarantine(path, why, self._evidence(path, red)) for path in paths]
                    return _Judged([], [*flagged, *told], None, remedies, [])
        return _Judged([], flagged, None, remedies, [])

    def _mend(
        self, fixer: Transformer, paths: list[str], held: Held, findings: Sequence[Finding]
    ) -> str:
        """The fixer's turn: it sees the findings and may change the batch alone."""
        self._step("mend")
        self.shop.put({path: held[path] for path in paths})
        outcome = fixer.change(self.shop, paths, findings)
        self._check_checkout(fixer.name)
        problem = why_refused(self.shop, paths) or outcome.problem
        if problem:
            return f"{fixer.name} {problem}: its change was refused"
        held.update(self.shop.keep(paths))
        return f"{fixer.name} was given the findings"

    def _changed(self, paths: list[str], held: Held) -> list[str]:
        """Those that differ from the base; the clone then holds them, and nothing that a command left behind."""
        self.shop.put({path: held[path] for path in paths})
        changed = set(self.shop.changed())
        return [path for path in paths if path in changed]

    def _ask_panel(self, results: list[CommandResult], ask: str) -> RunReport:
        self._step("panel")
        told = tuple(f"$ {r.command}\nexit code {r.code}\n{r.output[-1500:]}" for r in results)
        packet = PacketRequest(diff="", cwd=self.shop.folder, evidence=told, ask=ask)
        command = "guild loop confidence"
        request = PanelRequest(packet, self.request.agents, command=command, home=self.request.root)
        for _ in range(3):
            self.shop.check_stopped()
            with self.shop.lent():
                report = self._judge(request, self._watch)
            if report.outcome != "infrastructure":
                return report
            self.infrastructure += 1
        raise InfrastructureError(
            "the panel could not judge: " + "; ".join(report.header.reasons[:2]),
            "Nothing is blamed on any item; the same command goes on from there.",
        )


def _flips(where: str) -> LoopStop:
    """A check that is not steady may blame nobody."""
    return LoopStop(
        "gated", f"the verification passes and fails on {where}",
        "make it steady; nothing was put into quarantine by it",
    )  # fmt: skip


def is_binary(file: HeldFile | None) -> bool:
    """As git tells it: a zero byte near the start."""
    return file is not None and b"\0" in file.data[:8000]


def why_refused(shop: Workshop, paths: Sequence[str]) -> str:
    """What was done that may not be, as git and the file system show it; empty when all is well."""
    shop.check_repository()
    if not shop.is_whole():
        shop.open()
        return "touched git: it may change files alone"
    changed = shop.changed()
    odd = shop.not_plain(changed)
    if odd:
        return f"made what is no plain file: {', '.join(odd[:5])}"
    outside = [path for path in changed if path not in paths]
    return f"changed other files: {', '.join(outside[:5])}" if outside else ""


def _told_flagged(paths: Sequence[str], blamed: set[str], report: RunReport) -> list[Quarantine]:
    told = []
    for path in paths:
        if path not in blamed:
            continue
        found = [finding for finding in report.blocking if finding.path == path]
        if found:
            codes = ", ".join(dict.fromkeys(finding.code for finding in found))
            evidence = "; ".join(f"{path}:{f.line} {f.code} {f.title}" for f in found[:5])
            told.append(Quarantine(path, f"the panel flags it: {codes}", evidence))
        else:
            why = "; ".join(report.header.reasons[:2])
            told.append(Quarantine(path, "the panel flags its batch", why))
    return told


def first_red(results: Sequence[CommandResult]) -> CommandResult | None:
    """The command that failed, if one did."""
    return next((result for result in results if not result.passed), None)


def told_of(result: CommandResult | None) -> str:
    """How a command ended, in one line, with the line of its output that says most of why."""
    if result is None:
        return ""
    ended = "ran out of time" if result.code is None else f"exit code {result.code}"
    lines = [line.strip() for line in result.output.splitlines() if _LETTERS.search(line)]
    plain = [line for line in lines if not _RULE.match(line)] or lines
    last = next(
        (line for line in reversed(plain) if _WRONG.search(line)), plain[-1] if plain else ""
    )
    return f"{result.command}: {ended}" + (f": {last[:200]}" if last else "")


def tail_of(output: str) -> list[str]:
    """The last lines that say something."""
    lines = [line.rstrip()[:300] for line in output.splitlines() if _LETTERS.search(line)]
    return lines[-_LINES:]


_LINES = 15
"""Lines of a failing check that are evidence."""
_LETTERS = re.compile(r"\w")
_RULE = re.compile(r"([-=!_*#~])\1{3}")
_WRONG = re.compile(r"\b(\w*(Error|Exception)|FAILED|FAIL|failed|fatal|panicked)\b|\berror\b:?")
