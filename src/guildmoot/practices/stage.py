"""One stage of a run: ask all calls at once, read every reply, ask again whoever cannot be read.

Panels, councils, debates, duels, ideas, explorers, probes and whiteboard rounds are made of stages. They
differ in how a reply is read, which is the ``ReplyReader``; ``ask_judges`` reads judgements and checks their
findings against the packet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from guildmoot.backends import traits_of
from guildmoot.calls import Event
from guildmoot.calls.session import CallSession
from guildmoot.model.call import BEFORE, Call, Reply, Usage
from guildmoot.model.packet import Packet
from guildmoot.model.report import IgnoredFinding
from guildmoot.model.verdict import Finding, Judgement
from guildmoot.named import NamedTuple
from guildmoot.practices.before import earlier
from guildmoot.practices.calls import (
    Calls,
    ask_once_more,
    clerk_call,
    excused_judgement,
    excused_reply,
    without_secrets,
)
from guildmoot.practices.findings import NO_TRIALS, Trials, check_findings
from guildmoot.practices.ignores import NO_IGNORES, Ignores, set_aside
from guildmoot.practices.lookups import Lookups
from guildmoot.practices.own_words import REPAIR, with_own_reasons
from guildmoot.reading.endings import quoting
from guildmoot.reading.tool import read_tool

T = TypeVar("T")

OnReplies = Callable[[Sequence[Reply]], None]


class Spoken(NamedTuple):
    """One call, its reply, and what was said when it was asked once more."""

    call: Call
    first: Reply
    last: Reply
    """The first reply again where nothing was asked once more."""

    @property
    def again(self) -> str:
        """The second answer; empty when there is none."""
        return self.last.text if self.last is not self.first else ""


class ReplyReader(NamedTuple, Generic[T]):
    """How the replies of a stage are read."""

    read: Callable[[Reply, Call], T]
    """Given every reply, also of who did not answer; the call is the first one."""
    problem: Callable[[Reply, T], str] = lambda reply, value: ""
    """Why the reply must be asked for again; empty when it was read."""
    again: Callable[[Call, Reply, str], Call] = lambda call, reply, problem: call
    """What is asked then; the call is the first one."""
    read_again: Callable[[Reply, Reply, Call], T] | None = None
    """Reads the reply before together with one that was asked for again; without it that one alone."""
    attempts: int = 0
    further: Callable[[T], bool] = lambda value: True
    """Whether what a second question brought is asked about once more."""
    clerk: Callable[[Spoken, T], str] | None = None
    """The question for a clerk where the first reply may say more than was read; empty where it does not."""
    clerk_schema: Callable[[], Mapping[str, Any]] | None = None
    """The form of the clerk's answer, for backends that hold a reply to one."""
    read_clerk: Callable[[Spoken, Reply, T], T] = lambda said, transcript, value: value
    """Reads the first reply together with what the clerk made of it."""
    without_clerk: Callable[[T, str], T] = lambda value, why: value
    """What stands when the clerk did not answer, and why that was."""


class Answer(NamedTuple, Generic[T]):
    """What came of one call."""

    reply: Reply
    """The last words; usage and seconds are of all that it took."""
    value: T
    raw: tuple[Reply, ...]
    """Every reply as it came; what was asked for again has ``~repair-1`` and so on after the seat's name."""

    @property
    def seat(self) -> str:
        """The name of the seat that was asked."""
        return self.reply.seat


class StageResult(NamedTuple, Generic[T]):
    """The answers in the order of the seats, and whether the user stopped the stage."""

    answers: tuple[Answer[T], ...]
    interrupted: bool = False
    existing: tuple[Finding, ...] = ()
    """Facts that were there before the change, and so do not count."""
    ignored: tuple[IgnoredFinding, ...] = ()
    """Findings that somebody accepted."""
    notices: tuple[str, ...] = ()
    """What of the repository is not used, and why."""

    @property
    def values(self) -> tuple[T, ...]:
        """What was read, one a seat."""
        return tuple(answer.value for answer in self.answers)

    @property
    def replies(self) -> tuple[Reply, ...]:
        """One a seat, with what asking again took added to it."""
        return tuple(answer.reply for answer in self.answers)

    @property
    def by_seat(self) -> dict[str, Answer[T]]:
        """The answers by the name of the seat."""
        return {answer.seat: answer for answer in self.answers}


async def ask(
    session: CallSession,
    calls: Sequence[Call],
    reader: ReplyReader[T],
    *,
    deadline: float | None = None,
    limit: int = 0,
    on_event: Callable[[Event], None] | None = None,
    on_replies: OnReplies | None = None,
    lookups: Lookups | None = None,
) -> StageResult[T]:
    """Ask every call, and again those whose reply cannot be read; who stays unreadable stays so.

    ``on_replies`` is given the raw replies for the record: once before anyone is asked again, and once
    more with the repairs after them. With ``lookups`` whoever asks to see files is shown them and asked again.
    """
    if lookups:
        calls = [lookups.invited(call) for call in calls]
    spawned = await session.ask(calls, deadline=deadline, limit=limit, on_event=on_event)
    first, interrupted = spawned.replies, spawned.interrupted
    looks: dict[int, list[Reply]] = {}
    if lookups:
        looked = _Looked(list(calls), list(first), looks)
        interrupted |= await _look(session, looked, lookups, deadline=deadline, limit=limit)
        calls, first = looked.calls, tuple(looked.last)
    if on_replies:
        on_replies(first)
    last = list(first)
    values = [reader.read(reply, call) for reply, call in zip(first, calls, strict=True)]
    repairs: list[tuple[int, Reply]] = []
    for attempt in range(1, reader.attempts + 1):
        problems = ((at, reader.problem(last[at], value)) for at, value in enumerate(values))
        unread = [
            (at, problem)
            for at, problem in problems
            if problem and (attempt == 1 or reader.further(values[at]))
        ]
        if interrupted or not unread:
            break
        again = [
            reader.again(calls[at], last[at], problem)._replace(attempt=attempt, looks_left=0)
            for at, problem in unread
        ]
        spawned = await session.ask(again, deadline=deadline, limit=limit)
        interrupted = spawned.interrupted
        for (at, _), reply in zip(unread, spawned.replies, strict=True):
            repairs.append((at, reply._replace(seat=f"{reply.seat}{REPAIR}{attempt}")))
            if reply.status == "answered":
                values[at] = (
                    reader.read_again(last[at], reply, calls[at])
                    if reader.read_again
                    else reader.read(reply, calls[at])
                )
                last[at] = reply
    if not interrupted:
        spoken = [Spoken(*each) for each in zip(calls, first, last, strict=True)]
        asked = _for_clerk(reader, spoken, values, session.clerk_model)
        spawned = await session.ask(list(asked.values()), deadline=deadline, limit=limit)
        interrupted = spawned.interrupted
        for at, reply in zip(asked, spawned.replies, strict=True):
            repairs.append((at, reply._replace(seat=f"{first[at].seat}~clerk")))
            if reply.status == "answered":
                values[at] = reader.read_clerk(spoken[at], reply, values[at])
            else:
                values[at] = reader.without_clerk(values[at], reply.error or reply.status)
    if on_replies and repairs:
        on_replies((*first, *(reply for _, reply in repairs)))
    answers = []
    for at, (reply, value) in enumerate(zip(first, values, strict=True)):
        more = [repair for number, repair in repairs if number == at]
        seen = looks.get(at, [])
        total = with_usage(reply, [*seen, *more])._replace(text=last[at].text)
        answers.append(Answer(total, value, (*seen, reply, *more)))
    return StageResult(tuple(answers), interrupted)


def _for_clerk(
    reader: ReplyReader[T], spoken: Sequence[Spoken], values: Sequence[T], model: str
) -> dict[int, Call]:
    """A clerk's call for each reply that may say more than was read, by its number."""
    found = {}
    for at, (said, value) in enumerate(zip(spoken, values, strict=True)):
        if reader.clerk and said.first.status == "answered":
            question = reader.clerk(said, value)
            if question:
                found[at] = clerk_call(said.call, question, model, reader.clerk_schema)
    return found


class _Looked(NamedTuple):
    """The calls with all that was shown so far, and the last replies to them."""

    calls: list[Call]
    last: list[Reply]
    looks: dict[int, list[Reply]]
    """By the number of the call: replies that only asked to look."""


async def _look(
    session: CallSession,
    looked: _Looked,
    lookups: Lookups,
    *,
    deadline: float | None,
    limit: int,
) -> bool:
    """Show what was asked for, and ask again, as often as is allowed; whether the user stopped it."""
    for number in range(1, lookups.rounds + 1):
        after = (
            (at, lookups.after(c, looked.last[at], number)) for at, c in enumerate(looked.calls)
        )
        further = [(at, call) for at, call in after if call]
        if not further:
            return False
        spawned = await session.ask([call for _, call in further], deadline=deadline, limit=limit)
        for (at, call), reply in zip(further, spawned.replies, strict=True):
            before = looked.last[at]
            name = f"{before.seat}~look-{number}"
            looked.looks.setdefault(at, []).append(before._replace(seat=name))
            looked.calls[at], looked.last[at] = call, reply
        if spawned.interrupted:
            return True
    return False


def _read_judgement(reply: Reply, call: Call) -> Judgement:
    call = call._replace(agent=without_secrets(call.agent))
    if traits_of(call.agent.backend).is_tool:
        return read_tool(reply, call.agent, call.files, call.workdir)
    from guildmoot.reading.reply import read_reply  # where nobody thinks, nothing of it is needed

    return read_reply(reply, call)


def _read_once_more(first: Reply, again: Reply, call: Call) -> Judgement:
    from guildmoot.reading.reply import read_second

    return read_second(first, again, call._replace(agent=without_secrets(call.agent)))


def _unreadable(reply: Reply, judgement: Judgement) -> str:
    """It answered, but gave no judgement. A tool cannot be asked to mend its words."""
    no_vote = judgement.outcome == "absent" and reply.status == "answered"
    unread = judgement.outcome == "unreadable" or no_vote
    return judgement.reason if unread and not judgement.computed else ""


def _is_unasked(judgement: Judgement) -> bool:
    """A PASS beside words that are no plain approval, given only when asked once more."""
    from guildmoot.reading.council.confirm import NOT_ASKED

    return judgement.reason.endswith(NOT_ASKED)


def _clerk_question(said: Spoken, judgement: Judgement) -> str:
    if judgement.computed or traits_of(said.call.agent.backend).is_tool:
        return ""
    from guildmoot.reading.clerk.transcript import ask_to_transcribe, is_unfinished
    from guildmoot.reading.refusal import not_a_vote

    text = said.first.text
    told = is_unfinished(judgement, text) and not not_a_vote(text, said.call.prompt)
    return ask_to_transcribe(text, said.again) if told else ""


def _clerk_schema() -> Mapping[str, Any]:
    from guildmoot.reading.clerk.transcript import transcript_schema

    return transcript_schema()


def _with_transcript(said: Spoken, transcript: Reply, judgement: Judgement) -> Judgement:
    from guildmoot.reading.clerk.transcript import Conversation, read_transcript, transcribed
    from guildmoot.reading.endings import only_flags

    told = read_transcript(transcript.text, said.first.text)
    conversation = Conversation(said.first.text, said.again, said.call.prompt)
    return only_flags(transcribed(judgement, told, conversation), said.first)


def _without_clerk(judgement: Judgement, why: str) -> Judgement:
    """Who gave no vote that could be read is told together with why nobody put it into the form."""
    why = why.rstrip(".")
    told = f"{judgement.reason}; no clerk could put it into the form: {why}"
    return judgement._replace(reason=told) if judgement.reason else judgement


JUDGEMENT = ReplyReader(
    _read_judgement,
    _unreadable,
    ask_once_more,
    _read_once_more,
    attempts=2,
    further=_is_unasked,
    clerk=_clerk_question,
    clerk_schema=_clerk_schema,
    read_clerk=_with_transcript,
    without_clerk=_without_clerk,
)
"""Reads a reply as a judgement; what is no vote is asked once more for its verdict, and for nothing else.

What a reply may say beyond what was read is put into the form by a clerk, whose every word is checked."""


async def ask_judges(
    session: CallSession,
    calls: Calls,
    packet: Packet,
    *,
    trials: Trials = NO_TRIALS,
    ignores: Ignores = NO_IGNORES,
    deadline: float | None = None,
    limit: int = 0,
    on_event: Callable[[Event], None] | None = None,
    on_replies: OnReplies | None = None,
) -> StageResult[Judgement]:
    """Ask the judges, read what they say, and check their findings; excused seats are among them."""
    excused = {name: excused_reply(name, why) for name, why in calls.excused.items()}

    def in_order(replies: Sequence[Reply]) -> None:
        if on_replies:
            known = excused | {reply.seat: reply for reply in replies[: len(calls.to_make)]}
            on_replies((*(known[name] for name in calls.seats), *replies[len(calls.to_make) :]))

    def of_now(event: Event) -> None:
        if on_event and not event.seat.endswith(BEFORE):
            on_event(event)

    done = await ask(
        session,
        (*calls.to_make, *calls.before),
        JUDGEMENT,
        deadline=deadline,
        limit=limit,
        on_event=of_now,
        on_replies=in_order,
    )
    by_seat = {name: Answer(r, excused_judgement(r), (r,)) for name, r in excused.items()}
    by_seat |= done.by_seat
    answers = [by_seat[name] for name in calls.seats]
    read = [with_own_reasons(answer.value, answer.raw) for answer in answers]
    then = earlier(calls, done.values[len(calls.to_make) :])
    checked = check_findings(read, calls.to_make, packet, trials, then)
    kept, ignored = set_aside(checked.judgements, packet, ignores, checked.existing)
    judged = zip(answers, kept, strict=True)
    return StageResult(
        tuple(answer._replace(value=quoting(value, answer.reply)) for answer, value in judged),
        done.interrupted,
        checked.existing,
        ignored,
        ignores.notices,
    )


def with_usage(reply: Reply, more: Sequence[Reply]) -> Reply:
    """The reply with the usage and time of further ones added to its own."""
    seconds = reply.seconds + sum(each.seconds for each in more)
    usages = [each.usage for each in (reply, *more) if each.usage]
    if not more or not usages:
        return reply._replace(seconds=seconds)
    costs = [usage.cost_usd for usage in usages]
    total = Usage(
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        cache_read_tokens=sum(usage.cache_read_tokens for usage in usages),
        cache_write_tokens=sum(usage.cache_write_tokens for usage in usages),
        requests=sum(usage.requests for usage in usages),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost),
    )
    return reply._replace(usage=total, seconds=seconds)
