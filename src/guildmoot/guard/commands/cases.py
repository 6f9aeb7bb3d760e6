"""A table of cases for the guard: what is expected of each command, in a text that people write and read.

    # a comment
    @ class=catastrophic source=claude-code#10077
    deny      rm -rf /
    snapshot  git reset --hard
    deny      bash <<'EOF'
            | rm -rf /
            | EOF
    @ scope=["Bash(npm test*)"]
    deny      npm test; rm -rf dist

A line that begins with ``|`` goes on with the command above. ``@`` sets what holds until the next ``@``.
``caught`` is anything but letting it pass without a snapshot; ``passes`` is letting it pass.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.guard.decision import Decision

EXPECTED = ("allow", "snapshot", "ask", "deny", "caught", "passes")


class GuardCase(NamedTuple):
    """One row."""

    line: int
    expected: str
    command: str
    labels: dict[str, str]

    def holds(self, decision: Decision) -> bool:
        """Whether the decision is the expected one."""
        if self.expected == "caught":
            return decision.action != "allow"
        if self.expected == "passes":
            return passes(decision)
        return decision.action == self.expected


def passes(decision: Decision) -> bool:
    """Whether nobody is held up: allowed, or allowed after a snapshot."""
    return decision.action == "allow" or (
        decision.action == "snapshot" and decision.then == "allow"
    )


def read_cases(text: str, source: str = "the table") -> list[GuardCase]:
    """The rows of a table; UsageError names the line that is wrong."""
    return list(_rows(text, source))


def _rows(text: str, source: str) -> Iterator[GuardCase]:
    labels: dict[str, str] = {}
    row: GuardCase | None = None
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("|") and row:
            row = row._replace(command=f"{row.command}\n{stripped[1:].removeprefix(' ')}")
            continue
        if row:
            yield row
            row = None
        if stripped.startswith("@"):
            labels = _labels(stripped[1:], source, number)
        elif stripped and not stripped.startswith("#"):
            expected, _, command = stripped.partition(" ")
            if expected not in EXPECTED or not command.strip():
                raise UsageError(
                    f"{source}, line {number}: {expected!r} is not what can be expected",
                    f"Write one of {', '.join(EXPECTED)}, then the command.",
                )
            row = GuardCase(number, expected, command.strip(), labels)
    if row:
        yield row


def _labels(text: str, source: str, number: int) -> dict[str, str]:
    try:
        words = shlex.split(text) if "scope=" not in text else text.split(None)
    except ValueError as wrong:
        raise UsageError(f"{source}, line {number}: {wrong}") from wrong
    if "scope=" in text:
        head, _, scope = text.partition("scope=")
        words = [*shlex.split(head), f"scope={scope.strip()}"]
    return dict(word.split("=", 1) for word in words if "=" in word)
