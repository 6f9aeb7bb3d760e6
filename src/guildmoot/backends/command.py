"""Runs any program that reads a prompt on standard input and replies on standard output."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext

from guildmoot.backends.outcome import reply_from
from guildmoot.backends.programs import command_line, missing_program, not_found, program_of
from guildmoot.backends.work import fenced, why_refused, work_environment
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply
from guildmoot.system.environment import child_environment
from guildmoot.system.process import run_process

_SUCCESS = frozenset({0})


class CommandBackend:
    """``backend: command``."""

    name = "command"

    def missing(self, agent: Agent) -> str:
        return missing_program(agent)

    async def call(self, call: Call) -> Reply:
        agent = call.agent
        program = program_of(agent, call.workdir if agent.run_in == "checkout" else "")
        environment = work_environment(call.work) if call.work else {}
        if call.work and (why := why_refused(call.work)):
            return Reply(call.seat.name, "failed", error=why)
        if not program:
            why = not_found(agent) if agent.command else missing_program(agent)
            return Reply(call.seat.name, "missing", error=why)
        with _folder(call) as folder:
            result = await run_process(
                fenced(call.work, (), [program, *command_line(call)[1:]]),
                stdin=call.prompt.encode("utf-8", errors="backslashreplace"),
                cwd=folder,
                env={**child_environment(), **environment},
                timeout=call.timeout or None,
            )
        return reply_from(call, result, _SUCCESS)


def _folder(call: Call) -> nullcontext[str] | tempfile.TemporaryDirectory[str]:
    """The folder of its work; for a judge the packet's, or an empty one: never the user's own."""
    if call.work or call.workdir:
        return nullcontext(call.work.folder if call.work else call.workdir)
    return tempfile.TemporaryDirectory(prefix="guildmoot-", ignore_cleanup_errors=True)


BACKEND = CommandBackend()
