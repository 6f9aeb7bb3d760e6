"""The daemon: the same answers as the process gives, over a Unix socket and as an HTTP hook on loopback.

Only this user can reach the socket; the HTTP side needs the token in its ``Authorization`` header. Each event
is answered in a thread of its own, so a snapshot holds up nobody else.
"""

from __future__ import annotations

import hmac
import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.guard.hooks.entry import WORKING, on_extended
from guildmoot.guard.hooks.handle import MOST_BYTES, answer, is_before_call
from guildmoot.guard.hooks.places import guard_folder, socket_path
from guildmoot.guard.hooks.replies import HookReply, deny

_MOST_HEAD = 1_000_000
_MOST_BODY = 100_000_000
_HEADERS = {
    "guild-run-id": "GUILD_RUN_ID",
    "guild-task-id": "GUILD_TASK_ID",
    "guild-lane-id": "GUILD_LANE_ID",
    "guild-capability-scope": "GUILD_CAPABILITY_SCOPE",
    "guild-cwd": "GUILD_CWD",
}
"""What an HTTP hook may say of its environment."""


class Serving(NamedTuple):
    """Where the daemon listens."""

    socket: str
    url: str
    token_file: str


class HookDaemon:
    """Listens until it is closed."""

    def __init__(self, env: Mapping[str, str], *, http: bool = True) -> None:
        self._env = dict(env)
        folder = guard_folder(env)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.chmod(folder, 0o700)
        self._path = socket_path(env)
        self._unix = _listen_unix(self._path)
        self._token = os.urandom(24).hex()
        token_file = os.path.join(folder, "token")
        _write_private(token_file, self._token)
        self._tcp: socket.socket | None = None
        url = ""
        if http:
            self._tcp = socket.create_server(("127.0.0.1", 0), backlog=128)
            url = f"http://127.0.0.1:{self._tcp.getsockname()[1]}/hook"
        self.at = Serving(self._path, url, token_file)
        self._closed = threading.Event()

    def run(self) -> None:
        """Serve until ``close``."""
        if self._tcp:
            self._in_thread(self._accept, self._tcp, self._http)
        self._accept(self._unix, self._wire)

    def close(self) -> None:
        """Stop listening."""
        self._closed.set()
        for each in (self._unix, self._tcp):
            if each:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
        with suppress(OSError):
            os.unlink(self._path)

    def _accept(self, server: socket.socket, talk: Callable[[socket.socket], None]) -> None:
        while not self._closed.is_set():
            try:
                wire, _ = server.accept()
            except OSError:
                if self._closed.is_set():
                    return
                continue
            self._in_thread(self._talk, talk, wire)

    def _in_thread(self, work: Callable[..., None], *given: object) -> None:
        threading.Thread(target=work, args=given, daemon=True).start()

    def _talk(self, talk: Callable[[socket.socket], None], wire: socket.socket) -> None:
        with wire, suppress(OSError, ValueError):
            wire.settimeout(30)
            talk(wire)

    def _wire(self, wire: socket.socket) -> None:
        first = _exactly(wire, 12)
        size = int.from_bytes(first[4:], "big")
        length = int.from_bytes(first[:4], "big")
        if length > _MOST_HEAD or size > _MOST_BODY:
            return
        rows = _exactly(wire, length).decode("utf-8", "surrogateescape").split("\0")
        raw = _exactly(wire, size)
        env = dict(row.split("=", 1) for row in rows[1:] if "=" in row)
        on_extended[threading.get_ident()] = lambda seconds: wire.sendall(
            bytes([WORKING]) + max(1, round(seconds)).to_bytes(4, "big") + bytes(4)
        )
        sent: list[HookReply] = []

        def send(reply: HookReply) -> None:
            if sent:
                return
            sent.append(reply)
            out, err = (text.encode("utf-8", "replace") for text in (reply.stdout, reply.stderr))
            head = bytes([reply.code]) + len(out).to_bytes(4, "big") + len(err).to_bytes(4, "big")
            wire.sendall(head + out + err)

        try:
            send(_answer(raw, rows[0], env, send))
        finally:
            del on_extended[threading.get_ident()]

    def _http(self, wire: socket.socket) -> None:
        stream = wire.makefile("rb")
        first = stream.readline(8192).split()
        headers: dict[str, str] = {}
        while (line := stream.readline(8192).strip()) and len(headers) < 100:
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        wrong = self._refused(first, headers)
        if wrong:
            wire.sendall(_http_reply(wrong, b"{}"))
            return
        size = int(headers.get("content-length", "0"))
        if not 0 <= size <= _MOST_BODY:
            wire.sendall(_http_reply("413 Content Too Large", b"{}"))
            return
        raw = stream.read(size)
        told = {name: headers[key] for key, name in _HEADERS.items() if headers.get(key)}
        host = headers.get("guild-host", "claude")
        body = http_body(_answer(raw, host, self._env | told), raw)
        wire.sendall(_http_reply("200 OK", body))

    def _refused(self, first: list[bytes], headers: Mapping[str, str]) -> str:
        """A web page that a browser shows can reach loopback too; it knows neither token nor host name."""
        if len(first) != 3 or first[0] != b"POST" or first[1].split(b"?")[0] != b"/hook":
            return "404 Not Found"
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return "401 Unauthorized"
        if "origin" in headers or not headers.get("host", "").startswith(
            ("127.0.0.1", "localhost")
        ):
            return "403 Forbidden"
        return ""


def _answer(
    raw: bytes,
    host: str,
    env: Mapping[str, str],
    settled: Callable[[HookReply], None] | None = None,
) -> HookReply:
    try:
        return answer(raw, host, env, settled)
    except Exception as wrong:  # noqa: BLE001 - a bug must not let a call pass unseen, nor end the daemon
        why = f"{type(wrong).__name__}: {wrong}"
        return deny(why) if is_before_call(raw) else HookReply()


def http_body(reply: HookReply, raw: bytes) -> bytes:
    """HTTP knows no exit code, so a denial is JSON here; the status says that it was answered."""
    if reply.code != 2:
        return reply.stdout.encode("utf-8", "replace") or b"{}"
    reason = reply.stderr.strip()
    name = "BeforeTool" if b"BeforeTool" in raw[:MOST_BYTES] else "PreToolUse"
    body = {
        "hookSpecificOutput": {
            "hookEventName": name,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    }
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def _http_reply(status: str, body: bytes) -> bytes:
    rows = (
        f"HTTP/1.1 {status}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
    )
    return "\r\n".join((*rows, "", "")).encode() + body


def _listen_unix(path: str) -> socket.socket:
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    if os.path.lexists(path):
        probe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            probe.connect(path)
        except OSError:
            os.unlink(path)  # a dead daemon's
        else:
            server.close()
            raise UsageError("a daemon is running already.", f"It listens at {path}.")
        finally:
            probe.close()
    try:
        server.bind(path)
    except OSError as wrong:
        server.close()
        raise UsageError(
            f"{path} cannot be listened at: {wrong.strerror or wrong}.",
            "Where the path is too long, set XDG_STATE_HOME to a shorter folder.",
        ) from wrong
    os.chmod(path, 0o600)
    server.listen(256)
    return server


def _write_private(path: str, text: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(handle, "w", encoding="ascii") as stream:
        stream.write(text)


def _exactly(wire: socket.socket, size: int) -> bytes:
    pieces, left = [], size
    while left:
        piece = wire.recv(min(left, 1 << 20))
        if not piece:
            raise OSError("the other side hung up")
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def serve_until_stopped(daemon: HookDaemon, told: Callable[[Serving], None]) -> None:
    """Serve in this thread; Ctrl-C and SIGTERM end it."""
    import signal

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    told(daemon.at)
    try:
        daemon.run()
    except (KeyboardInterrupt, SystemExit):
        return
    finally:
        daemon.close()
