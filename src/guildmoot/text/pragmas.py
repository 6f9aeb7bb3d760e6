"""Comments that ask a judge to look away: our own, those of ruff, bandit, hadolint, semgrep, scanners of secrets.

Our own is ``guild: ignore[CODE] reason`` in the comment of any language. Which findings a comment concerns
is told here, from the text of its line alone; whether it counts is for ``grounding.inline``.
"""

from __future__ import annotations

import re
from typing import Literal

from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

PragmaKind = Literal["guild", "noqa", "nosec", "secret", "hadolint", "semgrep"]

_COMMENT = lazy(r"""(?:\#|//|/\*|--|<!--|\(\*|\{-|;|%|\*|'|"|\bREM\b|\bdnl\b)""", re.IGNORECASE)
_GUILD = lazy(
    r"\bguild:[ \t]*ignore\b(?P<codes>\[[^\]]{0,500}\])?(?P<reason>[^\n]*)", re.IGNORECASE
)
_NOQA = lazy(
    r"#[ \t]*(?P<file>(?:ruff|flake8)[ \t]*:[ \t]*)?noqa\b"
    r"(?P<codes>[ \t]*:[ \t]*[A-Z]+[0-9]+(?:[ \t]*[,\s][ \t]*[A-Z]+[0-9]+)*)?",
    re.IGNORECASE,
)
_NOSEC = lazy(r"#[ \t]*nosec\b(?P<codes>[ \t]*:?[ \t]*B[0-9]{3}(?:[ \t]*,?[ \t]*B[0-9]{3})*)?")
_ALLOWED = lazy(
    r"\bpragma:[ \t]?(?:allow|white)list(?P<next>[ -]next-?line)?[ -]secret\b|\bgitleaks:allow\b",
    re.IGNORECASE,
)
_HADOLINT = lazy(
    r"#[ \t]*hadolint[ \t]+(?P<global>global[ \t]+)?ignore=(?P<codes>[A-Z]+[0-9]+(?:[ \t]*,[ \t]*[A-Z]+[0-9]+)*)"
)
_NOSEM = lazy(
    r"(?:#|//|/\*|<!--)[ \t]*nosem(?:grep)?\b(?:[ \t]*:[ \t]*(?P<codes>[\w.-]+(?:[ \t]*,[ \t]*[\w.-]+)*))?"
)
_RULE = lazy(r"[\w.-]+")
_CODE = lazy(r"[A-Za-z]+[0-9]+")
_OPENER = lazy(r"(?:#|//|/\*|--|<!--|\(\*|\{-|;|%)$")
_CLOSERS = lazy(r"(?:\*/|-->|#\}|\*\)|-\})\s*$")
_MARKS = ("guild:", "noqa", "nosec", "gitleaks:", "list ", "list-", "hadolint", "nosem")
_SECRETS = frozenset(
    ("secret", "likely-secret", "possible-secret", "secret-beside", "S105", "S106", "S107")
)
_OF_RUFF = {"sql-by-string": "S608"}
"""Rules of ours that look for what one of ruff's does: who waived that has waived this."""
_BANDIT_SECRETS = frozenset(("B105", "B106", "B107"))


class Pragma(NamedTuple):
    """One such comment."""

    kind: PragmaKind
    codes: tuple[str, ...]
    """The rules it names; empty for all of its tool's."""
    reason: str
    text: str
    """As it stands there."""
    file: bool = False
    """It is meant for the whole file."""
    next_line: bool = False
    """It is meant for the line after it alone."""

    @property
    def problem(self) -> str:
        """Why it cannot count, whoever wrote it."""
        if self.kind != "guild":
            return ""
        if not self.codes:
            return "it names no code: guild: ignore[CODE] reason"
        return "" if re.search(r"[^\W\d_]{2}", self.reason) else "it gives no reason"

    def concerns(self, code: str, family: str) -> bool:
        """Whether it is about a finding with this code of this family of judges."""
        if self.kind == "guild":
            return code.casefold() in {each.casefold() for each in self.codes} or not self.codes
        if self.kind == "secret":
            return code in _SECRETS
        if self.kind in ("hadolint", "semgrep"):
            return family == self.kind and (not self.codes or code in self.codes)
        code = _OF_RUFF.get(code, code)
        if self.kind == "noqa":
            return code in self.codes if self.codes else family == "ruff" and code != "PGH004"
        if code in _SECRETS:
            return not self.codes or not _BANDIT_SECRETS.isdisjoint(self.codes)
        bandit = f"B{code[1:]}" if re.fullmatch(r"S\d{3}", code) else code
        return bandit in self.codes if self.codes else bandit != code or family == "bandit"


def may_hold(text: str) -> bool:
    """Whether there is anything to look for; quick, for whole files."""
    low = text.lower()
    return any(mark in low for mark in _MARKS)


def is_comment(line: str) -> bool:
    """Whether the line begins as a comment does."""
    return _COMMENT.match(line.lstrip()) is not None


def pragmas(line: str) -> tuple[Pragma, ...]:
    """The comments on one line."""
    line = line[:10_000]
    if not may_hold(line):
        return ()
    ours = _GUILD.search(line)
    found = [_guild(ours)] if ours and _COMMENT.search(line, 0, ours.start()) else []
    for match in _NOQA.finditer(line):
        codes = tuple(_CODE.findall((match["codes"] or "").upper()))
        found.append(Pragma("noqa", codes, "", match[0].strip(), file=bool(match["file"])))
    for match in _NOSEC.finditer(line):
        codes = tuple(_CODE.findall(match["codes"] or ""))
        found.append(Pragma("nosec", codes, "", match[0].strip()))
    for match in _HADOLINT.finditer(line):
        named, whole = tuple(_CODE.findall(match["codes"])), bool(match["global"])
        found.append(Pragma("hadolint", named, "", match[0], file=whole, next_line=not whole))
    for match in _NOSEM.finditer(line):
        named = tuple(_RULE.findall(match["codes"] or ""))
        found.append(Pragma("semgrep", named, "", match[0].strip()))
    found += [
        Pragma("secret", (), "", match[0], next_line=bool(match["next"]))
        for match in _ALLOWED.finditer(line)
    ]
    return tuple(found)


def without_pragmas(line: str) -> str:
    """The line as it was before somebody asked to look away."""
    if not may_hold(line):
        return line
    bare = line[:10_000]
    for pattern in (_GUILD, _NOQA, _NOSEC, _HADOLINT, _NOSEM, _ALLOWED):
        bare = pattern.sub("", bare)
    return _OPENER.sub("", bare.rstrip()).rstrip() + line[10_000:]


def _guild(match: re.Match[str]) -> Pragma:
    named = (match["codes"] or "").strip("[]").split(",")
    codes = tuple(code.strip() for code in named if code.strip())
    reason = _CLOSERS.sub("", match["reason"]).strip(" \t:-—–")
    return Pragma("guild", codes, reason, _CLOSERS.sub("", match[0]).strip())
