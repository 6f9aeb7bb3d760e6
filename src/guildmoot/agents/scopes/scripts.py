"""Scopes of JavaScript and TypeScript."""

from __future__ import annotations

import re
from collections.abc import Iterable

from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.scopes.table import WIDE, NameTable, kinds, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


def _script_special(node: Node) -> Iterable[str] | None:
    if node.type == "import_specifier":
        name = node.child_by_field_name("alias") or node.child_by_field_name("name")
        return {text_of(name)} if name is not None else ()
    return () if node.child_by_field_name("source") is not None else None


def _script_where(node: Node, field: str, where: str) -> str:
    if node.type == "variable_declarator":
        around = node.parent
        return WIDE if around is not None and around.type == "variable_declaration" else where
    if node.type == "for_in_statement":
        kind = node.child_by_field_name("kind")
        return {"": "", "var": WIDE}.get(text_of(kind) if kind is not None else "", where)
    return where


_USING = re.compile(r"(?:await\s+)?using\s")


def _script_use(node: Node, name: str, place: str) -> bool:
    if place.startswith("jsx_") and "expression" not in place:
        return name[:1].isupper() or name[:1] == "_"
    around = node.parent
    if around is not None and around.type == "assignment_expression":
        whole = around.parent
        while whole is not None and whole.type == "await_expression":
            whole = whole.parent
        if whole is not None and _USING.match(text_of(whole)):
            return False  # declared in a way that the grammar does not know
    inside = around
    # members of an enum may name each other
    while inside is not None and inside.type not in ("enum_body", "program", "statement_block"):
        inside = inside.parent
    return inside is None or inside.type != "enum_body"


TABLE = NameTable(
    names=kinds(
        "identifier type_identifier shorthand_property_identifier shorthand_property_identifier_pattern"
    ),
    scopes=kinds(
        """function_declaration function_expression generator_function generator_function_declaration arrow_function
        method_definition statement_block for_statement for_in_statement catch_clause class_body class_declaration
        abstract_class_declaration class switch_body interface_declaration type_alias_declaration function_signature
        method_signature abstract_method_signature function_type constructor_type call_signature
        construct_signature index_signature conditional_type"""
    ),
    wide=kinds(
        """function_declaration function_expression generator_function generator_function_declaration arrow_function
        method_definition"""
    ),
    binds=places(
        """variable_declarator:name function_declaration:name^ generator_function_declaration:name^
        function_expression:name generator_function:name class_declaration:name^ abstract_class_declaration:name^
        class:name formal_parameters required_parameter:pattern optional_parameter:pattern required_parameter:name
        optional_parameter:name arrow_function:parameter catch_clause:parameter for_in_statement:left
        import_clause namespace_import import_require_clause import_alias enum_declaration:name
        interface_declaration:name^ type_alias_declaration:name^ type_parameter:name internal_module:name
        module:name function_signature:name^ infer_type mapped_type_clause:name index_signature:name"""
    ),
    patterns=kinds(
        """object_pattern array_pattern rest_pattern assignment_pattern object_assignment_pattern pair_pattern
        nested_identifier"""
    ),
    aside=places(
        """export_specifier:alias nested_type_identifier:name jsx_namespace_name namespace_export type_predicate:name"""
    ),
    skipped=kinds("comment jsx_closing_element string regex"),
    special=dict.fromkeys(("import_specifier", "export_statement"), _script_special),
    is_use=_script_use,
    where=_script_where,
)
