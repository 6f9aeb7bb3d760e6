"""Commits on their way to another machine: a pack of what it does not have, and a scratch repository that takes it."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from guildmoot.errors import InfrastructureError
from guildmoot.lifecycle.execution.workers.parcel import MOST, ParcelError
from guildmoot.loops.workshop import git

_HAVE = "refs/guild/have"
_NEWEST = 32
"""Commits that a worker keeps a name for, and tells of."""


def make_pack(root: Path, wanted: Sequence[str], known: Sequence[str]) -> bytes:
    """What these objects need beyond the commits that the other side has; ParcelError when it is too large."""
    here = [commit for commit in known if has_commit(root, commit)]
    if set(wanted) <= set(here):
        return b""
    # Of a commit alone git would leave out what it holds only below other commits, not below a tree.
    less = (f"^{each}{of}" for each in here for of in ("", "^{tree}"))
    asked = "".join(f"{each}\n" for each in (*wanted, *less))
    words = ["git", "pack-objects", "--revs", "--thin", "--stdout", "-q", "--delta-base-offset"]
    with subprocess.Popen(
        words, cwd=root, env=_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        assert process.stdin  # noqa: S101 - it is a pipe
        assert process.stdout  # noqa: S101 - and so is this
        process.stdin.write(asked.encode())
        process.stdin.close()
        pack = process.stdout.read(MOST + 1)
        if len(pack) > MOST:
            process.kill()
    if len(pack) > MOST:
        raise ParcelError(
            f"what the lane needs of the repository is larger than {MOST >> 20} MB",
            "Start that worker with --repo PATH, a clone: then only what it does not have travels.",
        )
    if process.returncode:
        raise InfrastructureError("git pack-objects failed")
    return pack


def has_commit(root: Path, commit: str) -> bool:
    """Whether a commit is here."""
    words = ("rev-parse", "-q", "--verify", f"{commit}^{{commit}}")
    return bool(git(root, *words, fine=(0, 1, 128)).strip())


def _environment() -> dict[str, str]:
    """Without what a hook would lead git into another repository with."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1"}


class Scratch:
    """A repository of a worker's own, into which the commits of lanes are put; it may borrow from checkouts."""

    def __init__(self, root: Path, checkouts: Sequence[str] = ()) -> None:
        self.root, self._checkouts = root, checkouts
        self._one = threading.Lock()
        self.commits: tuple[str, ...] = ()
        """Those that it has, newest first: they need not travel."""

    def open(self) -> None:
        """Make it unless it is there, and let it borrow."""
        with self._one:
            if not (self.root / ".git" / "HEAD").is_file():
                self.root.mkdir(parents=True, exist_ok=True)
                git(self.root, "init", "-q", "--template=", "-b", "lanes")
                for name in ("user.name", "user.email"):
                    git(self.root, "config", name, "guild")
            words = ("rev-parse", "--path-format=absolute", "--git-common-dir")
            found = [git(Path(each), *words).strip() for each in self._checkouts]
            info = self.root / ".git" / "objects" / "info"
            info.mkdir(parents=True, exist_ok=True)
            text = "".join(f"{each}/objects\n" for each in found)
            (info / "alternates").write_text(text, encoding="utf-8")
            git(self.root, "gc", "-q", "--auto", fine=(0, 1, 128))
            self.commits = self._commits()

    def take(self, pack: bytes, base: str) -> None:
        """Put a pack in and keep its commit; ParcelError where it is none, or does not hold the commit."""
        with self._one:
            if pack:
                self._index(pack)
            if not has_commit(self.root, base):
                raise ParcelError(f"the commit {base[:12]} did not come with the job")
            git(self.root, "update-ref", f"{_HAVE}/{base}", base)
            git(self.root, "update-ref", "--no-deref", "HEAD", base)
            for old in [each for each in self._commits()[_NEWEST:] if each != base]:
                git(self.root, "update-ref", "-d", f"{_HAVE}/{old}")
            self.commits = self._commits()

    def _index(self, pack: bytes) -> None:
        words = ["git", "index-pack", "--stdin", "--fix-thin", "--strict", f"--max-input-size={MOST}"]  # fmt: skip
        done = subprocess.run(
            words, cwd=self.root, env=_environment(), input=pack, capture_output=True, timeout=600,
            check=False,
        )  # fmt: skip
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise ParcelError(f"the pack of the job cannot be taken: {said[-200:]}")

    def _commits(self) -> tuple[str, ...]:
        words = ("for-each-ref", "--sort=-committerdate", "--format=%(objectname)", _HAVE)
        return tuple(git(self.root, *words).split())

    def place(self, lane: str) -> Path:
        """The folder of what is written beside a lane's worktree."""
        folder = self.root / ".guild" / "runs" / lane
        os.makedirs(folder, exist_ok=True)
        return folder
