"""Text to a syntax tree, or straight to words where a command is plain."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tree_sitter import Node, Parser

BEYOND = 0xF1
"""The first byte of characters above U+3FFFF, which nobody writes: the grammar of shells can crash on them."""

_parser: Parser | None = None


def text_of(node: Node) -> str:
    """The source of a node."""
    return (node.text or b"").decode("utf-8", "surrogateescape")


def broken(root: Node) -> str:
    """The first part that is no shell."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "ERROR" or node.is_missing:
            return text_of(node)[:80]
        stack.extend(
            child for child in reversed(node.children) if child.has_error or child.is_missing
        )
    return ""


def parse(data: bytes) -> Node:
    global _parser
    if _parser is None:
        tree, bash = _compiled("tree_sitter"), _compiled("tree_sitter_bash")
        _parser = tree.Parser(tree.Language(bash.language()))
    return _parser.parse(data).root_node


def _compiled(package: str) -> Any:  # noqa: ANN401 - a module, known by its name alone
    """The compiled part of a package without its ``__init__``, which loads several times as much."""
    if package in sys.modules:
        return sys.modules[package]
    found = next(filter(None, (finder.find_spec(package, None) for finder in sys.meta_path)))
    stand_in = type(sys)(package)
    stand_in.__path__ = found.submodule_search_locations or []
    sys.modules[package] = stand_in
    try:
        __import__(f"{package}._binding")
    finally:
        del sys.modules[package]
    return sys.modules[f"{package}._binding"]


def simple_words(text: str) -> list[str] | None:
    """The words of a command that needs no parser: nothing but plain words and simple quotes."""
    if not text.isascii() or any(char in text for char in "\\$`;&|<>(){}*?[]~!#\n\r\t=^"):
        return None
    if '"' not in text and "'" not in text:
        return text.split()
    words: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == " ":
            at += 1
        elif char in "\"'":
            end = text.find(char, at + 1)
            if end < 0 or text[end + 1 : end + 2] not in ("", " "):
                return None
            words.append(text[at + 1 : end])
            at = end + 1
        else:
            end = text.find(" ", at)
            end = len(text) if end < 0 else end
            if '"' in text[at:end] or "'" in text[at:end]:
                return None
            words.append(text[at:end])
            at = end
    return words
