"""The guard's verbs: answering hook events, asking a person, and what is on record."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from guildmoot.guard.audit import Audit
from guildmoot.guard.audit import audit as look
from guildmoot.guard.hooks import approvals
from guildmoot.guard.hooks.approvals import Answer, Approval
from guildmoot.guard.hooks.entry import passed_environment
from guildmoot.guard.hooks.handle import answer
from guildmoot.guard.hooks.ledger import GuardReport
from guildmoot.guard.hooks.ledger import guard_report as read_report
from guildmoot.guard.hooks.replies import HookReply
from guildmoot.system.threads import in_project


async def hook(event: bytes, host: str = "") -> HookReply:
    """What to say to a host about one event: exit code, standard output, standard error."""
    return await asyncio.to_thread(answer, event, host, passed_environment(os.environ))


def serve_hooks(told: Callable[[str, str, str], None], *, http: bool = True) -> None:
    """Answer events until stopped; ``told`` hears of the socket, the address and the token's file."""
    from guildmoot.guard.hooks.serve import HookDaemon, serve_until_stopped

    serve_until_stopped(HookDaemon(os.environ, http=http), lambda at: told(*at))


async def list_approvals() -> list[Approval]:
    """Questions to a person and their answers, the newest first."""
    return await asyncio.to_thread(approvals.list_questions, os.environ)


async def answer_approval(
    name: str, answered: Answer, by: str, channel: str, hours: float = 0.0
) -> Approval:
    """Record a person's answer: for one call, or for all within ``hours``.

    Whoever calls this vouches that it is a person's.
    """
    return await asyncio.to_thread(
        approvals.answer_question, os.environ, name, answered, by, channel, hours
    )


async def wait_for_approval(name: str, seconds: float) -> str:
    """Until somebody answers: approved, denied, or waiting when the time is over."""
    return await asyncio.to_thread(approvals.wait_for_answer, os.environ, name, seconds)


async def guard_report(cwd: Path = Path()) -> GuardReport:
    """What was denied and asked, and how often a person overruled it."""
    return await in_project(cwd, lambda root: read_report(os.environ, root))


async def audit(cwd: Path = Path()) -> Audit:
    """A static look at what the project brings for coding agents; the report is kept."""
    return await in_project(cwd, look)
