"""Members of Python that a class no longer has and its methods still ask for, and misspelt ones. Pure."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from guildmoot.agents.members.slips import Slip, slipped_words
from guildmoot.agents.python.modules import Function
from guildmoot.named import NamedTuple

_HOOKS = frozenset(("__getattr__", "__getattribute__", "__slots__", "__init_subclass__"))
_OWNERS = ("self", "cls")


class LostMember(NamedTuple):
    """A member that is asked for in vain."""

    name: str
    line: int
    of: str
    """The class."""
    new: bool
    """Whether the class never had it."""


def lost_members(before: ast.Module, after: ast.Module) -> Iterator[LostMember]:
    """What a class without classes above it had, or never had; what another class of the file has may be mixed in."""
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
        if old is None or not plain or _own(node) & _HOOKS or _is_set_by_name(node):
            continue
        methods = {each.name for each in old.body if isinstance(each, Function)}
        had = methods | _set_on_self(old)
        whole = any(isinstance(each, Function) and each.name == "__init__" for each in node.body)
        gone = (had | (_new_words(old, node) if whole else set())) - names - set_names
        told = set[str]()
        for asked in ast.walk(node) if gone else ():
            if (
                isinstance(asked, ast.Attribute)
                and isinstance(asked.ctx, ast.Load)
                and asked.attr in gone - told
                and isinstance(asked.value, ast.Name)
                and asked.value.id in _OWNERS
            ):
                told.add(asked.attr)
                yield LostMember(asked.attr, asked.lineno, name, asked.attr not in had)


def slipped_members(
    tree: ast.Module, before: str, after: str, others: Callable[[str], list[str]]
) -> Iterator[Slip]:
    """Members and names of arguments that a change misspelt, whatever they belong to."""
    places = set[tuple[int, int]]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            end = node.end_col_offset or 0
            places.add((node.end_lineno or 0, end - len(node.attr.encode())))
        elif isinstance(node, ast.keyword):
            places.add((node.lineno, node.col_offset))
    for slip in slipped_words(before, after, others):
        if (slip.line, slip.column) in places:
            yield slip


def _classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}


def _new_words(old: ast.ClassDef, new: ast.ClassDef) -> set[str]:
    """Members that are named in the one and not in the other."""
    then, now = (
        {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
        for node in (old, new)
    )
    return {name for name in now - then if name[:2] != "__"}


def _is_set_by_name(node: ast.ClassDef) -> bool:
    """Whether it may get members that are written nowhere."""
    named = (getattr(each, "id", getattr(each, "attr", "")) for each in ast.walk(node))
    return any(name in ("setattr", "vars", "__dict__") for name in named)


def _set_on_self(node: ast.ClassDef) -> set[str]:
    """What its methods set on an object of it."""
    return {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
        and each.value.id in _OWNERS
    }


def _own(node: ast.ClassDef) -> set[str]:
    """What the body of a class names."""
    functions = {each.name for each in ast.walk(node) if isinstance(each, Function)}
    stored = {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return functions | stored
