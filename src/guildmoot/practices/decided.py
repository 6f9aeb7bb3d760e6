"""A packet that carries the recorded decisions which concern its files, where ``--decisions auto`` asks for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.model.packet import Packet, Section
from guildmoot.model.verdict import Finding
from guildmoot.packet import PacketRequest, build_packet
from guildmoot.packet.guarded import SEAT

if TYPE_CHECKING:
    from guildmoot.memory.wiki.pages import WikiPage

AUTO = Path("auto")


def build_decided(request: PacketRequest) -> Packet:
    """The packet, with the decisions of the memory for the word ``auto`` among its decisions."""
    if AUTO not in request.decisions:
        return build_packet(request)
    from guildmoot.memory.wiki.decisions import decisions_for
    from guildmoot.memory.wiki.places import memory_root

    named = request._replace(decisions=tuple(path for path in request.decisions if path != AUTO))
    packet = build_packet(named)
    root = memory_root(Path(packet.root))
    found = decisions_for(root, [file.path for file in packet.files])
    if not found:
        return packet
    sections = tuple(
        Section("decision", f".guild/wiki/{each.page.path}", each.page.body) for each in found
    )
    packet = build_packet(named._replace(sections=(*request.sections, *sections)))
    edited = tuple(_told(each.page) for each in found if each.edited)
    return packet._replace(alerts=(*packet.alerts, *edited))


def _told(page: WikiPage) -> Finding:
    path = f".guild/wiki/{page.path}"
    return Finding(
        seat=SEAT,
        code="decision-edited",
        title="the page was edited: judges saw the decision as it was recorded",
        severity="medium",
        blocking=False,
        path=path,
        why="A decision is closed by a later one, never by an edit of its page.",
        fix="Put the page back, or record what holds now with guild decide --supersedes.",
        family=SEAT,
        proven=True,
    )
