"""Tools in the place of models: which of them look from which angle.

A preset names the tools of each of its perspectives; for an angle that a user made up, the words of
its name tell. Only agents that are not text of the repository under review sit down here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from guildmoot.agents.presets.model import Perspective
from guildmoot.agents.roster import derive_default
from guildmoot.errors import TargetError
from guildmoot.model.agent import Agent

_BY_WORD: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("secur|attack|threat|hack|exploit|vulnerab|trust", ("ruff-security", "bandit", "secrets")),
    ("secret|privacy|credential|leak", ("secrets",)),
    ("perf|speed|latency|scal|fast|load|cost", ("ruff-performance",)),
    ("simpl|complex|minimal|refactor", ("ruff-complexity",)),
    ("test|coverage|quality|qa", ("ruff-tests",)),
    ("error|fail|reliab|resil|robust|recover", ("ruff-error-paths",)),
    ("nam|read|clar|api|interface|maintain", ("ruff-naming",)),
    ("ops|deploy|devops|infra|container|docker", ("hadolint", "shellcheck")),
    ("shell|script|bash", ("shellcheck",)),
    ("correct|bug|logic|code|spec", ("ruff-correctness",)),
    ("merge|integrat|release", ("merge-conflicts",)),
)


class Tool(NamedTuple):
    """One evidence judge and its place."""

    label: str
    agent: Agent
    perspective: Perspective | None
    why: str


class Evidence(NamedTuple):
    """The tools that sit, and what nobody looks at."""

    seated: tuple[Tool, ...]
    passed_over: tuple[tuple[str, str], ...]


def evidence_judges(
    perspectives: Sequence[Perspective],
    agents: Mapping[str, Agent],
    is_installed: Callable[[Agent], bool],
    paths: Sequence[str],
) -> Evidence:
    """Seat the tools of the perspectives, each tool once; without such tools, all that fit the files."""
    panel = derive_default(paths, agents, is_installed)
    why = {seat.agent: seat.why for seat in panel.seats}
    chosen = list(_by_angle(perspectives, panel.agents, why))
    taken = {tool.perspective.name for tool in chosen if tool.perspective}
    empty = tuple(
        (f"angle {each.name}", "no tool looks from it: a model would be needed")
        for each in perspectives
        if each.name not in taken
    )
    if not chosen:
        chosen = [Tool(f"judge-{n}", agent, None, why[n]) for n, agent in panel.agents.items()]
    if not chosen:
        raise TargetError(
            "no tool judges files of these kinds",
            "Seat a model that reads them: --model claude, or name one with --agents.",
        )
    return Evidence(tuple(chosen), (*panel.passed_over, *empty))


def tools_of(perspective: Perspective) -> tuple[str, ...]:
    """The tools that look from this angle: as the preset says, else by the words of its name."""
    if perspective.agents or perspective.persona:
        return perspective.agents
    words = re.split(r"[^a-z0-9]+", perspective.name.casefold())
    for stems, tools in _BY_WORD:
        if any(re.match(stems, word) for word in words):
            return tools
    return ()


def _by_angle(
    perspectives: Sequence[Perspective], able: Mapping[str, Agent], why: Mapping[str, str]
) -> Iterator[Tool]:
    free = set(able)
    for perspective in perspectives:
        mine = [name for name in tools_of(perspective) if name in free]
        free.difference_update(mine)
        angle = re.sub(r"[^a-z0-9]+", "-", perspective.name.casefold()).strip("-")
        for name in mine:
            label = f"judge-{angle}" if len(mine) == 1 else f"judge-{angle}-{name}"
            yield Tool(label, able[name], perspective, why[name])
