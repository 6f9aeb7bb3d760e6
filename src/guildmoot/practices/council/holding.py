"""What a council does at the session: it reaches a verdict, gathers ideas, or lets experts duel.

``run`` opens the table and writes down what comes of it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.registry import load_agents, user_agents_folder
from guildmoot.calls import Watch
from guildmoot.calls.session import CallSession
from guildmoot.config import Config
from guildmoot.errors import EXIT_INFRASTRUCTURE
from guildmoot.memory.calibration import load_probes, load_rule
from guildmoot.model.call import Reply
from guildmoot.model.council import CouncilReport, Debate
from guildmoot.model.packet import Packet
from guildmoot.model.report import header_of
from guildmoot.practices.arbitration import Arbiter
from guildmoot.practices.council.explorers import Explored
from guildmoot.practices.council.hearing import Heard, hear
from guildmoot.practices.council.judges import expert_views, judge_views, not_heard
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.remembering import Remembered
from guildmoot.practices.council.seating import CouncilSeat
from guildmoot.practices.council.verdict import Reached, reach
from guildmoot.practices.deliberation import Calibration
from guildmoot.practices.findings import Trials
from guildmoot.runs.council_record import stem_for

_NOBODY = "nobody answered; try again, or see 'guild doctor'"


class Case(NamedTuple):
    """One council that can sit: what, by whom, under which settings."""

    asked: Remembered
    packet: Packet
    seats: tuple[CouncilSeat, ...]
    config: Config

    @property
    def plan(self) -> CouncilPlan:
        """What was asked for."""
        return self.asked.plan


class Held(NamedTuple):
    """What a council came to before it was written down."""

    report: CouncilReport
    replies: tuple[Reply, ...]
    """Everything that was said, for the record."""
    aside: tuple[Reply, ...] = ()
    """What is kept beside the judges' files: explorers, the rounds of a duel."""
    interrupted: bool = False


class _Round(NamedTuple):
    """What counts after the last round, and what was said in it."""

    heard: tuple[Heard, ...]
    second: dict[str, Reply]
    restated: tuple[Reply, ...] = ()
    debate: Debate | None = None
    interrupted: bool = False


async def hold(
    case: Case, session: CallSession, watch: Watch, explored: Explored, trials: Trials
) -> Held:
    """What the task asks for: ideas, a duel or a verdict."""
    if case.plan.task == "debate":
        return await _duel(case, session, watch)
    if case.plan.task in ("brainstorm", "research"):
        return await _gather(case, session, watch, explored)
    return await _judge(case, session, watch, explored, trials)


async def _judge(
    case: Case, session: CallSession, watch: Watch, explored: Explored, trials: Trials
) -> Held:
    """A verdict: hear, debate when asked to, count."""
    plan, packet, config, root = case.plan, case.packet, case.config, Path(case.packet.root)
    first = not_heard(case.seats)
    if not explored.interrupted:
        answers = explored.answers
        first = await hear(
            session, case.seats, packet, plan, config, watch, explored=answers, trials=trials
        )
    last = await _debate(case, session, watch, first, trials)
    past = Calibration(load_rule(root), load_probes(root))
    arbiter = _arbiter(config, root, session)
    reached = await reach(last.heard, packet, plan, config, past, arbiter, case.asked.checks)
    report = _verdict(_debated(blank_report(case), last), reached, config)._replace(
        judges=judge_views(first, last.heard, last.second, reached.votes, config, session.run_id)
    )
    said = [reply for one in first for reply in (one.reply, *one.asked_again)]
    aside = (*explored.replies, *last.restated)
    return Held(report, (*said, *_renamed(last.second)), aside, last.interrupted)


async def _debate(
    case: Case, session: CallSession, watch: Watch, first: tuple[Heard, ...], trials: Trials
) -> _Round:
    """The second round, where the plan has one and nobody stopped the first."""
    said = [reply for one in first for reply in (one.reply, *one.asked_again)]
    interrupted = any(reply.status == "cancelled" for reply in said)
    if case.plan.debate == "off" or interrupted:
        return _Round(first, {}, interrupted=interrupted)
    from guildmoot.practices.council.debate import debate

    packet = case.packet
    done = await debate(session, first, packet, case.plan, packet.hash, watch, trials)
    restated = tuple(r._replace(seat=f"{r.seat}~restated") for r in done.restated.values())
    return _Round(done.heard, dict(done.second), restated, done.debate, done.interrupted)


async def _gather(case: Case, session: CallSession, watch: Watch, explored: Explored) -> Held:
    """Options or facets; nobody votes, so there is no outcome."""
    from guildmoot.practices.council.ideas import gather_ideas

    report = blank_report(case)._replace(technique=case.plan.technique)
    if explored.interrupted:
        return Held(report, (), explored.replies, interrupted=True)
    ideas, judges = await gather_ideas(
        session, case.seats, case.packet, case.plan, watch, explored=explored.answers
    )
    replies = tuple(
        Reply(judge.label, judge.status, judge.text, judge.reason, seconds=judge.seconds)
        for judge in judges
    )
    report = _answered(report._replace(ideas=ideas, judges=judges), replies)
    interrupted = any(reply.status == "cancelled" for reply in replies)
    return Held(report, replies, explored.replies, interrupted)


async def _duel(case: Case, session: CallSession, watch: Watch) -> Held:
    """Experts that recommend, score each other and answer for it; the program only counts."""
    from guildmoot.practices.council.duel import duel

    packet = case.packet
    found, replies = await duel(session, case.plan, packet, case.seats, watch, seed=packet.hash)
    judges = expert_views(case.seats, replies)
    report = _answered(blank_report(case)._replace(duel=found, judges=judges), replies)
    interrupted = any(reply.status == "cancelled" for reply in replies)
    return Held(report, replies, replies, interrupted)


def blank_report(case: Case) -> CouncilReport:
    """The report as far as it is known before anyone has spoken."""
    plan, packet, asked = case.plan, case.packet, case.asked
    kind = asked.wrapper or ("quick" if plan.quick else plan.task)
    day = datetime.strptime(asked.date, "%Y-%m-%d").replace(tzinfo=UTC)
    shown = [file.text for file in packet.files] + [part.text for part in packet.sections]
    target = plan.target or packet.target
    return CouncilReport(
        header=header_of(packet, target=target)._replace(policy="council"),
        stem=stem_for(day, kind, target),
        date=asked.date,
        task=plan.task,
        modes=plan.modes,
        judges=(),
        outcome=None,
        verdict=None,
        requested=tuple(each.label for each in case.seats),
        notes=plan.notes,
        profile=plan.profile,
        previous=asked.previous,
        checks=asked.checks,
        wrapper=asked.wrapper,
        settings=plan.sources,
        sources=(
            *(file.path for file in packet.files),
            *(part.title for part in packet.sections),
        ),
        packet_bytes=sum(len(text.encode()) for text in shown),
    )


def _verdict(report: CouncilReport, reached: Reached, config: Config) -> CouncilReport:
    result = reached.result
    header = report.header._replace(
        policy=reached.policy,
        reasons=result.reasons,
        floors=reached.floors,
        counts=reached.counts,
        exit_code=result.exit_code(fail_on_warn=config.text("panel.fail_on") == "warn"),
    )
    return report._replace(
        header=header,
        outcome=result.outcome,
        verdict=result.verdict,
        issues=reached.issues,
        shared=reached.buckets.shared,
        split=reached.buckets.split,
        minority=reached.buckets.minority,
        disagreements=reached.disagreements,
        pairs=reached.pairs,
        confidence=reached.confidence,
        recommendation=reached.recommendation,
        evidence=reached.evidence,
        notes=(*report.notes, *reached.notes),
    )


def _debated(report: CouncilReport, last: _Round) -> CouncilReport:
    """The report with the debate; one that did not take place is only a note."""
    if last.debate is None or last.second or last.restated:
        return report._replace(debate=last.debate)
    return report._replace(notes=(*report.notes, f"one round only: {last.debate.stopped}"))


def _answered(report: CouncilReport, replies: tuple[Reply, ...]) -> CouncilReport:
    """Without a vote all that can go wrong is that nobody answers: infrastructure, not a judgement."""
    if any(reply.status == "answered" for reply in replies):
        return report
    header = report.header
    reasons = (*header.reasons, _NOBODY)
    return report._replace(header=header._replace(exit_code=EXIT_INFRASTRUCTURE, reasons=reasons))


def _renamed(second: dict[str, Reply]) -> list[Reply]:
    return [reply._replace(seat=f"{label}-r2") for label, reply in second.items()]


def _arbiter(config: Config, root: Path, session: CallSession) -> Arbiter | None:
    name = config.text("panel.arbiter")
    if not name:
        return None
    return Arbiter(load_agents(root, user_agents_folder()).get(name), session)
