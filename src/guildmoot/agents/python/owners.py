"""Which module or class of the repository a dotted name means, and all names that it has. Pure.

Nothing is said where it is not certain: where a name is bound twice, may lie in two places or comes from elsewhere.
"""

from __future__ import annotations

import ast
import builtins
import enum
import posixpath
import sys
from abc import ABCMeta
from collections import Counter
from functools import lru_cache

from guildmoot.agents.python.modules import (
    Module,
    Read,
    class_names,
    module_paths,
    set_attributes,
)
from guildmoot.named import NamedTuple

_DYNAMIC = frozenset(("locals", "vars", "globals"))
_HOOKS = frozenset(("__init_subclass__", "__slots__"))
_MARKS = frozenset(("dataclass", "unique", "final", "total_ordering", "runtime_checkable"))
_OF_ANY_CLASS = frozenset((*dir(type), *dir(ABCMeta)))
_OF_ENUM = frozenset((*dir(enum.Enum), *dir(int), *dir(str), "name", "value"))
_OUTSIDE = {
    **{f"enum.{kind}": _OF_ENUM for kind in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")},
    **dict.fromkeys(("typing.Generic", "typing.Protocol", "abc.ABC"), _OF_ANY_CLASS),
    "typing.NamedTuple": frozenset(dir(tuple)),
}


class NameOwner(NamedTuple):
    """A module, or a class at its top."""

    module: Module
    kind: ast.ClassDef | None


def dotted(node: ast.expr) -> tuple[str, ...]:
    """The words of a dotted name; none for anything else."""
    words = list[str]()
    while isinstance(node, ast.Attribute):
        words.append(node.attr)
        node = node.value
    return (*(node.id, *reversed(words)),) if isinstance(node, ast.Name) else ()


def owner_of(module: Module, words: tuple[str, ...], read: Read) -> NameOwner | None:
    """What a dotted name at the top of a file means."""
    if module.open:
        return None
    whole = whole_imports(module.tree)
    firsts = Counter(name.partition(".")[0] for name in whole)
    if firsts[words[0]]:
        at = next((at for at in range(len(words), 1, -1) if ".".join(words[:at]) in whole), 0)
        if not at or module.bound[words[0]] != firsts[words[0]]:
            return None
        owner = _part(module, ".".join(words[: at - 1]), words[at - 1], read, 4)
    else:
        at, owner = 1, _named(module, words[0], read, 4)
    for name in words[at:]:
        if owner is None or owner.kind is not None:
            return None
        owner = _named(owner.module, name, read, 3)
    return owner


@lru_cache(maxsize=8)
def whole_imports(tree: ast.Module) -> tuple[str, ...]:
    """Modules that are imported under their whole dotted names."""
    aliases = (each for node in tree.body if isinstance(node, ast.Import) for each in node.names)
    return tuple(each.name for each in aliases if "." in each.name and not each.asname)


def _named(module: Module, name: str, read: Read, hops: int) -> NameOwner | None:
    if module.open or module.bound[name] != 1 or not hops:
        return None
    if name in module.classes:
        return NameOwner(module, module.classes[name])
    what = module.imports.get(name)
    if what is None:
        return None
    if what.name:
        return _part(module, what.module, what.name, read, hops)
    found = _file(module, what.module, read)
    return NameOwner(found, None) if found else None


def _part(module: Module, package: str, name: str, read: Read, hops: int) -> NameOwner | None:
    """What a package binds under a name hides its file of that name."""
    holder = _file(module, package, read, own=True)
    if holder is not None and holder is not module:
        if holder.open or "__getattr__" in holder.bound:
            return None
        if holder.bound[name]:
            return _named(holder, name, read, hops - 1)
    found = _file(module, f"{package}{'' if package.endswith('.') else '.'}{name}", read)
    return NameOwner(found, None) if found else None


def _file(module: Module, name: str, read: Read, *, own: bool = False) -> Module | None:
    """The one file that an import can mean; a folder in between may hold another of that name."""
    paths = module_paths(module.path, name)
    if name[:1] != ".":
        if name.partition(".")[0] in sys.stdlib_module_names:
            return None
        tail, folder = name.replace(".", "/"), posixpath.dirname(module.path)
        while folder:
            paths += [f"{folder}/{tail}.py", f"{folder}/{tail}/__init__.py"]
            folder = posixpath.dirname(folder)
    found = [each for each in map(read, dict.fromkeys(paths)) if each is not None]
    if len(found) != 1 or (found[0] is module and not own):
        return None
    usual = found[0].path in module_paths(module.path, name)
    return found[0] if usual and read(f"{found[0].path}i") is None else None


def lacks(owner: NameOwner, name: str, read: Read) -> bool:
    """Whether it certainly has no such name."""
    module = owner.module
    if name in (module.bound if owner.kind is None else class_names(owner.kind)):
        return False
    if module.open or _is_dynamic(module.tree) or name in set_attributes(module.tree):
        return False
    if owner.kind is not None:
        has = _members(module, owner.kind, read, 5)
        return has is not None and name not in has and name[0] != "_"
    folder = posixpath.dirname(module.path)
    below = (posixpath.join(folder, f"{name}.py"), posixpath.join(folder, name, "__init__.py"))
    if module.path.endswith("__init__.py") and any(map(read, below)):
        return False
    return "__getattr__" not in module.bound and name[:2] != "__"


@lru_cache(maxsize=512)
def _is_dynamic(tree: ast.Module) -> bool:
    """Whether it may set names that are written nowhere."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id == "exec" or (node.func.id in _DYNAMIC and not node.args):
            return True
        first = node.args[0] if node.args else None
        if node.func.id == "setattr" and getattr(first, "id", "") != "self":
            return True
    return False


def _members(module: Module, kind: ast.ClassDef, read: Read, hops: int) -> set[str] | None:
    """All names of a class and of those above it, or None where they cannot be listed."""
    own = set(class_names(kind))
    marks = (each.func if isinstance(each, ast.Call) else each for each in kind.decorator_list)
    marked = all(dotted(each)[-1:] and dotted(each)[-1] in _MARKS for each in marks)
    if kind.keywords or not marked or own & _HOOKS or not hops or _is_dynamic(module.tree):
        return None
    own |= set_attributes(module.tree) | _OF_ANY_CLASS
    for base in kind.bases:
        above = _above(module, base, read, hops)
        if above is None:
            return None
        own |= above
    return own


def _above(
    module: Module, base: ast.expr, read: Read, hops: int
) -> set[str] | frozenset[str] | None:
    words = dotted(base.value if isinstance(base, ast.Subscript) else base)
    if not words:
        return None
    built_in = getattr(builtins, words[0], None)
    if len(words) == 1 and not module.bound[words[0]] and isinstance(built_in, type):
        return frozenset(dir(built_in))
    what = module.imports.get(words[0])
    if what is not None and module.bound[words[0]] == 1:
        known = _OUTSIDE.get(".".join(filter(None, (what.module, what.name, *words[1:]))))
        if known is not None:
            return known
    owner = owner_of(module, words, read)
    if owner is None or owner.kind is None:
        return None
    return _members(owner.module, owner.kind, read, hops - 1)
