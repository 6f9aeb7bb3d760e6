"""Defects that a line alone shows, in languages that have no other judge here: few, and of real harm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Defect(NamedTuple):
    """A line that does harm."""

    line: int
    code: str
    message: str
    grave: bool


class DefectRule(NamedTuple):
    """What to look for, in which languages."""

    languages: frozenset[str]
    code: str
    pattern: re.Pattern[str]
    message: str
    grave: bool = False


_SCRIPTS = ("JavaScript", "TypeScript", "TSX")
_CURLY = (*_SCRIPTS, "Go", "Java", "PHP", "C", "C++", "Rust")
_JS_INPUT = r"\b(?:req|request|ctx)\.(?:query|body|params|headers|cookies)\b"
_PHP_INPUT = r"\$_(?:GET|POST|REQUEST|COOKIE)\b"


def _rule(
    languages: tuple[str, ...], code: str, pattern: str, message: str, grave: bool = False
) -> DefectRule:
    return DefectRule(frozenset(languages), code, re.compile(pattern, re.MULTILINE), message, grave)


_QUERY = r"\.(?:query|execute|raw|exec|all|get|run)\(\s*"
_SHELL = r"\b(?:exec|execSync)\(\s*"
RULES = (
    _rule(_SCRIPTS, "sql-from-input", _QUERY + r"(?:`[^`\n]*\b(?:SELECT|INSERT|UPDATE|DELETE)\b[^`\n]*\$\{[^}\n]*"
          + _JS_INPUT + r"|[\"'][^\"'\n]*\b(?:SELECT|INSERT|UPDATE|DELETE)\b[^\n]*\+[^\n]*" + _JS_INPUT + r")",
          "SQL is built from input; use placeholders", True),
    _rule(_SCRIPTS, "shell-from-input", _SHELL + r"(?:`[^`\n]*\$\{[^}\n]*" + _JS_INPUT + r"|[\"'][^\"'\n]*[\"']\s*\+[^\n]*" + _JS_INPUT + r")",
          "a shell command is built from input; use execFile with a list", True),
    _rule(_SCRIPTS, "eval-of-input", r"\beval\(\s*[^\n)]*" + _JS_INPUT, "input is evaluated as code", True),
    _rule(("PHP",), "sql-from-input", r"(?i)\b(?:mysqli?_query|pg_query|->query|->exec)\((?![^;\n]*(?:\bprepare|escape|quote|intval|\(int\)))[^;\n]*"
          r"(?:\"[^\"\n]*\b(?:select|insert|update|delete)\b[^\"\n]*|[\"'][^;\n]*\b(?:select|insert|update|delete)\b[^;\n]*[\"']\s*\.[^;\n,]*)" + _PHP_INPUT,
          "SQL is built from input; use a prepared statement", True),
    _rule(("PHP",), "shell-from-input", r"\b(?:system|exec|shell_exec|passthru|popen)\((?![^;\n]*escapeshell)[^;\n]*" + _PHP_INPUT,
          "a shell command is built from input", True),
    _rule(("PHP",), "eval-of-input", r"\b(?:eval|assert|unserialize)\([^;\n]*" + _PHP_INPUT, "input is evaluated as code", True),
    _rule(("PHP",), "include-of-input", r"\b(?:include|require)(?:_once)?\b\s*\(?[^;\n]*" + _PHP_INPUT, "a file named by input is run", True),
    _rule(("Ruby",), "shell-from-input", r"(?:\bsystem\(?\s*|\bexec\(?\s*|%x[({]|`)[\"']?[^\n\"'`]*#\{\s*params\b", "a shell command is built from input", True),
    _rule(("Ruby",), "sql-from-input", r"\.(?:where|find_by_sql|execute|order)\(\s*\"[^\"\n]*#\{\s*params\b", "SQL is built from input; use placeholders", True),
    _rule(("Go",), "sql-from-input", r"\.(?:Query|QueryRow|Exec)(?:Context)?\([^\n]*(?:fmt\.Sprintf\([^\n]*|\+\s*)\b(?:r|req|c)\.(?:FormValue|URL\.Query|Query|Param|PostForm)\(",
          "SQL is built from input; use placeholders", True),
    _rule(("Shell",), "eval-of-input", r"^\s*eval\s+(?:\"?\$(?:QUERY_STRING|HTTP_\w+)\b)", "input is evaluated as code", True),
    _rule(("Shell", "Dockerfile"), "piped-to-shell", r"\b(?:curl|wget)\b[^\n|]*http://[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b", "what comes over plain HTTP is run"),
    _rule(("Shell",), "removes-root", r"^\s*(?:sudo\s+)?rm\s+-(?:rf|fr)\s+(?:/|/\*|\"?\$\{?\w+\}?\"?/\*?)\s*$", "an empty variable would remove everything"),
    _rule(_SCRIPTS, "tls-off", r"\brejectUnauthorized\s*:\s*false\b|NODE_TLS_REJECT_UNAUTHORIZED\b[^\n]*=\s*[\"']?0", "certificates are not checked"),
    _rule(("Go",), "tls-off", r"\bInsecureSkipVerify\s*:\s*true\b", "certificates are not checked"),
    _rule(("PHP",), "tls-off", r"CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*(?:,|=>)\s*(?:false|0)\b", "certificates are not checked"),
    _rule(("Ruby",), "tls-off", r"\bVERIFY_NONE\b", "certificates are not checked"),
    _rule(("Java", *_SCRIPTS, "PHP"), "empty-catch", r"catch\s*\((?![^)\n]*\b(?i:expected|ignored?|tolerated|unused|swallow\w*|\$?_+)\s*\))[^)\n]*\)\s*\{\s*\}", "an error is swallowed"),
    _rule(("Java",), "string-identity", r"if\s*\([^\"\n]*(?:==|!=)\s*\"[^\"\n]+\"\s*\)", "strings are compared by identity; use equals"),
    _rule(_SCRIPTS, "compared-with-nan", r"(?:===?|!==?)\s*NaN\b|\bNaN\s*(?:===?|!==?)", "nothing equals NaN; use Number.isNaN"),
    _rule(_CURLY, "self-comparison", r"if\s*\(\s*([A-Za-z_][\w.]*)\s*(?:===?|<|>|<=|>=)\s*\1\s*\)", "a value is compared with itself"),
    _rule(("C", "C++"), "unbounded-copy", r"(?<![\w.>])gets\s*\(", "gets cannot be used safely"),
    _rule(("C", "C++"), "format-from-variable", r"(?<![\w.>])(?:printf|syslog\s*\(\s*\w+\s*,)\s*\(?\s*(?:argv\s*\[|buf\w*\s*\)|input\w*\s*\))", "a variable is used as a format"),
    _rule(("C", "C++"), "assigned-condition", r"if\s*\(\s*[A-Za-z_]\w*\s*=\s*(?:\d+|true|false|NULL|nullptr)\s*\)", "a condition assigns"),
    _rule(_SCRIPTS, "assigned-condition", r"if\s*\(\s*[A-Za-z_$][\w$.]*\s*=\s*(?:\d+|true|false|null|undefined|[\"'][^\"'\n]*[\"'])\s*\)", "a condition assigns"),
    _rule(("SQL",), "without-where", r"(?i)^\s*(?:delete\s+from\s+[\w.`\"\[\]]+|update\s+[\w.`\"\[\]]+\s+set\s+(?:(?!\bwhere\b)[^;])*?)\s*;", "every row is changed: there is no WHERE"),
    _rule(("Dockerfile",), "secret-in-image", r"(?i)^\s*(?:ENV|ARG)\s+\w*(?:PASSWORD|SECRET|API_KEY|ACCESS_KEY|TOKEN)\w*[= ]\s*[\"']?(?!\$)[^\s\"'$]{6,}", "a secret stays in the image"),
    _rule(("Terraform",), "open-to-all", r"(?s)\bingress\s*\{[^{}]*cidr_blocks\s*=\s*\[[^\]]*\"0\.0\.0\.0/0\"[^{}]*\}", "anybody may connect"),
    _rule(("Terraform",), "public-bucket", r"\bacl\s*=\s*\"public-read-write\"", "anybody may write"),
    _rule(("Rust",), "forgotten-macro", r"^\s*(?:dbg|todo|unimplemented)!\(", "a mark of unfinished work is left"),
)  # fmt: skip

_UNSAFE = re.compile(
    r"\$\{\{[^}]*\bgithub\.(?:event\.(?:issue\.(?:title|body)|pull_request\.(?:title|body|head\.(?:ref|label))"
    r"|comment\.body|review\.body|review_comment\.body|discussion\.(?:title|body)|head_commit\.(?:message|author\.(?:name|email))"
    r"|commits\b[^}]*message|pages\b[^}]*page_name)|head_ref)\b[^}]*\}\}"
)
_RUN = re.compile(r"^(?P<indent>\s*)(?:-\s+)?(?:run|script):\s*(?P<rest>.*)$")
_TARGET = re.compile(
    r"^\s*(?:-\s*)?pull_request_target\b|^on:.*\bpull_request_target\b", re.MULTILINE
)
_HEAD = re.compile(
    r"\bref:\s*[\"']?\$\{\{\s*github\.(?:event\.pull_request\.head\.(?:sha|ref)|head_ref)"
)


_INPUT = (
    "req.",
    "request.",
    "ctx.",
    "$_",
    "params",
    "FormValue",
    "URL.Query",
    "c.Query",
    "c.Param",
    "PostForm",
)
_NEEDED: dict[str, tuple[str, ...]] = {
    "sql-from-input": _INPUT,
    "shell-from-input": _INPUT,
    "eval-of-input": ("eval", "assert", "unserialize"),
    "include-of-input": ("$_",),
    "tls-off": ("ejectUnauthorized", "NODE_TLS", "InsecureSkip", "SSL_VERIFY", "VERIFY_NONE"),
    "compared-with-nan": ("NaN",),
    "piped-to-shell": ("http:",),
    "removes-root": ("rm -",),
    "unbounded-copy": ("gets",),
    "format-from-variable": ("printf", "syslog"),
    "forgotten-macro": ("dbg!", "todo!", "unimplemented!"),
}
"""Words without one of which a rule need not be tried."""


def defects(language: str, text: str) -> Iterator[Defect]:
    """Each rule of the language at most once a line; comment lines are left alone."""
    if language == "GitHub workflow":
        yield from _workflow(text)
        return
    for rule in RULES:
        needed = _NEEDED.get(rule.code)
        if language in rule.languages and (not needed or any(word in text for word in needed)):
            for found in rule.pattern.finditer(text):
                begin = found.start() + len(found[0]) - len(found[0].lstrip())
                start = text.rfind("\n", 0, begin) + 1
                if not text[start:begin].lstrip().startswith(("//", "#", "*", "--", "/*")):
                    line = text.count("\n", 0, begin) + 1
                    yield Defect(line, rule.code, rule.message, rule.grave)


def _workflow(text: str) -> Iterator[Defect]:
    target, depth = bool(_TARGET.search(text)), -1
    for number, line in enumerate(text.split("\n"), 1):
        indent = len(line) - len(line.lstrip())
        begun = _RUN.match(line)
        if begun:
            depth = indent + 2 * line.lstrip().startswith("- ")
        elif line.strip() and indent <= depth:
            depth = -1
        if depth >= 0 and _UNSAFE.search(line):
            message = "text that anybody can write becomes part of a script; pass it through env"
            yield Defect(number, "script-injection", message, True)
        if target and _HEAD.search(line):
            message = "the code of a pull request is checked out with the rights of the repository"
            yield Defect(number, "untrusted-checkout", message, False)
