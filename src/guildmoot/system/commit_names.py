"""Which commit a name means, asked of git in as few processes as it takes; a name that may mean several is refused.

git would take a tag before a branch, and whoever is fetched from brings tags along.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol

from guildmoot.errors import TargetError
from guildmoot.text.patterns import lazy

_REFS = ("refs/", "refs/tags/", "refs/heads/", "refs/remotes/")
_END_OF_REF = lazy(r"[~^:]|@\{")
_COMMIT = lazy(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORT = lazy(r"[0-9a-f]{4,}")


class RunGit(Protocol):
    """Runs git in the repository."""

    def __call__(self, *args: str, stdin: bytes = b"") -> bytes:
        """What it prints."""


def find_commit(git: RunGit, name: str) -> str:
    """The commit of that name, TargetError where there are several; empty where git has to say it alone."""
    ref = _END_OF_REF.split(name, maxsplit=1)[0]
    if ref in ("", "@", "HEAD") or _COMMIT.fullmatch(ref) or "\n" in name:
        return ""
    if ref.startswith("refs/"):  # whole names are not completed
        git("show-ref", "--verify", "--", ref)
        return ""
    named = _existing(git, (*(before + ref for before in _REFS), f"refs/remotes/{ref}/HEAD"))
    if _SHORT.fullmatch(ref):
        named += git("rev-parse", f"--disambiguate={ref}").decode().split()
    found = _commits(git, (*named, ref, name))
    if ref not in found:
        return ""
    _check_one(ref, found[ref], {each: found[each] for each in named if each in found})
    return found.get(name, "")


def _check_one(ref: str, taken: str, meant: dict[str, str]) -> None:
    if meant and taken not in meant.values():
        meant[f".git/{ref}"] = taken
    if len(set(meant.values())) > 1:
        told = ", ".join(f"{full} is {commit[:12]}" for full, commit in meant.items())
        likely = next((full for full in meant if "/heads/" in full), max(meant))
        raise TargetError(
            f"{ref!r} may mean several commits here: {told}.",
            f"Write the whole name, e.g. {likely}. What you did not make yourself may have come"
            " with a fetch: somebody may want another commit to be taken for it.",
        )


def _existing(git: RunGit, refs: Sequence[str]) -> list[str]:
    """Those of the whole names that there are."""
    listed = os.fsdecode(git("for-each-ref", "--format=%(refname)", "--", *refs)).splitlines()
    there = frozenset(listed)
    return [ref for ref in refs if ref in there]


def _commits(git: RunGit, names: Sequence[str]) -> dict[str, str]:
    """The commits of the names that have one, asked of one process."""
    asked = os.fsencode("".join(f"{name}^{{commit}}\n" for name in names))
    rows = git("cat-file", "--batch-check", stdin=asked).decode("utf-8", "replace").split("\n")
    pairs = zip(names, (row.split() for row in rows), strict=False)
    return {name: row[0] for name, row in pairs if len(row) == 3 and row[1] == "commit"}
