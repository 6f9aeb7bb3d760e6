"""Try suggested patches with real git: do they apply, do two get along, do the files still parse.

Everything happens in a temporary repository that holds only the files a patch touches. No hook, no
configuration of the machine or the user and no symbolic link takes part.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import NamedTuple

from guildmoot.errors import InfrastructureError

from .syntax import syntax_error

GIT_SECONDS = 20.0

GIT = (
    "git", "-c", "core.symlinks=false", "-c", f"core.hooksPath={os.devnull}",
    "-c", f"core.attributesFile={os.devnull}", "-c", "core.fsmonitor=false",
    "-c", "core.autocrlf=false", "-c", "core.quotePath=false", "-c", "gc.auto=0",
)  # fmt: skip


class Edit(NamedTuple):
    """Lines of the original that a patch replaces; an insertion has length 0."""

    path: str
    start: int
    length: int


class Applied(NamedTuple):
    """A patch after it was tried on its own."""

    reason: str
    """Why it does not apply; empty when it does."""
    tree: str = ""
    diff: str = ""
    """The same change as git itself would write it."""
    edits: tuple[Edit, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    """Path and new text of each changed file that is still there."""


class Bench:
    """One temporary repository for many trials on the same files; each patch is applied once."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._known: dict[str, Applied] = {}
        self._written: set[str] = set()
        self._base = ""

    def __enter__(self) -> Bench:
        self._folder = tempfile.TemporaryDirectory(prefix="guildmoot-patch-")
        self._home = Path(self._folder.name)
        self._root = self._home / "tree"
        self._root.mkdir()
        self._must("init", "-q", "--template=")
        self._base = self._must("write-tree").strip()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._folder.cleanup()

    def applies(self, patch: str) -> tuple[bool, str]:
        """Whether the patch applies on its own, and if not why."""
        tried = self._try(patch)
        return not tried.reason, tried.reason

    def clash(self, a_patch: str, b_patch: str) -> bool | None:
        """True when no order takes both, or the order changes what comes out."""
        self._write(_touched(a_patch) | _touched(b_patch))  # both start from the same files
        a, b = self._try(a_patch), self._try(b_patch)
        if a.reason or b.reason:
            return None
        if not {e.path for e in a.edits} & {e.path for e in b.edits} or a.tree == b.tree:
            return False
        results = {tree for tree in (self._after(a, b), self._after(b, a)) if tree}
        if results:
            return len(results) > 1
        return any(_touch(x, y) for x in a.edits for y in b.edits)

    def still_parses(self, patch: str) -> tuple[bool, str]:
        """Whether the patch leaves every file that it changes in good syntax, and if not why."""
        tried = self._try(patch)
        if tried.reason:
            return False, tried.reason
        for path, text in tried.texts:
            before = self._files.get(path)
            if (before is None or not syntax_error(path, before)) and (
                wrong := syntax_error(path, text)
            ):
                return False, f"{path} no longer parses: {wrong}"
        return True, ""

    def _try(self, patch: str) -> Applied:
        touched = _touched(patch)
        if bad := next((path for path in sorted(touched) if not _is_inside(path)), None):
            return Applied(f"it touches {bad}, which lies outside the work")
        if not touched:
            return Applied("it is not a unified diff: no file is named")
        self._write(touched)
        if patch not in self._known:
            self._known[patch] = self._apply(patch)
        return self._known[patch]

    def _write(self, paths: set[str]) -> None:
        """Put more of the original files into the base; what was tried on a smaller one is void."""
        new = sorted(
            path for path in paths - self._written if path in self._files and _is_inside(path)
        )
        if not new:
            return
        self._reset(self._base)
        for path in new:
            target = self._root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(self._files[path].encode("utf-8", "surrogateescape"))
        self._must("add", "-f", "--", *new)
        self._written.update(new)
        self._base = self._must("write-tree").strip()
        self._known.clear()

    def _apply(self, patch: str) -> Applied:
        strip = "-p1" if re.search(r"^(?:---|\+\+\+) [ab]/", patch, re.MULTILINE) else "-p0"
        text = patch if patch.endswith("\n") else patch + "\n"
        reason = ""
        for more in ((), ("--recount",)):  # judges often count the lines of a hunk wrongly
            self._reset(self._base)
            done = self._git(
                "apply", "--index", strip, "--whitespace=nowarn", *more, "-", stdin=text
            )
            if done.returncode == 0:
                return self._applied()
            reason = reason or _first_line(done.stderr)
        return Applied(reason or "git could not apply it")

    def _applied(self) -> Applied:
        tree = self._must("write-tree").strip()
        diff = self._must("diff", "--full-index", "--no-renames", self._base, tree)
        names = self._must("diff", "--name-only", "--no-renames", "-z", self._base, tree)
        brief = self._must("diff", "-U0", "--no-renames", self._base, tree)
        texts = tuple(
            (name, (self._root / name).read_bytes().decode("utf-8", "surrogateescape"))
            for name in names.split("\0")
            if name and (self._root / name).is_file()
        )
        return Applied("", tree, diff, _edits(brief), texts)

    def _after(self, first: Applied, second: Applied) -> str:
        """The tree with both changes, the second on top of the first; "" when they do not merge."""
        self._reset(first.tree)
        done = self._git(
            "apply", "--index", "--3way", "--whitespace=nowarn", "-", stdin=second.diff
        )
        return self._must("write-tree").strip() if done.returncode == 0 else ""

    def _reset(self, tree: str) -> None:
        self._must("read-tree", "-u", "--reset", tree)

    def _must(self, *words: str) -> str:
        done = self._git(*words)
        if done.returncode:
            raise InfrastructureError(
                f"git {words[0]} failed in the temporary repository: {_first_line(done.stderr)}",
                "Check that git works here and that the temporary folder has room.",
            )
        return done.stdout

    def _git(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                [*GIT, *words], cwd=self._root, env=self._environment(), input=stdin,
                capture_output=True, timeout=GIT_SECONDS, check=False,
                encoding="utf-8", errors="surrogateescape",
            )  # fmt: skip
        except FileNotFoundError as error:
            raise InfrastructureError(
                "git was not found, so patches cannot be tried", "Install git and put it on PATH."
            ) from error
        except subprocess.TimeoutExpired as error:
            late = f"git {words[0]} took longer than {GIT_SECONDS:.0f} s"
            return subprocess.CompletedProcess(error.cmd, 124, "", late)

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self._home),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(self._home),
            "GIT_TERMINAL_PROMPT": "0",
        }


def _first_line(text: str) -> str:
    return next((line.removeprefix("error: ") for line in text.splitlines() if line.strip()), "")


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    odd = path.startswith(("/", "~")) or "\\" in path or re.match(r"[A-Za-z]:", path)
    return bool(parts) and not odd and ".." not in parts and ".git" not in map(str.lower, parts)


def _touched(patch: str) -> set[str]:
    """Every path that the headers of the patch name."""
    found = re.findall(r"^--- (.+)\n\+\+\+ (.+)\n@@", patch, re.MULTILINE)
    found += re.findall(r"^diff --git (a/.+) (b/.+)$", patch, re.MULTILINE)
    moved = re.findall(r"^(?:rename|copy) (?:from|to) (.+)$", patch, re.MULTILINE)
    return {_plain_path(named) for named in (*moved, *(n for pair in found for n in pair))} - {""}


def _plain_path(named: str) -> str:
    path = named.split("\t")[0].strip().strip('"')
    return "" if path == "/dev/null" else re.sub(r"^[ab]/", "", path)


def _edits(brief: str) -> tuple[Edit, ...]:
    """The edits in a diff that git wrote without context."""
    found: list[Edit] = []
    path = ""
    for line in brief.splitlines():
        if named := re.match(r"diff --git a/(.+) b/", line):
            path = named[1]
            found.append(Edit(path, -1, 0))  # also for a change that has no lines
        elif hunk := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            found.append(Edit(path, int(hunk[1]), int(hunk[2] or 1)))
    return tuple(found)


def _touch(a: Edit, b: Edit) -> bool:
    """Whether two edits change the same lines; neighbours are left in peace, unlike by a merge."""
    if a.path != b.path or a.start < 0 or b.start < 0:
        return False
    if not a.length and not b.length:
        return a.start == b.start
    if not a.length:  # git writes an insertion as after line ``start``
        return b.start <= a.start < b.start + b.length - 1
    if not b.length:
        return _touch(b, a)
    return a.start < b.start + b.length and b.start < a.start + a.length
