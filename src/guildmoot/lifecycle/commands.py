"""Whether a command that a criterion names could run here: its words can be read, its programs are there."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable
from pathlib import Path

from guildmoot.errors import did_you_mean

_BUILT_IN = frozenset(
    ("cd", "test", "[", "true", "false", "echo", "export", "set", "!", "exit", "time")
)
_BETWEEN = frozenset(("&&", "||", ";", "|", "&"))
_LIKELY = ("pytest", "python", "python3", "npm", "npx", "node", "make", "cargo", "go", "mvn", "gradle",
           "ruff", "mypy", "tox", "uv", "poetry", "docker", "dotnet", "bundle", "rake", "php", "composer")  # fmt: skip


def command_problem(command: str) -> str:
    """Why no shell could read a command; empty when one can. Pure."""
    try:
        return "" if programs_of(command) else "it names no program"
    except ValueError as wrong:
        return str(wrong).lower()


def programs_of(command: str) -> list[str]:
    """The program of each part of a command line. Pure; ValueError when its quotes do not close."""
    reader = shlex.shlex(command, posix=True, punctuation_chars=";&|")
    reader.whitespace_split = True
    found, first = [], True
    for word in reader:
        if word in _BETWEEN:
            first = True
        elif first and "=" in word and word.partition("=")[0].isidentifier():
            continue  # a variable for the program behind it
        elif first:
            found.append(word)
            first = False
    return found


def command_notes(commands: Iterable[str], root: Path) -> list[str]:
    """What would keep commands from running on this machine, one line a program."""
    notes: dict[str, str] = {}
    for command in commands:
        try:
            programs = programs_of(command)
        except ValueError:
            continue  # ``guild lint`` tells that
        for program in programs:
            if program not in notes and not _is_there(program, root):
                near = did_you_mean(program, [each for each in _LIKELY if each != program])
                notes[program] = f"`{program}` is not on this machine{': ' + near if near else ''}"
    return list(notes.values())


def drafted_notes(drafted: Iterable[str], known: Iterable[str], by: str) -> list[str]:
    """Commands that nobody asked for and that would be run here, one line each. Pure."""
    new = dict.fromkeys(each for each in drafted if each not in set(known))
    return [f"{by} names `{each}`, which would be run here: look at it" for each in new]


def missing_programs(command: str) -> list[str]:
    """Programs that this machine lacks; one that the project itself must bring is none of them."""
    return [
        each for each in programs_of(command) if "/" not in each and not _is_there(each, Path())
    ]


def _is_there(program: str, root: Path) -> bool:
    if program in _BUILT_IN or program.startswith("$"):
        return True
    if "/" in program:
        return os.access(root / program, os.X_OK)
    return shutil.which(program) is not None
