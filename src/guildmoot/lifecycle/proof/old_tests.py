"""What a command says that is red with the tests as they stood, and green as a run changed them. Pure.

Red before the run excuses nothing: what a test asked for then, the result must do without another test.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from posixpath import splitext
from typing import NamedTuple

from guildmoot.loops.values import CommandResult
from guildmoot.text.clean import clean
from guildmoot.text.patterns import lazy

_NAMED = 3
_FAILED = (
    lazy(r"(?m)^ERROR: (?P<name>(?P<place>\S+) \(unittest\.loader\._FailedTest\b[^)]*\))"),
    lazy(r"(?m)^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (?P<name>\S+ \((?!unittest\.loader)(?P<place>[\w.]+)[^)]*\))"),
    lazy(r"(?m)^(?:FAILED|ERROR) (?P<name>(?P<place>[^\s:]+\.py)(?:::[^\n]*?)?)(?: - .*)?$"),  # pytest
    lazy(r"(?m)^\s*not ok \d+ - (?!.*# (?:TODO|SKIP)\b)(?P<name>\S.*)$"),  # TAP
    lazy(r"(?m)^\s*[✖✗×✕] (?!failing tests:)(?P<name>\S.*?)(?: \([\d.]+ ?m?s\)| \d+ ?m?s)?$"),  # node, vitest, jest
    lazy(r"(?m)^\s*● (?P<name>\S.* › .*)$"),  # jest
    lazy(r"(?m)^\s*--- FAIL: (?P<name>\S+)"),  # go
    lazy(r"(?m)^test (?P<name>\S+) \.\.\. FAILED$"),  # cargo
)  # fmt: skip
"""How runners name a test that failed; ``place`` is its file, module or class."""


class OldTests(NamedTuple):
    """The tests that stood before a run."""

    paths: frozenset[str]
    changed: tuple[str, ...]
    """What the run changed, took away or added."""


def failing_tests(output: str) -> dict[str, str]:
    """The tests that failed, as a runner names them, each with its place or nothing; none where it names none."""
    text = clean(output)
    found = (match.groupdict() for form in _FAILED for match in form.finditer(text))
    return {each["name"].strip(): each.get("place") or "" for each in found}


def said_by_old_tests(old: OldTests, red: CommandResult, before: CommandResult) -> str | None:
    """Why a command does not pass with the old tests; None where none of them says that.

    Where it failed before the run, it may fail because it asks for tests that the run was to write.
    """
    if before.code == 0:
        return "it passed before the run"
    failing = failing_tests(red.full or red.output)
    if not failing:
        was_there = any(path in old.paths for path in old.changed)
        if not was_there or _asks_for_new(red.command, old):
            return None
        return "which tests fail cannot be read, and the run changed tests that were there"
    had = failing_tests(before.full or before.output)
    wrong = [
        name for name, place in failing.items() if name not in had or not _is_new(place, old.paths)
    ]
    if not wrong:
        return None
    news = [name for name in wrong if name not in had]
    told, how = (news, ", and did not before it") if news else (wrong, ", as before it")
    more = f" and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    return f"{', '.join(told[:_NAMED])}{more} fail{'s' * (len(told) == 1)}{how}"


def _is_new(place: str, paths: Iterable[str]) -> bool:
    """Whether a test names its place, and no test that stood before lies there."""
    return bool(place) and not any(
        place == path or place.endswith(f"/{path}") or _is_of(place, path) for path in paths
    )


def _is_of(dotted: str, path: str) -> bool:
    """Whether a module or class is that of a file, seen from any folder above it."""
    parts = _module(path).split(".")
    names = (".".join(parts[at:]) for at in range(len(parts)))
    return any(dotted == each or dotted.startswith(f"{each}.") for each in names)


def _asks_for_new(command: str, old: OldTests) -> bool:
    """Whether a command names a test, or a folder of tests, that was not there before."""
    new = [path for path in old.changed if path not in old.paths]
    return any(_names(word, new) and not _names(word, old.paths) for word in _words(command))


def _names(word: str, paths: Iterable[str]) -> bool:
    bare = word.removeprefix("./").partition("::")[0].rstrip("/")
    return bool(bare) and any(
        f"{path}/".startswith(f"{bare}/")
        or f"{bare}.".startswith(f"{_module(path)}.")
        or _module(path).startswith(f"{bare}.")
        for path in paths
    )


def _words(command: str) -> Sequence[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _module(path: str) -> str:
    return splitext(path)[0].replace("/", ".")
