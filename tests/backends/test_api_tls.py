"""Encrypted connections, straight and through a proxy, with certificates made for the test."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from guildmoot.backends.http.connections import Connections, WireError
from loopback import serving

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes certificates")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    made, key = folder / "cert.pem", folder / "key.pem"
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
            made]  # fmt: skip
    subprocess.run(argv, check=True, capture_output=True)
    return made, key


@pytest.fixture
def server(certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    monkeypatch.delenv("https_proxy", raising=False)
    monkeypatch.delenv("HTTPS_PROXY", raising=False)
    with serving(tls=context) as provider:
        yield provider


async def post_to(url: str) -> bytes:
    connections = Connections()
    body = b'{"model": "m", "messages": []}'
    try:
        with await connections.post(f"{url}/v1/messages", {"x-api-key": "dummy"}, body) as response:
            return b"".join([chunk async for chunk in response.chunks()])
    finally:
        connections.close()
        await asyncio.sleep(0.05)  # a TLS connection takes the loop a moment to be gone


def test_a_reply_comes_over_tls(server) -> None:
    assert b"VERDICT: approved" in asyncio.run(post_to(server.url))


def test_a_certificate_that_nobody_vouches_for_is_refused(
    server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(WireError, match="certificate"):
        asyncio.run(post_to(server.url))
    assert server.requests == []


def test_a_reply_comes_through_a_proxy(server, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode().splitlines()[0])
        there, back = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_pump(reader, back), _pump(there, writer))

    async def through() -> bytes:
        async with await asyncio.start_server(tunnel, "127.0.0.1", 0) as proxy:
            port = proxy.sockets[0].getsockname()[1]
            monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{port}")
            monkeypatch.setenv("no_proxy", "")
            return await post_to(server.url)

    assert b"VERDICT: approved" in asyncio.run(through())
    assert asked == [f"CONNECT localhost:{server.port} HTTP/1.1"]


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    try:
        while chunk := await source.read(65536):
            sink.write(chunk)
    except ConnectionError:
        pass
    finally:
        sink.close()
