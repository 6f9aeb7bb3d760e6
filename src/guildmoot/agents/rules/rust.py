"""Rules for Rust: what the compiler takes and nobody means."""

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
    following,
    function_of,
    parts,
    text,
)
from guildmoot.agents.rules.texts import SQL_TEXT
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_SQL = lazy(
    r"(?is)\"\s*(?:select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from)\b[^{}]*(?:=|<|>|\blike|\bin\s*\(|\bvalues\s*\()\s*['\\\"]*%?\s*\{"
)
_GUARD = lazy(r"\.(?:lock|read|write)\(\)(?:\.unwrap\(\)|\.expect\([^()]*\))$")


def lock_let_go(node: Node) -> Node | None:
    """``let _ = m.lock()``: the lock is given back at once."""
    pattern, value = field(node, "pattern"), flat(field(node, "value"))
    if pattern is not None and text(pattern) != "_":
        return None
    blank = text(pattern) == "_" or re.match(r"let\s+_\s*=", text(node))
    return (
        node
        if blank and (re.search(r"\.lock\(\)(?:\.unwrap\(\)|\?|\.expect\([^()]*\))?$", value))
        else None
    )


def lock_over_await(node: Node) -> Node | None:
    """A lock of the standard library that is held while the task waits."""
    function = function_of(node)
    value, name = flat(field(node, "value")), text(field(node, "pattern")).removeprefix("mut ")
    if (
        function is None
        or "async" not in text(function).partition("{")[0]
        or not _GUARD.search(value)
    ):
        return None
    if not value.endswith(".lock().unwrap()") and ".lock().expect(" not in value:
        return None
    for after in following(node):
        if re.search(rf"\bdrop\(\s*{re.escape(name)}\s*\)", text(after)):
            return None
        if any(True for _ in below(after, "await_expression")) or after.type == "await_expression":
            return node
    return None


def sleeps(node: Node) -> Node | None:
    """``thread::sleep`` in an async function stops every task of its thread."""
    if not re.fullmatch(r"(?:std::)?thread::sleep", flat(field(node, "function"))):
        return None
    for around in above(node):
        if around.type == "closure_expression":
            return None
        if around.type == "async_block":
            return node
        if around.type == "function_item":
            return node if re.search(r"\basync\b", text(around).partition("(")[0]) else None
    return None


def backwards(node: Node) -> Node | None:
    """``10..0`` is empty."""
    own = parts(field(node, "value"))
    what = field(node, "value")
    if what is None or what.type != "range_expression" or len(own) != 2:
        return None
    ends = [text(each) for each in own]
    return what if all(each.isdigit() for each in ends) and int(ends[0]) > int(ends[1]) else None


def amount_unused(node: Node) -> Node | None:
    """``file.read(&mut buffer)?;``: how much was read is thrown away."""
    own = child(node)
    call = child(own) if own is not None and own.type == "try_expression" else None
    if (
        own is not None
        and own.type == "call_expression"
        and re.search(r"\.(?:unwrap|expect)$", flat(field(own, "function")))
    ):
        call = field(field(own, "function"), "value")
    if call is not None and call.type == "await_expression":
        call = child(call)
    function = field(call, "function")
    if call is None or function is None or function.type != "field_expression":
        return None
    name, arguments = text(field(function, "field")), parts(field(call, "arguments"))
    if name not in ("read", "write") or len(arguments) != 1:
        return None
    root = next((each for each in above(node) if each.parent is None), node)
    if not re.search(
        r"\buse\s+(?:std|tokio|futures)::io::[^;]*\b(?:Read|Write|prelude|AsyncReadExt|AsyncWriteExt|\*)",
        text(root),
    ):
        return None
    if name == "write" and flat(arguments[0]).startswith("&mut"):
        return None
    buffers = flat(arguments[0]).startswith("&mut" if name == "read" else ("&", 'b"'))
    return node if buffers else None


def joined_sql(node: Node) -> Node | None:
    """``query(&format!("... = '{}'", name))``."""
    name = flat(field(node, "function")).rpartition("::")[2].rpartition(".")[2]
    if name not in (
        "query",
        "execute",
        "prepare",
        "query_row",
        "query_as",
        "sql_query",
        "batch_execute",
        "simple_query",
        "raw_sql",
    ):
        return None
    arguments = field(node, "arguments")
    made = child(arguments)
    said = flat(made)
    return node if "format!(" in said[:20] and _SQL.search(text(made)[:2_000]) else None


def joined_shell(node: Node) -> Node | None:
    """``Command::new("sh").arg("-c").arg(format!(...))``."""
    said = flat(node)
    if (
        not re.search(r"Command::new\(\"(?:/bin/)?(?:ba|z)?sh\"\)", said)
        or text(field(field(node, "function"), "field")) != "arg"
    ):
        return None
    made = argument(node)
    before = flat(field(field(node, "function"), "value"))
    joined = re.match(r"&?format!\(", flat(made)) and before.endswith('.arg("-c")')
    return node if joined and "escape" not in text(made) and "quote" not in text(made) else None


def no_certificate(node: Node) -> Node | None:
    """``danger_accept_invalid_certs(true)``."""
    name = text(field(field(node, "function"), "field"))
    wrong = name in ("danger_accept_invalid_certs", "danger_accept_invalid_hostnames")
    return node if wrong and flat(field(node, "arguments")) == "(true)" else None


def uninitialised(node: Node) -> Node | None:
    """Memory that holds nothing, taken for a value."""
    said = flat(field(node, "function"))
    return node if re.fullmatch(r"(?:std::|core::)?mem::uninitialized(?:::<.*>)?", said) else None


def unfinished(node: Node) -> Node | None:
    """``todo!()`` and ``dbg!(...)`` outside of tests."""
    if text(field(node, "macro")) not in ("todo", "dbg"):
        return None
    for around in above(node):
        before = around.prev_named_sibling
        if before is not None and before.type == "attribute_item" and "test" in text(before):
            return None
    return node


_RUST = "Rust"
RULES = (
    tree_rule(_RUST, "lock-let-go", "(let_declaration) @x", lock_let_go,
              "`_` gives the lock back at once; name it, as in `let _guard`", "ERROR"),
    tree_rule(_RUST, "lock-over-await", "(let_declaration) @x", lock_over_await,
              "the lock is held while the task waits, which can stop every other; drop it before"),
    tree_rule(_RUST, "blocks-the-runtime", "(call_expression) @x", sleeps,
              "this stops every task of the thread; use the runtime's own sleep"),
    tree_rule(_RUST, "empty-range", "(for_expression) @x", backwards,
              "a range that goes down is empty; use (a..b).rev()", "ERROR"),
    tree_rule(_RUST, "amount-unused", "(expression_statement) @x", amount_unused,
              "it may read or write less than the whole buffer; use read_exact or write_all"),
    tree_rule(_RUST, "sql-by-string", "(call_expression) @x", joined_sql,
              SQL_TEXT),
    tree_rule(_RUST, "shell-by-string", "(call_expression) @x", joined_shell,
              "values become part of a shell command; run the program itself with its arguments"),
    tree_rule(_RUST, "tls-off", "(call_expression) @x", no_certificate, "certificates are not checked"),
    tree_rule(_RUST, "no-value", "(call_expression) @x", uninitialised,
              "there is no value yet, so using it is undefined; use MaybeUninit"),
    tree_rule(_RUST, "forgotten-macro", "(macro_invocation) @x", unfinished,
              "a mark of unfinished work is left; finish it or remove it"),
)  # fmt: skip
