"""What a file of C or C++ reaches by its includes, on both sides of a change. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from guildmoot.agents.members.c_trees import C_ENDINGS, INCLUDED
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

_DIRECTIVE = lazy(
    r"(?m)^[ \t]*#[ \t]*(include|if\w*|el\w+|endif|define)\b[ \t]*(?:([<\"])([^>\"\n]+)[>\"]|([^\n]*))"
)
_ELSEWHERE = lazy(r"(?i)win|msc|mingw|apple|sun|bsd|haiku|vms|amiga|cygwin|esp|arduino|mvs|aix")
"""Systems whose own headers say nothing of others."""
_MOST_FILES = 200
_MOST_CANDIDATES = 6


class Include(NamedTuple):
    """One line that includes a file."""

    written: str
    quoted: bool
    conditions: tuple[str, ...]
    """But for the guard of the whole file."""


class Reached(NamedTuple):
    """All that the compiler may see of a file."""

    files: dict[str, str]
    outside: frozenset[str]
    """Files that are not of this repository."""
    sure: frozenset[str]
    """Those of them that are included whatever the build."""


@lru_cache(maxsize=1024)
def includes_of(text: str) -> tuple[Include, ...]:
    found: list[Include] = []
    stack: list[str] = []
    guard, last = "", ""
    for hit in _DIRECTIVE.finditer(text):
        word, rest = hit[1], (hit[4] or "").strip()
        if word == "include" and hit[3]:
            around = tuple(each for each in stack if each != guard or not guard)
            found.append(Include(hit[3].strip(), hit[2] == '"', around))
        elif word == "define" and last and rest.split("(")[0].split(" ")[0] == last and not guard:
            guard = f"ifndef {last}" if len(stack) == 1 else ""
        elif word.startswith("if"):
            stack.append(f"{word} {rest}")
        elif word == "endif" and stack:
            stack.pop()
        elif word.startswith("el") and stack:
            stack[-1] = f"{stack[-1]} {word} {rest}"
        last = rest if word == "ifndef" and not found else ""
    return tuple(found)


class Side:
    """The repository before the change, or after it."""

    def __init__(self, change: ChangedCode, *, after: bool) -> None:
        self._texts = change.after if after else change.before
        self._changed = {*change.before, *change.after}
        self._read = change.text
        names = {p for p in change.files() if p not in self._changed} | self._texts.keys()
        self._places: dict[str, list[str]] = {}
        for name in sorted(names):
            self._places.setdefault(posixpath.basename(name), []).append(name)
        self.reach = cache(self._reach)

    def text(self, path: str) -> str:
        return self._texts.get(path, "") if path in self._changed else self._read(path)

    def _reach(self, path: str) -> Reached | None:
        """None where that is too much to look at."""
        files: dict[str, str] = {}
        outside, sure = set[str](), set[str]()
        waiting = [path]
        while waiting:
            at = waiting.pop()
            if at in files:
                continue
            files[at] = self.text(at)
            if len(files) > _MOST_FILES:
                return None
            for each in includes_of(files[at]):
                places = self._resolve(at, each)
                waiting += places
                if not places or not each.quoted:
                    if not any(map(_ELSEWHERE.search, each.conditions)):
                        outside.add(each.written)
                    sure |= {each.written} if not each.conditions else set()
        return Reached(files, frozenset(outside), frozenset(sure))

    def _resolve(self, path: str, include: Include) -> list[str]:
        """Beside the file, or wherever a build may look."""
        name = posixpath.basename(include.written)
        known = self._places.get(name, [])
        if not known:  # a build makes it of this
            return self._places.get(f"{name}.in", [])[:_MOST_CANDIDATES]
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), include.written))
        if include.quoted and beside in known:
            return [beside]
        tail = "/" + re.sub(r"^(?:\.\.?/)+", "", include.written)
        found = [each for each in known if f"/{each}".endswith(tail)]
        return found if len(found) <= _MOST_CANDIDATES else []


def holders(change: ChangedCode, words: Sequence[str]) -> dict[str, list[str]]:
    """Files of the family that hold each of the words now, by one look."""
    found = (
        change.holders(words) if change.holders else {each: change.users(each) for each in words}
    )
    changed = {*change.before, *change.after}
    return {
        word: [each for each, text in change.after.items() if word in text and _is_part(each)]
        + [each for each in found.get(word, ()) if _is_part(each) and each not in changed]
        for word in words
    }


def is_code(path: str) -> bool:
    return path.endswith(C_ENDINGS)


def _is_part(path: str) -> bool:
    return path.endswith((*C_ENDINGS, *INCLUDED))


def is_header(path: str) -> bool:
    return path.endswith((".h", ".hpp", ".hh"))


def changed_code(change: ChangedCode) -> Iterator[str]:
    """Files of the family that are there on both sides."""
    return (path for path in sorted(change.after) if path in change.before and is_code(path))
