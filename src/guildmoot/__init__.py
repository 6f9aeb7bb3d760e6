"""Guildmoot puts software work before a panel of judges and computes one verdict from what they say.

The names below are the public surface; everything else may change. They are resolved on first use,
so that importing the package, and with it every command, costs next to nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # spelled out, because importing typing would cost a fifth of the start-up

_PUBLIC = {
    "GuildmootError": "guildmoot.errors",
    "Finding": "guildmoot.types",
    "Judgement": "guildmoot.types",
    "Packet": "guildmoot.types",
    "Reply": "guildmoot.types",
    "RunReport": "guildmoot.types",
    "Seat": "guildmoot.types",
    "validate": "guildmoot.practices.panel",
    "PanelRequest": "guildmoot.practices.panel",
}

__all__ = ["__version__", *_PUBLIC]  # noqa: PLE0604 - the table is the list

if TYPE_CHECKING:
    from guildmoot.errors import GuildmootError
    from guildmoot.practices.panel import PanelRequest, validate
    from guildmoot.types import Finding, Judgement, Packet, Reply, RunReport, Seat


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'guildmoot' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)
