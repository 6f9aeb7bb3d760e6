"""What a file asks of modules and classes of its repository that they do not have. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial

from guildmoot.agents.python.modules import (
    SCOPES,
    Module,
    Read,
    bound_names,
    class_names,
    local_names,
)
from guildmoot.agents.python.owners import dotted, lacks, owner_of, whole_imports
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

_EXPECTS = frozenset(("raises", "assertRaises", "assertRaisesRegex", "suppress", "warns"))
_CAUGHT = lazy(r"'(AttributeError|ImportError|ModuleNotFoundError|NameError|Exception)'")
_ASKED_FIRST = lazy(r"\b(hasattr|getattr|setattr|delattr)\(|\bcreate=True|\braising=False")


class Unfound(NamedTuple):
    """A name that is asked for in vain."""

    line: int
    name: str
    said: str
    """The dotted name as it stands there."""
    of: str
    """The class, or the path of the module."""
    path: str
    """Where that lies."""
    package: bool
    """Whether it is a package, which may hold more than its file says."""


def unfound(
    module: Module, text: str, reads: Callable[[int, int], Read], read: Read
) -> Iterator[Unfound]:
    """In the order of their lines; ``reads`` says how far each is followed at first, by its lines."""
    roots = {*module.imports, *module.classes}
    roots |= {name.partition(".")[0] for name in whole_imports(module.tree)}
    means = cache(partial(owner_of, module))
    asks_first = _ASKED_FIRST.search(text) is not None
    for node, words in _asked(module.tree):
        if words[0] not in roots:
            continue
        near = reads(node.lineno, node.end_lineno or node.lineno)
        if means(words[:-1], near) is None:
            continue
        owner, name = means(words[:-1], read), words[-1]
        if owner is None or not lacks(owner, name, read) or _is_set(text, name):
            continue
        if asks_first and re.search(rf"""["']{name}["']""", text):
            continue
        path, whole = owner.module.path, owner.kind is None
        package = whole and path.endswith("__init__.py")
        of = path if owner.kind is None else owner.kind.name
        yield Unfound(node.lineno, name, ".".join(words), of, path, package)


def lost_names(before: Module, after: Module) -> list[str]:
    """What the top of a file and its classes bound and bind no more, functions and classes first."""
    gone = [name for name in before.bound if name not in after.bound]
    gone.sort(key=lambda name: name not in before.functions and name not in before.classes)
    for name, kind in before.classes.items():
        now = after.classes.get(name)
        if now is not None:
            left = {*bound_names(now.body)}
            gone += [each for each in bound_names(kind.body) if each not in left]
    return list(dict.fromkeys(gone))


def may_set(text: str, name: str, of: str) -> bool:
    """Whether a file may give another's module or class that name."""
    by_name = rf"(?<![\w.])setattr\(\s*[\w.]*\b({re.escape(of)}\b|[^)]*[\"']{name}[\"'])"
    return _is_set(text, name) or re.search(by_name, text) is not None


def _is_set(text: str, name: str) -> bool:
    return re.search(rf"\.{name}\s*(:[^=\n]*)?=(?!=)", text) is not None


_Asked = tuple[ast.Attribute, tuple[str, ...]]


@lru_cache(maxsize=64)
def _asked(tree: ast.Module) -> list[_Asked]:
    """Attributes of names of the top, where nothing hides these and no failure is foreseen; it is walked once."""
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(each, frozenset()) for each in tree.body]
    found = list[_Asked]()
    while waiting:
        node, shadows = waiting.pop()
        if _is_guarded(node):
            continue
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            words = dotted(node)
            if words and words[0] not in shadows:
                found.append((node, words))
        if isinstance(node, SCOPES):
            shadows |= local_names(node)
        elif isinstance(node, ast.ClassDef):
            shadows |= class_names(node)
        waiting += [(each, shadows) for each in ast.iter_child_nodes(node)]
    return sorted(found, key=lambda each: each[0].lineno)


def _is_guarded(node: ast.AST) -> bool:
    """Whether what is below may be missing: that is caught, or tested."""
    if isinstance(node, ast.With | ast.AsyncWith):
        return any(_is_guarded(each.context_expr) for each in node.items)
    if isinstance(node, ast.Try):
        kinds = (each.type for each in node.handlers)
        return any(each is None or _CAUGHT.search(ast.dump(each)) for each in kinds)
    if isinstance(node, ast.Call):
        called = node.func
        name = getattr(called, "attr", getattr(called, "id", ""))
        return name in _EXPECTS
    return False
