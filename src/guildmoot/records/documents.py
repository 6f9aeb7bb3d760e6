"""Changing a document that people edit too: whole or not at all, and one writer at a time.

Other than our own records, a document may be a link, may have permissions of its own, and stands in
a folder where a lock file would be in people's way: so the folder itself is locked. Imports little,
because verbs that must start fast write through it.
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
    temporary = os.path.join(folder, _WRITING)
    mode = _mode(target)
    _remove(temporary)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with open(handle, "wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        _remove(temporary)
        raise
    _sync(folder)


def _mode(target: str) -> int:
    """A replaced file keeps its permissions and may forbid it; a new one gets what the umask allows."""
    try:
        mode = os.stat(target).st_mode & 0o777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
    return mode


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def _sync(folder: str) -> None:
    """Make the rename itself survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
