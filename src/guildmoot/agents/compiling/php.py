"""What PHP refuses when it compiles a file, though its grammar takes it. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.agents.compiling.nodes import of_kinds
from guildmoot.agents.parsing.walk import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_PARAMETERS = "simple_parameter variadic_parameter property_promotion_parameter"


def refused_php(name: str, root: Node) -> Iterator[tuple[Node, str]]:
    """Each with what is wrong."""
    for node in of_kinds(name, root, _PARAMETERS):
        called = node.child_by_field_name("name")
        if called is not None and text_of(called) == "$this":
            yield node, "`$this` cannot be a parameter"
    for node in of_kinds(name, root, "switch_block"):
        defaults = [each for each in node.named_children if each.type == "default_statement"]
        if len(defaults) > 1:
            yield defaults[1], "a `switch` has one `default` alone"
    yield from _second(_functions(root), "the function `{}` is declared twice", fold=True)
    for node in of_kinds(name, root, "declaration_list"):
        yield from _in_class(node)
    yield from _uses(root)
    yield from _late(root)


def _second(found: Iterator[Node], message: str, *, fold: bool) -> Iterator[tuple[Node, str]]:
    seen = set[str]()
    for node in found:
        name = text_of(node).lower() if fold else text_of(node)
        if name in seen:
            yield node, message.format(text_of(node))
        seen.add(name)


def _named(nodes: list[Node], kind: str) -> Iterator[Node]:
    for node in nodes:
        name = node.child_by_field_name("name") if node.type == kind else None
        if name is not None:
            yield name


def _functions(root: Node) -> Iterator[Node]:
    """Those that are declared without a condition, in a file of one namespace."""
    if sum(each.type == "namespace_definition" for each in root.named_children) < 2:
        yield from _named(root.named_children, "function_definition")


def _in_class(node: Node) -> Iterator[tuple[Node, str]]:
    parts, holder = node.named_children, node.parent
    yield from _second(
        _named(parts, "method_declaration"), "the method `{}` is declared twice", fold=True
    )
    fields = (
        each
        for part in parts
        if part.type == "property_declaration"
        for each in _named(part.named_children, "property_element")
    )
    yield from _second(fields, "the property `{}` is declared twice", fold=False)
    constants = (
        next(iter(each.named_children), None)
        for part in parts
        if part.type == "const_declaration"
        for each in part.named_children
        if each.type == "const_element"
    )
    named = (each for each in constants if each is not None)
    yield from _second(named, "the constant `{}` is declared twice", fold=False)
    if holder is None or holder.type not in ("class_declaration", "enum_declaration"):
        return
    is_abstract = any(each.type == "abstract_modifier" for each in holder.named_children)
    for part in parts:
        name = part.child_by_field_name("name") if part.type == "method_declaration" else None
        if name is None:
            continue
        empty = part.child_by_field_name("body") is None
        abstract = any(each.type == "abstract_modifier" for each in part.named_children)
        if abstract and not empty:
            yield name, f"the abstract method `{text_of(name)}` has a body"
        elif empty and not abstract:
            yield name, f"the method `{text_of(name)}` has no body"
        elif abstract and not is_abstract:
            yield name, f"`{text_of(name)}` is abstract, and its class is not"


def _uses(root: Node) -> Iterator[tuple[Node, str]]:
    """Names that are taken twice."""
    if sum(each.type == "namespace_definition" for each in root.named_children) > 1:
        return
    seen = set[tuple[str, str]]()
    for use in root.named_children:
        if use.type != "namespace_use_declaration":
            continue
        kind = ([*text_of(use).split(), ""])[1]
        kind = kind if kind in ("function", "const") else ""
        for clause in use.named_children:
            if clause.type != "namespace_use_clause" or not clause.named_children:
                continue
            alias = clause.child_by_field_name("alias") or clause.named_children[-1]
            name = text_of(alias).rpartition("\\")[2]
            key = kind, name if kind == "const" else name.lower()
            if key in seen:
                yield clause, f"`{name}` is taken by two `use`"
            seen.add(key)


def _late(root: Node) -> Iterator[tuple[Node, str]]:
    """``strict_types`` and the first namespace, which stand before all else."""
    aside = ("php_tag", "comment", "text", "text_interpolation", "shebang")
    nodes = [each for each in root.named_children if each.type not in aside]
    late = [each for each in nodes if each.type != "declare_statement"]
    for node in nodes:
        strict = node.type == "declare_statement" and b"strict_types" in (node.text or b"")[:40]
        if strict and late and late[0].start_byte < node.start_byte:
            yield node, "`strict_types` is declared after other statements"
    spaces = [each for each in late if each.type == "namespace_definition"]
    if spaces and late[0].type == "namespace_use_declaration":
        yield spaces[0], "the namespace is declared after other statements"
