"""Who put which words into the wiki: ``.guild/wiki/.provenance.jsonl``, by which a page is trusted or not.

A row holds the hash of a page's bytes and carries a proof that this user wrote it, so a repository cannot bring
trust along, and a page that was edited since is no longer the one that somebody vouched for. What was closed stays
closed when its old bytes come back. Decisions and closings are kept in the user's own folder too, where no change
of the repository takes them away.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.guard.nonce import PROOF, is_proven, make_nonce, make_proof
from guildmoot.guard.scrub import operator_scrubber
from guildmoot.memory.wiki.places import WIKI
from guildmoot.system.files import append_rows, folder_inside, read_rows
from guildmoot.system.git import Git, GitError
from guildmoot.system.state import user_state_folder

FILE = WIKI / ".provenance.jsonl"
Deed = Literal["ingested", "promoted", "decided", "retired", "superseded"]
_VOUCHED = ("promoted", "decided")
_CLOSING = ("retired", "superseded")
Trust = Literal["reviewed", "synthesized", "untrusted"]
_BY_HAND = "nobody vouched for these words: written or edited by hand"


class Provenance(NamedTuple):
    """What is known of where a page's words come from."""

    trust: Trust
    reason: str
    """In words, for people."""


def page_hash(data: bytes) -> str:
    """By which words are known again."""
    return hashlib.sha256(data).hexdigest()


def record_deed(
    root: Path, deed: Deed, path: str, data: bytes, by: str, at: str, *, before: bytes = b""
) -> None:
    """Keep who did what to a page that now has these bytes; the caller holds the lock of the wiki."""
    row: dict[str, object] = {
        "deed": deed, "path": path, "sha256": page_hash(data), "by": by, "at": at, "root": str(root),
        "repository": repository_of(root),
    }  # fmt: skip
    if deed in _CLOSING:
        row["before"] = page_hash(before)
    if deed == "decided":
        row["text"] = data.decode("utf-8", "replace")
    masked = operator_scrubber().value(row).value
    told = masked if isinstance(masked, dict) else row
    proven = {**told, PROOF: make_proof(told)}
    folder_inside(root, WIKI)
    append_rows(root / FILE, [proven])
    if deed in (*_CLOSING, "decided"):
        with suppress(OSError):  # the register in the project has it
            _own_file().parent.mkdir(parents=True, exist_ok=True)
            append_rows(_own_file(), [proven])


def _own_file() -> Path:
    return user_state_folder() / "wiki-deeds.jsonl"


@cache
def repository_of(root: Path) -> str:
    """The first commit, by which a repository is known wherever it lies; empty without one."""
    try:
        found = Git(root).run("rev-list", "--first-parent", "--max-parents=0", "HEAD", "--")
    except GitError:
        return ""
    return found.decode().strip()


def recall_mark(root: Path) -> str:
    """What answers from this wiki carry, and no text that is put in may."""
    return make_nonce("recall", str(root))


class Register:
    """The rows that count, read again when a file changed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files = (root / FILE, _own_file())
        self._seen: tuple[tuple[int, int], ...] = ()
        self._known: dict[str, dict[str, Provenance]] = {}
        self._vouched: dict[tuple[str, str], None] = {}
        self._decided: dict[str, str] = {}

    def provenance(self, path: str, sha256: str) -> Provenance:
        """How far a page with these words is trusted, and why."""
        self._refresh()
        known = self._known.get(path, {}).get(sha256)
        return known or Provenance("untrusted", _BY_HAND)

    def reviewed(self) -> list[tuple[str, str]]:
        """Path and hash of every page that somebody vouched for, as it was then; the newest first."""
        self._refresh()
        return list(self._vouched)[::-1]

    def decided(self) -> dict[str, str]:
        """By path the decisions that stand, as they were recorded, whatever their pages say now."""
        self._refresh()
        return dict(self._decided)

    def _refresh(self) -> None:
        seen = tuple(map(_state, self._files))
        if seen == self._seen:
            return
        self._seen, self._known, self._vouched, self._decided = seen, {}, {}, {}
        for row in self._rows():
            self._take_in(row)

    def _rows(self) -> Iterator[dict[str, object]]:
        """Each proven row once, by time: one that was put in again, or moved, tells nothing new."""
        once: dict[str, dict[str, object]] = {}
        for file in self._files:
            for row in read_rows(file):
                if row and self._is_here(row, file) and is_proven(row):
                    once.setdefault(str(row[PROOF]), row)
        yield from sorted(once.values(), key=lambda row: str(row.get("at")))

    def _is_here(self, row: dict[str, object], file: Path) -> bool:
        """Of this folder; or in the register that a repository carried along when it was moved or cloned."""
        if row.get("root") == str(self._root):
            return True
        known = row.get("repository")
        return bool(known) and file == self._files[0] and known == repository_of(self._root)

    def _take_in(self, row: dict[str, object]) -> None:
        deed, path, sha256 = (str(row.get(name)) for name in ("deed", "path", "sha256"))
        who = f"{deed} by {row.get('by')} on {str(row.get('at'))[:10]}"
        known = self._known.setdefault(path, {})
        if deed in _CLOSING:
            was = known.get(str(row.get("before")))
            for old in known:
                known[old] = Provenance("untrusted", f"{who}; these are its words of before")
                self._vouched.pop((path, old), None)
            self._decided.pop(path, None)
            known[sha256] = Provenance(was.trust if was else "untrusted", who)
        elif deed in _VOUCHED:
            if (path, sha256) not in self._vouched:
                known[sha256] = Provenance("reviewed", who)
                self._vouched[path, sha256] = None
            if deed == "decided" and "text" in row:
                self._decided[path] = str(row["text"])
        elif (path, sha256) not in self._vouched:
            known[sha256] = Provenance("synthesized", f"{who}, not promoted by anyone")


def _state(file: Path) -> tuple[int, int]:
    try:
        known = os.stat(file)
    except OSError:
        return 0, 0
    return known.st_mtime_ns, known.st_size
