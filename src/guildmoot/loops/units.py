"""One unit of a loop: a batch is changed, held to its scope, verified, and put before a panel.

A batch that fails is parted: what is good goes on, what is to blame is told with the evidence.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import EXIT_OK, EXIT_UNDECIDED, InfrastructureError
from guildmoot.loops.isolate import isolate
from guildmoot.loops.tiers import TierRule
from guildmoot.loops.workshop import CommandResult, Workshop
from guildmoot.packet import PacketRequest
from guildmoot.practices.panel import PanelRequest

if TYPE_CHECKING:
    from guildmoot.model.report import RunReport
    from guildmoot.projects.manifest import Record

    Judge = Callable[[PanelRequest], RunReport]


class LoopRequest(NamedTuple):
    """What is changed, how, and what proves it."""

    root: Path
    slug: str
    phase: int
    pattern: str = ""
    """A glob; or ``grep:REGEX``, ``cmd:COMMAND``."""
    transform: str = ""
    """A command; ``{files}`` are the batch."""
    fixer: str = ""
    """A command that is given the panel's findings as JSON in the file ``GUILD_FINDINGS`` names."""
    verify: tuple[str, ...] = ()
    rules: tuple[TierRule, ...] = ()
    batch: int = 0
    timeout: float = 600.0
    agents: tuple[str, ...] = ()
    dry_run: bool = False


class Quarantine(NamedTuple):
    """An item that was not changed, and what showed that it cannot be."""

    item: str
    reason: str
    evidence: str


class LoopReport(NamedTuple):
    """How the loop ended."""

    status: str
    """completed, gated, escalated or aborted."""
    phase: Record
    branch: str
    tiers: tuple[Record, ...] = ()
    landed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    """Items that the transform left as they were."""
    quarantined: tuple[Quarantine, ...] = ()
    routed: tuple[str, ...] = ()
    """Items of tier 4 and up, which are left to a person."""
    last_checkin: str = ""
    reason: str = ""
    next_action: str = ""
    trials: int = 0

    @property
    def exit_code(self) -> int:
        return EXIT_OK if self.status == "completed" else EXIT_UNDECIDED


class LoopStop(Exception):
    """The loop ends here, and says why."""

    def __init__(self, status: str, reason: str, next_action: str) -> None:
        super().__init__(reason)
        self.status, self.reason, self.next_action = status, reason, next_action


class UnitResult(NamedTuple):
    """What is proven of a batch, and what is not."""

    good: list[str]
    changed: list[str]
    """Those of the good ones that the transform changed."""
    bad: list[Quarantine]
    results: list[CommandResult]
    report: RunReport | None


class UnitRunner:
    """Runs units in one clone."""

    def __init__(
        self, request: LoopRequest, shop: Workshop, verify: Sequence[str], judge: Judge
    ) -> None:
        self.request, self.shop, self._commands, self._judge = request, shop, verify, judge
        self._steady: bool | None = None
        self.trials = 0

    def run(self, batch: list[str]) -> UnitResult:
        """Change a batch and prove what can be proven; the clone then holds what is good."""
        held, bad = self._transform(batch)
        results: list[CommandResult] = []
        changed = [path for path in batch if path in held]
        if changed:
            self.shop.put({path: held[path] for path in changed})
            results = self.verify()
            if not all(result.passed for result in results):
                changed, more, results = self._part(changed, held, results)
                bad += more
        report: RunReport | None = None
        if changed:
            changed, more, report = self._judged(changed, held, results)
            bad += more
        blamed = {each.item for each in bad}
        self.shop.put({path: held[path] for path in changed})
        return UnitResult([p for p in batch if p not in blamed], changed, bad, results, report)

    def verify(self) -> list[CommandResult]:
        """Every command that must pass, up to the first that does not."""
        results: list[CommandResult] = []
        for command in self._commands:
            results.append(self.shop.run(command, self.request.timeout))
            if not results[-1].passed:
                break
        return results

    def _transform(self, batch: list[str]) -> tuple[dict[str, bytes | None], list[Quarantine]]:
        """The new contents of a batch; where the whole cannot be taken, item by item."""
        found = self._transform_once(batch)
        if not isinstance(found, Quarantine):
            return found, []
        if len(batch) == 1:
            return {}, [found]
        held: dict[str, bytes | None] = {}
        bad = []
        for path in batch:
            one = self._transform_once([path])
            if isinstance(one, Quarantine):
                bad.append(one)
            else:
                held |= one
        return held, bad

    def _transform_once(self, paths: list[str]) -> dict[str, bytes | None] | Quarantine:
        """What a command makes of some items, if it kept to them."""
        self.shop.reset()
        done = self.shop.run(self.request.transform, self.request.timeout, paths)
        name = paths[0]
        if not self.shop.is_whole():
            self.shop.open()
            return Quarantine(
                name, "the transform touched git: it may change files alone", done.output
            )
        changed = self.shop.changed()
        links = self.shop.links_out(changed)
        outside = [path for path in changed if path not in paths]
        if links:
            return Quarantine(
                name,
                f"the transform wrote a link out of the tree: {', '.join(links[:5])}",
                done.output,
            )
        if outside:
            return Quarantine(
                name, f"the transform changed other files: {', '.join(outside[:5])}", done.output
            )
        if not done.passed:
            why = "ran out of time" if done.code is None else f"ended with exit code {done.code}"
            return Quarantine(name, f"the transform {why}", done.output)
        return self.shop.keep(changed)

    def _part(
        self, paths: list[str], held: dict[str, bytes | None], results: list[CommandResult]
    ) -> tuple[list[str], list[Quarantine], list[CommandResult]]:
        """Which of the items break the verification; the others pass together."""
        self._check_steady()
        evidence: dict[tuple[str, ...], str] = {tuple(paths): told_of(first_red(results))}
        last = results

        def passes(subset: Sequence[str]) -> bool:
            nonlocal last
            self.shop.put({path: held[path] for path in subset})
            last = self.verify()
            red = first_red(last)
            if red:
                evidence[tuple(subset)] = told_of(red)
            return red is None

        done = isolate(paths, passes, failed=True)
        self.trials += done.trials + 1
        bad = []
        for group in done.bad:
            together = (
                f" together with {', '.join(path for path in group[1:])}" if len(group) > 1 else ""
            )
            seen = evidence.get(group) or next(iter(evidence.values()))
            for path in group:
                name = together if path == group[0] else f" together with {group[0]}"
                bad.append(Quarantine(path, f"the verification fails with it{name}", seen))
        if done.good:
            self.shop.put({path: held[path] for path in done.good})
        return list(done.good), bad, last if done.good else []

    def _check_steady(self) -> None:
        """A check that flips on the unchanged tree may not blame anything."""
        if self._steady is None:
            self.shop.reset()
            runs = [self.verify() for _ in range(2)]
            self._steady = all(result.passed for results in runs for result in results)
        if not self._steady:
            raise LoopStop(
                "gated", "the verification passes and fails on the same unchanged tree",
                "make it steady; nothing was put into quarantine by it",
            )  # fmt: skip

    def _judged(
        self, paths: list[str], held: dict[str, bytes | None], results: list[CommandResult]
    ) -> tuple[list[str], list[Quarantine], RunReport | None]:
        """The panel's word on the batch; what it flags is mended twice at most, then put into quarantine."""
        bad: list[Quarantine] = []
        for attempt in range(3):
            self.shop.put(
                {path: held[path] for path in paths}
            )  # without what verifying left behind
            report = self._ask_panel(results)
            if report.verdict == "approved":
                return paths, bad, report
            if report.verdict != "flagged":
                why = "; ".join(report.header.reasons[:2]) or report.verdict
                raise LoopStop(
                    "escalated",
                    f"the panel did not decide: {why}",
                    "look at it, then run the loop again",
                )
            blamed = {finding.path for finding in report.blocking} & set(paths) or set(paths)
            if self.request.fixer and attempt < 2:
                paths, results = self._mend(paths, held, report)
                continue
            for finding in report.blocking:
                if finding.path in blamed and finding.path not in {each.item for each in bad}:
                    told = f"{finding.path}:{finding.line} {finding.code} {finding.title}"
                    bad.append(
                        Quarantine(finding.path, f"the panel flags it: {finding.code}", told)
                    )
            bad += [
                Quarantine(path, "the panel flags the batch", "; ".join(report.header.reasons[:2]))
                for path in paths
                if path in blamed and path not in {each.item for each in bad}
            ]
            paths = [path for path in paths if path not in blamed]
            if not paths:
                return [], bad, report
            self.shop.put({path: held[path] for path in paths})
            results = self.verify()
            if not all(result.passed for result in results):
                return (
                    [],
                    [
                        *bad,
                        *(
                            Quarantine(path, "fails without what was taken out", "")
                            for path in paths
                        ),
                    ],
                    report,
                )
        return [], [*bad, *(Quarantine(path, "flagged three times", "") for path in paths)], None

    def _mend(
        self, paths: list[str], held: dict[str, bytes | None], report: RunReport
    ) -> tuple[list[str], list[CommandResult]]:
        """The fixer's turn: it sees the findings and may change the batch alone."""
        rows = [
            {"path": f.path, "line": f.line, "code": f.code, "message": f.title, "fix": f.fix}
            for f in report.blocking
        ]
        place = self.request.root / ".guild" / "loop-findings.json"
        place.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
        self.shop.run(
            f"GUILD_FINDINGS={shlex.quote(str(place))} {self.request.fixer}",
            self.request.timeout,
            paths,
        )
        if (
            self.shop.is_whole()
            and set(self.shop.changed()) <= set(paths)
            and not self.shop.links_out(paths)
        ):
            held.update(self.shop.keep(paths))
        self.shop.put({path: held[path] for path in paths})
        return paths, self.verify()

    def _ask_panel(self, results: list[CommandResult]) -> RunReport:
        told = tuple(f"$ {r.command}\nexit code {r.code}\n{r.output[-1500:]}" for r in results)
        packet = PacketRequest(diff="", cwd=self.shop.folder, evidence=told)
        for _ in range(2):
            report = self._judge(
                PanelRequest(
                    packet, self.request.agents, record=False, command="guild loop confidence"
                )
            )
            if report.outcome != "infrastructure":
                return report
        raise InfrastructureError(
            "the panel could not judge: " + "; ".join(report.header.reasons[:2])
        )


def first_red(results: Sequence[CommandResult]) -> CommandResult | None:
    """The command that failed, if one did."""
    return next((result for result in results if not result.passed), None)


def told_of(result: CommandResult | None) -> str:
    """How a command ended, in one line."""
    if result is None:
        return ""
    ended = "ran out of time" if result.code is None else f"exit code {result.code}"
    lines = [line for line in result.output.strip().splitlines() if line.strip()]
    return f"{result.command}: {ended}" + (f": {lines[-1][:200]}" if lines else "")
