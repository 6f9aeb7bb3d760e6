"""``.guild/calibration.jsonl``: what each seat answered to each probe, and what people made of findings.

One JSON object a line, only ever appended: under a lock, synced, and never behind half a line that a
killed process left. A line that cannot be read is counted and passed over. What the lines amount to
is for ``consensus.ledger``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from guildmoot.consensus.votes.ballots import Probe, Rule
from guildmoot.consensus.votes.history import CastVote, Disposition, VoteHistory, fit, labelled
from guildmoot.system.atomic import locked

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
_CHOICES: Mapping[str, tuple[object, ...]] = {
    "gold": (True, False),
    "vote": (True, False, None),
    "right": (True, False, None),
    "disposition": ("accepted", "dismissed", "fixed"),
    "outcome": ("approved", "flagged", "recused", "operator-judgment", "unreadable", "absent"),
}
_NUMBERS = ("repeat", "line")
_LISTS = ("seats", "families")


def record_path(root: Path) -> Path:
    """Where the record of this repository lies."""
    return root / ".guild" / "calibration.jsonl"


def append(root: Path, entries: Iterable[Entry]) -> None:
    """Add the entries in one piece; any number of processes may do so at once."""
    data = "".join(_line(entry) for entry in entries).encode()
    if not data:
        return
    path = record_path(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path), path.open("a+b") as stream:
        end = stream.seek(0, os.SEEK_END)
        if end:
            stream.seek(end - 1)
            torn = stream.read(1) != b"\n"
            data = b"\n" + data if torn else data
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def read(root: Path) -> VoteHistory:
    """All entries in the order they came, without what was answered to probes removed since."""
    try:
        lines = record_path(root).read_bytes().splitlines()
    except FileNotFoundError:
        lines = []
    votes: list[CastVote] = []
    dispositions: list[Disposition] = []
    bad = 0
    for line in lines:
        entry = _parsed(line)
        if isinstance(entry, CastVote):
            votes.append(entry)
        elif isinstance(entry, Disposition):
            dispositions.append(entry)
        elif isinstance(entry, Removal):
            votes = [vote for vote in votes if vote.probe != entry.probe or vote.canary]
        else:
            bad += bool(line.strip())
    return VoteHistory(tuple(votes), tuple(dispositions), bad)


def load_rule(root: Path) -> Rule | None:
    """The rule that the record of this repository fits, for the policy ``weighted``."""
    return fit(read(root))


def load_probes(root: Path) -> tuple[Probe, ...]:
    """The seats' newest answers to the probes, for counting who errs together; no fooled seats."""
    return tuple(labelled(read(root))[0])


def _line(entry: Entry) -> str:
    body = {"kind": _NAMES[type(entry)], "schema_version": SCHEMA_VERSION, **entry._asdict()}
    # ASCII only: no separator that some reader takes for the end of a line can stand inside one.
    return json.dumps(body, ensure_ascii=True, allow_nan=False) + "\n"


def _parsed(line: bytes) -> Entry | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    cls = _KINDS.get(str(data.get("kind"))) if isinstance(data, dict) else None
    if cls is None:
        return None
    fields = {key: data[key] for key in cls._fields if key in data}
    required = [key for key in cls._fields if key not in cls._field_defaults]
    if any(key not in fields for key in required) or not all(map(_is_sound, fields.items())):
        return None
    for key in _LISTS:
        if key in fields:
            fields[key] = tuple(fields[key])
    return cls(**fields)


def _is_sound(item: tuple[str, object]) -> bool:
    """Whether a field holds what its name says; a hand may have been in the file."""
    key, value = item
    if key in _CHOICES:
        return any(value is choice or (value == choice and isinstance(value, str))
                   for choice in _CHOICES[key])  # fmt: skip
    if key in _NUMBERS:
        return isinstance(value, int) and not isinstance(value, bool)
    if key in _LISTS:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    return isinstance(value, str)
