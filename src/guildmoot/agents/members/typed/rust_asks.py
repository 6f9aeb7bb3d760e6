"""Where Rust asks for members: of values, of types, in literals and patterns, and in the tokens of macros."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.members.rust_trees import PLAIN_MACROS
from guildmoot.agents.members.typed.model import MORE, MemberAsk
from guildmoot.agents.parsing.walk import line_of, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


def asks_of(root: Node) -> Iterator[MemberAsk]:
    for node in walk(root):
        if node.type == "field_expression":
            yield from _of_value(node)
        elif node.type in ("scoped_identifier", "scoped_type_identifier"):
            yield from _of_type(node)
        elif node.type in ("struct_expression", "struct_pattern"):
            yield from _fields_of(node)
        elif node.type == "impl_item":
            yield from _of_trait(node)
        elif node.type == "token_tree":
            yield from _in_macro(node)


def is_type(node: Node) -> bool:
    last = re.sub(r"<.*", "", text_of(node).replace("::<", "<"), flags=re.DOTALL).rpartition("::")[
        2
    ]
    return last[:1].isupper()


def is_variant(node: Node) -> bool:
    path = node.child_by_field_name("path")
    return path is not None and is_type(path)


def _of_value(node: Node) -> Iterator[MemberAsk]:
    owner, name = (node.child_by_field_name(each) for each in ("value", "field"))
    if owner is None or name is None or name.type != "field_identifier":
        return
    around = node.parent
    if around is not None and around.type == "generic_function":
        node, around = around, around.parent
    called = around is not None and around.type == "call_expression"
    is_call = called and around is not None and around.child_by_field_name("function") == node
    word = text_of(name)
    yield MemberAsk(owner, f"{word}()" if is_call else word, line_of(name), MORE if is_call else "")


def _of_type(node: Node) -> Iterator[MemberAsk]:
    owner, name = (node.child_by_field_name(each) for each in ("path", "name"))
    if owner is None or name is None or not is_type(owner):
        return
    word = text_of(name)
    is_kind = word[:1].isupper() and not (len(word) > 1 and word.isupper())
    yield MemberAsk(owner, f"::{word}", line_of(name), "" if is_kind else MORE)


def _fields_of(node: Node) -> Iterator[MemberAsk]:
    """Fields that a literal or a pattern names."""
    kind = node.child_by_field_name("name") or node.child_by_field_name("type")
    body = node.child_by_field_name("body") or node
    if kind is None or is_variant(kind):
        return
    for each in body.named_children:
        field = each.child_by_field_name("field") or each.child_by_field_name("name")
        if each.type == "shorthand_field_initializer":
            field = each.named_children[-1]
        if field is not None and each.type.endswith(("field_initializer", "field_pattern")):
            yield MemberAsk(kind, text_of(field), line_of(field))


def _of_trait(node: Node) -> Iterator[MemberAsk]:
    """Methods that a trait is implemented with."""
    trait, body = (node.child_by_field_name(each) for each in ("trait", "body"))
    for each in body.named_children if trait is not None and body is not None else ():
        name = each.child_by_field_name("name") if each.type == "function_item" else None
        if name is not None and trait is not None:
            yield MemberAsk(trait, f"::{text_of(name)}", line_of(name), MORE)


def _in_macro(tree: Node) -> Iterator[MemberAsk]:
    """What the tokens of a macro ask ``self`` and types for."""
    around: Node | None = tree
    while around is not None and around.type == "token_tree":
        around = around.parent
    macro = around.child_by_field_name("macro") if around is not None else None
    if macro is None or not PLAIN_MACROS.match(text_of(macro)):
        return
    tokens = tree.children
    for at, (owner, sign, name) in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False)):
        before = text_of(tokens[at - 1]) if at else ""
        after = tokens[at + 3] if at + 3 < len(tokens) else None
        is_call = after is not None and after.type == "token_tree" and text_of(after)[:1] == "("
        if name.type != "identifier" or before in (".", "::"):
            continue
        word = text_of(name)
        if owner.type == "self" and text_of(sign) == "." and not (after and text_of(after) == "::"):
            yield MemberAsk(
                owner, f"{word}()" if is_call else word, line_of(name), MORE if is_call else ""
            )
        elif owner.type == "identifier" and text_of(sign) == "::" and text_of(owner)[:1].isupper():
            is_kind = word[:1].isupper() and not (len(word) > 1 and word.isupper())
            yield MemberAsk(owner, f"::{word}", line_of(name), "" if is_kind else MORE)
