"""The run's own repository, the worktrees of its lanes, and what a lane changed.

The repository borrows the user's objects and shares nothing else: whatever a worker does to branches, settings or
``.git``, the user's repository has none of it. What a lane changed is read from its files against the commit that it
started from; its own commits, its index and the ``.git`` in its folder are not asked. Accepted commits are made in the
user's repository, below ``refs/guild/``: of the run's own nothing can be lost, and it is made again at any time.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import InfrastructureError
from guildmoot.lifecycle.execution.lane_folder import file_hash, moved_itself, stays_inside
from guildmoot.lifecycle.execution.objects.commits import CommitStore, make_borrower
from guildmoot.lifecycle.execution.objects.taking import (
    RefusedFilesError,
    check_names,
    check_sizes,
    take_files,
    without_filters,
    without_large,
)
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.proof.commits import kept_name, lane_files, trailers
from guildmoot.loops.workshop import git
from guildmoot.runs.record import COMMITTED
from guildmoot.system.files import folder_inside, keep_out_of_git, read_own
from guildmoot.system.removal import remove_folder

_QUIET = (
    *("-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "commit.gpgSign=false"),
    *("-c", "core.splitIndex=false", "-c", "core.untrackedCache=false"),
    *("-c", "core.trustctime=true", "-c", "core.checkStat=default"),  # a lane may set a file's time
)
_OWN = ".guild"
_NOT_RUNS = ":(exclude)[.]guild/runs/*"
"""As a pattern, for git refuses what is ignored and told by its name."""
_ROOM = 3
"""A lane needs its files, what it builds, and as much again for the merge."""
_LEAST_FREE = 64 << 20
_PUSH = """#!/bin/sh
echo "guildmoot: a lane pushes nothing; hand over a receipt and the run merges it" >&2
echo "$1 $2" >> "$(dirname "$GUILD_RECEIPT")/refused-pushes"; exit 1
"""


class LaneDiff(NamedTuple):
    """What a lane changed, by its files."""

    tree: str
    changed: dict[str, str | None]
    """Every path with the SHA-256 of what is there now; None for one that is gone."""
    before: frozenset[str] = frozenset()
    """Those of them that the base has."""
    odd: tuple[str, ...] = ()
    """Links that lead out of the worktree, other repositories, and the like."""
    again: bool = False
    """What the lane had merged before it was sent back is among them: a file may be called added or modified."""
    refused: str = ""
    """Why git takes none of it: a path that it holds to be dangerous, a folder that cannot be read."""


class OwnLine(NamedTuple):
    """What a run put on top of the user's commit that it began from."""

    base: str
    rows: tuple[tuple[str, str], ...]
    """The newest first: a commit, and the lane that it merged, if it did."""


class RunRepository:
    """The repository of one run."""

    def __init__(self, folder: WorkFolder, run: str) -> None:
        self.root, self.run = folder.root, run
        self.place = folder.guild / "worktrees" / run
        self.git_dir = self.place / "repo.git"
        words = ("rev-parse", "--path-format=absolute", "--git-common-dir")
        self.store = git(folder.root, *words).strip()
        """The user's own repository."""
        self.objects = os.path.join(self.store, "objects")
        """From which worktrees are filled: git believes what lies in a store, and in the run's own lanes write."""
        self._pointed = ""
        self._made = CommitStore(folder.root, self.place, (*_QUIET, f"--git-dir={self.store}"))
        self._opening = threading.Lock()
        self.writable: tuple[str, ...] | None = None
        """What commands that run what a lane wrote may write to beside their checkout; None where no fence is."""
        self.most_bytes = 0
        """The largest file that a lane hands over; 0 is no limit."""

    def open(self) -> None:
        """Make it unless it is whole."""
        with self._opening:
            if not self._is_whole():
                self._make()

    def _make(self) -> None:
        folder_inside(self.root, self.place.relative_to(self.root))
        keep_out_of_git(self.root / _OWN, COMMITTED)
        if self.git_dir.exists():  # a worker damaged it, or its making was cut short
            remove_folder(self.git_dir)
        fresh = self.git_dir.with_suffix(".new")
        remove_folder(fresh)
        make_borrower(self.root, Path(self.store), fresh)
        for name in ("user.name", "user.email"):
            value = git(self.root, "config", name, fine=(0, 1)).strip()
            git(fresh, "config", name, value or f"guild.{name.partition('.')[2]}")
        hooks = fresh / "guild-hooks"
        hooks.mkdir()
        (hooks / "pre-push").write_text(_PUSH, encoding="utf-8")
        (hooks / "pre-push").chmod(0o755)
        git(fresh, "config", "core.hooksPath", str(self.git_dir / "guild-hooks"))
        git(fresh, "config", "gc.auto", "0")
        (fresh / "logs").mkdir(exist_ok=True)
        known = Path(self.store) / "rr-cache"
        if known.is_dir() and not known.is_symlink():
            shutil.copytree(known, fresh / "rr-cache", symlinks=True)
        fresh.rename(self.git_dir)

    def _is_whole(self) -> bool:
        place = self.git_dir
        borrowed = place / "objects" / "info" / "alternates"
        return (place / "HEAD").is_file() and borrowed.is_file() and not place.is_symlink()

    def check_room(self, lanes: int, commit: str) -> None:
        """InfrastructureError before anything is made that the disk cannot hold."""
        words = (
            r.split(None, 4)[3] for r in git(self.root, "ls-tree", "-r", "-l", commit).splitlines()
        )
        needed = _LEAST_FREE + _ROOM * (lanes + 1) * sum(int(w) for w in words if w.isdecimal())
        if (free := shutil.disk_usage(self.root).free) < needed:
            raise InfrastructureError(
                f"{lanes} worktrees need about {needed >> 20} MB, and {free >> 20} MB are free",
                "Make room, or run fewer lanes at once with --jobs. Nothing was begun.",
            )

    def folder(self, task: str) -> Path:
        """Where the worktree of a lane lies."""
        return self.place / task

    def add(self, task: str, commit: str, attempt: int = 0) -> Path:
        """A fresh worktree at a commit, on the lane's branch; what lay there is kept as a commit first."""
        self.open()
        if os.path.lexists(place := self.folder(task)):
            self.keep_aside(task, attempt)
            self.remove(task)
        own = self._register(task)
        words = (f"--git-dir={own}", f"--work-tree={place}", "reset", "-q", "--hard", commit)
        git(place, *_QUIET, *words, objects=self.objects)
        if (found := self._tip(task)) != commit:
            raise InfrastructureError(
                f"the worktree of {task} is at {found[:12]}, not {commit[:12]}"
            )
        self._keep_index(task, own, commit)
        return place

    def _register(self, task: str) -> Path:
        """The files of a worktree without a file of its own yet, as ``git worktree add`` writes them.

        That command looks at all the others, so that two of them at once fail, and starts three more.
        """
        place, own = self.folder(task), self.git_dir / "worktrees" / task
        remove_folder(own)
        own.mkdir(parents=True)
        place.mkdir(parents=True)
        for file, text in (
            (own / "HEAD", f"ref: refs/heads/lane/{task}"), (own / "commondir", "../.."),
            (own / "gitdir", str(place / ".git")), (place / ".git", f"gitdir: {own}"),
        ):  # fmt: skip
            file.write_text(f"{text}\n", encoding="utf-8")
        return own

    def _tip(self, task: str) -> str:
        """Where the branch of a lane is, by the file that git keeps it in; empty where it is gone."""
        file = self.git_dir / "refs" / "heads" / "lane" / task
        found = read_own(file, 1000).decode("ascii", "replace").strip()
        words = ("rev-parse", "-q", "--verify", f"refs/heads/lane/{task}")
        return found or self._own(*words, fine=(0, 1)).strip()

    def _keep_index(self, task: str, own: Path, commit: str) -> None:
        """The index of a fresh worktree, put where no worker writes: only what changed is then read again."""
        for old in self.place.glob(f".{task}@*.index"):
            old.unlink()
        try:
            shutil.copy2(own / "index", self._kept_index(task, commit))
        except OSError:  # every file is read instead
            return

    def _kept_index(self, task: str, commit: str) -> Path:
        return self.place / f".{task}@{commit}.index"

    def keep_aside(self, task: str, attempt: int | str) -> str:
        """What lies in a lane's folder as a commit of the user's repository: an attempt that was cut short."""
        try:
            base = self.root_commit()
            without = without_large(self._git, self.folder(task), base, self.most_bytes)
            tree = self._tree(task, base, without)
            commit = self._made.commit(tree, (base,), f"{task}: attempt {attempt}, left")
            self._made.name(commit, f"refs/guild/{self.run}/left/{task}-{attempt}")
        except (InfrastructureError, OSError):  # it is no tree any more; there is nothing to keep
            return ""
        return commit

    def root_commit(self) -> str:
        """A commit that is always there."""
        return git(self.root, "rev-parse", "HEAD").strip()

    def remove(self, task: str) -> bool:
        """Take a worktree away; whether it is gone."""
        remove_folder(self.folder(task))
        return not os.path.lexists(self.folder(task))

    def end(self) -> None:
        """Take the repository away with every worktree, once all of it is merged."""
        self.close()
        remove_folder(self.place)

    def close(self) -> None:
        """Nobody needs it for now."""
        self._made.close()

    def diff(self, task: str, base: str) -> LaneDiff:
        """What the lane's files are, against the commit that it started from."""
        place = self.folder(task)
        if place.is_symlink() or not place.is_dir():
            raise InfrastructureError(f"the worktree of {task} is gone")
        self.open()
        try:
            check_sizes(self._git, place, base, self.most_bytes)
            rows = self._made.changes(base, tree := self._tree(task, base))
            check_names(rows[1::2])
        except RefusedFilesError as wrong:
            return LaneDiff("", {}, refused=wrong.message)
        changed: dict[str, str | None] = {}
        odd, before = [], set()
        for head, path in zip(rows[::2], rows[1::2], strict=False):
            old, mode = head.split()[:2]
            if old != ":000000":
                before.add(path)
            changed[path] = None if mode == "000000" else file_hash(place / path)
            if mode == "160000" or (mode == "120000" and not stays_inside(place, path)):
                odd.append(path)
        return LaneDiff(tree, changed, frozenset(before), tuple(odd))

    def with_earlier(self, task: str, diff: LaneDiff, base: str, tip: str) -> LaneDiff:
        """The same with what the lane had merged before it was sent back: its receipt is of all of it."""
        own = lane_files(self.root, base, tip, self.run).get(task, ())
        whole = self.diff(task, base).changed
        earlier = {path: whole[path] for path in own if path in whole}
        return diff._replace(changed={**earlier, **diff.changed}, again=True)

    def _tree(self, task: str, base: str, without: Sequence[str] = ()) -> str:
        """The tree of the lane's files, made with an index that no worker can reach."""
        index = self.place / f".{task}.index"
        index.unlink(missing_ok=True)
        kept, words = self._kept_index(task, base), ("--work-tree", str(self.folder(task)))
        try:
            if kept.is_file():
                shutil.copy2(kept, index)
            else:
                self._git("read-tree", base, index=index)
            add = (*words, "add", "-A", "--", ".", _NOT_RUNS, *without)
            into = partial(self._git, index=index)
            return take_files(partial(into, *self._no_filters, *add), partial(into, "write-tree"))
        finally:
            index.unlink(missing_ok=True)

    @cached_property
    def _no_filters(self) -> tuple[str, ...]:
        return without_filters(self._git)

    def rewrote_history(self, task: str, base: str) -> str:
        """The tip of a lane's branch that no longer holds its base; empty where nothing was rewritten."""
        tip = self._tip(task)
        if tip in ("", base) or not moved_itself(self.git_dir / "worktrees" / task, tip):
            return ""
        kept = self._own("merge-base", base, tip, fine=(0, 1, 128)).strip()
        return "" if kept == base else tip

    def commit(self, task: str, tree: str, base: str, subject: str) -> str:
        """The lane's commit, which names run and lane."""
        message = f"{subject}\n\n{trailers(self.run, task)}"
        made = self._made.commit(tree, (base,), message)
        self._made.name(made, f"refs/guild/{self.run}/{task}")
        return made

    def named_lanes(self) -> dict[str, str]:
        """The lanes of this run that were accepted, with their commits, by the names they were given."""
        place = f"refs/guild/{self.run}/"
        rows = self._git("for-each-ref", "--format=%(refname) %(objectname)", place).splitlines()
        pairs = (row.removeprefix(place).split(" ") for row in rows)
        return {task: commit for task, commit in pairs if "/" not in task and task != "result"}

    def tip_of(self, *refs: str) -> str:
        """The commit of the first of these names that is there; empty where none is."""
        words = ("rev-parse", "-q", "--verify")
        found = (self._git(*words, f"{ref}^{{commit}}", fine=(0, 1, 128)).strip() for ref in refs)
        return next(filter(None, found), "")

    def own_line(self, start: str) -> OwnLine:
        """The commits of this run behind one, by first parents, each with the lane that it merged."""
        named = (f"%(trailers:key=Guild-{key},valueonly,separator=%x2C)" for key in ("Run", "Lane"))
        form = "%x09".join(("%H", "%P", *named))
        rows: list[tuple[str, str]] = []
        for line in self._git("log", "--first-parent", f"--format={form}", start).splitlines():
            commit, parents, run, lane = line.split("\t")
            if run != self.run:
                return OwnLine(commit, tuple(rows))
            rows.append((commit, lane if " " in parents else ""))
        return OwnLine("", tuple(rows))

    def parent_of(self, commit: str) -> str:
        """The commit that one was made on."""
        return self._git("rev-parse", "-q", "--verify", f"{commit}^1", fine=(0, 1, 128)).strip()

    def replayed(self, commit: str, tip: str) -> str:
        """The tree of a commit's own change on top of another commit; empty where they conflict."""
        return self._made.replayed(self.parent_of(commit), commit, tip)

    def point_branch(self, branch: str, tip: str, base: str) -> str:
        """Move the run's branch to the tip; why not, where somebody else moved it or has it checked out."""
        ref = f"refs/heads/{branch}"
        found = self._git("rev-parse", "-q", "--verify", ref, fine=(0, 1)).strip()
        if found == tip or (not found and tip != base and self.is_merged(tip)):
            return ""
        ours = not found or found == self._pointed
        if not ours and self._git("merge-base", found, tip, fine=(0, 1)).strip() != found:
            return self._kept_result(
                tip, f"{branch} holds commits of somebody else's and is left alone"
            )
        checked_out = self._git("worktree", "list", "--porcelain").splitlines()
        if f"branch {ref}" in checked_out:
            return self._kept_result(tip, f"{branch} is checked out and stays where it is")
        self._git("update-ref", ref, tip, found or "0" * len(base))
        self._pointed = tip
        return ""

    def _kept_result(self, tip: str, why: str) -> str:
        """The result under a name of ours, so that it is not lost; the sentence that tells of it."""
        ref = kept_name(self.run)
        self._git("update-ref", ref, tip)
        return f"{why}: the result is {tip[:12]}, git merge {ref}"

    def is_merged(self, tip: str) -> bool:
        """Whether the user's own branch holds a commit."""
        return self._git("merge-base", self.root_commit(), tip, fine=(0, 1)).strip() == tip

    def joined(self, base: str, parts: Sequence[str]) -> str:
        """A commit with all of these merged into the base; empty where they conflict."""
        tip = base
        for part in parts:
            tip = tip and self.merged(tip, part, f"base of a lane\n\nGuild-Run: {self.run}\n")
        return tip

    def merged(self, tip: str, part: str, message: str, *, always: bool = False) -> str:
        """Both in one commit, without a worktree; empty where they conflict. ``always`` makes a merge commit."""
        shared = "" if always else self._git("merge-base", tip, part, fine=(0, 1)).strip()
        if shared == part:
            return tip  # it holds that already
        if shared == tip:
            return part
        rows = self._merge_tree(tip, part)
        return self._made.commit(rows[0], (tip, part), message) if len(rows) == 1 else ""

    def conflicts(self, one: str, other: str) -> tuple[str, ...]:
        """Where two commits cannot be joined by three ways; nothing is made of it."""
        return tuple(dict.fromkeys(self._merge_tree(one, other)[1:]))

    def _merge_tree(self, one: str, other: str) -> list[str]:
        """The tree of both, and behind it the files that conflict."""
        words = ("merge-tree", "--write-tree", "--name-only", "--no-messages", one, other)
        return self._git(*words, fine=(0, 1)).splitlines()

    def changed(self, base: str, commit: str) -> frozenset[str]:
        """The files in which two commits differ."""
        words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", base, commit)
        return frozenset(filter(None, self._git(*words).split("\0")))

    def between(self, one: str, other: str, most: int = 40_000) -> str:
        """The difference of two commits as a patch, cut at a length."""
        text = self._git("diff", "--no-ext-diff", "--no-textconv", one, other)
        return (
            text if len(text) <= most else f"{text[:most]}\n[{len(text) - most} more characters]\n"
        )

    def _git(self, *words: str, fine: tuple[int, ...] = (0,), index: Path | None = None) -> str:
        """In the user's repository: objects and names of ours, never a branch that is checked out."""
        return git(self.root, *_QUIET, f"--git-dir={self.store}", *words, fine=fine, index=index)

    def _own(self, *words: str, fine: tuple[int, ...] = (0,)) -> str:
        """In the run's own repository."""
        return git(self.place, *_QUIET, f"--git-dir={self.git_dir}", *words, fine=fine)
