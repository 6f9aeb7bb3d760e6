"""The one way that files reach the disk: whole or not at all, and one writer at a time.

Imports little, because verbs that must start fast write through it.
"""

from __future__ import annotations

import fcntl
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import IO


def write_atomic(path: Path, data: bytes) -> None:
    """Replace ``path`` with ``data``. Killed at any moment, the old file or the new one is there."""
    temporary = path.parent / f".{path.name}.{os.urandom(6).hex()}"
    replace_file(str(path), [data], str(temporary))


def put_in_place(path: Path, data: bytes) -> None:
    """Written whole, but not forced to the disk: for copies of what is safe elsewhere."""
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)  # a link that lies there is never written through
    part.write_bytes(data)
    part.replace(path)


def replace_file(path: str, pieces: Iterable[bytes | memoryview], temporary: str) -> None:
    """Write the pieces to ``temporary``, which nobody else may use, and put it in place of ``path``."""
    mode = _mode(path)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with open(handle, "wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        remove(temporary)
        raise
    _sync_folder(os.path.dirname(path) or ".")


def remove(path: str) -> None:
    """Take the file away, if it is there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def locked(path: Path) -> Locked:
    """Hold the lock file ``path``; the system frees it when its holder dies, so none goes stale."""
    return Locked(path)


class Locked:
    """A lock file that is held inside ``with``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: IO[bytes] | None = None

    def __enter__(self) -> None:
        # A link that lies there is not followed, and a pipe is not waited for.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
        self._handle = open(os.open(self._path, flags, 0o666), "ab")
        fcntl.flock(self._handle, fcntl.LOCK_EX)

    def __exit__(self, *wrong: object) -> None:
        if self._handle:
            self._handle.close()


def _mode(path: str) -> int:
    """A replaced file keeps its permissions; a new one gets what the user's umask allows."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask


def _sync_folder(folder: str) -> None:
    """Make the rename itself survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
