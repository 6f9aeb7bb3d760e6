"""Reports what a change of Python brings that cannot work, and what its functions no longer do.

    python -m guildmoot.agents.tools.python_changes REPOSITORY

REPOSITORY is a JSON file beside the packet's files that names the repository, the base and what changed; without it
there is no change to judge, and nothing is found. Nothing of the work is run.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from guildmoot.agents.tools.rdjsonl import NoJudgementError, ToolFinding, run
from guildmoot.system.git import Git, GitError

_MOST_FILES = 300
"""Python files of a change up to which it is looked at: more are a migration."""


def find(arguments: Sequence[str], folder: str) -> list[ToolFinding]:
    """What the change brings."""
    if len(arguments) != 1:
        raise NoJudgementError("usage: python -m guildmoot.agents.tools.python_changes REPOSITORY")
    place = Path(arguments[0])
    if not place.exists():
        return []
    try:
        told = json.loads(place.read_text(encoding="utf-8"))
        paths = [path for path in told["changed"] if path.endswith(".py")]
        if len(paths) > _MOST_FILES:
            said = (
                f"{len(paths):,} Python files changed, and more than {_MOST_FILES} are not compared"
            )
            return [_not_compared(paths[0], said)]
        return list(_found(told, paths, Path(folder), place.parent / "before" / "files"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as wrong:
        raise NoJudgementError(f"{place} does not tell of a change: {wrong!r}") from None


def _not_compared(path: str, why: str) -> ToolFinding:
    said = f"{why}: calls and imports between files were not looked at"
    return ToolFinding(said, "not-compared", "WARNING", path)


def _found(told: dict[str, Any], paths: list[str], now: Path, then: Path) -> Iterator[ToolFinding]:
    from guildmoot.agents.python.changes import ChangedPython, compare
    from guildmoot.agents.python.modules import MOST_LETTERS

    renamed = told["renamed"]
    with BaseFiles(str(told["root"]), str(told["base"])) as others:
        change = ChangedPython(
            before=_texts(then, sorted(set(renamed.values()))),
            after=_texts(now, paths),
            renamed=renamed,
            lines={
                path: tuple((int(first), int(last)) for first, last in lines)
                for path, lines in told["changed"].items()
            },
            touched=frozenset(told["touched"]),
            text=others.text,
            users=others.users,
        )
        for path, text in change.after.items():
            if len(text) > MOST_LETTERS:
                yield _not_compared(path, f"more than {MOST_LETTERS:,} letters")
        for each in compare(change):
            weight = "ERROR" if each.grave else "WARNING"
            yield ToolFinding(each.message, each.code, weight, each.path, each.line)


def _texts(folder: Path, paths: Sequence[str]) -> dict[str, str]:
    found = {}
    for path in paths:
        place = folder / path
        if path.endswith(".py") and place.is_file():
            found[path] = place.read_text(encoding="utf-8", errors="replace")
    return found


class BaseFiles:
    """The files that the change leaves alone, as the base has them; git is started when one is asked for."""

    def __init__(self, root: str, base: str, endings: tuple[str, ...] = (".py",)) -> None:
        self._git, self._base, self._endings = Git(root), base, endings
        self._stack = ExitStack()
        self._read: Callable[[str], bytes] | None = None

    def __enter__(self) -> BaseFiles:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def text(self, path: str) -> str:
        """A file's text; empty where there is none."""
        if not self._base or any(letter.isspace() for letter in path):
            return ""
        if self._read is None:
            self._read = self._stack.enter_context(self._git.blob_reader())
        try:
            return self._read(f"{self._base}:{path}").decode("utf-8", "replace")
        except GitError:
            return ""

    def users(self, word: str) -> list[str]:
        """Files of the wanted endings that hold a word."""
        try:
            found = self._git.names(
                "grep", "-z", "-l", "-I", "-w", "-F", "-e", word, self._base, "--"
            )
        except GitError:  # also where nothing is found
            return []
        names = (os.path.normpath(each.partition(":")[2]) for each in found)
        return [name for name in names if name.endswith(self._endings)]


if __name__ == "__main__":
    sys.exit(run(find, sys.argv[1:]))
