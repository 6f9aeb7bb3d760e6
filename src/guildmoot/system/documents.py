"""Changing a document that people edit too: whole or not at all, and one writer at a time.

Other than our own records, a document may be a link, may have permissions of its own, and stands in
a folder where a lock file would be in people's way: so the folder itself is locked. How a file gets
onto the disk is left to ``atomic``. Imports little, because verbs that must start fast write here.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat

from guildmoot.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Change = Callable[[bytes | None], Iterable[bytes | memoryview] | None]

_WRITING = ".guild-writing"
_NO_FOLDER_LOCKS = (errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.EOPNOTSUPP)


def read_document(path: str) -> bytes | None:
    """Its bytes; None when it is not there."""
    try:
        _check_kind(path)
        with open(path, "rb") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def change_document(path: str, change: Change) -> None:
    """Give ``change`` the document's bytes and put the pieces it returns in their place.

    None from ``change`` leaves the document alone. Missing folders are made. Killed at any moment,
    the old document or the new one is there; behind a link, the link stays and its target changes.
    """
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    lock = _lock(folder)
    try:
        pieces = change(read_document(target))
        if pieces is not None:
            _replace(target, folder, pieces)
    finally:
        os.close(lock)


def _check_kind(path: str) -> None:
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "no ordinary file"
        raise UsageError(f"{path} is {kind}", "Give the path of a Markdown file.")


def _lock(folder: str) -> int:
    """The system frees the lock when its holder dies, so none goes stale."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError as wrong:
        os.close(handle)
        if wrong.errno not in _NO_FOLDER_LOCKS:
            raise
        return _lock_beside(folder)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _lock_beside(folder: str) -> int:
    """For file systems that lock only what is open for writing, as NFS does."""
    handle = os.open(os.path.join(folder, ".guild-lock"), os.O_RDWR | os.O_CREAT, 0o666)
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def _replace(target: str, folder: str, pieces: Iterable[bytes | memoryview]) -> None:
    """The lock is held, so a file under the one name for half-written ones is a dead writer's."""
    from guildmoot.system.atomic import remove, replace_file

    temporary = os.path.join(folder, _WRITING)
    try:
        _check_writable(target)
        remove(temporary)
        replace_file(target, pieces, temporary)
    except OSError as wrong:  # people know their document, and not our file beside it
        raise OSError(wrong.errno, wrong.strerror, target) from wrong


def _check_writable(target: str) -> None:
    """A file that forbids writing is not replaced either, though its folder would allow it."""
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
