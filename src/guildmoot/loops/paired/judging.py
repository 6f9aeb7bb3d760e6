"""Who judges a unit of paired work: the panel that its files call for, and whether it does what was agreed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import InfrastructureError
from guildmoot.loops.armed import APPROVER, GIVE_MODEL
from guildmoot.loops.values import LoopStop
from guildmoot.packet import PacketRequest
from guildmoot.practices.panel import PanelRequest

if TYPE_CHECKING:
    from guildmoot.loops.paired.bench import Bench
    from guildmoot.loops.paired.pairing import InteractiveRequest, PairTools
    from guildmoot.loops.paired.signals import WorkContract
    from guildmoot.loops.values import CommandResult
    from guildmoot.model.report import RunReport


class UnitVerdict(NamedTuple):
    """What the judges say of a unit, and who they are."""

    report: RunReport
    judges: tuple[str, ...]
    criteria: str
    """Who judged whether the criteria hold; or that nobody did."""


class UnitJudge:
    """Puts units before their judges."""

    def __init__(self, request: InteractiveRequest, tools: PairTools, bench: Bench) -> None:
        self._request, self._tools, self._bench = request, tools, bench

    def judge(self, contract: WorkContract, results: Sequence[CommandResult]) -> UnitVerdict:
        """The panel's word; when it approves, the word on each criterion of the contract."""
        told = tuple(f"$ {r.command}\nexit code {r.code}\n{r.output[-1500:]}" for r in results)
        folder = self._bench.shop.folder
        packet = PacketRequest(diff="", cwd=folder, evidence=told, ask=contract.text())
        report = self._ask(packet, self._request.agents)
        judges = _speakers(report)
        if report.verdict != "approved" or APPROVER in judges:
            by = f"{APPROVER}: {report.verdict}" if APPROVER in judges else "not asked yet"
            return UnitVerdict(report, judges, by)
        try:
            fit = self._ask(packet, (APPROVER,))
        except InfrastructureError as wrong:
            return UnitVerdict(report, judges, self._unjudged(wrong))
        if fit.verdict == "approved":
            run = f" (run {fit.run_id})" if fit.run_id else ""
            return UnitVerdict(report, (*judges, APPROVER), f"{APPROVER}: approved{run}")
        return UnitVerdict(fit, (*judges, APPROVER), f"{APPROVER}: {fit.verdict}")

    def _unjudged(self, why: InfrastructureError) -> str:
        """Nobody who can think was there: beside a person that is told, alone it ends the work."""
        if self._tools.approve is not None:
            reason = f"nobody can judge whether the work does what was agreed: {no_judge(why)}"
            raise LoopStop("escalated", reason, GIVE_MODEL)
        if self._request.implementer:
            return f"nobody judged whether the criteria hold: {no_judge(why)}"
        return f"nobody but whoever did the work judged them: {no_judge(why)}"

    def _ask(self, packet: PacketRequest, agents: tuple[str, ...]) -> RunReport:
        command = self._request.command
        request = PanelRequest(packet, agents, command=command, home=self._request.root)
        for _ in range(3):
            report = self._tools.loop.judge(request, self._bench.watch)
            if report.outcome != "infrastructure":
                return report
        raise InfrastructureError(
            "the panel could not judge: " + "; ".join(report.header.reasons[:2]),
            "The same command goes on from there.",
        )


def no_judge(why: InfrastructureError) -> str:
    """Why the evaluator could not answer, in the words of a loop: its flags are not those of a panel."""
    return f"{APPROVER} has no model" if "needs a model" in why.message else why.message


def _speakers(report: RunReport) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.seat.agent for row in report.seats if row.status == "answered"))
