"""What is put before the judges: collected, filtered, fenced and hashed, with what was left out.

It calls no model and runs no judge.
"""

from guildmoot.packet.build import build_packet
from guildmoot.packet.changes import base_revision, resolve_change
from guildmoot.packet.digest import manifest, materialise
from guildmoot.packet.egress import with_section
from guildmoot.packet.local import before_packet, held_back, with_real, without_secrets
from guildmoot.packet.render import render
from guildmoot.packet.request import REASONS, EvidenceResult, PacketRequest
from guildmoot.packet.sections import complete, run_evidence
from guildmoot.system.git import find_root, ignores

__all__ = [
    "REASONS",
    "EvidenceResult",
    "PacketRequest",
    "base_revision",
    "before_packet",
    "build_packet",
    "complete",
    "find_root",
    "held_back",
    "ignores",
    "manifest",
    "materialise",
    "render",
    "resolve_change",
    "run_evidence",
    "with_real",
    "with_section",
    "without_secrets",
]
