"""What Go refuses when it compiles a file, though its grammar takes it: names that one file declares twice. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from guildmoot.agents.compiling.nodes import of_kinds
from guildmoot.agents.parsing.walk import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_GROUPS = ("const_declaration", "var_declaration", "type_declaration", "var_spec_list")
_SPECS = ("const_spec", "var_spec", "type_spec", "type_alias")
_FREE = ("_", "init")
"""Names that may be declared as often as one likes."""


def refused_go(name: str, root: Node) -> Iterator[tuple[Node, str]]:
    """Each second declaration, with what is wrong."""
    yield from _second(((each, "") for each in _of_package(root)), "`{}` is declared twice")
    yield from _second(_methods(root), "the method `{}` is declared twice")
    for group in of_kinds(name, root, "field_declaration_list"):
        fields = ((each, "") for part in group.named_children for each in _names(part))
        yield from _second(fields, "two fields are called `{}`")
    for group in of_kinds(name, root, "parameter_list"):
        taken = ((each, "") for part in group.named_children for each in _names(part))
        yield from _second(taken, "two parameters are called `{}`")


def _second(found: Iterable[tuple[Node, str]], message: str) -> Iterator[tuple[Node, str]]:
    seen = set[tuple[str, str]]()
    for node, owner in found:
        key = owner, text_of(node)
        if key in seen:
            yield node, message.format(key[1])
        seen.add(key)


def _of_package(root: Node) -> Iterator[Node]:
    nodes = list(root.named_children)
    while nodes:
        node = nodes.pop(0)
        if node.type in _GROUPS:
            nodes = [*node.named_children, *nodes]
        elif node.type in _SPECS or node.type == "function_declaration":
            yield from (each for each in _names(node) if text_of(each) not in _FREE)


def _methods(root: Node) -> Iterator[tuple[Node, str]]:
    """Each with the type that it is of."""
    for node in root.named_children:
        taker = node.child_by_field_name("receiver") if node.type == "method_declaration" else None
        if taker is not None:
            written = text_of(taker).strip("() \t\n").partition("[")[0].replace("*", " ").split()
            if written and written[-1].isidentifier():
                yield from ((each, written[-1]) for each in _names(node))


def _names(node: Node) -> Iterator[Node]:
    found = node.children_by_field_name("name")
    yield from (each for each in found if each.is_named and text_of(each) != "_")
