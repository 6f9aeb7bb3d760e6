"""``break`` and ``continue`` that stand in no loop of their function. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.agents.compiling.nodes import above, of_kinds
from guildmoot.agents.parsing.walk import text_of
from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


class _Jumps(NamedTuple):
    """Where jumps of a language lead."""

    loops: frozenset[str]
    switches: frozenset[str]
    """What ``break`` leaves as well."""
    ends: frozenset[str]
    """Kinds that no jump leaves: the search is over."""
    plain: frozenset[str] = frozenset()
    """Where macros may be loops: all that may stand between a jump and the end, for one to be told."""
    unsure: frozenset[str] = frozenset()


def _kinds(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SCRIPT = _Jumps(
    _kinds("for_statement for_in_statement while_statement do_statement"),
    _kinds("switch_statement"),
    _kinds(
        """program function_declaration function_expression arrow_function method_definition
        generator_function generator_function_declaration class_static_block class_body"""
    ),
)
_OF_C = _Jumps(
    _kinds("for_statement for_range_loop while_statement do_statement"),
    _kinds("switch_statement"),
    _kinds("function_definition"),
    _kinds(
        "compound_statement if_statement else_clause try_statement catch_clause function_definition"
    ),
)
_JUMPS = {
    **dict.fromkeys(("JavaScript", "TypeScript", "TSX"), _SCRIPT),
    **dict.fromkeys(("C", "C++"), _OF_C),
    "PHP": _Jumps(
        _kinds("for_statement foreach_statement while_statement do_statement switch_statement"),
        frozenset(),
        _kinds(
            """program function_definition method_declaration anonymous_function arrow_function
            anonymous_function_creation_expression"""
        ),
    ),
    "C#": _Jumps(
        _kinds("for_statement foreach_statement while_statement do_statement"),
        _kinds("switch_statement switch_section"),
        _kinds(
            """compilation_unit method_declaration constructor_declaration accessor_declaration
            local_function_statement lambda_expression anonymous_method_expression operator_declaration"""
        ),
    ),
    "Java": _Jumps(
        _kinds("for_statement enhanced_for_statement while_statement do_statement"),
        _kinds("switch_expression switch_statement"),
        _kinds("method_declaration constructor_declaration lambda_expression static_initializer"),
    ),
    "Kotlin": _Jumps(
        _kinds("for_statement while_statement do_while_statement"),
        frozenset(),
        _kinds("function_declaration"),
        unsure=_kinds("lambda_literal annotated_lambda anonymous_function"),
    ),
    "Go": _Jumps(
        _kinds("for_statement"),
        _kinds("expression_switch_statement type_switch_statement select_statement"),
        _kinds("func_literal function_declaration method_declaration"),
    ),
    "Rust": _Jumps(
        _kinds("loop_expression while_expression for_expression"),
        frozenset(),
        _kinds("function_item closure_expression async_block"),
        unsure=_kinds("macro_invocation macro_definition token_tree const_block"),
    ),
}
_WORDS = "break_statement continue_statement break_expression continue_expression"
_TOP = _kinds(
    "translation_unit declaration_list field_declaration_list template_declaration linkage_specification"
)


def stray_jumps(name: str, root: Node) -> Iterator[tuple[Node, str]]:
    """Each with what is wrong."""
    jumps = _JUMPS[name]
    words = "identifier" if name == "Kotlin" else _WORDS
    for node in of_kinds(name, root, words):
        word = text_of(node).partition(";")[0].split()
        if word not in (["break"], ["continue"]) or _is_named(node):
            continue
        if _is_stray(node, word[0], jumps):
            yield node, f"`{word[0]}` stands in no loop"


def _is_named(node: Node) -> bool:
    """Whether it is a part of something that gives it another sense."""
    around = node.parent
    kinds = ("labeled_expression", "navigation_expression", "value_argument", "import", "parameter")
    return around is not None and around.type in kinds


def _is_stray(node: Node, word: str, jumps: _Jumps) -> bool:
    inner = node
    for around in above(node):
        if around.type in jumps.unsure:
            return False
        if around.type in jumps.loops or (word == "break" and around.type in jumps.switches):
            return False
        if jumps.plain:
            if around.type not in jumps.plain or _is_bare_block(around):
                return False
            if around.type in jumps.ends:
                return (
                    around.parent is not None and around.parent.type in _TOP and _is_plain(around)
                )
        elif around.type in jumps.ends:
            return True
        inner = around
    return inner.type in jumps.ends


def _is_bare_block(node: Node) -> bool:
    """Whether it may belong to a macro before it."""
    around = node.parent
    return node.type == "compound_statement" and (
        around is None or around.type in ("compound_statement", "case_statement")
    )


def _is_plain(function: Node) -> bool:
    """Whether it is a function beyond doubt, and no macro with an upper name stands within."""
    body = function.child_by_field_name("body")
    if body is None or function.child_by_field_name("type") is None:
        return False
    return not any(
        word.isupper() and len(word) > 2 for word in text_of(body).replace("(", " ").split()
    )
