"""How branched the functions of Python files are; other languages are left to the judges.

Counted as radon does: one, and one more for each branch, loop, handler, condition, assertion and
further operand of ``and`` and ``or``. A nested function counts for itself.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from guildmoot.model.packet import PacketFile
from guildmoot.practices.reviews.checks import CheckResult

NAME = "complexity"
HOT = 11
"""From here on a function is shown to the judges."""
TOO_MUCH = 21
"""From here on it holds the verdict down."""
_GRADES = ((5, "A"), (10, "B"), (20, "C"), (30, "D"))
_SHOWN = 20
_ONE_MORE = (
    *(ast.If, ast.For, ast.AsyncFor, ast.While, ast.IfExp, ast.Assert, ast.ExceptHandler),
    ast.match_case,
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Ranges = Sequence[tuple[int, int]]


class FunctionComplexity(NamedTuple):
    """One function and how branched it is."""

    path: str
    line: int
    end_line: int
    name: str
    complexity: int

    @property
    def grade(self) -> str:
        """A to F."""
        return next((grade for top, grade in _GRADES if self.complexity <= top), "F")


def check_complexity(files: Sequence[PacketFile], changed: Mapping[str, Ranges]) -> CheckResult:
    """The functions of the files; of a change, only those that it touches."""
    python = [file for file in files if file.path.endswith((".py", ".pyi"))]
    if not python:
        return CheckResult(NAME, "skipped", "no Python file: only Python is counted")
    found = [each for file in python for each in functions(file) if _touched(each, changed)]
    hot = sorted(
        (each for each in found if each.complexity >= HOT),
        key=lambda each: (-each.complexity, each.path, each.line),
    )
    if not hot:
        return CheckResult(NAME, "ok", f"{len(found)} functions, none above {HOT - 1}")
    worst = hot[0]
    detail = (
        f"{len(hot)} of {len(found)} functions above {HOT - 1}; the worst is {worst.name}"
        f" ({worst.path}:{worst.line}) with {worst.complexity}"
    )
    rows = tuple(
        (each.name, f"{each.path}:{each.line}", str(each.complexity), each.grade)
        for each in hot[:_SHOWN]
    )
    return CheckResult(
        NAME,
        "warn" if worst.complexity >= TOO_MUCH else "ok",
        detail,
        tuple(
            f"{name} at {place}: {number} (grade {grade})" for name, place, number, grade in rows
        ),
        ("Complexity", ("Function", "Place", "Complexity", "Grade"), rows),
    )


def functions(file: PacketFile) -> list[FunctionComplexity]:
    """Every function of a Python file; a file that does not parse has none."""
    try:
        with warnings.catch_warnings(action="ignore"):  # an odd escape is not our business
            tree = ast.parse(file.text)
            return list(_functions(tree, file.path, ""))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _functions(node: ast.AST, path: str, prefix: str) -> Iterator[FunctionComplexity]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _FUNCTIONS):
            name = f"{prefix}{child.name}"
            last = child.end_lineno or child.lineno
            yield FunctionComplexity(
                path, child.lineno, last, name, 1 + sum(map(_weigh, _own(child)))
            )
            yield from _functions(child, path, f"{name}.")
        else:
            inner = f"{prefix}{child.name}." if isinstance(child, ast.ClassDef) else prefix
            yield from _functions(child, path, inner)


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """What lies in a function, without the functions inside it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _FUNCTIONS):
            waiting += ast.iter_child_nodes(node)


def _weigh(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return int(isinstance(node, _ONE_MORE))


def _touched(each: FunctionComplexity, changed: Mapping[str, Ranges]) -> bool:
    ranges = changed.get(each.path, ())
    return not changed or any(a <= each.end_line and each.line <= b for a, b in ranges)
