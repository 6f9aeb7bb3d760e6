"""Constructors of C++, and where they are called. What has templates, macros or variants in it is left alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from guildmoot.agents.members.arguments import given_calls, listed
from guildmoot.agents.members.fit import Forms, Takes, both
from guildmoot.agents.members.typed.model import MADE, TypedCall, Types
from guildmoot.agents.parsing.walk import line_of, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_TAG = "struct "
_UNSURE = ("preproc", "using_declaration", "template_declaration", "ERROR", "expression_statement")
_NO_COPY = frozenset(
    ("number_literal", "string_literal", "null", "true", "false", "this", "pointer_expression")
)
"""What a value that is given alone is not a copy of."""
_MAKERS = frozenset(("make_unique", "make_shared"))


def makes(name: str, body: Node) -> Forms | None:
    """What a class takes to be made; None where it declares no constructor, for it may be a mere list of values."""
    if body.has_error or any(each.type.startswith(_UNSURE) for each in body.named_children):
        return None
    heads = [each.child_by_field_name("declarator") for each in body.named_children]
    forms: Forms | None = ()
    own = [each for each in heads if each is not None and _constructs(each, name)]
    for head in own:
        forms = both(forms, taken(head.child_by_field_name("parameters")))
    return forms if own else None


def _constructs(head: Node, name: str) -> bool:
    named = head.child_by_field_name("declarator")
    plain = head.type == "function_declarator" and named is not None
    return plain and named is not None and text_of(named) == name


def taken(parameters: Node | None) -> Forms | None:
    """What a function takes that has these parameters; None where nobody can say."""
    parts = [e for e in parameters.named_children if e.type != "comment"] if parameters else []
    kinds = [each.type for each in parts]
    if parameters is None or {*kinds} - {"parameter_declaration", "optional_parameter_declaration"}:
        return None
    if "..." in text_of(parameters) or any(text_of(each).isupper() for each in parts):
        return None
    if text_of(parameters) == "(void)":
        return (Takes(0, 0),)
    return (Takes(kinds.count("parameter_declaration"), len(kinds)),)


class CppCalls:
    """Of constructors by ``new``, by what makes a pointer, and of variables that are made with arguments."""

    many = True

    def calls(self, root: Node) -> Iterator[TypedCall]:
        for _, kind, values in given_calls(root, "new_expression", "type"):
            yield from _made(kind, values)
        for _, called, values in given_calls(root):
            yield from _made(_pointed(called), values)
        for node in walk(root):
            if node.type == "init_declarator" and not node.has_error and node.parent is not None:
                held = listed(node.child_by_field_name("value"))
                named = node.child_by_field_name("declarator")
                if held is not None and named is not None and named.type == "identifier":
                    yield from _made(node.parent.child_by_field_name("type"), held)

    def functions(self, root: Node) -> Mapping[str, Forms]:
        return {}

    def function(self, called: Node, path: str, types: Types) -> Forms | None:
        return None


def _made(kind: Node | None, values: list[Node]) -> Iterator[TypedCall]:
    """Macros and packs among the values may be several, and one value may be copied."""
    alone = len(values) == 1 and values[0].type not in _NO_COPY
    sure = not alone and not any(
        text_of(each).isupper() or "..." in text_of(each) for each in values
    )
    if kind is not None and kind.type == "type_identifier" and sure:
        yield TypedCall(kind, MADE, line_of(kind), len(values), of=_TAG + text_of(kind))


def _pointed(called: Node) -> Node | None:
    """The type of ``std::make_unique<X>``."""
    inner = called.child_by_field_name("name") if called.type == "qualified_identifier" else called
    name = inner.child_by_field_name("name") if inner is not None else None
    given = inner.child_by_field_name("arguments") if inner is not None else None
    if name is None or given is None or text_of(name) not in _MAKERS:
        return None
    parts = given.named_children
    return parts[0].child_by_field_name("type") if len(parts) == 1 else None
