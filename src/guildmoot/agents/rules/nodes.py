"""Small questions about nodes of a syntax tree, the same for every grammar."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.agents.parsing.walk import text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset(
    [
        "function_declaration",
        "function_expression",
        "arrow_function",
        "method_definition",
        "generator_function",
        "generator_function_declaration",
        "func_literal",
        "method_declaration",
        "constructor_declaration",
        "lambda_expression",
        "function_item",
        "closure_expression",
        "function_definition",
        "anonymous_function",
        "method",
        "singleton_method",
        "lambda",
        "compact_constructor_declaration",
        "static_initializer",
        "arrow_function_expression",
    ]
)
_BUSY = (
    *("call", "invocation", "assignment", "update", "await", "yield", "new_expression", "macro"),
    *("creation", "subshell", "expansion", "increment", "decrement", "try_expression"),
)
_FAR = 60
_COMMENTS = frozenset(("comment", "line_comment", "block_comment"))


def text(node: Node | None) -> str:
    """The node as it stands in the file; nothing for none."""
    return text_of(node) if node is not None else ""


def flat(node: Node | None) -> str:
    """The node's text without spaces, to be compared."""
    return "".join(text(node).split())


def field(node: Node | None, name: str) -> Node | None:
    """A child by its role."""
    return node.child_by_field_name(name) if node is not None else None


def parts(node: Node | None) -> list[Node]:
    """The named children that are no comments."""
    return [each for each in node.named_children if each.type not in _COMMENTS] if node else []


def child(node: Node | None) -> Node | None:
    """The first of them."""
    return next(iter(parts(node)), None)


def argument(call: Node | None) -> Node | None:
    """The first thing that a call is given."""
    return child(field(call, "arguments"))


def inner(node: Node | None) -> Node | None:
    """The node without the parentheses around it."""
    while node is not None and node.type in ("parenthesized_expression", "condition_clause"):
        own = parts(node)
        node = own[0] if len(own) == 1 else None
    return node


def above(node: Node) -> Iterator[Node]:
    """The nodes around it, the nearest first."""
    around = node.parent
    while around is not None:
        yield around
        around = around.parent


def function_of(node: Node) -> Node | None:
    """The function that it stands in."""
    return next((each for each in above(node) if each.type in FUNCTIONS), None)


def following(node: Node) -> Iterator[Node]:
    """The next named siblings after it, comments left out; not without an end, for each step is dear."""
    after = node.next_named_sibling
    for _ in range(_FAR):
        if after is None:
            return
        if after.type not in _COMMENTS:
            yield after
        after = after.next_named_sibling


def has_comment(node: Node) -> bool:
    """Whether a comment stands right in it."""
    return any(each.type in _COMMENTS for each in node.children)


def is_plain(node: Node | None) -> bool:
    """Whether reading it twice gives the same: no calls, no assignments."""
    if node is None or "<-" in text(node):
        return False
    return not any(word in each.type for each in walk(node) for word in _BUSY)


def below(root: Node, *types: str) -> Iterator[Node]:
    """Nodes of these types in it, those of functions inside of it left out."""
    nodes = [*reversed(root.children)]
    while nodes:
        node = nodes.pop()
        if node.type in types:
            yield node
        if node.type not in FUNCTIONS:
            nodes += reversed(node.children)


def names(root: Node, name: str, *types: str) -> list[Node]:
    """Every place in it where the name stands."""
    kinds = types or ("identifier",)
    return [each for each in walk(root) if each.type in kinds and text(each) == name]


def same(node: Node | None, other: Node | None) -> bool:
    """Whether both are one node."""
    return node is not None and other is not None and node.id == other.id
