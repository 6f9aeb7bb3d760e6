"""Calls of C#."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from guildmoot.agents.members.arguments import given_calls, listed
from guildmoot.agents.members.fit import Forms
from guildmoot.agents.members.typed.csharp import CSharpTypes, enclosing, type_parameters
from guildmoot.agents.members.typed.model import MADE, TypedCall, Types, taken_around
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.agents.scopes.csharp_types import KINDS, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_WORDS = ("identifier", "generic_name")


class CSharpCalls:
    """Of methods, of those of the type around, and of constructors."""

    many = True

    def __init__(self) -> None:
        self._types = CSharpTypes()

    def calls(self, root: Node) -> Iterator[TypedCall]:
        for _, called, values in given_calls(root, "invocation_expression"):
            owner, name = (called.child_by_field_name(each) for each in ("expression", "name"))
            if called.type in _WORDS:
                yield _call(called, "", called, values)
            elif called.type == "member_access_expression" and owner is not None and name:
                yield _call(owner, text_of(name).partition("<")[0], name, values)
        for _, kind, values in given_calls(root, "object_creation_expression", "type"):
            yield from _made(kind, values)
        for node in walk(root):
            if node.type == "implicit_object_creation_expression":
                yield from _made(_declared(node), _values(node))
            elif node.type == "constructor_initializer":
                yield from _handed_on(node)

    def functions(self, root: Node) -> Mapping[str, Forms]:
        return {}

    def function(self, called: Node, path: str, types: Types) -> Forms | None:
        name = text_of(called).partition("<")[0]
        if self._types.bound(called, name):
            return None
        return taken_around(name, enclosing(called), path, types) or None


def _call(owner: Node, name: str, at: Node, values: list[Node], of: str = "") -> TypedCall:
    words = (each.child_by_field_name("name") for each in values)
    named = tuple(text_of(each) for each in words if each is not None)
    return TypedCall(owner, name, line_of(at), len(values), named=named, of=of)


def _made(kind: Node | None, values: list[Node] | None) -> Iterator[TypedCall]:
    written = plain(kind)
    if kind is None or values is None or written in ("", *type_parameters(kind)):
        return
    yield _call(kind, MADE, kind, values, written)


def _values(node: Node) -> list[Node] | None:
    return next((listed(e) for e in node.named_children if e.type == "argument_list"), None)


def _declared(made: Node) -> Node | None:
    """The type of the variable that is given what is made."""
    holder = made.parent.parent if made.parent is not None else None
    is_variable = holder is not None and holder.type == "variable_declaration"
    return holder.child_by_field_name("type") if holder is not None and is_variable else None


def _handed_on(node: Node) -> Iterator[TypedCall]:
    """What a constructor gives to another of its type, or to that of the type above."""
    around: Node | None = node
    while around is not None and around.type not in KINDS:
        around = around.parent
    words, values = {each.type for each in node.children}, _values(node)
    if around is None or values is None or node.has_error:
        return
    above = next((each for each in around.named_children if each.type == "base_list"), None)
    if "this" in words:
        yield _call(node, MADE, node, values, next(iter(enclosing(node)), ""))
    elif above is not None and above.named_children:
        yield from _made(above.named_children[0], values)
