"""What no single value of an agent file can tell: how the values go together.

Keys of Claude Code's format that mean nothing here are accepted and left alone; any other unknown
key is taken for a slip of the pen.
"""

from __future__ import annotations

import re
import warnings

from guildmoot.agents.fields import AgentFields, nearest
from guildmoot.backends import traits_of
from guildmoot.model.agent import Agent, can_write

KEYS = tuple(field for field in Agent._fields if field not in ("body", "source", "origin"))
CLAUDE_KEYS = (
    *("color", "permissionMode", "mcpServers", "hooks", "skills", "memory", "maxTurns"),
    *("disallowedTools", "effort", "isolation", "background", "initialPrompt", "omitClaudeMd"),
    "capability_scope",
)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_GROUPS = ("path", "line", "end_line", "code", "severity", "message")
_TOOL_KEYS = ("format", "pattern", "exit_codes", "severities")


def check(agent: Agent, fields: AgentFields) -> None:
    """Note every problem of the agent as a whole."""
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
