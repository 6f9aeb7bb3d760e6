"""What a client at work says, as people follow it: words and commands out of its stream of events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from guildmoot.guard.secrets import mask
from guildmoot.text.clean import clean

_KEPT = 200_000
"""Bytes of a stream that are shown."""
_LONGEST = 400
"""Characters of one thing that it says."""
_NOT_SAID = frozenset(("system", "stream_event", "user", "result"))
"""Events that tell of its own state, in pieces of what comes whole, of what its tools answered, or once more."""
_WORDS = ("text", "content", "tool_name", "name", "command", "file_path", "path", "pattern")
"""Where events keep what was said and what is done, in the order in which it is told."""
_DEEPEST = 8


class LiveLog:
    """Appends what a client says to a file, masked, up to a size; nothing follows from it."""

    def __init__(self, place: str) -> None:
        self._place = Path(place) if place else None
        self._line, self._written, self._last = b"", 0, ""

    def hear(self, data: bytes) -> None:
        """It wrote something; whole lines are shown."""
        if self._place is None or self._written >= _KEPT:
            return
        *lines, self._line = (self._line + data).split(b"\n")
        self._line = self._line[-_KEPT:]
        told = [said for line in lines if (said := said_in(line))]
        fresh = [said for at, said in enumerate(told) if said != ([self._last, *told])[at]]
        self._last = told[-1] if told else self._last
        if fresh:
            text = mask(clean("\n".join(fresh)), "output")[0] + "\n"
            self._written += len(text)
            with suppress(OSError), self._place.open("a", encoding="utf-8") as stream:
                stream.write(text)


def said_in(line: bytes) -> str:
    """What a line of a client's output tells people; a line that is no event is told as it is. Pure."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return line.decode("utf-8", "replace").strip()[:_LONGEST]
    if not isinstance(event, dict) or event.get("type") in _NOT_SAID or event.get("role") == "user":
        return ""
    return "\n".join(said[:_LONGEST] for said in _words(event, _DEEPEST) if said.strip())


def _words(value: object, deeper: int) -> Iterator[str]:
    """The strings that say something, those of one tool in one row."""
    if isinstance(value, list):
        for each in value:
            yield from _words(each, deeper - 1)
    elif isinstance(value, dict) and deeper > 0:
        found = [each.strip() for name in _WORDS if isinstance(each := value.get(name), str)]
        inner = [said for each in value.values() for said in _words(each, deeper - 1)]
        row = " ".join(filter(None, found))
        if "name" in value or "tool_name" in value:  # a tool, and what it is given
            yield " ".join((row, *inner))
        else:
            yield row
            yield from inner
