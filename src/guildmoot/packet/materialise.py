"""Writes a packet as a folder, for judges that are programs; only what it shows is written."""

from __future__ import annotations

import os
from pathlib import Path

from guildmoot.errors import InfrastructureError
from guildmoot.model.packet import Packet, PacketFile
from guildmoot.packet.digest import manifest
from guildmoot.system import jsonio

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def materialise(packet: Packet, folder: Path) -> tuple[Path, Path]:
    """Write the files, read-only, below ``folder/files`` and the manifest beside them.

    Folders stay writable: tools keep caches there, and it must be possible to remove them.
    """
    files = folder / "files"
    listing = folder / "manifest.json"
    try:
        files.mkdir(parents=True)
        made: set[str] = set()
        for file in packet.files:
            _write(files, file, made)
        listing.write_text(jsonio.dumps(manifest(packet)) + "\n", encoding="utf-8")
    except OSError as error:
        raise InfrastructureError(
            f"The packet could not be written to {folder}: {error.strerror}.",
            "Free some space there, or point TMPDIR to another disk.",
        ) from error
    return files, listing


def _write(files: Path, file: PacketFile, made: set[str]) -> None:
    parts = file.path.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise InfrastructureError(f"The packet holds a path that leads out of it: {file.path!r}.")
    parent = file.path.rpartition("/")[0]
    if parent not in made:
        (files / parent).mkdir(parents=True, exist_ok=True)
        made.add(parent)
    # Exclusive and without following links: nothing that is already there is ever written through.
    descriptor = os.open(f"{files}/{file.path}", _FLAGS, 0o444)
    with open(descriptor, "wb") as out:
        out.write(file.text.encode())
