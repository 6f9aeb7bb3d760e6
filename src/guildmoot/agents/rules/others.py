"""Rules for C#, Kotlin, Swift, Scala, Elixir, Lua and PowerShell: what harms in each of them alike."""

from __future__ import annotations

import re

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import field, flat, has_comment, is_plain, parts, text
from guildmoot.agents.rules.texts import SQL, SQL_TEXT
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

_SAME = frozenset(
    ("==", "===", "<", ">", "<=", ">=", "&&", "||", "-eq", "-lt", "-gt", "-le", "-ge", "and", "or")
)
_QUERY = lazy(
    r"(?:\b(?:execute\w*|exec\w*SQL|rawQuery|query\w*|prepareStatement|FromSqlRaw|SqlQueryRaw|createNativeQuery"
    r"|ExecuteSqlRaw\w*|sqlite3_exec)|\b\w*(?:Sql|OleDb|Odbc|Npgsql|Sqlite)Command)\s*$",
    re.IGNORECASE,
)
_SHELL = lazy(
    r"(?:\bProcess\.Start|\bgetRuntime\(\)\s*\.\s*exec|\bos\.execute|\bio\.popen|:os\.cmd|\bshell_exec)\s*$"
)
_EVAL = lazy(r"(?:\bCode\.eval_string|\bCode\.eval_quoted|\bload(?:string)?)\s*$")
_VALUE = {
    "C#": r'\{[A-Za-z_][^}"]*\}|"\s*\+\s*[A-Za-z_@]',
    "Kotlin": r'\$\{?[A-Za-z_]|"\s*\+\s*[A-Za-z_]',
    "Swift": r'\\\([A-Za-z_]|"\s*\+\s*[A-Za-z_]',
    "Scala": r'\$\{?[A-Za-z_]|"\s*\+\s*[A-Za-z_]',
    "Elixir": r'#\{|"\s*<>\s*[a-z_]',
    "Lua": r"[\"']\s*\.\.\s*[A-Za-z_]",
}
"""Where a value begins in a text that is put together."""
_MOST = 4_000


def sides(node: Node) -> tuple[Node, str, Node] | None:
    """Left, sign and right of an expression with two sides."""
    left = field(node, "left") or field(node, "lhs")
    right = field(node, "right") or field(node, "rhs")
    if left is None or right is None:
        own = parts(node)
        if len(own) != 3:
            return None
        return own[0], text(own[1]).lower(), own[2]
    start = node.start_byte
    whole = text(node).encode()
    sign = whole[left.end_byte - start : right.start_byte - start].decode("utf-8", "replace")
    return left, sign.strip(), right


def compared_with_itself(node: Node) -> Node | None:
    """``a == a``; ``a != a`` may ask for not-a-number."""
    found = sides(node)
    if found is None or found[1] not in _SAME or flat(found[0]) != flat(found[2]):
        return None
    plain = is_plain(found[0]) and not re.fullmatch(r"[\d.\"']*", flat(found[0]))
    return node if plain and len(flat(found[0])) < 200 and "(" not in flat(found[0]) else None


def caught_for_nothing(node: Node) -> Node | None:
    """A failure that is caught and dropped without a word."""
    if has_comment(node):
        return None
    body = field(node, "body") or next(
        (each for each in node.named_children if each.type in ("block", "statement_block")), None
    )
    if body is None:
        own = [each for each in parts(node) if each.type != "catch_keyword"]
        return (
            node
            if node.type == "catch_block" and not own and re.search(r"\{\s*\}\s*\Z", text(node))
            else None
        )
    return node if not parts(body) and not has_comment(body) else None


def assigned(node: Node) -> Node | None:
    """``if (x = true)`` sets it."""
    asked = field(node, "condition")
    if asked is None or asked.type != "assignment_expression":
        return None
    value = field(asked, "right")
    literal = value is not None and value.type in (
        "boolean_literal",
        "integer_literal",
        "string_literal",
    )
    return asked if literal and text(asked).count("=") == 1 else None


def _called(node: Node) -> tuple[str, str]:
    """What is called, and what it is given."""
    whole = text(node).encode()
    own = parts(node)
    if len(whole) > _MOST or not own:
        return "", ""
    at = own[0].end_byte - node.start_byte
    name, _, given = whole[at:].decode("utf-8", "replace").partition("(")
    return (text(own[0]), given) if not name.strip() else ("", "")


def _made_of(language: str, given: str) -> str:
    """The text before the first value in a text that is put together; empty where none is."""
    first = re.match(r"\s*(?:new\s+\w+\(\s*)?(?:[$@sfraw]{0,3}\"{1,3}|')", given)
    value = re.search(_VALUE[language], given)
    if not first or not value:
        return ""
    return given[first.end() : value.start()].rstrip("\"'")


def _sql(language: str) -> Callable[[Node], Node | None]:
    def look(node: Node) -> Node | None:
        name, given = _called(node)
        return node if _QUERY.search(name) and SQL.search(_made_of(language, given)) else None

    return look


def _shell(language: str) -> Callable[[Node], Node | None]:
    def look(node: Node) -> Node | None:
        name, given = _called(node)
        return node if _SHELL.search(name) and _made_of(language, given) else None

    return look


def evaluated(node: Node) -> Node | None:
    """A value that is run as code."""
    name, given = _called(node)
    return node if _EVAL.search(name) and re.match(r"[a-z_]\w*\s*[,)]", given) else None


def invoked(node: Node) -> Node | None:
    """``Invoke-Expression`` on something that is put together."""
    name = text(field(node, "command_name")).lower()
    return node if name in ("invoke-expression", "iex") and "$" in text(node) else None


def text_set(node: Node) -> Node | None:
    """``command.CommandText = $"... {name}"``."""
    left, right = field(node, "left"), field(node, "right")
    if not text(left).endswith("CommandText") or right is None or len(text(right)) > _MOST:
        return None
    return node if SQL.search(_made_of("C#", text(right))) else None


_TWICE = "both sides are the same; one of them is meant to be another"
_EMPTY = "the failure is caught and nobody is told; handle it, or say why it may be dropped"
_PLACEHOLDERS = SQL_TEXT
_WORDS = "a value is put into a command line; give the words one by one"
_CALLS = {
    "C#": "[(invocation_expression) (object_creation_expression)] @x",
    "Kotlin": "(call_expression) @x",
    "Swift": "(call_expression) @x",
    "Scala": "(call_expression) @x",
    "Elixir": "(call) @x",
    "Lua": "(function_call) @x",
}
RULES = (
    tree_rule("C#|Kotlin|Lua", "self-comparison", "(binary_expression) @x", compared_with_itself, _TWICE),
    tree_rule("Swift", "self-comparison", "[(equality_expression) (comparison_expression)] @x", compared_with_itself, _TWICE),
    tree_rule("Scala", "self-comparison", "(infix_expression) @x", compared_with_itself, _TWICE),
    tree_rule("Elixir", "self-comparison", "(binary_operator) @x", compared_with_itself, _TWICE),
    tree_rule("PowerShell", "self-comparison", "(comparison_expression) @x", compared_with_itself, _TWICE),
    tree_rule("C#|PowerShell", "empty-catch", "(catch_clause) @x", caught_for_nothing, _EMPTY, "INFO"),
    tree_rule("Kotlin|Swift", "empty-catch", "(catch_block) @x", caught_for_nothing, _EMPTY, "INFO"),
    tree_rule("C#", "assigned-condition", "[(if_statement) (while_statement)] @x", assigned,
              "this sets the value instead of asking for it", "ERROR"),
    tree_rule("C#", "sql-by-string", "(assignment_expression) @x", text_set, _PLACEHOLDERS),
    *(tree_rule(name, "sql-by-string", query, _sql(name), _PLACEHOLDERS) for name, query in _CALLS.items()),
    *(tree_rule(name, "shell-by-string", query, _shell(name), _WORDS) for name, query in _CALLS.items()
      if name in ("C#", "Kotlin", "Elixir", "Lua")),
    tree_rule("Elixir", "eval-of-values", "(call) @x", evaluated, "a value is run as code"),
    tree_rule("Lua", "eval-of-values", "(function_call) @x", evaluated, "a value is run as code"),
    tree_rule("PowerShell", "eval-of-values", "(command) @x", invoked, "a text that holds values is run as code"),
)  # fmt: skip
