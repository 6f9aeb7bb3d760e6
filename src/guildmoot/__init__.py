"""Guildmoot puts software work before a panel of judges and computes one verdict from their words.

The names below are the public surface; everything else may change. They are resolved on first use,
so that importing the package, and with it every command, costs next to nothing.
"""

from __future__ import annotations

from guildmoot.version import __version__

TYPE_CHECKING = False  # spelled out, because importing typing would cost a fifth of the start-up

_PUBLIC = {
    "GuildmootError": "guildmoot.errors",
    "Finding": "guildmoot.model.verdict",
    "Judgement": "guildmoot.model.verdict",
    "Packet": "guildmoot.model.packet",
    "Reply": "guildmoot.model.call",
    "RunReport": "guildmoot.model.report",
    "Seat": "guildmoot.model.agent",
    "group_findings": "guildmoot.consensus.grouping",
    "validate": "guildmoot.practices.panel",
    "PanelRequest": "guildmoot.practices.panel",
}

__all__ = ["__version__", *_PUBLIC]

if TYPE_CHECKING:
    from guildmoot.consensus.grouping import group_findings as group_findings
    from guildmoot.errors import GuildmootError as GuildmootError
    from guildmoot.model.agent import Seat as Seat
    from guildmoot.model.call import Reply as Reply
    from guildmoot.model.packet import Packet as Packet
    from guildmoot.model.report import RunReport as RunReport
    from guildmoot.model.verdict import Finding as Finding
    from guildmoot.model.verdict import Judgement as Judgement
    from guildmoot.practices.panel import PanelRequest as PanelRequest
    from guildmoot.practices.panel import validate as validate


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'guildmoot' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)
