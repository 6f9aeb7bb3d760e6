"""Rules for PHP and Ruby: input that becomes SQL, shell, pages or file names, and answers that are misread."""

from __future__ import annotations

import re

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import (
    above,
    argument,
    child,
    field,
    flat,
    following,
    function_of,
    inner,
    parts,
    text,
)
from guildmoot.agents.rules.texts import SQL_INPUT, SQL_TEXT
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_PHP_INPUT = lazy(r"\$_(?:GET|POST|REQUEST|COOKIE)\b")
_CLEANED = lazy(
    r"(?i)htmlspecialchars|htmlentities|\(int\)|intval|escapeshell|real_escape|\bquote\b|basename|filter_var|filter_input"
    r"|urlencode|json_encode|\bcount\(|isset|empty\(|strip_tags|esc_|\(float\)|is_numeric|in_array|md5|sha1|hash\(|sanitize"
)
_SQL = r"(?is)\b(?:select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from)\b.*(?:=|<|>|\blike|\bin\s*\(|\bvalues\s*\()\s*['\"]?%?\s*$"
_HASHES = ("md5", "sha1", "hash", "hash_hmac", "crypt", "md5_file")
_PARAMS = lazy(
    r"\bparams\b(?!\.permit)|\brequest\.(?:params|body|query_string)|\bcookies\[|\bARGV\b"
)
_RUBY_SQL = (
    "where",
    "find_by_sql",
    "execute",
    "exec_query",
    "select_all",
    "having",
    "joins",
    "update_all",
    "delete_all",
)


def _php_arguments(node: Node) -> list[Node]:
    return [each for one in parts(field(node, "arguments")) for each in (parts(one) or [one])[:1]]


def _php_name(node: Node) -> str:
    return text(field(node, "function") or field(node, "name")).lower().lstrip("\\")


def has_input(node: Node) -> bool:
    """Whether what a request holds stands in it as it came."""
    said = text(node)
    return bool(_PHP_INPUT.search(said)) and not _CLEANED.search(said)


def sql_input(node: Node) -> Node | None:
    """A query with the request's own words in its text."""
    if _php_name(node) not in (
        "mysqli_query",
        "mysql_query",
        "pg_query",
        "query",
        "exec",
        "multi_query",
        "sqlite_query",
    ):
        return None
    made = [
        each
        for each in _php_arguments(node)
        if each.type in ("binary_expression", "encapsed_string")
    ]
    is_sql = any(re.search(r"(?i)\b(?:select|insert|update|delete)\b", text(each)) for each in made)
    return node if is_sql and any(has_input(each) for each in made) else None


def sql_text(node: Node) -> Node | None:
    """A query with a variable between quotes."""
    if _php_name(node) not in (
        "mysqli_query",
        "mysql_query",
        "pg_query",
        "query",
        "multi_query",
        "exec",
    ):
        return None
    for each in _php_arguments(node):
        said = text(each)
        if each.type == "encapsed_string" and (found := re.search(r"'\{?\$\w+", said)):
            head = said[: found.start() + 1]
        elif each.type == "binary_expression" and (found := re.search(r"\"\s*\.\s*\$\w+", said)):
            head = said[: found.start()]
        else:
            continue
        if re.search(_SQL, head[-2_000:]) and not _CLEANED.search(said):
            return node
    return None


def shell_input(node: Node) -> Node | None:
    """A shell command with the request's own words."""
    named = _php_name(node) in ("system", "exec", "shell_exec", "passthru", "popen", "proc_open")
    return node if named and node.type == "function_call_expression" and has_input(node) else None


def code_input(node: Node) -> Node | None:
    """Input that becomes code or objects."""
    named = _php_name(node) in ("eval", "assert", "unserialize", "create_function", "extract")
    return node if named and has_input(node) else None


def file_input(node: Node) -> Node | None:
    """A file that a request names."""
    first = next(iter(_php_arguments(node)), None)
    named = _php_name(node) in (
        "file_get_contents",
        "fopen",
        "readfile",
        "unlink",
        "file",
        "rmdir",
        "file_put_contents",
    )
    return node if named and first is not None and has_input(first) else None


def run_input(node: Node) -> Node | None:
    """A file that a request names and that is run."""
    return node if has_input(node) else None


def shown_input(node: Node) -> Node | None:
    """What a request holds, in the page as it came."""
    if not has_input(node) or re.search(r"\$_\w+\s*\[[^\]]*\]\s*(?:[=!<>]=|\?(?!\?))", text(node)):
        return None
    return None if re.search(r"\w\s*\([^()]*\$_", text(node)[4:]) else node


def place_as_answer(node: Node) -> Node | None:
    """``if (strpos($a, $b))``: the first place is 0, which is false."""
    asked = inner(field(node, "condition"))
    if asked is None or asked.type != "function_call_expression":
        return None
    return (
        asked
        if _php_name(asked) in ("strpos", "stripos", "strrpos", "array_search", "mb_strpos")
        else None
    )


def place_compared(node: Node) -> Node | None:
    """``strpos($a, $b) == false`` holds for the first place too."""
    if text(field(node, "operator")) not in ("==", "!="):
        return None
    for side, other in (("left", "right"), ("right", "left")):
        call, word = field(node, side), text(field(node, other)).lower()
        if call is not None and call.type == "function_call_expression" and word == "false":
            return (
                node
                if _php_name(call) in ("strpos", "stripos", "strrpos", "array_search", "mb_strpos")
                else None
            )
    return None


def loose_hash(node: Node) -> Node | None:
    """``md5($a) == $b``: two hashes that look like numbers are equal."""
    if text(field(node, "operator")) not in ("==", "!="):
        return None
    for side in ("left", "right"):
        call = field(node, side)
        named = call is not None and call.type == "function_call_expression"
        if named and call is not None and _php_name(call) in _HASHES:
            return node
    return None


def _method(node: Node) -> str:
    return text(field(node, "method"))


def ruby_sql(node: Node) -> Node | None:
    """A query with a value between quotes in its text."""
    first = argument(node)
    if _method(node) not in _RUBY_SQL or first is None or first.type != "string":
        return None
    for hole in (each for each in first.named_children if each.type == "interpolation"):
        head = text(first)[1 : hole.start_byte - first.start_byte]
        place = re.search(r"(?i)(?:=|<|>|\blike|\bin\s*\()\s*['\"]%?\s*$", head)
        clean = re.search(
            r"quote|sanitize|\.to_i\b|table_name|column|[A-Z]{3,}|\.join|escape", text(hole)
        )
        if place and not clean:
            return node
    return None


def ruby_shell_text(node: Node) -> Node | None:
    """A shell command that a method puts together from its parameters."""
    given = parts(field(node, "arguments"))
    function = function_of(node)
    if _method(node) not in ("system", "exec", "spawn") or len(given) != 1 or function is None:
        return None
    if field(node, "receiver") is not None or given[0].type != "string":
        return None
    known = set(re.findall(r"[a-z_]\w*", text(field(function, "parameters"))))
    for hole in (each for each in given[0].named_children if each.type == "interpolation"):
        if re.search(r"(?i)escape|quote", text(hole)):
            return None
        if set(re.findall(r"(?<![.@\w])[a-z_]\w*", text(hole))) & known:
            return node
    return None


def ruby_sql_input(node: Node) -> Node | None:
    """A query with the request's own words in its text."""
    first = argument(node)
    if _method(node) not in (*_RUBY_SQL, "order") or first is None or first.type != "string":
        return None
    holes = [each for each in first.named_children if each.type == "interpolation"]
    return (
        node
        if any(
            _PARAMS.search(text(h)) and not re.search(r"quote|sanitize|to_i", text(h))
            for h in holes
        )
        else None
    )


def ruby_shell(node: Node) -> Node | None:
    """A shell command with the request's own words."""
    if node.type == "call":
        if _method(node) not in ("system", "exec", "spawn", "popen"):
            return None
        given = parts(field(node, "arguments"))
        what = given[0] if len(given) == 1 else None
    else:
        what = node
    holes = [each for each in what.named_children if each.type == "interpolation"] if what else []
    return (
        node
        if any(re.search(r"\bparams\b", text(h)) and "shellescape" not in text(h) for h in holes)
        else None
    )


def ruby_code(node: Node) -> Node | None:
    """Input that becomes code, objects or methods."""
    name, given = _method(node), text(field(node, "arguments"))
    receiver = flat(field(node, "receiver"))
    if not re.search(r"\bparams\b|\bcookies\[", given) and not re.search(r"\bparams\[", receiver):
        return None
    if name in ("eval", "instance_eval", "class_eval") or (
        receiver in ("Marshal", "YAML") and name in ("load", "unsafe_load")
    ):
        return node
    if name in ("send", "public_send", "constantize") and re.match(
        r"\(?\s*params\[", given or receiver
    ):
        return node
    return node if name == "constantize" and receiver.startswith("params[") else None


def ruby_quiet(node: Node) -> Node | None:
    """``rescue`` that does nothing."""
    if parts(field(node, "body")) or any(each.type == "comment" for each in node.children):
        return None
    after = node.next_named_sibling
    if (
        after is not None
        and after.type == "comment"
        and after.start_point[0] <= node.end_point[0] + 1
    ):
        return None
    around = next(above(node), None)
    return node if around is not None and around.type in ("begin", "body_statement") else None


_PHP = "PHP"


def goes_on(node: Node) -> Node | None:
    """``header('Location: ...')`` after which the script goes on to write another answer."""
    call = child(node)
    given = argument(call)
    if text(field(call, "function")) != "header" or not re.match(
        r"""["']Location:""", text(given), re.IGNORECASE
    ):
        return None
    around = node.parent
    while next(following(node), None) is None and around is not None and around.type in _INSIDE:
        node, around = around, around.parent
    after = next(following(node), None)
    if around is None or after is None or function_of(node) is not None:
        return None
    ends = re.match(
        r"\s*(?:exit|die|return|throw|break|\}|[\w\\>:$-]*(?:exit|die|end|stop|quit|close))",
        text(after),
        re.IGNORECASE,
    )
    rest = " ".join(text(each) for each in (after, *following(after)))
    return call if not ends and _WRITES.search(rest) else None


_INSIDE = ("compound_statement", "if_statement", "else_clause", "else_if_clause")
_WRITES = lazy(r"\becho\b|\bprint\b|\?>|\b(?:include|require)(?:_once)?\b")
RULES = (
    tree_rule(_PHP, "answer-goes-on", "(expression_statement) @x", goes_on,
              "the script still runs after the redirect and writes another answer; `exit` is missing"),
    tree_rule(_PHP, "sql-from-input", "(function_call_expression) @x (member_call_expression) @x", sql_input,
              "SQL is built from input; use a prepared statement", "ERROR"),
    tree_rule(_PHP, "sql-by-string", "(function_call_expression) @x (member_call_expression) @x", sql_text,
              "values are put into the text of the SQL; use a prepared statement", "INFO"),
    tree_rule(_PHP, "shell-from-input", "(function_call_expression) @x", shell_input,
              "a shell command is built from input; use escapeshellarg", "ERROR"),
    tree_rule(_PHP, "eval-of-input", "(function_call_expression) @x", code_input,
              "input becomes code, objects or variables; read it with json_decode", "ERROR"),
    tree_rule(_PHP, "file-from-input", "(function_call_expression) @x", file_input,
              "whoever asks chooses the file; take its name from a list", "ERROR"),
    tree_rule(_PHP, "include-of-input", "(include_expression) @x (include_once_expression) @x (require_expression) @x (require_once_expression) @x", run_input,
              "a file named by input is run; choose from a list", "ERROR"),
    tree_rule(_PHP, "page-from-input", "(echo_statement) @x (print_intrinsic) @x", shown_input,
              "input goes into the page as it came, scripts too; use htmlspecialchars", "ERROR"),
    tree_rule(_PHP, "index-as-answer", "(if_statement) @x", place_as_answer,
              "the first place is 0, which is false; compare with `!== false`", "INFO"),
    tree_rule(_PHP, "index-as-answer", "(binary_expression) @x", place_compared,
              "the first place is 0, which `==` takes for false; use `===`"),
    tree_rule(_PHP, "loose-hash", "(binary_expression) @x", loose_hash,
              "two hashes that look like numbers are equal for `==`; use hash_equals"),
    tree_rule("Ruby", "sql-by-string", "(call) @x", ruby_sql,
              SQL_TEXT, "INFO"),
    tree_rule("Ruby", "sql-from-input", "(call) @x", ruby_sql_input,
              SQL_INPUT, "ERROR"),
    tree_rule("Ruby", "shell-from-input", "(call) @x (subshell) @x", ruby_shell,
              "a shell command is built from input; give system a list", "ERROR"),
    tree_rule("Ruby", "shell-by-string", "(call) @x", ruby_shell_text,
              "a parameter becomes part of a shell command; give system a list"),
    tree_rule("Ruby", "eval-of-input", "(call) @x", ruby_code,
              "input becomes code, objects or methods; choose from a list", "ERROR"),
    tree_rule("Ruby", "empty-catch", "(rescue) @x", ruby_quiet,
              "an error is swallowed; handle it, or say in a comment why not", "INFO"),
)  # fmt: skip
