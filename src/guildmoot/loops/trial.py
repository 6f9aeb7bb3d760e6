"""A change on trial: a commit while commands look at it, as it will be when it landed, and none may touch it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from guildmoot.loops.values import LoopStop
from guildmoot.loops.workshop import QUIET, Workshop, git


@contextmanager
def on_trial(shop: Workshop) -> Iterator[Callable[[str], None]]:
    """What the clone holds as a commit; gives the check that a command only looked."""
    paths = shop.changed()
    if paths:
        shop.stage(paths)
        words = ("-c", "commit.gpgsign=false", "commit", "-q", "--no-verify", "-m", "on trial")
        git(shop.folder, *QUIET, *words)
    seen, stood = _seen(shop), _stands(shop, paths)

    def check(command: str) -> None:
        """LoopStop when a command changed what it looked at, for a moment even: its word is about another tree."""
        now = _stands(shop, paths)
        touched = sorted(
            (seen ^ _seen(shop)) | {path for path in paths if now[path] != stood[path]}
        )
        if touched:
            named = f"{', '.join(touched[:5])}{' ...' if len(touched) > 5 else ''}"
            raise LoopStop(
                "gated", f"the verification {command!r} changes what it looks at ({named}), so it proves nothing",
                "give one that only looks, e.g. 'ruff check' instead of 'ruff check --fix'",
            )  # fmt: skip

    try:
        yield check
    finally:
        if (shop.folder / ".git" / "HEAD").is_file():
            git(shop.folder, "reset", "-q", "--mixed", shop.base, fine=(0, 1, 128))


def refuse_dirty(dirty: Sequence[str], who: str, again: str) -> None:
    """LoopStop when the checkout itself holds changes after a command ran in its clone; they may be a person's."""
    if dirty:
        named = f"{', '.join(dirty[:5])}{' ...' if len(dirty) > 5 else ''}"
        raise LoopStop(
            "escalated", f"the checkout itself changed while {who!r} ran in its clone: {named}. It writes there by"
            " an absolute path, or somebody else did; nothing of that unit was taken",
            f"git diff; 'git stash -u' takes it away and keeps it; then {again}", gate=True,
        )  # fmt: skip


def _stands(shop: Workshop, paths: list[str]) -> dict[str, tuple[int, ...]]:
    """What the system knows of files that are judged; writing to one leaves its mark, also when it is undone."""
    known: dict[str, tuple[int, ...]] = {}
    for path in paths:
        try:
            at = os.lstat(shop.folder / path)
        except OSError:
            known[path] = ()
        else:
            known[path] = (at.st_ino, at.st_size, at.st_mode, at.st_mtime_ns, at.st_ctime_ns)
    return known


def _seen(shop: Workshop) -> set[str]:
    """The commit, and every tracked file that differs from it."""
    words = ("status", "--porcelain", "-z", "-uno", "--no-renames")
    rows = git(shop.folder, *words, fine=(0, 128)).split("\0")
    head = git(shop.folder, "rev-parse", "HEAD", fine=(0, 128)).strip()
    return {f"commit {head[:12]}", *(row[3:] for row in rows if row)}
