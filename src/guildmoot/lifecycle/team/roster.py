"""The specialists that can be called: the shipped ones and the project's own, with their triggers and tiers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.frontmatter import parse
from guildmoot.agents.plainyaml import FrontMatterError, Value
from guildmoot.errors import did_you_mean
from guildmoot.guard.commands.words import names
from guildmoot.guard.scopes.rules import parse_scope
from guildmoot.guard.tools import READ_TOOLS, SHELL_TOOLS, WEB_TOOLS, WRITE_TOOLS
from guildmoot.guard.trust import Trust, is_brought
from guildmoot.lifecycle.team.roles import TIERS
from guildmoot.system.files import read_text_inside
from guildmoot.text.patterns import lazy

_SHIPPED = Path(__file__).parents[1] / "specialists"
_MOST_BYTES = 64_000
_MORE_TOOLS = names("""Glob Grep LS Agent Task Skill AskUserQuestion TaskCreate TaskUpdate TaskList TodoWrite
    BashOutput KillShell glob grep ls *""")
_TOOLS = READ_TOOLS | WRITE_TOOLS | SHELL_TOOLS | WEB_TOOLS | _MORE_TOOLS
_NOT_FOR = lazy(r"(?is)\b(?:do not|don't|never|not for)\b.*")
_WORD = lazy(r"[^\W\d_][\w+#-]{2,}")
_PLAIN = names("""the and for use when this that with from into are was will can may has have who what which
    their its they them then than also any all each other more most such only new work works task tasks trigger
    triggers covers does done make makes made write writes written read reads project code file files page pages
    agent specialist you your one two over about after before during while where how not never help helps ask asks
    asked need needs""")
"""Words of a description that say nothing of what somebody is for."""
_FEW_WORDS = 6
"""A description of so few telling words calls its agent by one of them; a longer one by two."""


class Specialist(NamedTuple):
    """One who can own a lane."""

    name: str
    task: str
    """What it does in any piece of work, in a few words."""
    triggers: tuple[str, ...]
    tier: str
    scope: tuple[str, ...]
    """The tools it may use; its capability scope."""
    skills: tuple[str, ...]
    definition: str
    """The file, from the project's folder where it is the project's own; empty for a shipped one."""
    body: str = ""
    """How it works, in its own words."""
    fewest: int = 1
    """How many of its triggers must stand in a spec."""


@cache
def shipped() -> tuple[Specialist, ...]:
    """The fourteen, in the order of their names."""
    return tuple(
        _specialist(path.read_text(encoding="utf-8"), path.stem, "")
        for path in sorted(_SHIPPED.glob("*.md"))
    )


def roster(root: Path) -> tuple[tuple[Specialist, ...], tuple[str, ...]]:
    """The project's own first, then the shipped ones of another name; and what could not be read.

    What lies in ``proposed/`` is nobody yet, nor what a repository brings and nobody trusts.
    """
    own: list[Specialist] = []
    problems: list[str] = []
    strange = {f".guild/agents/{name}.md" for name in untrusted_agents(root)}
    folder = root / ".guild" / "agents"
    for path in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        name = f".guild/agents/{path.name}"
        if name in strange:
            continue
        text, problem = read_text_inside(path, root, _MOST_BYTES)
        try:
            if problem:
                raise FrontMatterError(1, problem)
            own.append(_specialist(text, path.stem, name))
        except FrontMatterError as wrong:
            problems.append(f"{name}:{wrong.line}: {wrong.reason}")
    mine = {each.name for each in own}
    return (*own, *(each for each in shipped() if each.name not in mine)), tuple(problems)


def untrusted_agents(root: Path) -> tuple[str, ...]:
    """Agents that git brought along and that nobody vouched for: they own no lane."""
    folder = root / ".guild" / "agents"
    found, trust = [], Trust(root)
    for path in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        text, problem = read_text_inside(path, root, _MOST_BYTES)
        if problem or not is_brought(root, path):
            continue  # one that cannot be read is told as such
        if not trust.covers(f".guild/agents/{path.name}", text.encode()):
            found.append(path.stem)
    return tuple(found)


def _specialist(text: str, stem: str, definition: str) -> Specialist:
    matter = parse(text)
    data = matter.data
    scope = data.get("capability_scope", data.get("tools"))
    if problem := scope_problem(scope):
        key = "capability_scope" if "capability_scope" in data else "tools"
        raise FrontMatterError(matter.lines.get((key,), 1), problem)
    about = _text(data.get("description"))
    tier = _text(data.get("model"))
    triggers = tuple(word.casefold() for word in _texts(data.get("triggers")))
    called = triggers or words_of(about)
    return Specialist(
        name=_text(data.get("name")) or stem,
        task=_text(data.get("task")) or about.partition(". ")[0].rstrip("."),
        triggers=called,
        tier=tier if tier in TIERS else "mid",
        scope=_texts(scope.get("tools") if isinstance(scope, dict) else scope),
        skills=_texts(data.get("skills")),
        definition=definition,
        body=matter.body,
        fewest=1 if triggers or len(called) <= _FEW_WORDS else 2,
    )


def scope_problem(value: Value) -> str:
    """Why a capability scope cannot be read; such an agent may do nothing, and is not seated."""
    if value is None:
        return ""
    listed = list(_texts(value)) if isinstance(value, str) else value
    scope = parse_scope(listed, "capability_scope")
    if scope.problem:
        return scope.problem
    for rule in scope.rules or ():
        if rule.tool not in _TOOLS and not rule.tool.startswith("mcp__"):
            near = did_you_mean(rule.tool, sorted(_TOOLS), "Take Read, Write, Bash, ...")
            return f"capability_scope: {rule!r} names no tool that is known. {near}"
    return ""


def words_of(description: str) -> tuple[str, ...]:
    """What an agent without triggers is called by: the telling words of its description, up to where it says no."""
    words = (word.casefold() for word in _WORD.findall(_NOT_FOR.sub("", description)))
    return tuple(dict.fromkeys(word for word in words if word not in _PLAIN))


def _text(value: Value) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(filter(None, (word.strip() for word in value.split(","))))
    return tuple(map(_text, value)) if isinstance(value, list) else ()
