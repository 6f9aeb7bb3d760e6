"""HTTP/1.1 connections that are cheap by the hundred and gone the moment their call is cancelled.

General clients spend milliseconds of processor time on each of many simultaneous requests, in
pools that look at every connection for each one. A judge's request is one POST to one host, so a
stack of idle connections per host is enough. Retries, limits and meaning are left to others.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

HEAD_BYTES = 64 * 1024
"""More than this before the first blank line is no HTTP."""
CHUNK_BYTES = 64 * 1024
CONNECT_SECONDS = 10.0
IDLE_KEPT = 256

Headers = Sequence[tuple[bytes, bytes]]


class WireError(Exception):
    """The connection failed, or what came over it is not HTTP."""


class Place(NamedTuple):
    """Where a connection leads."""

    host: str
    port: int
    tls: bool


class _Connection:
    """One socket, with what the reply of its last request said about keeping it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.reused = False

    @property
    def open(self) -> bool:
        return not self.reader.at_eof() and not self.writer.is_closing()

    def abort(self) -> None:
        """Close now, without the courtesies that a silent peer could draw out."""
        self.writer.transport.abort()


class Reply:
    """A response whose head has arrived; the body is read once, and then it is closed."""

    def __init__(
        self, status: int, headers: list[tuple[bytes, bytes]], body: AsyncIterator[bytes]
    ) -> None:
        self.status = status
        self.headers = headers
        self.body = body


class Connections:
    """Idle connections by place; belongs to one event loop."""

    def __init__(self) -> None:
        self._idle: dict[Place, list[_Connection]] = {}
        self._tls: ssl.SSLContext | None = None

    async def send(self, method: str, url: str, headers: Headers, body: bytes) -> Reply:
        """Send a request and wait for the head of its response.

        A kept connection that the server has closed meanwhile is replaced once, silently: nothing
        of a reply had arrived.
        """
        place, target = _address(url)
        request = _request_head(method, target, headers, len(body)) + body
        while True:
            connection = await self._take(place)
            try:
                connection.writer.write(request)
                status, replied = await _read_head(connection.reader)
                return Reply(status, replied, self._body(place, connection, replied))
            except (OSError, EOFError) as error:
                connection.abort()
                if not connection.reused:
                    raise WireError(_told(error)) from error
            except BaseException:  # a cancelled or garbled exchange leaves nothing to reuse
                connection.abort()
                raise

    def close(self) -> None:
        """End every idle connection."""
        for connections in self._idle.values():
            for connection in connections:
                connection.abort()
        self._idle.clear()

    async def _take(self, place: Place) -> _Connection:
        idle = self._idle.get(place, [])
        while idle:
            connection = idle.pop()
            if connection.open:
                connection.reused = True
                return connection
            connection.abort()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                streams = await asyncio.open_connection(
                    place.host, place.port, ssl=self._context() if place.tls else None,
                    limit=HEAD_BYTES,
                )  # fmt: skip
        except TimeoutError as error:
            raise WireError(f"no connection within {CONNECT_SECONDS:g} s") from error
        except OSError as error:
            raise WireError(_told(error)) from error
        return _Connection(*streams)

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls

    async def _body(
        self, place: Place, connection: _Connection, headers: list[tuple[bytes, bytes]]
    ) -> AsyncIterator[bytes]:
        """The body as it arrives; the connection is kept only when it was read to its end."""
        whole = False
        try:
            async for chunk in _chunks(connection.reader, dict(headers)):
                yield chunk
            whole = True
        except (OSError, EOFError, ValueError) as error:
            raise WireError(f"the reply was cut off ({_told(error)})") from error
        finally:
            idle = self._idle.setdefault(place, [])
            if whole and _may_be_kept(dict(headers)) and len(idle) < IDLE_KEPT:
                idle.append(connection)
            else:
                connection.abort()


def _address(url: str) -> tuple[Place, str]:
    parts = urlsplit(url)
    tls = parts.scheme == "https"
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Place(parts.hostname or "", parts.port or (443 if tls else 80), tls), target


def _request_head(method: str, target: str, headers: Headers, length: int) -> bytes:
    lines = [f"{method} {target} HTTP/1.1".encode("ascii")]
    lines += [
        name + b": " + value
        for name, value in headers
        if name.lower() not in (b"content-length", b"accept-encoding", b"connection")
    ]
    lines += [b"accept-encoding: identity", b"content-length: %d" % length]
    return b"\r\n".join(lines) + b"\r\n\r\n"


async def _read_head(reader: asyncio.StreamReader) -> tuple[int, list[tuple[bytes, bytes]]]:
    while True:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError as error:
            raise WireError("the server's answer is not HTTP") from error
        first, *lines = head[:-4].split(b"\r\n")
        words = first.split(None, 2)
        if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
            raise WireError("the server's answer is not HTTP")
        if int(words[1]) >= 200:  # what comes before is only a word on the way
            named = [line.partition(b":") for line in lines]
            return int(words[1]), [(name.strip().lower(), value.strip()) for name, _, value in named]


async def _chunks(
    reader: asyncio.StreamReader, headers: dict[bytes, bytes]
) -> AsyncIterator[bytes]:
    if b"chunked" in headers.get(b"transfer-encoding", b"").lower():
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            async for chunk in _exactly(reader, size):
                yield chunk
            await reader.readexactly(2)
        while (await reader.readuntil(b"\r\n")) != b"\r\n":
            pass  # trailers tell a judge nothing
    elif b"content-length" in headers:
        async for chunk in _exactly(reader, int(headers[b"content-length"])):
            yield chunk
    else:
        while chunk := await reader.read(CHUNK_BYTES):
            yield chunk


async def _exactly(reader: asyncio.StreamReader, size: int) -> AsyncIterator[bytes]:
    while size:
        chunk = await reader.read(min(size, CHUNK_BYTES))
        if not chunk:
            raise EOFError("the connection was closed")
        size -= len(chunk)
        yield chunk


def _may_be_kept(headers: dict[bytes, bytes]) -> bool:
    bounded = b"content-length" in headers or b"transfer-encoding" in headers
    return bounded and headers.get(b"connection", b"").lower() != b"close"


def _told(error: BaseException) -> str:
    if isinstance(error, asyncio.IncompleteReadError):
        return "the connection was closed"
    return str(error) or type(error).__name__
