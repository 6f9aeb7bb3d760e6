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
from guildmoot.model.packet import Masking, Omission, Packet, PacketFile, Section

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
    return {
        "target": packet.target,
        "files": [{"path": file.path, "sha256": file.sha256} for file in packet.files],
        "sections": [section._asdict() for section in packet.sections],
        "omitted": [omission._asdict() for omission in packet.omitted],
        "masked": [masking._asdict() for masking in packet.masked],
        "changed": packet.changed,
        "checkout": packet.checkout,
        "hash": packet.hash,
    }


def _packet(plain: dict[str, Any], texts: dict[str, str], root: Path) -> Packet:
    return Packet(
        root=str(root),
        target=plain["target"],
        files=tuple(
            PacketFile(file["path"], texts[file["sha256"]], file["sha256"])
            for file in plain["files"]
        ),
        sections=tuple(Section(**section) for section in plain["sections"]),
        omitted=tuple(Omission(**omission) for omission in plain["omitted"]),
        masked=tuple(Masking(**masking) for masking in plain["masked"]),
        changed=tuple(
            (path, tuple((first, last) for first, last in ranges))
            for path, ranges in plain["changed"]
        ),
        checkout=plain["checkout"],
        hash=plain["hash"],
    )


def _pack(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unpack(data: bytes) -> str:
    """A kept text, or a packet's JSON, as it was."""
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


def _chunks(names: Sequence[str]) -> Iterator[list[str]]:
    names_left = iter(names)
    while some := list(islice(names_left, _AT_ONCE)):
        yield some
