"""Reads files that may be anything: links, pipes, devices, huge, binary, in another encoding.

A file is looked at before it is opened, opened without following links and without waiting, and
read only up to the limit; ``Blobs`` are contents that lie in git's objects. Whether a text may be
shown is for ``guard``.
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress

from guildmoot.named import NamedTuple
from guildmoot.packet.diff import GITLINK, LINK, Entry
from guildmoot.system.git import Git, GitError
from guildmoot.text.patterns import lazy

_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
MOST_MEDIA = 16_000_000
_MOST_TARGET = 200
_MOST_REPLACED = 0.3
_MOST_ODD = 0.1
_CONTROL = lazy("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_ODD = lazy("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f\u0370-\U0010ffff]")  # a wrong guess gives
_POINTER = lazy(  # Git LFS and those before it, git-annex, git-fat
    rb"\s*(?:version\s+https?://[^\n]*(?:git-lfs|hawser|git-media)|[^\s]*[/\\]annex[/\\]objects[/\\]|#\$# git-fat )"
)
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_NO_CONTENT = {"D": "deleted", "U": "conflict"}


class Refusal(NamedTuple):
    """Why a file has no text to show: a word of ``reasons`` and, where it helps, more."""

    reason: str
    detail: str = ""


_FOLDER = Refusal("submodule")  # git lists a folder only where another repository is
_LINK = Refusal("symlink")
_LINKED = Refusal("symlink", "one of its folders is a symbolic link")


def linked(target: str) -> Refusal:
    """A link is never followed; where it leads is told."""
    return Refusal("symlink", f"it points to {target[:_MOST_TARGET]!r}")


class DecodedText(NamedTuple):
    """A text, and how many bytes of it were no valid UTF-8."""

    text: str
    replaced: int = 0


class WorkTree:
    """The working tree below one folder, read without ever leaving it."""

    def __init__(self, root: str, limit: int) -> None:
        self._root = root
        self._limit = limit
        self._inside: dict[str, bool] = {"": True}

    def size(self, path: str) -> int | Refusal:
        """The size of a regular file within the limit."""
        if not self._is_inside(path.rpartition("/")[0]):
            return _LINKED
        full = f"{self._root}/{path}"
        try:
            found = _checked(os.lstat(full), self._limit)
            if found == _FOLDER and os.listdir(full) and not os.path.lexists(f"{full}/.git"):
                return Refusal("deleted", "a folder stands in its place")
            if found == _LINK:
                return linked(os.readlink(full))
        except OSError as error:
            return _refused(error)
        return found

    def read_media(self, path: str) -> bytes:
        """A file that is larger than a text may be; empty when it is too large for an image too."""
        if not self._is_inside(path.rpartition("/")[0]):
            return b""
        data = read_regular(f"{self._root}/{path}", MOST_MEDIA)
        return b"" if isinstance(data, Refusal) else data

    def read(self, path: str) -> bytes | Refusal:
        """The whole content of a regular file within the limit."""
        if not self._is_inside(path.rpartition("/")[0]):
            return _LINKED
        return read_regular(f"{self._root}/{path}", self._limit)

    def _is_inside(self, folder: str) -> bool:
        """Whether the folder is a real one: a link in its place could lead out of the tree."""
        known = self._inside.get(folder)
        if known is None:
            known = self._is_inside(folder.rpartition("/")[0]) and not os.path.islink(
                f"{self._root}/{folder}"
            )
            self._inside[folder] = known
        return known


def read_regular(path: str, limit: int) -> bytes | Refusal:
    """The whole content of a regular file; never blocks, never follows a link at the end."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        return _refused(error)
    try:
        size = _checked(os.fstat(descriptor), limit)
        return size if isinstance(size, Refusal) else _read(descriptor, size, limit)
    except OSError as error:
        return _refused(error)
    finally:
        os.close(descriptor)


def decode(data: bytes) -> DecodedText | Refusal:
    """The text of a file; a legacy encoding is shown with replacement characters, not dropped."""
    if _POINTER.match(data):
        return Refusal("pointer")
    for mark, encoding in _ENCODINGS:
        if data.startswith(mark):
            return _decode_marked(data, encoding)
    if b"\0" in data:
        return _decode_with_zeros(data)
    try:
        return DecodedText(data.decode())
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    replaced = text.count("\ufffd")
    if replaced > _MOST_REPLACED * len(text):
        return Refusal("not-utf8", f"{replaced} of {len(text)} characters cannot be read")
    return DecodedText(text, replaced)


def _decode_with_zeros(data: bytes) -> DecodedText | Refusal:
    """One zero byte does not make a text binary: interpreters run such files. UTF-16 may lack its mark."""
    for encoding in ("utf-8", "utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            odd = _CONTROL if encoding == "utf-8" else _ODD
            if len(odd.findall(text)) <= _MOST_ODD * len(text):
                return DecodedText(text)
    return Refusal("binary")


def _decode_marked(data: bytes, encoding: str) -> DecodedText | Refusal:
    try:
        return DecodedText(data.decode(encoding))
    except UnicodeDecodeError:
        return Refusal("binary")


def _read(descriptor: int, size: int, limit: int) -> bytes | Refusal:
    data = os.read(descriptor, size + 1)
    while len(data) <= limit and (more := os.read(descriptor, limit + 1 - len(data))):
        data += more  # it grew since it was measured, or the system gave a part only
    return data if len(data) <= limit else Refusal("too-large", f"more than {limit} bytes")


def _checked(info: os.stat_result, limit: int) -> int | Refusal:
    if stat.S_ISLNK(info.st_mode):
        return _LINK
    if stat.S_ISDIR(info.st_mode):
        return _FOLDER
    if not stat.S_ISREG(info.st_mode):
        return Refusal("unreadable", "it is a pipe, a socket or a device")
    if info.st_size > limit:
        return Refusal("too-large", f"{info.st_size} bytes, the limit is {limit}")
    return info.st_size


def _refused(error: OSError) -> Refusal:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return Refusal("deleted")
    if error.errno == errno.ELOOP:
        return Refusal("symlink")
    return Refusal("unreadable", (error.strerror or "it cannot be opened").lower())


class Blobs:
    """The new side of the entries, as a source of contents."""

    def __init__(
        self, git: Git, entries: Iterable[Entry], read: Callable[[str], bytes], limit: int
    ) -> None:
        self._entries = {entry.path: entry for entry in entries}
        self._read = read
        self._limit = limit
        wanted = [entry.oid for entry in self._entries.values() if _kind(entry) is None]
        self._sizes = git.sizes(wanted) if wanted else {}

    def size(self, path: str) -> int | Refusal:
        """The size of a file's new content."""
        entry = self._entries[path]
        refused = _kind(entry)
        if refused == _LINK:
            target = self.read(path)
            return target if isinstance(target, Refusal) else linked(os.fsdecode(target))
        if refused:
            return refused
        size = self._sizes.get(entry.oid)
        if size is None:
            return Refusal("unreadable", "git does not have its content")
        if size > self._limit:
            return Refusal("too-large", f"{size} bytes, the limit is {self._limit}")
        return size

    def read(self, path: str) -> bytes | Refusal:
        """A file's new content."""
        try:
            return self._read(self._entries[path].oid)
        except (GitError, OSError) as error:
            return Refusal("unreadable", str(error))

    def read_media(self, path: str) -> bytes:
        """A file that is larger than a text may be; empty when it is too large for an image too."""
        if self._sizes.get(self._entries[path].oid, MOST_MEDIA) >= MOST_MEDIA:
            return b""
        data = self.read(path)
        return b"" if isinstance(data, Refusal) else data

    def equal(self, tree: WorkTree, paths: Iterable[str]) -> bool:
        """Whether the working tree holds the same content under every one of the paths."""
        return all(tree.read(path) == self.read(path) for path in paths)


def _kind(entry: Entry) -> Refusal | None:
    """Why an entry has no content of its own, if it has none."""
    if entry.status in _NO_CONTENT:
        return Refusal(_NO_CONTENT[entry.status])
    if entry.mode == GITLINK:
        return Refusal("submodule")
    return _LINK if entry.mode == LINK else None
