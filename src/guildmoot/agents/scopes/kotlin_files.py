"""What a file of Kotlin declares, for the files that see it."""

from __future__ import annotations

import re
from functools import lru_cache

from guildmoot.agents.parsing.grammars import parser
from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.scopes.above import DeclaringFile
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_PACKAGE = lazy(r"(?m)^\s*package\s+([\w.`]+)")
_IMPORT = lazy(
    r"(?m)^[ \t]*import\s+([\w.`]+?)(\.\*)?(?:\s+as\s+(\w+))?[ \t]*;?[ \t]*(?://.*)?\r?$"
)
_TYPES = frozenset(("class_declaration", "object_declaration"))
_EXTENSION = lazy(
    r"\b(?:fun|va[lr])\s+(?:<[^>\n]*>+\s*)?[\w.<>?,*` ]+\.`?(\w+)`?\s*(?:[(:=\n]|<|by\b|get\b)"
)
_FUNCTIONS = frozenset(
    ("function_body", "lambda_literal", "anonymous_initializer", "getter", "setter")
)


def package_of(text: str) -> str:
    found = _PACKAGE.search(text)
    return found[1] if found else ""


def imports_of(text: str) -> set[tuple[str, str]]:
    """Each path with the name it gives; ``*`` for all of a package or type."""
    return {
        (path, "*" if star else alias or path.rpartition(".")[2])
        for path, star, alias in _IMPORT.findall(text)
    }


@lru_cache(maxsize=256)
def kotlin_file(text: str) -> DeclaringFile:
    root = parser("Kotlin").parse(text.encode("utf-8", "surrogatepass")).root_node
    tops, types, supers = set[str](), dict[str, set[str]](), dict[str, tuple[str, ...]]()
    waiting: list[tuple[Node, str]] = [(each, "") for each in root.children]
    while waiting:
        node, owner = waiting.pop()
        if node.type in _FUNCTIONS:
            continue
        held = types[owner] if owner else tops
        inner = owner
        name = node.child_by_field_name("name")
        if node.type in _TYPES and name is not None:
            inner = text_of(name)
            held.add(inner)
            types.setdefault(inner, set())
            supers[inner] = (*supers.get(inner, ()), *supers_of(node))
        elif node.type == "function_declaration" and name is not None:
            held.add(text_of(name))
            continue
        elif node.type in ("class_parameter", "variable_declaration", "enum_entry"):
            first = next((each for each in node.named_children if each.type == "identifier"), None)
            held.add(text_of(first) if first is not None else "")
        elif node.type == "type_alias":
            alias = node.child_by_field_name("type")
            held.add(text_of(alias) if alias is not None else "")
        elif node.type == "companion_object" and owner:
            supers[owner] = (*supers.get(owner, ()), *supers_of(node))
        waiting += [(each, inner) for each in node.children if each.is_named]
    extended = set(_EXTENSION.findall(text))
    members = extended.union(*types.values())
    whole = {name: frozenset(found) for name, found in types.items()}
    return DeclaringFile(
        package_of(text), frozenset(tops | extended), whole, supers, frozenset(members)
    )


def supers_of(node: Node) -> list[str]:
    """The types from which a class or an object takes members, by their names with those around them."""
    lists = (each for each in node.named_children if each.type == "delegation_specifiers")
    found = list[str]()
    for each in (part for of in lists for part in of.named_children):
        inner: Node | None = each
        while inner is not None and inner.type != "user_type":
            inner = inner.named_children[0] if inner.named_children else None
        if inner is not None:
            words = [text_of(word) for word in inner.named_children if word.type == "identifier"]
            found += [".".join(words)] if words else []
    return found


def asks_member(text: str, name: str) -> bool:
    """Whether a text asks something for a member of that name, which a library may have."""
    asks = rf"(?m)^(?!\s*(?:import|package)\b).*(?:\.|::)\s*`?{re.escape(name)}\b"
    return re.search(asks, text) is not None
