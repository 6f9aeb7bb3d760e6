"""Files of Rust as trees, in which macros that only pass values on stand as calls of them. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from guildmoot.agents.parsing.syntax import parse
from guildmoot.agents.parsing.walk import text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

PLAIN_MACROS = re.compile(
    r"(?:e?print|write|format|panic|assert|debug_assert|vec|todo|unreachable|matches|bail|ensure|anyhow"
    r"|trace|debug|info|warn|error)\w*\Z"
)
"""Macros whose arguments are values of the program around them."""
_OTHER_FORMS = re.compile(r"[(,\[]\s*(?:[?%]|\w[\w.]*\s*(?:=[^=]|:[^:]))|[;{}]|=>|\$")
"""Arguments with names or signs of their own, and what is no list of values."""


@lru_cache(maxsize=256)
def rust_tree(path: str, text: str) -> Node | None:
    """None where it does not parse."""
    data = text.encode("utf-8", "surrogatepass")
    tree = parse("Rust", path, data).tree if data else None
    if tree is None:
        return None
    opened = parse("Rust", path, _with_calls(tree.root_node, data)).tree
    return (opened or tree).root_node


def _with_calls(root: Node, data: bytes) -> bytes:
    """The same bytes but for the sign of each such macro, so that lines and columns stay."""
    found = bytearray(data)
    for node in walk(root):
        macro = node.child_by_field_name("macro") if node.type == "macro_invocation" else None
        if macro is None or not PLAIN_MACROS.match(text_of(macro)) or text_of(macro) == "matches":
            continue
        tokens = node.named_children[-1]
        if tokens.type != "token_tree" or _OTHER_FORMS.search(_unquoted(text_of(tokens))):
            continue
        if data[tokens.start_byte : tokens.start_byte + 1] == b"(":
            found[macro.end_byte : macro.end_byte + 1] = b"_"
        elif text_of(macro) == "vec":  # a list as such
            found[macro.start_byte : tokens.start_byte] = b" " * (
                tokens.start_byte - macro.start_byte
            )
    return bytes(found)


def _unquoted(text: str) -> str:
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
