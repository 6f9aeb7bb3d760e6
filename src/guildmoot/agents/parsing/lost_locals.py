"""Names that a function declared for itself before a change and only reads now. Pure.

Another function of the file may declare the same name for itself: that is no reason to be silent. What stands outside
of functions, in the functions around it, or newly in another file of the change counts as declared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from guildmoot.agents.parsing.known_names import KNOWN
from guildmoot.agents.parsing.package_names import go_names
from guildmoot.agents.parsing.plain_names import SCRIPTS, is_by_value, plain_names
from guildmoot.agents.parsing.walk import Names, text_of
from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_SCRIPT = (
    "function_declaration function_expression arrow_function method_definition generator_function"
    " generator_function_declaration"
)
_FUNCTIONS = {
    **dict.fromkeys(SCRIPTS, _SCRIPT),
    "Go": "function_declaration method_declaration func_literal",
    "Java": "method_declaration constructor_declaration compact_constructor_declaration",
    "Rust": "function_item",
    "C": "function_definition",
    "C++": "function_definition",
    "C#": "method_declaration constructor_declaration local_function_statement",
    "Kotlin": "function_declaration",
    "Swift": "function_declaration init_declaration",
    "Scala": "function_definition",
    "PHP": "function_definition method_declaration",
    "Ruby": "method singleton_method",
    "Lua": "function_declaration function_definition",
}
"""Kinds of nodes that have names of their own; what is not listed, as closures, belongs to the function around it."""
_LOWER = ("Rust", "C#", "Kotlin", "Swift", "Scala", "Java")
"""Languages whose locals begin with a small letter."""
_GIVEN_BY_CALLS = {"PHP": "argument", "C#": "argument"}
"""Where a call may set a name that it is given."""

_DECLARING = re.compile(
    r"declar|param|let_|short_var|assignment|range_clause|for|catch|pattern|binding|resource|variable|clause|list"
)
_VALUES = frozenset(
    ("value", "right", "type", "default", "default_value", "condition", "body", "arguments")
)


class _Function(NamedTuple):
    """One function, without those inside of it."""

    declared: set[str]
    """Names that stand where one may be declared."""
    own: set[str]
    """Names that it, or a function around it, declares for certain."""
    used: list[tuple[str, int]]
    around: frozenset[str]
    """What the functions around it may declare."""
    node: Node


def lost_locals(
    language: str, before: Node, after: Node, by_value: Callable[[Node], bool] = is_by_value
) -> Iterator[tuple[str, int]]:
    """Each such name with the first line that reads it; ``by_value`` is as for ``plain_names``."""
    if language not in _FUNCTIONS:
        return
    then, now = changed_functions(language, before, after, by_value)
    outside = now[()].declared | KNOWN.get(language, frozenset())
    for key, function in now.items():
        past = then.get(key)
        if not key or past is None:
            continue
        told: set[str] = set()
        known = outside | function.declared | function.around
        for name, line in function.used:
            was_own = name in past.own and name not in then[()].declared
            if was_own and name not in known | told and not _is_constant(language, name):
                told.add(name)
                yield name, line


def _is_constant(language: str, name: str) -> bool:
    """Whether it is written as what no function of the language declares for itself: a pattern may name it."""
    return language in _LOWER and name[:1].isupper()


def changed_functions(
    language: str, before: Node, after: Node, by_value: Callable[[Node], bool]
) -> tuple[dict[tuple[str, ...], _Function], dict[tuple[str, ...], _Function]]:
    """The functions of both sides, without those of the file that stand in both as they are."""
    kinds = frozenset(_FUNCTIONS[language].split())
    texts = [{text_of(each) for each in _inside(root, kinds)} for root in (before, after)]
    same = frozenset(texts[0] & texts[1])
    then, now = (_functions(language, root, by_value, same) for root in (before, after))
    return then, now


def _functions(
    language: str, root: Node, by_value: Callable[[Node], bool], same: frozenset[str]
) -> dict[tuple[str, ...], _Function]:
    """Every function by its name and those around it; the file itself has no name."""
    found: dict[tuple[str, ...], _Function] = {}
    kinds = frozenset(_FUNCTIONS[language].split())

    def visit(
        node: Node, key: tuple[str, ...], around: frozenset[str], theirs: frozenset[str]
    ) -> None:
        inner = list(_inside(node, kinds))
        names = _read(language, node, frozenset(each.id for each in inner), by_value)
        declared = names.declared | {_name(each) for each in inner}
        declared |= _set_by_calls(language, node, by_value)
        used = [(name, line) for name, line, _ in names.used]
        own = _certain(node, names.declared) | theirs if key else set[str]()
        found[key] = _Function(declared, own, used, around, node)
        below = around | declared if key else around
        count: dict[str, int] = {}
        for each in inner:
            name = _name(each)
            count[name] = count.get(name, 0) + 1
            if not key and text_of(each) in same:
                continue
            visit(each, (*key, f"{name} {count[name]}"), frozenset(below), frozenset(own))

    visit(root, (), frozenset(), frozenset())
    return found


def _certain(node: Node, names: set[str]) -> set[str]:
    """Those of the names that stand in a declaration, a parameter, an assignment or a pattern, and not as its value."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        around = waiting.pop()
        declares = _DECLARING.search(around.type) is not None
        for at, each in enumerate(around.children):
            if not each.children or each.type == "variable_name":
                field = around.field_name_for_child(at) or ""
                if declares and field not in _VALUES and text_of(each) in names:
                    found.add(text_of(each))
            waiting.append(each)
    return found


def _read(
    language: str, node: Node, skipped: frozenset[int], by_value: Callable[[Node], bool]
) -> Names:
    if language == "Go":
        return go_names(node, skipped)
    return plain_names(language, node, skipped, by_value)


def _inside(node: Node, kinds: frozenset[str]) -> Iterator[Node]:
    """The functions below a node, but none inside of those."""
    waiting = list(reversed(node.children))
    while waiting:
        each = waiting.pop()
        if each.type in kinds:
            yield each
        else:
            waiting += reversed(each.children)


def _name(function: Node) -> str:
    node: Node | None = function
    while node is not None and node.type in (
        "function_definition",
        "function_declarator",
        "pointer_declarator",
        function.type,
    ):
        node = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    return text_of(node) if node is not None else ""


def _set_by_calls(language: str, node: Node, by_value: Callable[[Node], bool]) -> set[str]:
    kind = _GIVEN_BY_CALLS.get(language)
    if kind is None:
        return set()
    found: set[str] = set()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type == kind and not by_value(each):
            found |= {
                text_of(part)
                for part in each.children
                if part.type in ("variable_name", "identifier")
            }
        waiting += each.children
    return found
