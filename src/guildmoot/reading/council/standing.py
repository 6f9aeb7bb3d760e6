"""How an issue stands in the council's own count, and whether a sentence says otherwise.

Severity, who raises it and whether it blocks were computed: a chair's sentence may repeat them and not change them.
Nor may it call settled or harmless what no judge called so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from guildmoot.text.opposed.denial import denies

_RANKS = ("minor", "significant", "critical")
_MILD = re.compile(
    r"\b(?:minor|trivial|cosmetic|negligible|nitpick|optional|unimportant|(?:can|may|could) wait"
    r"|low[- ](?:risk|severity|priority)|nice[- ]to[- ]have|not (?:urgent|serious|grave|important|critical))\b",
    re.IGNORECASE,
)
_GRAVEST = re.compile(
    r"\b(?:gravest|worst|most (?:serious|severe|important|critical|pressing)|biggest)\b",
    re.IGNORECASE,
)
_GRAVE = re.compile(r"\b(?:critical|severe|grave)\b", re.IGNORECASE)
_BLOCKS = re.compile(r"\b(?:block(?:s|er|ers|ing)?|holds? (?:\w+ )?up)\b", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:not|nothing|no|never|without|cannot|hardly|anything)\b|n't\b", re.IGNORECASE
)
_NUMBERS = {"one": 1, "single": 1, "two": 2, "both": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_RAISED = re.compile(
    r"\b(?P<all>all(?: of)?(?: the)?\s+)?(?P<many>one|a single|two|both|three|four|five|six|\d{1,2}|every|all|no)"
    r"(?P<of>\s+of\s+(?:the\s+)?(?P<able>\w+))?\s+judges?\b",
    re.IGNORECASE,
)
_ALONE = re.compile(r"\bonly (?:judge )?[a-z]+-\d+\b|\b[a-z]+-\d+ alone\b", re.IGNORECASE)
_FIRST = re.compile(r"\bfirst\b", re.IGNORECASE)
_DIFFER = re.compile(
    r"\bjudges?\b.{0,30}?\b(?:differ|disagree|are (?:split|divided)|are not sure)\b", re.IGNORECASE
)
_SETTLED = re.compile(
    r"\b(?:was|were|(?:has|have) (?:since |already )?been|(?:is|are) (?:already|now))\s+(?:already |since )?"
    r"(?:fixed|resolved|mended|addressed|repaired|solved|done|closed)\b|\bin the meantime\b|\bno longer\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:harmless|(?:is|are|be) safe|safe to|safely|false (?:alarm|positive)|no need|nobody needs|needs? not be"
    r"|not (?:needed|exploitable|reachable|a (?:problem|risk|bug|concern))|only in (?:the )?(?:test|example)s?"
    r"|acceptable|tolerable|nothing to worry|left as (?:it is|they are))\b",
    re.IGNORECASE,
)
_BEFORE = 24
"""Characters before a word in which a denial of it stands."""


class IssueStanding(NamedTuple):
    """What was counted of one issue."""

    severity: str
    blocks: bool
    raised: int
    """Judges who raise it."""
    able: int
    """Judges who could have."""
    by: Mapping[str, str] = {}
    """Those who raise it, and how grave each calls it."""


def denial(sentence: str, words: str, named: Sequence[IssueStanding], gravest: str) -> str:
    """What the sentence says against the count, or excuses in words that no issue has; empty where nothing.

    ``words`` are those of the issues it names, ``gravest`` the highest severity of all issues.
    """
    if any(denies(sentence, line) for line in words.splitlines()):
        return "denies what the issue says"
    ranks = {each.severity for each in named}
    serious = all(each.blocks or each.severity in _RANKS[1:] for each in named)
    if serious and _plain(_MILD, sentence):
        return "makes less of an issue than the judges do"
    if _plain(_GRAVEST, sentence) and gravest not in ranks:
        return "calls the gravest what is not"
    if gravest not in ranks and _FIRST.search(sentence) and not _FIRST.search(words):
        return "puts first what is not the gravest"
    if _plain(_GRAVE, sentence) and ranks == {"minor"}:
        return "makes more of an issue than the judges do"
    blocks = _BLOCKS.search(sentence)
    if blocks and (any(each.blocks for each in named) == _is_denied(sentence, blocks)):
        return "says the contrary of what was counted: whether it blocks"
    for excuse in (_SETTLED, _HARMLESS):
        found = excuse.search(sentence)
        if (
            found
            and not _is_denied(sentence, found)
            and found[0].casefold() not in words.casefold()
        ):
            return f"says {found[0]!r}, which no judge said"
    if len(_RAISED.findall(sentence)) > 1 and len(named) > 1:
        return ""  # a count for each
    return next(filter(None, (_miscounted(sentence, each) for each in named)), "")


def _plain(form: re.Pattern[str], sentence: str) -> bool:
    """Whether the sentence says so, and does not deny it."""
    found = form.search(sentence)
    return found is not None and not _is_denied(sentence, found)


def _is_denied(sentence: str, found: re.Match[str]) -> bool:
    near = re.split(r"[,;:]", sentence[max(0, found.start() - _BEFORE) : found.start()])[-1]
    return _NOT.search(f"{near} {found[0].partition(' ')[2]} {_next(sentence, found)}") is not None


def _next(sentence: str, found: re.Match[str]) -> str:
    """The word that follows: "blocks nothing"."""
    return sentence[found.end() :].split(maxsplit=1)[0] if sentence[found.end() :].strip() else ""


def _miscounted(sentence: str, issue: IssueStanding) -> str:
    counted = _RAISED.search(sentence)
    if counted and counted["many"]:
        word = counted["many"].casefold().removeprefix("a ")
        number = _NUMBERS.get(word, int(word) if word.isdigit() else issue.able)
        number = 0 if word == "no" else number
        if number != issue.raised:
            return f"counts other judges than the {issue.raised} of {issue.able} who raise it"
    if issue.raised > 1 and _ALONE.search(sentence):
        return f"names one judge, and {issue.raised} of {issue.able} raise it"
    differ = _DIFFER.search(sentence)
    if differ and issue.raised == issue.able and not _NOT.search(differ[0]):
        return "tells of judges who differ, and all raise it"
    return ""
