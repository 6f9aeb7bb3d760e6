"""Chooses the reader for a reply, and decides whether what it says is a vote.

A judge is asked for one JSON object, or for a last line that carries the nonce of its call. Whatever
else it says is no vote, except that a clear flag always counts. Replies that an older release recorded
were asked for neither, so the plain grammar alone reads them.
"""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.backends import traits_of
from guildmoot.model.call import Call, Reply
from guildmoot.model.council_verdict import CouncilReading, CouncilWord
from guildmoot.model.verdict import Finding, Judgement, Outcome
from guildmoot.reading.clerk.normal import normal_form
from guildmoot.reading.council.confirm import (
    confirmed,
    counted,
    read_confirmation,
    to_confirm,
    unconfirmed,
)
from guildmoot.reading.council.first_words import asked_again, declines
from guildmoot.reading.council.fitting import find_council_misfit
from guildmoot.reading.council.judgement import read_judgement
from guildmoot.reading.council.read import read_council, restate, stated_pass
from guildmoot.reading.council.review import is_review
from guildmoot.reading.council.scales import read_verdict_word
from guildmoot.reading.endings import only_flags
from guildmoot.reading.exact import is_plain_form
from guildmoot.reading.grammar import (
    READER_CODES,
    WITHOUT_REASONS,
    read_verdict,
    why_not_approved,
)
from guildmoot.reading.refusal import REFUSED_TO_ANSWER, not_a_vote
from guildmoot.reading.schema_reply import Unfit, panel_judgement, read_loose_flag, read_object
from guildmoot.reading.tool import read_tool
from guildmoot.reading.unsettled import OTHER_VERDICT, unsettled
from guildmoot.reading.verdict_line import COUNCIL_WORDS, PANEL_WORDS, read_vote, without_nonce
from guildmoot.reading.verdict_schema import PANEL_SCHEMA
from guildmoot.reading.words.tags import split_tags

_OUTCOMES: dict[str, Outcome] = {
    "approved": "approved",
    "flagged": "flagged",
    "recused": "recused",
    "operator-judgment-required": "operator-judgment",
}
_CLOSED: tuple[Outcome, ...] = ("flagged", "operator-judgment")
"""What counts however it was said: neither lets work pass."""
_BOTH = "its verdict line approves, yet what stands before it flags the work"
_BLOCKED = "its verdict lets the work pass, yet its reply gives reasons that block"
_SAID_AGAIN = "it warned in other words, and again when its verdict was asked for once more"
_BARE = "its first reply was no review, and the second is a verdict without a word about the work"
_ASKED_AGAIN = "the verdict was asked for once more, in one line"


def read_reply(reply: Reply, call: Call) -> Judgement:
    """What the seat said, as a judgement; a seat that did not answer is absent, never a vote."""
    if traits_of(call.agent.backend).is_tool:
        return read_tool(reply, call.agent, call.files, call.workdir)
    if reply.status != "answered" and not reply.ending:
        reason = f"{reply.status}: {reply.error}" if reply.error else reply.status
        return Judgement(reply.seat, "absent", reason=reason, family=call.seat.family)
    excuse = not_a_vote(reply.text, call.prompt)
    if excuse:  # as good as no answer: it neither passes nor fails the work
        return Judgement(reply.seat, "absent", reason=excuse, family=call.seat.family)
    return only_flags(_read(reply, call), reply)


def read_second(first: Reply, again: Reply, call: Call) -> Judgement:
    """What a seat says that was asked once more: its vote is in ``again``, its findings in ``first``."""
    if quotes := _asked_about(first, call):
        return _stood_by(first, again, call, quotes)
    if not is_review(first.text):
        return _anew(first, again, call)
    if not again.nonce:
        return read_reply(again, call)
    vote = read_vote(again.text, again.nonce, words_for(call))
    alone = _asked_for(first, read_reply(again, call))
    if vote.problem or alone.outcome in ("absent", "unreadable"):
        before = read_reply(first, call)  # what it gave as blocking then is not lost
        if warned := _warned_twice(first, again, call, (before, alone)):
            return warned
        if whole := _worse(before, alone):
            return whole
        return before if before.findings and alone.outcome not in _CLOSED else alone
    return only_flags(_restated(vote.word, first, call), again)


def _asked_about(first: Reply, call: Call) -> tuple[str, ...]:
    return to_confirm(first.text) if call.agent.reply == "council" else ()


def _stood_by(first: Reply, again: Reply, call: Call, quotes: tuple[str, ...]) -> Judgement:
    """The verdict that a judge confirms, or why its PASS does not count; a flag in any form counts."""
    answer = read_confirmation(again.text, again.nonce or "")
    if answer.word:
        told = read_judgement(confirmed(first.text, answer), first.seat, call.seat.family)
        if answer.word == "PASS" and (given := _given(first, told.family)):
            return _no_vote(told._replace(findings=given), _BLOCKED)
        return only_flags(_asked_for(first, _coherent(told)), again)
    later = read_reply(again, call)
    return later if later.outcome in _CLOSED else _unconfirmed(first, call, quotes, answer.problem)


def _unconfirmed(first: Reply, call: Call, quotes: tuple[str, ...], then: str = "") -> Judgement:
    why = unconfirmed(first.text, quotes, then)
    told = CouncilReading(failure="unconfirmed", reasons=(why,))
    judgement = read_judgement(told, first.seat, call.seat.family)
    said = stated_pass(first.text).verdict  # of its object all is told by the quote
    return judgement._replace(findings=() if said else _given(first, call.seat.family))


def _asked_for(first: Reply, judgement: Judgement) -> Judgement:
    """A council's PASS that came only when it was asked for: none where the first reply denied it, else with that."""
    verdict = judgement.council.verdict if judgement.council else None
    if judgement.outcome != "approved" or not verdict or verdict.verdict != "PASS":
        return judgement
    if denied := declines(first.text):
        return _no_vote(judgement, _milder("PASS", f'said: "{denied}"'))
    told = asked_again(first.text)
    return judgement._replace(reason=told) if told else judgement


def _anew(first: Reply, again: Reply, call: Call) -> Judgement:
    """What the whole question brought, asked once more of who had not judged; a bare approval is no vote then."""
    later = _asked_for(first, read_reply(again, call))
    if later.outcome == "approved" and (denied := declines(first.text)):
        return _no_vote(later, _milder("PASS", f'said: "{denied}"'))
    excuse = not_a_vote(first.text)
    vote = read_vote(again.text, again.nonce or "", words_for(call))
    if excuse != REFUSED_TO_ANSWER:
        excuse = "" if vote.problem or vote.rest.strip() else _BARE
    if later.outcome != "approved" or not excuse:
        return later
    return Judgement(first.seat, "absent", reason=excuse, family=call.seat.family)


def _warned_twice(
    first: Reply, again: Reply, call: Call, read: tuple[Judgement, Judgement]
) -> Judgement | None:
    """The WARN that a council's judge says twice outside of the form, with a finding of its own beside it.

    It lets work pass unless the caller gates on it, so once is not enough. The second question carries a nonce:
    who could make a judge say it again there could make it write the line. See ``clerk.transcript``.
    """
    if call.agent.reply != "council" or any(each.outcome != "unreadable" for each in read):
        return None
    reading, repeated = read_council(first.text), read_council(without_nonce(again.text))
    if not reading.verdict or not repeated.verdict or not reading.verdict.findings:
        return None
    if {reading.verdict.verdict, repeated.verdict.verdict} != {"WARN"}:
        return None
    told = reading._replace(warnings=(*reading.warnings, _SAID_AGAIN))
    return only_flags(read_judgement(told, first.seat, call.seat.family), first)


def _worse(before: Judgement, alone: Judgement) -> Judgement | None:
    """A WARN or FAIL that the judge gave as a whole object in place of a line, with what it had found before."""
    reading = alone.council
    if not reading or not reading.verdict or reading.verdict.verdict == "PASS":
        return None
    said = {(each.path, each.line) for each in alone.findings if each.blocking}
    kept = tuple(f for f in before.findings if f.blocking and (f.path, f.line) not in said)
    return alone._replace(findings=(*alone.findings, *kept))


def words_for(call: Call) -> tuple[str, ...]:
    """The words from which a verdict line takes its own."""
    return COUNCIL_WORDS if call.agent.reply == "council" else PANEL_WORDS


def _read(reply: Reply, call: Call) -> Judgement:
    """By the form that it was asked for."""
    if reply.nonce is None:
        return _plainly(reply, call)
    if not reply.nonce:
        return _by_object(reply, call)
    vote = read_vote(reply.text, reply.nonce, words_for(call))
    if not vote.problem:
        return _stated(vote.word, vote.rest, reply, call)
    if call.nonce == "":  # asked for an object first, it may give one now as well
        return _by_object(reply, call)
    if traits_of(call.agent.backend).is_program:  # what is nothing but a form quotes nobody
        if is_plain_form(reply.text):
            return _plainly(reply, call)
        if reply.text.lstrip()[:1] == "{":
            return _by_object(reply, call, council=True)
    return _only_closed(reply, call, vote.problem)


def _by_object(reply: Reply, call: Call, council: bool = False) -> Judgement:
    """An object that fits its schema is the vote."""
    if not council and call.agent.reply != "council":
        try:
            value = read_object(reply.text, PANEL_SCHEMA)
        except Unfit as unfit:
            return _only_closed(reply, call, str(unfit))
        judgement = panel_judgement(value, reply.seat, call.seat.family)
        unread = judgement.outcome == "unreadable"
        return _no_vote(judgement, judgement.reason) if unread else judgement
    if misfit := find_council_misfit(reply.text):
        return _only_closed(reply, call, misfit)
    if quotes := to_confirm(reply.text):
        return _unconfirmed(reply, call, quotes)
    return _coherent(read_judgement(counted(reply.text), reply.seat, call.seat.family))


def _plainly(reply: Reply, call: Call) -> Judgement:
    """The plain grammar of the form; a text without a verdict may be the council's JSON, but not prose."""
    family = call.seat.family
    if call.agent.reply == "council":
        return _council(reply.text, reply.seat, family)
    judgement = read_verdict(reply.text, reply.seat, family)
    if judgement.outcome != "unreadable" or "{" not in reply.text:
        return judgement
    reading = read_council(reply.text)
    if reading.verdict and reading.how in ("json", "json-block"):
        return read_judgement(reading, reply.seat, family)
    return judgement


def _only_closed(reply: Reply, call: Call, problem: str) -> Judgement:
    """A flag, or the call for a person, in whatever form and place; anything else is no vote."""
    seat, family = reply.seat, call.seat.family
    bare = reply._replace(text=without_nonce(reply.text))
    plain = _plainly(bare, call)
    if plain.outcome in _CLOSED:
        return plain
    flag = next((each for each in _flags(bare, call) if each and each.outcome == "flagged"), None)
    flag = flag or read_loose_flag(reply.text, seat, family)
    return flag or _no_vote(plain, problem)


def _flags(reply: Reply, call: Call) -> Iterator[Judgement | None]:
    """The reply by every grammar that could see a flag in it, the form's own first."""
    yield read_verdict(reply.text, reply.seat, call.seat.family)
    yield _messy_flag(reply, call)
    yield _council(reply.text, reply.seat, call.seat.family)


def _messy_flag(reply: Reply, call: Call) -> Judgement | None:
    """A flag in other words, in tags, backticks or a fence."""
    council = call.agent.reply == "council"
    text = normal_form(reply.text, council)
    if text == reply.text:
        return None
    read = _plainly(reply._replace(text=text), call)
    return read if read.outcome == "flagged" else None


def _council(text: str, seat: str, family: str) -> Judgement:
    return read_judgement(read_council(text), seat, family)


def _no_vote(judgement: Judgement, problem: str) -> Judgement:
    """A reply that is no vote says nothing about the work, but for reasons to block that it gave."""
    given = tuple(
        each for each in judgement.findings if each.code not in READER_CODES and each.blocking
    )
    council = judgement.council and CouncilReading(failure="unreadable", reasons=(problem,))
    return judgement._replace(outcome="unreadable", findings=given, reason=problem, council=council)


def _stated(word: str, rest: str, reply: Reply, call: Call) -> Judgement:
    """The judgement of a reply whose line votes ``word``, with what stands before that line."""
    if call.agent.reply == "council":
        return _restated(word, reply._replace(text=rest), call)
    own, _ = split_tags(rest)
    judgement = read_verdict(f"VERDICT: {word}\n\n{own}", reply.seat, call.seat.family)
    if word != "flagged" and _plainly(reply._replace(text=own), call).outcome == "flagged":
        return _no_vote(judgement, _BOTH)
    if word == "approved" and (why := why_not_approved(rest)):
        return _no_vote(judgement, why)
    if judgement.outcome in (_OUTCOMES[word], "operator-judgment"):
        return judgement
    if word != "flagged":
        return _no_vote(judgement, judgement.reason)
    given = tuple(each for each in judgement.findings if each.code not in READER_CODES)
    why = "the verdict is flagged, but its reasons could not be read"
    bare = Finding(reply.seat, WITHOUT_REASONS, why, family=call.seat.family)
    return judgement._replace(outcome="flagged", findings=given or (bare,), reason="")


def _restated(word: str, first: Reply, call: Call) -> Judgement:
    """The vote that was given when asked once more, with the findings of the first reply."""
    if call.agent.reply == "council":
        return _council_restated(read_verdict_word(word) or "FAIL", first, call.seat.family)
    judgement = _stated(word, first.text, first, call)
    read = read_verdict(first.text, first.seat)
    told = word == "approved" and read.outcome != "approved"
    if told and (why := unsettled(without_nonce(first.text))):
        return _no_vote(judgement, _milder(word, why))
    given = [each for each in judgement.findings if each.code not in READER_CODES]
    if judgement.outcome != "unreadable" or given or word != "approved":
        return judgement
    return judgement._replace(outcome="approved", findings=(), reason="")


def _council_restated(word: CouncilWord, first: Reply, family: str) -> Judgement:
    """The same for a council's judge, who does not get milder by it."""
    reading = read_council(first.text)
    if word == "PASS":
        why = unsettled(without_nonce(first.text))
        if why and (not reading.verdict or why.startswith(OTHER_VERDICT)):
            return _no_vote(read_judgement(reading, first.seat, family), _milder(word, why))
        reading = reading if reading.verdict else _with_notes(reading, without_nonce(first.text))
    said = reading.verdict or restate(first.text, word)
    told = CouncilReading(
        said._replace(verdict=word), reading.how or "salvaged", (*reading.warnings, _ASKED_AGAIN)
    )
    judgement = read_judgement(told, first.seat, family)
    if COUNCIL_WORDS.index(said.verdict) < COUNCIL_WORDS.index(word):
        return _no_vote(judgement, f"it says {word}, yet its reply says {said.verdict}")
    if reading.failure == "contradiction" and word != "FAIL":
        return _no_vote(judgement, "; ".join(reading.reasons))
    if word != "FAIL" and not reading.verdict and (given := _given(first, family)):
        return _no_vote(judgement._replace(findings=given), _BLOCKED)
    silent = word == "WARN" and not reading.verdict
    if silent and (why := why_not_approved(without_nonce(first.text), prose=False)):
        return _no_vote(judgement, why)
    return _asked_for(first, _coherent(judgement))


def _with_notes(reading: CouncilReading, text: str) -> CouncilReading:
    """What an approval in other words lists beside it; nothing is lost because the verdict was not in the form."""
    noted = read_council(f"Verdict: PASS\n\n{text}")
    return noted if noted.verdict or noted.failure == "contradiction" else reading


def _milder(word: str, why: str) -> str:
    return f"it says {word} when asked once more, yet its first reply {why}"


def _given(reply: Reply, family: str) -> tuple[Finding, ...]:
    """The reasons that block in a reply without a verdict."""
    found = read_verdict(without_nonce(reply.text), reply.seat, family).findings
    return tuple(each for each in found if each.blocking and each.code not in READER_CODES)


def _coherent(judgement: Judgement) -> Judgement:
    """A council's judge that says PASS and names something critical has not made up its mind."""
    verdict = judgement.council.verdict if judgement.council else None
    if verdict and verdict.verdict == "PASS" and any(each.blocking for each in judgement.findings):
        return _no_vote(judgement, "the verdict is PASS, yet a finding is given as critical")
    return judgement
