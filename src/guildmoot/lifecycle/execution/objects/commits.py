"""Commits and names that the engine makes in the user's repository, by a git that stays for the whole run."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.lifecycle.execution.objects.standing_git import StandingGit
from guildmoot.loops.workshop import git


class CommitStore:
    """Makes commits of trees that are there; no branch and no file of the user's is touched."""

    def __init__(self, root: Path, scratch: Path, words: Sequence[str]) -> None:
        self._root, self._scratch, self._words = root, scratch, words
        self._objects = StandingGit(
            root, (*words, "hash-object", "-t", "commit", "-w", "--stdin-paths")
        )
        self._names = StandingGit(root, (*words, "update-ref", "--stdin"))
        compare = ("diff-tree", "-r", "-z", "--no-renames", "--stdin")
        self._trees = StandingGit(root, (*words, *compare))
        self._tree_of: dict[str, str] = {}

    def commit(self, tree: str, parents: Sequence[str], message: str) -> str:
        """The commit of a tree; git looks at what it is given before it takes it."""
        author, committer = (f"{who} {int(time.time())} {zone}" for who, zone in self._people)
        rows = [f"tree {tree}", *(f"parent {each}" for each in parents)]
        rows += [f"author {author}", f"committer {committer}", "", message.rstrip("\n"), ""]
        self._scratch.mkdir(parents=True, exist_ok=True)
        file = self._scratch / f".commit-{secrets.token_hex(8)}"
        try:
            file.write_bytes("\n".join(rows).encode("utf-8", "surrogateescape"))
            return self._objects.ask(f"{file}\n", 1)[0]
        finally:
            file.unlink(missing_ok=True)

    def replayed(self, parent: str, commit: str, tip: str) -> str:
        """The tree of what one commit made of its parent, made of another; empty where they conflict."""
        trees = ("rev-parse", *(f"{each}^{{tree}}" for each in (parent, commit, tip)))
        was, own, here = git(self._root, *self._words, *trees).split()
        start = self.commit(was, (), "base")
        sides = (self.commit(tree, (start,), "side") for tree in (here, own))
        words = ("merge-tree", "--write-tree", "--name-only", "--no-messages", *sides)
        rows = git(self._root, *self._words, *words, fine=(0, 1)).splitlines()
        return rows[0] if len(rows) == 1 else ""

    def name(self, commit: str, ref: str) -> None:
        """Put a commit under a name of ours."""
        self._names.ask(f"start\nupdate {ref} {commit}\ncommit\n", 2)

    def changes(self, base: str, tree: str) -> list[str]:
        """What a tree changes of a commit: how, and which path, in turn."""
        if base not in self._tree_of:
            words = (*self._words, "rev-parse", "-q", "--verify", f"{base}^{{tree}}")
            self._tree_of[base] = git(self._root, *words).strip()
        head, _, rows = self._trees.ask_all(f"{self._tree_of[base]} {tree}\n").partition("\n")
        if head != f"{self._tree_of[base]} {tree}":
            raise InfrastructureError(f"git diff-tree answered something else: {head[:200]}")
        return rows.split("\0")

    def close(self) -> None:
        """Nothing more is asked of them."""
        self._trees.close()
        self._objects.close()
        self._names.close()

    @cached_property
    def _people(self) -> list[tuple[str, str]]:
        """Author and committer, each with the time zone, as git knows them."""
        found = []
        for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
            who, _, zone = git(self._root, *self._words, "var", name).strip().rsplit(" ", 2)
            found.append((who, zone))
        return found


def begin_commit(root: Path) -> str:
    """The commit that a run begins from; UsageError where there is none."""
    try:
        return git(root, "rev-parse", "--verify", "-q", "HEAD^{commit}").strip()
    except InfrastructureError:
        raise UsageError(
            "there is no commit here that the lanes could start from",
            "git init, and commit what is there: git commit --allow-empty -m begin",
        ) from None


def make_borrower(root: Path, store: Path, place: Path) -> None:
    """A bare repository that borrows the objects of another, also of one that has only the last of its history."""
    form = git(root, "rev-parse", "--show-object-format").strip()
    git(root, "init", "-q", "--bare", "--template=", f"--object-format={form}", str(place))
    info = place / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{store / 'objects'}\n", encoding="utf-8")
    if (store / "shallow").is_file():  # a clone of such a one borrows nothing
        shutil.copy2(store / "shallow", place / "shallow")
