"""What the code of a change calls its things: what it takes away, and what it only calls otherwise. Pure."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from guildmoot.lifecycle.proof.weakening.python_tests import parsed

_ALIKE = 0.7
_LONG = 20_000
_MOST = 50
"""More names than these are not compared each with each."""


class CodeNames(NamedTuple):
    """What becomes of names of the code."""

    lost: frozenset[str] = frozenset()
    """What was defined there and is defined nowhere any more."""
    renamed: Mapping[str, str] = MappingProxyType({})
    """What was defined there and is defined under another name."""


def code_names(before: Iterable[str], after: Iterable[str]) -> CodeNames:
    """The names that files of Python define before and after."""
    had, has = _defined(before), _defined(after)
    gone = [name for name in had if name not in has]
    new = {name: text for name, text in has.items() if name not in had}
    renamed: dict[str, str] = {}
    for name in gone:
        near = _nearest(had[name], new) if len(gone) <= _MOST and len(new) <= _MOST else ""
        if near:
            renamed[name] = near
            del new[near]
    return CodeNames(frozenset(gone) - renamed.keys(), renamed)


def _nearest(text: str, new: dict[str, str]) -> str:
    if text in new.values():
        return next(name for name, each in new.items() if each == text)
    best, found = _ALIKE, ""
    for name, each in new.items():
        pair = difflib.SequenceMatcher(
            None, text[:_LONG].split(), each[:_LONG].split(), autojunk=False
        )
        if pair.quick_ratio() > best and (ratio := pair.ratio()) > best:
            best, found = ratio, name
    return found


def _defined(texts: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        module = parsed(text)
        if module is not None:
            found |= dict(_definitions(module))
    return found


def _definitions(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Functions, classes and values of a module, each without its own name."""
    for row in ast.walk(module):
        if isinstance(row, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield row.name, _masked(ast.dump(row), row.name)
    for row in module.body:
        for each in row.targets if isinstance(row, ast.Assign) else []:
            if isinstance(each, ast.Name):
                yield each.id, _masked(ast.dump(row), each.id)


def _masked(text: str, name: str) -> str:
    return text.replace(f"'{name}'", "''")
