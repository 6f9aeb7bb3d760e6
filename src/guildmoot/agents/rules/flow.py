"""Statements that do nothing or are never reached, errors that are lost, cases that run on: curly languages and Ruby."""

from __future__ import annotations

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import (
    above,
    below,
    child,
    field,
    flat,
    following,
    has_comment,
    is_plain,
    names,
    parts,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_SCRIPTS = "JavaScript|TypeScript|TSX"
_BLOCKS = ("statement_block", "compound_statement", "statement_list", "body_statement", "program")
_KEPT = frozenset(
    [
        "function_declaration",
        "generator_function_declaration",
        "class_declaration",
        "break_statement",
        "empty_statement",
        "function_definition",
        "labeled_statement",
        "case_statement",
        "default_statement",
        "switch_case",
        "switch_default",
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
        "abstract_class_declaration",
        "type_definition",
        "declaration",
        "text_interpolation",
        "php_tag",
        "text",
        "class_definition",
        "trait_declaration",
        "rescue",
        "ensure",
        "else",
        "ambient_declaration",
        "import_alias",
        "export_statement",
        "function_signature",
        "import_statement",
        "module",
        "method",
        "class",
        "namespace_definition",
        "const_declaration",
        "internal_module",
    ]
)
_COMPARED = ("==", "===", "!=", "!==", "<", ">", "<=", ">=")
_CASES = ("switch_case", "case_statement", "switch_block_statement_group")


def unreachable(node: Node) -> Node | None:
    """A statement right after ``return`` or ``throw`` in the same block."""
    around = node.parent
    if around is None or around.type not in _BLOCKS or around.has_error:
        return None
    after = next(following(node), None)
    between = node.next_named_sibling
    if after is None or after.type in _KEPT or "preproc" in after.type or "label" in after.type:
        return None
    if between is not None and "preproc" in between.type:
        return None
    if after.type == "variable_declaration" and "=" not in text(after):
        return None
    if after.type == "expression_statement" and (text(after) == ";" or _is_macro(after)):
        return None
    if after.type in ("return_statement", "return") and text(after).startswith("return"):
        # Compilers that see no end ask for it; so do people after a throw or an exit.
        return None if _is_short(after) else after
    return after


def _is_short(node: Node) -> bool:
    return len(parts(node)) == 0 or all(is_plain(each) for each in parts(node))


def _is_macro(node: Node) -> bool:
    """``UNREACHABLE();`` and ``__builtin_unreachable();`` say that it is known."""
    said = text(node).lower()
    return (
        "unreachable" in said
        or "fallthrough" in said
        or said.startswith(("va_end", "assert(", "_"))
    )


def overwritten_case(node: Node) -> Node | None:
    """A case ends by setting what the next case sets first: a ``break`` is missing."""
    around = next(following(node), None)
    own = [each for each in parts(node) if each.type != "switch_label"]
    if (
        around is None
        or around.type not in (*_CASES, "switch_default", "default_statement")
        or len(own) < 1
    ):
        return None
    last = _set(own[-1])
    body = [each for each in parts(around) if each.type != "switch_label"]
    if field(around, "value") is not None and body:
        body = body[1:]
    first = _set(body[0]) if body else None
    if last is None or first is None or flat(field(last, "left")) != flat(field(first, "left")):
        return None
    gap = (node.text or b"")[-200:] + (around.text or b"")[:200]
    if b"fall" in gap.lower() or not is_plain(field(last, "right")):
        return None
    right = field(first, "right")
    if right is None or text(field(last, "left")) in text(right):
        return None
    return own[-1]


def _set(statement: Node) -> Node | None:
    """The plain assignment that a statement is."""
    own = parts(statement)
    if statement.type != "expression_statement" or len(own) != 1:
        return None
    sign = field(own[0], "operator")
    plain = own[0].type == "assignment_expression" and text(sign) in ("", "=")
    return own[0] if plain and is_plain(field(own[0], "left")) else None


def empty_catch(node: Node) -> Node | None:
    """A catch that does nothing and says nothing."""
    body = field(node, "body")
    if body is None or parts(body) or has_comment(body):
        return None
    said = text(node)[: text(node).find("{")].lower()
    return (
        None
        if any(
            word in said for word in ("ignore", "expected", "unused", "tolerated", "swallow", "_)")
        )
        else node
    )


def returns_in_finally(node: Node) -> Node | None:
    """``return`` in ``finally`` drops what was thrown."""
    return next(below(node, "return_statement", "return"), None)


def stray_semicolon(node: Node) -> Node | None:
    """``if (a); { ... }``: the block always runs."""
    body = field(node, "consequence") or field(node, "body")
    after = node.next_sibling
    if body is None or text(body) != ";" or field(node, "alternative") is not None:
        return None
    blocks = ("compound_statement", "statement_block", "block")
    return body if after is not None and after.type in blocks else None


def no_effect(node: Node) -> Node | None:
    """``a == b;`` compares and throws the answer away."""
    own = parts(node)
    if len(own) != 1 or own[0].type != "binary_expression":
        return None
    sign = text(field(own[0], "operator"))
    left, right = field(own[0], "left"), field(own[0], "right")
    plain = is_plain(left) and is_plain(right)
    last_value = node.parent is not None and node.parent.type in ("program", "source_file")
    return own[0] if sign in _COMPARED[:4] and plain and not last_value else None


def set_to_itself(node: Node) -> Node | None:
    """``a = a``: a name of an object or a parameter is meant."""
    left, right = field(node, "left"), field(node, "right")
    if left is None or right is None or text(field(node, "operator")) not in ("", "="):
        return None
    if left.type not in ("identifier", "variable_name", "expression_list") or text(left) != text(
        right
    ):
        return None
    if left.type == "expression_list" and any(each.type != "identifier" for each in parts(left)):
        return None
    return node if node.parent is not None and "statement" in node.parent.type else None


def same_case(node: Node) -> Node | None:
    """The same literal in two cases of one switch: the second is never reached."""
    seen: set[str] = set()
    for case in parts(node):
        value = field(case, "value") if case.type in ("switch_case", "case_statement") else None
        if value is not None and is_plain(value):
            if flat(value) in seen:
                return value
            seen.add(flat(value))
    return None


def same_key(node: Node) -> Node | None:
    """The same key twice in one object: the first value is lost."""
    seen: set[str] = set()
    for pair in parts(node):
        if pair.type == "spread_element":
            seen.clear()
        key = field(pair, "key") if pair.type == "pair" else None
        if key is not None and key.type in ("property_identifier", "string", "number"):
            word = text(key)[1:-1] if key.type == "string" else text(key)
            if word in seen and word != "__proto__":
                return key
            seen.add(word)
    return None


def lost_error(node: Node) -> Node | None:
    """``new Error("...");`` as a statement: made and never thrown."""
    own = parts(node)
    if len(own) != 1 or own[0].type not in ("new_expression", "object_creation_expression"):
        return None
    around = next(
        (each for each in above(node) if each.type not in ("statement_block", "block")), node
    )
    if around.type in ("switch_rule", "try_statement"):  # the value of the switch, or a trial
        return None
    made = field(own[0], "constructor") or field(own[0], "type") or child(own[0])
    name = text(made).rpartition(".")[2].rpartition("\\")[2]
    tested = any("assert" in text(field(each, "function")).lower() or "expect" in text(field(each, "function"))
                 for each in above(node) if "call" in each.type)  # fmt: skip
    return own[0] if name.endswith(("Error", "Exception")) and not tested else None


def swallowed(node: Node) -> Node | None:
    """``rescue Exception`` that does not raise again."""
    said = field(node, "exceptions")
    if said is None or "Exception" not in [text(each) for each in parts(said)]:
        return None
    body = text(node)
    variable = text(child(field(node, "variable")))
    used = variable and len(names(node, variable)) > 1
    return (
        None if used or any(word in body for word in ("raise", "exit", "abort", "throw")) else node
    )


_UNREACHED = "it is never reached: the statement before it always leaves"
_FINALLY = "`return` in `finally` drops an error that is on its way; return after it"
_LOST = "an error is made and not thrown; put `throw` before it"
RULES = (
    tree_rule(_SCRIPTS, "unreachable", "(return_statement) @x (throw_statement) @x (continue_statement) @x", unreachable, _UNREACHED),
    tree_rule("C|C++|Go|PHP", "unreachable", "(return_statement) @x", unreachable, _UNREACHED),
    tree_rule("Ruby", "unreachable", "(return) @x", unreachable, _UNREACHED),
    tree_rule(f"{_SCRIPTS}", "missing-break", "(switch_case) @x", overwritten_case,
              "the next case overwrites this at once; a `break` is missing"),
    tree_rule("C|C++|PHP", "missing-break", "(case_statement) @x", overwritten_case,
              "the next case overwrites this at once; a `break` is missing"),
    tree_rule("Java", "missing-break", "(switch_block_statement_group) @x", overwritten_case,
              "the next case overwrites this at once; a `break` is missing"),
    tree_rule(f"{_SCRIPTS}|Java|PHP|C++", "empty-catch", "(catch_clause) @x", empty_catch,
              "an error is swallowed; handle it, or say in a comment why not", "INFO"),
    tree_rule(f"{_SCRIPTS}|Java|PHP", "finally-returns", "(finally_clause) @x", returns_in_finally, _FINALLY),
    tree_rule("Ruby", "finally-returns", "(ensure) @x", returns_in_finally, _FINALLY.replace("finally", "ensure")),
    tree_rule(f"{_SCRIPTS}|Java|C|C++|PHP", "stray-semicolon", "(if_statement) @x (for_statement) @x", stray_semicolon,
              "the statement ends at this `;`, so the block below always runs; remove it", "ERROR"),
    tree_rule(f"{_SCRIPTS}|C|C++|PHP", "no-effect", "(expression_statement) @x", no_effect,
              "the comparison is thrown away; an assignment may be meant"),
    tree_rule(f"{_SCRIPTS}|Java|PHP", "set-to-itself", "(assignment_expression) @x", set_to_itself,
              "a value is set to itself; `this.` or another name is missing"),
    tree_rule("Go", "set-to-itself", "(assignment_statement) @x", set_to_itself,
              "a value is set to itself; another name is meant"),
    tree_rule(_SCRIPTS, "same-case", "(switch_body) @x", same_case, "this case stands twice, so the second is never reached"),
    tree_rule("PHP", "same-case", "(switch_block) @x", same_case, "this case stands twice, so the second is never reached"),
    tree_rule(_SCRIPTS, "same-key", "(object) @x", same_key, "this key stands twice in the object, so the first value is lost"),
    tree_rule(f"{_SCRIPTS}|Java|PHP", "error-not-thrown", "(expression_statement) @x", lost_error, _LOST, "ERROR"),
    tree_rule("Ruby", "rescues-everything", "(rescue) @x", swallowed,
              "`rescue Exception` swallows exits and signals too; rescue StandardError", "INFO"),
)  # fmt: skip
