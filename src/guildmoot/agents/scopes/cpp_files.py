"""What a file of C or C++ declares, for the files that include it."""

from __future__ import annotations

from functools import lru_cache

from guildmoot.agents.members.c_trees import c_tree
from guildmoot.agents.parsing.walk import text_of, walk
from guildmoot.agents.scopes.above import DeclaringFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_TAGS = frozenset(("class_specifier", "struct_specifier", "union_specifier"))
_MACROS = frozenset(("preproc_def", "preproc_function_def"))
_DECLARES = frozenset(
    ("declaration", "function_definition", "field_declaration", "type_definition")
)
_NAMED = frozenset(("identifier", "field_identifier", "type_identifier", "operator_name"))


@lru_cache(maxsize=256)
def cpp_file(path: str, text: str) -> DeclaringFile | None:
    """None where its grammar takes only parts of it."""
    root = c_tree(path, text)
    if root is None or root.has_error:
        return None
    tops, types, supers = set[str](), dict[str, set[str]](), dict[str, tuple[str, ...]]()
    waiting: list[tuple[Node, str]] = [(root, "")]
    while waiting:
        node, owner = waiting.pop()
        held, inner = types[owner] if owner else tops, owner
        if node.type in ("compound_statement", "parameter_list", "field_initializer_list"):
            continue
        if node.type in _MACROS:
            held = tops
            held.update(map(text_of, node.children_by_field_name("name")))
        elif node.type in (*_TAGS, "enum_specifier", "enumerator", "alias_declaration"):
            name = node.child_by_field_name("name")
            held.add(text_of(name) if name is not None else "")
            if name is not None and node.type in _TAGS and node.child_by_field_name("body"):
                inner = text_of(name).partition("<")[0].rpartition("::")[2]
                types.setdefault(inner, set())
                supers[inner] = (*supers.get(inner, ()), *bases_of(node))
        elif node.type == "using_declaration":
            held.add(text_of(node).rstrip("; ").rpartition("::")[2])
        elif node.type in _DECLARES:
            held |= {
                text_of(each)
                for each in map(declared, node.children_by_field_name("declarator"))
                if each
            }
        waiting += [(each, inner) for each in node.children if each.is_named]
    whole = {name: frozenset(found) for name, found in types.items()}
    return DeclaringFile("", frozenset(tops), whole, supers, frozenset().union(*types.values()))


def declared(node: Node | None) -> Node | None:
    """The name that a declarator declares; None for what belongs to a type that is named there."""
    while node is not None and node.type not in _NAMED:
        if node.type in ("qualified_identifier", "structured_binding_declarator"):
            return None
        inner = node.child_by_field_name("declarator")
        named = [
            each for each in node.named_children if each.type in _NAMED or "declarator" in each.type
        ]
        node = inner if inner is not None else (named[-1] if named else None)
    return node


def bases_of(node: Node) -> list[str]:
    """The types that a class stands below, by their last names."""
    found = list[str]()
    for clause in node.named_children:
        if clause.type != "base_class_clause":
            continue
        for each in clause.named_children:
            words = [text_of(part) for part in walk(each) if part.type == "type_identifier"]
            inner = each.child_by_field_name("name") if each.type == "template_type" else None
            if each.type != "access_specifier" and words:
                found.append(
                    text_of(inner)
                    if inner is not None
                    else words[0 if "<" in text_of(each) else -1]
                )
    return found
