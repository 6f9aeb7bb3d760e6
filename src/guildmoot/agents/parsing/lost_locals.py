"""Names that a function declared for itself before a change and only reads now. Pure.

Another function of the file may declare the same name for itself: that is no reason to be silent. What stands outside
of functions, in the functions around it, or newly in another file of the change counts as declared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.agents.parsing.known_names import KNOWN
from guildmoot.agents.parsing.package_names import go_names
from guildmoot.agents.parsing.plain_names import SCRIPTS, plain_names
from guildmoot.agents.parsing.walk import Names, text_of

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
_NAMED = ("name", "declarator")
_GIVEN_BY_CALLS = {"PHP": "argument", "C#": "argument"}
"""Where a call may set a name that it is given."""

_BY_VALUE = frozenset(
    (
        *(
            "strlen",
            "count",
            "trim",
            "ltrim",
            "rtrim",
            "strtolower",
            "strtoupper",
            "ucfirst",
            "lcfirst",
        ),
        *(
            "substr",
            "strpos",
            "strrpos",
            "str_contains",
            "str_starts_with",
            "str_ends_with",
            "in_array",
        ),
        *(
            "array_key_exists",
            "array_merge",
            "array_map",
            "array_filter",
            "array_keys",
            "array_values",
        ),
        *(
            "implode",
            "explode",
            "sprintf",
            "printf",
            "json_encode",
            "json_decode",
            "intval",
            "strval",
        ),
        *(
            "is_string",
            "is_int",
            "is_array",
            "is_null",
            "is_numeric",
            "is_bool",
            "is_object",
            "is_a",
        ),
        *("is_callable", "gettype", "get_class", "var_dump", "print_r", "htmlspecialchars", "md5"),
        *(
            "mb_strlen",
            "mb_substr",
            "mb_strtolower",
            "strcmp",
            "abs",
            "ceil",
            "floor",
            "round",
            "min",
        ),
        *(
            "max",
            "array_sum",
            "array_unique",
            "array_flip",
            "array_reverse",
            "array_slice",
            "dirname",
        ),
        *("array_column", "array_search", "basename", "file_exists", "is_file", "is_dir", "date"),
    )
)
"""Functions of PHP that set none of their arguments."""


class _Function(NamedTuple):
    """One function, without those inside of it."""

    declared: set[str]
    used: list[tuple[str, int]]
    around: frozenset[str]
    """What the functions around it declare."""


def lost_locals(language: str, before: Node, after: Node) -> Iterator[tuple[str, int]]:
    """Each such name with the first line that reads it."""
    if language not in _FUNCTIONS:
        return
    then, now = _functions(language, before), _functions(language, after)
    outside = now[()].declared | KNOWN.get(language, frozenset())
    for key, function in now.items():
        past = then.get(key)
        if not key or past is None:
            continue
        told: set[str] = set()
        known = outside | function.declared | function.around
        for name, line in function.used:
            was_own = name in past.declared | past.around and name not in then[()].declared
            if was_own and name not in known | told and not _is_constant(language, name):
                told.add(name)
                yield name, line


def _is_constant(language: str, name: str) -> bool:
    """Whether it is written as what no function of the language declares for itself: a pattern may name it."""
    return language in _LOWER and name[:1].isupper()


def _functions(language: str, root: Node) -> dict[tuple[str, ...], _Function]:
    """Every function by its name and those around it; the file itself has no name."""
    found: dict[tuple[str, ...], _Function] = {}
    kinds = frozenset(_FUNCTIONS[language].split())

    def visit(node: Node, key: tuple[str, ...], around: frozenset[str]) -> None:
        inner = list(_inside(node, kinds))
        names = _read(language, node, frozenset(each.id for each in inner))
        declared = names.declared | {_name(each) for each in inner}
        declared |= _set_by_calls(language, node)
        used = [(name, line) for name, line, _ in names.used]
        found[key] = _Function(declared, used, around)
        below = around | declared if key else around
        count: dict[str, int] = {}
        for each in inner:
            name = _name(each)
            count[name] = count.get(name, 0) + 1
            visit(each, (*key, f"{name} {count[name]}"), frozenset(below))

    visit(root, (), frozenset())
    return found


def _read(language: str, node: Node, skipped: frozenset[int]) -> Names:
    if language == "Go":
        return go_names(node, skipped)
    return plain_names(language, node, skipped)


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


def _set_by_calls(language: str, node: Node) -> set[str]:
    kind = _GIVEN_BY_CALLS.get(language)
    if kind is None:
        return set()
    found: set[str] = set()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type == kind and not _is_by_value(each):
            found |= {
                text_of(part)
                for part in each.children
                if part.type in ("variable_name", "identifier")
            }
        waiting += each.children
    return found


def _is_by_value(argument: Node) -> bool:
    """Whether a function of PHP takes it that sets none of its arguments."""
    call = argument.parent.parent if argument.parent is not None else None
    function = call.child_by_field_name("function") if call is not None else None
    return function is not None and text_of(function).lstrip("\\") in _BY_VALUE
