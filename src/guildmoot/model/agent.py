"""Who can be called, and who sits."""

from __future__ import annotations

from guildmoot.model.verdict import Severity

TYPE_CHECKING = False

if not TYPE_CHECKING:
    from guildmoot.model.verdict import Literal, NamedTuple
else:
    from typing import Literal, NamedTuple


_WRITERS = ("Write", "Edit", "MultiEdit", "NotebookEdit", "*")


def is_rule(rule: str) -> bool:
    """Whether it is ``*`` or one ``Tool`` or ``Tool(pattern)``: no flag, and not several in one."""
    tool, bracket, pattern = rule.partition("(")
    name = tool.removesuffix("*") if tool.startswith("mcp__") else tool
    named = name.isascii() and name.replace("-", "_").isidentifier() and name[0] != "-"
    closed = not bracket or (pattern[-1:] == ")" and not {"(", ")"} & {*pattern[:-1]})
    return rule == "*" or (named and closed and rule.isprintable())


def can_write(rule: str) -> bool:
    """Whether a rule lets an agent change files; several in one do when they name a tool that can."""
    if not is_rule(rule):
        return rule.startswith("-") or any(tool in rule for tool in (*_WRITERS, "Bash"))
    tool, _, pattern = rule.partition("(")
    return tool in _WRITERS or (tool == "Bash" and not pattern.strip(" :*)"))


class Seat(NamedTuple):
    """One judge at the table."""

    name: str
    """Unique at this table."""
    agent: str
    backend: str
    family: str
    model: str = ""
    perspective: str = ""
    why: str = ""
    """The reason it was seated, e.g. ``*.py in the packet``."""


class Agent(NamedTuple):
    """Who can be called: one agent file, read and checked."""

    name: str
    description: str
    body: str
    """The agent's own instructions; for a tool, notes for people."""
    source: str
    """The file it came from, for messages."""
    origin: Literal["project", "claude", "user", "package"] = "package"
    role: str = "evaluator"
    backend: str = "command"
    family: str = ""
    """Defaults to the program, vendor or backend."""
    model: str = ""
    tier: str = ""
    perspective: str = ""
    tools: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Globs of the files it judges; empty means any file."""
    skip: tuple[str, ...] = ()
    """Globs of files that it must not judge."""
    command: tuple[str, ...] = ()
    """Program and arguments; ``{files}``, ``{root}``, ``{manifest}`` and the like are filled in."""
    run_in: Literal["packet", "checkout"] = "packet"
    format: Literal["sarif", "rdjson", "rdjsonl", "lines", "exit"] = "lines"
    pattern: str = ""
    """For ``lines``: a regular expression with groups path, line, end_line, code, severity, message."""
    exit_codes: tuple[tuple[int, Literal["clean", "findings", "error"]], ...] = ()
    """What each exit code means; one that is not listed is an error."""
    severities: tuple[tuple[str, Severity], ...] = ()
    """Rule prefix or tool level to severity; the longest prefix wins, ``*`` is the rest."""
    blocks_at: Severity | Literal["never"] = "high"
    """Findings of this severity or worse block; the rest advise."""
    timeout: float = 0.0
    """Seconds for one call; 0 takes the configured default."""
    replies: str = ""
    """For ``scripted``: the file with its replies, relative to the agent file."""
    depth: Literal["checked", "parsed", "scanned", "language"] = "checked"
    """For a tool: what its silence about a file is worth; ``language``: as the file's language allows."""
    optional: bool = False
    """Seated by default only where its program is installed."""
    reply: Literal["verdict", "council"] = "verdict"
    """What it answers with: a text around a VERDICT line, or the council's verdict as JSON."""


class Roster(NamedTuple):
    """The seats, the agent behind each, and who was passed over and why."""

    seats: tuple[Seat, ...]
    agents: dict[str, Agent]
    """By seat name."""
    passed_over: tuple[tuple[str, str], ...] = ()
