"""What is put before the judges."""

from __future__ import annotations

from guildmoot.model.verdict import Finding

TYPE_CHECKING = False

if not TYPE_CHECKING:
    from guildmoot.model.verdict import Literal, NamedTuple
else:
    from typing import Literal, NamedTuple


class PacketFile(NamedTuple):
    """One file as the judges see it: secrets already masked."""

    path: str
    text: str
    sha256: str
    """Of the text as shown."""


class Omission(NamedTuple):
    """Something that was named but not put before the judges, and why."""

    path: str
    reason: str
    """One of the words in ``packet.request.REASONS``."""
    detail: str = ""
    unseen_by: Literal["", "tools", "everybody"] = ""
    """Of a change: who did not see it, so that it is not approved; ``tools`` when its diff is shown."""


class FileCheck(NamedTuple):
    """What was found by comparing a file that programs write with its base, in place of reading it."""

    path: str
    told: str
    """What was compared, in words."""
    findings: tuple[tuple[str, str, str], ...] = ()
    """Code, ERROR, WARNING or INFO, and the sentence."""
    doubt: str = ""
    """What the comparison could not tell, so that a person must look."""


class Recoded(NamedTuple):
    """A file that is no UTF-8 any more: the judges see it decoded, and those who run it do not."""

    path: str
    line: int
    level: Literal["ERROR", "WARNING"]
    message: str


class Masking(NamedTuple):
    """A secret that was held back from the judges."""

    path: str
    line: int
    kind: str
    certain: bool
    """The shape belongs to one token family; otherwise it only looks like a secret."""
    hides: bool = False
    """What was held back is no plain token: it could be code, which no judge saw."""
    random: bool = False
    """It stands beside a telling name and looks drawn from a hat, as what a program makes."""


class BaseFile(NamedTuple):
    """A file of a change as the base has it: its name there, and the name of its content in git."""

    path: str
    old: str
    oid: str


class RealTexts(tuple[tuple[str, str], ...]):
    """Path and unmasked text, for programs of this machine alone; no message shows them by accident."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} unmasked texts>"


class Section(NamedTuple):
    """Text beside the files: a diff, a spec, a plan, earlier decisions, empirical results."""

    kind: str
    title: str
    text: str


class Packet(NamedTuple):
    """What is put before every judge. Everything in it has passed the egress filter."""

    root: str
    """Absolute folder that the paths are relative to; never shown to a judge."""
    target: str
    """What the user asked to be judged, in words."""
    files: tuple[PacketFile, ...]
    sections: tuple[Section, ...]
    omitted: tuple[Omission, ...]
    masked: tuple[Masking, ...]
    changed: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    """For a diff: path and its changed line ranges (inclusive); empty when whole files are judged."""
    checkout: bool
    """The files are what lies in the working tree now, so tools may run there."""
    hash: str
    """SHA-256 over everything a judge can see."""
    base: str = ""
    """For a change: the commit that it is compared with; empty when whole files are judged."""
    checks: tuple[FileCheck, ...] = ()
    """Files that programs write, lock files above all: compared with the base instead of shown."""
    alerts: tuple[Finding, ...] = ()
    """Findings of our own about the change, whoever judges it."""
    before: tuple[BaseFile, ...] = ()
    """For a change: which of the files the base has too. Tools look at both, so that what is new is known."""
    beside: tuple[str, ...] = ()
    """For a change of which a part was named: what else it touches, so that nobody takes that for what the base has."""
    recoded: tuple[Recoded, ...] = ()
    """Files that the change leaves in an encoding that those who read them do not take."""
    real: tuple[tuple[str, str], ...] = ()
    """Of the files in which something was masked: in memory only, never in a record, a row, a prompt or the hash."""
