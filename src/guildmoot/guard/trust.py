"""Whether a ledger and its runs are this machine's own: a repository must not bring answers along.

What git tracks was written by whoever wrote the repository. A ledger of theirs could hold verdicts
that nobody gave, and a run of theirs could name programs to start.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from guildmoot.errors import UsageError

_LEDGER, _RUNS = ".guild/ledger.sqlite3", ".guild/runs"


def ledger_is_ours(root: Path) -> bool:
    """Whether answers in the ledger can be trusted: not when git tracks it, by whatever accident.

    UsageError when ``.guild`` itself is tracked, as a link or a submodule is: nothing is written
    through it.
    """
    if not (root / _LEDGER).exists():
        return True
    brought = _brought(root, (_LEDGER,))
    if ".guild" in brought:
        _refuse(".guild")
    return not brought


def check_runs(root: Path) -> None:
    """UsageError when the repository holds a ledger or recorded runs of its own."""
    brought = _brought(root, (_LEDGER, _RUNS))
    if brought:
        _refuse(brought[0])


def _brought(root: Path, places: tuple[str, ...]) -> list[str]:
    from guildmoot.system.git import Git, GitError

    try:
        tracked = Git(root).names("ls-files", "-z", "--", ".guild")
    except GitError:
        return []  # no repository, so nobody could have committed it
    return [name for name in tracked if name == ".guild" or name.startswith(places)]


def _refuse(name: str) -> NoReturn:
    raise UsageError(
        f"git tracks {name}, so its answers may be anybody's and are not used",
        "If it is yours: git rm -r --cached .guild/runs '.guild/ledger.sqlite3*', then ignore"
        " both in .gitignore. If not, delete it.",
    )
