"""Calls of a file's own functions with too few or too many arguments, in languages that do not take them. Pure.

Only plain functions at the top of the file that are declared once and whose name nothing else there has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from guildmoot.agents.members.fit import Takes, fits, shown
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {
    "Go": ("function_declaration",),
    "Rust": ("function_item",),
    "C": ("function_definition",),
    "TypeScript": ("function_declaration",),
    "TSX": ("function_declaration",),
}
_ONE = frozenset(("NULL", "TRUE", "FALSE", "EOF"))
_MACRO = lazy(r"(?m)^\s*#\s*define\s+(\w+)")
_CFG = lazy(r"#\s*\[\s*cfg")
"""What of Rust is there in one build and not in another."""
_BINDS = lazy(r"declar|param|pattern|function_item|signature|import|_spec|for_")
_SPREAD = ("spread_element", "variadic_argument")


class BadCall(NamedTuple):
    """A call that does not fit."""

    name: str
    line: int
    given: int
    wanted: str


def bad_calls(language: str, before: Node, after: Node) -> Iterator[BadCall]:
    """Those that a change brings."""
    if language not in _KINDS:
        return
    known = Counter((each.name, each.given, each.wanted) for each in _misfits(language, before))
    for each in _misfits(language, after):
        known[each.name, each.given, each.wanted] -= 1
        if known[each.name, each.given, each.wanted] < 0:
            yield each


def _misfits(language: str, root: Node) -> Iterator[BadCall]:
    return misfits(language, root, _functions(language, root))


def misfits(
    language: str,
    root: Node,
    functions: Mapping[str, Takes],
    is_one: Callable[[str], bool] = lambda macro: macro in _ONE,
) -> Iterator[BadCall]:
    """Calls that do not fit what the functions take; ``is_one`` tells of macros that stand for one value."""
    for node in walk(root):
        called = node.child_by_field_name("function") if node.type == "call_expression" else None
        given = node.child_by_field_name("arguments") if called is not None else None
        if called is None or given is None or called.type != "identifier" or node.has_error:
            continue
        takes = functions.get(text_of(called))
        values = [each for each in given.named_children if "comment" not in each.type]
        if takes is None or fits(len(values), (), (takes,)):
            continue
        plain = [
            each
            for each in values
            if not (language == "C" and text_of(each).isupper() and is_one(text_of(each)))
        ]
        if not any(_is_several(language, each, len(values)) for each in plain):
            yield BadCall(text_of(called), line_of(node), len(values), shown((takes,)))


def _is_several(language: str, node: Node, count: int) -> bool:
    """Whether it may stand for more than one value, or for none."""
    if node.type in _SPREAD or "..." in text_of(node):
        return True
    if language == "Go":
        return count == 1 and node.type == "call_expression"
    return language == "C" and text_of(node).isupper()


def _functions(language: str, root: Node) -> dict[str, Takes]:
    """How many arguments each takes at least and at most."""
    found: dict[str, Takes] = {}
    whole = text_of(root)
    if _CFG.search(whole):
        return found
    macros = set(_MACRO.findall(whole))
    names = Counter(
        text_of(node) for node in walk(root) if node.type == "identifier" and _is_bound(node)
    )
    tops = list(root.named_children)
    tops += [
        inner for each in tops if each.type == "export_statement" for inner in each.named_children
    ]
    for node in tops:
        if node.type not in _KINDS[language]:
            continue
        holder = node.child_by_field_name("declarator") if language == "C" else node
        while holder is not None and holder.type == "pointer_declarator":
            holder = holder.child_by_field_name("declarator")
        if holder is None:
            continue
        name = holder.child_by_field_name("declarator" if language == "C" else "name")
        parameters = holder.child_by_field_name("parameters")
        if name is None or parameters is None or name.type != "identifier":
            continue
        bounds = bounds_of(language, parameters)
        written = text_of(name)
        if bounds is not None and names[written] == 1 and written not in macros:
            found[written] = bounds
    return found


def _is_bound(node: Node) -> bool:
    """Whether a name stands where something is declared."""
    around = node.parent
    if around is None:
        return False
    if around.type == "expression_list" and around.parent is not None:
        around = around.parent
        return around.type in ("short_var_declaration", "range_clause")
    return _BINDS.search(around.type) is not None


def bounds_of(language: str, parameters: Node) -> Takes | None:
    """None where any number will do."""
    least = most = 0
    text = text_of(parameters)
    if "..." in text:
        return None
    if language == "C" and text.strip("() \t\n") in ("", "void"):
        return Takes(0, 0) if "void" in text else None
    for each in parameters.named_children:
        if "comment" in each.type or each.type == "attribute_item":
            continue
        if each.type in ("self_parameter", "identifier") or text_of(each).startswith("this"):
            return None
        count = len(each.children_by_field_name("name")) or 1 if language == "Go" else 1
        optional = each.type == "optional_parameter" or each.child_by_field_name("value")
        most += count
        least += 0 if optional else count
    return Takes(least, most)
