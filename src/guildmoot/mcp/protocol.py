"""Messages of the Model Context Protocol, one JSON object a line; both eras of it, as pure functions.

Up to 2025-11-25 a client says ``initialize`` first. Since 2026-07-28 there is no handshake: each
request names its version in ``_meta``, and ``server/discover`` tells what a server offers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from guildmoot.version import __version__

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR, RESOURCE_NOT_FOUND, UNSUPPORTED_VERSION = -32603, -32002, -32022

Params = Mapping[str, Any]
Answer = dict[str, Any]

_META = "io.modelcontextprotocol/"
_CACHED_MS = 60_000
"""How long a client may keep lists: they do not change while a server runs."""
_INSTRUCTIONS = (
    "Guildmoot judges code: `validate` runs real tools on a repository and gives one verdict; mend what"
    " blocking_findings names and call it again. A result with status `running` is fetched with `run`."
)


class Request(NamedTuple):
    """One message of a client; without an id it is a notification and gets no answer."""

    method: str
    params: Params
    id: str | int | None = None
    modern: bool = False

    @property
    def progress_token(self) -> str | int | None:
        """Under which the client wants to hear how the request goes on."""
        token = _meta(self.params).get("progressToken")
        return token if isinstance(token, str | int) else None


class ProtocolError(Exception):
    """A request that cannot be served, as JSON-RPC tells it."""

    def __init__(
        self, code: int, message: str, data: object = None, ident: str | int | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.data, self.ident = code, data, ident


def read_request(line: bytes) -> Request | None:
    """One message; None for an answer of the client's, as this server asks nothing. ProtocolError if it is none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as wrong:
        raise ProtocolError(PARSE_ERROR, "this line is not JSON") from wrong
    if isinstance(message, dict) and "method" not in message and {"result", "error"} & set(message):
        return None
    if not isinstance(message, dict):
        raise ProtocolError(INVALID_REQUEST, "a message is one object with a method")
    ident, params = message.get("id"), message.get("params")
    if not isinstance(ident, str | int | None) or isinstance(ident, bool):
        raise ProtocolError(INVALID_REQUEST, "id is a text or a whole number")
    if not isinstance(message.get("method"), str):
        why = "a message is one object with a method"
        raise ProtocolError(INVALID_REQUEST, why, ident=ident)
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "params is an object", ident=ident)
    return Request(
        message["method"], params, ident, _meta(params).get(_META + "protocolVersion") is not None
    )


def check_version(request: Request) -> None:
    """ProtocolError where a modern request names a version that is not spoken here."""
    asked = _meta(request.params).get(_META + "protocolVersion")
    if request.modern and asked not in MODERN:
        data = {"supported": [*MODERN], "requested": asked}
        raise ProtocolError(UNSUPPORTED_VERSION, f"version {asked} is not spoken here", data)


def initialized(params: Params) -> Answer:
    """The answer to ``initialize``: the client's version if it is known, else the newest of that era."""
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in HANDSHAKE else HANDSHAKE[-1],
        "capabilities": _capabilities(),
        "serverInfo": _server(),
        "instructions": _INSTRUCTIONS,
    }


def discovered() -> Answer:
    """The answer to ``server/discover``."""
    versions = {"supportedVersions": [*MODERN, *HANDSHAKE[::-1]]}
    return {**versions, "capabilities": _capabilities(), "instructions": _INSTRUCTIONS}


def result_of(request: Request, result: Answer, *, cached: bool = False) -> Answer:
    """The message that answers a request; the modern era wants the kind of result and who gives it."""
    if request.modern:
        result = {**result, "resultType": "complete", "_meta": {_META + "serverInfo": _server()}}
        if cached:
            result |= {"ttlMs": _CACHED_MS, "cacheScope": "private"}
    return {"jsonrpc": "2.0", "id": request.id, "result": result}


def error_of(ident: str | int | None, wrong: ProtocolError) -> Answer:
    """The message that refuses a request."""
    error = {"code": wrong.code, "message": str(wrong)}
    return {
        "jsonrpc": "2.0",
        "id": ident,
        "error": error if wrong.data is None else {**error, "data": wrong.data},
    }


def progress_of(token: str | int, done: int, message: str) -> Answer:
    """A notification of how a request goes on."""
    params = {"progressToken": token, "progress": done, "message": message}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def tool_result(value: Mapping[str, Any], *, failed: bool = False) -> Answer:
    """What a tool gave, for programs and as text for models."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    answer: Answer = {"content": [{"type": "text", "text": text}], "isError": failed}
    return answer if failed else {**answer, "structuredContent": dict(value)}


def _meta(params: Params) -> Params:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _capabilities() -> Answer:
    return {"tools": {}, "resources": {}}


def _server() -> Answer:
    return {"name": "guildmoot", "title": "Guildmoot", "version": __version__}
