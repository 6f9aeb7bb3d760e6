"""Names in languages that are not read in depth: by where a name stands in the tree, it is read or may be declared.

A name that stands anywhere but in a place of reading counts as declared in the whole file, so scopes need not be
known, and what a table here leaves out makes a name known rather than unknown.
"""

from __future__ import annotations

from collections.abc import Callable

from guildmoot.agents.parsing.walk import Names, line_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

SCRIPTS = ("JavaScript", "TypeScript", "TSX")
_FIRST = "first"
_MACRO = "macro"
_ANY = "any"
_ENUMS = ("enum_body", "enum_assignment")


class _Table:
    """How one language writes names."""

    def __init__(
        self, kinds: str, read: str, aside: str = "", opens: str = "", types: str = ""
    ) -> None:
        self.kinds = frozenset(kinds.split())
        self.read = _places(read)
        self.types = _places(types)
        """Where a type is named, which a host may give."""
        self.aside = _places(aside)
        """Members and labels: neither read by that name nor declared."""
        self.opens = frozenset(opens.split())
        """Kinds of nodes that bring names which nobody lists."""


def _places(text: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for word in text.split():
        kind, _, fields = word.partition(":")
        found[kind] = found.get(kind, frozenset()) | frozenset((fields or _ANY).split(","))
    return found


_C = _Table(
    "identifier type_identifier",
    """call_expression:function argument_list field_expression:argument binary_expression return_statement
    assignment_expression init_declarator:value subscript_expression parenthesized_expression condition_clause
    unary_expression pointer_expression comma_expression conditional_expression update_expression
    declaration:type parameter_declaration:type type_descriptor:type field_declaration:type
    function_definition:type cast_expression:value sizeof_expression initializer_list template_type:name
    template_function:name subscript_argument_list expression_statement""",
    aside="qualified_identifier:name labeled_statement goto_statement",
    opens="using_declaration",
)
_SCRIPT = _Table(
    "identifier shorthand_property_identifier shorthand_property_identifier_pattern type_identifier",
    """call_expression:function new_expression:constructor member_expression:object subscript_expression arguments
    binary_expression template_substitution return_statement ternary_expression spread_element array object
    await_expression pair:value variable_declarator:value assignment_expression:right arrow_function:body
    parenthesized_expression throw_statement update_expression expression_statement yield_expression
    sequence_expression augmented_assignment_expression:right jsx_expression if_statement:condition
    while_statement:condition switch_statement:value switch_case:value decorator non_null_expression
    as_expression satisfies_expression class_heritage extends_clause:value for_in_statement:right
    assignment_pattern:right object_assignment_pattern:right required_parameter:value optional_parameter:value
    public_field_definition:value field_definition:value unary_expression:argument
    jsx_self_closing_element:name jsx_opening_element:name""",
    aside="export_specifier jsx_closing_element nested_identifier:property",
    types="""type_annotation type_arguments generic_type:name union_type intersection_type array_type
    extends_type_clause:type implements_clause type_alias_declaration:value""",
)
_TABLES = {
    "JavaScript": _SCRIPT,
    "TypeScript": _SCRIPT,
    "TSX": _SCRIPT,
    "C": _C,
    "C++": _C,
    "C#": _Table(
        "identifier implicit_parameter",
        """member_access_expression:expression argument invocation_expression:function
        object_creation_expression:type assignment_expression:right binary_expression return_statement
        element_access_expression:expression cast_expression:value is_pattern_expression:expression
        parenthesized_expression prefix_unary_expression interpolation conditional_expression
        foreach_statement:right if_statement:condition variable_declaration:type parameter:type
        method_declaration:returns property_declaration:type nullable_type:type type_argument_list
        await_expression throw_statement base_list generic_name expression_statement""",
        aside="member_access_expression:name member_binding_expression:name qualified_name attribute",
    ),
    "Kotlin": _Table(
        "identifier",
        """navigation_expression:first call_expression:first value_argument binary_expression infix_expression:first
        index_expression unary_expression return_expression if_expression assignment:right when_subject
        range_expression in_expression is_expression:left interpolation user_type:first while_statement
        function_body throw_expression parenthesized_expression elvis_expression block""",
        aside="navigation_expression",
    ),
    "Swift": _Table(
        "simple_identifier type_identifier",
        """navigation_expression:target value_argument:value call_expression user_type as_expression:expr
        interpolated_expression:value control_transfer_statement:result for_statement:collection
        tuple_expression:value equality_expression comparison_expression additive_expression
        multiplicative_expression array_literal:element try_expression:expr
        nil_coalescing_expression conjunction_expression disjunction_expression statements
        guard_statement:condition if_statement:condition assignment:result""",
        aside="prefix_expression navigation_suffix value_argument_label call_suffix macro_invocation",
    ),
    "Scala": _Table(
        "identifier type_identifier",
        """call_expression:function field_expression:value infix_expression:left,right arguments
        match_expression:value type_arguments generic_type:type parameter:type class_parameter:type
        function_definition:return_type,body extends_clause:type instance_expression case_clause:body
        tuple_expression if_expression:condition parenthesized_expression interpolation
        case_class_pattern:type annotation:name val_definition:value,type""",
        aside="field_expression:field interpolated_string_expression infix_expression:operator",
        opens="namespace_wildcard",
    ),
    "PHP": _Table(
        "name variable_name",
        """object_creation_expression scoped_call_expression:scope class_constant_access_expression:first
        named_type base_clause class_interface_clause function_call_expression:function binary_expression
        subscript_expression member_call_expression:object member_access_expression:object argument
        return_statement encapsed_string cast_expression:value array_element_initializer
        conditional_expression unary_op_expression parenthesized_expression echo_statement use_declaration
        assignment_expression:right augmented_assignment_expression:right arrow_function:body throw_expression
        foreach_statement:first nullsafe_member_call_expression:object nullsafe_member_access_expression:object
        clone_expression variadic_unpacking match_conditional_expression match_default_expression
        match_condition_list error_suppression_expression print_intrinsic case_statement""",
        aside="""nullsafe_member_call_expression:name nullsafe_member_access_expression:name
        namespace_name member_call_expression:name member_access_expression:name variable_name
        scoped_call_expression:name class_constant_access_expression scoped_property_access_expression""",
    ),
    "Ruby": _Table(
        "identifier constant",
        """call:receiver argument_list binary assignment:right element_reference:object interpolation
        scope_resolution:scope if:condition unless:condition if_modifier:condition unless_modifier:condition
        return superclass pair:value array conditional unary parenthesized_statements splat_argument
        hash_splat_argument block_argument optional_parameter:value keyword_parameter:value""",
        aside="call:method scope_resolution:name",
    ),
    "Lua": _Table(
        "identifier",
        """function_call:name dot_index_expression:table method_index_expression:table arguments
        binary_expression unary_expression expression_list bracket_index_expression parenthesized_expression""",
        aside="dot_index_expression:field method_index_expression:method field:name",
    ),
    "Shell": _Table("word", "command_name", aside="command concatenation array file_redirect"),
    "Rust": _Table(
        "identifier shorthand_field_identifier",
        """field_expression:value arguments call_expression:function binary_expression reference_expression:value
        index_expression return_expression let_declaration:value try_expression unary_expression
        await_expression match_expression:value for_expression:value assignment_expression:right
        parenthesized_expression if_expression:condition block token_tree:macro""",
        aside="field_expression:field scoped_identifier:name lifetime token_tree",
    ),
    "Java": _Table(
        "identifier",
        """method_invocation:object argument_list binary_expression assignment_expression:right return_statement
        array_access parenthesized_expression cast_expression:value unary_expression:operand
        variable_declarator:value enhanced_for_statement:value ternary_expression field_access:object
        throw_statement instanceof_expression:left""",
        aside="field_access:field method_invocation:name marker_annotation annotation",
    ),
}  # fmt: skip
LANGUAGES = frozenset(_TABLES)
_BY_VALUE_NAMES = """
abs array_column array_filter array_flip array_key_exists array_keys array_map array_merge array_reverse
array_search array_slice array_sum array_unique array_values basename ceil count date dirname explode
file_exists floatval floor get_class gettype htmlspecialchars implode in_array intval is_a is_array
is_bool is_callable is_dir is_file is_int is_null is_numeric is_object is_string json_decode json_encode
lcfirst ltrim max mb_strlen mb_strtolower mb_substr md5 method_exists min number_format print_r printf
round rtrim sprintf str_contains str_ends_with str_repeat str_starts_with strcmp strlen strpos strrpos
strtolower strtoupper strval substr trim ucfirst var_dump
"""
"""Functions of PHP that set nothing they are given."""
_BY_VALUE = frozenset(_BY_VALUE_NAMES.split())


def plain_names(
    language: str,
    root: Node,
    skipped: frozenset[int] = frozenset(),
    by_value: Callable[[Node], bool] | None = None,
) -> Names:
    """What a file or a part of it declares, or may, and what it reads; some nodes are skipped.

    ``by_value`` tells whether a call of PHP sets nothing that it is given in an argument.
    """
    by_value = by_value or is_by_value
    table = _TABLES[language]
    declared: set[str] = set()
    used: list[tuple[str, int, bool]] = []
    opened = False
    nodes = [root]
    while nodes:
        around = nodes.pop()
        opened = opened or around.type in table.opens
        for at, node in enumerate(around.children):
            if around.type in _ENUMS and node.type == "property_identifier":
                declared.add(text_of(node))  # its later members may name it
            elif node.type in table.kinds and not _is_tag(around, node):
                field = around.field_name_for_child(at) or ""
                if language == "PHP" and around.type == "argument" and not by_value(around):
                    declared.add(text_of(node))
                is_value = _stands(table.read, around, node, field)
                if is_value or _stands(table.types, around, node, field):
                    if (
                        not text_of(node).removeprefix("$").isdigit()
                    ):  # arguments without a name: $0
                        used.append((text_of(node), line_of(node), is_value))
                elif not _stands(table.aside, around, node, field):
                    declared.add(text_of(node))
        nodes += (child for child in reversed(around.children) if child.id not in skipped)
    return Names(declared, used, opened)


def is_by_value(argument: Node) -> bool:
    """Whether a function of PHP takes it that sets none of its arguments, as ``preg_match`` does its third."""
    name, is_function = called_by(argument)
    return is_function and name in _BY_VALUE


def called_by(argument: Node) -> tuple[str, bool]:
    """The name of what is called with it, and whether that is a function by its name alone."""
    call = argument.parent.parent if argument.parent is not None else None
    if call is None:
        return "", False
    function = call.child_by_field_name("function")
    named = function or call.child_by_field_name("name")
    return text_of(named).rpartition("\\")[2] if named is not None else "", function is not None


def _is_tag(around: Node, node: Node) -> bool:
    """Whether it names an element of HTML."""
    if not around.type.startswith("jsx_") or around.type == "jsx_expression":
        return False
    name = text_of(node)
    return name[:1].islower() or "-" in name


def _stands(places: dict[str, frozenset[str]], around: Node, node: Node, field: str) -> bool:
    fields = places.get(around.type)
    if fields is None:
        return False
    if _FIRST in fields and around.named_children[0] == node:
        return True
    if _MACRO in fields:
        return is_operand(node)
    return _ANY in fields or field in fields


def is_operand(node: Node) -> bool:
    """Whether a name among the tokens of a macro is a value: no member, path, key, macro or call."""
    before, after = node.prev_sibling, node.next_sibling
    around = (text_of(before) if before else "", text_of(after) if after else "")
    return (
        around[0] in ("(", "[", "{", ",", "&", "*", "!", "+", "-", "==", "<", ">", "&&", "||")
        and around[1] in (")", "]", "}", ",", ".", "?", "+", "-", "==", "<", ">", "&&", "||", ";")
        and text_of(node)[:1].islower()
    )
