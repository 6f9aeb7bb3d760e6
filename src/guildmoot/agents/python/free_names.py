"""Names that a file looks up as it runs and that nothing binds which is ever run.

Ruff takes a name for bound that an import for type checkers binds, or a block that nothing comes to, and asks no
further where a file imports all of a module's names or catches NameError.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping

from guildmoot.agents.python.modules import (
    SCOPES,
    Function,
    Module,
    Read,
    bound_names,
    imported_module,
    local_names,
)
from guildmoot.named import NamedTuple

_BUILTINS = frozenset(
    (*dir(builtins), "_", "get_ipython", "display", "aiter", "anext", "WindowsError")
)
_MOST = 3
"""Names of one file that are told."""


class FreeName(NamedTuple):
    """A name that is used and not bound."""

    line: int
    name: str
    kind: str
    """Why ruff is silent: ``dead``, ``star`` or ``caught``."""
    sure: bool
    stars: tuple[str, ...] = ()
    """Modules whose names are imported as a whole and cannot be listed."""


class _Use(NamedTuple):
    line: int
    caught: bool


class _File(NamedTuple):
    """What a module looks up and binds."""

    uses: Mapping[str, _Use]
    bound: frozenset[str]
    """All names, wherever they are bound."""
    live: frozenset[str]
    """Those that are bound where something comes to."""
    stars: tuple[str, ...]


def free_names(before: Module | None, after: Module, read: Read) -> Iterator[FreeName]:
    """Those that the change brings, the first use of each."""
    try:
        now, then = _file(after.tree), _file(before.tree) if before else None
    except RecursionError:
        return
    known = _lacking(then) if then else frozenset()
    had_stars = then is not None and bool(then.stars)
    given, unknown = _given(after, now.stars, read)
    if now.stars and had_stars:
        return
    lacking = sorted(_lacking(now) - known - given, key=lambda name: now.uses[name].line)
    for name in lacking[:_MOST]:
        use, is_dead = now.uses[name], name in now.bound
        sure = not (unknown or use.caught) and (not after.open or bool(now.stars))
        if use.caught:
            yield FreeName(use.line, name, "caught", sure=False)
        elif now.stars:
            yield FreeName(use.line, name, "star", sure, unknown or now.stars)
        elif is_dead:
            yield FreeName(use.line, name, "dead", sure)


def _lacking(file: _File) -> frozenset[str]:
    return frozenset(
        name for name in file.uses if name not in file.live | _BUILTINS and name[:2] != "__"
    )


def _given(module: Module, stars: tuple[str, ...], read: Read) -> tuple[set[str], tuple[str, ...]]:
    """The names that the modules give which are imported as a whole, and those modules that cannot be listed."""
    names, unknown = set[str](), list[str]()
    for star in stars:
        target = imported_module(module, star, read)
        if target is None or target.open:
            unknown.append(star)
        else:
            names |= {*target.bound}
    return names, tuple(unknown)


def _file(tree: ast.Module) -> _File:
    bound, stars = set(bound_names(tree.body)), list[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            bound.update(node.names)
        elif isinstance(node, ast.ImportFrom) and any(each.name == "*" for each in node.names):
            stars.append("." * node.level + (node.module or ""))
    dead = {name for block in _dead_blocks(tree.body) for name in bound_names(block)}
    live = bound
    if dead:
        again = list(bound_names(tree.body))
        for block in _dead_blocks(tree.body):
            for name in bound_names(block):
                again.remove(name)
        live = {
            *again,
            *(n for node in ast.walk(tree) if isinstance(node, ast.Global) for n in node.names),
        }
    uses: dict[str, _Use] = {}
    for name, use in sorted(_uses(tree.body, (), caught=False)):
        held = uses.get(name)
        if held is None or (held.caught and not use.caught):
            uses[name] = use
    return _File(uses, frozenset(bound), frozenset(live), tuple(stars))


def _dead_blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Blocks of the top that nothing comes to, the outermost."""
    for node in body:
        if isinstance(node, ast.If | ast.While) and (told := _told(node.test)) is not None:
            yield node.orelse if told else node.body
            yield from _dead_blocks(node.body if told else node.orelse)
        elif isinstance(node, ast.For) and _is_empty(node.iter):
            yield [ast.Expr(node.target), *node.body]
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for field in ("body", "orelse", "finalbody"):
                yield from _dead_blocks(getattr(node, field, []))
            for handler in getattr(node, "handlers", ()):
                yield from _dead_blocks(handler.body)


def _told(test: ast.expr) -> bool | None:
    """What a condition comes to when the file is run, where it says so itself."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _told(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return False if any(_told(each) is False for each in test.values) else None
    if getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING":
        return False
    if isinstance(test, ast.Constant):
        return bool(test.value)
    return None


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple | ast.List) and not node.elts


def _uses(
    nodes: list[ast.AST] | list[ast.stmt] | list[ast.expr],
    scopes: tuple[tuple[frozenset[str], bool], ...],
    *,
    caught: bool,
) -> Iterator[tuple[str, _Use]]:
    """Names that are looked up at the top as the file is run; annotations may never be."""
    for node in nodes:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and not any(node.id in names for names, _ in scopes):
                yield node.id, _Use(node.lineno, caught)
        elif isinstance(node, Function):
            arguments = node.args
            outer = [
                *node.decorator_list,
                *arguments.defaults,
                *filter(None, arguments.kw_defaults),
            ]
            yield from _uses(outer, scopes, caught=caught)
            own = {*local_names(node), *_parameters_of_type(node)}
            yield from _uses(node.body, _below(scopes, own), caught=caught)
        elif isinstance(node, ast.ClassDef):
            outer = [*node.decorator_list, *node.bases, *(each.value for each in node.keywords)]
            kinds = frozenset(_parameters_of_type(node))
            yield from _uses(outer, (*scopes, (kinds, False)), caught=caught)
            members = frozenset(bound_names(node.body))
            within = (*scopes, (kinds, False), (members, True))
            yield from _uses(node.body, within, caught=caught)
        elif isinstance(node, SCOPES):
            children = [*ast.iter_child_nodes(node)]
            yield from _uses(
                children, (*scopes, (frozenset(local_names(node)), False)), caught=caught
            )
        elif (
            isinstance(node, ast.If | ast.While | ast.IfExp)
            and (told := _told(node.test)) is not None
        ):
            yield from _uses([node.test], scopes, caught=caught)
            chosen = node.body if told else node.orelse
            yield from _uses(
                chosen if isinstance(chosen, list) else [chosen], scopes, caught=caught
            )
        elif isinstance(node, ast.BoolOp) and _told(node) is False:
            continue
        elif isinstance(node, ast.Try):
            yield from _uses(node.body, scopes, caught=caught or any(map(_catches, node.handlers)))
            rest = [*node.handlers, *node.orelse, *node.finalbody]
            yield from _uses(rest, scopes, caught=caught)
        elif isinstance(node, ast.AnnAssign):
            yield from _uses([node.target, *filter(None, [node.value])], scopes, caught=caught)
        elif type(node).__name__ != "TypeAlias":
            yield from _uses([*ast.iter_child_nodes(node)], scopes, caught=caught)


def _below(
    scopes: tuple[tuple[frozenset[str], bool], ...], own: set[str]
) -> tuple[tuple[frozenset[str], bool], ...]:
    """What a function sees: the names of a class around it are none of its."""
    return (*(each for each in scopes if not each[1]), (frozenset(own), False))


def _parameters_of_type(node: ast.AST) -> list[str]:
    return [each.name for each in getattr(node, "type_params", ())]


def _catches(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(getattr(kind, "id", "") == "NameError" for kind in kinds)
