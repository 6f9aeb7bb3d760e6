"""Calls of Go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from guildmoot.agents.members.arguments import given_calls
from guildmoot.agents.members.fit import Forms
from guildmoot.agents.members.typed.go import GoTypes, taken
from guildmoot.agents.members.typed.model import TypedCall, Types, bound_at
from guildmoot.agents.parsing.walk import line_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


class GoCalls:
    """Of functions of the folder and of packages, and of methods."""

    many = False

    def __init__(self) -> None:
        self._types = GoTypes()

    def calls(self, root: Node) -> Iterator[TypedCall]:
        for node, called, values in given_calls(root):
            if len(values) != 1 or values[0].type not in _SEVERAL:
                yield from self._call(called, line_of(node), len(values))

    def _call(self, called: Node, line: int, given: int) -> Iterator[TypedCall]:
        if called.type == "identifier":
            yield TypedCall(called, "", line, given)
        owner, field = (called.child_by_field_name(each) for each in ("operand", "field"))
        if called.type != "selector_expression" or owner is None or field is None:
            return
        is_name = owner.type == "identifier"
        bound = bound_at(owner, text_of(owner), self._types.binds) if is_name else None
        if is_name and bound is None:
            yield TypedCall(called, "", line, given)
        else:
            yield TypedCall(owner, text_of(field), line, given)

    def functions(self, root: Node) -> Mapping[str, Forms]:
        found = {}
        for node in root.named_children:
            name = node.child_by_field_name("name")
            bounds = taken(node) if node.type == "function_declaration" else None
            if name is not None and bounds is not None:
                found[text_of(name)] = bounds
        return found

    def function(self, called: Node, path: str, types: Types) -> Forms | None:
        name = text_of(called)
        if called.type == "identifier" and bound_at(called, name, self._types.binds) is not None:
            return None
        found = self._types.functions(name, path, types.view)
        return taken(found[0][1]) if len(found) == 1 else None


_SEVERAL = frozenset(("call_expression", "parenthesized_expression"))
"""What may stand for several values."""
