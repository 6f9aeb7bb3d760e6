"""A clone of its own in which batches are changed and verified: the user's checkout is never red.

What is proven there is committed there, and the phase's branch in the checkout moves forward to it. Whatever a
command does to the clone's branches, settings or ``.git``, the user's repository has none of it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.system.files import keep_out_of_git

_TAIL = 4000


class CommandResult(NamedTuple):
    """How a command of the user's ended."""

    command: str
    code: int | None
    """None when its time was up."""
    seconds: float
    output: str
    """The last of what it printed."""

    @property
    def passed(self) -> bool:
        return self.code == 0


class Workshop:
    """One loop's clone."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        own = root / ".guild"
        own.mkdir(exist_ok=True)
        keep_out_of_git(own)
        self.folder = own / "loops" / name
        self.base = ""

    def open(self) -> None:
        """A clean tree at the checkout's commit."""
        self.base = git(self.root, "rev-parse", "HEAD").strip()
        self.close()
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        words = (
            "clone",
            "-q",
            "--local",
            "--no-checkout",
            "--no-tags",
            "-c",
            "core.hooksPath=/dev/null",
        )
        git(self.root, *words, str(self.root), str(self.folder))
        for name in ("user.name", "user.email"):
            value = git(self.root, "config", name, fine=(0, 1)).strip()
            if value:
                git(self.folder, "config", name, value)
        git(self.folder, "checkout", "-q", "--detach", self.base)
        self._link_ignored()

    def close(self) -> None:
        """Take the clone away, whatever became of it."""
        if self.folder.exists():
            shutil.rmtree(self.folder, ignore_errors=True)

    def _link_ignored(self) -> None:
        """Folders that git ignores (environments, packages) are there for the verification, as links."""
        listed = git(
            self.root,
            "ls-files",
            "--others",
            "--ignored",
            "--exclude-standard",
            "--directory",
            "-z",
        )
        for name in filter(None, listed.split("\0")):
            plain = name.rstrip("/")
            if "/" in plain or plain == ".guild" or not (self.root / plain).is_dir():
                continue
            if not (self.folder / plain).exists():
                (self.folder / plain).symlink_to(self.root / plain)

    def is_whole(self) -> bool:
        """Whether it is still the clone that was made, at the commit where it was."""
        if not (self.folder / ".git" / "HEAD").is_file():
            return False
        return git(self.folder, "rev-parse", "HEAD", fine=(0, 128)).strip() == self.base

    def reset(self) -> None:
        """Exactly the tree of the base again."""
        if not self.is_whole():
            self.open()
            return
        git(self.folder, "reset", "-q", "--hard", self.base)
        git(self.folder, "clean", "-q", "-ffdx")
        self._link_ignored()

    def changed(self) -> list[str]:
        """Every path that differs from the base: changed, new or gone."""
        out = git(
            self.folder, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"
        )
        return sorted(
            {row[3:] for row in out.split("\0") if row and not self._is_link_of_ours(row[3:])}
        )

    def _is_link_of_ours(self, path: str) -> bool:
        place = self.folder / path
        return place.is_symlink() and os.readlink(place) == str(self.root / path)

    def links_out(self, paths: Sequence[str]) -> list[str]:
        """Links among the paths that lead out of the tree."""
        here = os.path.realpath(self.folder)
        found = []
        for path in paths:
            place = self.folder / path
            if place.is_symlink() and not os.path.realpath(place).startswith(here + os.sep):
                found.append(path)
        return found

    def keep(self, paths: Sequence[str]) -> dict[str, bytes | None]:
        """What the paths hold now; None for one that is gone."""
        held: dict[str, bytes | None] = {}
        for path in paths:
            place = self.folder / path
            held[path] = place.read_bytes() if place.is_file() else None
        return held

    def put(self, held: dict[str, bytes | None]) -> None:
        """The base with these contents in place."""
        self.reset()
        for path, data in held.items():
            place = self.folder / path
            if data is None:
                place.unlink(missing_ok=True)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)

    def run(self, command: str, timeout: float, files: Sequence[str] = ()) -> CommandResult:
        """One command of the user's in the clone, with everything that it starts ended with it."""
        import shlex
        import signal

        words = command.replace("{files}", " ".join(map(shlex.quote, files)))
        started = time.monotonic()
        process = subprocess.Popen(
            ["/bin/sh", "-c", words],  # the user's own command, as in a Makefile
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "GUILD_LOOP": "1"},
        )
        try:
            output, _ = process.communicate(timeout=timeout)
            code: int | None = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            code = None
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        text = output.decode("utf-8", "replace")[-_TAIL:]
        return CommandResult(command, code, round(time.monotonic() - started, 3), text)

    def commit(self, message: str, paths: Sequence[str]) -> str:
        """Commit these paths alone; the commit."""
        git(self.folder, "add", "-A", "--", *paths)
        git(
            self.folder,
            "-c",
            "core.hooksPath=/dev/null",
            "commit",
            "-q",
            "--no-verify",
            "-m",
            message,
        )
        return git(self.folder, "rev-parse", "HEAD").strip()

    def land(self, commit: str) -> None:
        """Move the checkout's branch forward to a commit that is proven."""
        git(
            self.root, "fetch", "-q", "--no-tags", "--no-write-fetch-head", str(self.folder), commit
        )
        git(self.root, "-c", "core.hooksPath=/dev/null", "merge", "-q", "--ff-only", commit)
        self.base = commit


def git(folder: Path, *words: str, fine: tuple[int, ...] = (0,)) -> str:
    """What git prints; InfrastructureError with its reason when it fails."""
    environment = {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    done = subprocess.run(
        ["git", "-c", "core.quotepath=off", *words],
        cwd=folder, capture_output=True, text=True, errors="surrogateescape", env=environment,
        timeout=300, check=False,
    )  # fmt: skip
    if done.returncode not in fine:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise InfrastructureError(
            f"git {words[0]} failed: {lines[-1] if lines else done.returncode}"
        )
    return done.stdout


def check_clean(root: Path) -> None:
    """UsageError when the checkout holds work that is not committed."""
    dirty = git(root, "status", "--porcelain", "--untracked-files=normal").splitlines()
    if dirty:
        names = ", ".join(row[3:] for row in dirty[:5])
        raise UsageError(
            f"the working tree is not clean: {names}", "Commit or stash it; nothing was changed."
        )
