"""Whether a ledger and its runs are this machine's own: a repository must not bring answers along.

What git tracks was written by whoever wrote the repository. A ledger of theirs could hold verdicts
that nobody gave, and a run of theirs could name programs to start.
"""

from __future__ import annotations

from pathlib import Path

from guildmoot.errors import UsageError

_LEDGER, _RUNS = ".guild/ledger.sqlite3", ".guild/runs"


def check_ledger(root: Path) -> None:
    """UsageError when the repository holds a ledger of its own."""
    if (root / _LEDGER).exists():
        _check(root, (_LEDGER,))


def check_runs(root: Path) -> None:
    """UsageError when the repository holds a ledger or recorded runs of its own."""
    _check(root, (_LEDGER, _RUNS))


def _check(root: Path, places: tuple[str, ...]) -> None:
    from guildmoot.packet.git import Git, GitError

    try:
        tracked = Git(root).names("ls-files", "-z", "--", ".guild")
    except GitError:
        return  # no repository, so nobody could have committed it
    brought = [name for name in tracked if name == ".guild" or name.startswith(places)]
    if brought:
        raise UsageError(
            f"git tracks {brought[0]}, so its answers may be anybody's and are not used",
            "If it is yours: git rm -r --cached .guild/runs '.guild/ledger.sqlite3*', then ignore"
            " both in .gitignore. If not, delete it.",
        )
