"""Hook events as hosts send them, and the process that answers them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

import commands

PATIENT = (
    "import sys; from guildmoot.guard.hooks import entry;"
    "entry.DEADLINE = entry._DAEMON_SECONDS = 10; entry.LATEST = 60;"
)
"""The beginning of a program of hooks: the machine may be busy with other tests."""
START = f"{PATIENT} entry.main(sys.argv[2:], sys.argv[1])"


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def said(self):
        return json.loads(self.out)["hookSpecificOutput"]


def environment(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **more}


def command(socket: str = "", host: str = "claude") -> list[str]:
    return [sys.executable, "-c", START, socket, host]


def call(home: Path, event, host: str = "claude", socket: str = "", **env: str) -> Answer:
    raw = event if isinstance(event, bytes) else json.dumps(event).encode()
    given = environment(home, **env)
    done = commands.run(command(socket, host)[1:], env=given, stdin=raw, to_the_last=True)
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def before(cwd: Path | str, text: str, use: str = "t1", **more):
    return {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": str(cwd),
        "tool_name": "Bash",
        "tool_input": {"command": text},
        "tool_use_id": use,
        **more,
    }


def after(cwd: Path | str, text: str, response, use: str = "t1", **more):
    given = before(cwd, text, use) | {"hook_event_name": "PostToolUse", "tool_response": response}
    return given | more


def make_run(project: Path, name: str = "run-1") -> Path:
    folder = project / ".guild/runs" / name
    folder.mkdir(parents=True)
    return folder


def rows(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()]
