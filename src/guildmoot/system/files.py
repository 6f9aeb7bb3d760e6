"""How files reach the disk: whole or not at all, one writer at a time, and lines only appended whole.

Our own records, JSON lines that other programs append to as well, and documents that people edit go
through here. Imports little, because verbs that must start fast write through it.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat

from guildmoot.errors import InfrastructureError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import NoReturn

    Change = Callable[[bytes | None], Iterable[bytes | memoryview] | None]

_WRITING = ".guild-writing"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_NO_FOLDER_LOCKS = (errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.EOPNOTSUPP)


# Whole files.


def write_atomic(path: Path, data: bytes, *, more: bool = False) -> None:
    """Replace ``path`` with ``data``. Killed at any moment, the old file or the new one is there.

    Where ``more`` files of the folder follow, a power cut may take back this one until the last of them.
    """
    temporary = path.parent / f".{path.name}.{os.urandom(6).hex()}"
    _replace_file(str(path), [data], str(temporary), more=more)


def put_in_place(path: Path, data: bytes) -> None:
    """Written whole, but not forced to the disk: for copies of what is safe elsewhere."""
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)  # a link that lies there is never written through
    part.write_bytes(data)
    part.replace(path)


def _replace_file(
    path: str, pieces: Iterable[bytes | memoryview], temporary: str, *, more: bool = False
) -> None:
    """Write the pieces to ``temporary``, which nobody else may use, and put it in place of ``path``."""
    mode = _mode(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    handle = os.open(temporary, flags, 0o666 if mode is None else 0o600)
    try:
        with open(handle, "wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            if mode is not None:
                os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException as wrong:
        _remove(temporary)
        if isinstance(wrong, OSError):
            wrong.filename = path  # a write that fails names no file
        raise
    if not more:
        _sync_folder(os.path.dirname(path) or ".")


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def _mode(path: str) -> int | None:
    """A replaced file keeps its permissions; a new one gets what the user's umask allows."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        return None


def _sync_folder(folder: str) -> None:
    """Make the rename itself survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# Locks.


def lock(path: str | os.PathLike[str], *, shared: bool = False, wait: bool = True) -> int | None:
    """Lock a folder, or a file that is made if need be; closing the handle frees it.

    None when it is not to wait and another process has it. The system frees the lock of a process
    that dies, so none goes stale.
    """
    folder = os.path.isdir(path)
    # A link that lies there is not followed, and a pipe is not waited for.
    file_flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
    handle = os.open(path, (_FOLDER if folder else file_flags) | os.O_CLOEXEC, 0o666)
    return _flocked(handle, path, folder, shared, wait)


def lock_folder(path: str | os.PathLike[str], *, shared: bool = False) -> int | None:
    """Lock a folder that is there, without waiting; OSError when it is gone, or is none."""
    handle = os.open(path, _FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC)
    return _flocked(handle, path, True, shared, wait=False)


def _flocked(
    handle: int, path: str | os.PathLike[str], folder: bool, shared: bool, wait: bool
) -> int | None:
    how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    try:
        fcntl.flock(handle, how)
    except BaseException as wrong:
        os.close(handle)
        if isinstance(wrong, BlockingIOError):
            return None
        if folder and isinstance(wrong, OSError) and wrong.errno in _NO_FOLDER_LOCKS:
            # File systems such as NFS lock only what is open for writing.
            return lock(os.path.join(path, ".guild-lock"), shared=shared, wait=wait)
        raise
    return handle


class Locked:
    """A file or folder that is locked inside ``with``; the handle is what it gives."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._handle = -1

    def __enter__(self) -> int:
        handle = lock(self._path)
        self._handle = -1 if handle is None else handle
        return self._handle

    def __exit__(self, *wrong: object) -> None:
        os.close(self._handle)


# Places in a repository, where whoever wrote it may have put links, pipes and files of theirs.


def place_inside(root: Path, inner: str | os.PathLike[str]) -> Path:
    """Where we keep something below ``root``; UsageError when a link or a pipe lies in the way."""
    link = linked_part(root, inner)
    if link:
        _refuse_link(os.path.join(root, link))
    where, at = os.fspath(inner), os.fspath(root)
    for part in where.split(os.sep):
        at = os.path.join(at, part)
        mode = _kind(at)
        if mode is None:
            break
        if not stat.S_ISDIR(mode) and (not stat.S_ISREG(mode) or at != os.path.join(root, where)):
            raise UsageError(
                f"{at} is {'a file' if stat.S_ISREG(mode) else 'no ordinary file'}, and we keep"
                " our records there",
                "Move it away; --no-record keeps nothing.",
            )
    return root / inner


def folder_inside(root: Path, inner: Path) -> Path:
    """The same for a folder, which is made if need be."""
    folder = place_inside(root, inner)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def check_own_folder(root: Path, name: str | os.PathLike[str]) -> None:
    """UsageError when our folder is a link or holds one, before anything is written."""
    folder = place_inside(root, name)
    if folder.is_dir():
        with os.scandir(folder) as entries:
            links = sorted(entry.path for entry in entries if entry.is_symlink())
        if links:
            _refuse_link(links[0])


def keep_out_of_git(folder: Path, but: Iterable[str] = ()) -> None:
    """A ``.gitignore`` in a folder of ours, by which it ignores itself but for some names; made once."""
    kept = (f"!{name}\n" + (f"!{name}**\n" if name.endswith("/") else "") for name in but)
    text = "".join(("# Records of guildmoot, which are nobody's work.\n", "*\n", *kept))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        handle = os.open(folder / ".gitignore", flags, 0o666)
    except FileExistsError:
        return
    with open(handle, "wb") as stream:
        stream.write(text.encode())


def refuse_links(path: str | os.PathLike[str]) -> None:
    """UsageError when a path that is to be written leads through a link in a repository."""
    full = os.path.abspath(path)
    above = os.path.dirname(full)
    while above != os.path.dirname(above):
        if os.path.lexists(os.path.join(above, ".git")):
            link = linked_part(above, full)
            if link:
                _refuse_link(os.path.join(above, link))
        above = os.path.dirname(above)


def _refuse_link(path: str) -> NoReturn:
    raise UsageError(
        f"{path} is a link, and nothing is read or written through links of a repository",
        "Put a real file or folder in its place, or name one outside of the repository.",
    )


def _kind(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return None


def linked_part(root: str | os.PathLike[str], inner: str | os.PathLike[str]) -> str:
    """The first part of a path below ``root`` that is a link or leads up; empty when there is none.

    Whoever wrote a repository can put a link anywhere in it, so nothing is read or written through
    one. Links above the root are the user's own.
    """
    where = os.path.relpath(inner, root) if os.path.isabs(inner) else os.fspath(inner)
    at = ""
    for part in where.split(os.sep):
        at = os.path.join(at, part)
        if part == os.pardir or os.path.islink(os.path.join(root, at)):
            return at
    return ""


def read_inside(path: Path, inside: Path | None, most: int) -> tuple[bytes, str]:
    """A file of at most so many bytes, and why it cannot be had; below ``inside`` no link is followed."""
    if inside is not None and linked_part(inside, path):
        return b"", "it is, or lies behind, a link, and links of a repository are not followed"
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for a writer
            return b"", "it is no regular file"
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        return b"", "there is no such file"
    except OSError as wrong:
        return b"", f"it cannot be read: {wrong.strerror}"
    return (data, "") if len(data) <= most else (b"", f"it is larger than {most:,} bytes")


def read_text_inside(path: Path, inside: Path | None, most: int) -> tuple[str, str]:
    """The same, as text."""
    data, problem = read_inside(path, inside, most)
    try:
        return data.decode("utf-8"), problem
    except UnicodeDecodeError as wrong:
        return "", f"it is not UTF-8: {wrong.reason} at byte {wrong.start}"


def read_own(file: Path, most: int = 1 << 30, *, first: int = -1) -> bytes:
    """What we wrote there ourselves: nothing for a link, a pipe, or what is larger than that.

    ``first``: no more than so many bytes of it.
    """
    try:
        known = os.lstat(file)
        if not stat.S_ISREG(known.st_mode) or known.st_size >= most:
            return b""
        with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as stream:
            return stream.read(first)
    except OSError:
        return b""


# JSON lines.


def read_rows(file: Path) -> Iterator[dict[str, object] | None]:
    """Each line's object; None for a line that is none. What is no file has no lines."""
    return parse_rows(read_own(file))


def parse_rows(data: bytes) -> Iterator[dict[str, object] | None]:
    """The same of what a file holds."""
    for line in filter(bytes.strip, data.split(b"\n")):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        yield row if isinstance(row, dict) else None


def append_rows(
    file: str | os.PathLike[str],
    rows: Sequence[object],
    encode: Callable[[object], str] | None = None,
    *,
    sync: bool = True,
) -> None:
    """Add lines, all of them or none; one that a killed writer cut short is ended first.

    They are on the disk when this returns, unless it is told not to ``sync``. Any number of
    processes may add at once. A link is refused: the folder may be text of a repository, and a
    link in it may lead anywhere.
    """
    if not rows:
        return
    if os.path.islink(file):
        _refuse_link(str(file))
    encode = encode or json.JSONEncoder(ensure_ascii=False).encode
    text = "".join(encode(row) + "\n" for row in rows)
    data = text.encode("utf-8", "backslashreplace")
    with Locked(file) as handle:
        end = os.lseek(handle, 0, os.SEEK_END)
        if end and os.pread(handle, 1, end - 1) != b"\n":
            data = b"\n" + data
        if os.write(handle, data) != len(data):
            os.ftruncate(handle, end)
            raise InfrastructureError(f"the disk is full: nothing was added to {file}")
        if sync:
            os.fsync(handle)


# Documents that people edit: they may be links, and a lock file beside them would be in the way.


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
    with Locked(folder):
        pieces = change(read_document(target))
        if pieces is not None:
            _replace_document(target, folder, pieces)


def replace_locked(path: str, data: bytes) -> None:
    """Put ``data`` in place of a document whose folder the caller has locked."""
    _replace_document(path, os.path.dirname(path), [data])


def _check_kind(path: str) -> None:
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "no ordinary file"
        raise UsageError(f"{path} is {kind}", "Give the path of a Markdown file.")


def _replace_document(target: str, folder: str, pieces: Iterable[bytes | memoryview]) -> None:
    """The lock is held, so a file under the one name for half-written ones is a dead writer's."""
    temporary = os.path.join(folder, _WRITING)
    try:
        if os.path.exists(target) and not os.access(target, os.W_OK):
            # A file that forbids writing is not replaced either, though its folder would allow it.
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
        _remove(temporary)
        _replace_file(target, pieces, temporary)
    except OSError as wrong:  # people know their document, and not our file beside it
        raise OSError(wrong.errno, wrong.strerror, target) from wrong
