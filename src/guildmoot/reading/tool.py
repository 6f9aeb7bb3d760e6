"""Reads what a tool printed into a judgement: the formats find claims, this grades them.

A tool that crashed, is missing or said something unreadable never approves. Whether the place of
a finding exists is left to ``grounding``.
"""

from __future__ import annotations

from collections.abc import Collection

from guildmoot.model.agent import Agent
from guildmoot.model.call import Reply
from guildmoot.model.verdict import Finding, Judgement, Outcome
from guildmoot.reading.claims import Claim, Claims
from guildmoot.reading.levels import blocks, severity_of
from guildmoot.reading.lines import plain, read_lines
from guildmoot.reading.paths import relative_path
from guildmoot.reading.rdjson import read_rdjson, read_rdjsonl
from guildmoot.reading.sarif import read_sarif

_TAIL_LINES = 20
_TAIL_CHARACTERS = 4000


def read_tool(reply: Reply, agent: Agent, files: Collection[str], root: str = "") -> Judgement:
    """A tool's judgement; ``files`` are the packet's paths, ``root`` is the folder it ran in."""
    meaning = _meaning(reply, agent)
    if reply.status != "answered" or meaning == "error":
        return Judgement(
            reply.seat, "absent", reason=_absence(reply), family=_family(agent), computed=True
        )
    if agent.format == "exit":
        return _read_exit(reply, agent, meaning)
    claims, problem = _read(reply.text, agent)
    if not (claims or problem) and meaning == "findings":
        problem = f"exit code {reply.exit_code} reports findings, but none could be read"
    findings = tuple(_finding(claim, reply, agent, files, root) for claim in claims)
    return _judgement(reply, agent, findings, problem)


def _read(text: str, agent: Agent) -> Claims:
    if agent.format == "lines":
        return read_lines(text, agent.pattern)
    readers = {"sarif": read_sarif, "rdjson": read_rdjson, "rdjsonl": read_rdjsonl}
    return readers[agent.format](text)


def _meaning(reply: Reply, agent: Agent) -> str:
    """What the exit code means; an agent that lists none gets the usual 0 for clean."""
    if agent.exit_codes and reply.exit_code is not None:
        return dict(agent.exit_codes).get(reply.exit_code, "error")
    return "findings" if reply.exit_code else "clean"


def _judgement(
    reply: Reply, agent: Agent, findings: tuple[Finding, ...], problem: str
) -> Judgement:
    """Facts count even when the rest was unreadable; silence counts only when all was read."""
    outcome: Outcome = "unreadable" if problem else "approved"
    if any(finding.blocking for finding in findings):
        outcome = "flagged"
    reason = f"{agent.name}'s {agent.format} output: {problem}" if problem else ""
    return Judgement(
        reply.seat, outcome, findings, reason=reason, family=_family(agent), computed=True
    )


def _finding(
    claim: Claim, reply: Reply, agent: Agent, files: Collection[str], root: str
) -> Finding:
    severity = severity_of(agent, claim.code, claim.level, claim.score)
    return Finding(
        seat=reply.seat,
        code=claim.code or agent.name,
        title=claim.title or claim.code or "result without a message",
        severity=severity,
        blocking=blocks(agent, severity),
        path=relative_path(claim.path, files, root),
        line=claim.line,
        end_line=max(claim.line, claim.end_line),
        quote=claim.quote,
        why=claim.why,
        fix=claim.fix,
        url=claim.url,
        family=_family(agent),
        proven=True,
    )


def _read_exit(reply: Reply, agent: Agent, meaning: str) -> Judgement:
    if reply.exit_code is None:
        return _judgement(reply, agent, (), "the program left no exit code")
    if meaning == "clean":
        return _judgement(reply, agent, (), "")
    ended = (
        f"was ended by signal {-reply.exit_code}"
        if reply.exit_code < 0
        else f"failed with exit code {reply.exit_code}"
    )
    finding = Finding(
        seat=reply.seat,
        code="verification-failed",
        title=f"{' '.join(agent.command) or agent.name} {ended}",
        severity="critical",
        quote=_tail(reply.text + "\n" + reply.error),
        family=_family(agent),
        proven=True,
    )
    return _judgement(reply, agent, (finding,), "")


def _absence(reply: Reply) -> str:
    said = _tail(reply.error, lines=3) or _tail(reply.text, lines=3)
    what = {
        "answered": f"exit code {reply.exit_code} means that it could not do its work",
        "timeout": "it did not finish in time",
        "failed": "it failed"
        + (f" with exit code {reply.exit_code}" if reply.exit_code is not None else ""),
        "missing": "it is not installed or cannot be reached",
        "cancelled": "the run was stopped",
        "excused": "there was nothing here for it to judge",
    }[reply.status]
    return f"{what}: {said}" if said else what


def _tail(text: str, lines: int = _TAIL_LINES) -> str:
    """The last lines that say something, where programs put what went wrong."""
    spoken = [line.rstrip() for line in plain(text).splitlines() if line.strip()]
    return "\n".join(spoken[-lines:])[-_TAIL_CHARACTERS:]


def _family(agent: Agent) -> str:
    return agent.family or agent.name
