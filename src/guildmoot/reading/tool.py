"""Reads what a tool printed into a judgement: the formats find results, this grades them.

A tool that crashed, is missing or said something unreadable never approves. Whether the place of
a finding exists is left to ``grounding``.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from guildmoot.model.agent import Agent
from guildmoot.model.call import Reply
from guildmoot.model.verdict import SEVERITIES, Finding, Judgement, Outcome, Severity
from guildmoot.reading.places import relative_path
from guildmoot.reading.sarif import read_sarif
from guildmoot.reading.tool_formats import (
    ToolOutput,
    ToolResult,
    plain,
    read_lines,
    read_rdjson,
    read_rdjsonl,
)
from guildmoot.text.clean import one_line

_MOST_SAID = 400
_TAIL_LINES = 20
_TAIL_CHARACTERS = 4000

# Words that tools use, by the level of SARIF that they stand for.
_LEVELS: dict[str, str] = {
    word: level
    for level, words in (
        ("error", "error err e fatal critical blocker high major"),
        ("warning", "warning warn w medium moderate"),
        ("note", "note n info i information informational hint help style none low minor"),
        ("note", "convention refactor suggestion recommendation"),
    )
    for word in words.split()
}
_WORST = ("fatal", "critical", "blocker")
_BY_LEVEL: dict[str, Severity] = {"error": "high", "warning": "medium", "note": "low"}


def read_tool(reply: Reply, agent: Agent, files: Collection[str], root: str = "") -> Judgement:
    """A tool's judgement; ``files`` are the packet's paths, ``root`` is the folder it ran in."""
    meaning = _meaning(reply, agent)
    if reply.status != "answered" or meaning == "error":
        return Judgement(
            reply.seat, "absent", reason=_absence(reply), family=_family(agent), computed=True
        )
    if agent.format == "exit":
        return _read_exit(reply, agent, meaning)
    results, problem = _read(reply.text, agent)
    if not (results or problem) and meaning == "findings":
        problem = f"exit code {reply.exit_code} reports findings, but none could be read"
    if problem and not results and (said := one_line(reply.error)[-_MOST_SAID:]):
        problem += f"; it says: {said}"
    known = frozenset(files)
    findings = tuple(_finding(result, reply, agent, known, root) for result in results)
    return _judgement(reply, agent, findings, problem)


def _read(text: str, agent: Agent) -> ToolOutput:
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
    result: ToolResult, reply: Reply, agent: Agent, files: Collection[str], root: str
) -> Finding:
    severity = _severity(agent, result.code, result.level, result.score)
    return Finding(
        seat=reply.seat,
        code=result.code or agent.name,
        title=result.title or result.code or "result without a message",
        severity=severity,
        blocking=_blocks(agent, severity),
        path=relative_path(result.path, files, root),
        line=result.line,
        end_line=max(result.line, result.end_line),
        quote=result.quote,
        why=result.why,
        fix=result.fix,
        url=result.url,
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


def _severity(agent: Agent, code: str, level: str, score: float = -1.0) -> Severity:
    """By the agent's map (rule prefix, then level), the rule's score, ``*``, the tool's level."""
    return _graded(agent.severities, code, level.strip().lower(), score)


@lru_cache(maxsize=4096)
def _graded(
    severities: tuple[tuple[str, Severity], ...], code: str, word: str, score: float
) -> Severity:
    known = dict(severities)
    mapped = _by_prefix(known, code) or _by_word(known, word)
    if mapped:
        return mapped
    if score >= 0:
        return _by_score(score)
    if "*" in known:
        return known["*"]
    return "critical" if word in _WORST else _BY_LEVEL[_LEVELS.get(word, "warning")]


def _blocks(agent: Agent, severity: Severity) -> bool:
    """Whether a finding of this severity stops the work."""
    if agent.blocks_at == "never":
        return False
    return SEVERITIES.index(severity) <= SEVERITIES.index(agent.blocks_at)


def _by_prefix(known: dict[str, Severity], code: str) -> Severity | None:
    """A level word such as ``error`` is no prefix of a rule that happens to begin with it."""
    fits = [
        key
        for key in known
        if key and key != "*" and code.startswith(key) and (key == code or key not in _LEVELS)
    ]
    return known[max(fits, key=len)] if fits else None


def _by_word(known: dict[str, Severity], word: str) -> Severity | None:
    by_word = {key.lower(): severity for key, severity in known.items() if key.lower() in _LEVELS}
    return by_word.get(word) or by_word.get(_LEVELS.get(word, ""))


def _by_score(score: float) -> Severity:
    """The bands that code-scanning services use for ``security-severity``."""
    bands: tuple[tuple[float, Severity], ...] = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"))
    return next((severity for floor, severity in bands if score >= floor), "low")
