"""Who is asked about a phase and its forks: engineers that the plan, the repository or the user names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.agents.binding import is_unbound
from guildmoot.agents.registry import load_agents, user_agents_folder
from guildmoot.projects.phases import read_plan
from guildmoot.projects.plan import parse_plan
from guildmoot.projects.slugs import PLAN

if TYPE_CHECKING:
    from guildmoot.loops.paired.pairing import InteractiveRequest
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.projects.manifest import Record


def plan_engineers(root: Path, override: str) -> tuple[str, ...]:
    """Who plans a phase: those that the plan names, else the repository's ``plan-*`` agents that are
    trusted, else the user's own that have a model."""
    for part in override.split(";"):
        key, _, value = part.partition("=")
        if key.strip() == "engineers":
            return tuple(name.strip() for name in value.split(",") if name.strip())
    known = load_agents(root)
    brought = known.repository.found.agents
    theirs = [name for name, found in brought.items() if found.trusted and ":plan-" in name]
    own = [
        agent.name
        for agent in known.agents.values()
        if agent.name.startswith("plan-")
        and Path(agent.source).is_relative_to(user_agents_folder())
        and not is_unbound(agent)
    ]
    return tuple(sorted(theirs) or sorted(own))


def planned_phase(root: Path, place: PhasePlace) -> Record:
    """What PLAN.md says of the phase."""
    plan = parse_plan(read_plan(str(root / place.inner / PLAN)))["plan"]
    named = [each for each in plan["phases"] if each["id"] == str(place.number)]
    return {"plan": plan.get("plan", ""), **(named[0] if named else {})}


def phase_engineers(request: InteractiveRequest, place: PhasePlace) -> tuple[str, ...]:
    """Who is asked about the phase and its forks."""
    return plan_engineers(request.root, str(planned_phase(request.root, place).get("plan", "")))
