"""Names in Go, Java and Rust, and members in PHP: what a file declares, imports and uses."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.agents.parsing.known_names import GO_PACKAGES
from guildmoot.agents.parsing.walk import Names, bind, line_of, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

# Go

_GO_NAMES = {
    "short_var_declaration": "left",
    "range_clause": "left",
    "receive_statement": "left",
    "type_switch_statement": "alias",
}
_GO_DECLARES = frozenset(
    (
        *("var_spec", "const_spec", "function_declaration", "type_spec", "type_alias"),
        *("parameter_declaration", "variadic_parameter_declaration", "type_parameter_declaration"),
    )
)


def go_names(root: Node, skipped: frozenset[int] = frozenset()) -> Names:
    """What a file of Go or a part of it declares and uses."""
    declared: set[str] = {"C"}
    bound: set[int] = set()
    used: list[tuple[Node, bool]] = []
    opened = False
    for node in walk(root, skipped):
        kind = node.type
        if kind == "import_spec":
            names = go_import_names(node)
            opened = opened or "." in names
            declared.update(names)
        elif kind in _GO_DECLARES:
            for child in node.children_by_field_name("name"):
                bind(child, declared, bound)
        elif kind in _GO_NAMES:
            left = node.child_by_field_name(_GO_NAMES[kind])
            for child in left.named_children if left is not None else ():
                bind(child, declared, bound)
        elif kind == "package_identifier" and node.parent and node.parent.type == "qualified_type":
            used.append((node, True))
        elif kind == "identifier":
            parent = node.parent
            is_package = parent is not None and parent.type == "selector_expression"
            if parent is None or parent.type != "keyed_element":
                used.append((node, is_package))
        elif kind == "type_identifier" and (
            not node.parent or node.parent.type != "qualified_type"
        ):
            used.append((node, False))
    found = [
        (text_of(node), line_of(node), package and text_of(node) in GO_PACKAGES)
        for node, package in used
        if node.id not in bound and not (node.parent and node.parent.type == "literal_element")
    ]
    return Names(declared, found, opened)


def go_import_names(spec: Node) -> set[str]:
    """The names under which a package may be known in the file."""
    alias = spec.child_by_field_name("name")
    if alias is not None:
        return {text_of(alias)}
    path = spec.child_by_field_name("path")
    parts = text_of(path).strip('"`').split("/") if path is not None else [""]
    if len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit():
        parts.pop()
    last = parts[-1].partition(".")[0] if parts[-1].rpartition(".")[2][:1] == "v" else parts[-1]
    bare = last.removeprefix("go-").removesuffix("-go").removesuffix(".go")
    return {
        last,
        bare,
        bare.replace("-", ""),
        bare.replace("-", "_"),
        bare.rpartition("-")[2],
        bare.partition("-")[0],
    }


# Java

_JAVA_DECLARES = frozenset(
    (
        *("class_declaration", "interface_declaration", "enum_declaration", "record_declaration"),
        *(
            "annotation_type_declaration",
            "variable_declarator",
            "formal_parameter",
            "enum_constant",
        ),
        *("catch_formal_parameter", "enhanced_for_statement", "resource", "instanceof_expression"),
    )
)


def java_names(root: Node) -> Names:
    """What a file of Java declares and uses."""
    declared: set[str] = set()
    used: list[tuple[Node, bool]] = []
    opened = False
    for node in walk(root):
        kind = node.type
        if kind == "import_declaration":
            parts = text_of(node).rstrip("; ").split(".")
            declared.add(parts[-1].strip())
            opened = opened or parts[-1].strip() == "*"
        elif kind in _JAVA_DECLARES:
            bind(node.child_by_field_name("name"), declared, set())
        elif kind == "type_parameter":
            bind(node.named_children[0] if node.named_children else None, declared, set())
            bind(
                next((c for c in node.named_children if c.type == "type_identifier"), None),
                declared,
                set(),
            )
        elif _java_uses(node):
            used.append((node, False))
    return Names(declared, [(text_of(node), line_of(node), sure) for node, sure in used], opened)


def _java_uses(node: Node) -> bool:
    if node.type == "type_identifier":
        return not _is_qualified(node)
    return node.type == "identifier" and text_of(node)[:1].isupper() and _is_receiver(node)


def _is_qualified(node: Node) -> bool:
    parent = node.parent
    return (
        parent is not None
        and parent.type == "scoped_type_identifier"
        and parent.named_children[0] != node
    )


def _is_receiver(node: Node) -> bool:
    parent = node.parent
    if parent is None or parent.type not in (
        "method_invocation",
        "field_access",
        "marker_annotation",
        "annotation",
    ):
        return False
    field = "name" if "annotation" in parent.type else "object"
    return parent.child_by_field_name(field) == node


# Rust

_RUST_DECLARES = frozenset(
    (
        *("struct_item", "enum_item", "trait_item", "type_item", "mod_item", "function_item"),
        *("const_item", "static_item", "union_item", "associated_type", "enum_variant"),
        *("function_signature_item", "const_parameter", "type_parameter", "macro_definition"),
        *("extern_crate_declaration",),
    )
)


def rust_names(root: Node) -> Names:
    """What a file of Rust declares and uses."""
    declared: set[str] = set()
    used: list[Node] = []
    opened = False
    for node in walk(root):
        kind = node.type
        if kind == "use_declaration":
            text = text_of(node)
            opened = opened or ("*" in text and "super::*" not in text)
            declared.update(_rust_leaves(node))
        elif kind in _RUST_DECLARES:
            bind(node.child_by_field_name("name"), declared, set())
        elif _rust_uses(node):
            used.append(node)
    return Names(declared, [(text_of(node), line_of(node), False) for node in used], opened)


def _rust_uses(node: Node) -> bool:
    if node.type == "type_identifier":
        return not _in_path(node)
    return node.type == "identifier" and text_of(node)[:1].isupper() and _begins_path(node)


def _rust_leaves(node: Node) -> Iterator[str]:
    for each in walk(node):
        if each.type in ("identifier", "type_identifier"):
            yield text_of(each)


def _begins_path(node: Node) -> bool:
    parent = node.parent
    if parent is None or parent.type != "scoped_identifier":
        return False
    return parent.child_by_field_name("path") == node


def _in_path(node: Node) -> bool:
    parent = node.parent
    if parent is None:
        return False
    return parent.type == "scoped_type_identifier" and parent.child_by_field_name("name") == node


# PHP

_PHP_DECLARES = frozenset(("method_declaration", "enum_case", "const_element"))
_PHP_ASKS = frozenset(
    ("member_call_expression", "scoped_call_expression", "class_constant_access_expression")
)
_PHP_OPENS = frozenset(("base_clause", "use_declaration", "abstract_modifier", "trait_declaration"))


def php_members(root: Node) -> Names:
    """Methods and constants that classes of the file declare and that ``$this`` and ``self`` are asked for."""
    declared: set[str] = {"class", "__construct"}
    used: list[tuple[str, int, bool]] = []
    opened = False
    for node in walk(root):
        opened = opened or node.type in _PHP_OPENS
        parts = node.named_children if node.type in _PHP_DECLARES | _PHP_ASKS else []
        if node.type in _PHP_DECLARES:
            declared.update(text_of(each) for each in parts if each.type == "name")
        elif node.type in _PHP_ASKS and parts and text_of(parts[0]) in ("$this", "self"):
            name = parts[1] if len(parts) > 1 else parts[0]
            if name.type == "name":
                used.append((text_of(name), line_of(name), False))
    return Names(declared, used, opened or "__call" in declared or "__callStatic" in declared)
