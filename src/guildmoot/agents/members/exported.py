"""Exports of scripts that a change takes away while another file imports them by a relative path. Pure.

A file may take on what others export (``export * from``): these are followed, as far as they lie in the repository.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.references.import_paths import meant_path
from guildmoot.text.patterns import lazy

SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_EXPORT = lazy(
    r"(?m)^export\s+(?:declare\s+)?(?:default\s+)?(?:abstract\s+)?(?:async\s+)?"
    r"(?:function\*?|const|let|var|class|interface|type|enum|namespace)\s+([A-Za-z_$][\w$]*)"
)
_EXPORT_LIST = lazy(r"(?m)^export\s*(?:type\s*)?\{([^}]*)\}")
_TAKES_ALL = lazy(
    r"(?m)^export\s*(?:type\s*)?\*\s*(?:as\s+([\w$]+)\s*)?from\s*[\"']([^\"'\n]+)[\"']"
)
_OPAQUE = lazy(r"module\.exports|\bexports\.|(?m:^export\s*(?:=|import\b))")
"""What gives a module exports that nobody can list."""
_IMPORT_LIST = (
    r"(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*[\"']([^\"'\n]+)[\"']"
)
_MORE = lazy(
    r"(?ms)^export\s+(?:declare\s+)?(?:const|let|var)\s*([\[{].*?[\]}])\s*(?::[^=\n]*)?="
    r"|^export\s+(?:declare\s+)?(?:const\s+enum\s+|(?:const|let|var)\s)([^;\n]*)"
)
"""What takes values apart, declares several names, or an enumeration."""
_WORD, _LISTED = lazy(r"[A-Za-z_$][\w$]*"), lazy(r"(?:^|,)\s*([A-Za-z_$][\w$]*)")
_ENDING = lazy(r"(?:\.d)?\.[cm]?[jt]sx?$")
_MOST_USERS, _MOST_NAMES, _MOST_MODULES = 40, 200, 60

Exports = Callable[[str], frozenset[str] | None]
"""What a module exports, by its path without an ending; None where nobody can say."""


def gone_script_exports(change: ChangedCode) -> Iterator[tuple[str, str, str, int]]:
    """Each name with the file that had it, and where another one imports it."""
    then, now = _side(change, change.before), _side(change, change.after)

    def read(other: str) -> str:
        changed = other in change.before or other in change.after
        return change.after.get(other, "") if changed else change.text(other)

    for path in sorted(each for each in change.before if each.endswith(SCRIPTS)):
        gone = _lost(path, change, then, now)
        for name in sorted(gone)[:_MOST_NAMES]:
            for user in change.users(name)[:_MOST_USERS]:
                text = change.after.get(user) or (
                    "" if user in change.before else change.text(user)
                )
                if line := _importing(user, text, name, (path, read), then, now):
                    yield name, path, user, line
                    break


def _lost(path: str, change: ChangedCode, then: Exports, now: Exports) -> set[str]:
    """What a file exported and surely does not any more; one that is gone leaves its module without all of it."""
    module = _module(path)
    files = [each for each in _files(module) if change.after.get(each) or _is_kept(each, change)]
    left = now(module) if files else frozenset[str]()
    had = then(module) or _exports(change.before[path])
    return set(had - left) if left is not None else set()


def _is_kept(path: str, change: ChangedCode) -> bool:
    return path not in change.before and bool(change.text(path))


def _side(change: ChangedCode, side: Mapping[str, str]) -> Exports:
    """The modules of one side of a change."""

    def read(path: str) -> str:
        changed = path in change.before or path in change.after
        return side.get(path, "") if changed else change.text(path)

    return cache(lambda module: _all_exports(module, read, set()))


def _all_exports(module: str, read: Callable[[str], str], seen: set[str]) -> frozenset[str] | None:
    if module in seen:
        return frozenset()
    seen.add(module)
    texts = {path: text for path in _files(module) if (text := read(path))}
    if not texts or len(seen) > _MOST_MODULES or any(map(_OPAQUE.search, texts.values())):
        return None
    found = set[str]()
    for path, text in texts.items():
        found |= _exports(text)
        for _, target in (each for each in _TAKES_ALL.findall(text) if not each[0]):
            more = _all_exports(_meant(path, target), read, seen) if target[0] == "." else None
            if more is None:
                return None
            found |= more
    return frozenset(found)


def _module(path: str) -> str:
    """What the files share that the same import leads to: another ending, or a folder of its own."""
    bare = _ENDING.sub("", path)
    return "." if bare == "index" else bare.removesuffix("/index")


def _meant(path: str, written: str) -> str:
    return _module(posixpath.normpath(posixpath.join(posixpath.dirname(path), written)))


def _files(module: str) -> list[str]:
    stems = ("index",) if module == "." else (module, f"{module}/index")
    return [f"{stem}{end}" for stem in stems for end in (*SCRIPTS, ".d.ts")]


def _exports(text: str) -> frozenset[str]:
    """What a file exports by its own words."""
    listed = (
        part.split(" as ")[-1].strip().removeprefix("type ").strip()
        for group in _EXPORT_LIST.findall(text)
        for part in group.split(",")
    )
    found = {*_EXPORT.findall(text), *listed, *(name for name, _ in _TAKES_ALL.findall(text))}
    for apart, declared in _MORE.findall(text):
        found.update(_WORD.findall(apart), _LISTED.findall(declared))
    return frozenset(found - {"", "default"})


def _importing(
    user: str,
    text: str,
    name: str,
    of: tuple[str, Callable[[str], str]],
    then: Exports,
    now: Exports,
) -> int:
    """The line on which a file takes the name from that path, or from one that took it on; 0 when it does not."""
    path, read = of
    if not user.endswith(SCRIPTS) or user == path:
        return 0
    for found in re.finditer(_IMPORT_LIST, text):
        names = {
            part.strip().removeprefix("type ").split(" as ")[0].strip()
            for part in found[1].split(",")
        }
        whole = meant_path(user, found[2], read) if name in names else ""
        if not whole:
            continue
        module = _module(whole)
        if module == _module(path) or _is_lost(name, then(module), now(module)):
            return text[: found.start()].count("\n") + 1
    return 0


def _is_lost(name: str, then: frozenset[str] | None, now: frozenset[str] | None) -> bool:
    return then is not None and now is not None and name in then and name not in now
