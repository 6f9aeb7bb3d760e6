"""What a name of Rust is bound to where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.agents.members.typed.model import NameBinding
from guildmoot.agents.members.typed.rust_names import words
from guildmoot.agents.parsing.walk import text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

INNER, EACH, HELD = 1, 2, 3
"""Which part of a value a name is bound to: what an Option holds, an element of a list, either of them."""
_CONDITIONAL = {"if_expression": "consequence", "while_expression": "body"}
_EACH = words("""map for_each filter filter_map flat_map any all find find_map position inspect and_then
    is_some_and is_none_or is_ok_and take_while skip_while map_while partition max_by_key min_by_key""")
_AROUND_NAMES = words("mut_pattern ref_pattern reference_pattern match_pattern")


def bound_to(node: Node, name: str) -> NameBinding | None:
    """The nearest binding of a name that counts where the node stands."""
    child, around = node, node.parent
    while around is not None:
        for found in _bindings(around, child, name):
            return found
        child, around = around, around.parent
    return None


def _bindings(around: Node, child: Node, name: str) -> Iterator[NameBinding]:
    kind, field = around.type, around.child_by_field_name
    if kind in ("function_item", "closure_expression") and child == field("body"):
        listed = field("parameters")
        parameters = listed.named_children if listed is not None else []
        value = _walked(around) if kind == "closure_expression" and len(parameters) == 1 else None
        for each in parameters:
            pattern, of = (
                each.child_by_field_name("pattern") or each,
                each.child_by_field_name("type"),
            )
            yield from _bound(
                pattern, name, of, value if of is None else None, HELD if value else 0
            )
    elif kind == "for_expression" and child == field("body"):
        yield from _bound(field("pattern"), name, None, field("value"), EACH)
    elif kind in _CONDITIONAL and child == field(_CONDITIONAL[kind]):
        yield from _conditions(field("condition"), name)
    elif kind == "let_chain":
        for each in reversed(around.named_children):
            if each.end_byte <= child.start_byte:
                yield from _conditions(each, name)
    elif kind in ("match_arm", "match_pattern"):
        arm = around if kind == "match_arm" else around.parent
        if arm is not None and child not in (around.named_children[0], field("pattern")):
            match = arm.parent.parent if arm.parent is not None else None
            value = match.child_by_field_name("value") if match is not None else None
            yield from _bound(arm.child_by_field_name("pattern"), name, None, value)
    else:
        yield from _declared(around, child, name)


def _walked(closure: Node) -> Node | None:
    """Whose elements a closure is called with, where a method of lists and options calls it."""
    around = closure.parent.parent if closure.parent is not None else None
    called = around.child_by_field_name("function") if around is not None else None
    if called is None or called.type != "field_expression":
        return None
    name = called.child_by_field_name("field")
    return called.child_by_field_name("value") if name and text_of(name) in _EACH else None


def _declared(around: Node, child: Node, name: str) -> Iterator[NameBinding]:
    for each in reversed(around.named_children):
        field = each.child_by_field_name
        if each.type == "let_declaration" and each.end_byte <= child.start_byte:
            yield from _bound(field("pattern"), name, field("type"), field("value"))
        elif each.type == "function_item" and around.type == "block":
            yield from _bound(field("name"), name, None, None)
        elif each.type in ("const_item", "static_item"):
            yield from _bound(field("name"), name, field("type"), None)


def _conditions(node: Node | None, name: str) -> Iterator[NameBinding]:
    parts = (node, *node.named_children) if node is not None else ()
    for each in reversed(parts):
        if each.type == "let_condition":
            field = each.child_by_field_name
            yield from _bound(field("pattern"), name, None, field("value"))


def _bound(
    pattern: Node | None, name: str, kind: Node | None, value: Node | None, part: int = 0
) -> Iterator[NameBinding]:
    while pattern is not None and pattern.type in _AROUND_NAMES and pattern.named_children:
        pattern = pattern.named_children[-1 if pattern.type != "match_pattern" else 0]
    if pattern is None or name not in _words(pattern):
        return
    if pattern.type == "identifier":
        yield NameBinding(kind, value, part)
        return
    inner = pattern.named_children
    is_some = pattern.type == "tuple_struct_pattern" and text_of(inner[0]) in ("Some", "Ok")
    if is_some and len(inner) == 2 and inner[1].type == "identifier" and part == 0:
        yield NameBinding(kind, value, INNER)
    else:
        yield NameBinding()


def _words(pattern: Node) -> set[str]:
    names = ("identifier", "shorthand_field_identifier")
    return {text_of(each) for each in walk(pattern) if each.type in names}
