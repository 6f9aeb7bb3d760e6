"""Spawning without judging: agents answer one brief, and their words come back as they are.

A run is recorded only where prompts are handed to agents of the host: it is gone on with when they have replied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from uuid import uuid4

from guildmoot.agents.binding import parse_bindings, parse_model
from guildmoot.agents.registry import load_agents, user_agents_folder
from guildmoot.agents.roster import bound_agent, seat_for
from guildmoot.backends import traits_of
from guildmoot.calls import Watch
from guildmoot.calls.session import ReusePolicy, open_session
from guildmoot.codec import from_plain
from guildmoot.config import Config, Flags, Value
from guildmoot.errors import EXIT_INTERRUPTED, EXIT_OK, UsageError
from guildmoot.guard.secrets import mask
from guildmoot.model.agent import Agent, Roster, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.runs.practice import Practice, Reports, Restored
from guildmoot.runs.record import PracticeRecord, read_part
from guildmoot.runs.resume import restore_seats
from guildmoot.runs.rows import Summary
from guildmoot.text.clean import count, one_line


class SpawnRequest(NamedTuple):
    """Who is asked what."""

    agents: tuple[str, ...]
    brief: str
    context: Mapping[str, str]
    timeout: float = 120.0
    deadline: float | None = None
    root: Path = Path()
    """The repository whose agents and settings hold."""
    settings: Flags = MappingProxyType({})
    """``panel.model`` is what agents run on whose files leave it open."""


class SpawnResult(NamedTuple):
    """What the agents said."""

    outputs: dict[str, object]
    """In the seeds' shape: the agents, and each one's output in the order asked."""
    interrupted: bool = False
    run_id: str = ""
    """Empty where nothing was recorded."""
    notices: tuple[str, ...] = ()
    """Which road was taken, where it is not the agents' own."""

    @property
    def exit_code(self) -> int:
        """Of the verb; a call that failed has its error as output."""
        return EXIT_INTERRUPTED if self.interrupted else EXIT_OK


class _Asked(NamedTuple):
    """A request as it is recorded: nothing in it that must not leave."""

    agents: tuple[str, ...]
    brief: str
    context: dict[str, str]
    timeout: float
    deadline: float | None


async def run_agents(request: SpawnRequest, config: Config, watch: Watch) -> SpawnResult:
    """Ask every agent at once."""
    check_request(request.agents, request.brief)
    roster = _seat(request, config)
    unknown = sorted(set(request.context) - set(request.agents))
    if unknown:
        raise UsageError(f"guild-spawn-error: context for {', '.join(unknown)}, who is not asked")
    context = {name: mask(text, "context")[0] for name, text in request.context.items()}
    brief = mask(request.brief, "brief")[0]  # nothing leaves unseen, here neither
    asked = _Asked(request.agents, brief, context, request.timeout, request.deadline)
    handed = any(traits_of(seat.backend).handed for seat in roster.seats)
    record = PracticeRecord.begin(request.root if handed else None, datetime.now(UTC))
    reuse = ReusePolicy(only=record.run_id or f"spawn-{uuid4()}")
    plain = {**asked._asdict(), "target": one_line(brief)[:80], "course": reuse._asdict()}
    record.asked(plain, config, {}, roster, kind=SPAWN.name)
    return await _ask(asked, roster, config, record, reuse, request.root)


def _seat(request: SpawnRequest, config: Config) -> Roster:
    """A seat for each word, also where an agent is named twice."""
    registry = load_agents(request.root, user_agents_folder())
    model = config.text("panel.model")
    default = parse_model(model) if model else None
    agents, seats = dict[str, Agent](), list[Seat]()
    for number, binding in enumerate(parse_bindings(request.agents)):
        agent = bound_agent(registry, binding, default)
        seats.append(seat_for(agent, "named")._replace(name=f"{agent.name}#{number}"))
        agents[seats[-1].name] = agent
    return Roster(tuple(seats), agents)


async def _ask(
    asked: _Asked,
    roster: Roster,
    config: Config,
    record: PracticeRecord,
    reuse: ReusePolicy,
    root: Path,
) -> SpawnResult:
    calls = []
    for name, seat in zip(asked.agents, roster.seats, strict=True):
        agent = roster.agents[seat.name]
        prompt = spawn_prompt(asked.brief, agent.name, asked.context.get(name, ""))
        prompt = f"{agent.body.strip()}\n\n{prompt}" if agent.body.strip() else prompt
        seconds = agent.timeout or asked.timeout
        calls.append(Call(seat, agent, prompt, workdir=str(root), timeout=seconds))
    paid = any(not traits_of(call.seat.backend).free for call in calls)
    kept = record.root or (root if paid and (root / ".git").exists() else None)
    with open_session(kept, record.run_id or reuse.only, config, reuse=reuse) as session:
        spawned = await session.ask(calls, deadline=asked.deadline)
    outputs = seed_result(asked.agents, spawned.replies)
    result = SpawnResult(outputs, spawned.interrupted, record.run_id, config.notices)
    record.answered(spawned.replies)
    record.finish({"result": outputs}, _summary(outputs), interrupted=spawned.interrupted)
    return result


def _restore(
    root: Path, folder: Path, flags: Mapping[str, Value], rerun_at: datetime | None
) -> Restored[SpawnResult]:
    """A recorded run, whose replies are waited for."""
    roster, config = restore_seats(root, folder, flags)
    part = read_part(folder, "request")
    asked = from_plain(_Asked, {name: part[name] for name in _Asked._fields})

    async def proceed(record: PracticeRecord, watch: Watch, reuse: ReusePolicy) -> SpawnResult:
        return await _ask(asked, roster, config, record, reuse, root)

    return Restored(roster, proceed)


def check_request(agents: Sequence[str], brief: str, verb: str = "guild-spawn") -> None:
    """Refuse a request without agents or without a brief, in the seeds' words."""
    if not agents:
        raise UsageError(f"{verb}-error: empty agents list", "Name at least one: --agents a,b")
    if not brief.strip():
        raise UsageError(f"{verb}-error: missing brief", "Say what to do: --brief TEXT")


def spawn_prompt(brief: str, agent_name: str, context: str = "") -> str:
    """The brief verbatim, and under it what only this agent is told."""
    if not context.strip():
        return brief
    gap = "\n" if brief.endswith("\n") else "\n\n"
    return f"{brief}{gap}## Context for {agent_name}\n\n{context}\n"


def seed_result(agents: Sequence[str], replies: Sequence[Reply]) -> dict[str, object]:
    """The seeds' result, in input order.

    The output of an agent that failed is the reason alone: what it said until then is no answer.
    """
    outputs = [
        {"agent": agent, "output": reply.text if reply.status == "answered" else _failure(reply)}
        for agent, reply in zip(agents, replies, strict=True)
    ]
    return {"agents": list(agents), "outputs": outputs}


def _failure(reply: Reply) -> str:
    return ": ".join(filter(None, ("guild-spawn-error", reply.status, reply.error)))


def result_json(result: SpawnResult) -> dict[str, object]:
    """In the seeds' shape, and which run it was where one is on record."""
    more = {"run_id": result.run_id, "notices": list(result.notices)}
    return {**result.outputs, **more} if result.run_id else result.outputs


def _summary(result: Mapping[str, object]) -> Summary:
    outputs = result.get("outputs")
    return Summary(counts=count(len(outputs) if isinstance(outputs, list) else 0, "answer"))


def _reports() -> Reports[SpawnResult]:
    return Reports(result_json, _show)


def _show(result: SpawnResult, root: Path, details: bool) -> None:
    import sys

    from guildmoot.system.jsonio import dumps

    sys.stdout.write(dumps(result_json(result)) + "\n")


SPAWN = Practice(
    "spawn", SpawnRequest, run_agents, _summary, _reports, _restore, again=("resume", "replay")
)
