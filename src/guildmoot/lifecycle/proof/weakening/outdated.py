"""Tests that cannot be run any more as they stood, because a change takes away or renames what they are about. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from guildmoot.lifecycle.proof.weakening.code_names import code_names
from guildmoot.lifecycle.proof.weakening.other_compare import lost_names
from guildmoot.lifecycle.proof.weakening.python_checks import TestNames, imports_of, names_in
from guildmoot.lifecycle.proof.weakening.python_tests import parsed

Sides = Mapping[str, tuple[str | None, str | None]]


def outdated(tests: Sides, code: Sides) -> frozenset[str]:
    """The tests whose subject a change of the code takes away, moves or calls otherwise."""
    python = {path: texts for path, texts in code.items() if path.endswith(".py")}
    names = code_names((t for t, _ in python.values() if t), (t for _, t in python.values() if t))
    lost = {*names.lost, *names.renamed}
    gone = [_module(path) for path, (_, after) in python.items() if after is None]
    others = {path: texts for path, texts in code.items() if path not in python}
    lost_others = lost_names(others)
    stems = {
        path.rpartition("/")[2].partition(".")[0]
        for path, (_, after) in others.items()
        if after is None
    }
    found = set()
    for path, (before, _) in tests.items():
        if before is None:
            continue
        if not path.endswith(".py"):
            words = {*re.findall(r"\w+", before)}
            found |= {path} if words & {*lost_others, *stems} else set()
        elif _is_outdated(before, lost, gone):
            found.add(path)
    parsed.cache_clear()
    return frozenset(found)


def _is_outdated(text: str, lost: set[str], gone: list[str]) -> bool:
    module = parsed(text)
    if module is None:
        return False
    imported = imports_of(module)
    places = [f".{place}.{own}." for place, own in imported.values()]
    if any(f".{each}." in place for each in gone for place in places):
        return True
    names = TestNames({name: own for name, (_, own) in imported.items()}, {})
    return bool({own for _, own in imported.values()} & lost or names_in(module.body, names) & lost)


def _module(path: str) -> str:
    bare = (
        path.removesuffix(".py").removesuffix("/__init__").removeprefix("src/").removeprefix("lib/")
    )
    return bare.replace("/", ".")
