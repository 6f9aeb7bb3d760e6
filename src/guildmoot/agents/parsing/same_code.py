"""Whether two versions of a file hold the same code, so that only comments or layout changed."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.agents.parsing.grammars import GRAMMARS, parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_BY_COLUMN = frozenset(("Scala", "Haskell", "OCaml"))
"""Languages in which a column may say where a block ends."""
_MOST = 500_000


def is_same_code(language: str, before: str, after: str) -> bool:
    """Whether both parse and their tokens are the same, comments aside."""
    if language not in GRAMMARS or len(before) + len(after) > _MOST:
        return False
    read = parser(language)
    one, other = (read.parse(text.encode("utf-8", "surrogatepass")) for text in (before, after))
    if one.root_node.has_error or other.root_node.has_error:
        return False
    by_column = language in _BY_COLUMN
    return list(_tokens(one.root_node, by_column)) == list(_tokens(other.root_node, by_column))


def _tokens(root: Node, by_column: bool) -> Iterator[tuple[str, bytes, int]]:
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if "comment" in node.type:
            continue
        if not node.child_count:
            yield node.type, node.text or b"", node.start_point[1] if by_column else 0
        nodes += reversed(node.children)
