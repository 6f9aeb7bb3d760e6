"""Texts in which nothing had to be masked, remembered: the same text is not searched again.

A text is known by its hash under a secret of the user's and counts for one path and one version of the
rules, so no repository can bring a text that passes for another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from guildmoot.system.cache import code_version, recall, remember, sealing_secret

WORTH = 500_000
"""Letters from which on looking up is quicker than looking."""
_NAME = "clean-texts"
_SIZE = 16
_MOST = 60_000
"""Texts that are remembered, a megabyte of hashes."""
_RULES = ("guard", "text", "model")


class CleanTexts:
    """What is known of the texts of one packet."""

    def __init__(self, files: Sequence[tuple[str, str]]) -> None:
        self._secret, self._version = b"", ""
        self._old: dict[bytes, None] = {}
        self._now: dict[bytes, None] = {}
        if sum(len(text) for _, text in files) >= WORTH:
            self._secret, self._version = sealing_secret(), code_version(*_RULES)
        if self._secret:
            kept = recall(_NAME, self._version) or b""
            pieces = (kept[at : at + _SIZE] for at in range(0, len(kept), _SIZE))
            self._old = dict.fromkeys(pieces)

    def holds(self, path: str, text: str) -> bool:
        """Whether nothing was masked in this text before."""
        if not self._secret:
            return False
        digest = self._digest(path, text)
        if digest not in self._old:
            return False
        self._now[digest] = None
        return True

    def add(self, path: str, text: str) -> None:
        """Nothing was masked in it."""
        if self._secret:
            self._now[self._digest(path, text)] = None

    def keep(self) -> None:
        """Remember what is new, and of the rest what was used last."""
        if self._now.keys() - self._old.keys():
            every = list(self._now | self._old)[:_MOST]
            remember(_NAME, self._version, b"".join(every))

    def _digest(self, path: str, text: str) -> bytes:
        data = f"{path}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=_SIZE, key=self._secret).digest()
