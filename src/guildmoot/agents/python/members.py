"""Members that a class of Python no longer has and that its own methods still ask for. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.agents.python.modules import Function

_HOOKS = frozenset(("__getattr__", "__getattribute__", "__slots__", "__init_subclass__"))
_OWNERS = ("self", "cls")


class LostMember(NamedTuple):
    """A member that is asked for in vain."""

    name: str
    line: int
    of: str
    """The class."""


def lost_members(before: ast.Module, after: ast.Module) -> Iterator[LostMember]:
    """Methods that a class without classes above it had before; what another class of the file has may be mixed in."""
    earlier = _classes(before)
    found = _classes(after)
    names = {name for each in found.values() for name in _own(each)}
    set_names = {
        node.attr
        for node in ast.walk(after)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    for name, node in found.items():
        old = earlier.get(name)
        plain = not (node.bases or node.keywords or node.decorator_list)
        if old is None or not plain or _own(node) & _HOOKS:
            continue
        methods = {each.name for each in old.body if isinstance(each, Function)}
        gone = methods - names - set_names
        told = set[str]()
        for asked in ast.walk(node) if gone else ():
            if (
                isinstance(asked, ast.Attribute)
                and asked.attr in gone - told
                and isinstance(asked.value, ast.Name)
                and asked.value.id in _OWNERS
            ):
                told.add(asked.attr)
                yield LostMember(asked.attr, asked.lineno, name)


def _classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}


def _own(node: ast.ClassDef) -> set[str]:
    """What the body of a class names."""
    functions = {each.name for each in ast.walk(node) if isinstance(each, Function)}
    stored = {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return functions | stored
