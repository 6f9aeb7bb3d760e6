"""HTTP/1.1 connections that are cheap by the hundred and gone the moment their call is cancelled.

General clients spend milliseconds of processor time on each of many simultaneous requests, in
pools that look at every connection for each one. A judge's request is one POST to one host, so a
stack of idle connections per place is enough. Retries, limits and meaning are left to others.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from types import TracebackType
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

CONNECT_SECONDS = 10.0
_HEAD_BYTES = 64 * 1024  # more than this before the first blank line is no HTTP
_CHUNK_BYTES = 64 * 1024
_IDLE_KEPT = 256
_OURS = frozenset({"content-length", "accept-encoding", "connection", "transfer-encoding"})

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class WireError(Exception):
    """The connection failed, or what came over it is not HTTP."""


class Place(NamedTuple):
    """Where a connection leads."""

    host: str
    port: int
    tls: bool


class Response:
    """A response whose head has arrived. Use it in a ``with``: leaving that frees the connection."""

    def __init__(
        self, status: int, headers: dict[str, str], streams: Streams, keep: Callable[[], None]
    ) -> None:
        self.status = status
        self.headers = headers
        self._reader, self._writer = streams
        self._keep = keep
        self._whole = False
        self._closed = False

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it arrives, to be read once."""
        try:
            async for chunk in _body(self._reader, self.headers):
                yield chunk
        except (OSError, EOFError, ValueError) as error:
            raise WireError(f"the reply was cut off: {describe(error)}") from error
        self._whole = True

    def __enter__(self) -> Response:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Keep the connection when the body was read to its end, else end it at once."""
        if self._closed:
            return
        self._closed = True
        if self._whole and _may_be_kept(self.headers):
            self._keep()
        else:
            self._writer.transport.abort()


class Connections:
    """Idle connections by place; belongs to one event loop."""

    def __init__(self) -> None:
        self._idle: dict[Place, list[Streams]] = {}
        self._tls: ssl.SSLContext | None = None

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Send a request and wait for the head of its response.

        A kept connection that the server has closed meanwhile is replaced: it had taken nothing.
        """
        place, request = _request(url, headers, body)
        while True:
            kept = self._take_idle(place)
            streams = kept or await self._connect(place)
            try:
                return await self._exchange(place, streams, request)
            except (OSError, EOFError) as error:
                if not kept:
                    raise WireError(describe(error)) from error

    def close(self) -> None:
        """End every idle connection."""
        for _, writer in [each for idle in self._idle.values() for each in idle]:
            writer.transport.abort()
        self._idle.clear()

    async def _exchange(self, place: Place, streams: Streams, request: bytes) -> Response:
        reader, writer = streams
        try:
            writer.write(request)
            status, headers = await read_head(reader)
        except BaseException:  # also when cancelled: a half-done exchange leaves nothing to reuse
            writer.transport.abort()
            raise
        return Response(status, headers, streams, lambda: self._put_back(place, streams))

    def _put_back(self, place: Place, streams: Streams) -> None:
        idle = self._idle.setdefault(place, [])
        if len(idle) < _IDLE_KEPT:
            idle.append(streams)
        else:
            streams[1].transport.abort()

    def _take_idle(self, place: Place) -> Streams | None:
        idle = self._idle.get(place, [])
        while idle:
            reader, writer = idle.pop()
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.transport.abort()
        return None

    async def _connect(self, place: Place) -> Streams:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await self._open(place)
        except TimeoutError as error:
            raise WireError(f"no connection within {CONNECT_SECONDS:g} s") from error
        except (OSError, EOFError) as error:
            raise WireError(describe(error)) from error

    async def _open(self, place: Place) -> Streams:
        if not place.tls:
            return await asyncio.open_connection(place.host, place.port, limit=_HEAD_BYTES)
        self._tls = self._tls or ssl.create_default_context()
        proxy = proxy_for(place.host)
        if not proxy:
            return await asyncio.open_connection(*place[:2], ssl=self._tls, limit=_HEAD_BYTES)
        reader, writer = await asyncio.open_connection(*proxy.address, limit=_HEAD_BYTES)
        try:
            writer.write(proxy.connect_request(place.host, place.port))
            if (await read_head(reader))[0] != 200:
                raise WireError("the proxy does not let the request through")
            await writer.start_tls(self._tls, server_hostname=place.host)
        except BaseException:  # also when cancelled: nobody else knows of this connection
            writer.transport.abort()
            raise
        return reader, writer


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    """The status and headers of a response, names in small letters."""
    while True:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.LimitOverrunError as error:
            raise WireError("the server's answer is not HTTP") from error
        first, *lines = head[:-4].split("\r\n")
        words = first.split(None, 2)
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
            raise WireError("the server's answer is not HTTP")
        if int(words[1]) >= 200:  # 1xx responses are skipped
            named = (line.partition(":") for line in lines)
            return int(words[1]), {name.strip().lower(): value.strip() for name, _, value in named}


def describe(error: BaseException) -> str:
    """An error of the connection in words."""
    if isinstance(error, asyncio.IncompleteReadError):
        return "the server closed the connection"
    return str(error) or type(error).__name__


def _request(url: str, headers: Mapping[str, str], body: bytes) -> tuple[Place, bytes]:
    parts = urlsplit(url)
    tls = parts.scheme == "https"
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    fields = {name.lower(): value for name, value in headers.items()}
    fields = {name: value for name, value in fields.items() if name not in _OURS}
    # A compressed stream could hold its first words back.
    fields |= {
        "host": parts.netloc,
        "accept-encoding": "identity",
        "content-length": f"{len(body)}",
    }
    lines = (f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()))
    if any("\r" in line or "\n" in line for line in lines):
        raise WireError("a header of the request holds a line break")
    place = Place(parts.hostname or "", parts.port or (443 if tls else 80), tls)
    return place, "\r\n".join((*lines, "", "")).encode("latin-1", "replace") + body


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> AsyncIterator[bytes]:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            async for chunk in _exactly(reader, size):
                yield chunk
            await reader.readexactly(2)
        while (await reader.readuntil(b"\r\n")) != b"\r\n":
            pass  # trailers tell nothing that is used
    elif "content-length" in headers:
        async for chunk in _exactly(reader, int(headers["content-length"])):
            yield chunk
    else:
        while chunk := await reader.read(_CHUNK_BYTES):
            yield chunk


async def _exactly(reader: asyncio.StreamReader, size: int) -> AsyncIterator[bytes]:
    while size > 0:
        chunk = await reader.read(min(size, _CHUNK_BYTES))
        if not chunk:
            raise EOFError("the server closed the connection")
        size -= len(chunk)
        yield chunk


def _may_be_kept(headers: Mapping[str, str]) -> bool:
    bounded = "content-length" in headers or "transfer-encoding" in headers
    return bounded and headers.get("connection", "").lower() != "close"


class Proxy(NamedTuple):
    """A proxy that tunnels by ``CONNECT``."""

    address: tuple[str, int]
    authorization: str

    def connect_request(self, host: str, port: int) -> bytes:
        """What asks it for a tunnel."""
        lines = [f"CONNECT {host}:{port} HTTP/1.1", f"host: {host}:{port}"]
        if self.authorization:
            lines.append(f"proxy-authorization: Basic {self.authorization}")
        return "\r\n".join((*lines, "", "")).encode("latin-1")


def proxy_for(host: str) -> Proxy | None:
    """The proxy for TLS to a host, from ``HTTPS_PROXY`` and ``NO_PROXY``; None for none."""
    from urllib.request import getproxies, proxy_bypass  # slow to import, and only TLS needs it

    url = getproxies().get("https", "")
    if not url or proxy_bypass(host):
        return None
    parts = urlsplit(url if "//" in url else f"//{url}")
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    known = base64.b64encode(pair.encode()).decode() if parts.username else ""
    return Proxy((parts.hostname or "", parts.port or 8080), known)
