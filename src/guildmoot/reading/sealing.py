"""A section that cannot swallow what stands below it: what it leaves open is closed. Pure.

Replies that were cut off end inside a fence, and on a board everything below would be shown as code.
This follows how Markdown is shown; which words of a reply count is for ``layout``.
"""

from __future__ import annotations

import re

_FENCE = re.compile(
    r"(?P<lead>\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?)(?P<run>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)"
)
_HTML = re.compile(r" {0,3}(?:<!--|<(?P<tag>pre|script|style|textarea)\b)", re.IGNORECASE)
_DETAILS = re.compile(r"<(/?)details\b", re.IGNORECASE)
LISTED = 2
"""A fence that is indented so far stands in a list, and ends with it."""


def sealed(text: str) -> str:
    """The text with an end for every fence, comment and lasting tag that has none."""
    fence = html = ""
    folds = 0
    for row in text.split("\n"):
        if html:
            html = "" if html in row.lower() else html
            continue
        if fence and not _is_outside(row, fence):
            fence = "" if _closes(row, fence) else fence
            continue
        fence, html = _opened(row)
        marks = _DETAILS.findall(row) if not fence else []
        folds = max(0, folds + len(marks) - 2 * marks.count("/"))
    ends = [each for each in (fence, html, "</details>\n" * folds) if each]
    return "\n".join([text, *ends]).rstrip("\n") if ends else text


def _opened(row: str) -> tuple[str, str]:
    """What the line leaves open: the fence that would close it, or the end of some HTML."""
    if found := _FENCE.match(row):
        return " " * len(found["lead"]) + found["run"], ""
    if not (started := _HTML.match(row)):
        return "", ""
    end = f"</{started['tag'].lower()}>" if started["tag"] else "-->"
    return "", "" if end in row.lower()[started.end() - 2 :] else end


def _closes(row: str, fence: str) -> bool:
    run = fence.strip()
    return row.strip().startswith(run) and not row.strip().strip(run[0])


def _is_outside(row: str, fence: str) -> bool:
    """Whether the line has left the list in which the fence stands."""
    indent = len(fence) - len(fence.lstrip())
    return indent >= LISTED and bool(row.strip()) and len(row) - len(row.lstrip()) < LISTED
