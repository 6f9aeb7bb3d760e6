"""Try suggested patches with real git: do they apply, do two get along, do the files still parse.

Everything happens in a temporary repository that holds only the files a patch touches. No hook, no
configuration of the machine or the user and no symbolic link takes part.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from types import TracebackType

from guildmoot.errors import InfrastructureError
from guildmoot.named import NamedTuple
from guildmoot.system.git import GitError, ScratchGit


class Edit(NamedTuple):
    """Lines of the original that a patch replaces; an insertion has length 0."""

    path: str
    start: int
    length: int


class TriedPatch(NamedTuple):
    """A patch after it was tried on its own."""

    reason: str
    """Why it does not apply; empty when it does."""
    tree: str = ""
    diff: str = ""
    """The same change as git itself would write it."""
    edits: tuple[Edit, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    """Path and new text of each changed file that is still there."""


class PatchSandbox:
    """One temporary repository for many trials on the same files; each patch is applied once."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._known: dict[str, TriedPatch] = {}
        self._written: set[str] = set()
        self._base = ""

    def __enter__(self) -> PatchSandbox:
        self._folder = tempfile.TemporaryDirectory(prefix="guildmoot-patch-")
        self._git = ScratchGit(Path(self._folder.name))
        self._root = self._git.root
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

    def _try(self, patch: str) -> TriedPatch:
        touched = _touched(patch)
        if bad := next((path for path in sorted(touched) if not _is_inside(path)), None):
            return TriedPatch(f"it touches {bad}, which lies outside the work")
        if not touched:
            return TriedPatch("it is not a unified diff: no file is named")
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

    def _apply(self, patch: str) -> TriedPatch:
        strip = "-p1" if re.search(r"^(?:---|\+\+\+) [ab]/", patch, re.MULTILINE) else "-p0"
        text = patch if patch.endswith("\n") else patch + "\n"
        reason = ""
        for more in ((), ("--recount",)):  # judges often count the lines of a hunk wrongly
            self._reset(self._base)
            try:
                self._git.run(
                    "apply", "--index", strip, "--whitespace=nowarn", *more, "-", stdin=text
                )
            except GitError as error:
                reason = reason or str(error)
            else:
                return self._applied()
        return TriedPatch(reason)

    def _applied(self) -> TriedPatch:
        tree = self._must("write-tree").strip()
        diff = self._must("diff", "--full-index", "--no-renames", self._base, tree)
        names = self._must("diff", "--name-only", "--no-renames", "-z", self._base, tree)
        brief = self._must("diff", "-U0", "--no-renames", self._base, tree)
        texts = tuple(
            (name, (self._root / name).read_bytes().decode("utf-8", "surrogateescape"))
            for name in names.split("\0")
            if name and (self._root / name).is_file()
        )
        return TriedPatch("", tree, diff, _edits(brief), texts)

    def _after(self, first: TriedPatch, second: TriedPatch) -> str:
        """The tree with both changes, the second on top of the first; "" when they do not merge."""
        self._reset(first.tree)
        try:
            self._git.run(
                "apply", "--index", "--3way", "--whitespace=nowarn", "-", stdin=second.diff
            )
        except GitError:
            return ""
        return self._must("write-tree").strip()

    def _reset(self, tree: str) -> None:
        self._must("read-tree", "-u", "--reset", tree)

    def _must(self, *words: str) -> str:
        try:
            return self._git.run(*words)
        except GitError as error:
            raise InfrastructureError(
                f"git {words[0]} failed in the temporary repository: {error}",
                "Check that git works here and that the temporary folder has room.",
            ) from error


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
    """Whether two edits change the same lines; edits of neighbouring lines do not clash, unlike in a merge."""
    if a.path != b.path or a.start < 0 or b.start < 0:
        return False
    if not a.length and not b.length:
        return a.start == b.start
    if not a.length:  # git writes an insertion as after line ``start``
        return b.start <= a.start < b.start + b.length - 1
    if not b.length:
        return _touch(b, a)
    return a.start < b.start + b.length and b.start < a.start + a.length


# --- does a text parse as what its name says it is? -----------------------------------------------


def syntax_error(path: str, text: str) -> str:
    """What is wrong with the syntax, or "" when nothing is, or when the kind is not known."""
    check = CHECKS.get(PurePosixPath(path).suffix.lower())
    if check is None:
        return ""
    try:
        return check(text)
    except RecursionError:
        return "it is nested too deeply"


def _python(text: str) -> str:
    import ast

    try:
        ast.parse(text)
    except (SyntaxError, ValueError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        return f"{getattr(error, 'msg', None) or error}" + (f" in line {line}" if line else "")
    return ""


def _json(text: str) -> str:
    try:
        json.loads(text)
    except ValueError as error:
        return str(error)
    return ""


def _toml(text: str) -> str:
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error)
    return ""


def _yaml(text: str) -> str:
    try:
        import yaml
    except ImportError:  # an optional library: what cannot be checked is not wrong
        return ""
    try:
        for _ in yaml.parse(text):
            pass
    except yaml.YAMLError as error:
        return " ".join(str(error).split())
    return ""


def _xml(text: str) -> str:
    if "<!ENTITY" in text:  # entities may grow without bound when expanded
        return ""
    from xml.etree import ElementTree

    try:
        ElementTree.fromstring(text)  # noqa: S314 - entities were ruled out above
    except (ElementTree.ParseError, ValueError) as error:
        return str(error)
    return ""


CHECKS: dict[str, Callable[[str], str]] = {
    ".py": _python,
    ".pyi": _python,
    ".json": _json,
    ".toml": _toml,
    ".yaml": _yaml,
    ".yml": _yaml,
    ".xml": _xml,
    ".svg": _xml,
}
