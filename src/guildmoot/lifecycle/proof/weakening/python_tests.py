"""What the tests of a Python file check, by its syntax tree. Pure: nothing of it is run."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from guildmoot.text.patterns import lazy

Function = ast.FunctionDef | ast.AsyncFunctionDef
_CHECKS = lazy(
    r"_*(?:assert|check|verify|expect|ensure|raises|warns|fail|must|should)", re.IGNORECASE
)
_SKIPS = lazy(
    r"(?i)_?(?:skip\w*|xfail|importorskip|expected_?failure|exit|_exit|abort|quit|SystemExit|SkipTest"
    r"|collect_ignore\w*|load_tests|pytest_(?!plugins$)\w+|__test__|pytestmark)"
)
_PLAIN = lazy(
    r"(?:\w+\.)*(?:parametrize|usefixtures|asyncio|anyio|django_db|filterwarnings|timeout|patch(?:\.\w+)?|given|example"
    r"|settings|staticmethod|classmethod|property|fixture|override_settings|freeze_time|parameterized(?:\.\w+)?|wraps"
    r"|contextmanager|asynccontextmanager|overload|override|cache|lru_cache|dataclass)"
)
"""Decorators that keep no test from being run."""
_SWALLOWED = frozenset(("AssertionError", "Exception", "BaseException"))
_DEEP = 3


class PythonTest(NamedTuple):
    """A test as far as it can be seen."""

    checks: Counter[str]
    """What it checks, also in functions of its file that it calls."""
    sure: int
    """How many of them no condition stands before."""
    cases: int
    """For how many cases it is run."""
    marks: Counter[str]
    """What may keep it from being run."""
    empty: bool
    waits: bool
    """It is a coroutine or a generator, which not every runner runs."""


class PythonTests(NamedTuple):
    """A file of tests."""

    tests: dict[str, PythonTest]
    helpers: dict[str, PythonTest]
    marks: Counter[str]
    """What keeps tests of the whole file, or of others, from being run."""


def is_collected(path: str) -> bool:
    """Whether runners look for tests in a file of this name."""
    name = path.rpartition("/")[2]
    return name.startswith("test") or name.endswith("_test.py")


def read_python(path: str, text: str) -> PythonTests | None:
    """The tests of a file; None where it is no Python."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    reader = _Reader()
    reader.body(module.body, "", collected=is_collected(path), sure=True)
    return reader.found()


class _Reader:
    """Walks a module as it would be run, and leaves out what is not reached."""

    def __init__(self) -> None:
        self._tests: dict[str, tuple[Function, Counter[str], bool]] = {}
        self._others: dict[str, Function] = {}
        self._marks: Counter[str] = Counter()

    def found(self) -> PythonTests:
        local = {name.rpartition(".")[2]: each for name, each in self._others.items()}
        tests = {
            name: self._read(each, local, marks, sure)
            for name, (each, marks, sure) in self._tests.items()
        }
        helpers = {
            name: self._read(each, local, Counter(), True) for name, each in self._others.items()
        }
        return PythonTests(tests, helpers, self._marks)

    def body(
        self, rows: Sequence[ast.stmt], above: str, *, collected: bool, sure: bool,
        marks: Counter[str] | None = None,
    ) -> None:  # fmt: skip
        """The statements of a module or a class, in order: a later definition takes the place of an earlier."""
        around = marks if marks is not None else Counter()
        for row in _reached(rows):
            if isinstance(row, Function):
                self._function(row, above, around, collected=collected, sure=sure)
            elif isinstance(row, ast.ClassDef):
                inside = around + _decorated(row)
                for name in [
                    each for each in self._tests if each.startswith(f"{above}{row.name}.")
                ]:
                    del self._tests[name]
                runs = collected and _is_collected(row)
                self.body(row.body, f"{above}{row.name}.", collected=runs, sure=sure, marks=inside)
            elif isinstance(row, ast.If) and "__name__" in ast.unparse(row.test):
                continue  # run by itself, not by a runner
            elif isinstance(row, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
                self._marks += _marks_of(getattr(row, "test", None))
                for part in _parts(row):
                    self.body(part, above, collected=collected, sure=False, marks=around)
            else:
                self._statement(row, above, around)

    def _function(
        self, row: Function, above: str, marks: Counter[str], *, collected: bool, sure: bool
    ) -> None:
        name = f"{above}{row.name}"
        if collected and row.name.startswith("test"):
            self._tests[name] = (row, marks + _decorated(row), sure)
            return
        self._others[name] = row
        if _SKIPS.fullmatch(row.name):  # a hook of the runner
            self._marks[f"{row.name}: {ast.dump(row)}"] += 1
        elif any("autouse=True" in ast.unparse(each) for each in row.decorator_list):
            self._marks += _marks_of(*row.body)

    def _statement(self, row: ast.stmt, above: str, marks: Counter[str]) -> None:
        for target in _targets(row):
            named = f"{above}{target}"
            self._tests.pop(named, None)
            if _SKIPS.fullmatch(target):
                value = getattr(row, "value", None)
                listed = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
                if target == "pytestmark" and all(_PLAIN.fullmatch(_name(each)) for each in listed):
                    return
                text = f"{target} = {ast.unparse(value) if value else ''}"
                marks[text] += 1
                if not above:
                    self._marks[text] += 1
                return
        found = _marks_of(row)
        if above:
            marks += found
        else:
            self._marks += found

    def _read(
        self, row: Function, local: dict[str, Function], marks: Counter[str], sure: bool
    ) -> PythonTest:
        checks: Counter[str] = Counter()
        certain = 0
        for text, is_sure in _checks(row.body, local, _DEEP, sure):
            checks[text] += 1
            certain += is_sure
        own = marks + _marks_of(*row.body)
        for name in {*(each.arg for each in row.args.args), *_called(row)} & {*local}:
            own += _marks_of(*local[name].body)
        empty = all(_is_nothing(each) for each in row.body)
        inner = [n for each in row.body for n in ast.walk(each)]
        waits = isinstance(row, ast.AsyncFunctionDef) or any(
            isinstance(n, (ast.Yield, ast.YieldFrom)) for n in inner
        )
        return PythonTest(checks, certain, _cases(row), own, empty, waits)


def _reached(rows: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements up to one behind which nothing is run."""
    for row in rows:
        yield row
        if isinstance(row, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
            return


def _parts(row: ast.stmt) -> Iterator[list[ast.stmt]]:
    """What a statement may run; what a constant rules out is not among it."""
    if isinstance(row, (ast.If, ast.While)):
        truth = _truth(row.test)
        if truth is not False:
            yield row.body
        if truth is not True:
            yield row.orelse
    elif isinstance(row, (ast.For, ast.AsyncFor)):
        if not (isinstance(row.iter, (ast.List, ast.Tuple)) and not row.iter.elts):
            yield row.body
        yield row.orelse
    elif isinstance(row, (ast.With, ast.AsyncWith)):
        if not any("suppress" in _name(each.context_expr) for each in row.items):
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
    catches = any(each is None or _name(each).rpartition(".")[2] in _SWALLOWED for each in kinds)
    goes_on = not any(isinstance(n, ast.Raise) for each in handler.body for n in ast.walk(each))
    return catches and goes_on and not any(_checks(handler.body, {}, 0, True))


def _checks(
    rows: Iterable[ast.stmt], local: dict[str, Function], deep: int, sure: bool
) -> Iterator[tuple[str, bool]]:
    """Every check that is reached, and whether it is on every way."""
    for row in _reached(rows):
        if isinstance(row, ast.Assert):
            if not _says_nothing(row.test):
                yield ast.dump(row.test), sure
        elif isinstance(row, (*_NESTED, ast.ClassDef)):
            continue  # it runs when it is called
        elif parts := list(_parts(row)):
            yield from _calls(_heads(row), local, deep, sure)
            through = sure and not isinstance(row, ast.If) and not isinstance(row, ast.While)
            for part in parts:
                yield from _checks(part, local, deep, through)
        elif not isinstance(row, (ast.If, ast.While, ast.For, ast.With, ast.Try)):
            yield from _calls([row], local, deep, sure)


_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef)


def _heads(row: ast.stmt) -> list[ast.AST]:
    """What stands in the head of a statement with a body."""
    if isinstance(row, (ast.With, ast.AsyncWith)):
        return [each.context_expr for each in row.items]
    return [n for n in (getattr(row, "test", None), getattr(row, "iter", None)) if n is not None]


def _calls(
    nodes: Iterable[ast.AST], local: dict[str, Function], deep: int, sure: bool
) -> Iterator[tuple[str, bool]]:
    for call in (n for each in nodes for n in ast.walk(each) if isinstance(n, ast.Call)):
        last = _name(call.func).rpartition(".")[2]
        if last in local:
            if deep:
                yield from _checks(local[last].body, local, deep - 1, sure)
        elif _CHECKS.match(last) and not _equals_itself(call):
            yield ast.dump(call), sure


def _called(row: Function) -> Iterator[str]:
    """The last names of what a function calls."""
    for call in (n for each in row.body for n in ast.walk(each) if isinstance(n, ast.Call)):
        yield _name(call.func).rpartition(".")[2]


def _says_nothing(test: ast.expr) -> bool:
    """Whether an assertion holds whatever the code does."""
    if _truth(test) is True or isinstance(test, (ast.Lambda, ast.JoinedStr)):
        return True
    if isinstance(test, ast.BoolOp):
        quiet = (_says_nothing(each) for each in test.values)
        return any(quiet) if isinstance(test.op, ast.Or) else all(quiet)
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        same = len({ast.dump(each) for each in sides}) == 1
        fixed = all(isinstance(each, ast.Constant) for each in sides)
        anything = any(_name(each).rpartition(".")[2] == "ANY" for each in sides)
        return (
            fixed
            or anything
            or (same and isinstance(test.ops[0], (ast.Eq, ast.Is, ast.LtE, ast.GtE)))
        )
    return False


def _equals_itself(call: ast.Call) -> bool:
    """``assertTrue(True)``, ``assertEqual(a, a)``."""
    given = call.args
    if not given or _name(call.func).rpartition(".")[2] == "fail":
        return False
    fixed = all(isinstance(each, ast.Constant) for each in given)
    return fixed or (len(given) == 2 and ast.dump(given[0]) == ast.dump(given[1]))


def _truth(test: ast.expr) -> bool | None:
    """What a condition always is; None where it depends."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, (ast.Tuple, ast.List, ast.Set, ast.Dict)):
        held = test.keys if isinstance(test, ast.Dict) else test.elts
        return bool(held)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(test.operand)
        return None if inner is None else not inner
    return None


def _marks_of(*nodes: ast.AST | None) -> Counter[str]:
    """Calls and exceptions that end a test, or a whole run, early."""
    found: Counter[str] = Counter()
    for node in (n for each in nodes if each is not None for n in ast.walk(each)):
        named = node.func if isinstance(node, ast.Call) else node
        raised = node.exc if isinstance(node, ast.Raise) else None
        for each in (named if isinstance(node, ast.Call) else None, raised):
            name = _name(each) if isinstance(each, (ast.Name, ast.Attribute)) else ""
            if name and _SKIPS.fullmatch(name.rpartition(".")[2]):
                found[f"{name}()"] += 1
    return found


def _decorated(row: Function | ast.ClassDef) -> Counter[str]:
    """Decorators that may keep a test from being run."""
    names = ((_name(each), each) for each in row.decorator_list)
    return Counter(
        f"@{name or ast.unparse(each)}" for name, each in names if not _PLAIN.fullmatch(name)
    )


def _cases(row: Function) -> int:
    """How many cases are written down for a test; 1 where none is, or they cannot be counted."""
    count = 1
    for each in row.decorator_list:
        if isinstance(each, ast.Call) and _name(each.func).rpartition(".")[2] in (
            "parametrize", "expand",
        ):  # fmt: skip
            lists = [a for a in each.args if isinstance(a, (ast.List, ast.Tuple, ast.Set))]
            count *= len(lists[-1].elts) if lists else 1
    return count


def _is_collected(row: ast.ClassDef) -> bool:
    makes = any(isinstance(each, Function) and each.name == "__init__" for each in row.body)
    return bool(row.bases) or (row.name.startswith("Test") and not makes)


def _targets(row: ast.stmt) -> Iterator[str]:
    """The names that a statement takes a definition away from, or gives a value to."""
    places = row.targets if isinstance(row, (ast.Assign, ast.Delete)) else []
    if isinstance(row, (ast.AnnAssign, ast.AugAssign)):
        places = [row.target]
    for each in places:
        name = _name(each)
        yield name if name.count(".") == 0 else name.rpartition(".")[2]


def _is_nothing(row: ast.stmt) -> bool:
    plain = isinstance(row, ast.Expr) and isinstance(row.value, ast.Constant)
    return plain or isinstance(row, (ast.Pass, ast.Return))


def _name(node: ast.AST | None) -> str:
    """``a.b`` of ``a.b``, ``a.b()`` and ``a.b[c]``; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value)}.{node.attr}"
    if isinstance(node, (ast.Call, ast.Subscript)):
        return _name(node.func if isinstance(node, ast.Call) else node.value)
    return ""
