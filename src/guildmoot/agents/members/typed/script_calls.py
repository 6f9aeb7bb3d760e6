"""Calls of TypeScript."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from guildmoot.agents.members.arguments import given_calls
from guildmoot.agents.members.fit import Forms
from guildmoot.agents.members.typed.model import MADE, TypedCall, Types, View, bound_at
from guildmoot.agents.members.typed.scripts import ScriptTypes, imported_from, taken
from guildmoot.agents.parsing.walk import line_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


class ScriptCalls:
    """Of functions of the file and of relative imports, and of methods."""

    many = False

    def __init__(self) -> None:
        self._types = ScriptTypes()

    def calls(self, root: Node) -> Iterator[TypedCall]:
        for node, called, values in given_calls(root):
            owner, name = (called.child_by_field_name(each) for each in ("object", "property"))
            if called.type == "identifier":
                yield TypedCall(called, "", line_of(node), len(values))
            elif called.type == "member_expression" and owner is not None and name is not None:
                yield TypedCall(owner, text_of(name), line_of(node), len(values))
        for node, made, values in given_calls(root, "new_expression", "constructor"):
            if made.type == "identifier":
                yield TypedCall(made, MADE, line_of(node), len(values))

    def functions(self, root: Node) -> Mapping[str, Forms]:
        """Those that are declared once."""
        found: dict[str, Forms | None] = {}
        for node in root.named_children:
            inner = node.child_by_field_name("declaration") or node
            name = inner.child_by_field_name("name")
            if name is not None and inner.type in ("function_declaration", "function_signature"):
                word = text_of(name)
                found[word] = None if word in found else taken(inner)
        return {name: bounds for name, bounds in found.items() if bounds is not None}

    def function(self, called: Node, path: str, types: Types) -> Forms | None:
        name = text_of(called)
        view = types.view
        bound = bound_at(called, name, self._types.binds)
        root = view.root(path)
        own = self.functions(root) if root is not None else {}
        if name in own and _is_once(name, view.text(path)):
            return own[name]
        return self._imported(name, path, view) if bound is None else None

    def _imported(self, name: str, path: str, view: View) -> Forms | None:
        for home in imported_from(name, path, view):
            root = view.root(home)
            return self.functions(root).get(name) if root is not None else None
        return None


def _is_once(name: str, text: str) -> bool:
    """Whether nothing else of the file may bear the name."""
    bound = rf"(?:\b(?:const|let|var|function\*?|class|import)\s+|[({{,]\s*){re.escape(name)}\b(?!\s*[.(])"
    once = re.findall(rf"\bfunction\*?\s+{re.escape(name)}\b", text)
    return len(once) == 1 and len(re.findall(bound, text)) == 0
