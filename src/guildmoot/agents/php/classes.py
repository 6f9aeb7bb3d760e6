"""Classes of PHP: what they have themselves and what they take from others. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.php import known
from guildmoot.agents.php.reading import CLASS, Head, resolve
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

KINDS_WORDS = """
class_declaration interface_declaration trait_declaration enum_declaration anonymous_class
"""
KINDS = frozenset(KINDS_WORDS.split())
_OPENS = lazy(r"(?i)\bfunction\s+&?__(?:get|set|call|callStatic)\b")
_TOLD = lazy(r"@(?:property|method|mixin)\b|AllowDynamicProperties")
_SET = lazy(r"\$this->(\w+)\s*(?:\[[^\]\n]*\]\s*)*(?:=(?![=>])|\?\?=|\.=|\+=|-=)")
_GIVEN = {
    "countable": "count()",
    "iteratoraggregate": "getiterator()",
    "traversable": "",
    "arrayaccess": "offsetget() offsetset() offsetexists() offsetunset()",
    "jsonserializable": "jsonserialize()",
    "stringable": "__tostring()",
    "iterator": "current() key() next() rewind() valid()",
    "unitenum": "cases() name",
    "backedenum": "cases() from() tryfrom() name value",
}
_THROWN = (
    "getmessage() getprevious() getcode() getfile() getline() gettrace() gettraceasstring() __tostring() message code"
    " file line previous severity getseverity() __construct()"
)


class PhpClass(NamedTuple):
    """One class, interface, trait or enum."""

    name: str
    kind: str
    above: tuple[str, ...]
    """Classes and traits that it takes members from, by their whole names."""
    interfaces: tuple[str, ...]
    members: frozenset[str]
    """Methods in small letters and with ``()``, constants and declared properties."""
    set: frozenset[str]
    """Properties that it sets."""
    types: dict[str, str]
    """The class of a property or, with ``()``, of what a method returns."""
    is_open: bool
    is_abstract: bool


def read_class(node: Node, head: Head) -> PhpClass:
    """What stands in a class itself."""
    above, interfaces, members = list[str](), list[str](), set[str]()
    types: dict[str, str] = {}
    named = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    for part in node.named_children:
        if part.type in ("base_clause", "class_interface_clause"):
            names = [resolve(CLASS, text_of(each), head) for each in part.named_children]
            is_class = part.type == "base_clause" and node.type != "interface_declaration"
            (above if is_class else interfaces).extend(names)
    for part in body.named_children if body is not None else ():
        if part.type == "use_declaration":
            above += [
                resolve(CLASS, text_of(e), head) for e in part.named_children if "name" in e.type
            ]
            members.update(f"{name.lower()}()" for name in re.findall(r"(\w+)\s*;", text_of(part)))
        for name, kind in _members(part):
            members.add(name)
            if kind is not None:
                types |= {name: resolve(CLASS, text_of(kind), head)}
    text = text_of(node)
    before = node.prev_named_sibling
    said = text_of(before) if before is not None and before.type == "comment" else ""
    return PhpClass(
        resolve(CLASS, "\\" + _whole(named, head), head),
        node.type,
        tuple(above),
        tuple(interfaces),
        frozenset(members),
        frozenset(_SET.findall(text)),
        types,
        bool(_OPENS.search(text) or _TOLD.search(said + text[:400].partition("{")[0])),
        any(each.type == "abstract_modifier" for each in node.children),
    )


def classes_in(root: Node, head: Head) -> list[PhpClass]:
    """The classes of a file, but for those inside of functions."""
    near = [each for part in root.named_children for each in (part, *part.named_children)]
    near += [each for part in near for each in part.named_children]
    found = {each.id: each for each in near if each.type in KINDS}
    return [read_class(each, head) for each in found.values()]


def _whole(named: Node | None, head: Head) -> str:
    name = text_of(named) if named is not None else ""
    return f"{head.space}\\{name}" if head.space else name


def _members(part: Node) -> Iterator[tuple[str, Node | None]]:
    """What one part of a body declares, with its type where that is one class."""
    if part.type == "method_declaration":
        yield f"{_name(part).lower()}()", _class_of(part.child_by_field_name("return_type"))
        parameters = part.child_by_field_name("parameters")
        for each in parameters.named_children if parameters is not None else ():
            if each.type == "property_promotion_parameter":
                yield _name(each).lstrip("$&"), _class_of(each.child_by_field_name("type"))
    elif part.type == "property_declaration":
        kind = _class_of(part.child_by_field_name("type"))
        for each in part.named_children:
            if each.type == "property_element":
                yield _name(each).lstrip("$"), kind
    elif part.type == "const_declaration":
        for each in part.named_children:
            if each.type == "const_element":
                yield text_of(each.named_children[0]), None
    elif part.type == "enum_case":
        yield _name(part), None


def _name(node: Node) -> str:
    named = node.child_by_field_name("name")
    return text_of(named) if named is not None else ""


def _class_of(kind: Node | None) -> Node | None:
    """The one class that a type means."""
    while kind is not None and kind.type == "optional_type":
        kind = kind.named_children[0]
    if kind is None or kind.type != "named_type":
        return None
    return kind.named_children[0] if not known.is_class(text_of(kind)) else None


class Members(NamedTuple):
    """What a class has, with all that it takes from others."""

    names: frozenset[str]
    types: dict[str, str]
    is_open: bool
    """Whether it may have more."""
    hides_constants: bool
    """Whether an interface that nobody here declares may bring constants."""
    classes: frozenset[str]
    """It and all above it that are declared here."""


def all_members(
    start: PhpClass, find: Callable[[str], PhpClass | None], *, with_set: bool = True
) -> Members:
    """Those of a class and of all above it, as far as they are declared here."""
    names, types = set[str](), dict[str, str]()
    is_open = hides = False
    seen, waiting = dict[str, str](), [start]
    while waiting:
        each = waiting.pop()
        if each.name.lower() in seen:
            continue
        seen[each.name.lower()] = each.name
        names |= each.members | (each.set if with_set or each is not start else set())
        types = each.types | types
        is_open = is_open or each.is_open
        if each.kind == "enum_declaration":
            names |= set(_GIVEN["backedenum"].split())
        for whole, concrete in [
            *((n, True) for n in each.above),
            *((n, False) for n in each.interfaces),
        ]:
            found = find(whole)
            if found is not None:
                waiting.append(found)
            elif "\\" not in whole and (given := _given(whole)) is not None:
                names |= set(given.split())
            elif concrete or each.is_abstract or each.kind == "interface_declaration":
                is_open = True
            else:
                hides = True
    return Members(frozenset(names), types, is_open, hides, frozenset(seen.values()))


def _given(name: str) -> str | None:
    low = name.lower()
    if low in _GIVEN:
        return _GIVEN[low]
    thrown = low.endswith(("exception", "error", "throwable")) and known.is_class(low)
    return _THROWN if thrown else None
