"""A file of PHP: its namespace, its imports and what a name in it stands for. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

CLASS, FUNCTION, CONSTANT, MEMBER = "class", "function", "constant", "member"
_IMPORTS = {"function": FUNCTION, "const": CONSTANT}
_JOINTS = ("namespace_name", "qualified_name", "relative_name")
_CLASSES_WORDS = """
object_creation_expression named_type base_clause class_interface_clause use_declaration attribute
use_instead_of_clause
"""
_CLASSES = frozenset(_CLASSES_WORDS.split())
_MEMBERS_WORDS = """
member_call_expression member_access_expression nullsafe_member_call_expression scoped_call_expression
nullsafe_member_access_expression scoped_property_access_expression class_constant_access_expression
"""
_MEMBERS = frozenset(_MEMBERS_WORDS.split())
_VALUES_WORDS = """
argument binary_expression return_statement array_element_initializer conditional_expression unary_op_expression
parenthesized_expression echo_statement match_condition_list assignment_expression simple_parameter
property_element property_promotion_parameter const_element case_statement match_conditional_expression
static_variable_declaration augmented_assignment_expression
"""
_VALUES = frozenset(_VALUES_WORDS.split())
"""Where a bare word is a constant."""
_DECLARED_CLASS = lazy(
    r"(?im)^[ \t]*(?:(?:abstract|final|readonly)[ \t]+)*(?:class|interface|trait|enum)[ \t]+(\w+)"
)
_DECLARED_FUNCTION = lazy(r"(?m)^[^\n#*'\"]*?(?<![\w$])function\s+&?\s*(\w+)\s*\(")
_SPACES = lazy(r"(?m)^[ \t]*(?:<\?php[ \t]+)?namespace[ \t]+([\w\\]+)[ \t]*[;{]?")


_SAID = lazy(r"(?s)/\*.*?\*/|(?://|#(?!\[))[^\n]*|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"")


class Head(NamedTuple):
    """What decides which name is meant."""

    space: str
    imports: dict[tuple[str, str], str]
    """The whole name by the kind and the name it has here, in small letters but for constants."""
    several: bool
    """Whether the file has more than one namespace."""


class PhpAsk(NamedTuple):
    """A use of a name."""

    kind: str
    written: str
    line: int
    node: Node
    imported: bool = False
    """Whether it is the import itself."""


def read_head(root: Node) -> Head:
    """The namespace and the imports of a file."""
    space, count = "", 0
    imports: dict[tuple[str, str], str] = {}
    waiting = list(root.named_children)
    while waiting:
        node = waiting.pop(0)
        if node.type == "namespace_definition":
            count += 1
            named = node.child_by_field_name("name")
            space = text_of(named) if named is not None else ""
            body = node.child_by_field_name("body")
            waiting += body.named_children if body is not None else []
        elif node.type == "namespace_use_declaration":
            imports |= {(kind, key): whole for kind, key, whole in _imported(node)}
    return Head(space, imports, count > 1)


def _imported(node: Node) -> Iterator[tuple[str, str, str]]:
    for clause in walk(node):
        if clause.type != "namespace_use_clause":
            continue
        kind, whole = import_of(clause)
        alias = clause.child_by_field_name("alias")
        key = text_of(alias) if alias is not None else whole.rpartition("\\")[2]
        yield kind, key if kind == CONSTANT else key.lower(), whole


def import_of(clause: Node) -> tuple[str, str]:
    """The kind and the whole name of what one clause takes in."""
    around = clause.parent
    prefix = ""
    words = [each.type for each in clause.children if not each.is_named]
    if around is not None and around.type == "namespace_use_group":
        around = around.parent
        named = [each for each in around.named_children if each.type in _JOINTS] if around else []
        prefix = text_of(named[0]).strip("\\") + "\\" if named else ""
    words += [each.type for each in around.children if not each.is_named] if around else []
    kind = next((_IMPORTS[word] for word in words if word in _IMPORTS), CLASS)
    return kind, prefix + text_of(clause.named_children[0]).strip("\\")


def asks_for(root: Node, words: Iterable[str]) -> Iterator[PhpAsk]:
    """Every use of one of the words as the name of something, but for variables."""
    listed = "|".join(map(re.escape, sorted(words)))
    if not listed:
        return
    data = root.text or b""
    start = root.start_byte
    for hit in re.finditer(rb"(?<![\w$])(?:" + listed.encode() + rb")(?!\w)", data):
        at = hit.start() + start
        node = root.named_descendant_for_byte_range(at, hit.end() + start)
        if node is not None and node.type == "name" and node.start_byte == at:
            ask = _ask(node)
            if ask is not None:
                yield ask


def _ask(node: Node) -> PhpAsk | None:
    whole, around = node, node.parent
    while around is not None and around.type in _JOINTS:
        whole, around = around, around.parent
    if around is None or around.is_error:
        return None
    line = line_of(node)
    if around.type == "namespace_use_clause":
        if around.child_by_field_name("alias") == whole:
            return None
        kind, name = import_of(around)
        return PhpAsk(kind, f"\\{name}", line, whole, imported=True)
    kind = _kind(whole, around)
    return PhpAsk(kind, text_of(whole), line, whole) if kind else None


def _kind(whole: Node, around: Node) -> str:
    first = around.named_children[0] == whole
    if around.type in _MEMBERS:
        scope = around.child_by_field_name("scope") == whole
        if around.type == "class_constant_access_expression":
            scope = first
        return CLASS if scope else MEMBER if whole.type == "name" else ""
    if around.type in _CLASSES:
        return CLASS
    if around.type == "function_call_expression":
        return FUNCTION if around.child_by_field_name("function") == whole else ""
    if around.type == "binary_expression" and any(c.type == "instanceof" for c in around.children):
        return CLASS if around.child_by_field_name("right") == whole else CONSTANT
    return CONSTANT if around.type in _VALUES and _is_value(whole, around, first) else ""


def _is_value(whole: Node, around: Node, first: bool) -> bool:
    if around.type in ("argument", "simple_parameter", "property_promotion_parameter"):
        return around.child_by_field_name("name") != whole
    return not (around.type == "const_element" and first)


def resolve(kind: str, written: str, head: Head) -> str:
    """The whole name that is meant; of a bare function or constant the one in this namespace."""
    if written.startswith("\\"):
        return written[1:]
    first, sign, rest = written.partition("\\")
    if first == "namespace" and sign:
        return _in(head.space, rest)
    key = (CLASS, first.lower()) if sign else (kind, first if kind == CONSTANT else first.lower())
    if key in head.imports:
        return head.imports[key] + sign + rest
    return _in(head.space, written)


def _in(space: str, name: str) -> str:
    return f"{space}\\{name}" if space else name


def code_of(text: str) -> str:
    """A text without comments and strings."""
    return _SAID.sub(" ", text)


def spaces_of(text: str) -> list[str]:
    """The namespaces that a text declares; one without a name where it declares none."""
    return _SPACES.findall(text) or [""]


def classes_of(text: str) -> set[str]:
    """Classes that a text declares, without their namespaces, in small letters."""
    return {name.lower() for name in _DECLARED_CLASS.findall(text)}


def functions_of(text: str) -> set[str]:
    """Functions that a text declares, methods among them, in small letters."""
    return {name.lower() for name in _DECLARED_FUNCTION.findall(text)}


def sets_constant(text: str, name: str) -> bool:
    """Whether a text makes the constant, or may."""
    bare = re.escape(name)
    made = rf"\bconst\s+(?:\w+\s+)?(?:[^;]*,\s*)?{bare}\s*=|['\"]\\?(?:[\w\\]*\\)?{bare}['\"]"
    return re.search(made, text) is not None
