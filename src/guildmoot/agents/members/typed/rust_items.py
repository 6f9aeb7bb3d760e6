"""Items that a module of a crate does not have, while an import or a path asks it for them. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from guildmoot.agents.members.typed.model import View
from guildmoot.agents.members.typed.rust_names import OWN, Module, crate_of, imports_of, is_own
from guildmoot.agents.members.typed.rust_shapes import named
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_ROOTS = ("mod.rs", "lib.rs", "main.rs")
_KEYWORDS = OWN | {"Self"}


class ItemAsk(NamedTuple):
    """A path to an item."""

    module: Module
    name: str
    line: int
    inner: bool
    """Whether it stands in a module that the file holds, whose paths begin elsewhere."""


def item_asks(root: Node) -> Iterator[ItemAsk]:
    """Of imports, and of paths whose last part but one is a module."""
    for node in walk(root):
        if node.type == "use_declaration":
            yield from _imported(node)
        elif node.type == "scoped_identifier" and not _is_part(node):
            *module, name = text_of(node).split("::")
            if module and all(re.fullmatch(r"[a-z_]\w*", each) for each in module):
                yield ItemAsk(tuple(module), name, line_of(node), _is_inner(node))


def _imported(node: Node) -> Iterator[ItemAsk]:
    lines = {text_of(each): line_of(each) for each in walk(node) if each.type == "identifier"}
    for path in imports_of(node).names.values():
        if len(path) > 1:
            line = lines.get(path[-1], line_of(node))
            yield ItemAsk(path[:-1], path[-1], line, _is_inner(node))


def _is_part(node: Node) -> bool:
    """Whether it is a part of a longer path, or of an import."""
    around = node.parent
    if around is not None and around.type.startswith("scoped_"):
        return True
    while around is not None and around.type not in ("use_declaration", "block", "source_file"):
        around = around.parent
    return around is not None and around.type == "use_declaration"


def _is_inner(node: Node) -> bool:
    around = node.parent
    while around is not None and around.type != "mod_item":
        around = around.parent
    return around is not None


def lacks(ask: ItemAsk, path: str, view: View) -> bool:
    """Whether the module is a file of the crate that has no such item."""
    root = view.root(path)
    if root is None or ask.name in _KEYWORDS:
        return False
    module = ask.module
    taken = imports_of(root).names
    if module[0] in taken and module[0] not in OWN:
        module = (*taken[module[0]], *module[1:])
    is_relative = not module or module[0] in ("self", "super")
    if not module or (ask.inner and is_relative) or not is_own(module[0], path, view):
        return False
    homes = [each for each in _files(module, path, view) if view.text(each)]
    if not homes or any(_may_have(each, ask.name, path, view) for each in homes):
        return False
    # a macro stands at the root wherever it is made, and what gets the name elsewhere may be meant
    made = (f"macro_rules! {ask.name}", f" as {ask.name}")
    texts = map(view.text, view.holds(ask.name))
    return not any(each in text for text in texts for each in made)


def _files(module: Module, path: str, view: View) -> list[str]:
    """Where a module lies; empty where it is not a file that the path alone leads to."""
    base = posixpath.basename(path)
    own = posixpath.dirname(path) if base in _ROOTS else path.removesuffix(".rs")
    first, rest = module[0], list(module[1:])
    crate = posixpath.join(crate_of(path), "src")
    if first == "super":
        own = posixpath.dirname(own)
        while rest[:1] == ["super"]:
            own, rest = posixpath.dirname(own), rest[1:]
    elif first == "crate":
        own = crate if path.startswith(f"{crate}/") and "/bin/" not in path else ""
    elif first != "self" and f"mod {first}" in view.text(path):
        rest = [first, *rest]
    elif first != "self":
        own = crate  # by the name of the crate
    if not own or any(each in OWN for each in rest):
        return []
    stem = posixpath.join(own, *rest)
    if stem == crate:
        return [f"{crate}/lib.rs", f"{crate}/main.rs"]
    return [f"{stem}.rs", f"{stem}/mod.rs"]


def _may_have(path: str, name: str, asker: str, view: View) -> bool:
    root, within = view.root(path), _is_within(asker, path)
    if root is None:
        return True
    for node in root.named_children:
        inner = node.named_children[0] if node.type == "expression_statement" else node
        if inner.type == "macro_invocation" or named(inner) == name:
            return True
        if inner.type == "use_declaration":
            taken = imports_of(inner)
            public = any(each.type == "visibility_modifier" for each in inner.children)
            if name in taken.names or (taken.globs and (public or within)):
                return True
        if inner.type in ("extern_crate_declaration", "foreign_mod_item", "ERROR"):
            return True
    return False


def _is_within(asker: str, path: str) -> bool:
    """Whether a file lies in the module of another, and so sees what that one takes in for itself."""
    folder, base = posixpath.split(path)
    return asker == path or asker.startswith(f"{folder if base in _ROOTS else path[:-3]}/")


def items_of(root: Node) -> set[str]:
    """Names of items at the top of a file."""
    return {name for node in root.named_children if (name := named(node))}
