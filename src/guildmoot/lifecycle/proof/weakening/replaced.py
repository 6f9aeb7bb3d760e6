"""What a function of a test puts something else in the place of, by the ways that Python has for it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SETS = ("setattr", "__setattr__", "object", "patch", "delattr", "multiple", "dict")


def replaced_names(row: ast.AST) -> frozenset[str]:
    """The last names of what is replaced."""
    return frozenset(target.rpartition(".")[2] for target, _ in replacements(row))


def replacements(row: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    """Each dotted target as it is written, and what is put there where that is told."""
    for node in ast.walk(row):
        if isinstance(node, ast.Call):
            yield from _by_call(node)
        elif isinstance(node, ast.Assign):
            for each in node.targets:
                if isinstance(each, ast.Attribute) and (chain := _chain(each)):
                    yield chain, node.value


def _by_call(call: ast.Call) -> Iterator[tuple[str, ast.AST | None]]:
    name = _chain(call.func).rpartition(".")[2]
    if name not in _SETS or not call.args:
        return
    first, *rest = call.args
    value = rest[-1] if rest else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        if "." in first.value:
            yield first.value, value
        return
    base = _chain(first)
    if base and rest:
        second = rest[0]
        told = isinstance(second, ast.Constant) and isinstance(second.value, str)
        yield f"{base}.{second.value if told else ''}", rest[1] if len(rest) > 1 else None  # type: ignore[attr-defined]


def _chain(node: ast.AST) -> str:
    """``a.b`` of names alone; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _chain(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""
