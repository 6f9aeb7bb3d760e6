"""Small questions to syntax trees, for what compilers refuse. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from guildmoot.agents.parsing.grammars import language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node, Query


def of_kinds(name: str, root: Node, kinds: str) -> Iterator[Node]:
    """Every node of these kinds, in the order of the text."""
    from tree_sitter import QueryCursor

    found = QueryCursor(_query(name, kinds)).captures(root).get("x", ())
    yield from sorted(found, key=lambda node: node.start_byte)


@lru_cache(maxsize=64)
def _query(name: str, kinds: str) -> Query:
    from tree_sitter import Query

    grammar = language(name)
    known = (kind for kind in kinds.split() if grammar.id_for_node_kind(kind, True))
    return Query(grammar, f"[{' '.join(f'({kind})' for kind in known)}] @x")


def above(node: Node) -> Iterator[Node]:
    """What it stands in, from within."""
    around = node.parent
    while around is not None:
        yield around
        around = around.parent


def has_sign(node: Node, *signs: str) -> bool:
    """Whether one of its own parts is a word or a sign of these."""
    return any(each.type in signs for each in node.children)
