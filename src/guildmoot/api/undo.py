"""The verb ``undo``: snapshots that were taken before a command could discard work."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from guildmoot.guard.undo import restore as back
from guildmoot.guard.undo.model import Snapshot
from guildmoot.guard.undo.restore import Undone
from guildmoot.guard.undo.snapshot import find_place, snapshots, take_snapshot


async def list_snapshots(cwd: Path = Path()) -> list[Snapshot]:
    """Those of the repository, the newest first."""
    return await asyncio.to_thread(lambda: snapshots(find_place(cwd.absolute()).top))


async def show_snapshot(name: str = "", cwd: Path = Path()) -> tuple[Snapshot, list[str]]:
    """A snapshot, the last one without a name, and what a restore would write and remove."""
    return await asyncio.to_thread(back.shown, cwd.absolute(), name)


async def restore_snapshot(name: str = "", paths: Sequence[str] = (), cwd: Path = Path()) -> Undone:
    """Bring it back, or only the named files of it; what is there now is kept first."""
    return await asyncio.to_thread(back.restore, cwd.absolute(), name, paths)


async def keep_snapshot(why: str = "", cwd: Path = Path()) -> Snapshot:
    """Take one now."""
    return await asyncio.to_thread(take_snapshot, cwd.absolute(), why)
