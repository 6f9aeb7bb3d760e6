"""Finds comments that switch a judge off for a whole file, or for all that it looks for."""

from __future__ import annotations

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
    "noqa", "ruff", "mypy", "pyright", "pytype", "pyre", "pylint", "disable", "ignore", "nocheck", "nolint",
    "nosem", "NOSONAR", "CHECKSTYLE", "allow(", "expect(", "Suppress", "codingStandards",
)  # fmt: skip
_MARKS_IN_BYTES = tuple(mark.encode() for mark in _MARKS)
_WAY = lazy("|".join(f"{_OPENS}(?P<w{at}>{way})" for at, way in enumerate(_WAYS.values())))
_ATTRIBUTE = lazy("|".join(f"(?P<a{at}>{way})" for at, way in enumerate(_ATTRIBUTES.values())))
_TYPED = lazy(r"(?:\s*(?:#[^\n]*)?\n)*?[ \t]*#[ \t]*type:[ \t]*ignore\b[^\n]*\n")


def may_hold(data: bytes) -> bool:
    """Whether there is anything to look for; quick, for whole files."""
    return any(mark in data for mark in _MARKS_IN_BYTES)


def switch_offs(path: str, text: str) -> Iterator[ToolFinding]:
    """Such comments of one file of code; what a change brings of them is told."""
    if language_in(path, text).kind not in ("code", "data"):
        return
    for start, end in _marked_lines(text):
        comments = _WAY.finditer(text, start, end)
        attribute = _ATTRIBUTE.match(text, start)
        for found in (*comments, *([attribute] if attribute else ())):
            group = found.lastgroup or ""
            judges = [*(_WAYS if group.startswith("w") else _ATTRIBUTES)]
            yield _told(judges[int(group[1:])], path, text, found.start(group))
    typed = _TYPED.match(text) if path.endswith((".py", ".pyi")) else None
    if typed:
        yield _told("mypy", path, text, typed.end() - 1)


def _marked_lines(text: str) -> Iterator[tuple[int, int]]:
    """From where to where the lines stand that hold a word of these comments: patterns are tried on them alone."""
    starts = set()
    for mark in _MARKS:
        at = text.find(mark)
        while at >= 0:
            starts.add(text.rfind("\n", 0, at) + 1)
            at = text.find(mark, at + 1)
    for start in sorted(starts):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end - text.endswith("\r", start, end)


def _told(judge: str, path: str, text: str, at: int) -> ToolFinding:
    message = f"this comment switches a judge off ({judge}), for the whole file or for all that it looks for"
    return ToolFinding(message, CODE, "WARNING", path, text.count("\n", 0, at) + 1)
