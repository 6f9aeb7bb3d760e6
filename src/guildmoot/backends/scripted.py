"""Answers from a file: for trying things without a model, and for tests.

Delays, failures, hangs and unreadable replies come on demand, so that everything around a judge can
be seen at work. The form of the file is told in :mod:`guildmoot.backends.script`.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from typing import NamedTuple

from guildmoot.backends.script import Script, Step, load_script
from guildmoot.errors import AgentFileError
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply

_SAMPLE = "VERDICT: flagged\n\nReasons:\n- criterion-unmet: src/app.py:1 the criterion is not met\n"
_UNREADABLE = {
    "empty": "",
    "binary": "\x00\x01\x02VERDICT\x7f\x1b[31m\ufffd\ufffd\x00",
    "garbage": ")]}', {\"verd lorem ::: <<<>>> ```json {{{ ---",
    "no-verdict": "I looked at the work with care. Some parts are good and some could be better.",
}


class _Opened(NamedTuple):
    """A script, and how far each seat has come in it."""

    stamp: tuple[int, int]
    script: Script
    said: Counter[str]


class ScriptedBackend:
    """``backend: scripted``; a file that changes starts from its beginning."""

    name = "scripted"

    def __init__(self) -> None:
        self._opened: dict[str, _Opened] = {}

    def missing(self, agent: Agent) -> str:
        try:
            self._open(agent)
        except AgentFileError as error:
            return f"{error.message}. {error.hint}".strip()
        return ""

    async def call(self, call: Call) -> Reply:
        step = self._next(call)
        if step is None:
            reason = f"{call.agent.replies} has no reply for {call.seat.name!r}, and none for '*'"
            return Reply(call.seat.name, "failed", error=reason)
        if not await _wait(step, call.timeout):
            reason = f"no answer within {call.timeout:g} s (scripted)"
            return Reply(call.seat.name, "timeout", error=reason)
        return perform(step, call)

    def _open(self, agent: Agent) -> _Opened:
        path = agent.replies
        if not path:
            raise AgentFileError(f"{agent.source}: a scripted agent needs `replies`, a file")
        stamp = _stamp(path)
        opened = self._opened.get(path)
        if opened is None or opened.stamp != stamp:
            opened = self._opened[path] = _Opened(stamp, load_script(path), Counter())
        return opened

    def _next(self, call: Call) -> Step | None:
        opened = self._open(call.agent)
        seat = call.seat.name
        for name in (seat, call.agent.name, "*"):
            if name in opened.script:
                steps = opened.script[name]
                turn = max(opened.said[seat], _position(call))
                opened.said[seat] = turn + 1
                return steps[min(turn, len(steps) - 1)]
        return None


def _position(call: Call) -> int:
    """Where in the script a call stands by itself: a run that goes on starts a new process."""
    return max(call.round - 1, 0) + call.attempt


def perform(step: Step, call: Call) -> Reply:
    """The reply that a step makes."""
    reply = Reply(call.seat.name, "answered", text=spoken(step), exit_code=step.exit_code)
    if step.missing:
        return reply._replace(status="missing", error=step.missing)
    if step.fail:
        return reply._replace(status="failed", error=step.fail)
    good = {0} | {code for code, meaning in call.agent.exit_codes if meaning != "error"}
    if step.exit_code is not None and step.exit_code not in good:
        return reply._replace(
            status="failed", error=f"failed with exit code {step.exit_code} (scripted)"
        )
    return reply


def spoken(step: Step) -> str:
    """The text of a step, spoilt in the way it asks for."""
    if step.malformed is None:
        return step.text
    if step.malformed == "truncated":
        whole = step.text or _SAMPLE
        return whole[: len(whole) // 2]
    return _UNREADABLE[step.malformed]


async def _wait(step: Step, timeout: float) -> bool:
    """Take the step's time; False when the seat's deadline comes first."""
    try:
        async with asyncio.timeout(timeout or None):
            if step.hang:
                await asyncio.Event().wait()
            await asyncio.sleep(step.delay)
    except TimeoutError:
        return False
    return True


def _stamp(path: str) -> tuple[int, int]:
    """Changes with the file; a file that is not there is told by reading it."""
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


BACKEND = ScriptedBackend()
