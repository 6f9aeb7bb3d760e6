"""The three tasks of a council: it reaches a verdict, gathers ideas, or lets experts duel.

``run`` opens the session before and writes down what comes of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.presets.model import Perspective
from guildmoot.calls import Watch
from guildmoot.calls.estimate import seat_costs
from guildmoot.calls.pricing import prices_of
from guildmoot.calls.session import CallSession
from guildmoot.codec import to_plain
from guildmoot.config import Config
from guildmoot.errors import EXIT_INFRASTRUCTURE
from guildmoot.guard.secrets import mask
from guildmoot.model.call import Reply
from guildmoot.model.council import CouncilReport, Judge
from guildmoot.model.council_verdict import CouncilVerdict
from guildmoot.model.report import SeatCost, header_of
from guildmoot.practices.council.chair import summarise
from guildmoot.practices.council.judge import (
    ExplorerAnswers,
    JudgedReply,
    ask_council,
    not_asked,
)
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.prompts import labelled_answers
from guildmoot.practices.council.seats import CouncilSeat, PlannedCouncil, SeatedCouncil
from guildmoot.practices.council.verdict import reach_verdict
from guildmoot.practices.deliberation import find_arbiter, load_calibration
from guildmoot.practices.findings import Trials
from guildmoot.practices.ignores import told_ignored
from guildmoot.practices.lookups import Lookups
from guildmoot.practices.own_words import whole_text
from guildmoot.practices.stage import with_usage
from guildmoot.reading.council.confirm import unsaid_quotes
from guildmoot.reading.council.reasons import all_beside
from guildmoot.reading.grammar import WITHOUT_REASONS
from guildmoot.runs.council_record import stem_for
from guildmoot.text.clean import count
from guildmoot.version import __version__

_NOBODY = "nobody answered; try again, or see 'guild doctor'"
_UNREAD = "no answer could be read; what was answered is kept, word for word, with this run"


class TaskResult(NamedTuple):
    """What a council came to before it was written down."""

    report: CouncilReport
    replies: tuple[Reply, ...]
    """Everything that was said, for the record."""
    aside: tuple[Reply, ...] = ()
    """What is kept beside the judges' files: explorers, the rounds of a duel."""
    interrupted: bool = False


def masked_plan(plan: CouncilPlan) -> CouncilPlan:
    """The plan as judges and records are shown it; the packet masks and lists what is in its context."""
    return plan._replace(
        target=mask(plan.target, "target")[0],
        focus=mask(plan.focus, "focus")[0],
        perspectives=tuple(map(_masked, plan.perspectives)),
    )


def _masked(angle: Perspective) -> Perspective:
    limits = ((name, mask(limit, "constraint")[0]) for name, limit in angle.constraints)
    return angle._replace(
        focus=mask(angle.focus, "focus")[0],
        read_budget=tuple(mask(text, "read_budget")[0] for text in angle.read_budget),
        constraints=tuple(limits),
    )


def to_record(planned: PlannedCouncil) -> dict[str, object]:
    """The request as the record keeps it: enough to run it again, and nothing secret in it."""
    plan = planned.plan._replace(
        target=mask(planned.plan.target, "target")[0],
        context=mask(planned.plan.context, "context")[0],
    )
    checks = [[mask(word, "check")[0] for word in check] for check in planned.checks]
    plain = {**to_plain(planned._replace(plan=plan)), "checks": checks}
    return {"practice": "council", "target": plan.target, **plain, "version": __version__}


_MOST_NAMED = 3
"""Files that are named in a report's head."""


async def run_task(
    council: SeatedCouncil,
    session: CallSession,
    watch: Watch,
    explored: ExplorerAnswers,
    trials: Trials,
    lookups: Lookups | None = None,
) -> TaskResult:
    """What the task asks for: ideas, a duel or a verdict."""
    if council.plan.task == "debate":
        return await _duel(council, session, watch)
    if council.plan.task in ("brainstorm", "research"):
        return await _gather_ideas(council, session, watch, explored, lookups)
    return await _judge(council, session, watch, explored, trials)


async def _judge(
    council: SeatedCouncil,
    session: CallSession,
    watch: Watch,
    explored: ExplorerAnswers,
    trials: Trials,
) -> TaskResult:
    """A verdict: ask the judges, let them debate when asked to, count."""
    config, root = council.config, Path(council.packet.root)
    first = not_asked(council.seats)
    if not explored.interrupted:
        first = await ask_council(council, session, watch, explored=explored.answers, trials=trials)
    said = tuple(reply for one in first for reply in one.raw)
    interrupted = any(reply.status == "cancelled" for reply in said)
    ignored = tuple(told_ignored(each) for one in first for each in one.ignored)
    last, report = first, blank_report(council)._replace(suppressed=ignored)
    second: tuple[Reply, ...] = ()
    restated: tuple[Reply, ...] = ()
    answered: Mapping[str, str] = {}
    if council.plan.debate != "off" and not interrupted:
        from guildmoot.practices.council.debate import debate

        last, found, second, restated, interrupted, answered = await debate(
            council, session, watch, first, trials
        )
        if second or restated:
            report = report._replace(debate=found)
        else:  # one that did not take place is only a note
            report = report._replace(notes=(*report.notes, f"one round only: {found.stopped}"))
    past = load_calibration(root, [each.seat for each in council.seats])
    seated = [seat.agent for seat in council.seats]
    arbiter = find_arbiter(config, council.packet, session, seated)
    report, last = await reach_verdict(council, report, last, past, arbiter)
    judges = tuple(
        _voting_view(begun, one, answered.get(one.name, ""), config, session.run_id)
        for begun, one in zip(first, last, strict=True)
    )
    replies = (*said, *(reply._replace(seat=f"{reply.seat}-r2") for reply in second))
    positions = (reply._replace(seat=f"{reply.seat}~restated") for reply in restated)
    report = report._replace(judges=judges)
    report, chaired = await summarise(council, report, session, ask_chair=not interrupted)
    aside = (*explored.replies, *positions, *chaired)
    return TaskResult(report, replies, aside, interrupted)


async def _gather_ideas(
    council: SeatedCouncil,
    session: CallSession,
    watch: Watch,
    explored: ExplorerAnswers,
    lookups: Lookups | None,
) -> TaskResult:
    """Options or facets; nobody votes, so there is no outcome."""
    from guildmoot.practices.council.ideas import gather_ideas

    report = blank_report(council)._replace(technique=council.plan.technique)
    if explored.interrupted:
        return TaskResult(report, (), explored.replies, interrupted=True)
    ideas, answers = await gather_ideas(council, session, watch, explored.answers, lookups)
    judges = tuple(
        judge_view(seat, answer.reply, council.config, session.run_id)._replace(
            used=not answer.value.failure,
            reason=answer.value.failure or "; ".join(answer.value.warnings),
            explored=explored.answers.get(seat.name, ()),
        )
        for seat, answer in zip(council.seats, answers, strict=True)
    )
    replies = tuple(reply for answer in answers for reply in answer.raw)
    interrupted = any(reply.status == "cancelled" for reply in replies)
    report = report._replace(ideas=ideas, judges=judges)
    report, chaired = await summarise(council, report, session, ask_chair=not interrupted)
    return _without_vote(report, replies, (*explored.replies, *chaired))


async def _duel(council: SeatedCouncil, session: CallSession, watch: Watch) -> TaskResult:
    """Experts that recommend, score each other and answer for it; the program only counts."""
    from guildmoot.practices.council.duel import duel

    found, replies = await duel(council, session, watch)
    judges = tuple(_expert(seat, replies, council.config, session.run_id) for seat in council.seats)
    report = blank_report(council)._replace(duel=found, judges=judges)
    return _without_vote(report, replies, replies)


def _expert(seat: CouncilSeat, replies: Sequence[Reply], config: Config, run_id: str) -> Judge:
    """An expert of a duel, whose replies are named ``<name>~<round>``: what all of them took."""
    own = [reply for reply in replies if reply.seat.partition("~")[0] == seat.name]
    silent = next((reply for reply in own if reply.status != "answered"), None)
    total = with_usage(own[0], own[1:]) if own else Reply(seat.name, "cancelled")
    return judge_view(seat, total, config, run_id)._replace(
        reason=f"{silent.status}: {silent.error}" if silent else ""
    )


def judge_view(seat: CouncilSeat, reply: Reply, config: Config, run_id: str) -> Judge:
    """A judge of any task as the report shows it: who it is, what it said, what it cost."""
    angle = seat.perspective
    prices = prices_of(config)
    [cost] = seat_costs([seat.seat], [reply], prices, run_id)
    return Judge(
        label=seat.name,
        seat=seat.seat,
        status=reply.status,
        persona=angle.persona if angle else "",
        perspective=angle.name if angle else "",
        text=reply.text,
        computed=seat.is_tool,
        seconds=round(reply.seconds, 3),
        usage=reply.usage,
        usd=cost.usd,
    )


def with_costs(report: CouncilReport, costs: tuple[SeatCost, ...]) -> CouncilReport:
    """What everybody took, each call at the price of the model that answered it: a clerk may be another."""
    took = {cost.seat: cost.usd for cost in costs}
    judges = (judge._replace(usd=took.get(judge.label, judge.usd)) for judge in report.judges)
    return report._replace(judges=tuple(judges), costs=costs)


def _voting_view(
    first: JudgedReply, last: JudgedReply, second: str, config: Config, run_id: str
) -> Judge:
    """The view of a judge that voted; ``last`` is what counts, ``second`` what it said last."""
    vote, council = last.vote, last.judgement.council
    findings = (f for f in last.judgement.findings if f.code != WITHOUT_REASONS)
    label = last.judge.name
    return judge_view(last.judge, last.reply, config, run_id)._replace(
        verdict=last.verdict,
        first=first.verdict,
        word=vote.word,
        used=last.verdict is not None,
        findings=tuple(findings) if vote.word else (),
        reason=vote.reason or _told_earlier(first.earlier),
        notes=council.warnings if council else (),
        text=whole_text(label, first.raw),
        second=second,
        answers=labelled_answers(last.judge.perspective, last.verdict),
        computed=last.judgement.computed,
        explored=first.explored,
        beside=mask(_own_words(last), label)[0],
    )


def _told_earlier(number: int) -> str:
    return f"{count(number, 'earlier finding')}, not of this change" if number else ""


def _own_words(one: JudgedReply) -> str:
    """What a judge says beside its verdict, also before it was asked whether it stands by it; a tool says findings."""
    if one.judgement.computed:
        return ""
    council = one.judgement.council
    unconfirmed = council is not None and council.failure == "unconfirmed"
    verdict = one.verdict or (CouncilVerdict("PASS") if unconfirmed else None)
    if verdict is None:
        return ""
    said = all_beside(one.said, verdict)
    shown = f"key insight: {verdict.key_insight} recommendation: {verdict.recommendation} {said}"
    more = (quote for each in one.said for quote in unsaid_quotes(each.text, shown))
    return "\n\n".join((*filter(None, (said,)), *dict.fromkeys(more)))


def blank_report(council: SeatedCouncil) -> CouncilReport:
    """The report as far as it is known before anyone has spoken."""
    plan, packet, planned = council.plan, council.packet, council.planned
    kind = planned.wrapper or ("quick" if plan.quick else plan.task)
    day = datetime.strptime(planned.date, "%Y-%m-%d").replace(tzinfo=UTC)
    shown = [file.text for file in packet.files] + [part.text for part in packet.sections]
    target = plan.target or packet.target
    return CouncilReport(
        header=header_of(packet, target=target)._replace(
            policy="council", judged=_judged(council, target)
        ),
        stem=stem_for(day, kind, target),
        date=planned.date,
        task=plan.task,
        modes=plan.modes,
        judges=(),
        outcome=None,
        verdict=None,
        requested=tuple(each.name for each in council.seats),
        notes=(*plan.notes, *council.config.notices),
        profile=plan.profile,
        previous=planned.previous,
        checks=planned.checks,
        wrapper=planned.wrapper,
        settings=plan.sources,
        sources=(
            *(file.path for file in packet.files),
            *(part.title for part in packet.sections),
        ),
        packet_bytes=sum(len(text.encode()) for text in shown),
    )


def _judged(council: SeatedCouncil, target: str) -> str:
    """Which change or which files, where the words that asked for it do not name them."""
    packet, paths = council.packet, [file.path for file in council.packet.files]
    if packet.base:
        return packet.target
    named = council.plan.task != "validate" or target in (packet.target, ".")
    if (
        named
        or not paths
        or any(part in target for path in paths for part in (path, path.partition("/")[0]))
    ):
        return ""
    more = f" and {len(paths) - _MOST_NAMED} more files" if len(paths) > _MOST_NAMED else ""
    return ", ".join(paths[:_MOST_NAMED]) + more


def _without_vote(
    report: CouncilReport, replies: tuple[Reply, ...], aside: tuple[Reply, ...]
) -> TaskResult:
    """Without a vote all that can go wrong is that nobody answers readably: infrastructure, not a judgement."""
    interrupted = any(reply.status == "cancelled" for reply in replies)
    silent = not any(reply.status == "answered" for reply in replies)
    unread = bool(report.judges) and not any(judge.used for judge in report.judges)
    if silent or unread:
        header, why = report.header, _NOBODY if silent else _UNREAD
        header = header._replace(
            exit_code=EXIT_INFRASTRUCTURE,
            reasons=(*header.reasons, why),
            files_reviewed=0,
            lines_reviewed=0,
        )
        report = report._replace(header=header)
    return TaskResult(report, replies, aside, interrupted)
