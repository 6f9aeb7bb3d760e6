"""Finds the places that a runbook still has to change: ``MIGRATE:<id> key=value`` in any text file."""

from __future__ import annotations

import os
import re

from guildmoot.projects.errors import RecordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from guildmoot.projects.manifest import Record

_MARKER = re.compile(r"MIGRATE:([a-z0-9]+(?:-[a-z0-9]+)*)((?:[ \t]+[A-Za-z0-9_-]+=[^\s\"'<>]+)*)")
_SKIPPED = frozenset(("node_modules", "dist", "build", "coverage"))
_ENDINGS = """
bash c cc cfg conf cpp cs css go graphql h hpp html ini java js json jsx kt less lua md mdx mjs php pl
proto py rb rs rst scala scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml zsh
"""
_TEXT = frozenset(f".{ending}" for ending in _ENDINGS.split())
_LARGEST = 5_000_000


def scan(root: str, dictionary: str = "") -> Record:
    """Every marker below a folder; with a dictionary, also what each asks for."""
    if not os.path.isdir(root):
        raise RecordError("scan-root-not-found", f"there is no folder {root}")
    sites = [site for path in _files(root) for site in _sites(root, path)]
    if not dictionary:
        return {"count": len(sites), "sites": sites}
    entries = _entries(dictionary)
    known = [
        {**site, "entry": entries.get(site["dictId"]), "known": site["dictId"] in entries}
        for site in sites
    ]
    return {
        "count": len(sites),
        "unknown": sum(not each["known"] for each in known),
        "sites": known,
    }


def _files(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _SKIPPED
        )
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.splitext(name)[1].lower() in _TEXT and not os.path.islink(path):
                yield path


def _sites(root: str, path: str) -> Iterator[Record]:
    try:
        if os.path.getsize(path) > _LARGEST:
            return
        with open(path, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    except OSError:
        return
    if "MIGRATE:" not in text:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if found := _MARKER.search(line):
            pairs = (pair.split("=", 1) for pair in found.group(2).split())
            yield {
                "dictId": found.group(1), "params": dict(pairs),
                "file": os.path.relpath(path, root), "line": number, "raw": found.group(),
            }  # fmt: skip


def _entries(path: str) -> dict[str, Record]:
    import tomllib

    try:
        with open(path, "rb") as stream:
            tables = tomllib.load(stream)
    except OSError as wrong:
        raise RecordError("dict-not-found", f"{path} cannot be read: {wrong.strerror}") from None
    except tomllib.TOMLDecodeError as wrong:
        raise RecordError("toml-invalid", f"{path}: {wrong}") from None
    return {
        name: {"id": name, **table} for name, table in tables.items() if isinstance(table, dict)
    }
