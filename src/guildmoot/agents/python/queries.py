"""Values that become part of the text of SQL or of a shell command, where a value is wanted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from guildmoot.agents.python.modules import Function, source_of
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

_RUNS_SQL = frozenset(
    ("execute", "executemany", "executescript", "fetch", "fetchrow", "fetchval", "raw", "text")
)
_OLD_BLANK = lazy(r"%(?:\(\w*\))?[#0 +-]*\d*(?:\.\d+)?[a-zA-Z]")
_NEW_BLANK = lazy(r"\{[^{}]*\}")


class Query(NamedTuple):
    """A query that is put together."""

    line: int
    said: str


def joined_queries(tree: ast.Module, text: str) -> Iterator[Query]:
    """The calls that hand over SQL with values in its text."""
    for scope in (tree, *(each for each in ast.walk(tree) if isinstance(each, Function))):
        nodes = list(_own(scope))
        made = _assigned(nodes)
        for call in (each for each in nodes if isinstance(each, ast.Call)):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            if name not in _RUNS_SQL or not call.args:
                continue
            given = call.args[0]
            if isinstance(given, ast.Name) and len(made.get(given.id, ())) == 1:
                given = made[given.id][0]
            from guildmoot.agents.rules.texts import is_sql  # most files have no query

            if is_sql(pieces(given)):
                said = " ".join(source_of(text, call).split())
                yield Query(call.lineno, f"{said} {ast.unparse(given)}")


def _own(scope: ast.Module | Function) -> Iterator[ast.AST]:
    """What lies in a scope and not in a function below it, in the order of the text."""
    waiting: list[ast.AST] = [*reversed(scope.body)]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function):
            waiting += reversed([*ast.iter_child_nodes(node)])


def _assigned(nodes: list[ast.AST]) -> dict[str, list[ast.expr]]:
    """What each name is set to."""
    made: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            made.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            made.setdefault(node.target.id, []).append(node.value)
    return made


def pieces(node: ast.expr) -> list[tuple[str, str]]:
    """Text that is put together: each value that is no constant with the text that stands before it."""
    head, found = "", list[tuple[str, str]]()
    for part in _parts(node):
        if isinstance(part, str):
            head += part
        elif head:
            if _may_be_input(part):
                found.append((head, ast.unparse(part)))
            head += "?"
    return found


def _parts(node: ast.expr) -> Iterator[str | ast.expr]:
    """The texts and values of an expression that gives a text; a value alone is one value."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for each in node.values:
            yield from _parts(each.value if isinstance(each, ast.FormattedValue) else each)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _parts(node.left)
        yield from _parts(node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        yield from _filled(node.left, _OLD_BLANK, given)
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "format"
    ):
        given = [*node.args, *(each.value for each in node.keywords)]
        yield from _filled(node.func.value, _NEW_BLANK, given)
    else:
        yield node


def _filled(
    form: ast.expr, blank: re.Pattern[str], given: list[ast.expr]
) -> Iterator[str | ast.expr]:
    """A form with its blanks, each taken for the value at its place."""
    if not isinstance(form, ast.Constant) or not isinstance(form.value, str) or not given:
        yield form
        return
    seen = 0
    for at, found in enumerate(blank.finditer(form.value)):
        yield form.value[seen : found.start()]
        yield given[min(at, len(given) - 1)]
        seen = found.end()
    yield form.value[seen:]


def _may_be_input(node: ast.expr) -> bool:
    """Whether it is no constant, number or length."""
    if isinstance(node, ast.Constant):
        return False
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id not in ("int", "float", "len", "bool", "id", "hash")
    return True
