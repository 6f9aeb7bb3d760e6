"""How branched the functions of Python files are; other languages are left to the judges.

Counted as radon does: one, and one more for each branch, loop, handler, condition, assertion and
further operand of ``and`` and ``or``. A nested function counts for itself. A change answers for what it
made more branched, not for what was so before.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from guildmoot.model.packet import PacketFile
from guildmoot.practices.reviews.checks import CheckResult, ReportTable
from guildmoot.text.clean import count

NAME = "complexity"
HOT = 11
"""From here on a function is shown to the judges."""
TOO_MUCH = 21
"""From here on it holds the verdict down, if the change made it so."""
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


def check_complexity(
    files: Sequence[PacketFile],
    changed: Mapping[str, Ranges],
    before: Callable[[str], str] = lambda path: "",
) -> CheckResult:
    """The functions of the files; of a change only those that it touches, against what they were before."""
    python = [file for file in files if file.path.endswith((".py", ".pyi"))]
    if not python:
        return CheckResult(NAME, "skipped", "no Python file: only Python is counted")
    found = [each for file in python for each in functions(file) if _touched(each, changed)]
    hot = sorted(
        (each for each in found if each.complexity >= HOT),
        key=lambda each: (-each.complexity, each.path, each.line),
    )
    if not hot:
        return CheckResult(NAME, "ok", f"{count(len(found), 'function')}, none above {HOT - 1}")
    past = _past(dict.fromkeys(each.path for each in hot), before) if changed else {}
    worse = [each for each in hot if each.complexity > past.get((each.path, each.name), 0)]
    shown = hot[:_SHOWN]
    told = [_told(each, past.get((each.path, each.name))) for each in shown]
    return CheckResult(
        NAME,
        "warn" if any(each.complexity >= TOO_MUCH for each in worse) else "ok",
        _detail(hot, worse, len(found), past),
        tuple(told),
        _table(shown, past, compared=bool(changed)),
    )


def _past(paths: Iterable[str], before: Callable[[str], str]) -> dict[tuple[str, str], int]:
    """How branched each function was, by file and name; of several of a name, the most."""
    past: dict[tuple[str, str], int] = {}
    for path in paths:
        for each in functions(PacketFile(path, before(path), "")):
            key = path, each.name
            past[key] = max(past.get(key, 0), each.complexity)
    return past


def _detail(
    hot: Sequence[FunctionComplexity],
    worse: Sequence[FunctionComplexity],
    total: int,
    past: Mapping[tuple[str, str], int],
) -> str:
    worst = (worse or hot)[0]
    was = past.get((worst.path, worst.name))
    told = "" if was is None else f", {was} before" if worse else ", no more than before"
    return (
        f"{len(hot)} of {count(total, 'function')} above {HOT - 1}; the worst is {worst.name}"
        f" ({worst.path}:{worst.line}) with {worst.complexity}{told}"
    )


def _told(each: FunctionComplexity, was: int | None) -> str:
    past = "" if was is None else f", {was} before"
    return f"{each.name} at {each.path}:{each.line}: {each.complexity} (grade {each.grade}{past})"


def _table(
    shown: Sequence[FunctionComplexity], past: Mapping[tuple[str, str], int], *, compared: bool
) -> ReportTable:
    rows = []
    for each in shown:
        was = past.get((each.path, each.name))
        known = (str(was or "new"),) if compared else ()
        rows.append(
            (each.name, f"{each.path}:{each.line}", str(each.complexity), *known, each.grade)
        )
    heads = ("Function", "Place", "Complexity", *(("Before",) if compared else ()), "Grade")
    return "Complexity", heads, tuple(rows)


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
