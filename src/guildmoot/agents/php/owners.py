"""Of which class of PHP a member is asked. Pure."""

from __future__ import annotations

import re

from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.php.classes import KINDS, PhpClass, all_members, read_class
from guildmoot.agents.php.reading import CLASS, Head, resolve
from guildmoot.agents.php.repository import PhpRepository
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = (
    "method_declaration",
    "function_definition",
    "anonymous_function",
    "arrow_function",
)
_REBOUND = lazy(
    r"(?i)^(?:macro|bind|bindto|call|mixin|extend|it|test|describe|before\w+|after\w+|closure\w*)$"
)
_NEW = ("object_creation_expression", "parenthesized_expression")
_DEEPEST = 4


class Owner(NamedTuple):
    """A class, and how sure it is that it is meant."""

    cls: PhpClass
    is_exact: bool
    """Whether it is this class and none below it."""
    is_own: bool
    """Whether the class that asks is meant."""


def owner_of(member: Node, head: Head, repository: PhpRepository) -> Owner | None:
    """Whom a member is asked of; None where nobody can say."""
    around = member.parent
    if around is None:
        return None
    of = around.child_by_field_name("object") or around.child_by_field_name("scope")
    if around.type == "class_constant_access_expression":
        of = around.named_children[0]
    return _owner(of, head, repository, 0) if of is not None else None


def _owner(of: Node, head: Head, repository: PhpRepository, depth: int) -> Owner | None:
    said = text_of(of)
    if said in ("$this", "self", "static", "parent"):
        return _self(of, said, head, repository)
    if of.type in ("name", "qualified_name", "relative_name"):
        return _found(resolve(CLASS, said, head), repository, exact=True)
    while of.type == "parenthesized_expression" and of.named_children:
        of = of.named_children[0]
    if of.type == "object_creation_expression":
        named = of.named_children[0] if of.named_children else None
        if named is None or "name" not in named.type or "variable" in named.type:
            return None
        if text_of(named) in ("self", "static"):
            return _self(of, text_of(named), head, repository)
        return _found(resolve(CLASS, text_of(named), head), repository, exact=True)
    if of.type == "variable_name":
        return _of_variable(of, head, repository)
    if depth < _DEEPEST:
        return _of_member(of, head, repository, depth)
    return None


def _found(whole: str, repository: PhpRepository, *, exact: bool) -> Owner | None:
    found = repository.find_class(whole)
    return Owner(found, exact, False) if found is not None else None


def _self(of: Node, said: str, head: Head, repository: PhpRepository) -> Owner | None:
    """The class around; a closure may be bound to another, and a trait is part of others."""
    around = of.parent
    while around is not None and around.type not in KINDS:
        if around.type == "argument" and _is_rebound(around):
            return None
        around = around.parent
    if around is None or around.type == "trait_declaration":
        return None
    cls = read_class(around, head)
    if said == "parent":
        return _found(cls.above[0], repository, exact=True) if cls.above else None
    return Owner(cls, said == "self", True)


def _is_rebound(argument: Node) -> bool:
    call = argument.parent.parent if argument.parent is not None else None
    if call is None or not any("function" in each.type for each in argument.named_children):
        return False
    named = call.child_by_field_name("name") or call.child_by_field_name("function")
    return named is not None and _REBOUND.search(text_of(named)) is not None


def _of_member(of: Node, head: Head, repository: PhpRepository, depth: int) -> Owner | None:
    """By the type of a property, or of what a method returns."""
    named = of.child_by_field_name("name")
    inner = of.child_by_field_name("object") or of.child_by_field_name("scope")
    if named is None or inner is None or named.type != "name" or _is_narrowed(of, text_of(of)):
        return None
    owner = _owner(inner, head, repository, depth + 1)
    if owner is None:
        return None
    key = text_of(named)
    if of.type.endswith("call_expression"):
        key = f"{key.lower()}()"
    whole = all_members(owner.cls, repository.find_class).types.get(key)
    return _found(whole, repository, exact=False) if whole else None


def _of_variable(of: Node, head: Head, repository: PhpRepository) -> Owner | None:
    """By the type of a parameter that nothing sets again, or by the one ``new`` that is assigned."""
    name, function = text_of(of), of.parent
    while function is not None and function.type not in _FUNCTIONS:
        function = function.parent
    if function is None or _is_narrowed(function, name):
        return None
    body = text_of(function)
    sets = re.findall(rf"(?<![\w$]){re.escape(name)}\s*(?:\?\?)?=(?![=>])\s*(.*)", body)
    parameters = function.child_by_field_name("parameters")
    for each in parameters.named_children if parameters is not None else ():
        named, kind = each.child_by_field_name("name"), each.child_by_field_name("type")
        if named is None or kind is None or text_of(named) != name:
            continue
        while kind.type == "optional_type":
            kind = kind.named_children[0]
        if kind.type != "named_type" or sets:
            return None
        return _found(resolve(CLASS, text_of(kind), head), repository, exact=False)
    made = [re.match(r"\(?new\s+([\w\\]+)", value) for value in sets]
    bound = re.search(
        rf"(?:\bas\b|=>|,|\[|&|catch\s*\([^)]*)\s*{re.escape(name)}\s*(?:\]|\)\s*\{{|,[^;]*\]\s*=)",
        body,
    )
    if len(made) != 1 or made[0] is None or bound:
        return None
    return _found(
        resolve(CLASS, made[0][1], head), repository, exact=made[0][1] not in ("self", "static")
    )


def _is_narrowed(node: Node, said: str) -> bool:
    """Whether the code asks what it is beyond its type."""
    function: Node | None = node
    while function is not None and function.type not in (
        "method_declaration",
        "function_definition",
        "program",
    ):
        function = function.parent
    of = re.escape(said)
    asks = (
        rf"{of}\s+instanceof\b|@var\s+[\w\\|]+\s+{of}\b"
        rf"|(?:method_exists|property_exists|is_a|is_callable)\s*\(\s*\[?\s*{of}"
    )
    return function is not None and re.search(asks, text_of(function)) is not None
