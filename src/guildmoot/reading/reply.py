"""Chooses the reader for a reply: a tool's format, the VERDICT grammar, or the council's JSON."""

from __future__ import annotations

from guildmoot.backends import traits_of
from guildmoot.model.call import Call, Reply
from guildmoot.model.verdict import Judgement
from guildmoot.reading.council.judgement import read_judgement
from guildmoot.reading.council.read import read_council
from guildmoot.reading.endings import only_flags
from guildmoot.reading.grammar import read_verdict
from guildmoot.reading.refusal import not_a_vote
from guildmoot.reading.tool import read_tool


def read_reply(reply: Reply, call: Call) -> Judgement:
    """What the seat said, as a judgement; a seat that did not answer is absent, never a vote."""
    if traits_of(call.agent.backend).is_tool:
        return read_tool(reply, call.agent, call.files, call.workdir)
    if reply.status != "answered" and not reply.ending:
        reason = f"{reply.status}: {reply.error}" if reply.error else reply.status
        return Judgement(reply.seat, "absent", reason=reason, family=call.seat.family)
    excuse = not_a_vote(reply.text, call.prompt)
    if excuse:
        return _unheard(reply, call.seat.family, excuse)
    if call.agent.reply == "council":
        judgement = read_judgement(read_council(reply.text), reply.seat, call.seat.family)
    else:
        judgement = _read_text(reply, call.seat.family)
    return only_flags(judgement, reply)


def _read_text(reply: Reply, family: str) -> Judgement:
    """The VERDICT grammar; a reply without one may be the council's JSON, but never salvaged prose."""
    judgement = read_verdict(reply.text, reply.seat, family)
    if judgement.outcome != "unreadable" or "{" not in reply.text:
        return judgement
    reading = read_council(reply.text)
    if reading.verdict and reading.how in ("json", "json-block"):
        return read_judgement(reading, reply.seat, family)
    return judgement


def _unheard(reply: Reply, family: str, excuse: str) -> Judgement:
    """An answer that is no vote is as good as none: it neither passes nor fails the work."""
    return Judgement(reply.seat, "absent", reason=excuse, family=family)
