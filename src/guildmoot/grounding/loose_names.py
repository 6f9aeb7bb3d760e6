"""Undefined names of Python that do no harm: what the line, the function or the file around them tells.

Ruff reads a file once and from above; a name may stand in a text only, be set further below, or never be reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from guildmoot.model.verdict import Finding
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

_NAMED = lazy(r"`([^`]+)`")


def name_of(finding: Finding) -> str:
    """The name that its words put in ticks."""
    found = _NAMED.search(finding.title)
    return found[1] if found else ""


def is_quoted(finding: Finding, text: str) -> bool:
    """The name stands in a plain text only, as in ``Literal["row"]``; in an f-string it is looked up."""
    name, line = re.escape(name_of(finding)), finding.quote.partition("\n")[0]
    if not name or re.search(rf"""(?<!["'\w])[rR]?[fFtT][rR]?["']|\{{\s*{name}""", line):
        return False
    bare = re.sub(r""""[^"]*"|'[^']*'""", "", line)
    return re.search(rf"\b{name}\b", line) is not None and not re.search(rf"\b{name}\b", bare)


def is_deleted(finding: Finding, text: str) -> bool:
    """Somebody deletes the name in one branch, which ruff takes for all of them."""
    return name_of(finding) in _deleted(text)


def is_bound(finding: Finding, text: str) -> bool:
    """The function around it sets the name, if later: in a loop that may do."""
    return name_of(finding) in _set_around(text).get(finding.line, ())


def is_unreached(finding: Finding, text: str) -> bool:
    """It stands behind a ``return``, ``raise``, ``break`` or ``continue`` of the same block."""
    return finding.line in _unreached(text)


def is_run_at_once(finding: Finding, text: str) -> bool:
    """The file fails as soon as it is run, so nobody does: a note, or a part of another."""
    return name_of(finding) in _run_at_once(text)


@lru_cache(maxsize=8)
def _run_at_once(text: str) -> frozenset[str]:
    """The names that are looked up when the file is run, not when one of its functions is called."""
    import ast

    later = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.If, ast.Try)
    waiting: list[ast.AST] = [*_nodes(text)[:1]]
    names = set[str]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
        waiting += (each for each in ast.iter_child_nodes(node) if not isinstance(each, later))
    return frozenset(names)


@lru_cache(maxsize=8)
def _deleted(text: str) -> frozenset[str]:
    """The names that the file deletes."""
    lines = re.findall(r"^[ \t]*del\b(.*)", text, re.MULTILINE)
    return frozenset(name for line in lines for name in re.findall(r"\w+", line))


@lru_cache(maxsize=8)
def _nodes(text: str) -> list[ast.AST]:
    import ast  # few files need it

    try:
        return [*ast.walk(ast.parse(text))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


@lru_cache(maxsize=8)
def _set_around(text: str) -> dict[int, frozenset[str]]:
    """For each line of a Python file inside a function, the names that the innermost one sets."""
    import ast

    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    functions = [node for node in _nodes(text) if isinstance(node, kinds)]
    around: dict[int, frozenset[str]] = {}
    for function in sorted(functions, key=lambda node: node.lineno):
        names = (node for node in ast.walk(function) if isinstance(node, ast.Name))
        stored = frozenset(node.id for node in names if isinstance(node.ctx, ast.Store))
        lines = range(function.lineno, (function.end_lineno or 0) + 1)
        around |= dict.fromkeys(lines, stored)
    return around


@lru_cache(maxsize=8)
def _unreached(text: str) -> frozenset[int]:
    """The lines of a Python file that nothing comes to."""
    return frozenset(
        line for node in _nodes(text) for block in _blocks(node) for line in _behind_end(block)
    )


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield block


def _behind_end(block: list[ast.stmt]) -> Iterator[int]:
    import ast

    ended = False
    for statement in block:
        if ended:
            yield from range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        ended |= isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue)
