"""The specialists that can be called: the shipped ones and the project's own, with their triggers and tiers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.frontmatter import parse
from guildmoot.agents.plainyaml import FrontMatterError, Value
from guildmoot.guard.scopes.rules import parse_scope
from guildmoot.lifecycle.team.roles import TIERS
from guildmoot.system.files import read_text_inside

_SHIPPED = Path(__file__).parents[1] / "specialists"
_MOST_BYTES = 64_000


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


@cache
def shipped() -> tuple[Specialist, ...]:
    """The fourteen, in the order of their names."""
    return tuple(
        _specialist(path.read_text(encoding="utf-8"), path.stem, "")
        for path in sorted(_SHIPPED.glob("*.md"))
    )


def roster(root: Path) -> tuple[tuple[Specialist, ...], tuple[str, ...]]:
    """The project's own first, then the shipped ones of another name; and what could not be read.

    What lies in ``proposed/`` is nobody yet.
    """
    own: list[Specialist] = []
    problems: list[str] = []
    folder = root / ".guild" / "agents"
    for path in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        name = f".guild/agents/{path.name}"
        text, problem = read_text_inside(path, root, _MOST_BYTES)
        try:
            if problem:
                raise FrontMatterError(1, problem)
            own.append(_specialist(text, path.stem, name))
        except FrontMatterError as wrong:
            problems.append(f"{name}:{wrong.line}: {wrong.reason}")
    names = {each.name for each in own}
    return (*own, *(each for each in shipped() if each.name not in names)), tuple(problems)


def _specialist(text: str, stem: str, definition: str) -> Specialist:
    matter = parse(text)
    data = matter.data
    scope = data.get("capability_scope", data.get("tools"))
    if problem := scope_problem(scope):
        key = "capability_scope" if "capability_scope" in data else "tools"
        raise FrontMatterError(matter.lines.get((key,), 1), problem)
    about = _text(data.get("description"))
    tier = _text(data.get("model"))
    return Specialist(
        name=_text(data.get("name")) or stem,
        task=_text(data.get("task")) or about.partition(". ")[0].rstrip("."),
        triggers=tuple(word.casefold() for word in _texts(data.get("triggers"))),
        tier=tier if tier in TIERS else "mid",
        scope=_texts(scope.get("tools") if isinstance(scope, dict) else scope),
        skills=_texts(data.get("skills")),
        definition=definition,
        body=matter.body,
    )


def scope_problem(value: Value) -> str:
    """Why a capability scope cannot be read; such an agent may do nothing, and is not seated."""
    if value is None:
        return ""
    listed = list(_texts(value)) if isinstance(value, str) else value
    return parse_scope(listed, "capability_scope").problem


def _text(value: Value) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(filter(None, (word.strip() for word in value.split(","))))
    return tuple(map(_text, value)) if isinstance(value, list) else ()
