"""Folders that last as long as a run: in memory where the system offers that, for they hold many small files.

Else below the user's cache, which who works behind a fence cannot write to.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from contextlib import suppress

MEMORY = "/dev/shm"  # noqa: S108 a private folder is made in it, as below /tmp
_CHOSEN = ("TMPDIR", "TEMP", "TMP")
_SPARE = 256_000_000
"""Bytes that must be free besides: tools may keep something there, and others use it too."""
_DAY = 86_400.0


def scratch_folder(size: int) -> tempfile.TemporaryDirectory[str]:
    """A folder for so many bytes that is removed in the end; where the user chose a place, there."""
    above = _memory(size) or _kept()
    if above:
        with suppress(OSError):
            sweep(above)
    made = tempfile.TemporaryDirectory(prefix=f"guildmoot-{os.getpid()}-", dir=above)
    _made.append(made.name)
    return made


def remove_scratch() -> None:
    """Remove all folders of this run, for a program that ends at once.

    In a process of its own: here each file would wait for its turn among threads that are busy.
    """
    if not any(map(os.path.exists, _made)):
        return
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        for name in _made:
            shutil.rmtree(name, ignore_errors=True)
    finally:
        os._exit(0)


_made: list[str] = []


def sweep(folder: str) -> None:
    """Remove what killed runs of this user left there: a day old, and of a process that is gone."""
    with os.scandir(folder) as entries:
        for entry in entries:
            name = re.match(r"guildmoot-(\d{1,9})-", entry.name)
            if not name or not entry.is_dir(follow_symlinks=False):
                continue
            with suppress(FileNotFoundError):  # another run sweeps too
                facts = entry.stat(follow_symlinks=False)
                old = facts.st_uid == os.getuid() and time.time() - facts.st_mtime > _DAY
                if old and not _is_alive(int(name[1])):
                    shutil.rmtree(entry.path, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True


def _kept() -> str | None:
    """A folder below the user's cache; None where they chose another place, or may not write there."""
    from guildmoot.system.state import user_cache_folder

    if any(map(os.environ.get, _CHOSEN)):
        return None
    folder = user_cache_folder() / "scratch"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return str(folder) if os.access(folder, os.W_OK | os.X_OK) else None


def _memory(size: int) -> str | None:
    if any(map(os.environ.get, _CHOSEN)):
        return None
    try:
        found = os.statvfs(MEMORY)
    except OSError:
        return None
    free = found.f_bavail * found.f_frsize
    return MEMORY if free > _SPARE + 4 * size and os.access(MEMORY, os.W_OK | os.X_OK) else None
