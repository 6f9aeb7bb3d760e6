"""What the tests of a Python file check, by its syntax tree. Pure: nothing of it is run."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from guildmoot.lifecycle.proof.weakening.python_checks import (
    TestCheck,
    TestNames,
    imports_of,
    names_in,
)
from guildmoot.lifecycle.proof.weakening.python_walk import (
    Function,
    TestMeans,
    cases_of,
    checks_of,
    count_of,
    dotted,
    last_name,
    parts_of,
    reached,
)
from guildmoot.lifecycle.proof.weakening.replaced import replaced_names, replacements
from guildmoot.text.patterns import lazy

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
_PREPARES = frozenset((
    "setUpModule", "setUpClass", "setUp", "asyncSetUp", "setup_module", "setup_class", "setup_method", "setup_function",
))  # fmt: skip
"""What a runner calls before tests."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class PythonTest(NamedTuple):
    """A test as far as it can be seen."""

    checks: Counter[TestCheck]
    """What it checks, also in functions that it calls, and how often in one run."""
    sure: int
    """How many of them no condition stands before."""
    cases: int
    """For how many cases it is run."""
    marks: Counter[str]
    """What may keep it from being run."""
    empty: bool
    waits: bool
    """It is a coroutine or a generator, which not every runner runs."""
    names: frozenset[str] = frozenset()
    """What of the code it names."""
    replaced: frozenset[str] = frozenset()
    """What it puts something else in the place of."""


class PythonTests(NamedTuple):
    """A file of tests."""

    tests: dict[str, PythonTest]
    helpers: dict[str, PythonTest]
    marks: Counter[str]
    """What keeps tests of the whole file, or of others, from being run."""
    imported: Mapping[str, tuple[str, str]] = MappingProxyType({})
    """Each imported name: from where, and what it is called there."""
    defined: frozenset[str] = frozenset()
    """What it gives a name itself."""


def is_collected(path: str) -> bool:
    """Whether runners look for tests in a file of this name."""
    name = path.rpartition("/")[2]
    return name.startswith("test") or name.endswith("_test.py")


def read_python(
    path: str,
    text: str,
    renamed: Mapping[str, str] | None = None,
    others: Mapping[str, Function] | None = None,
) -> PythonTests | None:
    """The tests of a file; None where it is no Python. ``others`` are functions that it may import."""
    module = parsed(text)
    if module is None:
        return None
    imported = imports_of(module)
    names = TestNames({name: own for name, (_, own) in imported.items()}, renamed or {})
    reader = _Reader(names, others or {})
    reader.body(module.body, "", collected=is_collected(path), sure=True)
    return reader.found()._replace(imported=imported, defined=_defined(module))


@lru_cache(maxsize=1024)
def parsed(text: str) -> ast.Module | None:
    """A file of Python; None where it is none."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Reader:
    """Walks a module as it would be run, and leaves out what is not reached."""

    def __init__(self, names: TestNames, others: Mapping[str, Function]) -> None:
        self._names, self._imported = names, others
        self._tests: dict[str, tuple[Function, Counter[str], bool]] = {}
        self._others: dict[str, Function] = {}
        self._tables: dict[str, ast.expr] = {}
        self._marks: Counter[str] = Counter()

    def found(self) -> PythonTests:
        local = {name.rpartition(".")[2]: each for name, each in self._others.items()}
        used = {name: each for name, each in self._imported.items() if name in self._names.imported}
        around = TestMeans(self._names, used | local, self._tables)
        tests = {
            name: self._read(each, around, marks, sure)
            for name, (each, marks, sure) in self._tests.items()
        }
        helpers = {
            name: self._read(each, around, Counter(), True) for name, each in self._others.items()
        }
        return PythonTests(tests, helpers, self._marks)

    def body(
        self, rows: Sequence[ast.stmt], above: str, *, collected: bool, sure: bool,
        marks: Counter[str] | None = None,
    ) -> None:  # fmt: skip
        """The statements of a module or a class, in order: a later definition takes the place of an earlier."""
        around = marks if marks is not None else Counter()
        for row in reached(rows):
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
                for part in parts_of(row):
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
        elif row.name in _PREPARES or any(
            "autouse=True" in ast.unparse(each) for each in row.decorator_list
        ):
            self._marks += _marks_of(*row.body)

    def _statement(self, row: ast.stmt, above: str, marks: Counter[str]) -> None:
        for target in _targets(row):
            for name in [each for each in self._tests if _taken(each, f"{above}{target}")]:
                del self._tests[name]
            value = getattr(row, "value", None)
            if isinstance(value, ast.expr) and count_of(value) is not None:
                self._tables[target] = value
            if _SKIPS.fullmatch(target):
                listed = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
                if target == "pytestmark" and all(
                    _PLAIN.fullmatch(dotted(each)) for each in listed
                ):
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
        self, row: Function, around: TestMeans, marks: Counter[str], sure: bool
    ) -> PythonTest:
        cases, tables = cases_of(row, self._tables)
        checks: Counter[TestCheck] = Counter()
        certain = 0
        for found in checks_of(row, around, tables, sure=sure):
            checks[found.check] += found.times
            certain += found.times * found.sure
        own = marks + _marks_of(*row.body)
        for name in {*(each.arg for each in row.args.args), *_called(row)} & {*around.helpers}:
            own += _marks_of(*around.helpers[name].body)
        empty = all(_is_nothing(each) for each in row.body)
        inner = [n for each in row.body for n in ast.walk(each)]
        waits = isinstance(row, ast.AsyncFunctionDef) or any(
            isinstance(n, (ast.Yield, ast.YieldFrom)) for n in inner
        )
        names = names_in(row.body, self._names)
        return PythonTest(checks, certain, cases, own, empty, waits, names, replaced_names(row))


def _defined(module: ast.Module) -> frozenset[str]:
    """What a module gives a name at its top."""
    found: set[str] = set()
    for row in module.body:
        if isinstance(row, (*_FUNCTIONS, ast.ClassDef)):
            found.add(row.name)
        else:
            found |= {each for each in _targets(row) if "." not in each}
    return frozenset(found)


def _called(row: Function) -> Iterator[str]:
    """The last names of what a function calls."""
    for call in (n for each in row.body for n in ast.walk(each) if isinstance(n, ast.Call)):
        yield last_name(call.func)


def _marks_of(*nodes: ast.AST | None) -> Counter[str]:
    """Calls and exceptions that end a test, or a whole run, early."""
    found: Counter[str] = Counter()
    for node in (n for each in nodes if each is not None for n in ast.walk(each)):
        named = node.func if isinstance(node, ast.Call) else node
        raised = node.exc if isinstance(node, ast.Raise) else None
        for each in (named if isinstance(node, ast.Call) else None, raised):
            name = dotted(each) if isinstance(each, (ast.Name, ast.Attribute)) else ""
            if name and _SKIPS.fullmatch(name.rpartition(".")[2]):
                found[f"{name}()"] += 1
    return found


def _decorated(row: Function | ast.ClassDef) -> Counter[str]:
    """Decorators that may keep a test from being run."""
    names = ((dotted(each), each) for each in row.decorator_list)
    return Counter(
        f"@{name or ast.unparse(each)}" for name, each in names if not _PLAIN.fullmatch(name)
    )


def _is_collected(row: ast.ClassDef) -> bool:
    makes = any(isinstance(each, Function) and each.name == "__init__" for each in row.body)
    return bool(row.bases) or (row.name.startswith("Test") and not makes)


def _targets(row: ast.stmt) -> Iterator[str]:
    """The names that a statement takes a definition away from, or gives a value to."""
    places = row.targets if isinstance(row, (ast.Assign, ast.Delete)) else []
    if isinstance(row, (ast.AnnAssign, ast.AugAssign)):
        places = [row.target]
    names = [dotted(each) for each in places]
    if isinstance(row, ast.Expr):
        names = [name for name, _ in replacements(row)]
    for name in names:
        yield name
        if "." in name and not name.endswith("."):
            yield name.rpartition(".")[2]


def _taken(test: str, target: str) -> bool:
    """Whether a statement takes a test away; one that names no attribute may take each."""
    return test == target or (target.endswith(".") and test.startswith(target))


def _is_nothing(row: ast.stmt) -> bool:
    plain = isinstance(row, ast.Expr) and isinstance(row.value, ast.Constant)
    return plain or isinstance(row, (ast.Pass, ast.Return))
