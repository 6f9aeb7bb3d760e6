"""Which file of the repository a script means by an import: a relative path, an alias, or a package beside it. Pure.

Aliases stand in the nearest ``tsconfig.json`` or ``jsconfig.json`` (``paths``, ``baseUrl``), packages in the folders
that the ``workspaces`` of a ``package.json`` above, or ``pnpm-workspace.yaml``, name.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from guildmoot.text.patterns import lazy

Read = Callable[[str], str]
_ASIDE = lazy(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA = lazy(r",(\s*[}\]])")
_PNPM = lazy(r"(?m)^\s*-\s*[\"']?([^\s\"'#!]+)")
_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
_CONDITIONS = ("source", "types", "import", "module", "require", "default")
_FIELDS = ("source", "types", "typings", "module", "main")
_BUILT = lazy(r"^(?:dist|lib|build|out|esm|cjs)(?:/(?:esm|cjs|types))?/")
_MOST_EXTENDED = 4


def meant_path(user: str, written: str, read: Read) -> str:
    """The path, perhaps without an ending; empty where it is of no file here."""
    if written.startswith("."):
        return posixpath.normpath(posixpath.join(posixpath.dirname(user), written))
    for each in (*_by_alias(user, written, read), *_by_package(user, written, read)):
        if _lies(each, read):
            return each
    return ""


def _lies(path: str, read: Read) -> bool:
    stems = (path, f"{path}/index")
    if path.endswith(_ENDINGS) and read(path):
        return True
    return any(read(f"{stem}{ending}") for stem in stems for ending in _ENDINGS)


def _above(path: str) -> Iterator[str]:
    """The folders around a file, from the nearest."""
    folder = posixpath.dirname(path)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _by_alias(user: str, written: str, read: Read) -> Iterator[str]:
    for folder in _above(user):
        for name in ("tsconfig.json", "jsconfig.json"):
            place = posixpath.join(folder, name)
            if not read(place):
                continue
            base, paths = _options(place, read, _MOST_EXTENDED)
            for pattern, targets in paths.items():
                head, star, tail = pattern.partition("*")
                fits = (
                    written.startswith(head) and written.endswith(tail)
                    if star
                    else written == pattern
                )
                inner = written[len(head) : len(written) - len(tail)] if star else ""
                for target in targets if fits else ():
                    yield posixpath.normpath(target.replace("*", inner))
            if base is not None:
                yield posixpath.normpath(posixpath.join(base, written))
            return


def _options(place: str, read: Read, deep: int) -> tuple[str | None, dict[str, list[str]]]:
    """What ``baseUrl`` and ``paths`` say, also those of the settings that these extend."""
    told = _json(read(place))
    folder, options = posixpath.dirname(place), told.get("compilerOptions")
    base, paths = None, dict[str, list[str]]()
    above = told.get("extends")
    if isinstance(above, str) and above.startswith(".") and deep:
        other = posixpath.normpath(posixpath.join(folder, above))
        base, paths = _options(
            other if other.endswith(".json") else f"{other}.json", read, deep - 1
        )
    if not isinstance(options, dict):
        return base, paths
    if isinstance(options.get("baseUrl"), str):
        base = posixpath.normpath(posixpath.join(folder, options["baseUrl"]))
    if isinstance(options.get("paths"), dict):
        root = base if base is not None else folder
        rows = options["paths"].items()
        paths = {
            str(k): [posixpath.join(root, str(e)) for e in v]
            for k, v in rows
            if isinstance(v, list)
        }
    return base, paths


def _by_package(user: str, written: str, read: Read) -> Iterator[str]:
    parts = written.split("/")
    size = 2 if written.startswith("@") else 1
    name, inner = "/".join(parts[:size]), "/".join(parts[size:])
    if len(parts) < size:
        return
    for folder in _above(user):
        globs = _workspaces(folder, read)
        for each in globs:
            place = (
                posixpath.join(folder, each.rstrip("/*"), parts[size - 1])
                if "*" in each
                else posixpath.join(folder, each)
            )
            told = _json(read(posixpath.join(place, "package.json")))
            if told.get("name") == name:
                for entry in _entries(told, inner):
                    yield posixpath.normpath(posixpath.join(place, entry))
                    yield posixpath.normpath(posixpath.join(place, _source_of(entry)))
        if globs:
            return


def _source_of(entry: str) -> str:
    """What a built file is made of, by its name."""
    bare = re.sub(r"(?:\.d)?\.[cm]?[jt]sx?$", "", entry.removeprefix("./"))
    return _BUILT.sub("src/", bare)


def _workspaces(folder: str, read: Read) -> list[str]:
    held = _json(read(posixpath.join(folder, "package.json"))).get("workspaces")
    held = held.get("packages") if isinstance(held, dict) else held
    listed = [str(each) for each in held] if isinstance(held, list) else []
    return listed + _PNPM.findall(read(posixpath.join(folder, "pnpm-workspace.yaml")))


def _entries(told: dict[str, Any], inner: str) -> Iterator[str]:
    """The files that a package may give under a name below it."""
    exports = told.get("exports")
    if isinstance(exports, str) and not inner:
        yield exports
    elif isinstance(exports, dict):
        key = f"./{inner}" if inner else "."
        yield from _targets(
            exports.get(key) if any(k.startswith(".") for k in exports) else exports
        )
        return
    if not inner:
        yield from (told[field] for field in _FIELDS if isinstance(told.get(field), str))
        yield "src/index"
    yield inner or "index"


def _targets(held: object) -> Iterator[str]:
    if isinstance(held, str):
        yield held
    elif isinstance(held, dict):
        for condition in _CONDITIONS:
            yield from _targets(held.get(condition))


@lru_cache(maxsize=64)
def _json(text: str) -> dict[str, Any]:
    """An object, also with comments and commas too many, as settings may have them."""
    if not text:
        return {}
    bare = _COMMA.sub(r"\1", _ASIDE.sub(lambda found: found[1] or "", text))
    try:
        told = json.loads(bare)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
