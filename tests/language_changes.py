"""What the judge of languages makes of a change: it reads both sides, and what is new counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from builders import call, packet
from guildmoot.agents.tools.languages import judge
from guildmoot.model.agent import Seat
from guildmoot.model.packet import BaseFile, PacketFile
from guildmoot.model.verdict import Finding, Judgement
from guildmoot.practices.before import Earlier
from guildmoot.practices.findings import NO_TRIALS, check_findings
from guildmoot.text.slips import passages

_SEAT = Seat("languages", "languages", "tool", "guildmoot")
Files = dict[str, str]


def new_findings(
    folder: Path, patch: pytest.MonkeyPatch, before: Files, after: Files
) -> list[Finding]:
    """What counts of what is found after the change."""
    said = {}
    for side, files in (("before", before), ("after", after)):
        said[side] = _judged(folder / side, patch, files)
    shown = tuple(PacketFile(path, text, "") for path, text in after.items())
    base = packet([PacketFile(path, text, "") for path, text in before.items()])
    changed = tuple((path, _changed(before.get(path, ""), text)) for path, text in after.items())
    both = tuple(BaseFile(path, path, "") for path in after if path in before)
    found = check_findings(
        [Judgement("languages", "flagged", said["after"], computed=True)],
        [call("tool", seat=_SEAT, files=tuple(after))],
        packet(shown, changed=changed, before=both, root=str(folder)),
        NO_TRIALS,
        Earlier({"languages": Judgement("x", "flagged", said["before"], computed=True)}, base),
    )
    return list(found.judgements[0].findings)


def _changed(before: str, after: str) -> tuple[tuple[int, int], ...]:
    """The lines that are not as before."""
    return tuple((each.first, each.last) for each in passages(before, after))


def _judged(folder: Path, patch: pytest.MonkeyPatch, files: Files) -> tuple[Finding, ...]:
    folder.mkdir(exist_ok=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    patch.chdir(folder)
    return tuple(
        Finding(
            "languages",
            each.code,
            each.message,
            severity="high" if each.severity == "ERROR" else "medium",
            blocking=each.severity == "ERROR",
            path=each.path,
            line=each.line,
            proven=True,
        )
        for path in files
        for each in judge(path, names=True)
    )
