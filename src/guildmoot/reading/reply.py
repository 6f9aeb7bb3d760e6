"""Chooses the reader for a reply: a tool's format, or the VERDICT grammar for what agents write."""

from __future__ import annotations

from guildmoot.reading.grammar import read_verdict
from guildmoot.reading.paths import known_path
from guildmoot.reading.tool import read_tool
from guildmoot.types import Call, Judgement, Reply


def read_reply(reply: Reply, call: Call) -> Judgement:
    """What the seat said, as a judgement; a seat that did not answer is absent, never a vote."""
    if call.agent.backend == "tool":
        return read_tool(reply, call.agent, call.files, call.workdir)
    if reply.status != "answered":
        reason = f"{reply.status}: {reply.error}" if reply.error else reply.status
        return Judgement(reply.seat, "absent", reason=reason, family=call.seat.family)
    judgement = read_verdict(reply.text, reply.seat, call.seat.family)
    findings = (f._replace(path=known_path(f.path, call.files)) for f in judgement.findings)
    return judgement._replace(findings=tuple(findings))
