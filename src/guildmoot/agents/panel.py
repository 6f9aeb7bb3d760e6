"""The panel that is seated when nobody was named: evidence judges, by the file types in the packet.

Two things never sit down unasked: an agent from the repository under review, which is text that its
author wrote, and a tool that runs the project's own code through its settings, plugins or build
scripts. Both are listed with the reason, so that naming them is a decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from guildmoot.backends import traits_of
from guildmoot.model.agent import Agent, Seat
from guildmoot.text.globs import matches

FROM_REPOSITORY = "comes from the repository under review: name it with --agents"
RUNS_PROJECT_CODE = "runs project code: name it with --agents"
NOT_INSTALLED = "not installed"


class Panel(NamedTuple):
    """Who sits, and who could have but does not, with the reason."""

    seated: tuple[Seat, ...]
    passed_over: tuple[tuple[str, str], ...]
    agents: dict[str, Agent]
    """The agent behind each seat, by the seat's name."""


def derive_default(
    paths: Sequence[str], agents: Mapping[str, Agent], installed: Callable[[Agent], bool]
) -> Panel:
    """Seat every evidence judge that has files to judge; optional ones must be ``installed``."""
    seated: dict[str, Seat] = {}
    passed_over: list[tuple[str, str]] = []
    for agent in sorted(agents.values(), key=lambda agent: agent.name):
        judged = judged_paths(agent, paths)
        if agent.role != "evaluator" or not traits_of(agent.backend).is_tool or not judged:
            continue
        reason = _passed_over(agent, installed)
        if reason:
            passed_over.append((agent.name, reason))
        else:
            seated[agent.name] = seat_for(agent, _why(agent, judged))
    return Panel(
        tuple(seated.values()), tuple(passed_over), {name: agents[name] for name in seated}
    )


def seat_for(agent: Agent, why: str) -> Seat:
    """The agent's seat at the table, under the agent's own name."""
    return Seat(
        name=agent.name,
        agent=agent.name,
        backend=agent.backend,
        family=agent.family,
        model=agent.model,
        perspective=agent.perspective,
        why=why,
    )


def judged_paths(agent: Agent, paths: Sequence[str]) -> list[str]:
    """Those of the packet's paths that this agent judges."""
    return [path for path in paths if _judges(agent, path)]


def _judges(agent: Agent, path: str) -> bool:
    return (not agent.files or matches(path, agent.files)) and not matches(path, agent.skip)


def _passed_over(agent: Agent, installed: Callable[[Agent], bool]) -> str:
    if agent.origin in ("project", "claude"):
        return FROM_REPOSITORY
    if agent.run_in == "checkout":
        return RUNS_PROJECT_CODE
    return NOT_INSTALLED if agent.optional and not installed(agent) else ""


def _why(agent: Agent, judged: Sequence[str]) -> str:
    """``12 *.py, 1 *.pyi files``: how many files each of the agent's globs brought in."""
    if not agent.files:
        return _count(len(judged))
    by_glob = Counter(next(glob for glob in agent.files if matches(p, (glob,))) for p in judged)
    *others, last = [(number, glob) for glob, number in by_glob.items()]
    return ", ".join([*(f"{number} {glob}" for number, glob in others), _count(*last)])


def _count(number: int, glob: str = "") -> str:
    return " ".join(filter(None, (str(number), glob, "file" if number == 1 else "files")))
