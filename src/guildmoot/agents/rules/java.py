"""Rules for Java: texts compared by identity, things that stay open, results that are thrown away."""

from __future__ import annotations

import re

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import (
    above,
    argument,
    below,
    child,
    field,
    flat,
    function_of,
    names,
    parts,
    text,
)
from guildmoot.agents.rules.texts import SQL_TEXT, is_sql, pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_BOXED = ("String", "Integer", "Long", "Double", "Float", "Short", "BigDecimal", "BigInteger")
_UNUSED = (
    *(
        "trim",
        "replace",
        "replaceAll",
        "replaceFirst",
        "toUpperCase",
        "toLowerCase",
        "concat",
        "substring",
    ),
    *("strip",),
)
_CLOSED = frozenset(
    [
        "Connection",
        "FileInputStream",
        "FileOutputStream",
        "FileReader",
        "FileWriter",
        "Socket",
        "ServerSocket",
        "RandomAccessFile",
        "PreparedStatement",
        "JarFile",
        "ZipFile",
    ]
)
_QUERIES = (
    "executeQuery",
    "executeUpdate",
    "execute",
    "prepareStatement",
    "createQuery",
    "createNativeQuery",
    "queryForObject",
    "addBatch",
    "query",
    "update",
)


def declared_type(node: Node) -> str:
    """The type that a name has here, by its declaration in the same file; empty where there is none."""
    name = text(node) if node.type == "identifier" else ""
    if node.type == "field_access" and text(field(node, "object")) == "this":
        name = text(field(node, "field"))
    if not name:
        return ""
    fields_only = node.type == "field_access"
    for around in above(node):
        if around.type in (
            "block",
            "constructor_body",
            "switch_block_statement_group",
            "for_statement",
        ):
            found = [each for each in parts(around) if each.type == "local_variable_declaration"]
        elif around.type in ("method_declaration", "constructor_declaration"):
            found = parts(field(around, "parameters"))
        elif around.type == "class_body":
            found = [each for each in parts(around) if each.type == "field_declaration"]
        elif around.type == "lambda_expression" and re.search(
            rf"\b{name}\b", text(field(around, "parameters"))
        ):
            return ""
        elif around.type == "enhanced_for_statement" and text(field(around, "name")) == name:
            return text(field(around, "type"))
        elif around.type == "catch_clause" or around.type == "record_declaration":
            found = []
        else:
            continue
        if fields_only and around.type != "class_body":
            continue
        for each in found:
            names_of = (
                [each]
                if field(each, "name") is not None
                else each.children_by_field_name("declarator")
            )
            if any(text(field(one, "name")) == name for one in names_of):
                return text(field(each, "type"))
    return ""


def identity(node: Node) -> Node | None:
    """``a == b`` of texts or boxed numbers asks whether they are one object."""
    if text(field(node, "operator")) not in ("==", "!="):
        return None
    left, right = field(node, "left"), field(node, "right")
    if left is None or right is None or "null" in (text(left), text(right)):
        return None
    literal = "string_literal" in (left.type, right.type)
    kinds = [declared_type(left), declared_type(right)]
    if (
        not literal
        and not (kinds[0] == kinds[1] and kinds[0] in _BOXED)
        and not _part(left, right, kinds)
    ):
        return None
    function = function_of(node)
    name = text(field(function, "name")) if function is not None else ""
    asked = {text(left), text(right)}
    if re.match(r"(?i)equals|compare|hash|same|is(?:same|identical)|test", name):
        return None
    if re.search(r"\.equals\(|\.intern\(|equalsIgnoreCase\(", text(function)) or any(
        "<" in each for each in asked
    ):
        return None
    return node


def _part(left: Node, right: Node, kinds: list[str]) -> bool:
    """A text beside a getter of the same name: ``booking.guest() == guest``."""
    for own, other, kind in ((left, right, kinds[0]), (right, left, kinds[1])):
        if (
            kind == "String"
            and other.type == "method_invocation"
            and not parts(field(other, "arguments"))
        ):
            name = text(field(other, "name")).removeprefix("get").lower()
            if name == text(own).lower():
                return True
    return False


def unused(node: Node) -> Node | None:
    """``name.trim();``: a text is not changed by it."""
    call = child(node)
    if call is None or call.type != "method_invocation" or text(field(call, "name")) not in _UNUSED:
        return None
    owner = field(call, "object")
    return call if owner is not None and declared_type(owner) == "String" else None


def run_here(node: Node) -> Node | None:
    """``new Thread(...).run()`` starts no thread."""
    owner = field(node, "object")
    started = text(field(node, "name")) == "run" and owner is not None
    made = started and owner is not None and owner.type == "object_creation_expression"
    return node if made and text(field(owner, "type")) == "Thread" else None


def from_double(node: Node) -> Node | None:
    """``new BigDecimal(0.1)`` takes over what binary makes of it."""
    given = parts(field(node, "arguments"))
    if text(field(node, "type")) != "BigDecimal" or len(given) != 1:
        return None
    fraction = given[0].type == "decimal_floating_point_literal" and not re.fullmatch(
        r"\d+\.(?:0|5|25|75|125)0*", text(given[0])
    )
    through = (
        re.search(r"\.doubleValue\(\)", text(given[0])) and given[0].type == "binary_expression"
    )
    return node if fraction or through else None


def sql_text(node: Node) -> Node | None:
    """A query whose values are put into its text."""
    given = argument(node)
    if text(field(node, "name")) not in _QUERIES or given is None:
        return None
    return node if is_sql(pieces(given)) else None


def sql_variable(node: Node) -> Node | None:
    """The same in a local variable that is then run."""
    value, name, function = field(node, "value"), text(field(node, "name")), function_of(node)
    if value is None or function is None or not is_sql(pieces(value)):
        return None
    run = any(
        text(field(call, "name")) in _QUERIES
        and name in [text(each) for each in parts(field(call, "arguments"))]
        for call in below(function, "method_invocation")
    )
    return node if run else None


def left_open(node: Node) -> Node | None:
    """Something that must be closed, used here and closed nowhere."""
    function = function_of(node)
    body = field(function, "body")
    declarator = field(node, "declarator")
    value = field(declarator, "value")
    name = text(field(declarator, "name"))
    if text(field(node, "type")) not in _CLOSED or value is None or body is None or not name:
        return None
    made = value.type == "object_creation_expression" and text(field(value, "type")) in _CLOSED
    asked = value.type == "method_invocation" and text(field(value, "name")) in (
        "getConnection",
        "prepareStatement",
    )
    owner = flat(field(value, "object"))
    asked = asked and bool(re.search(r"(?i)source|pool|DriverManager|^conn", owner))
    if not (made or asked) or "mock" in text(value):
        return None
    for use in names(body, name):
        around = use.parent
        if around is None or use.start_byte <= node.end_byte:
            continue
        if around.type == "method_invocation" and flat(field(around, "object")) == name:
            if text(field(around, "name")) == "close":
                return None
            continue
        return None
    return node


def half_equal(node: Node) -> Node | None:
    """``equals`` without ``hashCode``: equal objects get lost in maps."""
    methods = {
        text(field(each, "name")): each for each in parts(node) if each.type == "method_declaration"
    }
    if field(node.parent, "superclass") is not None:  # which may have it
        return None
    own = methods.get("equals")
    if own is None or "hashCode" in methods or "Object" not in text(field(own, "parameters")):
        return None
    return own if "static" not in text(own).partition("(")[0] else None


RULES = (
    tree_rule("Java", "string-identity", "(binary_expression) @x", identity,
              "this asks whether both are one object, not whether they are equal; use equals"),
    tree_rule("Java", "result-unused", "(expression_statement) @x", unused,
              "a text is never changed in place; use what the call returns", "ERROR"),
    tree_rule("Java", "thread-not-started", "(method_invocation) @x", run_here,
              "run() runs here and starts no thread; call start()"),
    tree_rule("Java", "decimal-of-double", "(object_creation_expression) @x", from_double,
              "the binary fraction is not the decimal one; give the number as a text"),
    tree_rule("Java", "sql-by-string", "(method_invocation) @x", sql_text,
              SQL_TEXT),
    tree_rule("Java", "sql-by-string", "(variable_declarator) @x", sql_variable,
              SQL_TEXT),
    tree_rule("Java", "left-open", "(local_variable_declaration) @x", left_open,
              "it is never closed; use try-with-resources"),
    tree_rule("Java", "equals-without-hash", "(class_body) @x", half_equal,
              "equal objects have different hashes and get lost in maps; write hashCode too"),
)  # fmt: skip
