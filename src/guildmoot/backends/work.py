"""Work: what an agent is told and allowed that may use tools, in a folder, within a scope.

A scope is a list of rules, ``Tool`` or ``Tool(pattern)`` in Claude Code's words. A client that cannot
be held to a rule refuses the work before it starts, and so does every client where a rule is none or a
variable would steer the client itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from guildmoot.model.agent import is_rule
from guildmoot.model.call import Work
from guildmoot.system import fence
from guildmoot.system.environment import FIXED
from guildmoot.text.patterns import lazy

TOOLS = ("Read", "Glob", "Grep", "Edit", "Write", "Bash", "WebFetch", "WebSearch")
"""What ``*`` stands for."""
SPENT = "its tokens are spent"
"""How a reply ended whose client was ended because it took more than it may."""
PAID_OUT = "its money is spent"
"""How a reply ended whose client stopped because it cost what it may."""
OVER_BUDGET = (SPENT, PAID_OUT)
SCOPE = "GUILD_CAPABILITY_SCOPE"
"""The variable that tells hooks and programs of the scope, as a JSON list."""
_NAME = lazy(r"[A-Za-z_][A-Za-z0-9_]*")
_STEERS = lazy(
    r"PATH|HOME|TMPDIR|SHELL|ENV|BASH_.*|LD_.*|DYLD_.*|PYTHON.*|NODE_.*|BUN_.*|SSL_.*|XDG_.*"
    r"|.*_PROXY|.*_BASE_URL|(GUILD|GUILDMOOT|CLAUDE|CODEX|GEMINI|GOOGLE|ANTHROPIC|OPENAI)_.*"
    r"|CODE_ASSIST_.*|OTEL_.*",
    re.IGNORECASE,
)
"""Variables that say which server, key, settings, programs or libraries a client uses."""
DISPATCH = frozenset(
    ("GUILD_RUN_ID", "GUILD_TASK_ID", "GUILD_SPECIALIST", "GUILD_TIER", "GUILD_ATTEMPT",
     "GUILD_DISPATCH_PRODUCER", "GUILD_BUNDLE", "GUILD_RECEIPT", "GUILD_HEARTBEAT", "GUILD_NUDGE",
     "GUILD_SENT_BACK", "GUILD_AUTONOMY_CONTRACT")
)  # fmt: skip
"""What hooks and programs are told of the lane that they work for; it steers nothing."""


def rules_of(work: Work) -> tuple[str, ...]:
    """The rules of its scope, one for each tool where the scope is ``*``."""
    return TOOLS if "*" in work.scope else work.scope


def tools_of(work: Work) -> tuple[str, ...]:
    """The tools that its rules name, each once."""
    return tuple(dict.fromkeys(rule.partition("(")[0] for rule in rules_of(work)))


def fenced(work: Work | None, own: Iterable[Path], words: list[str]) -> list[str]:
    """The command line, behind the fence of its work where there is one; ``own`` is what the client keeps."""
    if not work or not work.fence:
        return words
    opened = (str(each) for each in own if each.exists())
    return fence.behind((*work.fence, *opened), words)


def why_refused(work: Work) -> str:
    """Why no client does this work: the first rule or variable that it may not have; or empty."""
    for rule in work.scope:
        if not is_rule(rule):
            return f"{rule!r} is no rule of a scope; write Tool or Tool(pattern), one in each"
    for name, value in work.environment:
        if not _NAME.fullmatch(name) or "\0" in value:
            return f"{name!r} is no variable that an environment can hold"
        if name not in DISPATCH and _STEERS.fullmatch(name):
            return f"work may not set {name}: it steers the client or how programs are loaded"
    return ""


def unheld_rule(work: Work, tools: Collection[str]) -> str:
    """The first rule that a client cannot be held to which has these tools, for any use or none.

    One without a list is held to any rule.
    """
    named = (rule for rule in work.scope if tools and rule != "*")
    return next((rule for rule in named if rule not in tools), "")


def work_environment(work: Work) -> dict[str, str]:
    """What its commands see beside the shared environment."""
    return {**dict(work.environment), **FIXED, SCOPE: json.dumps(work.scope)}
