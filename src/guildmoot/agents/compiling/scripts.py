"""Early errors of scripts, which no engine and no compiler takes though grammars do. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.agents.compiling.nodes import above, has_sign, of_kinds
from guildmoot.agents.parsing.walk import bind, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTION_KINDS = """
function_declaration function_expression arrow_function method_definition generator_function
generator_function_declaration
"""
_FUNCTIONS = frozenset(_FUNCTION_KINDS.split())
_AROUND = _FUNCTIONS | {"class_static_block", "class_body", "program", "internal_module", "module"}
_SCOPE_KINDS = """
program statement_block for_statement for_in_statement switch_body class_static_block
"""
_SCOPES = frozenset(_SCOPE_KINDS.split())
_ASSIGNS = "assignment_expression augmented_assignment_expression update_expression"


def refused_scripts(name: str, root: Node) -> Iterator[tuple[Node, str]]:
    """Each with what is wrong."""
    for node in of_kinds(name, root, "await_expression"):
        value = next(iter(node.named_children), None)
        around = _function(node)
        plain = value is not None and value.type != "parenthesized_expression"
        if plain and around.type in _FUNCTIONS and not has_sign(around, "async"):
            yield node, "`await` stands in a function that is not `async`"
    if any(each.type in ("import_statement", "export_statement") for each in root.named_children):
        for node in of_kinds(name, root, "return_statement"):
            if _function(node).type == "program":
                yield node, "`return` stands outside of a function"
    for node in of_kinds(name, root, "switch_body"):
        defaults = [each for each in node.named_children if each.type == "switch_default"]
        if len(defaults) > 1:
            yield defaults[1], "a `switch` has one `default` alone"
    for node in of_kinds(name, root, "lexical_declaration"):
        yield from _without_value(node)
    if not _declares_all(root):
        return
    for node in of_kinds(name, root, _ASSIGNS):
        left = node.child_by_field_name("left") or node.child_by_field_name("argument")
        if left is not None and left.type == "identifier" and _is_const(left):
            yield node, f"`{text_of(left)}` is a constant and is set here"


def _function(node: Node) -> Node:
    """What it belongs to: the innermost function, or what stands in the place of one."""
    inner = node
    for around in above(node):
        if around.type in _AROUND and inner.type not in ("decorator", "computed_property_name"):
            return around
        inner = around
    return inner


def _without_value(node: Node) -> Iterator[tuple[Node, str]]:
    around = node.parent
    if not has_sign(node, "const") or around is None:
        return
    if any(each.type in ("ambient_declaration", "for_in_statement") for each in above(node)):
        return
    for part in node.named_children:
        name = part.child_by_field_name("name") if part.type == "variable_declarator" else None
        if name is not None and part.child_by_field_name("value") is None:
            yield part, f"the constant `{text_of(name)}` is given no value"


def _declares_all(root: Node) -> bool:
    """Whether no ``with`` and no ``eval`` may mean another name."""
    text = root.text or b""
    return b"with (" not in text and b"eval(" not in text


def _is_const(use: Node) -> bool:
    """Whether the innermost declaration that the name meets is that of a constant."""
    name = text_of(use)
    for around in above(use):
        if around.type in _FUNCTIONS and _binds_in_head(around, name):
            return False
        if around.type == "catch_clause" and _holds(around.child_by_field_name("parameter"), name):
            return False
        if around.type in _SCOPES:
            found = _declared(around, name)
            if found is not None:
                return found
        if around.type in _FUNCTIONS and _has_var(around, name):
            return False
    return False


def _binds_in_head(function: Node, name: str) -> bool:
    body = function.child_by_field_name("body")
    return any(_holds(each, name) for each in function.named_children if each != body)


def _holds(node: Node | None, name: str) -> bool:
    return node is not None and any(
        text_of(each) == name
        for each in walk(node)
        if each.type in ("identifier", "shorthand_property_identifier_pattern")
    )


def _has_var(function: Node, name: str) -> bool:
    found = (each for each in walk(function) if each.type == "variable_declaration")
    return any(_holds(each, name) for each in found)


def _declared(scope: Node, name: str) -> bool | None:
    """Whether the scope declares it as a constant; None where it does not declare it at all."""
    parts = list(scope.named_children)
    if scope.type == "switch_body":
        parts = [each for part in parts for each in part.named_children]
    if scope.type == "for_in_statement":
        left = scope.child_by_field_name("left")
        if left is not None and _holds(left, name) and has_sign(scope, "const", "let", "var"):
            return has_sign(scope, "const")
        return None
    for part in parts:
        inner = part.child_by_field_name("declaration") if part.type == "export_statement" else None
        node = inner if inner is not None else part
        if node.type == "lexical_declaration":
            names = set[str]()
            for each in node.named_children:
                bind(each.child_by_field_name("name"), names, set())
            if name in names:
                return has_sign(node, "const")
        elif node.type in ("variable_declaration", "import_statement"):
            if _holds(node, name):
                return False
        elif text_of(node.child_by_field_name("name") or node) == name:
            return False
    return None
