"""Folders that last as long as a run: in memory where the system offers that, for they hold many small files."""

from __future__ import annotations

import os
import tempfile

_MEMORY = "/dev/shm"  # noqa: S108 a private folder is made in it, as below /tmp
_CHOSEN = ("TMPDIR", "TEMP", "TMP")
_SPARE = 256_000_000
"""Bytes that must be free besides: tools may keep something there, and others use it too."""


def scratch_folder(size: int) -> tempfile.TemporaryDirectory[str]:
    """A folder for so many bytes that is removed in the end; where the user chose a place, there."""
    return tempfile.TemporaryDirectory(prefix="guildmoot-", dir=_memory(size))


def _memory(size: int) -> str | None:
    if any(map(os.environ.get, _CHOSEN)):
        return None
    try:
        found = os.statvfs(_MEMORY)
    except OSError:
        return None
    free = found.f_bavail * found.f_frsize
    return _MEMORY if free > _SPARE + 4 * size and os.access(_MEMORY, os.W_OK | os.X_OK) else None
