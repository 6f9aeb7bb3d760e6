"""A clone of its own in which batches are changed and verified: the user's checkout is never red.

What is proven there is committed there, and the phase's branch in the checkout moves forward to it. Whatever a
command does to the clone's branches, settings or ``.git``, the user's repository has none of it: they share no file,
and no link in the clone leads out of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import stat
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from guildmoot.errors import InfrastructureError, Interrupted
from guildmoot.guard.secrets import mask
from guildmoot.loops.copies import check_copies, check_same, copy_in, hide_copies, leads_to
from guildmoot.loops.kept import KeptRepository, KeptSettings
from guildmoot.loops.values import CommandResult, Held, HeldFile, LoopStop
from guildmoot.runs.record import COMMITTED
from guildmoot.system import fence
from guildmoot.system.environment import git_environment, stay_in
from guildmoot.system.files import (
    check_own_folder,
    folder_inside,
    keep_out_of_git,
    linked_part,
    place_inside,
    write_atomic,
)
from guildmoot.system.process import run_process
from guildmoot.system.removal import remove_folder
from guildmoot.system.uncommitted import uncommitted
from guildmoot.text.clean import clean

_TAIL = 4000
_LOG = 400_000
"""Bytes of what a command prints that are kept."""
QUIET = ("-c", "core.hooksPath=/dev/null")


def own_folder(root: Path) -> Path:
    """Where loops keep what is theirs; UsageError when a link of the repository's lies there."""
    place_inside(root, ".guild")
    check_own_folder(root, os.path.join(".guild", "loops"))
    folder = folder_inside(root, Path(".guild") / "loops")
    keep_out_of_git(root / ".guild", COMMITTED)
    return folder


class Workshop:
    """One clone of a loop's."""

    def __init__(
        self, root: Path, name: str, stopped: threading.Event | None = None,
        copies: Sequence[str] = (), kept: KeptRepository | None = None,
    ) -> None:  # fmt: skip
        self.root = root
        self._copies = copies
        """What git ignores and the verification needs; see ``copies``."""
        self._links_out: list[str] = []
        own = own_folder(root)
        self._name = name
        self.folder = own / name
        self._kept = kept or _kept_of(root, own)
        self.base = ""
        self._stopped = stopped or threading.Event()
        self.shut = False
        """Commands may not write to the clone's own ``.git`` either."""

    def beside(self, name: str) -> Workshop:
        """Another clone of the same repository."""
        return Workshop(self.root, name, self._stopped, self._copies, self._kept)

    def open(self, commit: str = "") -> None:
        """A clean tree at a commit; the checkout's, or the last one that landed."""
        self.base = commit or self.base or git(self.root, "rev-parse", "HEAD").strip()
        self.close()
        self._kept.begin()
        words = ("clone", "-q", "--no-hardlinks", "--no-checkout", "--template=", *QUIET)
        git(self.root, *words, str(self.root), str(self.folder))
        git(self.folder, "remote", "remove", "origin")
        for name in ("user.name", "user.email"):
            value = git(self.root, "config", name, fine=(0, 1)).strip()
            if value:
                git(self.folder, "config", name, value)
        git(self.folder, *QUIET, "checkout", "-q", "--detach", self.base)
        hide_copies(self.folder, self._copies)
        self._links_out = [path for path in self.odd_ones() if self._leads_out(path)]
        self._furnish()

    def close(self) -> None:
        """Take the clone away, whatever became of it."""
        remove_folder(self.folder)

    def end(self) -> None:
        """Take it away, with what was kept of the repository while commands were at work."""
        self.close()
        self._kept.forget()

    def _furnish(self) -> None:
        """Tracked links that lead out are not there, and what the verification needs is, as a copy."""
        if self._links_out:
            git(self.folder, "update-index", "--skip-worktree", "--", *self._links_out)
            for path in self._links_out:
                (self.folder / path).unlink(missing_ok=True)
        if not self.fence():
            check_same(self.root, self._copies, self._kept.stamps)
        copy_in(self.root, self.folder, self._copies)

    def odd_ones(self) -> list[str]:
        """Tracked paths that are no plain files: links, and other repositories."""
        rows = git(self.folder, "ls-files", "-s", "-z").split("\0")
        return [row.partition("\t")[2] for row in rows if row and not row.startswith("100")]

    def _leads_out(self, path: str) -> bool:
        place = self.folder / path
        inside = leads_to(place, self.folder) and not leads_to(place, self.folder / ".git")
        return place.is_symlink() and not inside

    def is_whole(self) -> bool:
        """Whether it is still the clone that was made, at the commit where it was."""
        place = self.folder / ".git"
        if place.is_symlink() or not (place / "HEAD").is_file():
            return False
        return git(self.folder, "rev-parse", "HEAD", fine=(0, 128)).strip() == self.base

    def reset(self) -> None:
        """Exactly the tree of the base again."""
        if not self.is_whole():
            self.open()
            return
        git(self.folder, *QUIET, "reset", "-q", "--hard", self.base)
        git(self.folder, "clean", "-q", "-ffdx")
        self._furnish()

    def move(self, commit: str) -> None:
        """To a commit that landed meanwhile."""
        if commit != self.base:
            self.open(commit)

    def changed(self) -> list[str]:
        """Every path that differs from the base: changed, new or gone."""
        words = ("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
        rows = git(self.folder, *words).split("\0")
        return sorted({row[3:] for row in rows if row})

    def not_plain(self, paths: Sequence[str]) -> list[str]:
        """Those that are links, pipes or devices, or that lie behind a link."""
        return [
            path
            for path in paths
            if linked_part(self.folder, path) or not _plain_or_gone(self.folder / path)
        ]

    def keep(self, paths: Sequence[str]) -> Held:
        """What the paths hold now; None for one that is gone. No link is followed, no pipe opened."""
        held: Held = {}
        for path in paths:
            if self.not_plain([path]):
                raise LoopStop("gated", f"{path} is no plain file", "take it away")
            place = self.folder / path
            there = os.path.lexists(place)
            held[path] = HeldFile(_read(place), os.access(place, os.X_OK)) if there else None
        return held

    def put(self, held: Held) -> None:
        """The base with these contents in place."""
        self.reset()
        for path, file in held.items():
            place = self.folder / path
            place.unlink(missing_ok=True)
            if file is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.data)
                place.chmod(0o755 if file.executable else 0o644)

    def run(
        self, command: str, timeout: float, files: Sequence[str] = (), **more: str
    ) -> CommandResult:
        """One command of the user's in the clone, with everything that it starts ended with it."""
        self.check_stopped()
        words = ["/bin/sh", "-c", command.replace("{files}", " ".join(map(shlex.quote, files)))]
        words = fence.behind(self.fence(), words)
        env = {**os.environ, "GUILD_LOOP": "1", **stay_in(self.folder), **more}
        with self.lent():
            done = asyncio.run(
                run_process(
                    words,  # the user's own command, as in a Makefile
                    cwd=str(self.folder), env=env, timeout=timeout,
                    max_output=_LOG, joined=True, both_ends=True,
                )
            )  # fmt: skip
        self.check_stopped()
        self.check_repository()
        if done.status in ("missing", "unstartable"):
            raise InfrastructureError(f"the shell could not be started: {done.error}")
        printed = done.stdout.decode("utf-8", "replace").replace(f"{self.folder}{os.sep}", "")
        text = mask(clean(printed), "output")[0]
        code = None if done.status == "timeout" else done.exit_code
        return CommandResult(command, code, round(done.seconds, 3), text[-_TAIL:], text)

    def fence(self, *, client: bool = False) -> tuple[str, ...]:
        """What commands and agents may not write to, and where they may; see ``system.fence``."""
        return self._kept.fence(self.folder, shut=self.shut, client=client)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """The clone in the hands of others: they may change files; what steers git is put back after them."""
        settings = KeptSettings(self.folder / ".git")
        try:
            yield
        finally:
            settings.put_back()

    def keep_log(self, item: str, text: str) -> str:
        """All that a command printed when it failed for an item, beside the loop's other files; where."""
        name = re.sub(r"[^\w.-]+", "-", item)[-120:]
        place = own_folder(self.root) / "logs" / self._name / f"{name}.log"
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(place, text.encode("utf-8", "replace"))
        return str(place.relative_to(self.root))

    def check_stopped(self) -> None:
        """Interrupted when the user said so meanwhile."""
        if self._stopped.is_set():
            raise Interrupted("the loop was stopped", "The same command goes on from there.")

    def check_repository(self) -> None:
        """LoopStop when whoever worked in the clone damaged the user's own repository; it is put back."""
        if self._kept.put_back():
            raise LoopStop(
                "escalated", "a command or an agent damaged the repository's own .git; it was put back as it was,"
                " and nothing of that unit was taken",
                "look at what was run before you run it again", gate=True,
            )  # fmt: skip
        if moved := self._kept.moved() or self._hidden():
            raise LoopStop(
                "escalated", f"the repository itself changed while a command ran in its clone: {'; '.join(moved[:5])}."
                " It writes there by an absolute path, or somebody else did; nothing of that unit was taken",
                "look at what was run; 'git branch NAME COMMIT' brings a lost commit back", gate=True,
            )  # fmt: skip

    def _hidden(self) -> list[str]:
        """Files of the checkout that git was told meanwhile to take no notice of."""
        before = self._kept.index_before()
        new = _unseen(self.root) - _unseen(self.root, before) if before else set()
        undo = "git update-index --no-skip-worktree --no-assume-unchanged"
        return [f"git takes no notice of {path} any more ({undo} {path})" for path in sorted(new)]

    def tree(self, paths: Sequence[str]) -> str:
        """The hash of the tree as it would be with these paths."""
        self.stage(paths)
        return git(self.folder, "write-tree").strip()

    def commit(self, message: str, paths: Sequence[str]) -> str:
        """Commit these paths alone, on top of the base; the commit, which is the base from now on."""
        self.stage(paths)
        git(self.folder, *QUIET, "commit", "-q", "--no-verify", "-m", message)
        self.base = git(self.folder, "rev-parse", "HEAD").strip()
        return self.base

    def stage(self, paths: Sequence[str]) -> None:
        """These paths as they are now; one that is gone may have been staged before."""
        gone = [path for path in paths if not os.path.lexists(self.folder / path)]
        there = [path for path in paths if path not in gone]
        if there:
            git(self.folder, "add", "-A", "--", *there)
        if gone:
            git(self.folder, "rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", *gone)

    def land(self, commit: str, branch: str) -> None:
        """Move the checkout's branch forward to a commit that is proven; all of it, or none."""
        check_clean(self.root)
        here = git(self.root, "branch", "--show-current").strip()
        if here != branch:
            raise LoopStop(
                "gated", f"the checkout is on {here or 'no branch'}, no longer on {branch}",
                f"git checkout {branch}, then run the loop again",
            )  # fmt: skip
        words = ("fetch", "-q", "--no-tags", "--no-write-fetch-head", str(self.folder), commit)
        git(self.root, *words)
        journal = journal_of(self.root)
        head = git(self.root, "rev-parse", "HEAD").strip()
        if git(self.root, "merge-base", head, commit, fine=(0, 1)).strip() != head:
            raise LoopStop(
                "gated", f"commits came to {branch} while the loop was at work",
                "look at them, then run the loop again: it starts from there",
            )  # fmt: skip
        write_atomic(journal, json.dumps({"from": head, "to": commit, "branch": branch}).encode())
        git(self.root, *QUIET, "merge", "-q", "--ff-only", commit)
        journal.unlink(missing_ok=True)
        self.keep_repository()

    def keep_repository(self) -> None:
        """The loop itself changed the user's repository: as it is now, it is theirs."""
        self._kept.keep()


def _kept_of(root: Path, own: Path) -> KeptRepository:
    words = ("rev-parse", "--path-format=absolute", "--git-common-dir")
    return KeptRepository(Path(git(root, *words).strip()), own / "repository.kept", root / ".git")


def _read(place: Path) -> bytes:
    with open(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as stream:
        return stream.read()


def _plain_or_gone(place: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(place).st_mode)
    except FileNotFoundError:
        return True


def _unseen(root: Path, index: Path | None = None) -> set[str]:
    """Tracked files whose changes git was told to overlook."""
    rows = git(root, "ls-files", "-v", "-z", index=index).split("\0")
    return {row[2:] for row in rows if row[:1] == "S" or row[:1].islower()}


def journal_of(root: Path) -> Path:
    """Where a landing is noted while it is under way."""
    return root / ".guild" / "loops" / "landing.json"


def git(
    folder: Path, *words: str, fine: tuple[int, ...] = (0,), index: Path | None = None, objects: str = ""
) -> str:  # fmt: skip
    """What git prints; InfrastructureError with its reason when it fails.

    ``index`` is a private one; ``objects`` another store than the repository's, in which others may write.
    """
    environment = git_environment(folder) | ({"GIT_OBJECT_DIRECTORY": objects} if objects else {})
    if index:
        environment["GIT_INDEX_FILE"] = str(index)
    done = subprocess.run(
        ["git", *_STEADY, *words],
        cwd=folder, capture_output=True, text=True, errors="surrogateescape", env=environment,
        timeout=300, check=False,
    )  # fmt: skip
    if done.returncode not in fine:
        lines = (done.stderr or done.stdout).strip().splitlines() or [str(done.returncode)]
        verb = next((word for word in words if not word.startswith("-") and "=" not in word), "")
        told = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1])
        raise InfrastructureError(f"git {verb} failed: {told}")
    return done.stdout


_STEADY = ("-c", "core.quotepath=off", "-c", "core.fsmonitor=false",
           "-c", "core.trustctime=true", "-c", "core.checkStat=default")  # fmt: skip
"""Git looks at the files themselves, by what no command can forge."""


def copies_of(root: Path, names: Sequence[str]) -> tuple[str, ...]:
    """What ``--with`` names, looked at before anything is copied."""
    tracked = git(root, "ls-files", "-z").split("\0") if names else ()
    return check_copies(root, names, tracked)


def tip_of(root: Path, branch: str) -> str:
    """The commit that a branch is at, here or where it was pushed to; empty when there is none of that name."""
    for ref in (f"refs/heads/{branch}", f"refs/remotes/origin/{branch}"):
        words = ("rev-parse", "-q", "--verify", f"{ref}^{{commit}}")
        if tip := git(root, *words, fine=(0, 1, 128)).strip():
            return tip
    return ""


def dirty_paths(root: Path) -> list[str]:
    """What in the checkout is not committed."""
    return uncommitted(root)


def check_clean(root: Path) -> None:
    """LoopStop when the checkout holds work that is not committed: it is never touched."""
    dirty = dirty_paths(root)
    if dirty:
        raise LoopStop(
            "gated", f"the working tree is not clean: {', '.join(dirty[:5])}",
            "commit or stash it; nothing of it was touched",
        )  # fmt: skip
