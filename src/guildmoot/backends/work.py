"""Work: what an agent is told and allowed that may use tools, in a folder, within a scope.

A scope is a list of rules, ``Tool`` or ``Tool(pattern)`` in Claude Code's words. A client that cannot
be held to a rule refuses the work before it starts.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from guildmoot.model.call import Work

TOOLS = ("Read", "Glob", "Grep", "Edit", "Write", "Bash", "WebFetch", "WebSearch")
"""What ``*`` stands for."""
SCOPE = "GUILD_CAPABILITY_SCOPE"
"""The variable that tells hooks and programs of the scope, as a JSON list."""


def rules_of(work: Work) -> tuple[str, ...]:
    """The rules of its scope, one for each tool where the scope is ``*``."""
    return TOOLS if "*" in work.scope else work.scope


def tools_of(work: Work) -> tuple[str, ...]:
    """The tools that its rules name, each once."""
    return tuple(dict.fromkeys(rule.partition("(")[0].strip() for rule in rules_of(work)))


def unheld_rule(work: Work, tools: Collection[str]) -> str:
    """The first rule that a client cannot be held to which has these tools, for any use or none."""
    named = (rule for rule in work.scope if rule != "*")
    return next((rule for rule in named if rule not in tools), "")


def work_environment(work: Work) -> dict[str, str]:
    """What its commands see beside the shared environment."""
    return {SCOPE: json.dumps(work.scope), **dict(work.environment)}
