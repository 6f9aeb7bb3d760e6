"""Rules for Go: errors that nobody looks at, things that stay open, answers that go on."""

from __future__ import annotations

import re
from collections.abc import Set

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import (
    argument,
    below,
    child,
    field,
    flat,
    following,
    function_of,
    names,
    parts,
    text,
)
from guildmoot.agents.rules.texts import SQL_INPUT, SQL_TEXT, is_sql, pieces
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_GIVES_ERROR = frozenset(
    [
        "json.Unmarshal",
        "xml.Unmarshal",
        "yaml.Unmarshal",
        "os.WriteFile",
        "ioutil.WriteFile",
        "os.Rename",
        "os.Mkdir",
        "os.MkdirAll",
        "os.Chmod",
        "os.Chown",
        "os.Symlink",
        "os.Link",
        "os.Truncate",
        "io.Copy",
        "io.CopyN",
        "io.ReadFull",
        "binary.Read",
        "http.ListenAndServe",
        "http.ListenAndServeTLS",
    ]
)
_MUST_WORK = frozenset(
    [
        "os.Open",
        "os.Create",
        "os.OpenFile",
        "http.Get",
        "http.Post",
        "http.NewRequest",
        "http.NewRequestWithContext",
        "sql.Open",
        "net.Dial",
        "net.Listen",
        "os.ReadFile",
        "ioutil.ReadFile",
        "tls.LoadX509KeyPair",
    ]
)
_OPENS = frozenset(("os.Open", "os.Create", "os.OpenFile", "net.Dial", "net.DialTimeout"))
_ASKS = frozenset(("http.Get", "http.Post", "http.PostForm", "http.Head"))
_READERS = lazy(r"^(?:io|ioutil|bufio|json|xml|csv|gob|fmt|log|binary|http)\.")
_SQL = lazy(
    r"(?is)\b(?:select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from)\b.*(?:=|<|>|\blike|\bin\s*\(|\bvalues\s*\()\s*['\"]?%?\s*(?:%[svdq]|['\"`]?$)"
)
_INPUT = lazy(
    r"\b(?:r|req|c|ctx|request)\.(?:FormValue|URL\.Query|Query|Param|PostForm|PostFormValue|PathValue)\(|\bos\.Args\b"
)
_QUERIES = ("Query", "QueryRow", "Exec", "QueryContext", "QueryRowContext", "ExecContext", "Raw")


def called(node: Node | None) -> str:
    """What is called, as it is written."""
    return flat(field(node, "function"))


def _assigned(node: Node) -> list[str]:
    return [text(each) for each in parts(field(node, "left"))]


def _is_test(node: Node) -> bool:
    function = function_of(node)
    while function is not None and function.type == "func_literal":
        function = function_of(function)
    said = text(field(function, "parameters")) if function is not None else ""
    return "testing." in said


def overwritten(node: Node) -> Node | None:
    """An ``err`` that the next assignment overwrites before anybody looked at it."""
    if "err" not in _assigned(node) or node.parent is None or node.parent.type != "statement_list":
        return None
    right = field(node, "right")
    if right is None or not any(True for _ in below(right, "call_expression")):
        return None
    if any(each.type in ("func_literal", "nil") for each in parts(right)):
        return None
    for after in following(node):
        if after.type in ("short_var_declaration", "assignment_statement") and "err" in _assigned(
            after
        ):
            used = field(after, "right")
            return None if used is None or names(used, "err") else node
        if names(after, "err") or after.type in (
            "labeled_statement",
            "defer_statement",
            "return_statement",
        ):
            return None
    return None


def dropped(node: Node) -> Node | None:
    """A call whose error is all that it tells, as a statement of its own."""
    call = child(node)
    if call is None or call.type != "call_expression" or _is_test(node):
        return None
    name = called(call)
    decodes = re.fullmatch(r"(?:json|xml|yaml|gob)\.NewDecoder\(.+\)\.Decode", name)
    return call if name in _GIVES_ERROR - {"io.Copy", "io.CopyN"} or decodes else None


def blank(node: Node) -> Node | None:
    """``file, _ := os.Open(...)``: without a look at the error, ``file`` may be nil."""
    left, right = _assigned(node), parts(field(node, "right"))
    if len(left) != 2 or left[1] != "_" or left[0] == "_" or len(right) != 1 or _is_test(node):
        return None
    return node if right[0].type == "call_expression" and called(right[0]) in _MUST_WORK else None


def deferred_early(node: Node) -> Node | None:
    """``defer answer.Body.Close()`` before the error was looked at: a panic when there is none."""
    left = _assigned(node)
    if len(left) != 2 or left[1] != "err":
        return None
    after = next(following(node), None)
    if after is None or after.type != "defer_statement":
        return None
    said = flat(after)
    return (
        after
        if said.startswith(f"defer{left[0]}.") and ("Body." in said or said.count(".") > 1)
        else None
    )


def answer_goes_on(node: Node) -> Node | None:
    """``http.Error`` at the end of an ``if`` whose function goes on to answer once more."""
    call = child(node)
    if call is None or called(call) not in ("http.Error", "http.NotFound", "http.Redirect"):
        return None
    if next(following(node), None) is not None:
        return None
    block = node.parent.parent if node.parent is not None else None
    around = block.parent if block is not None else None
    if around is None or around.type != "if_statement" or field(around, "alternative") is not None:
        return None
    if around.parent is None or around.parent.type == "if_statement":
        return None
    writer = text(argument(call))
    rest = " ".join(text(each) for each in following(around))
    return node if re.search(rf"\b{re.escape(writer)}\b", rest) and writer else None


def added_inside(node: Node) -> Node | None:
    """``wg.Add(1)`` inside of the goroutine that it counts: Wait may come first."""
    call = child(node)
    body = field(field(call, "function"), "body") if call is not None else None
    rows = parts(body)
    first = child(rows[0]) if rows and rows[0].type == "statement_list" else None
    return (
        first
        if first is not None and re.match(r"(?i)\w*\.?(?:wg|waitgroup)\.Add\(", flat(first))
        else None
    )


def left_open(node: Node, openers: Set[str] = frozenset()) -> Node | None:
    """A file or an answer that is read here and never closed; ``openers`` are further methods that open."""
    left, right = _assigned(node), parts(field(node, "right"))
    function = function_of(node)
    if len(left) != 2 or len(right) != 1 or right[0].type != "call_expression" or function is None:
        return None
    name, kind = left[0], called(right[0])
    opened = kind in _OPENS | _ASKS or ("." in kind and kind.rpartition(".")[2] in openers)
    if not opened or name == "_" or _is_test(node):
        return None
    if node.type == "assignment_statement":
        return None
    body = field(function, "body")
    if re.search(rf"\b{re.escape(name)}(?:\.Body)?\.Close\b", text(body)):
        return None
    for use in names(body, name) if body is not None else ():
        around = use.parent
        if around is None or use.start_byte < node.end_byte:
            continue
        if around.type == "selector_expression":
            if kind in _ASKS and flat(around).endswith(".Body") and not _is_read(around):
                return None
            continue
        if kind in _ASKS or not _is_read(use):
            return None
    return node


def _is_read(node: Node) -> bool:
    """Whether it is handed to something that reads it and does not keep it."""
    arguments = node.parent
    if arguments is not None and arguments.type == "selector_expression":
        return True
    call = arguments.parent if arguments is not None and arguments.type == "argument_list" else None
    return call is not None and bool(_READERS.match(called(call)))


def _query(node: Node) -> Node | None:
    """The argument that is the query, where it is put together."""
    function = field(node, "function")
    if text(field(function, "field")) not in _QUERIES:
        return None
    for given in parts(field(node, "arguments"))[:2]:
        if given.type == "call_expression" and called(given) == "fmt.Sprintf":
            return given
        if given.type == "binary_expression" and '"' in text(given):
            return given
    return None


def sql_text(node: Node) -> Node | None:
    """A query whose values are put into its text."""
    made = _query(node)
    if made is None:
        return None
    if made.type == "call_expression":
        form = text(argument(made))
    else:
        return node if is_sql(pieces(made)) else None
    return node if _SQL.search(form[-2_000:]) else None


def sql_input(node: Node) -> Node | None:
    """A query with the request's own words in its text."""
    made = _query(node)
    return node if made is not None and _INPUT.search(text(made)) else None


def shell_text(node: Node) -> Node | None:
    """``exec.Command("sh", "-c", ...)`` with a text that is put together."""
    if called(node) not in ("exec.Command", "exec.CommandContext"):
        return None
    given = parts(field(node, "arguments"))
    words = [text(each).strip('"`') for each in given]
    for at, word in enumerate(words[:-2]):
        if word.rpartition("/")[2] in ("sh", "bash", "zsh") and words[at + 1] == "-c":
            made = given[at + 2]
            if "%s" not in text(made) and "%v" not in text(made) and made.type == "call_expression":
                return None
            joined = made.type == "binary_expression" or called(made) == "fmt.Sprintf"
            return node if joined and "quote" not in text(made).lower() else None
    return None


def slow_senders(node: Node) -> Node | None:
    """A server that waits for headers without an end."""
    if flat(field(node, "type")) != "http.Server" or _is_test(node):
        return None
    said = text(field(node, "body"))
    if not said.strip("{} \n") or "Timeout" in said:
        return None
    function = function_of(node)
    if function is not None and re.search(r"\.Read(?:Header)?Timeout\s*=", text(function)):
        return None
    return node if "Handler" in said or "Addr" in said else None


def closed_unseen(node: Node) -> Node | None:
    """``file.Close()`` without a look at its error, and then the file takes another's place."""
    call, after = child(node), next(following(node), None)
    if call is None or not flat(call).endswith(".Close()") or after is None:
        return None
    function = function_of(node)
    written = re.search(r"\bos\.(?:Create|CreateTemp|OpenFile)\(", text(function))
    return node if written and "os.Rename(" in flat(after) else None


RULES = (
    tree_rule("Go", "error-dropped", "(expression_statement) @x", closed_unseen,
              "a full disk shows when the file is closed; check that error before the file is renamed"),
    tree_rule("Go", "error-overwritten", "(short_var_declaration) @x (assignment_statement) @x", overwritten,
              "this error is overwritten before anybody looked at it; check it first"),
    tree_rule("Go", "error-dropped", "(expression_statement) @x", dropped,
              "the error that this call gives is dropped; check it, or write `_ =` where it cannot matter"),
    tree_rule("Go", "error-dropped", "(short_var_declaration) @x", blank,
              "without a look at the error the value may be nil; check it"),
    tree_rule("Go", "deferred-before-check", "(short_var_declaration) @x", deferred_early,
              "where there is an error there is nothing to close, and this panics; check the error first", "ERROR"),
    tree_rule("Go", "answer-goes-on", "(expression_statement) @x", answer_goes_on,
              "the answer was given and the function goes on to give another; `return` is missing"),
    tree_rule("Go", "counted-too-late", "(go_statement) @x", added_inside,
              "Wait may run before this Add; call Add before the `go` statement"),
    tree_rule("Go", "left-open", "(short_var_declaration) @x", left_open,
              "it is never closed; add `defer ... .Close()` after the check of the error"),
    tree_rule("Go", "sql-by-string", "(call_expression) @x", sql_text,
              SQL_TEXT),
    tree_rule("Go", "sql-from-input", "(call_expression) @x", sql_input,
              SQL_INPUT, "ERROR"),
    tree_rule("Go", "shell-by-string", "(call_expression) @x", shell_text,
              "values become part of a shell command; run the program itself with a list of arguments"),
    tree_rule("Go", "slow-senders", "(composite_literal) @x", slow_senders,
              "a sender that never ends its headers holds a connection for ever; set ReadHeaderTimeout", "INFO"),
)  # fmt: skip
