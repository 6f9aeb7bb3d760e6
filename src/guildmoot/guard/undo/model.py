"""What a snapshot is, as the repository keeps it.

``refs/guild/undo/ID`` names a commit on top of the commit that was checked out. Its tree holds ``tree/`` (the
working tree as raw bytes, untracked files too), ``index`` (git's index file itself), ``staged/`` and
``unmerged/`` (so that git keeps what the index names) and ``meta.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from guildmoot.guard.undo.refs import REFS

__all__ = ["MOST_BYTES", "MOST_KEPT", "REFS", "Snapshot"]
MOST_BYTES = 200_000_000
"""Untracked and changed bytes that one snapshot takes."""
MOST_KEPT = 100
"""Snapshots of one repository that stay."""


class Snapshot(NamedTuple):
    """One snapshot."""

    id: str
    ref: str
    commit: str
    folder: str
    """The working tree that it is of."""
    taken: str
    """When, in ISO 8601."""
    why: str
    """The command before which it was taken."""
    head: str = ""
    """The commit that was checked out; empty before the first."""
    branch: str = ""
    """Its branch; empty when detached."""
    changed: int = 0
    """Files that differ from the index, and untracked ones."""
    left_out: tuple[str, ...] = ()
    """What it does not hold: too large, or repositories of their own."""
    modes: Mapping[str, int] = MappingProxyType({})
    """Permissions other than those git keeps."""
    folders: tuple[str, ...] = ()
    """Empty folders."""
    submodules: Mapping[str, str] = MappingProxyType({})
    """Path to the id of the submodule's own snapshot."""
    links: Mapping[str, str] = MappingProxyType({})
    """Path of a submodule to what its ``.git`` file says."""
    only: tuple[str, ...] = ()
    """Where it is of these files alone; a restore touches nothing else."""
    state: str = ""
    """The same for two snapshots that hold the same."""
