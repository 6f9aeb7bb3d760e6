"""The types of a file of Java, with what their members take. A method is called ``name()`` here."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from guildmoot.agents.members.fit import ANY, Forms, Takes, both
from guildmoot.agents.members.typed.model import Gives, Shape, joined
from guildmoot.agents.parsing.walk import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

TYPES = frozenset(
    ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
)
_OF_ALL = "getClass() hashCode() equals() toString() notify() notifyAll() wait() clone() class"
_OF_ENUMS = (
    "name() ordinal() values() valueOf() compareTo() getDeclaringClass() describeConstable()"
)
OF_ERRORS = (
    "getMessage() getCause() initCause() getLocalizedMessage() printStackTrace() getStackTrace()"
    " setStackTrace() addSuppressed() getSuppressed() fillInStackTrace()"
)
PLAIN = frozenset(("type_identifier", "scoped_type_identifier"))


def given(words: str) -> Shape:
    listed = f"{words} {_OF_ALL}".split()
    return Shape({word: Gives(("",), called=word.endswith("()")) for word in listed})


def declarations(node: Node) -> Iterator[Node]:
    """Types of a file and those in their bodies; what methods declare is seen nowhere else."""
    for part in node.named_children:
        if part.type in TYPES:
            yield part
            yield from declarations(part)
        elif part.type.endswith(("_body", "_body_declarations")):
            yield from declarations(part)


def named(node: Node) -> str:
    name = node.child_by_field_name("name")
    return text_of(name) if name is not None else ""


def plain(node: Node | None) -> str:
    """The name of a type without what it is made of; empty for arrays and the like."""
    if node is not None and node.type == "generic_type" and node.named_children:
        node = node.named_children[0]
    return text_of(node) if node is not None and node.type in PLAIN else ""


def shape_of(node: Node) -> Shape:
    own = _type_parameters_of(node)
    members = dict(given(_OF_ENUMS if node.type == "enum_declaration" else "").members)
    listed = node.child_by_field_name("parameters")
    for each in listed.named_children if listed is not None else ():
        kind = (_unless(own, plain(each.child_by_field_name("type"))),)
        asked = Gives(kind, called=True, takes=(Takes(0, 0),))
        members |= {named(each): Gives(kind), f"{named(each)}()": asked}
    body = node.child_by_field_name("body")
    parts = body.named_children if body is not None else []
    inner = [
        each
        for part in parts
        if part.type == "enum_body_declarations"
        for each in part.named_children
    ]
    for part in (*parts, *inner):
        for name, gives in _members(part, own, named(node)):
            members[name] = joined(members.get(name, gives), gives)
    takes = tuple(_supers(node))
    broken = any(each.type == "ERROR" for each in parts)
    makes = None if broken else _makes(node, (*parts, *inner))
    return Shape(members, takes, open="" in takes or broken, makes=makes)


def _makes(node: Node, parts: tuple[Node, ...]) -> Forms | None:
    """What a class or a record takes to be made."""
    forms: Forms | None = () if node.type != "interface_declaration" else None
    if node.type == "record_declaration":
        forms = _taken(node)
    for part in parts:
        if part.type == "constructor_declaration":
            forms = both(forms, _taken(part))
    return forms


def _taken(function: Node) -> Forms | None:
    listed = function.child_by_field_name("parameters")
    if listed is None or listed.has_error:
        return None
    kinds = [each.type for each in listed.named_children]
    count = kinds.count("formal_parameter")
    return (Takes(count, ANY if "spread_parameter" in kinds else count),)


def _type_parameters_of(node: Node) -> set[str]:
    listed = node.child_by_field_name("type_parameters")
    found = listed.named_children if listed is not None else []
    return {
        text_of(word)
        for each in found
        for word in each.named_children
        if word.type == "type_identifier"
    }


def _unless(parameters: set[str], name: str) -> str:
    return "" if name in parameters else name


def _members(part: Node, own: set[str], owner: str) -> Iterator[tuple[str, Gives]]:
    kind = plain(part.child_by_field_name("type"))
    if part.type in ("field_declaration", "constant_declaration"):
        for each in part.children_by_field_name("declarator"):
            single = each.child_by_field_name("dimensions") is None
            yield named(each), Gives((_unless(own, kind) if single else "",))
    elif part.type in ("method_declaration", "annotation_type_element_declaration"):
        own = own | _type_parameters_of(part)
        private = b"private" in (part.children[0].text or b"").split()
        gives = Gives((_unless(own, kind),), called=True, takes=_taken(part), own=private)
        yield f"{named(part)}()", gives
    elif part.type == "enum_constant":
        yield named(part), Gives((owner,))
    elif part.type in TYPES:
        yield named(part), Gives((named(part),))
    elif part.type == "annotation_type_declaration":
        yield named(part), Gives(("",))


def _supers(node: Node) -> Iterator[str]:
    for part in node.named_children:
        if part.type in ("superclass", "super_interfaces", "extends_interfaces"):
            lists = [each for each in part.named_children if each.type == "type_list"] or [part]
            for each in chain.from_iterable(found.named_children for found in lists):
                yield plain(each)
