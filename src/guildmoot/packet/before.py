"""The files of a change as the base has them, as a packet of its own for the tools that look at both."""

from __future__ import annotations

from pathlib import Path

from guildmoot.model.packet import Packet
from guildmoot.packet.contents import MOST_MEDIA, DecodedText, decode
from guildmoot.packet.egress import Draft, release
from guildmoot.system.git import Git, GitError


def before_packet(packet: Packet) -> Packet | None:
    """What the base has of the packet's files, under the names they have there; None without any.

    What git cannot give, or what is no text there, is left out: then all that a tool finds in it is new.
    """
    files = _texts(packet) if packet.before else []
    if not files:
        return None
    return release(Draft(packet.root, f"before {packet.target}", files))


def _texts(packet: Packet) -> list[tuple[str, str]]:
    git = Git(Path(packet.root))
    files: dict[str, str] = {}
    try:
        sizes = git.sizes([earlier.oid for earlier in packet.before])
        with git.blob_reader() as read:
            for earlier in packet.before:
                if sizes.get(earlier.oid, MOST_MEDIA) < MOST_MEDIA:
                    found = decode(read(earlier.oid))
                    if isinstance(found, DecodedText):
                        files[earlier.old] = found.text
    except GitError:  # then nothing is known to have been there
        return []
    return list(files.items())
