"""The remedies of an issue, the most concrete first: code before words, and of words those that say most."""

from __future__ import annotations

import re

from guildmoot.model.verdict import Finding, Issue
from guildmoot.text.clean import one_line

_CODE = re.compile(r"`[^`]+`|\w\(|\w\[|=|->|;\s*$|^\s*[+-]{1,3}\s?\S", re.MULTILINE)


def remedies(issue: Issue | None, finding: Finding) -> tuple[tuple[str, str], ...]:
    """Who says how to mend it, and in which words; each wording once."""
    said: dict[str, tuple[str, str]] = {}
    for each in (finding, *(issue.members if issue else ())):
        if each.fix.strip():
            said.setdefault(_plain(each.fix), (each.seat, each.fix))
    return tuple(sorted(said.values(), key=lambda row: _vagueness(row[1])))


def remedy(issue: Issue | None, finding: Finding) -> str:
    """The most concrete remedy; empty without any."""
    return next((fix for _, fix in remedies(issue, finding)), "")


def _vagueness(fix: str) -> tuple[bool, int]:
    return not _CODE.search(fix), -len(fix)


def _plain(fix: str) -> str:
    return one_line(fix).casefold().rstrip(".! ")
