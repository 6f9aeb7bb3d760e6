"""Texts that are put together, and places past the end: the same in several languages."""

from __future__ import annotations

import re

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import field, flat, parts, same, text
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

SQL = lazy(
    r"(?is)\b(?:select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from)\b.*"
    r"(?:=|<|>|\blike|\bin\s*\(|\bvalues\s*\(|\?\s*['\"]?\s*,)\s*['\"]?%?\s*$"
)
"""The text before a value."""
SQL_TEXT = "values are put into the text of the SQL; use placeholders"
SQL_INPUT = "SQL is built from input; use placeholders"
_MOST = 200
_NEAR = 2_000


def pieces(node: Node | None) -> list[tuple[str, str]]:
    """Text that is put together: each value with the text that stands before it."""
    if node is None:
        return []
    found, head = list[tuple[str, str]](), ""
    if node.type == "template_string":
        for each in node.named_children:
            if each.type == "template_substitution":
                found.append((head, text(each)))
                head += "?"
            else:
                head += text(each)
        return found
    for each in joined(node, "+"):
        if each.type in (
            "string",
            "string_literal",
            "interpreted_string_literal",
            "raw_string_literal",
        ):
            head += text(each)[1:-1]
        elif each.type == "template_string":
            found += [(head + before, value) for before, value in pieces(each)]
            head += text(each)[1:-1]
        else:
            found.append((head, text(each)))
            head += "?"
    return [each for each in found if each[0]]


def joined(node: Node, sign: str) -> list[Node]:
    """The parts of a chain of one sign; none where it is no such chain."""
    found: list[Node] = []
    first: Node | None = node
    while (
        first is not None
        and first.type == "binary_expression"
        and text(field(first, "operator")) == sign
    ):
        right = field(first, "right")
        found += [right] if right is not None else []
        first = field(first, "left")
    if not found or first is None or len(found) > _MOST:
        return []
    return [first, *reversed(found)]


def is_sql(made: list[tuple[str, str]]) -> bool:
    """Whether a value that is no constant stands where SQL wants one."""
    return any(
        SQL.search(head[-_NEAR:])
        and not re.fullmatch(r"(?:\$\{)?\s*(?:\w+\.)*[A-Z][A-Z0-9_]*\s*\}?", value)
        and not re.search(r"(?i)escape|quote|placeholder|sanitize|\.join\(", value)
        for head, value in made
    )


def past_the_end(node: Node) -> Node | None:
    """``list[list.length]`` as a value: there is nothing at that place."""
    owner, index = (
        field(node, "object") or field(node, "operand") or field(node, "array"),
        field(node, "index"),
    )
    if owner is None:
        own = parts(node)
        owner, index = (own[0], own[1]) if len(own) == 2 else (None, None)
    if owner is None or index is None:
        return None
    ends = (
        f"{flat(owner)}.length",
        f"len({flat(owner)})",
        f"{flat(owner)}.len()",
        f"{flat(owner)}.size()",
    )
    around = node.parent
    target = around is not None and same(field(around, "left"), node)
    return node if flat(index) in ends and not target else None


_PAST = "there is nothing at this place, for counting begins at 0; the last one is one before"
RULES = (
    tree_rule("JavaScript|TypeScript|TSX", "past-the-end", "(subscript_expression) @x", past_the_end, _PAST),
    tree_rule("Go|Rust", "past-the-end", "(index_expression) @x", past_the_end, _PAST, "ERROR"),
    tree_rule("Java", "past-the-end", "(array_access) @x", past_the_end, _PAST, "ERROR"),
)  # fmt: skip
