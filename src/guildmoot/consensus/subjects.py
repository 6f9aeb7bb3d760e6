"""What a tool's finding is about: two of them are one issue exactly where this is equal; and which nobody raised.

It is a key and no likeness, so whether two findings merge depends on these two alone.
"""

from __future__ import annotations

import re

from guildmoot.model.verdict import Finding
from guildmoot.text.patterns import lazy
from guildmoot.text.similar.likeness import plain_path

OF_READERS = frozenset(("parse-failure", "flagged-without-reasons"))
"""Codes of findings that a reader made of a reply: no judge said their words, so they support nobody's."""
Subject = tuple[str, int, str, str]
"""File, line, what kind of thing, and which one of them."""

_SECRET, _SYNTAX, _SQL, _UNDEFINED = "secret", "syntax", "SQL", "undefined name"
_KINDS = {
    _UNDEFINED: (
        *("F821", "E0602", "no-undef", "name-defined"),
        *("undefined-name", "unbound-name", "name-gone"),
    ),
    "unused import": ("F401", "W0611", "unused-import"),
    "unused variable": ("F841", "W0612", "no-unused-vars", "unused-variable", "unused-local"),
    _SYNTAX: (
        *("invalid-syntax", "syntax", "syntax-error", "parse-error", "E999", "E0001"),
        *("does-not-parse", "may-not-parse", "stopped-parsing"),
    ),
    "left open": ("SIM115", "left-open"),
    _SQL: ("S608", "sql-by-string", "sql-from-input"),
    _SECRET: ("secret", "likely-secret", "possible-secret", "S105", "S106", "S107"),
}
"""Rules of different tools that look for the same."""
_KIND_OF = {code: kind for kind, codes in _KINDS.items() for code in codes}
_BANDIT = lazy(r"B([1-7]\d\d)")
"""ruff has bandit's rules under the same numbers; its own ``B`` rules begin with 0 or 9."""
_SECURITY = lazy(r"S\d{3}")
_NAMED = lazy(r"[`'\"“‘]([^`'\"”’\s]+)[`'\"”’]")


def is_fact(finding: Finding) -> bool:
    """Whether a program found it, rather than proved what a judge had claimed."""
    return finding.proven and not finding.assertions


def subject_of(fact: Finding) -> Subject:
    """What makes two findings of tools one issue: the same place, the same rule, the same thing named."""
    code = _BANDIT.sub(r"S\1", fact.code.strip())
    kind = _KIND_OF.get(code, code)
    return plain_path(fact.path), max(fact.line, 0), kind, _thing(fact, kind)


def _thing(fact: Finding, kind: str) -> str:
    """Which one of several on a line: the names it quotes; without a place, its very words."""
    if not fact.path or not fact.line:
        return " ".join(fact.title.split())
    if kind in (_SECRET, _SYNTAX, _SQL) or _SECURITY.fullmatch(kind):
        return ""
    named = _NAMED.findall(fact.title)
    if kind == _UNDEFINED:
        named = named[:1]  # what was meant in its place may be named after it
    return " ".join(sorted(set(named))) or ("" if kind in _KINDS else _words(fact.title))


def _words(title: str) -> str:
    """Numbers and punctuation tell no two of a rule apart."""
    return " ".join(re.findall(r"[^\W\d]+", title.casefold()))
