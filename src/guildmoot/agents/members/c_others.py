"""Names of C and C++ that stand for something else than a type whose members are listed."""

from __future__ import annotations

import re

from guildmoot.agents.members.typed.model import Shape
from guildmoot.agents.parsing.walk import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

STRUCTS = frozenset(("struct_specifier", "union_specifier", "class_specifier"))
TAG, SPACE = "struct ", "namespace "
"""Before the names of what is looked up as such."""
OTHER_NAMES = frozenset(
    (
        *("alias_declaration", "using_declaration", "namespace_definition", "enum_specifier"),
        *(
            "namespace_alias_definition",
            "preproc_def",
            "preproc_function_def",
            "concept_definition",
        ),
    )
)
"""What gives a name that is no type of this file whose members are listed."""


def add_other(node: Node, found: dict[str, Shape]) -> None:
    """A name that stands for something else than a type of this file, wherever that may be."""
    if node.type == "using_declaration":
        whole = next((e for e in node.named_children if e.type == "qualified_identifier"), None)
        names = re.findall(r"\w+", text_of(whole)) if whole is not None else []
        if len(names) > 1:  # of the repository only if its namespace is
            found.setdefault(names[-1], Shape({}, (SPACE + names[0], TAG + names[-1])))
        return
    name = node.child_by_field_name("name")
    names = re.findall(r"\w+", text_of(name)) if name is not None else []
    if node.type == "namespace_definition":
        found.update({SPACE + each: Shape({}) for each in names})
    found.update({each: Shape({}, open=True) for each in names})


def is_inner(node: Node) -> bool:
    """Whether it stands in a class or a function, which alone know it by its name."""
    around = node.parent
    while around is not None and around.type not in STRUCTS | {"compound_statement"}:
        around = around.parent
    return around is not None
