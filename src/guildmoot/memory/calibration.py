"""``.guild/calibration.jsonl``: what each seat answered to each probe, and what people made of findings.

One JSON object a line, only ever appended: under a lock, synced, and never behind half a line that a
killed process left. A line that cannot be read is counted and passed over. What the lines amount to
is for ``consensus.votes.history``. A record that git tracks is not believed, nor a line without this user's
proof: whoever wrote the repository, or a patch to it, could call an honest seat fooled with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from guildmoot.codec import CodecError, from_plain, to_plain
from guildmoot.consensus.votes.history import CastVote, Disposition, VoteHistory
from guildmoot.guard.nonce import PROOF, is_proven, make_proof
from guildmoot.guard.records import own_rows
from guildmoot.named import NamedTuple
from guildmoot.system.files import append_rows, folder_inside

FILE = Path(".guild", "calibration.jsonl")
SCHEMA_VERSION = 1


class Removal(NamedTuple):
    """A probe was taken out of the bank: what was answered to it before no longer counts."""

    probe: str
    ts: str = ""


Entry = CastVote | Disposition | Removal
_KINDS: dict[str, type[CastVote] | type[Disposition] | type[Removal]] = {
    "vote": CastVote,
    "disposition": Disposition,
    "removal": Removal,
}
_NAMES = {cls: kind for kind, cls in _KINDS.items()}


def record_path(root: Path) -> Path:
    """Where the record of this repository lies."""
    return root / FILE


def append(root: Path, entries: Iterable[Entry]) -> None:
    """Add the entries in one piece; any number of processes may do so at once."""
    rows = [
        {"kind": _NAMES[type(entry)], "schema_version": SCHEMA_VERSION, **to_plain(entry)}
        for entry in entries
    ]
    rows = [{**row, PROOF: make_proof(row)} for row in rows]
    # ASCII only: no separator that some reader takes for the end of a line can stand inside one.
    encode = json.JSONEncoder(allow_nan=False).encode
    append_rows(folder_inside(root, FILE.parent) / FILE.name, rows, encode)


def read(root: Path) -> VoteHistory:
    """All entries in the order they came, without what was answered to probes removed since."""
    votes: list[CastVote] = []
    dispositions: list[Disposition] = []
    bad = foreign = 0
    for row in own_rows(root, FILE):
        entry = _entry(row or {})
        if entry and not is_proven(row or {}):
            foreign += 1
        elif isinstance(entry, CastVote):
            votes.append(entry)
        elif isinstance(entry, Disposition):
            dispositions.append(entry)
        elif isinstance(entry, Removal):
            votes = [vote for vote in votes if vote.probe != entry.probe or vote.canary]
        else:
            bad += 1
    return VoteHistory(tuple(votes), tuple(dispositions), bad, foreign)


def _entry(row: Mapping[str, object]) -> Entry | None:
    """What a line says; None when it says nothing that fits: a hand may have been in the file."""
    kind = _KINDS.get(str(row.get("kind")))
    try:
        return from_plain(kind, row) if kind else None
    except CodecError:
        return None
