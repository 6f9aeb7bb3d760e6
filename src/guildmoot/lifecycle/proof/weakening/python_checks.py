"""What an assertion of Python asks, whatever framework writes it and whatever its subject is called. Pure.

``self.assertEqual(text.slug("A"), "a")`` and ``assert slug("A") == "a"`` ask the same; so when the module moved.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from guildmoot.text.patterns import lazy

_EQUAL = lazy(r"assert(?:Sequence|List|Tuple|Set|Dict|MultiLine|Count)?Equals?")
_COMPARED: dict[str, type[ast.cmpop]] = {
    "assertIs": ast.Is, "assertIsNot": ast.IsNot, "assertNotEqual": ast.NotEq,
    "assertIn": ast.In, "assertNotIn": ast.NotIn,
    "assertGreater": ast.Gt, "assertGreaterEqual": ast.GtE, "assertLess": ast.Lt, "assertLessEqual": ast.LtE,
}  # fmt: skip
_NONE = {"assertIsNone": ast.Is, "assertIsNotNone": ast.IsNot}
_BUILTINS = frozenset(dir(builtins))
_READS = frozenset(
    ("open", "eval", "exec", "globals", "locals", "vars", "input", "next", "__import__", "getattr")
)
_IMPORTED = "@"
_LONG = 4000
EXACT, SOME, LITTLE = 3, 2, 1
_WIDE = ("Exception", "BaseException", "object")
_TOLERANCE = 0.1


class TestCheck(NamedTuple):
    """One thing that a test asks."""

    text: str
    strength: int
    """How much of the answer it fixes: a value, something of it, or that there is one."""
    names: frozenset[str]
    """What of the code it asks for."""
    values: frozenset[str]
    """The values that it is written with."""
    many: bool = False
    """It is asked for so many cases that they cannot be counted."""


class TestNames(NamedTuple):
    """What names mean in a file of tests."""

    imported: Mapping[str, str]
    """What a name is called where it comes from."""
    renamed: Mapping[str, str]
    """What of the code a change calls otherwise."""


def imports_of(module: ast.Module) -> dict[str, tuple[str, str]]:
    """Each name that a module imports: from where, and what it is called there."""
    found: dict[str, tuple[str, str]] = {}
    for row in ast.walk(module):
        if isinstance(row, ast.ImportFrom):
            place = "." * row.level + (row.module or "")
            found |= {each.asname or each.name: (place, each.name) for each in row.names}
        elif isinstance(row, ast.Import):
            for each in row.names:
                whole = each.name if each.asname else each.name.partition(".")[0]
                found[each.asname or whole] = (whole, whole.rpartition(".")[2])
    return found


class Plain(ast.NodeTransformer):
    """Writes an expression as if all that is imported were called by its own name alone."""

    def __init__(self, names: TestNames, known: Mapping[str, ast.expr]) -> None:
        self._names, self._known = names, known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A local value stands for what was put into it."""
        if node.id in self._known:
            return copy.deepcopy(self._known[node.id])
        if node.id in self._names.imported:
            return self._own(self._names.imported[node.id])
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """``module.name`` is ``name``."""
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self._names.imported:
            return self._own(node.attr)
        attr = self._names.renamed.get(node.attr, node.attr)
        return ast.Attribute(value=self.visit(node.value), attr=attr, ctx=ast.Load())

    def _own(self, name: str) -> ast.expr:
        return ast.Name(f"{_IMPORTED}{self._names.renamed.get(name, name)}", ast.Load())


def plain(node: ast.expr, names: TestNames, known: Mapping[str, ast.expr]) -> ast.expr:
    """An expression without the names that say nothing of what is asked."""
    made: ast.expr = Plain(names, known).visit(copy.deepcopy(node))
    return made if len(ast.dump(made)) < _LONG else node


def known_values(
    rows: Iterable[ast.stmt], names: TestNames, body: Iterable[ast.AST]
) -> dict[str, ast.expr]:
    """What the local names of a test stand for, where each is given a value once."""
    stored = [
        n.id
        for each in body
        for n in ast.walk(each)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    found: dict[str, ast.expr] = {}
    for row in rows:
        if isinstance(row, ast.Assign) and len(row.targets) == 1:
            target = row.targets[0]
            if isinstance(target, ast.Name) and stored.count(target.id) == 1:
                found[target.id] = plain(row.value, names, found)
    return found


def check_of(
    asked: ast.expr, around: Iterable[ast.AST] = (), given: str = "", *, many: bool = False
) -> TestCheck:
    """A check by what is asked; ``around`` are the cases that it is asked for."""
    names, values = _named(asked), _values(asked)
    for each in around:
        names |= _named(each)
        values |= _values(each)
    text = f"{_dump(asked)}{given}"
    return TestCheck(text, strength(asked), frozenset(names), frozenset(values), many)


def names_in(nodes: Iterable[ast.AST], names: TestNames) -> frozenset[str]:
    """What of the code some statements name."""
    found: set[str] = set()
    for each in (n for node in nodes for n in ast.walk(node)):
        if isinstance(each, ast.Name) and each.id in names.imported:
            found.add(names.imported[each.id])
        elif isinstance(each, ast.Attribute) and _last(each.value) not in ("self", "cls"):
            found.add(each.attr)
    return frozenset(names.renamed.get(each, each) for each in found)


def asked_by(call: ast.Call) -> ast.expr | None:
    """The expression that a method of unittest asks; None for any other call."""
    name, given = _last(call.func), call.args
    if name in ("assertTrue", "assert_", "failUnless") and given:
        return given[0]
    if name in ("assertFalse", "failIf") and given:
        return ast.UnaryOp(ast.Not(), given[0])
    if name in _NONE and given:
        return ast.Compare(given[0], [_NONE[name]()], [ast.Constant(None)])
    if len(given) < 2:
        return None
    if _EQUAL.fullmatch(name):
        return ast.Compare(given[0], [ast.Eq()], [given[1]])
    if name in _COMPARED:
        return ast.Compare(given[0], [_COMPARED[name]()], [given[1]])
    if name == "assertIsInstance":
        return ast.Call(ast.Name("isinstance", ast.Load()), given[:2], [])
    return None


def says_nothing(test: ast.expr) -> bool:
    """Whether an assertion holds whatever the code does."""
    if truth(test) is True or isinstance(test, (ast.Lambda, ast.JoinedStr)):
        return True
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return truth(test.operand) is False
    if isinstance(test, ast.BoolOp):
        quiet = (says_nothing(each) for each in test.values)
        return any(quiet) if isinstance(test.op, ast.Or) else all(quiet)
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        same = len({ast.dump(each) for each in sides}) == 1
        fixed = all(isinstance(each, ast.Constant) for each in sides)
        anything = any(_last(each) == "ANY" for each in sides)
        return (
            fixed
            or _is_closed(test)
            or anything
            or (same and isinstance(test.ops[0], (ast.Eq, ast.Is, ast.LtE, ast.GtE)))
        )
    return False


def _is_closed(test: ast.expr) -> bool:
    """Whether it asks for nothing beside what Python itself answers."""
    inner = list(ast.walk(test))
    own = {n.id for n in inner if isinstance(n, ast.Name)}
    reads = any(isinstance(n, (ast.Attribute, ast.Await)) for n in inner)
    return not reads and own <= _BUILTINS - _READS


def strength(test: ast.expr) -> int:
    """How much of an answer an assertion fixes."""
    if isinstance(test, ast.Compare):
        return _compared(test)
    if isinstance(test, ast.BoolOp):
        each = [strength(value) for value in test.values if not says_nothing(value)] or [LITTLE]
        return max(each) if isinstance(test.op, ast.And) else min(each)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return SOME
    if isinstance(test, ast.Call):
        return _called(test)
    return LITTLE


def _compared(test: ast.Compare) -> int:
    sides = [test.left, *test.comparators]
    if any(_is_fixed(each) for each in sides):
        return LITTLE
    if isinstance(test.ops[0], (ast.NotEq, ast.IsNot, ast.NotIn)):
        return LITTLE
    if not isinstance(test.ops[0], (ast.Eq, ast.Is)):
        return SOME
    for each in sides:
        if isinstance(each, ast.Constant) and isinstance(each.value, bool):
            return LITTLE
        if isinstance(each, ast.Call) and _last(each) == "approx" and _is_wide(each):
            return LITTLE
        if truth(each) is False:
            return SOME
    return EXACT


def _called(test: ast.Call) -> int:
    name = _last(test)
    first = test.args[0] if test.args else None
    if name in ("all", "any") and isinstance(first, (ast.GeneratorExp, ast.ListComp)):
        return strength(first.elt)
    if name in ("assertRaises", "assertRaisesRegex", "raises", "assertWarns", "warns"):
        return LITTLE if _last(first) in _WIDE else EXACT
    if name.startswith(("assert_called", "assert_any", "assert_has", "assert_awaited")):
        return EXACT if test.args or test.keywords else SOME
    if name in ("assertAlmostEqual", "assertAlmostEquals"):
        return LITTLE if _is_wide(test) else EXACT
    if name.startswith("assert") or not test.args:
        return EXACT if name.startswith("assert") else LITTLE
    return SOME


def _is_fixed(side: ast.expr) -> bool:
    """Whether a side holds a constant in place of what the code answers: ``add(1, 2) and 3``."""
    ends = side.values if isinstance(side, ast.BoolOp) else []
    if isinstance(side, ast.IfExp):
        ends = [side.body, side.orelse]
    return any(isinstance(each, ast.Constant) for each in ends)


def _is_wide(call: ast.Call) -> bool:
    """Whether a tolerance lets nearly anything pass."""
    given = {each.arg: each.value for each in call.keywords}
    numbers = [
        float(each.value)
        for each in call.args
        if isinstance(each, ast.Constant) and isinstance(each.value, (int, float))
    ]
    expected = max(map(abs, numbers), default=1.0) or 1.0
    for name in ("delta", "abs", "rel", "places"):
        value = given.get(name)
        if isinstance(value, ast.UnaryOp):
            return name == "places"
        if isinstance(value, ast.Constant) and isinstance(value.value, (int, float)):
            if name == "places":
                return value.value < 1
            return value.value > _TOLERANCE * (1 if name == "rel" else expected)
    return False


def truth(test: ast.expr) -> bool | None:
    """What a condition always is; None where it depends."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, (ast.Tuple, ast.List, ast.Set, ast.Dict)):
        held = test.keys if isinstance(test, ast.Dict) else test.elts
        return bool(held)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = truth(test.operand)
        return None if inner is None else not inner
    return None


def _dump(asked: ast.expr) -> str:
    if isinstance(asked, ast.Compare) and isinstance(asked.ops[0], (ast.Eq, ast.Is, ast.NotEq)):
        sides = sorted(ast.dump(each) for each in (asked.left, *asked.comparators))
        return f"{type(asked.ops[0]).__name__}({', '.join(sides)})"
    return ast.dump(asked)


def _named(node: ast.AST) -> set[str]:
    found = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id.startswith(_IMPORTED):
            found.add(each.id[1:])
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Name):
            found.add(each.func.id.removeprefix(_IMPORTED))
        elif isinstance(each, ast.Attribute) and _last(each.value) not in ("self", "cls"):
            found.add(each.attr)
    return found - _BUILTINS


def _values(node: ast.AST) -> set[str]:
    return {repr(each.value) for each in ast.walk(node) if isinstance(each, ast.Constant)}


def _last(node: ast.AST | None) -> str:
    """``b`` of ``a.b``, ``a.b()`` and ``b``."""
    if isinstance(node, ast.Call):
        return _last(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id.removeprefix(_IMPORTED) if isinstance(node, ast.Name) else ""
