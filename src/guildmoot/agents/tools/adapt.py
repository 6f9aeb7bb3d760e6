"""Runs a tool that speaks only its own JSON and passes its results on as rdjsonl.

    python -m guildmoot.agents.tools.adapt eslint -- eslint --format json FILES
    python -m guildmoot.agents.tools.adapt cargo -- cargo clippy --message-format=json

It ends with the tool's own exit code; a tool that is not there is 127, output that cannot be read
2. A program that the project installed under ``node_modules`` comes before the one on the PATH, unless
git tracks it there.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from guildmoot.agents.tools.rdjsonl import ToolFinding, refuse, write
from guildmoot.system.search import is_brought, search_path

NOT_FOUND = 127
_ESLINT_LEVELS = {2: "ERROR", 1: "WARNING"}
_CARGO_LEVELS = {"error": "ERROR", "warning": "WARNING"}


def main(arguments: list[str]) -> int:
    """The program; returns its exit code."""
    if len(arguments) < 3 or arguments[0] not in _READERS or arguments[1] != "--":
        return refuse(
            f"usage: python -m guildmoot.agents.tools.adapt {'|'.join(_READERS)} -- PROGRAM"
        )
    read, (name, *rest) = _READERS[arguments[0]], arguments[2:]
    installed = os.path.join("node_modules", ".bin")
    program = None if is_brought(installed) else shutil.which(name, path=installed)
    program = program or shutil.which(name, path=search_path())
    if program is None:
        refuse(f"{name} is not installed")
        return NOT_FOUND
    code, output = _run([os.path.abspath(program), *rest])
    try:
        write(list(read(output)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
        # A tool that failed says why on standard error, not in its format.
        return code or refuse(f"{name} printed what is not its format: {wrong!r}")
    return code


def read_eslint(output: str) -> Iterator[ToolFinding]:
    """ESLint's ``--format json``; a file that its settings ignore is no result."""
    for result in json.loads(output):
        path = _relative(result["filePath"])
        for message in result["messages"]:
            rule = message["ruleId"]
            if rule is None and not message.get("fatal"):
                continue
            yield ToolFinding(
                message["message"],
                rule or "parse-error",
                _ESLINT_LEVELS.get(message["severity"], "INFO"),
                *(path, message.get("line") or 0, message.get("endLine") or 0),
            )


def read_cargo(output: str) -> Iterator[ToolFinding]:
    """Cargo's ``--message-format=json``: the compiler's messages that name a place, each once."""
    seen: set[ToolFinding] = set()
    for line in output.splitlines():
        entry: dict[str, Any] = json.loads(line) if line.startswith("{") else {}
        if entry.get("reason") != "compiler-message":
            continue
        finding = _from_rustc(entry["message"])
        if finding is not None and finding not in seen:
            seen.add(finding)
            yield finding


def _from_rustc(message: dict[str, Any]) -> ToolFinding | None:
    places = [span for span in message["spans"] if span["is_primary"]]
    if not places or message["level"] not in _CARGO_LEVELS:
        return None
    code = (message.get("code") or {}).get("code") or message["level"]
    return ToolFinding(
        message["message"],
        code,
        _CARGO_LEVELS[message["level"]],
        *(_relative(places[0]["file_name"]), places[0]["line_start"], places[0]["line_end"]),
    )


_READERS: dict[str, Callable[[str], Iterator[ToolFinding]]] = {
    "eslint": read_eslint,
    "cargo": read_cargo,
}


def _run(command: list[str]) -> tuple[int, str]:
    """Exit code and output; the child is told to end when this program is."""
    children: list[subprocess.Popen[bytes]] = []

    def end(_number: int, _frame: FrameType | None) -> None:
        for started in children:
            started.terminate()

    # Held back until the child is known, so that a signal in between cannot leave it behind.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))
    signal.signal(signal.SIGTERM, end)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        preexec_fn=_hear_signals,
    ) as child:
        children.append(child)
        _hear_signals()
        output, _ = child.communicate()
    code = child.returncode
    return (code if code >= 0 else 128 - code), output.decode("utf-8", errors="replace")


def _hear_signals() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))


def _relative(path: str) -> str:
    here = os.getcwd() + os.sep
    return path.removeprefix(here).replace(os.sep, "/")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
