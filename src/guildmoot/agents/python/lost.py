"""What a function did before a change and no longer does: give a value, pass a failure on, close what it opens."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from guildmoot.agents.python.modules import Function
from guildmoot.named import NamedTuple

_ENDS = frozenset(("exit", "_exit", "abort", "fail", "skip", "assert_never"))
_READS = frozenset(("read", "readline", "readlines", "write", "writelines"))
_CLOSED = frozenset(("open", "socket", "connect", "urlopen", "fdopen", "create_connection"))


class Loss(NamedTuple):
    """One of these."""

    line: int
    code: str
    message: str


def losses(
    before: ast.Module, after: ast.Module, old_text: str = "", text: str = ""
) -> Iterator[Loss]:
    """What functions of the same name no longer do; with the texts those that stand as they were cost nothing."""
    earlier, now = dict(_functions(before)), dict(_functions(after))
    old_rows, rows = old_text.split("\n"), text.split("\n")
    for name, function in now.items():
        old = earlier.get(name)
        if old and text and _rows(old, old_rows) == _rows(function, rows):
            continue
        yield from _opened(old, function)
        if old is None or ast.dump(old) == ast.dump(function):
            continue
        yield from _lost_return(old, function)
        yield from _swallowed(old, function)
        yield from _silenced(old, function)
        yield from _left_open(old, function)


def _rows(function: Function, rows: Sequence[str]) -> Sequence[str]:
    return rows[function.lineno - 1 : function.end_lineno]


def _functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """Each function by its names from the top; where one stands twice, neither."""
    found = list[tuple[str, Function]]()
    waiting: list[tuple[str, ast.AST]] = [("", each) for each in tree.body]
    while waiting:
        above, node = waiting.pop()
        inside = above
        if isinstance(node, Function | ast.ClassDef):
            inside = f"{above}.{node.name}"
            if isinstance(node, Function):
                found.append((inside, node))
        below = ast.iter_child_nodes(node)
        waiting += [(inside, each) for each in below if not isinstance(each, ast.expr)]
    counts = Counter(name for name, _ in found)
    return ((name, function) for name, function in reversed(found) if counts[name] == 1)


def _lost_return(old: Function, new: Function) -> Iterator[Loss]:
    if not _gives_value(old) or may_fall_through(old.body) or not may_fall_through(new.body):
        return
    if isinstance(new.returns, ast.Constant) and new.returns.value is None:
        return
    if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in own_nodes(new)):
        return
    where = "on one way through" if _gives_value(new) else "always"
    message = f"`{new.name}` gave a value on every way through; now it gives None {where}"
    yield Loss(new.lineno, "return-lost", message)


def _gives_value(function: Function) -> bool:
    returns = (each for each in own_nodes(function) if isinstance(each, ast.Return))
    return any(each.value is not None and not _is_none(each.value) for each in returns)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """What lies in a function and in no function or class below it."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def may_fall_through(body: Sequence[ast.stmt]) -> bool:
    """Whether the statements may be left at their end."""
    return all(map(_goes_on, body))


def _goes_on(node: ast.stmt) -> bool:
    if isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return False
    if isinstance(node, ast.If):
        return may_fall_through(node.body) or may_fall_through(node.orelse)
    if isinstance(node, ast.While):
        always = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return not always or any(isinstance(each, ast.Break) for each in ast.walk(node))
    if isinstance(node, ast.With | ast.AsyncWith):
        return may_fall_through(node.body)
    if isinstance(node, ast.Try):
        if node.finalbody and not may_fall_through(node.finalbody):
            return False
        whole = may_fall_through([*node.body, *node.orelse])
        return whole or any(may_fall_through(each.body) for each in node.handlers)
    if isinstance(node, ast.Match):
        last = node.cases[-1]
        every = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
        open_ended = not every or last.guard is not None
        return open_ended or any(may_fall_through(case.body) for case in node.cases)
    if isinstance(node, ast.Assert):
        return not (isinstance(node.test, ast.Constant) and not node.test.value)
    return not (isinstance(node, ast.Expr) and _name(node.value) in _ENDS)


def _name(node: ast.expr) -> str:
    """Of what a call calls."""
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else ""


def _swallowed(old: Function, new: Function) -> Iterator[Loss]:
    """A handler that passed the failure on and now drops it."""
    raised = Counter(_kind(each) for each in _handlers(old) if _raises(each))
    still = Counter(_kind(each) for each in _handlers(new) if _raises(each))
    silent = Counter(_kind(each) for each in _handlers(old) if _is_silent(each))
    for handler in _handlers(new):
        kind = _kind(handler)
        if not _is_silent(handler):
            continue
        if silent[kind]:
            silent[kind] -= 1
        elif raised[kind] > still[kind]:
            message = f"`except {kind}` raised before, and now drops the failure without a word"
            yield Loss(handler.lineno, "failure-dropped", message)


def _silenced(old: Function, new: Function) -> Iterator[Loss]:
    """What could fail aloud, and now stands under a handler that drops every failure."""
    guarded = {id(each) for node in own_nodes(old) if _is_try(node) for each in ast.walk(node)}
    aloud = {
        ast.dump(each)
        for each in own_nodes(old)
        if isinstance(each, ast.stmt) and id(each) not in guarded
    }
    for node in own_nodes(new):
        if not isinstance(node, ast.Try | ast.TryStar):
            continue
        handler = next(
            (each for each in node.handlers if _is_silent(each) and _is_broad(each)), None
        )
        said = next((each for each in node.body if ast.dump(each) in aloud), None)
        if handler and said:
            message = (
                f"whatever `{ast.unparse(said).partition(chr(10))[0][:60]}` raises was passed on before;"
                f" `except {_kind(handler)}` now drops it without a word"
            )
            yield Loss(handler.lineno, "failure-dropped", message)


def _is_try(node: ast.AST) -> bool:
    return isinstance(node, ast.Try | ast.TryStar)


def _is_broad(handler: ast.ExceptHandler) -> bool:
    return _kind(handler) in ("Exception", "BaseException")


def _handlers(function: Function) -> list[ast.ExceptHandler]:
    found = [each for each in own_nodes(function) if isinstance(each, ast.ExceptHandler)]
    return sorted(found, key=lambda each: each.lineno)


def _kind(handler: ast.ExceptHandler) -> str:
    return ast.unparse(handler.type) if handler.type else "BaseException"


def _raises(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(each, ast.Raise) for each in ast.walk(handler))


def _is_silent(handler: ast.ExceptHandler) -> bool:
    return all(isinstance(each, ast.Pass | ast.Continue) for each in handler.body)


def _left_open(old: Function, new: Function) -> Iterator[Loss]:
    """What a ``with`` closed and now nothing does."""
    held = Counter(
        ast.unparse(item.context_expr)
        for each in own_nodes(old)
        if isinstance(each, ast.With | ast.AsyncWith)
        for item in each.items
        if _name(item.context_expr) in _CLOSED
    )
    for node in own_nodes(new):
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            continue
        opened, name = ast.unparse(node.value), node.targets[0].id
        if held[opened] and not _is_handed_on(new, name):
            message = f"`with` closed `{opened[:60]}` before, and now nothing does"
            yield Loss(node.lineno, "no-longer-closed", message)


def _opened(old: Function | None, new: Function) -> Iterator[Loss]:
    """``open(path).read()``, which nobody can close, where the function did not do so before."""
    known = Counter(ast.unparse(each) for each in _chained(old)) if old else Counter[str]()
    for call in _chained(new):
        known[ast.unparse(call)] -= 1
        if known[ast.unparse(call)] < 0:
            message = f"nothing closes `{ast.unparse(call)[:60]}`; open it with `with`"
            yield Loss(call.lineno, "left-open", message)


def _chained(function: Function) -> Iterator[ast.Call]:
    """Each ``open(...)`` of a function whose result is read or written at once."""
    for node in own_nodes(function):
        opened = node.value if isinstance(node, ast.Attribute) and node.attr in _READS else None
        if isinstance(opened, ast.Call) and ast.unparse(opened.func) == "open":
            yield opened


def _is_handed_on(function: Function, name: str) -> bool:
    """Whether the function closes what the name holds, or gives it to somebody who may."""
    for node in own_nodes(function):
        if isinstance(node, ast.Attribute) and _is(node.value, name):
            if node.attr in ("close", "__exit__", "detach"):
                return True
        elif isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            if _is(node.value, name):
                return True
        elif isinstance(node, ast.Call) and any(_is(each, name) for each in node.args):
            if _name(node) in ("closing", "enter_context", "push", "callback"):
                return True
        elif isinstance(node, ast.withitem) and _is(node.context_expr, name):
            return True
    return False


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
