"""Names that are declared twice where a language takes one: in a block, among parameters. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.agents.compiling.nodes import has_sign, of_kinds
from guildmoot.agents.parsing.walk import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_SCRIPTS = ("JavaScript", "TypeScript", "TSX")
_BLOCKS = {
    **dict.fromkeys(_SCRIPTS, "program statement_block"),
    **dict.fromkeys(("Java", "C#", "Kotlin"), "block"),
    **dict.fromkeys(("C", "C++"), "compound_statement"),
}
_LISTS = {
    **dict.fromkeys((*_SCRIPTS, "PHP", "Java"), "formal_parameters"),
    "C#": "parameter_list",
    "Kotlin": "function_value_parameters",
    "C": "parameter_list",
    "C++": "parameter_list",
}
_TYPES = ("function_type", "call_signature", "construct_signature", "constructor_type")
_LOCALS = {"Java": "local_variable_declaration", "C#": "local_declaration_statement"}
_WITH_MODIFIERS = """class_declaration struct_declaration interface_declaration record_declaration enum_declaration
method_declaration property_declaration field_declaration constructor_declaration event_field_declaration"""
_PASS = frozenset(("_", "this"))


def doubles(name: str, root: Node) -> Iterator[tuple[Node, str]]:
    """Each second declaration, with what is wrong."""
    for block in of_kinds(name, root, _BLOCKS[name]) if name in _BLOCKS else ():
        if name not in _SCRIPTS and _has_conditions(block):
            continue
        given = _given(name, block)
        for node in _of_block(name, block):
            if text_of(node) in given:
                yield node, f"`{text_of(node)}` is a parameter and is declared again"
        yield from _repeated(_of_block(name, block), "`{}` is declared twice in this block")
        if name in _SCRIPTS:
            yield from _of_functions(block)
    for group in of_kinds(name, root, _LISTS[name]):
        if group.parent is None or group.parent.type in _TYPES or _has_conditions(group):
            continue
        if name == "JavaScript" and not _is_strict(group):
            continue
        yield from _repeated(_of_list(name, group), "two parameters are called `{}`")


def modifiers_twice(name: str, root: Node) -> Iterator[tuple[Node, str]]:
    """Words such as ``public`` that stand twice before one declaration."""
    holders = of_kinds(name, root, "modifiers" if name == "Java" else _WITH_MODIFIERS)
    for holder in holders:
        parts = [each for each in holder.children if name == "Java" or each.type == "modifier"]
        words = [each for each in parts if (each.text or b"").isalpha()]
        if not any(each.type.startswith("preproc") for each in holder.children):
            yield from _repeated(iter(words), "`{}` stands twice before one declaration")


def _repeated(found: Iterator[Node], message: str) -> Iterator[tuple[Node, str]]:
    seen = set[str]()
    for node in found:
        name = text_of(node)
        if name in seen and name not in _PASS:
            yield node, message.format(name)
        seen.add(name)


def _given(name: str, block: Node) -> set[str]:
    """The parameters of the function whose body it is; those of Kotlin may be hidden."""
    holder = block.parent
    if holder is None or name == "Kotlin":
        return set()
    while holder is not None and holder.child_by_field_name("parameters") is None:
        holder = holder.child_by_field_name("declarator")
    group = holder.child_by_field_name("parameters") if holder is not None else None
    if group is None or group.type != _LISTS[name] or _has_conditions(group):
        return set()
    return {text_of(node) for node in _of_list(name, group)} - _PASS


def _of_functions(block: Node) -> Iterator[tuple[Node, str]]:
    """Functions that bear the name of a variable of their block; two functions may have one name."""
    names = {text_of(each) for child in block.named_children for each in _of_script(child)}
    for child in block.named_children:
        inner = (
            child.child_by_field_name("declaration") if child.type == "export_statement" else child
        )
        kinds = ("function_declaration", "generator_function_declaration")
        name = inner.child_by_field_name("name") if inner and inner.type in kinds else None
        if name is not None and text_of(name) in names:
            yield name, f"`{text_of(name)}` is declared twice in this block"


def _has_conditions(node: Node) -> bool:
    """Whether parts of it are there in some builds alone."""
    return b"\n#" in (node.text or b"").replace(b" ", b"").replace(b"\t", b"")


def _is_strict(group: Node) -> bool:
    """Whether it is no old function, which may have a name twice."""
    around = group.parent
    return around is not None and around.type in ("arrow_function", "method_definition")


def _of_block(name: str, block: Node) -> Iterator[Node]:
    for child in block.named_children:
        if name in _SCRIPTS:
            yield from _of_script(child)
        elif name in _LOCALS and child.type == _LOCALS[name]:
            yield from _declarators(child)
        elif name == "Kotlin" and child.type == "property_declaration":
            yield from _only(child, "variable_declaration")
        elif name in ("C", "C++") and child.type == "declaration":
            yield from _only(child, "init_declarator")


def _only(child: Node, kind: str) -> Iterator[Node]:
    """Names of the parts of a kind that hold nothing but a name before their value."""
    for part in child.named_children:
        first = next(iter(part.named_children), None) if part.type == kind else None
        if first is not None and first.type == "identifier":
            yield first


def _of_script(child: Node) -> Iterator[Node]:
    if child.type == "export_statement":
        inner = child.child_by_field_name("declaration")
        child = inner if inner is not None else child
    if child.type == "lexical_declaration":
        yield from _only(child, "variable_declarator")
    elif child.type == "class_declaration":
        name = child.child_by_field_name("name")
        if name is not None:
            yield name


def _declarators(child: Node) -> Iterator[Node]:
    nodes = [child]
    while nodes:
        node = nodes.pop(0)
        if node.type == "variable_declarator":
            name = node.child_by_field_name("name")
            if name is not None and name.type == "identifier":
                yield name
        elif node.type in ("variable_declaration", *_LOCALS.values()):
            nodes += node.named_children


def _of_list(name: str, group: Node) -> Iterator[Node]:
    if name == "C#" and not _is_of_method(group):
        return
    for child in group.named_children:
        if child.type == "identifier":
            if name in _SCRIPTS:
                yield child
            continue
        for field in ("name", "pattern", "declarator"):
            node = child.child_by_field_name(field)
            while node is not None and node.type in ("pointer_declarator", "array_declarator"):
                node = node.child_by_field_name("declarator")
            if node is not None and node.type in ("identifier", "variable_name"):
                yield node
        first = next(iter(child.named_children), None)
        kotlin = name == "Kotlin" and child.type == "parameter"
        if kotlin and first is not None and first.type == "identifier":
            yield first


def _is_of_method(group: Node) -> bool:
    around = group.parent
    return (
        around is not None
        and around.type.endswith(("_declaration", "_statement"))
        and not has_sign(around, "delegate")
    )
