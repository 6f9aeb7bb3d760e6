"""The packet's hash, the coverage receipt that goes into the record, and the packet as a folder.

Judges that are programs get the folder; only what the packet shows is written there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from pathlib import Path

from guildmoot.errors import InfrastructureError
from guildmoot.model.packet import Packet
from guildmoot.system import jsonio

_FORMAT = "guildmoot packet 1"

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


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
        "checks": [item._asdict() for item in packet.checks],
        "recoded": [item._asdict() for item in packet.recoded],
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
        *([packet.checks] if packet.checks else []),
        *([packet.recoded] if packet.recoded else []),
    )
    return _sha256(json.dumps(seen, ensure_ascii=True, separators=(",", ":")))


def count_lines(text: str) -> int:
    """Lines as they are numbered for judges; a last line without a newline counts."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def materialise(packet: Packet, folder: Path, *, real: bool = False) -> tuple[Path, Path]:
    """Write the files, read-only, below ``folder/files`` and the manifest beside them.

    ``real`` writes them without masks, for a program that sends nothing away and whose words are masked.
    Folders stay writable: tools keep caches there, and it must be possible to remove them.
    """
    files = folder / "files"
    listing = folder / "manifest.json"
    try:
        files.mkdir(parents=True)
        made: set[str] = set()
        texts = dict(packet.real) if real else {}
        for file in packet.files:
            _write(files, file.path, texts.get(file.path, file.text), made)
        listing.write_text(jsonio.dumps(manifest(packet)) + "\n", encoding="utf-8")
    except OSError as error:
        raise InfrastructureError(
            f"The packet could not be written to {folder}: {error.strerror}.",
            "Free some space there, or point TMPDIR to another disk.",
        ) from error
    return files, listing


def _write(files: Path, path: str, text: str, made: set[str]) -> None:
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise InfrastructureError(f"The packet holds a path that leads out of it: {path!r}.")
    parent = path.rpartition("/")[0]
    if parent not in made:
        (files / parent).mkdir(parents=True, exist_ok=True)
        made.add(parent)
    # Exclusive and without following links: nothing that is already there is ever written through.
    descriptor = os.open(f"{files}/{path}", _FLAGS, 0o444)
    with open(descriptor, "wb") as out:
        out.write(text.encode())
