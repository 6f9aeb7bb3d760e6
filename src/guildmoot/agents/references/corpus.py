"""Which files of many hold a word: from memory, where git would read all of them for each word. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

_MOST_PARTS = 300_000
"""Places in the middle of other words, after which a pattern finds whole ones sooner."""
_BETWEEN = b"\n"
_OF_WORDS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


class Corpus:
    """The bytes of many files in one row, searched as ``git grep -w -F`` searches them."""

    def __init__(self, texts: Iterable[tuple[str, bytes]]) -> None:
        pieces, at = list[bytes](), 0
        self._paths: list[str] = []
        self._starts: list[int] = []
        for path, data in texts:
            self._paths.append(path)
            self._starts.append(at)
            pieces += [data, _BETWEEN]
            at += len(data) + len(_BETWEEN)
        self._all = b"".join(pieces)
        self._starts.append(at)

    def users(self, word: str) -> list[str]:
        """Those that hold the word, in their order."""
        sought, found, parts = word.encode(), list[str](), 0
        at = self._all.find(sought) if sought else -1
        while at >= 0 and parts < _MOST_PARTS:
            if self._is_whole(at, at + len(sought)):
                file = bisect_right(self._starts, at) - 1
                found.append(self._paths[file])
                at = self._all.find(sought, self._starts[file + 1])
            else:
                parts += 1
                at = self._all.find(sought, at + 1)
        return found + self._whole_words(sought, at) if at >= 0 else found

    def _whole_words(self, sought: bytes, at: int) -> list[str]:
        """The rest of them, for letters that are part of many words."""
        found = list[str]()
        pattern = re.compile(rb"(?<![0-9A-Za-z_])" + re.escape(sought) + rb"(?![0-9A-Za-z_])")
        while hit := pattern.search(self._all, at):
            file = bisect_right(self._starts, hit.start()) - 1
            found.append(self._paths[file])
            at = self._starts[file + 1]
        return found

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether no letter goes on before or behind; the row ends with none."""
        return self._all[end] not in _OF_WORDS and not (start and self._all[start - 1] in _OF_WORDS)
