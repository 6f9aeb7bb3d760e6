"""Answers from a file: for trying things without a model, and for tests.

Delays, failures, hangs and unreadable replies come on demand, so that everything around a judge can
be seen at work. The file:

    x.json   {"replies": {"<seat or agent>": STEP | [STEP, ...], "*": STEP}}
    x.jsonl  one STEP a line, said by every seat in that order
    others   the text itself, said by every seat

A STEP is the text, or an object with any of the fields of :class:`Step`. A list is answered in
order by each seat for itself; its last step repeats. At work a step also writes files, and replaces
text in those of the batch.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from guildmoot.backends.work import why_refused
from guildmoot.errors import AgentFileError
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply, Work

Malformed = Literal["empty", "truncated", "binary", "garbage", "no-verdict"]


class Step(NamedTuple):
    """One turn of a scripted seat."""

    text: str = ""
    delay: float = 0.0
    """Seconds before it answers."""
    fail: str = ""
    """It fails, for this reason."""
    missing: str = ""
    """It is not there, for this reason."""
    hang: bool = False
    """It never answers."""
    exit_code: int | None = None
    malformed: Malformed | None = None
    """It answers, but not in any form that can be read."""
    write: Mapping[str, str] = MappingProxyType({})
    """At work: files that it writes, by their paths in its folder."""
    replace: Mapping[str, str] = MappingProxyType({})
    """At work: what it puts in place of what, in every file that the call names."""


Script = dict[str, tuple[Step, ...]]
"""Steps by seat or agent name; ``*`` is everybody else."""

_KINDS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "delay": (int, float),
    "fail": (str,),
    "missing": (str,),
    "hang": (bool,),
    "exit_code": (int,),
    "malformed": (str,),
    "write": (dict,),
    "replace": (dict,),
}
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
        refused = work(step, call.work, call.files) if call.work else ""
        return Reply(call.seat.name, "failed", error=refused) if refused else perform(step, call)

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


def work(step: Step, given: Work, files: Sequence[str]) -> str:
    """Do what a step does to files; why the work is refused, or empty."""
    refused = why_refused(given)
    if refused or not (step.write or step.replace):
        return refused
    if not given.writes:
        return "its scope does not let it write"
    folder = Path(given.folder)
    for name, text in step.write.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    for name in files if step.replace else ():
        text = (folder / name).read_text(encoding="utf-8")
        for old, new in step.replace.items():
            text = text.replace(old, new)
        (folder / name).write_text(text, encoding="utf-8")
    return ""


def perform(step: Step, call: Call) -> Reply:
    """The reply that a step makes."""
    text = spoken(step).replace("{nonce}", call.nonce or "{nonce}")
    reply = Reply(call.seat.name, "answered", text=text, exit_code=step.exit_code)
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


def load_script(path: str) -> Script:
    """Read a script; a wrong one raises AgentFileError that names the place and the reason."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise AgentFileError(
            f"{path}: the replies cannot be read: {reason}", "`replies` in the agent file names it."
        ) from error
    return parse_script(text, path)


def parse_script(text: str, path: str) -> Script:
    """A script from its text; the ending of ``path`` says which form it has."""
    if path.endswith(".jsonl"):
        lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        return {"*": _steps([_json(line, f"{path}:{n}") for n, line in lines], path)}
    if not path.endswith(".json"):
        return {"*": (Step(text),)}
    document = _json(text, path)
    replies = document.get("replies") if isinstance(document, dict) else None
    if not isinstance(replies, dict):
        raise AgentFileError(f"{path}: expected an object with `replies`, seat names to replies")
    return {name: _steps(said, f"{path}: {name}") for name, said in replies.items()}


def _json(text: str, where: str) -> object:
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise AgentFileError(f"{where}: this is not JSON: {error}") from error
    return document


def _steps(said: object, where: str) -> tuple[Step, ...]:
    if not isinstance(said, list):
        return (_step(said, where),)
    if not said:
        raise AgentFileError(f"{where}: the list of replies is empty")
    return tuple(_step(each, f"{where}: reply {n}") for n, each in enumerate(said, 1))


def _step(said: object, where: str) -> Step:
    if isinstance(said, str):
        return Step(said)
    if not isinstance(said, dict):
        raise AgentFileError(f"{where}: a reply is a text or an object, not {said!r:.60}")
    for field, value in said.items():
        _check(field, value, where)
    return Step(**said)


def _check(field: str, value: object, where: str) -> None:
    if field not in _KINDS:
        from difflib import get_close_matches

        near = get_close_matches(field, _KINDS, n=1)
        hint = f"Did you mean `{near[0]}`?" if near else f"Fields: {', '.join(_KINDS)}."
        raise AgentFileError(f"{where}: a reply has no field `{field}`", hint)
    if not isinstance(value, _KINDS[field]) or isinstance(value, bool) != (field == "hang"):
        kinds = " or ".join(kind.__name__ for kind in _KINDS[field])
        raise AgentFileError(f"{where}: `{field}` must be {kinds}, not {value!r:.60}")
    if isinstance(value, dict) and not all(isinstance(held, str) for held in value.values()):
        raise AgentFileError(f"{where}: `{field}` maps texts to texts")
    if field == "delay" and not 0 <= float(str(value)) < float("inf"):
        raise AgentFileError(f"{where}: `delay` must be a number of seconds from 0, not {value!r}")
    if field == "malformed" and value not in get_args(Malformed):
        raise AgentFileError(f"{where}: `malformed` is one of {', '.join(get_args(Malformed))}")


BACKEND = ScriptedBackend()
