"""The second round: every judge restates its view, sees the others without names, and answers.

    1. restate    its own first reply and nothing of the others; two or three sentences, no vote
    2. answer     its restatement quoted back, the others shuffled under letters, and a last verdict
    3. compare    what changed, on what grounds, and what was left behind, by ``consensus.debate``

Each step is one call, and has ``plan.second_timeout`` of its own. Who has not restated is not shown
the others. Whatever goes wrong in the second round, the first verdict counts and the report says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from guildmoot.calls import Watch
from guildmoot.calls.session import CallSession
from guildmoot.consensus.debate import Branch, branch_of, why_not
from guildmoot.model.call import Call, Reply
from guildmoot.model.council import Debate
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Judgement
from guildmoot.practices.council.anonymity import Masks
from guildmoot.practices.council.comparison import Second, can_answer, compare, took_side, word_in
from guildmoot.practices.council.debate_outcome import counted, not_held, report_of
from guildmoot.practices.council.debate_prompts import answer_part, peers_part, restate_part
from guildmoot.practices.council.hearing import Heard, council_reading, judge_call, read
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.prompts import introduction, own_words, shared_prefix
from guildmoot.practices.findings import NO_TRIALS, Trials, check_findings
from guildmoot.practices.repair import repair
from guildmoot.reading.council.restatement import Restatement, read_restatement

RESTATE_ROUND, ANSWER_ROUND = 2, 3
"""The two calls of the second round; a number each, since a resumed run may find them by it."""

_NOTHING: Mapping[str, Reply] = MappingProxyType({})


class DebateRound(NamedTuple):
    """What came of a debate."""

    heard: tuple[Heard, ...]
    """What counts: the second round, or the first where that is missing or the flip is weak. The
    reply stays the first round's, with the usage and seconds of the second added."""
    debate: Debate
    second: Mapping[str, Reply]
    """The second round's replies, by label."""
    restated: Mapping[str, Reply] = _NOTHING
    interrupted: bool = False


class Asked(NamedTuple):
    """What came of one step: replies by label, and whether the user stopped it."""

    replies: dict[str, Reply]
    interrupted: bool = False
    judgements: Mapping[str, Judgement] = MappingProxyType({})
    again: tuple[Reply, ...] = ()
    """What asking for a readable reply took."""


async def debate(
    session: CallSession,
    heard: Sequence[Heard],
    packet: Packet,
    plan: CouncilPlan,
    seed: str,
    watch: Watch,
    trials: Trials = NO_TRIALS,
) -> DebateRound:
    """Debate what the first round left, if ``plan.debate`` calls for it; else say why not."""
    able = [one for one in heard if can_answer(one)]
    sides = [one for one in heard if took_side(one)]
    words = [word_in(one) for one in sides]
    branch = branch_of(words)
    stopped = why_not(plan.debate, words, len(able))
    if stopped:
        return DebateRound(tuple(heard), not_held(heard, branch, stopped), {})
    floor = _Floor(session, heard, packet, plan, seed, watch)
    restated = await floor.restate()
    positions = {label: _position(reply) for label, reply in restated.replies.items()}
    ready = {label: said.text for label, said in positions.items() if said.text}
    answers = Asked({}, True) if restated.interrupted else await floor.answer(ready, branch)
    seconds = {
        one.seat.label: floor.second(one, restated, positions[one.seat.label], answers, trials)
        for one in able
    }
    compared = compare(able, seconds, packet)
    final = {one.turn.label: counted(one) for one in compared}
    return DebateRound(
        heard=tuple(final.get(one.seat.label, one) for one in heard),
        debate=report_of(compared, heard, branch, floor.masks, ready, seed),
        second=answers.replies,
        restated=restated.replies,
        interrupted=answers.interrupted,
    )


class _Floor:
    """One debate: who takes part, under which letters, and how they are asked."""

    def __init__(
        self,
        session: CallSession,
        heard: Sequence[Heard],
        packet: Packet,
        plan: CouncilPlan,
        seed: str,
        watch: Watch,
    ) -> None:
        self.table, self.packet, self.plan, self.watch = session, packet, plan, watch
        self.able = [one for one in heard if can_answer(one)]
        self.sides = [one for one in heard if took_side(one)]
        self.shared = shared_prefix(packet, plan)
        self.readers = [one.seat.label for one in heard if not one.judgement.computed]
        self.calls: dict[str, Call] = {}
        self.masks = {
            one.seat.label: Masks("Judge", seed, one.seat.label, self._others(one.seat.label))
            for one in self.able
        }

    async def restate(self) -> Asked:
        """Every judge's own position, before it is shown anything."""
        return await self._ask(
            [
                self._call(one, restate_part(one.reply.text), RESTATE_ROUND, "verdict")
                for one in self.able
            ]
        )

    async def answer(self, ready: Mapping[str, str], branch: Branch) -> Asked:
        """What the judges that restated say to the others; asked again where it is unreadable."""
        for one in self.able:
            label = one.seat.label
            if label in ready:
                peers = [each for each in self.sides if each.seat.label != label]
                shown = peers_part(peers, self.masks[label])
                part = answer_part(one.reply.text, ready[label], shown, branch)
                self.calls[label] = self._call(one, part, ANSWER_ROUND, "council")
        calls = list(self.calls.values())
        asked = await self._ask(calls)
        replies = list(asked.replies.values())
        judgements = [read(reply, calls) for reply in replies]
        if asked.interrupted or not calls:
            return asked._replace(judgements=_by_seat(judgements))
        mended = await repair(judgements, replies, calls, self.table, self.plan.second_timeout)
        last = {each.seat.rpartition("~")[0]: each for each in mended.asked_again if each.text}
        return Asked(
            {r.seat: r._replace(text=last[r.seat].text) if r.seat in last else r for r in replies},
            mended.interrupted,
            _by_seat(mended.judgements),
            mended.asked_again,
        )

    def second(
        self, one: Heard, restated: Asked, position: Restatement, answers: Asked, trials: Trials
    ) -> Second:
        """The judge's second verdict, checked, or why there is none."""
        label = one.seat.label
        again = [each for each in answers.again if each.seat.rpartition("~")[0] == label]
        spent = (restated.replies[label], *filter(None, [answers.replies.get(label)]), *again)
        if label not in answers.replies:
            if position.text:
                return Second(absent="R1 verdict (R2 cancelled)", replies=spent)
            return Second(absent=_absent(restated.replies[label], position.problem), replies=spent)
        reply, call, judgement = (
            answers.replies[label],
            self.calls[label],
            answers.judgements[label],
        )
        reading = council_reading(judgement)
        if not reading or not reading.verdict or judgement.outcome not in ("approved", "flagged"):
            return Second(absent=_absent(reply, judgement.reason), replies=spent)
        [checked], _ = check_findings([judgement], [call], self.packet, trials)
        masks = self.masks[label]
        return Second(
            reading=reading._replace(verdict=masks.verdict(reading.verdict)),
            judgement=checked._replace(findings=tuple(map(masks.finding, checked.findings))),
            replies=spent,
        )

    def _others(self, label: str) -> list[str]:
        return [one.seat.label for one in self.sides if one.seat.label != label]

    def _call(
        self, one: Heard, part: str, number: int, form: Literal["verdict", "council"]
    ) -> Call:
        seat = one.seat._replace(agent=one.seat.agent._replace(reply=form))
        place = self.readers.index(seat.label) + 1
        who = introduction(seat, place, len(self.readers)) + own_words(seat.agent)
        timeout = self.plan.second_timeout
        return judge_call(seat, self.shared, who + part, self.packet, timeout, number)

    async def _ask(self, calls: Sequence[Call]) -> Asked:
        if not calls:
            return Asked({})
        spawned = await self.table.ask(calls, on_event=self.watch.on_event)
        return Asked({reply.seat: reply for reply in spawned.replies}, spawned.interrupted)


def _position(reply: Reply) -> Restatement:
    return read_restatement(reply.text) if reply.status == "answered" else Restatement()


def _by_seat(judgements: Sequence[Judgement]) -> dict[str, Judgement]:
    return {judgement.seat: judgement for judgement in judgements}


def _absent(reply: Reply, problem: str) -> str:
    """Why there is no second verdict, as the report says it."""
    if reply.status == "answered":
        return f"R1 verdict (R2 unreadable: {problem})" if problem else "R1 verdict (R2 unreadable)"
    if reply.status in ("timeout", "cancelled") or not reply.error:
        return f"R1 verdict (R2 {reply.status})"
    return f"R1 verdict (R2 {reply.status}: {reply.error})"
