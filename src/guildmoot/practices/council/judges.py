"""Each judge as the report shows it: what it said in each round, what it counts as, what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guildmoot.calls.estimate import seat_costs
from guildmoot.calls.pricing import read_prices
from guildmoot.config import Config
from guildmoot.consensus.council import CouncilVote
from guildmoot.model.call import Reply
from guildmoot.model.council import Judge
from guildmoot.model.verdict import Judgement
from guildmoot.practices.council.hearing import Heard
from guildmoot.practices.council.prompts import labelled_answers
from guildmoot.practices.council.seating import CouncilSeat
from guildmoot.reading.council import CouncilVerdict

STOPPED = "the run was stopped before every judge had answered"


def judge_views(
    first: Sequence[Heard],
    counting: Sequence[Heard],
    second: Mapping[str, Reply],
    votes: Sequence[CouncilVote],
    config: Config,
    run_id: str,
) -> tuple[Judge, ...]:
    """One view a judge; ``counting`` is what counts after the last round."""
    prices = read_prices(config.prices, "[prices]")
    seats = [one.seat.seat._replace(name=one.seat.label) for one in counting]
    costs = seat_costs(seats, [one.reply for one in counting], prices, run_id)
    return tuple(
        _view(begun, one, vote)._replace(
            seat=seat,
            second=second[one.seat.label].text if one.seat.label in second else "",
            usd=cost.usd,
        )
        for begun, one, vote, seat, cost in zip(first, counting, votes, seats, costs, strict=True)
    )


def not_heard(seats: Sequence[CouncilSeat]) -> tuple[Heard, ...]:
    """The judges of a council that was stopped before it could ask them."""
    return tuple(
        Heard(
            seat,
            Reply(seat.label, "cancelled", error=STOPPED),
            None,
            Judgement(seat.label, "absent", reason=f"cancelled: {STOPPED}"),
        )
        for seat in seats
    )


def _view(begun: Heard, one: Heard, vote: CouncilVote) -> Judge:
    angle = one.seat.perspective
    verdict = _verdict(one)
    return Judge(
        label=one.seat.label,
        seat=one.seat.seat,
        status=one.reply.status,
        persona=angle.persona if angle else "",
        perspective=angle.name if angle else "",
        verdict=verdict,
        first=_verdict(begun),
        word=vote.word,
        findings=one.judgement.findings if vote.word else (),
        reason=vote.reason,
        text=begun.reply.text,
        answers=labelled_answers(angle, verdict),
        computed=one.judgement.computed,
        explored=begun.explored,
        seconds=round(one.reply.seconds, 3),
        usage=one.reply.usage,
    )


def _verdict(one: Heard) -> CouncilVerdict | None:
    return one.reading.verdict if one.reading else None


def expert_views(seats: Sequence[CouncilSeat], replies: Sequence[Reply]) -> tuple[Judge, ...]:
    """The experts of a duel, whose replies are named ``<label>~<round>``; nobody votes."""
    views = []
    for seat in seats:
        own = [reply for reply in replies if reply.seat.partition("~")[0] == seat.label]
        silent = next((reply for reply in own if reply.status != "answered"), None)
        angle = seat.perspective
        views.append(
            Judge(
                label=seat.label,
                seat=seat.seat,
                status=own[0].status if own else "cancelled",
                persona=angle.persona if angle else "",
                perspective=angle.name if angle else "",
                reason=f"{silent.status}: {silent.error}" if silent else "",
                text=own[0].text if own else "",
                seconds=round(sum(reply.seconds for reply in own), 3),
            )
        )
    return tuple(views)
