"""The probe bank: one JSON file a probe, meant to be read, reviewed and committed.

A probe is a packet and the answer that is known to be right. Texts are kept as lists of lines, so that
a change to a probe is a change to a line. What is read back passes the egress filter again: a bank is
a file like any other, and somebody may have edited it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar, cast

from guildmoot.errors import UsageError
from guildmoot.model.packet import Omission, Packet, Section
from guildmoot.packet import REASONS
from guildmoot.packet.egress import Draft, release
from guildmoot.system.files import write_atomic
from guildmoot.system.jsonio import dumps

SCHEMA_VERSION = 1
NEARBY = 3
"""Lines that a finding may lie beside the expected one."""

GoldVerdict = Literal["approved", "flagged"]
T = TypeVar("T")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


class Expected(NamedTuple):
    """A finding that a judge of a defective probe should report."""

    path: str
    line: int = 0
    """0: anywhere in the file."""
    code: str = ""
    """For readers; judges name the same defect by different codes."""
    about: str = ""

    @property
    def place(self) -> str:
        """``app.py:3``."""
        return f"{self.path}:{self.line}" if self.line else self.path


class GoldCase(NamedTuple):
    """A packet with a known answer."""

    name: str
    verdict: GoldVerdict
    packet: Packet
    findings: tuple[Expected, ...] = ()
    note: str = ""


def default_bank(root: Path) -> Path:
    """Where probes lie unless another folder is named."""
    return root / ".guild" / "probes"


def check_name(name: str) -> None:
    """A probe's name is the name of its file."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name a probe",
            "Use up to 80 letters, digits, dots, dashes and underscores; begin with a letter or digit.",
        )


def add_case(bank: Path, case: GoldCase) -> Path:
    """Write a new probe and return its file; an existing one is never replaced."""
    check_name(case.name)
    path = bank / f"{case.name}.json"
    if path.exists():
        raise UsageError(
            f"there is already a probe {case.name!r}: {path}",
            f"Choose another name, or take that one away: 'guild probe remove {case.name}'.",
        )
    bank.mkdir(parents=True, exist_ok=True)
    write_atomic(path, (dumps(_plain(case)) + "\n").encode())
    return path


def remove_case(bank: Path, name: str) -> Path:
    """Delete a probe's file and return where it was."""
    known = [path.stem for path in _files(bank)]
    if name not in known:
        near = get_close_matches(name, known, n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else "'guild probe list' shows them."
        raise UsageError(f"there is no probe {name!r} in {bank}", hint)
    path = bank / f"{name}.json"
    path.unlink()
    return path


def read_bank(bank: Path, root: Path) -> list[GoldCase]:
    """Every probe, by name; a broken file is an error, for a bank that shrinks unseen measures less."""
    return [_read(path, root) for path in _files(bank)]


def _files(bank: Path) -> list[Path]:
    return sorted(path for path in bank.glob("*.json") if not path.name.startswith("."))


def _plain(case: GoldCase) -> dict[str, object]:
    packet = case.packet
    return {
        "schema_version": SCHEMA_VERSION,
        "name": case.name,
        "note": case.note,
        "gold": {
            "verdict": case.verdict,
            "findings": [_without_empty(item._asdict()) for item in case.findings],
        },
        "target": packet.target,
        "files": [{"path": file.path, "lines": file.text.split("\n")} for file in packet.files],
        "sections": [
            {"kind": part.kind, "title": part.title, "lines": part.text.split("\n")}
            for part in packet.sections
        ],
        "omitted": [item._asdict() for item in packet.omitted],
        "changed": [
            {"path": path, "ranges": [list(each) for each in ranges]}
            for path, ranges in packet.changed
        ],
    }


def _without_empty(data: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in data.items() if value}


def _read(path: Path, root: Path) -> GoldCase:
    try:
        data = json.loads(path.read_bytes())
        return _case(data, path.stem, root)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{path} is no probe: {error}", "Mend the file, or take it out of the bank."
        ) from None


def _case(data: object, name: str, root: Path) -> GoldCase:
    """A probe from its JSON; ValueError says what is wrong with it."""
    body = _Reader(data, "the file")
    if body.value("schema_version", int) != SCHEMA_VERSION:
        raise ValueError(f"schema_version is not {SCHEMA_VERSION}")
    if body.text("name") != name:
        raise ValueError(f"its name is {body.text('name')!r}, that of the file is {name!r}")
    gold = _Reader(body.value("gold", dict), "gold")
    verdict = gold.text("verdict")
    if verdict not in ("approved", "flagged"):
        raise ValueError(f"gold.verdict is {verdict!r}, not approved or flagged")
    expected = tuple(
        Expected(
            item.text("path"),
            item.value("line", int, 0),
            item.text("code", ""),
            item.text("about", ""),
        )
        for item in gold.items("findings")
    )
    if expected and verdict == "approved":
        raise ValueError("it expects findings and an approval")
    packet = release(_draft(body, root))
    if not packet.files and not packet.sections:
        raise ValueError("nothing in it may be shown to a judge")
    return GoldCase(name, cast(GoldVerdict, verdict), packet, expected, body.text("note", ""))


def _draft(body: _Reader, root: Path) -> Draft:
    files = [(_path(item.text("path")), item.lines()) for item in body.items("files")]
    if len({path for path, _ in files}) != len(files):
        raise ValueError("two of its files have the same path")
    return Draft(
        root=str(root),
        target=body.text("target", ""),
        files=files,
        sections=[
            Section(item.text("kind"), item.text("title"), item.lines())
            for item in body.items("sections")
        ],
        patches=[],
        diff_title="",  # the diff of a probe is one of its sections
        omitted=[_omission(item) for item in body.items("omitted")],
        changed={item.text("path"): _ranges(item) for item in body.items("changed")},
        checkout=False,
    )


def _path(path: str) -> str:
    if any(part in ("", ".", "..") or "\0" in part for part in path.split("/")):
        raise ValueError(f"the path {path!r} leads out of the packet")
    return path


def _omission(item: _Reader) -> Omission:
    reason = item.text("reason")
    if reason not in REASONS:
        raise ValueError(f"{item.where}: the reason {reason!r} is none of {', '.join(REASONS)}")
    return Omission(item.text("path"), reason, item.text("detail", ""))


def _ranges(item: _Reader) -> tuple[tuple[int, int], ...]:
    ranges = item.value("ranges", list)
    for each in ranges:
        if not (isinstance(each, list) and [type(end) for end in each] == [int, int]):
            raise ValueError(f"{item.where}: a range is two line numbers, not {each!r}")
    return tuple((first, last) for first, last in ranges)


class _Reader:
    """Reads typed fields from JSON; what is missing or of another type is a ValueError."""

    def __init__(self, data: object, where: str) -> None:
        if not isinstance(data, dict):
            raise ValueError(f"{where} is not an object")
        self._data: dict[str, object] = data
        self.where = where

    def value(self, key: str, kind: type[T], default: T | None = None) -> T:
        found = self._data.get(key, default)
        if not isinstance(found, kind) or isinstance(found, bool):
            raise ValueError(f"{self.where}: {key} must be of type {kind.__name__}")
        return found

    def text(self, key: str, default: str | None = None) -> str:
        return self.value(key, str, default)

    def items(self, key: str) -> list[_Reader]:
        found: Sequence[object] = self.value(key, list, [])
        return [_Reader(each, f"{key}[{number}]") for number, each in enumerate(found)]

    def lines(self) -> str:
        lines = self.value("lines", list)
        if not all(isinstance(line, str) for line in lines):
            raise ValueError(f"{self.where}: lines must be texts")
        return "\n".join(lines)
