"""The same server over streamable HTTP, on this machine alone and with a token; one JSON answer a request."""

from __future__ import annotations

import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from guildmoot.mcp import protocol
from guildmoot.mcp.protocol import ProtocolError
from guildmoot.mcp.server import Server
from guildmoot.mcp.tools import Tool

PATH = "/mcp"
_MOST = 4 * 1024 * 1024
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def serve_http(
    tools: tuple[Tool, ...], port: int, token: str, cwd: Path, *, allow: bool
) -> ThreadingHTTPServer:
    """A server that is bound and not yet serving; its ``server_port`` is where."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 60

        def do_POST(self) -> None:
            refused = self._refused()
            if refused:
                self._reply(*refused)
                return
            length = self.headers.get("Content-Length") or ""
            if not length.isdecimal() or int(length) > _MOST:
                self.close_connection = True
                self._reply(400, {"error": "the length is missing, wrong or too large"})
                return
            body = self.rfile.read(int(length))
            answers: list[dict[str, Any]] = []
            server = Server(tools, answers.append, cwd, allow=allow)
            try:
                request = protocol.read_request(body)
            except ProtocolError as wrong:
                self._reply(400, protocol.error_of(wrong.ident, wrong))
                return
            if request is None or request.id is None:
                self._reply(202, None)
                return
            server.answer(request, threading.Event())
            self._reply(200, answers[-1])

        def do_GET(self) -> None:
            self._reply(405, None)

        def do_DELETE(self) -> None:
            self._reply(405, None)

        def _refused(self) -> tuple[int, dict[str, str]] | None:
            """A page in a browser, another machine's name, or no token."""
            host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
            if host not in _LOOPBACK or self.headers.get("Origin"):
                return 403, {"error": "only programs of this machine are served"}
            given = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            if not hmac.compare_digest(given.encode(), token.encode()):
                return 401, {"error": "the token is missing or wrong"}
            if self.path != PATH:
                return 404, {"error": f"the server is at {PATH}"}
            return None

        def _reply(self, status: int, body: dict[str, Any] | None) -> None:
            data = json.dumps(body).encode() if body is not None else b""
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: what was asked is no business of a log."""

    bound = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    bound.daemon_threads = True
    return bound
