"""The packet's hash, and the coverage receipt that goes into the record."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from guildmoot.model.packet import Packet

_FORMAT = "guildmoot packet 1"


def manifest(packet: Packet) -> dict[str, object]:
    """What was reviewed, what was left out and why, what was masked; ready for JSON."""
    shown = {file.path for file in packet.files}
    left_out = Counter(item.reason for item in packet.omitted if item.path not in shown)
    return {
        "target": packet.target,
        "hash": packet.hash,
        "reviewed": {
            "files": len(packet.files),
            "lines": sum(count_lines(file.text) for file in packet.files),
            "bytes": sum(_size(file.text) for file in packet.files),
        },
        "left_out": dict(sorted(left_out.items())),
        "partly_shown": sum(item.path in shown for item in packet.omitted),
        "files": [
            {
                "path": file.path,
                "sha256": file.sha256,
                "lines": count_lines(file.text),
                "bytes": _size(file.text),
            }
            for file in packet.files
        ],
        "sections": [
            {"kind": part.kind, "title": part.title, "sha256": _sha256(part.text)}
            for part in packet.sections
        ],
        "omitted": [item._asdict() for item in packet.omitted],
        "masked": [item._asdict() for item in packet.masked],
        "changed": [
            {"path": path, "lines": [list(r) for r in ranges]} for path, ranges in packet.changed
        ],
        "checkout": packet.checkout,
    }


def packet_hash(packet: Packet) -> str:
    """SHA-256 over everything a judge can see; each text stands in it by its own SHA-256."""
    seen = (
        _FORMAT,
        packet.target,
        [(file.path, file.sha256) for file in packet.files],
        [(part.kind, part.title, _sha256(part.text)) for part in packet.sections],
        packet.omitted,
        packet.masked,
        packet.changed,
    )
    return _sha256(json.dumps(seen, ensure_ascii=True, separators=(",", ":")))


def count_lines(text: str) -> int:
    """Lines as they are numbered for judges; a last line without a newline counts."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
