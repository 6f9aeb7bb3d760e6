"""Finds comments that switch a judge off for a whole file, or for all that it looks for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.tools.rdjsonl import ToolFinding
from guildmoot.text.languages import language_in
from guildmoot.text.patterns import lazy

CODE = "judge-switched-off"
_OPENS = r"(?:#|//|/\*+|--|<!--|\{#|\{/\*|;|%)[ \t!]*"
_WAYS = {
    "ruff": r"ruff[ \t]*:[ \t]*(?:noqa\b|disable\b)",
    "flake8": r"flake8[ \t]*[:=][ \t]*noqa\b",
    "mypy": r"mypy[ \t]*:[ \t]*(?:ignore-errors\b|ignore_errors\b)",
    "pyright": r"pyright[ \t]*:[ \t]*(?:basic|off)\b",
    "pytype": r"pytype[ \t]*:[ \t]*skip-file\b",
    "pyre": r"pyre-ignore-all-errors\b",
    "pylint": r"pylint[ \t]*:[ \t]*(?:skip-file|disable[ \t]*=[ \t]*all)\b",
    "shellcheck": r"shellcheck[ \t]+(?:[^\n]*[ \t])?disable=(?:[^\n]*,)?(?:all\b|SC\d+-)",
    "hadolint": r"hadolint[ \t]+global[ \t]+ignore=",
    "eslint": r"eslint-disable(?=[ \t]*(?:\*/|--|$))",
    "tslint": r"tslint:disable(?=[ \t]*(?:\*/|$))",
    "oxlint": r"oxlint-disable(?=[ \t]*(?:\*/|--|$))",
    "biome": r"biome-ignore-all\b",
    "deno": r"deno-lint-ignore-file\b",
    "jshint": r"jshint[ \t]+ignore[ \t]*:[ \t]*start|jslint[ \t]+ignore",
    "TypeScript": r"@ts-nocheck\b",
    "golangci-lint": r"nolint(?:[ \t]*:[ \t]*all\b|[ \t]*(?:$|//))",
    "rubocop": r"(?:rubocop|standard)[ \t]*:[ \t]*disable[ \t]+all\b",
    "phpcs": r"phpcs:ignoreFile\b|@codingStandardsIgnoreFile\b",
    "phpstan": r"@phpstan-ignore-file\b",
    "swiftlint": r"swiftlint:disable[ \t]+all\b",
    "checkstyle": r"CHECKSTYLE:[ \t]*OFF\b",
    "yamllint": r"yamllint[ \t]+(?:disable-file\b|disable[ \t]*$)",
    "tflint": r"tflint-ignore-file\b",
    "semgrep": r"nosem(?:grep)?[ \t]*(?:\*/|$)",
    "Sonar": r"NOSONAR\b",
    "credo": r"credo:disable-for-this-file(?=[ \t]*$)",
    "ansible-lint": r"ansible-lint[ \t]+disable(?=[ \t]*$)",
}
_ATTRIBUTES = {
    "clippy": r"[ \t]*#!\[(?:allow|expect)\([^)]*\b(?:warnings|clippy::all|unused)\b",
    "the compiler": r"[ \t]*(?:\[[\w:. ]*)?@(?:file:)?Suppress(?:Warnings)?\((?:value[ \t]*=[ \t]*)?\{?[ \t]*\"all\"",
}
_MARKS = (
    b"noqa", b"ruff", b"mypy", b"pyright", b"pytype", b"pyre", b"pylint", b"disable", b"ignore", b"nocheck", b"nolint",
    b"nosem", b"NOSONAR", b"CHECKSTYLE", b"allow(", b"expect(", b"Suppress", b"codingStandards",
)  # fmt: skip
_ANY = lazy(
    "|".join(
        [
            *(f"{_OPENS}(?P<w{at}>{way})" for at, way in enumerate(_WAYS.values())),
            *(f"^(?P<a{at}>{way})" for at, way in enumerate(_ATTRIBUTES.values())),
        ]
    ),
    re.MULTILINE,
)
_TYPED = lazy(r"(?:\s*(?:#[^\n]*)?\n)*?[ \t]*#[ \t]*type:[ \t]*ignore\b[^\n]*\n")


def may_hold(data: bytes) -> bool:
    """Whether there is anything to look for; quick, for whole files."""
    return any(mark in data for mark in _MARKS)


def switch_offs(path: str, text: str) -> Iterator[ToolFinding]:
    """Such comments of one file of code; what a change brings of them is told."""
    if language_in(path, text).kind not in ("code", "data"):
        return
    for found in _ANY.finditer(text):
        group = found.lastgroup or ""
        ways = [*(_WAYS if group.startswith("w") else _ATTRIBUTES)]
        yield _told(ways[int(group[1:])], path, text, found.start(group))
    typed = _TYPED.match(text) if path.endswith((".py", ".pyi")) else None
    if typed:
        yield _told("mypy", path, text, typed.end() - 1)


def _told(judge: str, path: str, text: str, at: int) -> ToolFinding:
    message = f"this comment switches a judge off ({judge}), for the whole file or for all that it looks for"
    return ToolFinding(message, CODE, "WARNING", path, text.count("\n", 0, at) + 1)
