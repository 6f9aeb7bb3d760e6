"""Conditions that cannot be meant: always true or false, asked twice, or assigned instead of compared."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import above, field, flat, inner, is_plain, parts, same, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_SCRIPTS = "JavaScript|TypeScript|TSX"
_ALL = f"{_SCRIPTS}|Go|Java|Rust|C|C++|PHP"
_BINARY = ("binary_expression", "binary")
_EQUAL, _UNEQUAL = ("==", "==="), ("!=", "!==", "<>")
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_NUMBERS = frozenset(
    [
        "number",
        "integer",
        "float",
        "int_literal",
        "float_literal",
        "integer_literal",
        "decimal_integer_literal",
        "number_literal",
        "decimal_floating_point_literal",
    ]
)
_TEXTS = frozenset(
    [
        "string",
        "string_literal",
        "interpreted_string_literal",
        "char_literal",
        "character_literal",
        "rune_literal",
        "simple_symbol",
        "encapsed_string",
        "raw_string_literal",
    ]
)
_MOST = 60
"""Parts of a condition that are held against each other; tables written as conditions have more."""
_IF = ("if_statement", "if_expression", "if", "elsif", "else_if_clause")


class Bound(NamedTuple):
    """What a comparison with a literal says of a value."""

    value: str
    sign: str
    number: float | None
    literal: str


def operator(node: Node) -> str:
    """The sign of an expression with two sides."""
    return text(field(node, "operator"))


def bound(node: Node | None) -> Bound | None:
    """A comparison of something plain with a literal, the literal on the right."""
    node = inner(node)
    if node is None or node.type not in _BINARY:
        return None
    left, sign, right = inner(field(node, "left")), operator(node), inner(field(node, "right"))
    if left is None or right is None:
        return None
    left, right = named_literal(left), named_literal(right)
    if _is_literal(left):
        left, right, sign = right, left, _FLIPPED.get(sign, sign)
    if _is_literal(left) or not _is_literal(right) or not is_plain(left):
        return None
    return Bound(flat(left), sign, _number(right), text(right))


def named_literal(node: Node) -> Node:
    """The number that a constant at the top of the file stands for, or the node itself."""
    if node.type != "identifier" or not text(node).isupper():
        return node
    root = node
    for each in above(node):
        root = each
    return _constants(root).get(text(node)) or node


@lru_cache(maxsize=1)
def _constants(root: Node) -> dict[str, Node | None]:
    """Names at the top of a file that are set once, to a number; a macro of C is none."""
    found: dict[str, Node | None] = {}
    for statement in parts(root) if root.type != "translation_unit" else ():
        for each in (statement, *parts(statement)):
            name, value = text(field(each, "name")), inner(field(each, "value"))
            if name.isupper() and value is not None:
                found[name] = value if name not in found and value.type in _NUMBERS else None
    return found


def _is_literal(node: Node) -> bool:
    if node.type == "unary_expression":
        own = parts(node)
        return text(node)[:1] == "-" and len(own) == 1 and own[0].type in _NUMBERS
    if node.type in _TEXTS:
        return not any(
            "interpolation" in each.type or "variable" in each.type for each in parts(node)
        )
    return node.type in _NUMBERS


def _number(node: Node) -> float | None:
    if node.type in _TEXTS:
        return None
    try:
        return float(text(node).replace("_", "").rstrip("uUlLfFdDn"))
    except ValueError:
        return None


def terms(node: Node, sign: str) -> Iterator[Node]:
    """What a chain of the same sign joins, in any order."""
    todo = [node]
    while todo:
        chain = todo.pop()
        for side in ("left", "right"):
            each = inner(field(chain, side))
            if each is not None and each.type in _BINARY and operator(each) == sign:
                todo.append(each)
            elif each is not None:
                yield each


def _is_top(node: Node) -> bool:
    around = node.parent
    while around is not None and around.type == "parenthesized_expression":
        around = around.parent
    return around is None or around.type not in _BINARY or operator(around) != operator(node)


def excluded(node: Node) -> Node | None:
    """``a == 1 && a == 2``, ``a > 9 && a < 3``: never true."""
    if operator(node) not in ("&&", "and") or not _is_top(node):
        return None
    found = [each for term in islice(terms(node, operator(node)), _MOST) if (each := bound(term))]
    pairs = ((a, b) for at, a in enumerate(found) for b in found[at + 1 :] if a.value == b.value)
    return node if any(_exclude(a, b) for a, b in pairs) else None


def covered(node: Node) -> Node | None:
    """``a != 1 || a != 2``, ``a > 3 || a < 9``: always true."""
    if operator(node) not in ("||", "or") or not _is_top(node):
        return None
    found = [each for term in islice(terms(node, operator(node)), _MOST) if (each := bound(term))]
    pairs = ((a, b) for at, a in enumerate(found) for b in found[at + 1 :] if a.value == b.value)
    return node if any(_cover(a, b) for a, b in pairs) else None


def _differ(a: Bound, b: Bound) -> bool:
    """Whether two literals of one kind are certainly different values."""
    if a.number is not None and b.number is not None:
        return a.number != b.number
    kinds = a.number is None and b.number is None and a.literal[:1] == b.literal[:1]
    return kinds and a.literal[:1] in "\"':" and a.literal != b.literal


def _exclude(a: Bound, b: Bound) -> bool:
    if a.sign in _EQUAL and b.sign in _EQUAL:
        return _differ(a, b)
    for low, high in ((a, b), (b, a)):
        if low.sign in (">", ">=") and high.sign in ("<", "<="):
            return _beyond(low, high, open_ends=low.sign == ">" or high.sign == "<")
    return False


def _cover(a: Bound, b: Bound) -> bool:
    if a.sign in _UNEQUAL and b.sign in _UNEQUAL:
        return _differ(a, b)
    for low, high in ((a, b), (b, a)):
        if low.sign in (">", ">=") and high.sign in ("<", "<="):
            return _beyond(high, low, open_ends=not (low.sign == ">" and high.sign == "<"))
    return False


def _beyond(low: Bound, high: Bound, *, open_ends: bool) -> bool:
    if low.number is None or high.number is None:
        return False
    return low.number > high.number or (open_ends and low.number == high.number)


def _length(node: Node) -> int:
    return node.end_byte - node.start_byte


def same_sides(node: Node) -> Node | None:
    """``a.b == a.b``, ``a && a``; a bare ``a == a`` may ask for NaN."""
    sign, left, right = operator(node), field(node, "left"), field(node, "right")
    if left is None or right is None or _length(left) != _length(right):
        return None
    if left is None or right is None or text(left) != text(right) or not is_plain(left):
        return None
    if _is_literal(left) or left.type in ("true", "false", "self", "this", "boolean_literal"):
        return None
    bare = "identifier" in left.type or left.type in (
        "variable_name",
        "unary_expression",
        "parenthesized_expression",
    )
    if "sizeof" in text(left):
        return None
    if sign in ("&&", "||", "<", ">", "<=", ">=") or (sign in (*_EQUAL, *_UNEQUAL) and not bare):
        return node
    return None


def chosen_text(node: Node) -> Node | None:
    """``if (a == 'x' || 'y')``: the second side is true by itself."""
    left, right = inner(field(node, "left")), field(node, "right")
    if operator(node) not in ("||", "or") or right is None or not _is_literal(right):
        return None
    if left is None or _length(left) > 5_000 or _asked(node) is None:
        return None
    if left is None or right is None or left.type not in _BINARY or not _is_literal(right):
        return None
    compares = operator(left) in (*_EQUAL, "||", "or") and any(
        each in text(left) for each in _EQUAL
    )
    return node if compares and text(right) not in ("0", "''", '""', "0.0") else None


def _asked(node: Node) -> Node | None:
    """The statement whose condition this is, or is a side of."""
    under = node
    for around in above(node):
        if around.type in (*_IF, "while_statement", "while", "unless"):
            return around if same(field(around, "condition"), under) else None
        if around.type not in (*_BINARY, "parenthesized_expression", "condition_clause"):
            return None
        under = around
    return None


def assigned(node: Node) -> Node | None:
    """``if (a = 1)``: the condition of an ``if`` is an assignment of a literal."""
    condition = field(node, "condition")
    what = inner(condition)
    if what is None or what.type not in ("assignment_expression", "assignment"):
        return None
    sign, right = field(what, "operator"), field(what, "right")
    if right is None or text(sign) not in ("", "="):
        return None
    constant = _is_literal(right) or right.type in (
        "true",
        "false",
        "null",
        "undefined",
        "nil",
        "boolean",
    )
    return what if constant else None


def asked_twice(node: Node) -> Node | None:
    """``if (a) ... else if (a)``: the second branch is never taken."""
    around = node.parent
    if around is not None and (
        around.type == "else_clause" or same(field(around, "alternative"), node)
    ):
        return None
    seen: set[str] = set()
    for each in _chain(node):
        condition = inner(field(each, "condition"))
        if field(each, "initializer") is not None or condition is None or not is_plain(condition):
            continue
        if "let_condition" in condition.type or "let_chain" in condition.type:
            continue
        if (said := text(condition)) in seen:
            return condition
        seen.add(said)
    return None


def _chain(node: Node | None) -> Iterator[Node]:
    while node is not None:
        yield node
        rest = [each for each in node.children_by_field_name("alternative") if each.is_named]
        yield from (each for each in rest if each.type == "else_if_clause")
        last = rest[-1] if rest else None
        if last is not None and last.type == "else_clause":
            own = parts(last)
            last = own[0] if len(own) == 1 else None
        node = last if last is not None and last.type in _IF[:4] else None


RULES = (
    tree_rule(_ALL, "never-true", "(binary_expression) @x", excluded,
              "the parts of this condition exclude each other, so it is never true; one of them is wrong"),
    tree_rule("Ruby", "never-true", "(binary) @x", excluded,
              "the parts of this condition exclude each other, so it is never true; one of them is wrong"),
    tree_rule(_ALL, "always-true", "(binary_expression) @x", covered,
              "one of these parts always holds, so the condition is always true; `and` may be meant"),
    tree_rule("Ruby", "always-true", "(binary) @x", covered,
              "one of these parts always holds, so the condition is always true; `and` may be meant"),
    tree_rule(f"{_SCRIPTS}|C|C++|PHP", "always-true", "(binary_expression) @x", chosen_text,
              "a literal after `||` is true by itself; compare the value with each of them"),
    tree_rule("Ruby", "always-true", "(binary) @x", chosen_text,
              "a literal after `||` is true by itself; compare the value with each of them"),
    tree_rule(_ALL, "self-comparison", "(binary_expression) @x", same_sides,
              "both sides are the same; one of them should be something else"),
    tree_rule("Ruby", "self-comparison", "(binary) @x", same_sides,
              "both sides are the same; one of them should be something else"),
    tree_rule(f"{_SCRIPTS}|C|C++|PHP", "assigned-condition", "(if_statement) @x", assigned,
              "the condition assigns instead of comparing; use `==`", "ERROR"),
    tree_rule("Ruby", "assigned-condition", "(if) @x", assigned,
              "the condition assigns instead of comparing; use `==`", "ERROR"),
    tree_rule(f"{_SCRIPTS}|Go|Java|C|C++|PHP", "asked-twice", "(if_statement) @x", asked_twice,
              "the same condition was asked before in this chain, so this branch is never taken"),
    tree_rule("Rust", "asked-twice", "(if_expression) @x", asked_twice,
              "the same condition was asked before in this chain, so this branch is never taken"),
    tree_rule("Ruby", "asked-twice", "(if) @x", asked_twice,
              "the same condition was asked before in this chain, so this branch is never taken"),
)  # fmt: skip
