"""The wire that speaks the protocols itself: a fraction of a millisecond a call, nothing to import.

Replies arrive as server-sent events, each a JSON object.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from guildmoot.backends.http.connections import Connections, Response, WireError
from guildmoot.backends.http.dialects import DIALECTS
from guildmoot.backends.http.dialects.base import Dialect, asked_only, ending_of, with_parts
from guildmoot.backends.http.failures import from_event, from_status
from guildmoot.backends.http.wire import Completion, CompletionError, CompletionRequest, OnText
from guildmoot.backends.providers import PROVIDERS
from guildmoot.model.call import FileLook

MOST_BYTES = 32 * 1024 * 1024
"""A reply that goes on beyond this is no reply."""
_ERROR_BYTES = 64 * 1024
_COMMON = {"content-type": "application/json", "accept": "text/event-stream, application/json",
           "user-agent": "guildmoot"}  # fmt: skip


class DirectWire:
    """Asks the providers of the table over connections of its own."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def ask(self, request: CompletionRequest, on_text: OnText) -> Completion:
        dialect = DIALECTS[PROVIDERS[request.provider].dialect]
        try:
            response = await self._connections.post(
                request.base_url + dialect.path(request),
                {**_COMMON, **dialect.headers(request)},
                _encoded(dialect.body(request)),
            )
            with response:
                if response.status != 200:
                    body = await _beginning(response)
                    raise from_status(response.status, response.headers, body)
                return await _answer(dialect, response, on_text)
        except WireError as error:
            raise CompletionError(str(error), again=True) from error


async def _answer(dialect: Dialect, response: Response, on_text: OnText) -> Completion:
    said: list[str] = []
    counts: dict[str, Any] = {}
    stops: list[object] = []
    model = refused = ""
    ended = False
    looks: dict[object, FileLook] = {}
    async for event in _events(response.chunks()):
        piece = dialect.read(event)
        if piece.error is not None:
            raise from_event(piece.error)
        on_text(piece.text)
        said.append(piece.text)
        counts.update(piece.usage)
        model, refused = piece.model or model, piece.refused or refused
        stops.append(piece.stop)
        looks = with_parts(looks, piece.looks)
        ended = ended or piece.end
    if not ended:
        raise CompletionError("the reply stopped before its end", again=True)
    ending = ending_of(stops)
    usage = dialect.usage(counts)
    return Completion(
        "".join(said), usage, model, refused, ending, asked_only(looks.values(), stops)
    )


async def _beginning(response: Response) -> bytes:
    body = b""
    async for chunk in response.chunks():
        body += chunk
        if len(body) > _ERROR_BYTES:
            break
    return body


def _encoded(body: dict[str, Any]) -> bytes:
    """JSON in UTF-8; half a character, which UTF-8 cannot carry, becomes a question mark."""
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


async def _events(chunks: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
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
            raise CompletionError("the reply is endless, so it was cut off", again=False)
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
        raise CompletionError(
            f"the reply is not what was expected: {shown!r}", again=True
        ) from error
    return [event] if isinstance(event, dict) else []
