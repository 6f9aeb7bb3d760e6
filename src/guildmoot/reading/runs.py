"""Reads the ``## CLI runs`` section: the commands that a judge says it ran, and their results."""

from __future__ import annotations

import re

from guildmoot.model.verdict import CliRun
from guildmoot.reading.items import Item

_PASSED = re.compile(
    r"\b(?:pass(?:ed|es)?|ok|success(?:ful(?:ly)?)?|succeeded|green|true|yes|clean"
    r"|exit(?: code| status)?\W{0,3}0)\b|[✅✓✔]",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:fail(?:ed|s|ure|ures)?|error(?:s|ed)?|red|false|no|not|timed? ?out"
    r"|exit(?: code| status)?\W{0,3}[1-9]\d*)\b|[❌✗✘]",
    re.IGNORECASE,
)
_ZERO = re.compile(r"\b(?:0|no|zero) (?:failed|failures?|errors?)\b", re.IGNORECASE)
_SPAN = re.compile(r"`+([^`]+)`+")
_BREAK = re.compile(r"\s*(?:->|→|=>|—|–|:(?=\s)|\s-\s|\()\s*")


def read_run(item: Item, seat: str) -> CliRun | None:
    """The command and its result; one whose result is not said did not pass."""
    text = " ".join((item.text, *item.fields.values())).strip()
    span = _SPAN.search(text)
    if span:
        command, said = span[1], text[: span.start()] + " " + text[span.end() :]
    else:
        command, _, said = _broken(text.removeprefix("$ "))
    if not command.strip():
        return None
    said = _ZERO.sub(" passed ", said)
    passed = bool(_PASSED.search(said)) and not _FAILED.search(said)
    return CliRun(seat, command.strip(" $"), passed)


def _broken(text: str) -> tuple[str, str, str]:
    """At the last break that a result follows."""
    for gap in reversed(list(_BREAK.finditer(text))):
        said = text[gap.end() :]
        if _PASSED.search(said) or _FAILED.search(said):
            return text[: gap.start()], gap[0], said
    return text, "", ""
