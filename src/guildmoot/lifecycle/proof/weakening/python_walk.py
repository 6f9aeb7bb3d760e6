"""Every check that a test of Python reaches, with the cases that it is asked for. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from guildmoot.lifecycle.proof.weakening.python_checks import (
    TestCheck,
    TestNames,
    asked_by,
    check_of,
    known_values,
    plain,
    says_nothing,
    truth,
)
from guildmoot.text.patterns import lazy

Function = ast.FunctionDef | ast.AsyncFunctionDef
CHECKS = lazy(
    r"_*(?:assert|check|verify|expect|ensure|raises|warns|fail|must|should)", re.IGNORECASE
)
_SWALLOWED = frozenset(("AssertionError", "Exception", "BaseException"))
_RAISES = ("assertRaises", "assertRaisesRegex", "raises", "assertWarns", "warns")
_SAME = frozenset(("list", "tuple", "sorted", "set", "reversed", "enumerate", "zip", "iter"))
_ROWS = frozenset(("items", "keys", "values", "copy"))
_DEEP = 3


class Found(NamedTuple):
    """A check, how often it is asked, and whether no condition stands before it."""

    check: TestCheck
    times: int
    sure: bool


class TestMeans(NamedTuple):
    """What a test of a file may use."""

    names: TestNames
    helpers: Mapping[str, Function]
    tables: Mapping[str, ast.expr]
    """Values that the module, or a class of it, gives a name."""


def checks_of(
    row: Function, around: TestMeans, cases: Sequence[ast.AST] = (), *, sure: bool
) -> list[Found]:
    """What a test checks, also in functions that it calls; ``cases`` are those of its decorators."""
    return list(_Walk(around).function(row, sure=sure, cases=tuple(cases)))


class _Walk:
    def __init__(self, around: TestMeans) -> None:
        self._around = around
        self._known: Mapping[str, ast.expr] = {}

    def function(
        self, row: Function, *, sure: bool, deep: int = _DEEP, given: str = "",
        cases: tuple[ast.AST, ...] = (),
    ) -> Iterator[Found]:  # fmt: skip
        before, self._known = self._known, known_values(row.body, self._around.names, row.body)
        yield from self._body(row.body, deep, sure, given, cases)
        self._known = before

    def _body(
        self,
        rows: Iterable[ast.stmt],
        deep: int,
        sure: bool,
        given: str,
        cases: tuple[ast.AST, ...],
    ) -> Iterator[Found]:
        for row in reached(rows):
            if isinstance(row, ast.Assert):
                yield from self._check(row.test, sure, given, cases)
            elif isinstance(row, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue  # it runs when it is called
            elif isinstance(row, (ast.For, ast.AsyncFor)):
                yield from self._calls([row.iter], deep, sure, given, cases)
                yield from self._loop(row, deep, sure, given, cases)
            elif parts := list(parts_of(row)):
                yield from self._heads(row, deep, sure, given, cases)
                through = sure and not isinstance(row, (ast.If, ast.While))
                for part in parts:
                    yield from self._body(part, deep, through, given, cases)
            elif not isinstance(row, (ast.If, ast.While, ast.With, ast.Try)):
                yield from self._calls([row], deep, sure, given, cases)

    def _loop(
        self,
        row: ast.For | ast.AsyncFor,
        deep: int,
        sure: bool,
        given: str,
        cases: tuple[ast.AST, ...],
    ) -> Iterator[Found]:
        table = self._table(row.iter)
        times = count_of(table)
        held = (*cases, plain(table, self._around.names, {})) if times is not None else cases
        for each in self._body(row.body, deep, sure, given, held):
            if times is None:
                yield each._replace(check=each.check._replace(many=True))
            elif times:
                yield each._replace(times=each.times * times)
        yield from self._body(row.orelse, deep, sure, given, cases)

    def _table(self, node: ast.expr) -> ast.expr:
        """What is gone through, where it is written down in the file."""
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            inner = node.func.value if isinstance(node.func, ast.Attribute) else None
            if name in _ROWS and inner is not None and not node.args:
                return self._table(inner)
            if name in _SAME and node.args:
                return self._table(node.args[0])
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            whole = self._table(node.value)
            rows = whole.elts if isinstance(whole, (ast.List, ast.Tuple)) else None
            if rows is not None:
                return ast.List(_cut(rows, node.slice), ast.Load())
        name = last_name(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
        found = self._known.get(name) or self._around.tables.get(name)
        return found if found is not None else node

    def _heads(
        self, row: ast.stmt, deep: int, sure: bool, given: str, cases: tuple[ast.AST, ...]
    ) -> Iterator[Found]:
        """What stands in the head of a statement with a body."""
        if isinstance(row, (ast.With, ast.AsyncWith)):
            for each in row.items:
                inside = given
                if last_name(each.context_expr) in _RAISES:
                    inside += "".join(ast.dump(self._plain_row(n)) for n in row.body)
                    held = (*cases, *(self._plain_row(n) for n in row.body))
                    yield from self._calls([each.context_expr], deep, sure, inside, held)
                else:
                    yield from self._calls([each.context_expr], deep, sure, given, cases)
        elif (test := getattr(row, "test", None)) is not None:
            yield from self._calls([test], deep, sure, given, cases)

    def _plain_row(self, row: ast.stmt) -> ast.AST:
        if isinstance(row, (ast.Expr, ast.Assign)):
            return plain(row.value, self._around.names, self._known)
        return row

    def _calls(
        self,
        nodes: Iterable[ast.AST],
        deep: int,
        sure: bool,
        given: str,
        cases: tuple[ast.AST, ...],
    ) -> Iterator[Found]:
        for call, always in (found for each in nodes for found in _run_calls(each, sure)):
            last = last_name(call.func)
            helper = self._around.helpers.get(last)
            if helper is not None:
                if deep:
                    args = [plain(each, self._around.names, self._known) for each in call.args]
                    said = given + "".join(map(ast.dump, args))
                    yield from self.function(
                        helper, sure=always, deep=deep - 1, given=said, cases=(*cases, *args)
                    )
            elif CHECKS.match(last):
                asked = asked_by(call)
                if asked is None and equals_itself(call):
                    continue
                yield from self._check(asked or call, always, given, cases)

    def _check(
        self, asked: ast.expr, sure: bool, given: str, cases: tuple[ast.AST, ...]
    ) -> Iterator[Found]:
        if says_nothing(asked):
            return
        whole = plain(asked, self._around.names, self._known)
        if not says_nothing(whole):
            yield Found(check_of(whole, cases, given), 1, sure)


def _run_calls(node: ast.AST, sure: bool) -> Iterator[tuple[ast.Call, bool]]:
    """The calls that a statement makes, and whether on every way; what a lambda does is none of them."""
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.Call):
        yield node, sure
    parts = list(ast.iter_child_nodes(node))
    first = parts[:1]
    if isinstance(node, ast.IfExp):
        first = [node.test]
    elif isinstance(node, ast.BoolOp):
        first = [node.values[0]]
    for each in parts:
        branches = isinstance(node, (ast.IfExp, ast.BoolOp)) and each not in first
        yield from _run_calls(each, sure and not branches)


def count_of(table: ast.expr) -> int | None:
    """How many rows a table has; None where that cannot be seen."""
    if isinstance(table, ast.Dict):
        return None if None in table.keys else len(table.keys)
    if isinstance(table, (ast.List, ast.Tuple, ast.Set)):
        return (
            None if any(isinstance(each, ast.Starred) for each in table.elts) else len(table.elts)
        )
    if isinstance(table, ast.Constant) and isinstance(table.value, (str, bytes)):
        return len(table.value)
    if isinstance(table, ast.Call) and last_name(table.func) == "range":
        given = [each.value for each in table.args if isinstance(each, ast.Constant)]
        if len(given) == len(table.args) and all(isinstance(each, int) for each in given):
            return len(range(*(int(str(each)) for each in given[:3]))) if given else None
    return None


def _cut(rows: Sequence[ast.expr], part: ast.Slice) -> list[ast.expr]:
    """The rows of a slice; none where it cannot be seen which."""
    bounds: list[int | None] = []
    for each in (part.lower, part.upper, part.step):
        value: object = None
        if each is not None:
            try:
                value = ast.literal_eval(each)
            except ValueError:
                return []
        bounds.append(value if isinstance(value, int) else None)
    return list(rows[slice(*bounds)]) if bounds[2] != 0 else []


def cases_of(row: Function, tables: Mapping[str, ast.expr]) -> tuple[int, list[ast.expr]]:
    """For how many cases a test is run, by its decorators, and the tables of them."""
    count, found = 1, []
    for each in row.decorator_list:
        if isinstance(each, ast.Call) and last_name(each.func) in ("parametrize", "expand"):
            given = [*each.args, *(k.value for k in each.keywords if k.arg == "argvalues")]
            lists = [tables.get(last_name(a), a) for a in given[-1:]]
            rows = [
                n
                for a in lists
                if (n := count_of(a)) is not None and not isinstance(a, ast.Constant)
            ]
            count *= rows[-1] if rows else 1
            found += lists
    return count, found


def reached(rows: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements up to one behind which nothing is run."""
    for row in rows:
        yield row
        if isinstance(row, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            return


def parts_of(row: ast.stmt) -> Iterator[list[ast.stmt]]:
    """What a statement may run; what a constant rules out is not among it."""
    if isinstance(row, (ast.If, ast.While)):
        held = truth(row.test)
        if held is not False:
            yield row.body
        if held is not True:
            yield row.orelse
    elif isinstance(row, (ast.For, ast.AsyncFor)):
        if not (isinstance(row.iter, (ast.List, ast.Tuple)) and not row.iter.elts):
            yield row.body
        yield row.orelse
    elif isinstance(row, (ast.With, ast.AsyncWith)):
        if not any("suppress" in last_name(each.context_expr) for each in row.items):
            yield row.body
    elif isinstance(row, ast.Try):
        if not any(_swallows(each) for each in row.handlers):
            yield row.body
        for each in row.handlers:
            yield each.body
        yield row.orelse
        yield row.finalbody


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether it catches a failed assertion, and neither raises nor checks."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    catches = any(each is None or last_name(each) in _SWALLOWED for each in kinds)
    inner = [n for each in handler.body for n in ast.walk(each)]
    goes_on = not any(isinstance(n, (ast.Raise, ast.Assert)) for n in inner)
    checks = any(isinstance(n, ast.Call) and CHECKS.match(last_name(n.func)) for n in inner)
    return catches and goes_on and not checks


def equals_itself(call: ast.Call) -> bool:
    """``assertTrue(True)``, ``assertEqual(a, a)``."""
    given = call.args
    if not given or last_name(call.func) == "fail":
        return False
    fixed = all(isinstance(each, ast.Constant) for each in given)
    return fixed or (len(given) == 2 and ast.dump(given[0]) == ast.dump(given[1]))


def last_name(node: ast.AST | None) -> str:
    """``b`` of ``a.b``, ``a.b()`` and ``a.b[c]``; empty for anything else."""
    return dotted(node).rpartition(".")[2]


def dotted(node: ast.AST | None) -> str:
    """``a.b`` of ``a.b``, ``a.b()`` and ``a.b[c]``; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    if isinstance(node, (ast.Call, ast.Subscript)):
        return dotted(node.func if isinstance(node, ast.Call) else node.value)
    return ""
