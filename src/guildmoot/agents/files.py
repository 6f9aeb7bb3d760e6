"""Makes an :class:`Agent` of one agent file, or says everything that is wrong with it.

The format is Claude Code's: Markdown with YAML front matter. Where files
are looked up is in ``registry``.
"""

from __future__ import annotations

import os
import re
import shlex
import warnings
from pathlib import Path
from typing import Literal

from guildmoot.agents.families import default_family
from guildmoot.agents.fields import AgentFields, AgentProblem, nearest, one_of
from guildmoot.agents.frontmatter import parse
from guildmoot.agents.plainyaml import FrontMatterError
from guildmoot.backends import BACKENDS, traits_of
from guildmoot.model.agent import Agent, can_write
from guildmoot.model.settings import TIERS
from guildmoot.model.verdict import SEVERITIES, Severity
from guildmoot.text.patterns import lazy

Origin = Literal["project", "claude", "user", "package"]
Meaning = Literal["clean", "findings", "error"]

BLANKS = ("{files}", "{root}", "{manifest}", "{python}", "{ruff_settings}", "{repository}")

KEYS = tuple(field for field in Agent._fields if field not in ("body", "source", "origin"))
CLAUDE_KEYS = (
    *("color", "permissionMode", "mcpServers", "hooks", "skills", "memory", "maxTurns"),
    *("disallowedTools", "effort", "isolation", "background", "initialPrompt", "omitClaudeMd"),
    "capability_scope",
    *("task", "group", "triggers", "boundaries"),
)
"""Keys of others that mean nothing here; any other unknown key is taken for a slip of the pen."""

_NAME = lazy(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_GROUPS = ("path", "line", "end_line", "code", "severity", "message")
_TOOL_KEYS = ("format", "pattern", "exit_codes", "severities")
_RUN_IN: tuple[Literal["packet", "checkout"], ...] = ("packet", "checkout")
_MEANINGS: tuple[Meaning, ...] = ("clean", "findings", "error")
_FORMATS: tuple[Literal["sarif", "rdjson", "rdjsonl", "lines", "exit"], ...] = (
    *("lines", "sarif", "rdjson", "rdjsonl", "exit"),
)
_DEPTHS: tuple[Literal["checked", "parsed", "scanned", "language"], ...] = (
    *("checked", "parsed", "scanned", "language"),
)
_REPLIES: tuple[Literal["verdict", "council"], ...] = ("verdict", "council")
_BLOCKS_AT: tuple[Severity | Literal["never"], ...] = (*SEVERITIES, "never")


def read_agent(text: str, path: Path, origin: Origin) -> tuple[Agent | None, list[AgentProblem]]:
    """The agent that a file describes, or ``None`` and what is wrong."""
    try:
        matter = parse(text)
    except FrontMatterError as wrong:
        return None, [AgentProblem(str(path), wrong.line, wrong.reason, path.stem)]
    fields = AgentFields(matter, str(path))
    agent = _agent(fields, matter.body, path, origin)
    _check(agent, fields)
    if fields.problems:
        name = agent.name or path.stem
        return None, sorted(problem._replace(agent=name) for problem in fields.problems)
    return agent, []


def _agent(fields: AgentFields, body: str, path: Path, origin: Origin) -> Agent:
    tools = tuple(dict.fromkeys(fields.words("tools")))
    backend = fields.choice("backend", BACKENDS, Agent._field_defaults["backend"])
    command, model = _command(fields), fields.text("model")
    return Agent(
        name=fields.text("name"),
        description=fields.text("description"),
        body=body,
        source=str(path),
        origin=origin,
        role=fields.text("role") or ("implementer" if any(map(can_write, tools)) else "evaluator"),
        backend=backend,
        family=fields.text("family") or default_family(backend, command, model),
        model=model,
        tier=fields.choice("tier", TIERS, ""),
        perspective=fields.text("perspective"),
        tools=tools,
        files=fields.words("files"),
        skip=fields.words("skip"),
        command=command,
        run_in=fields.choice("run_in", _RUN_IN, "packet"),
        format=fields.choice("format", _FORMATS, "lines"),
        pattern=fields.text("pattern"),
        exit_codes=_exit_codes(fields),
        severities=_severities(fields),
        blocks_at=fields.choice("blocks_at", _BLOCKS_AT, "high"),
        timeout=fields.seconds("timeout"),
        replies=_replies(fields, path, origin),
        depth=fields.choice("depth", _DEPTHS, "checked"),
        optional=fields.flag("optional"),
        reply=fields.choice("reply", _REPLIES, "verdict"),
    )


def _command(fields: AgentFields) -> tuple[str, ...]:
    try:
        line = fields.text("command") if fields.is_text("command") else None
        words = tuple(shlex.split(line)) if line is not None else fields.items("command")
    except ValueError as wrong:
        fields.problem(f"command cannot be split into words: {str(wrong).lower()}", "command")
        return ()
    if fields.given("command") and not words:
        fields.problem("command is empty", "command")
    for word in words:
        if "{files}" in word and word != "{files}":
            fields.problem("command: {files} must be an argument of its own", "command")
        elif re.fullmatch(r"\{\w+\}", word) and word not in BLANKS:
            fields.problem(f"command: {word} is not known{nearest(word, BLANKS)}", "command")
    return words


def _exit_codes(fields: AgentFields) -> tuple[tuple[int, Meaning], ...]:
    codes: dict[int, Meaning] = {}
    for code, word in fields.pairs("exit_codes"):
        meaning = next((each for each in _MEANINGS if each == word), None)
        if not re.fullmatch(r"\d{1,3}", code, re.ASCII) or int(code) > 255:
            fields.problem(f"exit_codes: {code!r} is no exit code", "exit_codes", code)
        elif meaning is None:
            reason = f"exit_codes: {code} must mean {one_of(_MEANINGS)}, not {word!r}"
            fields.problem(reason, "exit_codes", code)
        else:
            codes[int(code)] = meaning
    return tuple(codes.items())


def _severities(fields: AgentFields) -> tuple[tuple[str, Severity], ...]:
    found: dict[str, Severity] = {}
    for rule, word in fields.pairs("severities"):
        severity = next((each for each in SEVERITIES if each == word), None)
        if severity is None:
            reason = f"severities: {rule} must be {one_of(SEVERITIES)}, not {word!r}"
            fields.problem(reason, "severities", rule)
        else:
            found[rule] = severity
    return tuple(found.items())


def _replies(fields: AgentFields, path: Path, origin: Origin) -> str:
    """Where the replies lie."""
    named = fields.text("replies")
    if not named:
        return ""
    file = os.path.realpath(path.parent / named)
    if origin in ("project", "claude"):
        fields.problem("replies: an agent of a repository cannot bring its own", "replies")
    elif not os.path.isfile(file):
        fields.problem(f"replies: there is no file {named}, seen from this one", "replies")
    return file


def _check(agent: Agent, fields: AgentFields) -> None:
    """Note what no single value can tell: how the values go together."""
    _check_keys(agent, fields)
    _check_identity(agent, fields)
    _check_globs(agent, fields)
    _check_backend(agent, fields)
    if agent.role == "evaluator" and not traits_of(agent.backend).free:
        for tool in filter(can_write, agent.tools):
            fields.problem(f"tools: {tool} can write, and a judge cannot", "tools")


def _check_keys(agent: Agent, fields: AgentFields) -> None:
    """Other programs keep keys of their own in ``.claude/agents``; those are not ours to refuse."""
    known = (*KEYS, *CLAUDE_KEYS)
    for key in set(fields.names()).difference(known):
        near = nearest(key, known)
        if near or agent.origin != "claude":
            fields.problem(f"{key!r} is no key of an agent file{near}", key)


def _check_identity(agent: Agent, fields: AgentFields) -> None:
    for key, value in (("name", agent.name), ("description", agent.description)):
        if not value and (fields.is_text(key) or not fields.given(key)):
            fields.problem(f"{key} is missing", key)
    if agent.name and not _NAME.fullmatch(agent.name):
        allowed = "up to 64 letters, digits, dots, dashes and underscores"
        fields.problem(f"name {agent.name!r} must be {allowed}", "name")
    # Any word can be a role, but a judge that is misspelt would never be asked to judge.
    if agent.role != "evaluator":
        near = nearest(agent.role, ["evaluator"])
        if near or not _NAME.fullmatch(agent.role):
            fields.problem(f"role {agent.role!r} is not known{near}", "role")


def _check_globs(agent: Agent, fields: AgentFields) -> None:
    for key, globs in (("files", agent.files), ("skip", agent.skip)):
        for glob in globs:
            if ".." in glob.split("/"):
                fields.problem(f"{key}: {glob} leaves the work under review", key)


def _check_backend(agent: Agent, fields: AgentFields) -> None:
    said = fields.given("backend")
    if said and not (fields.is_text("backend") and fields.text("backend") == agent.backend):
        return  # it names none that exists, which is a problem already
    traits = traits_of(agent.backend)
    if traits.is_tool:
        _check_tool(agent, fields)
        if fields.given("reply"):
            fields.problem("reply is not for `backend: tool`, whose answer is its format", "reply")
    else:
        for key in filter(fields.given, _TOOL_KEYS):
            fields.problem(f"{key} is only for `backend: tool`", key)
    if (traits.needs == "replies") != fields.given("replies"):
        fields.problem("`backend: scripted` and `replies` belong together", "replies")
    if traits.needs == "command" and said and not fields.given("command"):
        fields.problem(f"`backend: {agent.backend}` needs a command", "backend")


def _check_tool(agent: Agent, fields: AgentFields) -> None:
    if agent.format == "lines":
        _check_pattern(agent, fields)
    elif agent.pattern:
        fields.problem(f"pattern is only for `format: lines`, not {agent.format}", "pattern")


def _check_pattern(agent: Agent, fields: AgentFields) -> None:
    if not agent.pattern:
        fields.problem("`format: lines` needs a pattern", "format")
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            groups = re.compile(agent.pattern).groupindex
    except (re.error, RecursionError, OverflowError) as wrong:
        fields.problem(f"pattern is no regular expression: {wrong}", "pattern")
        return
    if "message" not in groups:
        fields.problem("pattern needs a group (?P<message>...)", "pattern")
    for group in set(groups).difference(_GROUPS):
        near = nearest(group, _GROUPS)
        fields.problem(f"pattern: nothing reads the group {group}{near}", "pattern")
