"""The process that a host starts for one event: stdin in, one reply out, within its own deadline.

It asks the daemon where one is running and does the work itself otherwise. Imports as little as it can: it
runs before every call of a coding agent.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NoReturn

    from guildmoot.guard.hooks.replies import HookReply

DEADLINE = 0.4
"""Seconds after which a call that is not decided is denied; those in which a busy machine let us wait for a
processor come on top, up to ``LATEST``."""
LATEST = 2.0
_READING = 5.0
"""Seconds that a busy host may take to write the event."""
_RECORDING = 10.0
"""Seconds for what is written down once the answer is certain."""
_FROM_ENV = ("GUILD_", "CLAUDE_", "GEMINI_", "CODEX_", "XDG_")
_ALSO = frozenset(("HOME", "PWD", "TMPDIR"))
_settled: list[HookReply] = []
_event: list[bytes] = []
_began: list[float] = []
WORKING = 255
"""In place of an exit code: the daemon needs the seconds that follow."""
_DAEMON_SECONDS = 0.2
on_extended: dict[int, Callable[[float], None]] = {}
"""Of the daemon's threads: who is told that an answer takes longer."""


def main(argv: list[str], socket: str = "") -> NoReturn:
    """Answer one event and end the process at once."""
    host = argv[0] if argv else ""
    _start_deadline(_READING)
    try:
        raw = _read()
        _start_deadline(DEADLINE)
        _event.append(raw)
        env = passed_environment(os.environ)
        answered = ask_daemon(socket, host, env, raw) if socket else None
        if answered is None:
            from guildmoot.guard.hooks.handle import answer

            reply = answer(raw, host, env, _settle)
            answered = (
                reply.code,
                reply.stdout.encode(errors="replace"),
                reply.stderr.encode(errors="replace"),
            )
    except Exception as wrong:  # noqa: BLE001 - what goes wrong here must not let a call pass unseen
        _end(*_failed(f"{type(wrong).__name__}: {wrong}"))
    _end(*answered)


def _read() -> bytes:
    pieces = []
    while piece := os.read(0, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def passed_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What of the environment a decision may depend on."""
    return {
        name: value
        for name, value in environ.items()
        if name in _ALSO or name.startswith(_FROM_ENV)
    }


def _settle(reply: HookReply) -> None:
    """The answer is certain: the host has it at once, and a child of ours writes down what is left to write."""
    if _settled:
        return
    _settled.append(reply)
    try:
        if os.fork():
            _end(
                reply.code,
                reply.stdout.encode(errors="replace"),
                reply.stderr.encode(errors="replace"),
            )
    except OSError:  # no process can be had: it is written first, then
        extend_deadline(_RECORDING)
        return
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for handle in range(3):
        os.dup2(nowhere, handle)
    extend_deadline(_RECORDING)


def _failed(why: str) -> tuple[int, bytes, bytes]:
    """What is certain already counts; an undecided call does not happen; nothing else is held up."""
    if _settled:
        reply = _settled[0]
        return reply.code, reply.stdout.encode(), reply.stderr.encode()
    from guildmoot.guard.hooks.handle import is_before_call

    line = f"guild guard: {why}".encode(errors="replace").replace(b"\n", b" ")[:1000] + b"\n"
    if not _event or is_before_call(_event[0]):
        return 2, b"", line
    return 0, b"", b""


def _start_deadline(seconds: float) -> None:
    import _signal  # type: ignore[import-not-found] # signal would load enum

    _began[:] = [time.monotonic()]
    _signal.signal(_signal.SIGALRM, _late)
    _signal.setitimer(_signal.ITIMER_REAL, seconds)


def extend_deadline(seconds: float) -> None:
    """More time, for a snapshot or a person's answer; in the daemon, its client is told."""
    if _began:
        import _signal

        _signal.setitimer(_signal.ITIMER_REAL, seconds)
        return
    import _thread

    tell = on_extended.get(_thread.get_ident())
    if tell:
        tell(seconds)


def _late(_number: int, _frame: object) -> None:
    elapsed = time.monotonic() - _began[0]
    left = DEADLINE + _starved() - elapsed
    if not _settled and left > 0.005 and elapsed < LATEST:
        extend_deadline(min(left, LATEST - elapsed + 0.005))
        return
    why = "no decision in time, so the call was not made; try it again, or in smaller parts"
    _end(*_failed(why))


def _starved() -> float:
    """Seconds in which this process could have run and had no processor (Linux)."""
    try:
        with open("/proc/self/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _end(code: int, out: bytes, err: bytes) -> NoReturn:
    """Without the interpreter's tidying up, which takes as long as the work."""
    try:
        _write(1, out)
        _write(2, err)
    finally:
        os._exit(code)


def _write(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


# The daemon's side of the wire is in ``serve``: lengths first, then host, environment and event.


def ask_daemon(
    path: str, host: str, env: Mapping[str, str], raw: bytes
) -> tuple[int, bytes, bytes] | None:
    """The daemon's answer; None where none is running, or it does not answer as it should."""
    import _socket

    wire = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        wire.settimeout(_DAEMON_SECONDS)
        wire.connect(path)
        rows = [host, *(f"{name}={value}" for name, value in env.items())]
        head = "\0".join(rows).encode("utf-8", "surrogateescape")
        wire.sendall(len(head).to_bytes(4, "big") + len(raw).to_bytes(8, "big") + head + raw)
        first = _exactly(wire, 9)
        while first[0] == WORKING:
            seconds = int.from_bytes(first[1:5], "big") + 1.0
            extend_deadline(seconds + 1.0)
            wire.settimeout(seconds)
            first = _exactly(wire, 9)
        out = _exactly(wire, int.from_bytes(first[1:5], "big"))
        err = _exactly(wire, int.from_bytes(first[5:9], "big"))
        return first[0], out, err
    except OSError:
        return None
    finally:
        wire.close()


def _exactly(wire: object, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = wire.recv(size - len(data))  # type: ignore[attr-defined] # a socket, not imported
        if not piece:
            raise OSError("the daemon hung up")
        data += piece
    return data
