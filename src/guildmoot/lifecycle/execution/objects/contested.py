"""After a conflict: whether what a run had where two lanes met is still there once the later one did it again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.loops.workshop import git

_WORD = re.compile(r"\w+")
_WHY = 3
"""Words beside a line that a receipt names as dropped: the least that says why."""


def lost_lines(
    repository: RunRepository, clash: Sequence[str], result: str, receipt: str
) -> tuple[list[str], int]:
    """Lines of the run's that are gone without a word, and how many the receipt says it dropped.

    ``clash`` is the lane's base, the run's tip and the lane's commit as they could not be joined.
    """
    base, tip, commit = clash
    gone: list[str] = []
    words = ("-c", "merge.conflictStyle=diff3", "merge-tree", "--write-tree", "--no-messages")
    tree, *paths = _git(repository, *words, "--name-only", tip, commit).splitlines() or [""]
    changed = _git(repository, "diff", "--name-only", "-z", base, result).split("\0")
    now = [row for path in filter(None, changed) for row in _text(repository, result, path)]
    for path in dict.fromkeys(paths):
        had = contested_lines(_text(repository, tree, path))
        if (
            had is None
        ):  # one side deleted or renamed it: no place in it is contested more than another
            had = _added(_git(repository, "diff", "-U0", base, tip, "--", path))
        gone += missing_lines(had, [*now, *_text(repository, result, path)])
    silent = [each for each in gone if not is_explained(each, receipt)]
    return silent, len(gone) - len(silent)


def contested_lines(rows: Iterable[str]) -> list[str] | None:
    """What the first side added between the marks of a merge in three parts; None where there are no marks. Pure."""
    found: list[str] = []
    had: list[str] = []
    was: set[str] = set()
    part, any_mark = "", False
    for row in rows:
        if row.startswith("<<<<<<< "):
            part, had, was, any_mark = "first", [], set(), True
        elif part == "first" and row.startswith("||||||| "):
            part = "base"
        elif part and row == "=======":
            part = "second"
        elif part == "second" and row.startswith(">>>>>>> "):
            found += [each for each in had if each not in was]
            part = ""
        elif part == "first":
            had.append(row)
        elif part == "base":
            was.add(row)
    return found if any_mark else None


def missing_lines(had: Iterable[str], rows: Iterable[str]) -> list[str]:
    """Lines that no row holds, by itself or with more words around; empty ones count for nothing. Pure."""
    plain = {row.strip() for row in rows}
    words = [set(_WORD.findall(row)) for row in plain]
    return [
        line for line in had
        if line.strip() and line.strip() not in plain and not _inside(set(_WORD.findall(line)), words)
    ]  # fmt: skip


def is_explained(line: str, receipt: str) -> bool:
    """Whether a receipt names a line in a sentence that says more than the line itself. Pure."""
    rows = (row.replace(line.strip(), "", 1) for row in receipt.splitlines() if line.strip() in row)
    return any(len(_WORD.findall(rest)) >= _WHY for rest in rows)


def _inside(line: set[str], rows: Iterable[set[str]]) -> bool:
    return bool(line) and any(line <= row for row in rows)


def _added(patch: str) -> list[str]:
    return [row[1:] for row in patch.splitlines() if row.startswith("+") and row[:3] != "+++"]


def _text(repository: RunRepository, tree: str, path: str) -> list[str]:
    return _git(repository, "show", f"{tree}:{path}").splitlines()


def _git(repository: RunRepository, *words: str) -> str:
    return git(repository.root, *words, fine=(0, 1, 128))
