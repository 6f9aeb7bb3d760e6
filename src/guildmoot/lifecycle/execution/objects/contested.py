"""After a conflict: whether what the run had done still holds once the later lane did its work again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from guildmoot.lifecycle.documents import FrontMatterError, read_markdown
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.loops.workshop import git

_WORD = re.compile(r"\w+")
_WHY = 3
"""Words beside a line that a receipt names as dropped: the least that says why."""


class UndoneChange(NamedTuple):
    """What of a change no longer holds."""

    gone: tuple[str, ...] = ()
    """Lines that it added."""
    back: tuple[str, ...] = ()
    """Lines that it took away, and paths of files."""


def undone_changes(
    repository: RunRepository,
    clash: Sequence[str],
    again: tuple[str, str],
    result: str,
    receipt: str,
) -> tuple[UndoneChange, int]:
    """What of the run's changes is undone without a word, and how much of it the receipt explains.

    ``clash`` is the lane's base, the run's tip and the lane's commit as they could not be joined, ``again`` the commit
    from which it was done again and the one that it came to. A line that the run
    added may be changed where nobody contested it; what it took away comes back nowhere.
    """
    base, tip, commit = clash
    words = ("-c", "merge.conflictStyle=diff3", "merge-tree", "--write-tree", "--no-messages")
    tree, *paths = _git(repository, *words, "--name-only", tip, commit).splitlines() or [""]
    now = [
        r for path in _changes(repository, base, result) for r in _text(repository, result, path)
    ]
    gone: list[str] = []
    back: list[str] = []
    for path in dict.fromkeys(paths):
        was, had = contested_sides(_text(repository, tree, path))
        if not (
            was or had
        ):  # one side deleted or renamed it: no place in it is contested more than another
            was, had = (_text(repository, each, path) for each in (base, tip))
        gone += undone_lines(was, had, [*now, *_text(repository, result, path)]).gone
    own = _changes(repository, *again)
    for path, how in _changes(repository, base, again[0]).items():
        if how == "D" and own.get(path) == "A":
            back.append(path)
        elif how == "M" and path in own:
            back += undone_lines(*(_text(repository, each, path) for each in (base, *again))).back
    said = _body(receipt)
    silent = UndoneChange(
        *(tuple(e for e in each if not is_explained(e, said)) for each in (gone, back))
    )
    return silent, len(gone) + len(back) - len(silent.gone) - len(silent.back)


def contested_sides(rows: Iterable[str]) -> tuple[list[str], list[str]]:
    """What was there, and what the first side made of it, between the marks of a merge in three parts. Pure."""
    sides: dict[str, list[str]] = {"first": [], "base": []}
    part = ""
    for row in rows:
        if row.startswith("<<<<<<< "):
            part = "first"
        elif part == "first" and row.startswith("||||||| "):
            part = "base"
        elif part and row == "=======":
            part = "second"
        elif part == "second" and row.startswith(">>>>>>> "):
            part = ""
        elif part in sides:
            sides[part].append(row)
    return sides["base"], sides["first"]


def undone_lines(was: Sequence[str], had: Sequence[str], now: Sequence[str]) -> UndoneChange:
    """What of a change from one text to another does not hold in a third: what it added must be there, by itself or
    with more words around, and what it took away must not. Lines without a word take nothing back. Pure.
    """
    before, after, plain = ({row.strip() for row in rows} for rows in (was, had, now))
    words = [set(_WORD.findall(row)) for row in plain]
    gone = (
        line for line in had
        if line.strip() not in {"", *before, *plain} and not _inside(set(_WORD.findall(line)), words)
    )  # fmt: skip
    back = (
        line for line in dict.fromkeys(was)
        if _WORD.search(line) and line.strip() not in after and line.strip() in plain
    )  # fmt: skip
    return UndoneChange(tuple(gone), tuple(back))


def is_explained(line: str, receipt: str) -> bool:
    """Whether a receipt names a line in a sentence that says more than the line itself. Pure."""
    rows = (row.replace(line.strip(), "", 1) for row in receipt.splitlines() if line.strip() in row)
    return any(len(_WORD.findall(rest)) >= _WHY for rest in rows)


def _inside(line: set[str], rows: Iterable[set[str]]) -> bool:
    return bool(line) and any(line <= row for row in rows)


def _body(receipt: str) -> str:
    """What a receipt says in words; its list of files explains nothing."""
    try:
        return read_markdown(receipt).body
    except FrontMatterError:
        return receipt


def _changes(repository: RunRepository, one: str, other: str) -> dict[str, str]:
    """The paths in which two commits differ, each with how: ``A``, ``D``, ``M`` or another letter of git's."""
    rows = _git(repository, "diff", "--name-status", "--no-renames", "-z", one, other).split("\0")
    return dict(zip(rows[1::2], rows[::2], strict=False))


def _text(repository: RunRepository, tree: str, path: str) -> list[str]:
    return _git(repository, "show", f"{tree}:{path}").splitlines()


def _git(repository: RunRepository, *words: str) -> str:
    return git(repository.root, *words, fine=(0, 1, 128))
