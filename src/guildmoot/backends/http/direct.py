"""The wire that speaks the protocols itself: a fraction of a millisecond a call, nothing to import."""

from __future__ import annotations

import json
from typing import Any

from guildmoot.backends.http.connections import Connections, Response, WireError
from guildmoot.backends.http.dialects import DIALECTS
from guildmoot.backends.http.dialects.base import Dialect
from guildmoot.backends.http.events import events
from guildmoot.backends.http.failures import from_event, from_status
from guildmoot.backends.http.providers import PROVIDERS
from guildmoot.backends.http.wire import Answer, Ask, AskFailed, Hear

_ERROR_BYTES = 64 * 1024
_COMMON = {"content-type": "application/json", "accept": "text/event-stream, application/json",
           "user-agent": "guildmoot"}  # fmt: skip


class DirectWire:
    """Asks the providers of the table over connections of its own."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def ask(self, ask: Ask, hear: Hear) -> Answer:
        dialect = DIALECTS[PROVIDERS[ask.provider].dialect]
        try:
            response = await self._connections.post(
                ask.base_url + dialect.path(ask),
                {**_COMMON, **dialect.headers(ask)},
                _encoded(dialect.body(ask)),
            )
            with response:
                if response.status != 200:
                    body = await _beginning(response)
                    raise from_status(response.status, response.headers, body)
                return await _answer(dialect, response, hear)
        except WireError as error:
            raise AskFailed(str(error), again=True) from error


async def _answer(dialect: Dialect, response: Response, hear: Hear) -> Answer:
    said: list[str] = []
    counts: dict[str, Any] = {}
    model = refused = ""
    cut = ended = False
    async for event in events(response.chunks()):
        piece = dialect.read(event)
        if piece.error is not None:
            raise from_event(piece.error)
        hear(piece.text)
        said.append(piece.text)
        counts.update(piece.usage)
        model, refused = piece.model or model, piece.refused or refused
        cut, ended = cut or piece.cut, ended or piece.end
    if not ended:
        raise AskFailed("the reply stopped before its end", again=True)
    return Answer("".join(said), dialect.usage(counts), model, refused, cut)


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
