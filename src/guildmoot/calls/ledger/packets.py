"""Packets as the ledger keeps them: what was judged stays as it was, whatever becomes of the tree.

Texts are kept once for all packets that hold them. Only what passed the egress filter is ever here.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from guildmoot.calls.ledger.store import Store
from guildmoot.codec import from_plain, to_plain
from guildmoot.model.packet import Packet

_AT_ONCE = 500
"""Names in one question to SQLite, which takes only so many."""


def keep_packet(store: Store, packet: Packet, clock: Callable[[], float] = time.time) -> None:
    """Keep the packet; one that is there already costs one look."""
    with store.transaction() as connection:  # all in one: nobody may clear a known text meanwhile
        kept = connection.execute(
            "UPDATE packets SET kept = ? WHERE hash = ?", (clock(), packet.hash)
        )
        if kept.rowcount:
            return
        known = {
            sha
            for some in _chunks([file.sha256 for file in packet.files])
            for (sha,) in connection.execute(
                f"SELECT sha256 FROM texts WHERE sha256 IN ({','.join('?' * len(some))})",  # noqa: S608
                some,
            )
        }
        new = {file.sha256: file.text for file in packet.files if file.sha256 not in known}
        rows = ((sha, _pack(text)) for sha, text in new.items())
        connection.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?)", rows)
        connection.execute(
            "INSERT OR IGNORE INTO packets VALUES (?, ?, ?)",
            (packet.hash, clock(), _pack(json.dumps(_plain(packet)))),
        )


def load_packet(store: Store, digest: str, root: Path) -> Packet | None:
    """The packet with that hash, as it was; None when it is not kept."""
    with store.reading() as connection:
        row = connection.execute("SELECT body FROM packets WHERE hash = ?", (digest,)).fetchone()
        if row is None:
            return None
        plain = json.loads(unpack(row[0]))
        texts = {
            sha: unpack(body)
            for some in _chunks(sorted({file["sha256"] for file in plain["files"]}))
            for sha, body in connection.execute(
                f"SELECT sha256, body FROM texts WHERE sha256 IN ({','.join('?' * len(some))})",  # noqa: S608
                some,
            )
        }
    return _packet(plain, texts, root)


def _plain(packet: Packet) -> dict[str, Any]:
    plain: dict[str, Any] = to_plain(packet._replace(files=(), root="", real=()))
    del plain["real"]
    return {**plain, "files": [{"path": file.path, "sha256": file.sha256} for file in packet.files]}


def _packet(plain: dict[str, Any], texts: dict[str, str], root: Path) -> Packet:
    files = [{**file, "text": texts[file["sha256"]]} for file in plain["files"]]
    return from_plain(Packet, {**plain, "files": files, "root": str(root)})


def _pack(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unpack(data: bytes) -> str:
    """A kept text, or a packet's JSON, as it was."""
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


def _chunks(names: Sequence[str]) -> Iterator[list[str]]:
    names_left = iter(names)
    while some := list(islice(names_left, _AT_ONCE)):
        yield some
