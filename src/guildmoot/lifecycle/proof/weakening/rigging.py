"""What makes a run of tests end well whatever the code does, in any file of Python that the run loads. Pure.

By structure: what ends the process while a file is loaded or at its end, what is put in the place of a part of the test
framework, and code that asks whether tests are run.
"""

from __future__ import annotations

import ast
import unittest
from collections import Counter
from collections.abc import Iterable, Iterator

from guildmoot.lifecycle.proof.weakening.python_checks import imports_of, truth
from guildmoot.lifecycle.proof.weakening.python_tests import is_collected, parsed
from guildmoot.lifecycle.proof.weakening.python_walk import (
    Function,
    dotted,
    last_name,
    parts_of,
    reached,
)
from guildmoot.lifecycle.proof.weakening.replaced import replacements
from guildmoot.memory.codebase.graph import is_test

_FRAMEWORKS = frozenset(
    ("unittest", "pytest", "_pytest", "nose", "builtins", "_pytest.outcomes", "pluggy")
)
_HARMLESS = frozenset(("maxDiff", "longMessage"))
_ENDS = frozenset(
    (
        "os._exit",
        "os.abort",
        "os.kill",
        "sys.exit",
        "exit",
        "quit",
        "_exit",
        "os.execv",
        "os.execvp",
    )
)
_HARD = frozenset(("_exit", "abort", "kill", "execv", "execvp"))
_ASSERTS = frozenset(name for name in dir(unittest.TestCase) if name.startswith(("assert", "fail")))
_RUNNERS = frozenset(
    ("unittest", "pytest", "_pytest", "nose", "PYTEST_CURRENT_TEST", "PYTEST_VERSION")
)


def rigged(path: str, text: str, *, test: bool) -> Counter[str]:
    """Each such thing of a file, in words."""
    module = parsed(text)
    if module is None:
        return Counter()
    look = _Look(module, path, test=test)
    return Counter(look.found())


class _Look:
    def __init__(self, module: ast.Module, path: str, *, test: bool) -> None:
        self._module, self._test, self._path = module, test, path
        self._imported = imports_of(module)
        self._own = {
            row.name: row
            for row in ast.walk(module)
            if isinstance(row, (*_FUNCTIONS, ast.ClassDef))
        }

    def found(self) -> Iterator[str]:
        loaded = list(_loaded(self._module.body))
        for row in loaded:
            yield from (f"{each} while it is loaded" for each in self._ends(row))
        for node in ast.walk(self._module):
            if any(self._exits(each) for each in self._last_words(node)):
                yield "an exit at the end of the process"
            if not self._test and isinstance(node, (ast.Compare, ast.Call, ast.Subscript)):
                yield from self._asks(node)
        yield from self._replaces(loaded)
        if self._test:
            yield from self._overrides()
            yield from self._handed_on()
            yield from self._ended_tests()

    def _full(self, node: ast.AST) -> str:
        """A dotted name as it is called where it comes from."""
        return self._full_name(dotted(node))

    def _ends(self, row: ast.AST) -> Iterator[str]:
        for node in _run_now(row):
            if isinstance(node, ast.Call):
                name = self._full(node.func)
                soft = name.rpartition(".")[2] not in _HARD
                answered = bool(node.args) and not isinstance(node.args[0], ast.Constant)
                if name in _ENDS and not (soft and answered and not self._test):
                    yield f"{name}()"
            elif isinstance(node, ast.Raise) and last_name(node.exc) == "SystemExit":
                yield "SystemExit()"

    def _last_words(self, node: ast.AST) -> list[ast.AST]:
        """What is registered for the end of the process."""
        if isinstance(node, ast.Call) and self._full(node.func) == "atexit.register":
            return [*node.args]
        marks = node.decorator_list if isinstance(node, _FUNCTIONS) else []
        return [node] if any(self._full(each) == "atexit.register" for each in marks) else []

    def _exits(self, node: ast.AST) -> bool:
        """Whether a function that is registered ends the process."""
        if self._full(node) in _ENDS:
            return True
        inner: ast.AST | None = self._own.get(dotted(node)) if isinstance(node, ast.Name) else node
        calls = (n for n in ast.walk(inner) if isinstance(n, ast.Call)) if inner else ()
        return any(self._full(each.func) in _ENDS for each in calls)

    def _asks(self, node: ast.AST) -> Iterator[str]:
        inner = list(ast.walk(node))
        words = {n.value for n in inner if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        if words & {"PYTEST_CURRENT_TEST", "PYTEST_VERSION"}:
            yield "a question whether tests are run"
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            places = {self._full(n) for n in inner if isinstance(n, ast.Attribute)}
            if words & _RUNNERS and places & {"sys.modules", "sys.argv"}:
                yield "a question whether tests are run"

    def _replaces(self, loaded: Iterable[ast.AST]) -> Iterator[str]:
        now = {id(n) for row in loaded for n in _run_now(row)}
        for node in ast.walk(self._module):
            if not isinstance(node, (ast.Call, ast.Assign)):
                continue
            for target, value in replacements_of(node):
                full = self._full_name(target)
                parts = full.split(".")
                plain = isinstance(value, ast.Constant) and parts[-1] in _HARMLESS
                others = self._test and parts[0] not in self._own
                if (
                    (parts[0] in _FRAMEWORKS and "mock" not in parts[:-1] and not plain)
                    or full in ("sys.exit", "os._exit")
                    or (others and self._of_tests(parts[:-1]))
                ):
                    yield f"something else in the place of {full}"
                elif self._test and id(node) in now and self._swaps(target, value):
                    yield f"something else in the place of {full} while it is loaded"

    def _full_name(self, target: str) -> str:
        head, _, rest = target.partition(".")
        place, own = self._imported.get(head, (head, ""))
        if own and place.rpartition(".")[2] != own:
            place = f"{place}.{own}"
        return f"{place}.{rest}" if rest else place

    def _of_tests(self, parts: list[str]) -> bool:
        """Whether a module of tests is meant, and not the one that this file is."""
        places = (
            "/".join(parts[: end + 1])
            for end, each in enumerate(parts)
            if is_collected(f"{each}.py")
        )
        found = [f"{each}.py" for each in places if is_test(f"{each}.py")]
        return bool(found) and not self._path.endswith(tuple(found))

    def _swaps(self, target: str, value: ast.AST | None) -> bool:
        """Whether behaviour of an imported thing is put elsewhere, and not a setting of it."""
        head, _, rest = target.partition(".")
        behaves = isinstance(value, ast.Lambda) or dotted(value) in self._own
        return bool(rest) and head in self._imported and behaves

    def _overrides(self) -> Iterator[str]:
        for owner in (n for n in ast.walk(self._module) if isinstance(n, ast.ClassDef)):
            for row in owner.body:
                if isinstance(row, _FUNCTIONS) and row.name in _ASSERTS and not _calls_super(row):
                    yield f"an {row.name} of its own"
        for node in ast.walk(self._module):
            for each in node.targets if isinstance(node, ast.Assign) else []:
                if isinstance(each, (ast.Attribute, ast.Name)) and last_name(each) in _ASSERTS:
                    yield f"something else in the place of {dotted(each)}"

    def _handed_on(self) -> Iterator[str]:
        """An exit that something else is given to call."""
        called = {id(n.func) for n in ast.walk(self._module) if isinstance(n, ast.Call)}
        for node in ast.walk(self._module):
            named = isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in called
            if named and self._full(node) == "os._exit":
                yield "os._exit that something else calls"

    def _ended_tests(self) -> Iterator[str]:
        for row in self._own.values():
            if isinstance(row, _FUNCTIONS):
                for each in _always(row.body):
                    for node in _run_now(each):
                        if isinstance(node, ast.Call) and self._full(node.func) == "os._exit":
                            yield f"os._exit() in {row.name}"


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def replacements_of(node: ast.AST) -> list[tuple[str, ast.AST | None]]:
    """What one call or assignment itself puts elsewhere."""
    if isinstance(node, ast.Call):
        bare = ast.Call(func=node.func, args=node.args, keywords=[])
        found = list(replacements(bare))
        inner = [each for arg in (node.func, *node.args) for each in replacements(arg)]
        return [each for each in found if each not in inner]
    if isinstance(node, ast.Assign):
        inside = list(replacements(node.value))
        return [each for each in replacements(node) if each not in inside]
    return []


def _loaded(rows: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """What is run when a file is loaded, without what only a run of the file itself reaches."""
    for row in reached(rows):
        if isinstance(row, _FUNCTIONS):
            continue
        if isinstance(row, ast.ClassDef):
            yield from _loaded(row.body)
        elif isinstance(row, ast.If) and "__name__" in ast.unparse(row.test):
            yield from _loaded(row.orelse)
        elif isinstance(row, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
            for part in parts_of(row):
                yield from _loaded(part)
        else:
            yield row


def _run_now(row: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that are run with it: not what a lambda does later."""
    yield row
    for each in ast.iter_child_nodes(row):
        if not isinstance(each, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            yield from _run_now(each)


def _always(rows: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for row in reached(rows):
        if isinstance(row, (ast.With, ast.Try)):
            for part in parts_of(row):
                yield from _always(part)
        elif isinstance(row, ast.If):
            if truth(row.test) is True:
                yield from _always(row.body)
        elif not isinstance(row, (*_FUNCTIONS, ast.ClassDef, ast.For, ast.While)):
            yield row


def _calls_super(row: Function) -> bool:
    return any(isinstance(n, ast.Call) and dotted(n.func) == "super" for n in ast.walk(row))
