"""What calls are given, as far as it can be counted."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.agents.parsing.walk import walk
from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_SPREADS = frozenset(("spread_element", "variadic_argument"))


class GivenCall(NamedTuple):
    """A call with what is called and the values."""

    node: Node
    called: Node
    values: list[Node]


def given_calls(
    root: Node, kind: str = "call_expression", field: str = "function"
) -> Iterator[GivenCall]:
    """Those that spread nothing out."""
    for node in walk(root):
        called = node.child_by_field_name(field) if node.type == kind else None
        values = listed(node.child_by_field_name("arguments")) if called is not None else None
        if called is not None and values is not None and not node.has_error:
            yield GivenCall(node, called, values)


def listed(arguments: Node | None) -> list[Node] | None:
    """None where they may be more than can be seen."""
    if arguments is None or arguments.type not in ("arguments", "argument_list"):
        return None
    values = [each for each in arguments.named_children if "comment" not in each.type]
    unseen = any(each.type in _SPREADS or "preproc" in each.type for each in values)
    return None if unseen else values
