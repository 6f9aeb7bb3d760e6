"""Rules for JavaScript and TypeScript: promises, loops, and text that becomes code."""

from __future__ import annotations

import re

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import (
    above,
    argument,
    below,
    child,
    field,
    function_of,
    inner,
    names,
    parts,
    text,
)
from guildmoot.agents.rules.texts import SQL_INPUT, SQL_TEXT, is_sql, pieces
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_SCRIPTS = "JavaScript|TypeScript|TSX"
_TYPES = {
    "string",
    "number",
    "boolean",
    "object",
    "function",
    "undefined",
    "symbol",
    "bigint",
    "unknown",
}
_LATER = {
    *(
        "setTimeout",
        "setInterval",
        "setImmediate",
        "addEventListener",
        "on",
        "once",
        "then",
        "nextTick",
    ),
    *("requestAnimationFrame", "catch", "finally", "queueMicrotask"),
}
_QUERIES = ("query", "execute", "raw", "exec", "all", "get", "run")
_INPUT = lazy(
    r"\b(?:req|request|ctx)(?:\.request)?\.(?:query|body|params|headers|cookies)\b|\bprocess\.argv\b"
)
_LISTS = ("filter", "some", "every", "find", "findIndex")


def method(node: Node | None) -> str:
    """The last name of what is called."""
    function = field(node, "function")
    if function is not None and function.type == "await_expression":  # so ``await f<T>()`` is read
        function = child(function)
    return text(field(function, "property")) or text(function)


def is_async(node: Node | None) -> bool:
    """Whether it is written ``async``."""
    return node is not None and any(each.type == "async" for each in node.children)


def negated_in(node: Node) -> Node | None:
    """``!a in b``: the exclamation mark belongs around the whole."""
    left = field(node, "left")
    sign = text(field(node, "operator"))
    wrong = sign in ("in", "instanceof") and left is not None and left.type == "unary_expression"
    return node if wrong and text(left).startswith("!") else None


def odd_type(node: Node) -> Node | None:
    """``typeof a === "strnig"``: no type has that name."""
    if text(field(node, "operator")) not in ("==", "===", "!=", "!=="):
        return None
    left, right = field(node, "left"), field(node, "right")
    if left is None or right is None:
        return None
    for asked, name in ((left, right), (right, left)):
        is_typeof = asked.type == "unary_expression" and text(asked).startswith("typeof")
        if is_typeof and name.type == "string" and text(name)[1:-1] not in _TYPES:
            return node
    return None


def not_a_number(node: Node) -> Node | None:
    """A comparison with NaN, which nothing equals."""
    if text(field(node, "operator")) not in ("==", "===", "!=", "!=="):
        return None
    return node if "NaN" in (text(field(node, "left")), text(field(node, "right"))) else None


def async_question(node: Node) -> Node | None:
    """``list.filter(async ...)``: a promise is always true."""
    called = field(node, "function")
    if called is None or called.type != "member_expression" or method(node) not in _LISTS:
        return None
    owner = text(field(called, "object"))
    first = argument(node)
    one = len(parts(field(node, "arguments"))) == 1
    if not one or re.search(
        r"(?i)page|promise|async|stream|bluebird|\$|_\b|query|iter|\bfrom\(", owner
    ):
        return None
    around = node.parent
    if around is not None and around.type == "await_expression":
        return None
    return node if is_async(first) else None


def async_each(node: Node) -> Node | None:
    """``list.forEach(async ...)`` inside of an async function: nobody waits for the calls."""
    called = field(node, "function")
    if called is None or called.type != "member_expression" or method(node) != "forEach":
        return None
    first = argument(node)
    body = field(first, "body") if is_async(first) else None
    return node if body is not None and is_async(function_of(node)) else None


def async_maker(node: Node) -> Node | None:
    """``new Promise(async ...)``: what it throws is lost."""
    first = argument(node)
    if text(field(node, "constructor")) != "Promise" or not is_async(first) or first is None:
        return None
    body = field(first, "body")
    caught = body is not None and any(True for _ in below(body, "try_statement"))
    return None if caught else node


def captured(node: Node) -> Node | None:
    """A function that runs later and reads the ``var`` of the loop: it sees the last value."""
    start = field(node, "initializer") or node
    if node.type == "for_in_statement":
        names_of = [text(field(node, "left"))] if text(field(node, "kind")) == "var" else []
    elif start.type == "variable_declaration":
        names_of = [text(field(each, "name")) for each in parts(start)]
    else:
        return None
    body = field(node, "body")
    for call in below(body, "call_expression") if body is not None else ():
        later = parts(field(call, "arguments"))
        if method(call) not in _LATER:
            continue
        for function in later:
            if function.type in ("arrow_function", "function_expression", "function"):
                own = text(field(function, "parameters") or field(function, "parameter"))
                inside = field(function, "body")
                for name in names_of:
                    shadow = re.search(rf"\b{re.escape(name)}\b", own)
                    if name and inside is not None and not shadow and names(inside, name):
                        return function
    return None


def index_as_answer(node: Node) -> Node | None:
    """``if (a.indexOf(b))``: -1 is true and 0 is false."""
    asked = inner(field(node, "condition"))
    if asked is None or asked.type != "call_expression":
        return None
    return asked if method(asked) in ("indexOf", "lastIndexOf") else None


def nothing_returned(node: Node) -> Node | None:
    """``list.filter(a => { a > 1 })``: the block returns nothing."""
    called, given = field(node, "function"), parts(field(node, "arguments"))
    if called is None or called.type != "member_expression" or len(given) != 1:
        return None
    if method(node) not in (*_LISTS, "map", "flatMap") or node.parent is None:
        return None
    if (
        node.parent.type == "expression_statement"
        or given[0].type != "arrow_function"
        or is_async(given[0])
    ):
        return None
    owner = text(field(called, "object"))
    body = field(given[0], "body")
    if (
        body is None
        or body.type != "statement_block"
        or not parts(body)
        or re.search(r"\$|jquery|root|path", owner, re.IGNORECASE)
    ):
        return None
    if any(True for _ in below(body, "return_statement", "throw_statement")):
        return None
    return node


def sql_text(node: Node) -> Node | None:
    """A query whose values are put into its text."""
    if method(node) not in (*_QUERIES, "unsafe", "$queryRawUnsafe", "$executeRawUnsafe"):
        return None
    return node if is_sql(pieces(argument(node))) else None


def sql_input(node: Node) -> Node | None:
    """A query with the request's own words in its text."""
    if method(node) not in _QUERIES:
        return None
    made = pieces(argument(node))
    words = re.compile(r"(?i)\b(?:select|insert|update|delete)\b")
    return (
        node
        if any(words.search(head) and _INPUT.search(v) and "escape" not in v for head, v in made)
        else None
    )


def shell_input(node: Node) -> Node | None:
    """A shell command with the request's own words in it."""
    if method(node) not in ("exec", "execSync"):
        return None
    made = pieces(argument(node))
    return node if any(_INPUT.search(value) for _, value in made) else None


def shell_text(node: Node) -> Node | None:
    """A shell command that a function puts together from its parameters."""
    called, function = field(node, "function"), function_of(node)
    if called is None or function is None or method(node) not in ("exec", "execSync"):
        return None
    if (
        text(called) not in ("exec", "execSync")
        and "child" not in text(called)
        and text(called)[:3] != "cp."
    ):
        return None
    made = " ".join(value for _, value in pieces(argument(node)))
    given = re.findall(
        r"[\w$]+", text(field(function, "parameters") or field(function, "parameter"))
    )
    values = set(re.findall(r"(?<![.\w$])[A-Za-z_$][\w$]*", made))
    return node if values & set(given) and "quote" not in made.lower() else None


def evaluated(node: Node) -> Node | None:
    """``eval`` of what came with a request."""
    return (
        node if method(node) == "eval" and _INPUT.search(text(field(node, "arguments"))) else None
    )


def released_too_late(node: Node) -> Node | None:
    """A pooled client whose release an error skips."""
    value = field(node, "value")
    name = text(field(node, "name"))
    if value is None or value.type != "await_expression":
        return None
    call = child(value)
    function = function_of(node)
    if (
        call is None
        or function is None
        or method(call) not in ("connect", "getConnection", "acquire")
    ):
        return None
    owner = text(field(field(call, "function"), "object")).lower()
    if "pool" not in owner or not name.isidentifier():
        return None
    freed = [
        each
        for each in below(function, "call_expression")
        if text(field(each, "function")) == f"{name}.release"
    ]
    if not freed or any(
        up.type in ("finally_clause", "catch_clause") for each in freed for up in above(each)
    ):
        return None
    waits = [
        each
        for each in below(function, "await_expression")
        if node.end_byte < each.start_byte < freed[-1].start_byte
    ]
    return node if waits else None


RULES = (
    tree_rule(_SCRIPTS, "negated-part", "(binary_expression) @x", negated_in,
              "`!` holds for the left side only; write `!(a in b)`", "ERROR"),
    tree_rule(_SCRIPTS, "unknown-type", "(binary_expression) @x", odd_type,
              "`typeof` never gives this word", "ERROR"),
    tree_rule(_SCRIPTS, "compared-with-nan", "(binary_expression) @x", not_a_number,
              "nothing equals NaN; use Number.isNaN", "ERROR"),
    tree_rule(_SCRIPTS, "promise-as-answer", "(call_expression) @x", async_question,
              "an async function gives a promise, which is always true; await the answers first"),
    tree_rule(_SCRIPTS, "promise-dropped", "(call_expression) @x", async_each,
              "forEach does not wait for async functions; use for ... of with await, or Promise.all"),
    tree_rule(_SCRIPTS, "async-executor", "(new_expression) @x", async_maker,
              "what an async executor throws is lost and the promise never settles"),
    tree_rule(_SCRIPTS, "captured-loop-variable", "(for_statement) @x (for_in_statement) @x", captured,
              "when this runs, the loop has ended and its `var` has the last value; use `let`"),
    tree_rule(_SCRIPTS, "index-as-answer", "(if_statement) @x", index_as_answer,
              "-1 is true and 0 is false; use includes(), or compare with -1"),
    tree_rule(_SCRIPTS, "nothing-returned", "(call_expression) @x", nothing_returned,
              "the function returns nothing on any path, so the result is empty; return a value"),
    tree_rule(_SCRIPTS, "sql-by-string", "(call_expression) @x", sql_text,
              SQL_TEXT),
    tree_rule(_SCRIPTS, "sql-from-input", "(call_expression) @x", sql_input,
              SQL_INPUT, "ERROR"),
    tree_rule(_SCRIPTS, "shell-from-input", "(call_expression) @x", shell_input,
              "a shell command is built from input; use execFile with a list", "ERROR"),
    tree_rule(_SCRIPTS, "shell-by-string", "(call_expression) @x", shell_text,
              "a parameter becomes part of a shell command; use execFile with a list"),
    tree_rule(_SCRIPTS, "eval-of-input", "(call_expression) @x", evaluated, "input is evaluated as code", "ERROR"),
    tree_rule(_SCRIPTS, "client-not-released", "(variable_declarator) @x", released_too_late,
              "an error on the way keeps the client out of its pool; release it in `finally`"),
)  # fmt: skip
