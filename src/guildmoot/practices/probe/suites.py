"""The probe bank: one JSON file a probe, meant to be read, reviewed and committed.

A probe is a packet and the answer that is known to be right. Texts are kept as lists of lines, so that
a change to a probe is a change to a line. What is read back passes the egress filter again: a bank is
a file like any other, and somebody may have edited it.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from guildmoot.codec import from_plain, to_plain
from guildmoot.errors import UsageError, did_you_mean
from guildmoot.guard.records import is_tracked
from guildmoot.memory import calibration
from guildmoot.memory.calibration import Removal, append, record_path
from guildmoot.model.packet import Omission, Packet, Section
from guildmoot.packet import REASONS, PacketRequest, build_packet
from guildmoot.packet.egress import Draft, release
from guildmoot.system.files import place_inside, refuse_links, write_atomic
from guildmoot.system.jsonio import dumps

if TYPE_CHECKING:
    from guildmoot.consensus.votes.standing import Standing

SCHEMA_VERSION = 1
NEARBY = 3
"""Lines that a finding may lie beside the expected one."""

GoldVerdict = Literal["approved", "flagged"]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


_PLACE = re.compile(r"(?P<path>.+?)(?::(?P<line>\d+))?(?::(?P<code>[A-Za-z][\w./-]*))?")


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


class NewProbe(NamedTuple):
    """Work to keep as a probe, and the answer that is known to be right."""

    name: str
    verdict: GoldVerdict
    packet: PacketRequest
    findings: tuple[str, ...] = ()
    """``PATH[:LINE][:CODE]`` of places that must be named."""
    why: str = ""


def default_bank(root: Path) -> Path:
    """Where probes lie unless another folder is named."""
    return place_inside(root, ".guild/probes")


def check_name(name: str) -> None:
    """A probe's name is the name of its file."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name a probe",
            "Use up to 80 letters, digits, dots, dashes and underscores; begin with a letter or digit.",
        )


def make_case(new: NewProbe) -> GoldCase:
    """The probe, with what judges would see of the work as it is now."""
    check_name(new.name)
    packet = build_packet(new.packet)
    expected = tuple(_expected(text, packet) for text in new.findings)
    if expected and new.verdict == "approved":
        raise UsageError("--finding was given with --expect approved", "Leave one of them out.")
    return GoldCase(new.name, new.verdict, packet, expected, new.why)


def _expected(text: str, packet: Packet) -> Expected:
    from difflib import get_close_matches

    match = _PLACE.fullmatch(text)
    path, line = (match["path"], int(match["line"] or 0)) if match else (text, 0)
    texts = {file.path: file.text for file in packet.files}
    if path not in texts:
        near = get_close_matches(path, texts, n=3, cutoff=0.3) or list(texts)[:3]
        raise UsageError(f"--finding {text}: the probe has no file {path!r}",
                         f"It has {', '.join(near)}.")  # fmt: skip
    last = texts[path].count("\n") + (not texts[path].endswith("\n"))
    if line > last:
        raise UsageError(f"--finding {text}: {path} has {last} lines")
    return Expected(path, line, (match["code"] or "") if match else "")


def add_case(bank: Path, case: GoldCase) -> Path:
    """Write a new probe and return its file; an existing one is never replaced."""
    check_name(case.name)
    path = bank / f"{case.name}.json"
    if path.exists():
        raise UsageError(
            f"there is already a probe {case.name!r}: {path}",
            f"Choose another name, or take that one away: 'guild probe remove {case.name}'.",
        )
    refuse_links(path)
    bank.mkdir(parents=True, exist_ok=True)
    write_atomic(path, (dumps(_plain(case)) + "\n").encode())
    return path


def remove_case(bank: Path, name: str, root: Path | None = None) -> Path:
    """Delete a probe's file and return where it was; its answers on ``root``'s record count no more."""
    known = [path.stem for path in _files(bank)]
    if name not in known:
        hint = did_you_mean(name, known, "'guild probe list' shows them.", most=3)
        raise UsageError(f"there is no probe {name!r} in {bank}", hint)
    path = bank / f"{name}.json"
    path.unlink()
    if root and record_path(root).exists():
        append(root, [Removal(name, datetime.now(UTC).isoformat(timespec="seconds"))])
    return path


def read_bank(bank: Path, root: Path) -> list[GoldCase]:
    """Every probe, by name; a broken file is an error, for a bank that shrinks unseen measures less."""
    return [_read(path, root) for path in _files(bank)]


def read_standing(root: Path) -> Standing:
    """How far each seat can be trusted, from all probe runs and dispositions."""
    from guildmoot.consensus.votes.standing import assess

    if is_tracked(root, calibration.FILE):
        raise UsageError(
            f"git tracks {calibration.FILE}, so it may be anybody's and is not believed",
            f"If it is yours: git rm --cached {calibration.FILE}",
        )
    ledger = calibration.read(root)
    if not ledger.votes and not ledger.dispositions:
        raise UsageError("nothing was measured here yet", "'guild probe run' does that.")
    return assess(ledger)


def _files(bank: Path) -> list[Path]:
    return sorted(path for path in bank.glob("*.json") if not path.name.startswith("."))


class _Gold(NamedTuple):
    verdict: GoldVerdict
    findings: tuple[Expected, ...] = ()


class _Lines(NamedTuple):
    """A file or a section, its text as a list of lines."""

    lines: tuple[str, ...]
    path: str = ""
    kind: str = ""
    title: str = ""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


class _Changed(NamedTuple):
    path: str
    ranges: tuple[tuple[int, int], ...]


class _ProbeFile(NamedTuple):
    """A probe as it stands in its file."""

    schema_version: int
    name: str
    gold: _Gold
    note: str = ""
    target: str = ""
    files: tuple[_Lines, ...] = ()
    sections: tuple[_Lines, ...] = ()
    omitted: tuple[Omission, ...] = ()
    changed: tuple[_Changed, ...] = ()


def _plain(case: GoldCase) -> dict[str, object]:
    packet = case.packet
    probe = _ProbeFile(
        SCHEMA_VERSION,
        case.name,
        _Gold(case.verdict, case.findings),
        case.note,
        packet.target,
        omitted=packet.omitted,
        changed=tuple(_Changed(path, ranges) for path, ranges in packet.changed),
    )
    plain: dict[str, object] = to_plain(probe)
    found = [
        {key: value for key, value in to_plain(each).items() if value} for each in case.findings
    ]
    files = [{"path": file.path, "lines": file.text.split("\n")} for file in packet.files]
    sections = [
        {"kind": part.kind, "title": part.title, "lines": part.text.split("\n")}
        for part in packet.sections
    ]
    gold = {"verdict": case.verdict, "findings": found}
    return {**plain, "gold": gold, "files": files, "sections": sections}


def _read(path: Path, root: Path) -> GoldCase:
    refuse_links(path)
    try:
        return _case(from_plain(_ProbeFile, json.loads(path.read_bytes())), path.stem, root)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{path} is no probe: {error}", "Mend the file, or take it out of the bank."
        ) from None


def _case(probe: _ProbeFile, name: str, root: Path) -> GoldCase:
    """The probe in a file of that name; ValueError says what is wrong with it."""
    if probe.schema_version != SCHEMA_VERSION:
        raise ValueError(f"schema_version is not {SCHEMA_VERSION}")
    if probe.name != name:
        raise ValueError(f"its name is {probe.name!r}, that of the file is {name!r}")
    if probe.gold.findings and probe.gold.verdict == "approved":
        raise ValueError("it expects findings and an approval")
    packet = release(_draft(probe, root))
    if not packet.files and not packet.sections:
        raise ValueError("nothing in it may be shown to a judge")
    return GoldCase(name, probe.gold.verdict, packet, probe.gold.findings, probe.note)


def _draft(probe: _ProbeFile, root: Path) -> Draft:
    for file in probe.files:
        if any(part in ("", ".", "..") or "\0" in part for part in file.path.split("/")):
            raise ValueError(f"the path {file.path!r} leads out of the packet")
    if len({file.path for file in probe.files}) != len(probe.files):
        raise ValueError("two of its files have the same path")
    for item in probe.omitted:
        if item.reason not in REASONS:
            raise ValueError(f"the reason {item.reason!r} is none of {', '.join(REASONS)}")
    return Draft(
        root=str(root),
        target=probe.target,
        files=[(file.path, file.text) for file in probe.files],
        sections=[Section(part.kind, part.title, part.text) for part in probe.sections],
        omitted=probe.omitted,
        changed={each.path: each.ranges for each in probe.changed},
    )
