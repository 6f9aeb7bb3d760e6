"""Who sits at the table: the agents that were named, or the panel derived from the packet's files.

Every seat that could not answer is known before anything runs; nothing is silently substituted.
"""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.agents.binding import (
    bind_as_written,
    bind_default,
    bind_model,
    parse_castings,
    parse_model,
)
from guildmoot.agents.panel import derive_default, seat_for
from guildmoot.agents.registry import Registry
from guildmoot.agents.verification import verification_agent
from guildmoot.backends import get_backend, traits_of
from guildmoot.config import Config
from guildmoot.errors import InfrastructureError, TargetError, UsageError
from guildmoot.model.agent import Agent, Roster, Seat

NOBODY: tuple[tuple[str, str], ...] = ()


def make_roster(
    registry: Registry, config: Config, paths: Sequence[str], named: Sequence[str], verify: str
) -> Roster:
    """Seat the named agents, else the configured ones, else the panel that the files call for."""
    named = named or config.strings("panel.agents")
    model = config.text("panel.model")
    if named:
        chosen, passed_over = _named(registry, named, model), NOBODY
    else:
        chosen, passed_over = _derived(registry, config, paths)
    if verify:
        agent = verification_agent(verify)
        chosen.append((agent, seat_for(agent, "the project's own check")))
    if not chosen and not paths:
        raise TargetError(
            "there is no file left for an evidence judge: the change only deletes",
            "Name an agent that reads the diff, e.g. --agents evaluator-correctness@claude.",
        )
    if not chosen:
        raise UsageError(
            "no agent is left to judge", "'guild agents list' shows who could be seated."
        )
    able, unable = _able(chosen, degrade=config.flag("panel.degrade"))
    broken = tuple((problem.path, f"broken: {problem.reason}") for problem in registry.problems)
    return _unique(able, (*passed_over, *unable, *broken))


def is_installed(agent: Agent) -> bool:
    """Whether the agent's backend could answer now."""
    return not get_backend(agent.backend).missing(agent)


def _named(registry: Registry, words: Sequence[str], model: str) -> list[tuple[Agent, Seat]]:
    """The agents that were named, each on the model that its word, its file or ``model`` gives."""
    default = parse_model(model) if model else None
    chosen = []
    for casting in parse_castings(words):
        agent = bind_as_written(bind_model(registry.get(casting.agent), casting))
        agent = bind_default(agent, default) if default else agent
        chosen.append((agent, seat_for(agent, "named")))
    return chosen


def _able(
    chosen: Sequence[tuple[Agent, Seat]], *, degrade: bool
) -> tuple[list[tuple[Agent, Seat]], tuple[tuple[str, str], ...]]:
    """Those who can answer. One who cannot is an error before anything is spent, unless told so.

    A tool is left to its run: one that is missing is an outcome of the panel, and costs nothing.
    """
    missing = {
        seat.name: get_backend(agent.backend).missing(agent)
        for agent, seat in chosen
        if not traits_of(agent.backend).free
    }
    unable = tuple((name, f"left out by --degrade: {why}") for name, why in missing.items() if why)
    if unable and not degrade:
        name = unable[0][0]
        raise InfrastructureError(
            f"{name} cannot answer: {missing[name]}",
            "Nothing was called. --degrade goes on without such seats, and the record says so.",
        )
    able = [(agent, seat) for agent, seat in chosen if not missing.get(seat.name)]
    if not able:
        raise InfrastructureError("no seat that can answer is left", "'guild doctor' tells why.")
    return able, unable


def _derived(
    registry: Registry, config: Config, paths: Sequence[str]
) -> tuple[list[tuple[Agent, Seat]], tuple[tuple[str, str], ...]]:
    skip, add = (
        {registry.get(name).name for name in config.strings("panel.skip")},
        config.strings("panel.add"),
    )
    panel = derive_default(paths, registry.trusted, is_installed)
    chosen = [(panel.agents[s.name], s) for s in panel.seated if s.agent not in skip]
    more = [word for word in add if word not in panel.agents]
    chosen += _named(registry, more, config.text("panel.model"))
    skipped = tuple((s.agent, "skipped as asked") for s in panel.seated if s.agent in skip)
    others = tuple(row for row in panel.passed_over if row[0] not in add)
    return chosen, (*others, *skipped)


def _unique(
    chosen: Sequence[tuple[Agent, Seat]], passed_over: tuple[tuple[str, str], ...]
) -> Roster:
    """Give every seat a name of its own, so that an agent may sit twice."""
    seats: list[Seat] = []
    agents: dict[str, Agent] = {}
    for agent, seat in chosen:
        name, number = seat.name, 1
        while name in agents:
            number += 1
            name = f"{seat.name}-{number}"
        agents[name] = agent
        seats.append(seat._replace(name=name))
    return Roster(tuple(seats), agents, passed_over)
