"""Server-sent events, each a JSON object, out of bytes that come in any pieces."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from guildmoot.backends.http.wire import AskFailed

MOST_BYTES = 32 * 1024 * 1024
"""A reply that goes on beyond this is no reply."""


async def events(chunks: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    """Every event as it is complete; a body that is one JSON value is one event."""
    reader = EventReader()
    async for chunk in chunks:
        for event in reader.feed(chunk):
            yield event
    for event in reader.finish():
        yield event


class EventReader:
    """Takes bytes, gives events."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._bare: list[bytes] = []
        self._seen = 0

    def feed(self, chunk: bytes) -> list[dict[str, Any]]:
        """The events that these bytes complete."""
        self._seen += len(chunk)
        if self._seen > MOST_BYTES:
            raise AskFailed("the reply is endless, so it was cut off", again=False)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [event for line in lines for event in self._line(line.rstrip(b"\r"))]

    def finish(self) -> list[dict[str, Any]]:
        """What is left when the body has ended."""
        found = [*self._line(self._rest.rstrip(b"\r")), *self._line(b"")]
        bare = b"\n".join(self._bare).strip()
        if not found and bare and not self._data:
            found = _parsed(bare)
        return found

    def _line(self, line: bytes) -> list[dict[str, Any]]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].lstrip(b" "))
        elif not line:
            data, self._data = b"\n".join(self._data), []
            return _parsed(data) if data and data != b"[DONE]" else []
        elif not line.startswith((b"event:", b"id:", b"retry:", b":")):
            self._bare.append(line)
        return []


def _parsed(data: bytes) -> list[dict[str, Any]]:
    try:
        event = json.loads(data)
    except ValueError as error:
        shown = data[:80].decode("utf-8", "backslashreplace")
        raise AskFailed(f"the reply is not what was expected: {shown!r}", again=True) from error
    return [event] if isinstance(event, dict) else []
