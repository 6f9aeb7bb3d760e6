"""From the words of the user to rules that say which paths are meant.

A rule works on any list of paths: the working tree's, or those that a diff changes.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from guildmoot.errors import TargetError
from guildmoot.named import NamedTuple
from guildmoot.text.globs import is_glob, matches
from guildmoot.text.patterns import lazy

_NEAR = 0.8  # less is another name, and no slip of the hand
_REVISION = lazy(r"\.\.|^(?:HEAD|@)(?:[~^]|$)|[~^]\d*$|^[0-9a-f]{7,40}$")
_RELATIVE = "Paths are relative to where you are; a branch, a commit or a range goes behind --diff."
_MOST_NAMES = 20_000  # comparing more takes longer than the hint is worth


class Rule(NamedTuple):
    """What one word of the user covers."""

    word: str
    base: str
    """A file or folder, relative to the root; empty is the root itself."""
    pattern: str = ""
    """For a glob: what the rest of the path below ``base`` must match."""
    is_file: bool = False

    def covers(self, path: str) -> bool:
        """Whether the path is what the word means, or lies below it."""
        if path == self.base:
            return not self.pattern
        prefix = f"{self.base}/" if self.base else ""
        if self.is_file or not path.startswith(prefix):
            return False
        return not self.pattern or matches(path[len(prefix) :], (self.pattern,))


class Pick(NamedTuple):
    """Why a path is in: named as a file, or found below a folder that was named."""

    named: bool
    base: str


def make_rules(words: Sequence[str], cwd: Path, root: Path, known: Collection[str]) -> list[Rule]:
    """One rule a word; TargetError for a word that means nothing here.

    ``known`` are paths that count as existing though they may be gone from the disk.
    """
    return [_rule(word, os.path.realpath(cwd), os.path.realpath(root), known) for word in words]


def pick(paths: Iterable[str], rules: Sequence[Rule]) -> dict[str, Pick]:
    """The paths that a rule covers, sorted; without rules, all of them."""
    picked: dict[str, Pick] = {}
    for path in sorted(paths):
        covering = [rule for rule in rules if rule.covers(path)]
        if covering:
            named = any(rule.is_file for rule in covering)
            picked[path] = Pick(named, max((rule.base for rule in covering), key=len))
        elif not rules:
            picked[path] = Pick(named=False, base="")
    return picked


def _rule(word: str, cwd: str, root: str, known: Collection[str]) -> Rule:
    if not word:
        raise TargetError("A target is empty.", "Name a file, a folder or a glob.")
    full = os.path.join(cwd, word)
    if os.path.lexists(full):
        path = _inside(word, _physical(full), root)
        return Rule(
            word, path, is_file=not os.path.isdir(os.path.join(root, path)) or _is_link(root, path)
        )
    if is_glob(word):
        return _glob(word, cwd, root)
    path = _inside(word, os.path.normpath(full), root)
    if path in known:
        return Rule(word, path, is_file=True)
    if any(other.startswith(f"{path}/") for other in known):
        return Rule(word, path)
    if _REVISION.search(word):
        hint = f"Commits are judged with --diff: guild validate --diff {word}"
        raise TargetError(f"There is no file {word!r} here.", hint)
    raise TargetError(f"There is no {word!r} here.", _nearest(path, known))


def _physical(full: str) -> str:
    """The path with links resolved, except one at its very end: that is itself what was named."""
    trimmed = full.rstrip("/") or "/"
    if os.path.islink(trimmed):
        return os.path.join(os.path.realpath(os.path.dirname(trimmed)), os.path.basename(trimmed))
    return os.path.realpath(full)


def _is_link(root: str, path: str) -> bool:
    return os.path.islink(os.path.join(root, path))


def _inside(word: str, full: str, root: str) -> str:
    """The path relative to the root."""
    if full == root:
        return ""
    prefix = root.rstrip("/") + "/"
    if not full.startswith(prefix):
        raise TargetError(
            f"{word!r} lies outside the repository {root}.",
            "Judge it from its own repository, or pass it as --spec or on standard input.",
        )
    return full[len(prefix) :]


def _glob(word: str, cwd: str, root: str) -> Rule:
    """The folders before the first wildcard are the base, the rest is the pattern."""
    parts = word.split("/")
    first = next(i for i, part in enumerate(parts) if is_glob(part))
    folder = "/".join(parts[:first]) or ("/" if word.startswith("/") else "")
    base = _inside(word, os.path.realpath(os.path.join(cwd, folder)), root)
    rest = "/".join(parts[first:])
    # Below a folder that was written out the pattern is anchored; a lone *.py matches at any depth.
    return Rule(word, base, f"/{rest}" if folder and "/" not in rest else rest)


def _nearest(path: str, known: Collection[str]) -> str:
    import difflib  # for mistakes only

    folders = {folder for name in known for folder in _folders(name)}
    names = sorted({*known, *folders})
    near = difflib.get_close_matches(path, names[:_MOST_NAMES], n=1, cutoff=_NEAR)
    if not near:
        by_name = {name.rpartition("/")[2]: name for name in reversed(names)}
        close = difflib.get_close_matches(path.rpartition("/")[2], by_name, n=1, cutoff=_NEAR)
        near = [by_name[name] for name in close]
    return f"Did you mean {near[0]!r}?" if near else _RELATIVE


def _folders(path: str) -> Iterable[str]:
    return (path[:i] for i, char in enumerate(path) if char == "/")
