"""A provider on a loopback port that does what its rules say, and bills as the vendors do.

    with serving([Rule(text="VERDICT: approved")]) as provider: ...

It runs on a loop of its own in a thread, so that hundreds of slow replies cost nothing.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from .protocols import error_body, events, protocol_of, read_request, whole
from .rules import Bill, Memory, Request, Rule, tokens_in


class Provider(Memory):
    """A provider that is listening."""

    port = 0
    tls: ssl.SSLContext | None = None

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}" if self.tls else f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        """Variables that lead every protocol here, with keys that open nothing."""
        v1 = f"{self.url}/v1"
        return {
            "ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": "dummy-anthropic-key-0001",
            "OPENAI_BASE_URL": v1, "OPENAI_API_KEY": "dummy-openai-key-0002",
            "GOOGLE_GEMINI_BASE_URL": self.url, "GEMINI_API_KEY": "dummy-gemini-key-0003",
            "OPENROUTER_BASE_URL": v1, "OPENROUTER_API_KEY": "dummy-openrouter-key-0004",
            "GUILD_API_BASE_URL": v1, "OLLAMA_BASE_URL": v1, "VLLM_BASE_URL": v1,
            "LMSTUDIO_BASE_URL": v1, "LLAMACPP_BASE_URL": v1,
        }  # fmt: skip


@contextmanager
def serving(
    rules: Sequence[Rule] = (), port: int = 0, tls: ssl.SSLContext | None = None
) -> Iterator[Provider]:
    """Serve until the block is left."""
    provider = Provider(rules)
    provider.tls = tls
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    ready = threading.Event()
    thread = threading.Thread(target=_run, args=(loop, provider, port, ready, stop), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield provider
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


def _run(
    loop: asyncio.AbstractEventLoop,
    provider: Provider,
    port: int,
    ready: threading.Event,
    stop: asyncio.Event,
) -> None:
    async def serve() -> None:
        tasks: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            provider.connections += 1
            task = asyncio.ensure_future(_converse(provider, reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(
            accept, "127.0.0.1", port, backlog=1024, limit=2**26, ssl=provider.tls
        )
        provider.port = server.sockets[0].getsockname()[1]
        ready.set()
        await stop.wait()
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(serve())


async def _converse(
    provider: Provider, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        while await _exchange(provider, reader, writer):
            pass
    except (asyncio.IncompleteReadError, ConnectionError):
        pass  # the client has gone
    finally:
        writer.transport.abort()


async def _exchange(
    provider: Provider, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> bool:
    """One request and its reply; whether the connection is good for another."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    path = head[0].split(" ")[1]
    headers = {
        name.lower(): value.strip() for name, _, value in (x.partition(":") for x in head[1:])
    }
    body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
    protocol = protocol_of(path)
    if not protocol:
        _send(writer, 404, error_body("chat", 404, f"nothing at {path}"))
        return True
    request = read_request(protocol, path, headers, body)
    rule = provider.arrived(request)
    rule = rule._replace(text=request.fill_in(rule.text))
    try:
        return await _reply(provider, request, rule, reader, writer)
    except _Gone:
        provider.hung_up += 1
        return False


class _Gone(Exception):
    """The client has closed the connection before the reply was whole."""


async def _idle(reader: asyncio.StreamReader, seconds: float | None) -> None:
    """Let time pass, unless the client goes away."""
    if seconds == 0:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await reader.read(1)
            raise _Gone


async def _reply(
    provider: Provider,
    request: Request,
    rule: Rule,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> bool:
    read, written = provider.look_up(request)
    await _idle(reader, None if rule.hang else rule.delay)
    if rule.status != 200:
        message = rule.message.replace("{key}", request.key)
        _send(writer, rule.status, error_body(request.protocol, rule.status, message), rule.headers)
        return True
    if rule.raw:
        writer.write(rule.raw.encode())
        await writer.drain()
        return False
    fresh = tokens_in(request.prompt) - read - written
    bill = Bill(fresh, written, read, tokens_in(rule.text))
    provider.begins(request)
    provider.charge(bill)
    if not request.stream:
        _send(writer, 200, whole(request, rule, bill))
        return True
    return await _stream(events(request, rule, bill), rule, reader, writer)


async def _stream(
    pieces: list[bytes], rule: Rule, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> bool:
    head = (
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    shown = pieces[: rule.cut or None]
    if not rule.drip:
        shown = [b"".join(shown)]
    writer.write(head.encode())
    for piece in shown:
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await _idle(reader, rule.drip)
    if not rule.cut:
        writer.write(b"0\r\n\r\n")
    await writer.drain()
    return not rule.cut


def _send(
    writer: asyncio.StreamWriter, status: int, body: object, headers: dict[str, str] | None = None
) -> None:
    data = json.dumps(body).encode()
    fields = {
        "content-type": "application/json",
        "content-length": str(len(data)),
        **(headers or {}),
    }
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in fields.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode() + data)
