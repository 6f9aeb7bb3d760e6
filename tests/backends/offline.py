"""Run in network and mount namespaces of its own: the three clients, one provider, and no way out.

Prints as JSON what each client answered and which names anybody asked the name server for.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

from test_clients import BACKENDS, MODELS, make

from loopback import serving

SET_FLAGS, UP = 0x8914, 0x1


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh22x", b"lo", UP))


def watch_names(folder: Path) -> list[str]:
    """Every name that is asked for from now on; nobody gets an address."""
    settings = folder / "resolv.conf"
    settings.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    subprocess.run(["mount", "--bind", str(settings), "/etc/resolv.conf"], check=True)
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    asked: list[str] = []

    def serve() -> None:
        while True:
            question, sender = server.recvfrom(4096)
            asked.append(name_in(question))
            server.sendto(question[:2] + b"\x81\x83" + question[4:], sender)  # no such name

    threading.Thread(target=serve, daemon=True).start()
    return asked


def name_in(question: bytes) -> str:
    labels, at = [], 12
    while question[at]:
        labels.append(question[at + 1 : at + 1 + question[at]].decode())
        at += 1 + question[at]
    return ".".join(labels)


async def ask_all() -> dict[str, str]:
    calls = (client.call(make(client)) for client in BACKENDS.values())
    replies = await asyncio.gather(*calls)
    return {name: reply.text or reply.error for name, reply in zip(BACKENDS, replies)}


def main() -> None:
    folder = Path(sys.argv[1])
    raise_loopback()
    asked = watch_names(folder)
    with contextlib.suppress(OSError):
        socket.getaddrinfo("control.example", 443)
    control = sorted({name for name in asked if name.startswith("control.example")})
    asked.clear()
    with serving() as provider:
        os.environ.update(provider.environment())
        replies = asyncio.run(ask_all())
    json.dump({"control": control, "replies": replies, "asked": asked}, sys.stdout)


if __name__ == "__main__":
    assert set(MODELS) == set(BACKENDS)
    main()
