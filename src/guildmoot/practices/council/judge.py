"""The first round: every judge is asked at once, and what it says is read, repaired and checked.

A judge that does not answer, or whose answer is no verdict, keeps its seat without a vote; what that
means for the whole is for ``verdict`` to say. ``judge_view`` is a judge as the report shows it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.calls import Watch
from guildmoot.calls.estimate import seat_costs
from guildmoot.calls.pricing import Prices
from guildmoot.calls.session import CallSession
from guildmoot.consensus.council import CouncilVote, word_of
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.model.council import Judge
from guildmoot.model.council_verdict import (
    COUNCIL_SEVERITIES,
    Confidence,
    CouncilFinding,
    CouncilVerdict,
)
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Finding, Judgement
from guildmoot.practices.calls import Calls, ask_for_form, make_calls
from guildmoot.practices.council.prompts import judge_part, labelled_answers, shared_prefix
from guildmoot.practices.council.seats import CouncilSeat, SeatedCouncil, as_roster
from guildmoot.practices.findings import NO_TRIALS, Trials
from guildmoot.practices.stage import ask_judges

FIRST_ROUND = 1
STOPPED = "the run was stopped before every judge had answered"
QuestionAnswers = tuple[tuple[str, str], ...]
"""What a judge's explorers were asked and answered."""


NO_VOTE = CouncilVote("", "", None)


class JudgedReply(NamedTuple):
    """One judge, what it said, and what was read in it."""

    judge: CouncilSeat
    reply: Reply
    """Its last words where it was asked again; usage and seconds are of all that it took."""
    verdict: CouncilVerdict | None
    """None when there was nothing to read."""
    judgement: Judgement
    """Its findings have been looked up in the packet."""
    explored: QuestionAnswers = ()
    raw: tuple[Reply, ...] = ()
    """Every reply as it came, for the record."""
    vote: CouncilVote = NO_VOTE
    """How it counts, once that is known."""

    @property
    def name(self) -> str:
        """The judge's name."""
        return self.judge.name


async def ask_council(
    council: SeatedCouncil,
    session: CallSession,
    watch: Watch,
    *,
    explored: Mapping[str, QuestionAnswers] | None = None,
    trials: Trials = NO_TRIALS,
) -> tuple[JudgedReply, ...]:
    """Ask every judge once, and again those whose reply cannot be read."""
    explored = explored or {}
    with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
        judged = await ask_judges(
            session,
            council_calls(council, Path(scratch), explored),
            council.packet,
            trials=trials,
            limit=int(council.config.number("panel.limit")),
            on_event=watch.on_event,
        )
    return tuple(
        JudgedReply(
            seat,
            answer.reply,
            council_verdict(answer.value),
            answer.value,
            explored.get(seat.name, ()),
            answer.raw,
        )
        for seat, answer in zip(council.seats, judged.answers, strict=True)
    )


def council_calls(
    council: SeatedCouncil, scratch: Path, explored: Mapping[str, QuestionAnswers]
) -> Calls:
    """One call a judge: tools get the packet as a folder, the others one prefix and their own part."""
    packet, plan = council.packet, council.plan
    shared = shared_prefix(packet, plan)
    readers = {seat.name: seat for seat in council.seats if not seat.is_tool}
    numbers = {name: number for number, name in enumerate(readers, 1)}

    def write(seat: Seat, agent: Agent) -> Call:
        name = seat.name
        part = judge_part(readers[name], numbers[name], len(readers), explored.get(name, ()))
        return judge_call(readers[name], shared, part, packet, plan.timeout)

    return make_calls(
        packet,
        as_roster(council.seats),
        council.config,
        scratch,
        write=write,
        round=FIRST_ROUND,
        timeout=plan.timeout,
    )


def judge_call(
    seat: CouncilSeat,
    shared: str,
    part: str,
    packet: Packet,
    timeout: float,
    round: int = FIRST_ROUND,
) -> Call:
    """A judge's call in a round; it judges every file, and gets no tools to write with."""
    call = Call(
        seat=seat.seat,
        agent=seat.agent,
        prompt=shared + part,
        files=tuple(file.path for file in packet.files),
        timeout=timeout,
        shared=len(shared),
        packet=packet.hash,
        round=round,
    )
    return ask_for_form(call)


def not_asked(seats: Sequence[CouncilSeat]) -> tuple[JudgedReply, ...]:
    """The judges of a council that was stopped before it could ask them."""
    return tuple(
        JudgedReply(
            seat,
            reply := Reply(seat.name, "cancelled", error=STOPPED),
            None,
            Judgement(seat.name, "absent", reason=f"cancelled: {STOPPED}"),
            raw=(reply,),
        )
        for seat in seats
    )


def judge_view(seat: CouncilSeat, reply: Reply, prices: Prices, run_id: str) -> Judge:
    """A judge of any task as the report shows it: who it is, what it said, what it cost."""
    angle = seat.perspective
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


def voting_view(
    first: JudgedReply,
    last: JudgedReply,
    second: Reply | None,
    prices: Prices,
    run_id: str,
) -> Judge:
    """The view of a judge that voted; ``last`` is what counts after the last round."""
    vote = last.vote
    return judge_view(last.judge, last.reply, prices, run_id)._replace(
        verdict=last.verdict,
        first=first.verdict,
        word=vote.word,
        findings=last.judgement.findings if vote.word else (),
        reason=vote.reason,
        notes=last.judgement.council.warnings if last.judgement.council else (),
        text=first.reply.text,
        second=second.text if second else "",
        answers=labelled_answers(last.judge.perspective, last.verdict),
        computed=last.judgement.computed,
        explored=first.explored,
    )


def council_verdict(judgement: Judgement) -> CouncilVerdict | None:
    """The judge's verdict in the council's words; None when its reply is no verdict."""
    if judgement.council:
        return judgement.council.verdict
    return as_verdict(judgement) if judgement.outcome in ("approved", "flagged") else None


def as_verdict(judgement: Judgement) -> CouncilVerdict:
    """A panel's judgement in the council's words, for judges that answer in another form."""
    confidence = judgement.confidence
    worst = judgement.findings[0].title if judgement.findings else ""
    return CouncilVerdict(
        verdict=word_of(judgement).word or "FAIL",
        confidence=_CONFIDENCES[confidence] if confidence else None,
        key_insight=worst,
        findings=tuple(map(_as_finding, judgement.findings)),
        schema_version=0,
    )


_CONFIDENCES: dict[str, Confidence] = {"high": "HIGH", "medium": "MEDIUM", "low": "LOW"}


def _as_finding(finding: Finding) -> CouncilFinding:
    place = f"{finding.path}:{finding.line}" if finding.line else finding.path
    return CouncilFinding(
        severity=COUNCIL_SEVERITIES[finding.severity],
        category=finding.code,
        description=finding.title,
        location=place,
        recommendation=finding.fix,
        fix=finding.fix or None,
        why=finding.why or None,
        ref=finding.url or None,
    )
