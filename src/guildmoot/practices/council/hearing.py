"""The first round: every judge is asked at once, and what it says is read, mended and checked.

A judge that does not answer, or whose answer is no verdict, stays at the session without a vote; what
that means for the whole is for ``verdict`` to say.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.backends import traits_of
from guildmoot.calls import Watch
from guildmoot.calls.session import CallSession
from guildmoot.config import Config
from guildmoot.consensus.council import word_of
from guildmoot.model.agent import Roster
from guildmoot.model.call import Call, Reply
from guildmoot.model.council_verdict import Confidence, FindingSeverity
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Finding, Judgement, Severity
from guildmoot.practices.calls import (
    Calls,
    excused_judgement,
    excused_reply,
    make_calls,
    without_secrets,
)
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.prompts import judge_part, shared_prefix
from guildmoot.practices.council.seating import CouncilSeat
from guildmoot.practices.findings import NO_TRIALS, Trials, check_findings
from guildmoot.practices.repair import Repaired, repair, with_repairs
from guildmoot.practices.structured import ask_for_form
from guildmoot.reading.council import CouncilFinding, CouncilReading, CouncilVerdict
from guildmoot.reading.reply import read_reply

FIRST_ROUND = 1


class Heard(NamedTuple):
    """One judge, what it said, and what was read in it."""

    seat: CouncilSeat
    reply: Reply
    """Its last words where it was asked again; usage and seconds are of all that it took."""
    reading: CouncilReading | None
    """None when there was nothing to read."""
    judgement: Judgement
    """Its findings have been looked up in the packet."""
    explored: tuple[tuple[str, str], ...] = ()
    """What its explorers were asked and answered."""
    asked_again: tuple[Reply, ...] = ()


async def hear(
    session: CallSession,
    seats: Sequence[CouncilSeat],
    packet: Packet,
    plan: CouncilPlan,
    config: Config,
    watch: Watch,
    *,
    explored: Mapping[str, tuple[tuple[str, str], ...]] | None = None,
    trials: Trials = NO_TRIALS,
) -> tuple[Heard, ...]:
    """Ask every judge once, and again those whose reply cannot be read."""
    explored = explored or {}
    with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
        calls = council_calls(seats, packet, plan, config, Path(scratch), explored)
        spawned = await session.ask(
            calls.to_make, limit=int(config.number("panel.limit")), on_event=watch.on_event
        )
        replies = in_order(seats, spawned.replies, calls.excused)
        mended = Repaired(tuple(read(reply, calls.to_make) for reply in replies))
        if not spawned.interrupted:
            mended = await repair(mended.judgements, replies, calls.to_make, session, None)
        judgements, _ = check_findings(mended.judgements, calls.to_make, packet, trials)
    paid = with_repairs(replies, mended.asked_again)
    return tuple(
        _heard(seat, reply, judgement, mended.asked_again)._replace(
            explored=explored.get(seat.label, ())
        )
        for seat, reply, judgement in zip(seats, paid, judgements, strict=True)
    )


def council_calls(
    seats: Sequence[CouncilSeat],
    packet: Packet,
    plan: CouncilPlan,
    config: Config,
    scratch: Path,
    explored: Mapping[str, tuple[tuple[str, str], ...]],
) -> Calls:
    """One call a judge: tools get the packet as a folder, the others one prefix and their own part."""
    shared = shared_prefix(packet, plan)
    tools = [seat for seat in seats if traits_of(seat.agent.backend).is_tool]
    roster = Roster(
        tuple(seat.seat._replace(name=seat.label) for seat in tools),
        {seat.label: seat.agent for seat in tools},
        (),
    )
    made = make_calls(packet, roster, config, scratch)
    by_seat = {
        call.seat.name: call._replace(
            packet=packet.hash, round=FIRST_ROUND, timeout=call.agent.timeout or plan.timeout
        )
        for call in made.to_make
    }
    readers = [seat for seat in seats if not traits_of(seat.agent.backend).is_tool]
    for number, seat in enumerate(readers, 1):
        part = judge_part(seat, number, len(readers), explored.get(seat.label, ()))
        by_seat[seat.label] = judge_call(seat, shared, part, packet, plan.timeout)
    ordered = tuple(by_seat[seat.label] for seat in seats if seat.label in by_seat)
    return Calls(ordered, made.excused)


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
        seat=seat.seat._replace(name=seat.label),
        agent=seat.agent,
        prompt=shared + part,
        files=tuple(file.path for file in packet.files),
        timeout=timeout,
        shared=len(shared),
        packet=packet.hash,
        round=round,
    )
    return ask_for_form(call)


def read(reply: Reply, calls: Sequence[Call]) -> Judgement:
    """What the seat said; one that was not called has recused itself."""
    if reply.status == "excused":
        return excused_judgement(reply)
    call = next(call for call in calls if call.seat.name == reply.seat)
    return read_reply(reply, call._replace(agent=without_secrets(call.agent)))


def council_reading(judgement: Judgement) -> CouncilReading | None:
    """The judge's verdict in the council's words; None when its reply is no verdict."""
    if judgement.council or judgement.outcome not in ("approved", "flagged"):
        return judgement.council
    return CouncilReading(as_verdict(judgement), how="salvaged")


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


def in_order(
    seats: Sequence[CouncilSeat], answered: Sequence[Reply], excused: Mapping[str, str]
) -> tuple[Reply, ...]:
    """Replies in the order of the seats, with a stand-in for those that were not called."""
    by_seat = {reply.seat: reply for reply in answered}
    by_seat |= {label: excused_reply(label, reason) for label, reason in excused.items()}
    return tuple(by_seat[seat.label] for seat in seats)


def _heard(
    seat: CouncilSeat, reply: Reply, judgement: Judgement, asked_again: Sequence[Reply]
) -> Heard:
    own = tuple(each for each in asked_again if each.seat.rpartition("~")[0] == seat.label)
    answered = [each for each in own if each.status == "answered"]
    last = reply._replace(text=answered[-1].text) if answered else reply
    return Heard(seat, last, council_reading(judgement), judgement, (), own)


_CONFIDENCES: dict[str, Confidence] = {"high": "HIGH", "medium": "MEDIUM", "low": "LOW"}
_SEVERITIES: dict[Severity, FindingSeverity] = {
    "critical": "critical",
    "high": "significant",
    "medium": "significant",
    "low": "minor",
}


def _as_finding(finding: Finding) -> CouncilFinding:
    place = f"{finding.path}:{finding.line}" if finding.line else finding.path
    return CouncilFinding(
        severity=_SEVERITIES[finding.severity],
        category=finding.code,
        description=finding.title,
        location=place,
        recommendation=finding.fix,
        fix=finding.fix or None,
        why=finding.why or None,
        ref=finding.url or None,
    )
