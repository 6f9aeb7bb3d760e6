"""Runs a program on the packet's files and returns what it printed; reading it is left to others.

A tool that is missing, crashes or runs out of time is a failure of the machinery and says so: it is
never an answer, and so never an approval.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from importlib import import_module

from guildmoot.backends.outcome import accepted_codes, reply_from
from guildmoot.backends.programs import (
    MAX_ARGUMENTS,
    argument_bytes,
    command_line,
    missing_program,
    not_found,
    program_of,
)
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply, ReplyStatus
from guildmoot.system.environment import child_environment
from guildmoot.system.process import run_process
from guildmoot.system.starter import start_early

_OURS = ("{python}", "-P", "-m")
_TOOLS = "guildmoot.agents.tools"
_INSIDE = frozenset(
    f"{_TOOLS}.{name}"
    for name in ("secrets", "conflict_markers", "machine_written", "python_changes")
)
"""Tools that only read what the packet holds: a process of their own would cost more than they do."""
_NURSERY = f"{_TOOLS}.nursery"
_NURSED = frozenset((f"{_TOOLS}.languages", f"{_TOOLS}.code_changes"))
"""Tools whose processes are made by one that has loaded what they need."""


class ToolBackend:
    """``backend: tool``."""

    name = "tool"

    def missing(self, agent: Agent) -> str:
        return missing_program(agent)

    async def call(self, call: Call) -> Reply:
        refusal = _refusal(call)
        if refusal is not None:
            return refusal
        if _compares_nothing(call):
            return Reply(call.seat.name, "answered", exit_code=0)
        if module := _own(call.agent):
            return await asyncio.to_thread(_answer, module, call)
        program = program_of(call.agent, _base(call))
        result = await run_process(
            [program, *command_line(call)[1:]],
            cwd=call.workdir,
            env=child_environment(_safe_python(call.agent)),
            timeout=call.timeout or None,
        )
        return reply_from(call, result, accepted_codes(call.agent))


def _compares_nothing(call: Call) -> bool:
    """Whether it is a tool of ours that compares both sides, on one side alone."""
    agent = call.agent
    if agent.origin != "package" or "{repository}" not in agent.command:
        return False
    return not os.path.exists(command_line(call)[-1])


def start_tools_early(agents: Iterable[Agent]) -> None:
    """Begin what will start the processes of these tools, so that nobody waits for it then."""
    modules = {_module(agent) for agent in agents}
    if not modules.isdisjoint(_NURSED):
        start_early(_NURSERY, _NURSED)
    if modules - _INSIDE - _NURSED:
        start_early()


def _module(agent: Agent) -> str:
    """The module of a tool that comes with us; else empty."""
    ours = agent.origin == "package" and agent.command[:3] == _OURS and len(agent.command) > 3
    return agent.command[3] if ours else ""


def _own(agent: Agent) -> str:
    """The module of a small tool that comes with us and needs no process of its own; else empty."""
    return name if (name := _module(agent)) in _INSIDE else ""


def _answer(module: str, call: Call) -> Reply:
    """The reply that the tool's process would have given."""
    rdjsonl = import_module(f"{_TOOLS}.rdjsonl")
    find = import_module(module).find
    code, text, error = rdjsonl.answer(find, command_line(call)[4:], call.workdir)
    status: ReplyStatus = "answered" if code in accepted_codes(call.agent) else "failed"
    return Reply(call.seat.name, status, text, error, code)


def _refusal(call: Call) -> Reply | None:
    """The reply of a call that cannot be made, decided before anything is started."""
    agent, failed = call.agent, Reply(call.seat.name, "failed")
    if not agent.command:
        return failed._replace(status="missing", error=missing_program(agent))
    if not program_of(agent, _base(call)):
        return failed._replace(status="missing", error=not_found(agent))
    if not call.workdir:
        return failed._replace(error=f"{agent.name} is a tool, and there is no folder to run it in")
    if "{files}" in agent.command and not call.files:
        return failed._replace(error=f"no file of the packet is one that {agent.name} judges")
    size = argument_bytes(command_line(call))
    if size > MAX_ARGUMENTS:
        return failed._replace(
            error=f"{len(call.files):,} files make {size:,} bytes of arguments, more than a program"
            f" takes; judge fewer files at once, or let {agent.source} use {{root}}, not {{files}}"
        )
    return None


def _base(call: Call) -> str:
    """Where a program named by a relative path lies: never in the packet, which is under review."""
    return call.workdir if call.agent.run_in == "checkout" else ""


def _safe_python(agent: Agent) -> dict[str, str]:
    """In the packet's folder ``python -m`` must not import the modules that are under review."""
    return {"PYTHONSAFEPATH": "1"} if agent.run_in == "packet" else {}


BACKEND = ToolBackend()
