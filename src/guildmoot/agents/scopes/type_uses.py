"""Where a name stands for a type: Java, Kotlin, C# and PHP. Pure.

A property, a method or a member of an enum may be called as a type is, so the word alone is no use of it.
"""

from __future__ import annotations

import re

from guildmoot.agents.parsing.walk import line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_NAMES = ("type_identifier", "identifier", "name")
_USED = {
    "Java": ("superclass", "super_interfaces", "marker_annotation", "annotation", "method_reference"),
    "Kotlin": ("user_type", "navigation_expression", "call_expression", "callable_reference"),
    "C#": ("constant_pattern",),
    "PHP": (
        *("base_clause", "class_interface_clause", "use_declaration", "named_type", "attribute"),
        *("object_creation_expression", "class_constant_access_expression"),
    ),
}  # fmt: skip
"""Nodes whose first name is a type."""
_FIELDS = ("type", "returns", "scope", "object", "expression")
_LISTS = ("base_list", "type_argument_list", "primary_constructor_base_type")
"""Nodes of C# that hold types alone."""
_TESTS = ("as_expression", "is_expression")
_ASKED = ("member_access_expression", "field_access", "method_invocation", "method_reference")
_VALUES = (*_ASKED, "constant_pattern", "is_expression")
"""Nodes in which a value may stand for the type: it is one where something of that name is declared."""
_DECLARES = frozenset(
    (
        *("property_declaration", "variable_declarator", "parameter", "formal_parameter"),
        *("enum_member_declaration", "enum_constant", "event_declaration"),
    )
)


def type_use(language: str, root: Node, name: str) -> int:
    """The first line on which the name stands for a type; 0 where it does not."""
    uses = [each for each in _named(root, name) if _is_type(each, language)]
    if language in ("Java", "C#") and any(_is_value(each) for each in uses):
        taken = declares_value(root, name)
        uses = [each for each in uses if not (taken and _is_value(each))]
    return line_of(uses[0]) if uses else 0


def is_sure(language: str, root: Node, name: str) -> bool:
    """Whether it stands where only a type can."""
    return any(_is_type(each, language) and not _is_value(each) for each in _named(root, name))


def declares_value(root: Node, name: str) -> bool:
    """Whether a property, a variable or the like is called so."""
    return any(
        around is not None and around.type in _DECLARES and _is_at(around, "name", node)
        for node in _named(root, name)
        for around in (node.parent,)
    )


def _named(root: Node, name: str) -> list[Node]:
    word, begin = name.encode(), root.start_byte
    found: list[Node] = []
    for hit in re.finditer(rb"(?<!\w)" + re.escape(word) + rb"(?!\w)", root.text or b""):
        node = root.named_descendant_for_byte_range(begin + hit.start(), begin + hit.end())
        if node is not None and node.type in _NAMES and node.text == word:
            found.append(node)
    return found


def _is_type(node: Node, language: str) -> bool:
    around = node.parent
    if node.type == "type_identifier":  # in another type, it is another one
        return not _is_inner(node)
    if language == "C#" and around is not None and around.type == "generic_name":
        return _is_generic(around)
    if around is None or around.is_error or around.type == "element_access_expression":
        return False
    if language == "C#" and (around.type in _LISTS or _is_tested(around, node)):
        return True
    first = around.named_children[:1]
    if around.type in _USED[language] and first and first[0].id == node.id:
        return True
    return any(_is_at(around, each, node) for each in _FIELDS)


def _is_generic(node: Node) -> bool:
    """Whether a name with types in it is a type, and not a method that is called."""
    around = node.parent
    called = around is not None and _is_at(around, "function", node)
    return not called and not (
        around is not None and around.type in _ASKED and _is_at(around, "name", node)
    )


def _is_inner(node: Node) -> bool:
    around = node.parent
    scoped = around is not None and around.type == "scoped_type_identifier"
    return scoped and around is not None and around.named_children[0].id != node.id


def _is_tested(around: Node, node: Node) -> bool:
    return around.type in _TESTS and _is_at(around, "right", node)


def _is_value(node: Node) -> bool:
    return (
        node.type != "type_identifier" and node.parent is not None and node.parent.type in _VALUES
    )


def _is_at(around: Node, field: str, node: Node) -> bool:
    found = around.child_by_field_name(field)
    return found is not None and found.id == node.id
