"""From seats to calls: what each agent is given, and who is excused because nothing is there for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.roster import judged_paths
from guildmoot.backends import traits_of
from guildmoot.config import Config
from guildmoot.guard.secrets import mask
from guildmoot.model.agent import Agent, Roster
from guildmoot.model.call import Call, Reply
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Judgement
from guildmoot.packet import materialise, render
from guildmoot.practices.structured import ask_for_form


class Calls(NamedTuple):
    """The calls to make, and the seats that are not called, with the reason."""

    to_make: tuple[Call, ...]
    excused: dict[str, str]


def make_calls(packet: Packet, roster: Roster, config: Config, scratch: Path) -> Calls:
    """One call a seat: tools get the packet as a folder, agents get it as a fenced prompt."""
    paths = [file.path for file in packet.files]
    agents = roster.agents
    needs_folder = config.strings("grounding.allow") or any(
        not _reads_prompt(agent) for agent in agents.values()
    )
    folder, listing = materialise(packet, scratch) if needs_folder else (scratch, scratch)
    shared = render(packet) if any(_reads_prompt(agent) for agent in agents.values()) else ""
    to_make, excused = [], {}
    for seat in roster.seats:
        agent = agents[seat.name]
        files = judged_paths(agent, paths)
        reason = _excuse(agent, packet, files)
        if reason:
            excused[seat.name] = reason
            continue
        call = Call(
            seat=seat,
            agent=agent,
            prompt=f"{shared}\n{agent.body}\n" if _reads_prompt(agent) else "",
            workdir=packet.root if agent.run_in == "checkout" else str(folder),
            manifest=str(listing),
            files=tuple(files),
            timeout=agent.timeout or _default_timeout(agent, config),
            shared=len(shared) if _reads_prompt(agent) else 0,
            packet=packet.hash,
        )
        to_make.append(ask_for_form(call))
    return Calls(tuple(to_make), excused)


def excused_reply(seat: str, reason: str) -> Reply:
    """What stands in the record for a seat that was not called."""
    return Reply(seat, "excused", error=reason)


def excused_judgement(reply: Reply) -> Judgement:
    """Nothing to judge is a recusal, never an approval."""
    return Judgement(reply.seat, "recused", reason=reply.error)


def without_secrets(agent: Agent) -> Agent:
    """The agent as it may be named in findings and records: a command line may hold a secret."""
    return agent._replace(command=tuple(mask(word, "command")[0] for word in agent.command))


def _reads_prompt(agent: Agent) -> bool:
    return not traits_of(agent.backend).is_tool


def _default_timeout(agent: Agent, config: Config) -> float:
    return config.number("verify.timeout" if agent.format == "exit" else "panel.timeout")


def _excuse(agent: Agent, packet: Packet, files: Sequence[str]) -> str:
    if not files and (agent.files or agent.skip):
        return "no file of the kind it judges is in the packet"
    if agent.run_in == "checkout" and not packet.checkout:
        return "it needs the working tree, and what is judged here is not what lies there"
    return ""
