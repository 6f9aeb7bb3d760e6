"""What a phase came to so far, from its records alone: the same figures after a kill as without one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.loops.confidence.inventory import DONE, FLAGGED, QUARANTINED, UNCHANGED
from guildmoot.loops.confidence.tiers import HIGHEST
from guildmoot.loops.workshop import git
from guildmoot.projects.checkins import list_checkins
from guildmoot.projects.errors import RecordError
from guildmoot.projects.store import Project

if TYPE_CHECKING:
    from guildmoot.loops.confidence.inventory import InventoryItem
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.projects.manifest import Record

_UNIT = re.compile(r"tier (\d+): \d+ items")
_RAN = re.compile(r"(.+): exit code (\d+) in ([0-9.]+) s")
_NAMED = re.compile(r"^Check-in (\d+) of (\S+)$", re.MULTILINE)


def tier_rows(items: Iterable[InventoryItem], proof: Sequence[Record]) -> tuple[Record, ...]:
    """One row for each tier that the loop carries out."""
    units = Counter(int(row["tier"]) for row in proof)
    marks: dict[int, Counter[str]] = {}
    for item in items:
        if item.tier < HIGHEST:
            marks.setdefault(item.tier, Counter())[item.mark] += 1
    return tuple(
        {
            "tier": tier, "items": found.total(), "landed": found[DONE], "unchanged": found[UNCHANGED],
            "quarantined": found[QUARANTINED], "flagged": found[FLAGGED], "units": units[tier],
        }
        for tier, found in sorted(marks.items())
    )  # fmt: skip


def read_proof(root: Path, place: PhasePlace) -> list[Record]:
    """Every unit of the phase that is on its branch: its commit, check-in, run, tree and commands."""
    if not (root / place.inner).is_dir():
        return []
    try:
        values = Project(str(root / place.inner), place.branch).read()
    except RecordError:
        return []
    commits = _commits(root, place.branch)
    found = []
    for row in list_checkins(values, place.branch):
        unit, number = _UNIT.match(str(row["unit"])), str(row["number"])
        if not unit or number not in commits:
            continue
        actions = [str(each) for each in row["execution"]["actions"]]
        ran = filter(None, map(_RAN.fullmatch, actions))
        found.append({
            "commit": commits[number], "checkin": number, "tier": int(unit.group(1)),
            "files": list(row["execution"]["files_touched"]), "tree": str(row["verdict"].get("tree") or ""),
            "run": str(row["verdict"].get("run") or ""),
            "panel": next((each[7:] for each in actions if each.startswith("panel: ")), ""),
            "commands": [
                {"command": each.group(1), "exit_code": int(each.group(2)), "seconds": float(each.group(3))}
                for each in ran
            ],
        })  # fmt: skip
    return found


def _commits(root: Path, branch: str) -> dict[str, str]:
    """The commit of each check-in, by its number."""
    words = ("log", "--format=%H%n%B%x00", "--grep=^Check-in ", f"refs/heads/{branch}", "--")
    found = {}
    for text in git(root, *words, fine=(0, 128)).split("\0"):
        named = _NAMED.search(text)
        if named and named.group(2) == branch:
            found[named.group(1)] = text.strip().partition("\n")[0]
    return found
