"""Scopes of Go; the files of a folder give each other their names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from functools import lru_cache

from guildmoot.agents.parsing.grammars import parser
from guildmoot.agents.parsing.known_names import GO_PACKAGES
from guildmoot.agents.parsing.package_names import go_import_names
from guildmoot.agents.parsing.walk import text_of, walk
from guildmoot.agents.scopes.names import ScopedFile, Use
from guildmoot.agents.scopes.table import NameTable, kinds, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


def _go_where(node: Node, field: str, where: str) -> str:
    if node.type in ("range_clause", "receive_statement"):
        return where if any(each.type == ":=" for each in node.children) else ""
    if node.type in ("type_elem", "type_arguments"):
        return where if _is_of_receiver(node) else ""
    return where


def _go_special(node: Node) -> Iterable[str] | None:
    return {each if each != "." else "*" for each in go_import_names(node)}


def _go_use(node: Node, name: str, place: str) -> bool:
    around = node.parent
    if name == "_" or around is None:
        return False
    if node.type == "package_identifier":
        return around.type == "qualified_type"
    if around.type == "literal_element":  # a key may be the name of a field
        above = around.parent
        return (
            above is None
            or above.type != "keyed_element"
            or above.child_by_field_name("key") != around
        )
    return True


def _is_of_receiver(around: Node | None) -> bool:
    """Whether its names are parameters of the receiver's type, which are declared there for the whole method."""
    while around is not None and around.type in (
        *("type_elem", "type_arguments", "generic_type", "pointer_type", "parenthesized_type"),
        *("parameter_declaration", "parameter_list"),
    ):
        if around.type == "parameter_list":
            above = around.parent
            return (
                above is not None
                and above.type == "method_declaration"
                and above.child_by_field_name("receiver") == around
            )
        around = around.parent
    return False


def is_in_own_value(node: Node, name: str) -> bool:
    """Whether it stands in the value of a local of Go that is called the same."""
    around = node.parent
    while around is not None and around.type not in ("block", "func_literal", "statement_list"):
        if around.type == "short_var_declaration":
            left = around.child_by_field_name("left")
            return left is not None and name in map(text_of, left.named_children)
        around = around.parent
    return False


TABLE = NameTable(
    names=kinds("identifier type_identifier package_identifier"),
    scopes=kinds(
        """function_declaration method_declaration func_literal block if_statement for_statement
        expression_switch_statement type_switch_statement expression_case type_case default_case
        communication_case type_spec function_type method_elem"""
    ),
    wide=kinds("function_declaration method_declaration func_literal"),
    binds=places(
        """short_var_declaration:left var_spec:name const_spec:name function_declaration:name^ type_spec:name^
        type_alias:name parameter_declaration:name variadic_parameter_declaration:name
        type_parameter_declaration:name type_elem type_arguments range_clause:left receive_statement:left
        type_switch_statement:alias"""
    ),
    patterns=kinds("expression_list"),
    aside=places("qualified_type:name"),
    skipped=kinds("comment package_clause"),
    special={"import_spec": _go_special},
    is_use=_go_use,
    where=_go_where,
)


def is_given(use: Use, gone: bool, file: ScopedFile) -> bool:
    around, name = file.around, use.name
    if "*" in file.names.declared or (not gone and "//go:generate" in file.text):
        return True
    package = use.place.startswith(("selector_expression", "qualified_type"))
    if package and not gone and name not in GO_PACKAGES and _has_odd_import(file):
        return True
    folder = posixpath.dirname(around.path)
    declares = re.compile(_GO_DECLARES.format(re.escape(name)))
    beside = (
        around.text(other)
        for other in around.paths(name)
        if posixpath.dirname(other) == folder and other.endswith(".go")
    )
    return any(
        (declares.search(text) and name in go_top_level(text))
        or (not gone and "//go:generate" in text)
        for text in beside
    )


_GO_DECLARES = (
    r"(?m)^(?:func|type|var|const)\s+(?:\w+\s*,\s*)*{0}\b"
    r"|^\t(?:\w+\s*,\s*)*{0}(?:\s*,\s*\w+)*(?:\s+[\w*\[(]|\s*=[^=]|\s*(?://|$))"
)
"""At the top of a file, or in a group there; fields and lines of functions may look the same."""


@lru_cache(maxsize=256)
def go_top_level(text: str) -> frozenset[str]:
    """What a file of Go declares for its package."""
    found = set[str]()
    for node in parser("Go").parse(text.encode("utf-8", "surrogatepass")).root_node.children:
        if node.type in ("var_declaration", "const_declaration", "type_declaration"):
            for each in walk(node):
                if each.type in ("var_spec", "const_spec", "type_spec", "type_alias"):
                    found.update(map(text_of, each.children_by_field_name("name")))
        elif node.type == "function_declaration":
            name = node.child_by_field_name("name")
            found.add(text_of(name) if name is not None else "")
    return frozenset(found)


def _has_odd_import(file: ScopedFile) -> bool:
    """Whether a package is imported whose name nothing here uses: it may be called otherwise than its path."""
    specs = (node for node in walk(file.root) if node.type == "import_spec")
    names = [go_import_names(spec) for spec in specs]
    return any(not each & file.names.used and not each & {"_", "."} for each in names)
