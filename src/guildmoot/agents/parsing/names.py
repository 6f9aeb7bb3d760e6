"""Names that a file uses and nothing in it declares: what a removed import leaves behind.

Without the rest of the project nobody can say that such a name is wrong. That a change left it without its
declaration can be said: then it was declared before, and the lines that use it are as they were. So these
findings count only in a change (``practices.before``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from guildmoot.agents.parsing.known_names import KNOWN
from guildmoot.agents.parsing.package_names import go_names, java_names, rust_names
from guildmoot.agents.parsing.walk import Names, bind, line_of, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_LINES = 40


class UnknownName(NamedTuple):
    """A use of a name that the file does not declare."""

    name: str
    line: int
    sure: bool
    """Whether nothing outside the file is likely to declare it."""


def unknown_names(language: str, root: Node, elsewhere: set[str]) -> Iterator[UnknownName]:
    """Each line that uses a name which is declared neither here nor in a file beside it."""
    read = _READERS.get(language)
    if read is None:
        return
    names = read(root)
    if names.open:
        return
    known = names.declared | elsewhere | KNOWN[language]
    told: dict[str, set[int]] = {}
    for name, line, sure in names.used:
        lines = told.setdefault(name, set())
        if name not in known and line not in lines and len(lines) < _MOST_LINES:
            lines.add(line)
            yield UnknownName(name, line, sure)


def declared_names(language: str, root: Node) -> set[str]:
    """What the file declares, for files beside it in the same package."""
    read = _READERS.get(language) if language in ("Go", "Java") else None
    return read(root).declared if read else set()


# JavaScript and TypeScript

_JS_PATTERNS = {
    "variable_declarator": ("name",),
    "function_declaration": ("name",),
    "generator_function_declaration": ("name",),
    "function_expression": ("name",),
    "generator_function": ("name",),
    "function_signature": ("name",),
    "class_declaration": ("name",),
    "abstract_class_declaration": ("name",),
    "class": ("name",),
    "enum_declaration": ("name",),
    "interface_declaration": ("name",),
    "type_alias_declaration": ("name",),
    "type_parameter": ("name",),
    "mapped_type_clause": ("name",),
    "index_signature": ("name",),
    "catch_clause": ("parameter",),
    "arrow_function": ("parameter",),
    "for_in_statement": ("left",),
    "required_parameter": ("pattern", "name"),
    "optional_parameter": ("pattern", "name"),
    "internal_module": ("name",),
    "module": ("name",),
    "assignment_expression": ("left",),
}
_JS_ALL = frozenset(
    (
        *("formal_parameters", "import_clause", "namespace_import", "infer_type", "type_predicate"),
        *("import_require_clause", "rest_pattern", "import_alias", "asserts"),
    )
)


def _javascript(root: Node) -> Names:
    declared: set[str] = set()
    bound: set[int] = set()
    used: list[tuple[Node, str]] = []
    is_module = False
    for node in walk(root):
        kind = node.type
        is_module = is_module or kind in ("import_statement", "export_statement")
        if kind in _JS_PATTERNS:
            for field in _JS_PATTERNS[kind]:
                bind(node.child_by_field_name(field), declared, bound)
        elif kind in _JS_ALL:
            for child in node.named_children:
                bind(child, declared, bound)
        elif kind in ("import_specifier", "export_specifier"):
            _specifier(node, declared, bound)
        elif kind == "unary_expression" and node.children[0].type == "typeof":
            declared.add(text_of(node.children[1]))
        elif kind in ("identifier", "shorthand_property_identifier", "type_identifier"):
            used.append((node, kind))
        elif kind == "shorthand_property_identifier_pattern":
            declared.add(text_of(node))
        elif kind == "comment":
            declared.update(_comment(text_of(node)))
    is_module = is_module or bool({"require", "exports"} & {text_of(node) for node, _ in used})
    found = []
    for node, kind in used:
        name = text_of(node)
        if node.id not in bound and not _is_html(node, name) and not _is_member(node):
            plain = name[:1].islower() and kind != "type_identifier"
            found.append((name, line_of(node), is_module and plain))
    return Names(declared, found)


def _specifier(node: Node, declared: set[str], bound: set[int]) -> None:
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    parent = node.parent.parent if node.parent else None
    if node.type == "import_specifier":
        bind(alias or name, declared, bound)
    reexport = parent is not None and parent.child_by_field_name("source") is not None
    if name is not None and (node.type == "import_specifier" or reexport):
        bound.add(name.id)
    if alias is not None:
        bound.add(alias.id)


def _comment(text: str) -> list[str]:
    words = text.strip("/* \n\t").replace(",", " ").split()
    return (
        [word.partition(":")[0] for word in words[1:]]
        if words[:1] in (["global"], ["globals"])
        else []
    )


def _is_member(node: Node) -> bool:
    parent = node.parent
    return (
        parent is not None
        and parent.type.startswith("nested_")
        and parent.named_children[0] != node
    )


def _is_html(node: Node, name: str) -> bool:
    parent = node.parent
    is_tag = (
        parent is not None and parent.type.startswith("jsx_") and parent.type != "jsx_expression"
    )
    return is_tag and (name[:1].islower() or "-" in name)


_READERS: dict[str, Callable[[Node], Names]] = {
    "JavaScript": _javascript,
    "TypeScript": _javascript,
    "TSX": _javascript,
    "Go": go_names,
    "Java": java_names,
    "Rust": rust_names,
}
