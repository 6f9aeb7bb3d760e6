"""Calls of Java."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from guildmoot.agents.members.arguments import given_calls
from guildmoot.agents.members.fit import Forms
from guildmoot.agents.members.typed.java import enclosing, files_of, type_parameters
from guildmoot.agents.members.typed.java_shapes import plain
from guildmoot.agents.members.typed.model import MADE, TypedCall, Types, Written, taken_around
from guildmoot.agents.parsing.walk import line_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


_STATIC = r"(?m)^\s*import\s+static\s+([\w.]+)\.{0}\s*;"


class JavaCalls:
    """Of methods, of those of the class around and those above it, and of constructors."""

    many = True

    def calls(self, root: Node) -> Iterator[TypedCall]:
        for node, name, values in given_calls(root, "method_invocation", "name"):
            owner = node.child_by_field_name("object")
            if owner is None:
                yield TypedCall(name, "", line_of(name), len(values))
            elif owner.type != "super":
                yield TypedCall(owner, f"{text_of(name)}()", line_of(name), len(values))
        for node, kind, values in given_calls(root, "object_creation_expression", "type"):
            written = plain(kind)
            whole = node.children[0].type == "new" and written not in type_parameters(node)
            if written and whole:
                yield TypedCall(kind, MADE, line_of(kind), len(values), of=written)
        kinds = ("explicit_constructor_invocation", "constructor")
        for node, word, values in given_calls(root, *kinds):
            written = _above(node) if word.type == "super" else next(iter(enclosing(node)), "")
            if written:
                yield TypedCall(word, MADE, line_of(node), len(values), of=written)

    def functions(self, root: Node) -> Mapping[str, Forms]:
        return {}

    def function(self, called: Node, path: str, types: Types) -> Forms | None:
        name = f"{text_of(called)}()"
        found = taken_around(name, enclosing(called), path, types)
        return _imported(text_of(called), path, types) if found == () else found


def _imported(name: str, path: str, types: Types) -> Forms | None:
    """What a method takes that a file imports by its name."""
    homes = re.findall(_STATIC.format(re.escape(name)), types.view.text(path))
    for home in homes if len(homes) == 1 else ():
        owner = home.rpartition(".")[2]
        for file in files_of(home.rpartition(".")[0], owner, types.view.holds(owner)):
            members = types.members(Written(owner, file))
            found = members.get(f"{name}()") if members is not None else None
            return found.takes if found is not None else None
    return None


def _above(node: Node) -> str:
    """The class that the nearest one takes after."""
    around: Node | None = node
    while around is not None and around.type != "class_declaration":
        around = around.parent
    above = around.child_by_field_name("superclass") if around is not None else None
    return plain(above.named_children[0]) if above is not None and above.named_children else ""
