"""Whether a call can fit the function that it calls: only what is certain without running anything."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import lru_cache

from guildmoot.agents.python.modules import (
    SCOPES,
    Function,
    Module,
    Read,
    imported_module,
    local_names,
    resolve,
    set_attributes,
    source_of,
)
from guildmoot.named import NamedTuple

_TEXT_RAISES = ("raises", "assertRaises", "assertRaisesRegex", "suppress", "warns")
_PLAIN_BASES = frozenset(("object", "Exception", "ValueError", "RuntimeError", "TypeError"))


class Signature(NamedTuple):
    """What a function takes."""

    name: str
    places: tuple[str, ...]
    """Parameters that can be given by place."""
    only_places: int
    """How many of them cannot be given by name."""
    needed: int
    """How many of them have no default."""
    words: tuple[tuple[str, bool], ...]
    """Parameters by name alone, each with whether it must be given."""
    more_places: bool
    more_words: bool
    line: int


class Misfit(NamedTuple):
    """A call that does not fit what it calls."""

    line: int
    name: str
    said: str
    """The call as it stands there."""
    why: str
    sure: bool
    """It raises; otherwise two arguments seem to be swapped."""


def signature(function: Function, *, bound: bool = False) -> Signature:
    """The signature; ``bound`` leaves out the first parameter, which is the object."""
    given = function.args
    places = [each.arg for each in (*given.posonlyargs, *given.args)]
    skip = 1 if bound and places else 0
    return Signature(
        function.name,
        tuple(places[skip:]),
        max(0, len(given.posonlyargs) - skip),
        max(0, len(places) - len(given.defaults) - skip),
        tuple(
            (each.arg, default is None)
            for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        ),
        given.vararg is not None,
        given.kwarg is not None,
        function.lineno,
    )


def misfit(call: ast.Call, takes: Signature) -> str:
    """Why the call raises, or nothing."""
    if any(isinstance(each, ast.Starred) for each in call.args):
        return ""
    if any(each.arg is None for each in call.keywords):
        return ""
    given, named = len(call.args), [each.arg or "" for each in call.keywords]
    if given > len(takes.places) and not takes.more_places:
        return f"it takes {_count(len(takes.places))} by place, and {given} are given"
    by_name = {*takes.places[takes.only_places :], *(name for name, _ in takes.words)}
    unknown = [name for name in named if name not in by_name]
    if unknown and not takes.more_words:
        return f"it has no parameter `{unknown[0]}`"
    twice = [name for name in named if name in takes.places[takes.only_places : given]]
    if twice:
        return f"`{twice[0]}` is given twice, by place and by name"
    required = (*takes.places[given : takes.needed], *(name for name, must in takes.words if must))
    missing = [name for name in required if name not in named]
    return f"`{missing[0]}` is not given" if missing else ""


def _count(number: int) -> str:
    return {0: "nothing", 1: "one argument"}.get(number, f"{number} arguments")


def misfits(module: Module, text: str, reads: Callable[[int, int], Read]) -> Iterator[Misfit]:
    """The calls of a file that cannot fit, in the order of their lines.

    ``reads`` says how far a call is followed, by its first and last line.
    """
    for call, shadows, owner in _calls(module.tree):
        read = reads(call.lineno, call.end_lineno or call.lineno)
        takes = _callee(module, call.func, shadows, owner, read)
        if takes is None:
            continue
        why, swap = misfit(call, takes), swapped(call, takes)
        if why or swap:
            said = " ".join(source_of(text, call).split())
            yield Misfit(call.lineno, takes.name, said, why or swap, bool(why))


def swapped(call: ast.Call, takes: Signature) -> str:
    """Two arguments that bear each other's names; letters alone are swapped on purpose."""
    given = dict(zip(takes.places, map(_word, call.args), strict=False))
    for name, word in given.items():
        if word != name and given.get(word) == name and len(word) > 1 < len(name):
            return f"`{word}` is given as `{name}`, and `{name}` as `{word}`"
    return ""


def _word(node: ast.expr) -> str:
    """The last name of an argument that is a name or an attribute."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _callee(
    module: Module,
    called: ast.expr,
    shadows: frozenset[str],
    owner: ast.ClassDef | None,
    read: Read,
) -> Signature | None:
    if isinstance(called, ast.Name) and called.id not in shadows:
        if called.id in module.imports:
            found = resolve(module, called.id, read)
            return declared(*found) if found else None
        return declared(module, called.id)
    if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
        return None
    if called.value.id == "self" and owner is not None:
        return _method(owner, called.attr, module)
    alias = called.value.id
    if alias in shadows or module.bound[alias] != 1 or alias not in module.imports:
        return None
    what = module.imports[alias]
    dot = "" if not what.name or what.module.endswith(".") else "."
    target = imported_module(module, f"{what.module}{dot}{what.name}", read)
    return declared(target, called.attr) if target else None


def declared(module: Module, name: str) -> Signature | None:
    """The signature of a function or class at the top of a file that nothing else binds or wraps."""
    if module.bound[name] != 1 or module.open:
        return None
    function = module.functions.get(name)
    if function is not None:
        return None if function.decorator_list else signature(function)
    owner = module.classes.get(name)
    if owner is None or owner.decorator_list or owner.keywords or not _is_plain(owner, module):
        return None
    own = [each for each in owner.body if isinstance(each, Function)]
    if any(each.name in ("__new__", "__call__") for each in own):
        return None
    inits = [each for each in own if each.name == "__init__"]
    if len(inits) != 1 or inits[0].decorator_list or inits[0] not in owner.body:
        return None
    return signature(inits[0], bound=True)._replace(name=name)


def _is_plain(owner: ast.ClassDef, module: Module, hops: int = 4) -> bool:
    """Whether nothing above the class can change how it is made."""
    for base in owner.bases:
        if not isinstance(base, ast.Name):
            return False
        if base.id in _PLAIN_BASES and not module.bound[base.id]:
            continue
        above = module.classes.get(base.id)
        if above is None or module.bound[base.id] != 1 or above.keywords or not hops:
            return False
        if any(isinstance(each, Function) and each.name == "__new__" for each in above.body):
            return False
        if not _is_plain(above, module, hops - 1):
            return False
    return True


def _method(owner: ast.ClassDef, name: str, module: Module) -> Signature | None:
    """Of a method that the class itself declares, once, and that does something."""
    found = [each for each in owner.body if isinstance(each, Function) and each.name == name]
    if len(found) != 1 or owner.decorator_list or not _does_something(found[0]):
        return None
    if name in set_attributes(module.tree):
        return None
    kinds = [each.id for each in found[0].decorator_list if isinstance(each, ast.Name)]
    if len(kinds) != len(found[0].decorator_list) or {*kinds} - {"staticmethod", "classmethod"}:
        return None
    return signature(found[0], bound="staticmethod" not in kinds)


def _does_something(function: Function) -> bool:
    """Whether it is no place holder, which others fill in as they like."""
    kinds = (ast.Pass, ast.Raise)
    return any(
        not isinstance(each, kinds)
        and not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in function.body
    )


_Found = tuple[ast.Call, frozenset[str], ast.ClassDef | None]


@lru_cache(maxsize=64)
def _calls(tree: ast.Module) -> list[_Found]:
    """Each call with the names that hide those of the top there, and the class whose ``self`` is meant."""
    waiting: list[tuple[ast.AST, frozenset[str], ast.ClassDef | None, bool]] = [
        (each, frozenset(), None, False) for each in reversed(tree.body)
    ]
    found: list[_Found] = []
    while waiting:
        node, shadows, owner, expected = waiting.pop()
        if isinstance(node, ast.Call) and not expected:
            found.append((node, shadows, owner))
        inner, below = shadows, owner
        if isinstance(node, SCOPES):
            inner = shadows | local_names(node)
        if isinstance(node, ast.ClassDef):
            below = node
        elif isinstance(node, Function) and owner is not None and node not in owner.body:
            below = owner if "self" not in local_names(node) else None
        expected = expected or _expects(node)
        waiting += [(each, inner, below, expected) for each in ast.iter_child_nodes(node)]
    return sorted(found, key=lambda each: (each[0].lineno, each[0].col_offset))


def _expects(node: ast.AST) -> bool:
    """Whether what is below is meant to fail: a test of the failure, or a handler of a TypeError."""
    if isinstance(node, ast.With | ast.AsyncWith):
        called = (each.context_expr for each in node.items)
        return any(_last_name(each) in _TEXT_RAISES for each in called)
    if isinstance(node, ast.Try):
        return any(
            handler.type is None or "TypeError" in ast.dump(handler.type)
            for handler in node.handlers
        )
    return isinstance(node, ast.Call) and _last_name(node) in _TEXT_RAISES


def _last_name(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else ""
