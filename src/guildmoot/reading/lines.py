"""Reads tools that print one result a line, by the agent's regular expression with named groups."""

from __future__ import annotations

import re

from guildmoot.reading.claims import Claim, Claims

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def plain(text: str) -> str:
    """``text`` without terminal colours and links."""
    return _ANSI.sub("", text)


def read_lines(text: str, pattern: str) -> Claims:
    """One claim for each line that the pattern is found in; other lines are chatter."""
    try:
        wanted = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as wrong:
        return Claims(problem=f"the agent's pattern is no regular expression: {wrong}")
    if not pattern:
        return Claims(problem="the agent has no pattern to read lines with")
    found = (wanted.search(line) for line in plain(text).replace("\r\n", "\n").split("\n"))
    return Claims(tuple(_claim(match) for match in found if match))


def _claim(match: re.Match[str]) -> Claim:
    groups = {name: (value or "").strip() for name, value in match.groupdict().items()}
    start = _number(groups.get("line", ""))
    return Claim(
        title=groups.get("message") or match[0].strip(),
        path=groups.get("path", ""),
        line=start,
        end_line=_number(groups.get("end_line", "")) or start,
        code=groups.get("code", ""),
        level=groups.get("severity", ""),
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
