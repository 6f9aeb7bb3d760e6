"""Tells which files of some folders changed since it was asked last, without looking at each of them (Linux).

For a process that answers many questions: the system queues a change before the writer goes on, so the next question
sees it. Where the system has no such thing, ``None`` says that everything must be looked at.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

_MASK = 0x2 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x4
"""Modified, closed after writing, moved from and to, created, deleted, itself deleted or moved, attributes."""
_OVERFLOW, _IS_FOLDER, _SELF = 0x4000, 0x40000000, 0x400 | 0x800
_EVENT = struct.Struct("iIII")


class FolderWatch:
    """Watches folders; not what lies in folders below them."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._names: dict[int, str] = {}
        self._handle = -1
        try:
            library = ctypes.CDLL(None, use_errno=True)
            self._handle = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            for folder in folders if self._handle >= 0 else ():
                number = library.inotify_add_watch(self._handle, os.fsencode(folder), _MASK)
                if number < 0:
                    self.close()
                    break
                self._names[number] = folder
        except (OSError, AttributeError):  # no such library, or no such function in it
            self.close()

    def changed(self) -> set[str] | None:
        """Paths of files that changed since the last call; None when that cannot be told."""
        if self._handle < 0:
            return None
        found: set[str] = set()
        while True:
            try:
                data = os.read(self._handle, 1 << 18)
            except BlockingIOError:
                return found
            except OSError:
                self.close()
                return None
            at = 0
            while at < len(data):
                number, mask, _, length = _EVENT.unpack_from(data, at)
                name = data[at + _EVENT.size : at + _EVENT.size + length].rstrip(b"\0")
                at += _EVENT.size + length
                if mask & (_OVERFLOW | _IS_FOLDER | _SELF) or number not in self._names:
                    self.close()  # folders came or went: everything is looked at, and watched anew
                    return None
                found.add(os.path.join(self._names[number], os.fsdecode(name)))

    def close(self) -> None:
        """Watch no more."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1
