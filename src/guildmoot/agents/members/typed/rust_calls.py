"""Calls of Rust."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from guildmoot.agents.members.fit import Forms
from guildmoot.agents.members.typed.model import MORE, TypedCall, Types
from guildmoot.agents.members.typed.rust import function_at
from guildmoot.agents.members.typed.rust_asks import is_type
from guildmoot.agents.members.typed.rust_bindings import bound_to
from guildmoot.agents.members.typed.rust_shapes import children, functions_of, taken
from guildmoot.agents.parsing.walk import line_of, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


class RustCalls:
    """Of functions, of methods by their value, and of what a type has by its name."""

    many = False

    def calls(self, root: Node) -> Iterator[TypedCall]:
        for node in walk(root):
            called = node.child_by_field_name("function")
            if node.type != "call_expression" or called is None or node.has_error:
                continue
            if called.type == "generic_function":
                called = called.child_by_field_name("function") or called
            given = children(node.child_by_field_name("arguments"))
            if not any(each.type == "attribute_item" for each in given):
                yield from _call(called, line_of(node), len(given))

    def functions(self, root: Node) -> Mapping[str, Forms]:
        found = functions_of(root).items()
        bounds = {name: taken(each[0]) for name, each in found if len(each) == 1}
        return {name: each for name, each in bounds.items() if each is not None}

    def function(self, called: Node, path: str, types: Types) -> Forms | None:
        name = text_of(called)
        if bound_to(called, name) is not None:
            return None
        found = function_at(name, path, types.view)
        return taken(found[1]) if found is not None else None


def _call(called: Node, line: int, given: int) -> Iterator[TypedCall]:
    if called.type == "field_expression":
        owner, name = (called.child_by_field_name(each) for each in ("value", "field"))
        if owner is not None and name is not None:
            yield TypedCall(owner, f"{text_of(name)}()", line, given, MORE)
    elif called.type == "scoped_identifier":
        owner, name = (called.child_by_field_name(each) for each in ("path", "name"))
        if owner is not None and name is not None and is_type(owner):
            yield TypedCall(owner, f"::{text_of(name)}", line, given, MORE)
        elif owner is not None and name is not None and text_of(name)[:1].islower():
            yield TypedCall(called, "", line, given)
    elif called.type == "identifier" and text_of(called)[:1].islower():
        yield TypedCall(called, "", line, given)
