"""Walks syntax trees and gathers the names that they bind."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_NAMES = frozenset(("identifier", "type_identifier", "shorthand_property_identifier_pattern"))


class Names(NamedTuple):
    """What a file declares and uses."""

    declared: set[str]
    used: list[tuple[str, int, bool]]
    open: bool = False
    """It takes in names that it does not list, as with ``import x.*``."""


def walk(root: Node, skipped: frozenset[int] = frozenset()) -> Iterator[Node]:
    """Every named node, parents first; those that are skipped with all below them."""
    cursor = root.walk()
    while True:
        node = cursor.node
        passed = node is not None and node.id in skipped
        if node is not None and node.is_named and not passed:
            yield node
        if (not passed and cursor.goto_first_child()) or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            return


def text_of(node: Node) -> str:
    """The node as it stands in the file."""
    return (node.text or b"").decode("utf-8", "replace")


def line_of(node: Node) -> int:
    """The line it begins on."""
    return int(node.start_point[0]) + 1


def bind(node: Node | None, declared: set[str], bound: set[int]) -> None:
    """Every name in a pattern; defaults and keys are uses."""
    if node is None:
        return
    if node.type in _NAMES:
        declared.add(text_of(node))
        bound.add(node.id)
    elif node.type in ("assignment_pattern", "object_assignment_pattern"):
        bind(node.child_by_field_name("left"), declared, bound)
    elif node.type == "pair_pattern":
        bind(node.child_by_field_name("value"), declared, bound)
    elif node.type in (
        "object_pattern",
        "array_pattern",
        "rest_pattern",
        "named_imports",
        "import_clause",
    ):
        for child in node.named_children:
            bind(child, declared, bound)
