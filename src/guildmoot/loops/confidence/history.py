"""What a phase came to so far, from its branch alone: the same figures after a kill as without one.

A tick in the inventory is a claim. What proves it is a commit of the branch that changed those files and no others,
with a check-in that names the run that judged them and the tree that they were judged in.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import UsageError
from guildmoot.loops.confidence.inventory import (
    DONE,
    FLAGGED,
    OPEN,
    QUARANTINED,
    UNCHANGED,
    InventoryItem,
    read_inventory,
)
from guildmoot.loops.confidence.tiers import HIGHEST
from guildmoot.loops.records import records_at
from guildmoot.loops.values import Quarantine
from guildmoot.loops.workshop import git
from guildmoot.projects.checkins import list_checkins
from guildmoot.projects.errors import RecordError
from guildmoot.projects.store import Project

if TYPE_CHECKING:
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.projects.manifest import Record

_UNIT = re.compile(r"tier (\d+): [\d,]+ items?")
_RAN = re.compile(r"(.+): exit code (\d+) in ([0-9.]+) s")
_NAMED = re.compile(r"^Check-in (\d+) of (\S+)$", re.MULTILINE)


class PhaseHistory(NamedTuple):
    """What the branch of a phase holds."""

    items: tuple[InventoryItem, ...] = ()
    """As they are marked; a tick that nothing proves is none."""
    proof: tuple[Record, ...] = ()
    """Each unit that landed."""
    by_hand: tuple[str, ...] = ()
    """Items whose mark says that they are done, and which nothing proves."""
    checkins: tuple[str, ...] = ()
    """Their numbers."""
    seen: tuple[str, ...] = ()
    """What check-ins say of items that were left out."""

    def marked(self, mark: str) -> tuple[str, ...]:
        """Paths with a mark."""
        return tuple(item.path for item in self.items if item.mark == mark)

    def rows(self) -> tuple[Record, ...]:
        """One row for each tier that the loop carries out."""
        return tier_rows(self.items, self.proof)

    def left_out(self, mark: str, evidence: Mapping[str, str]) -> list[Quarantine]:
        """Items with a mark, why they have it, and what was seen then."""
        return [self._told(item, evidence) for item in self.items if item.mark == mark]

    def _told(self, item: InventoryItem, evidence: Mapping[str, str]) -> Quarantine:
        start = f"{item.path}: "
        on_record = [told[len(start) :] for told in self.seen if told.startswith(start)]
        if item.path not in evidence and not on_record:
            return Quarantine(item.path, "left out by hand", "no run of the loop is on record")
        reason = item.note or "left out"
        return Quarantine(item.path, reason, evidence.get(item.path) or on_record[-1])


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


def read_history(root: Path, place: PhasePlace, commit: str) -> PhaseHistory:
    """What a commit of the phase's branch tells; empty where the phase has not begun."""
    with records_at(root, commit, place.inner) as folder:
        file = folder / place.inventory.relative_to(place.inner)
        try:
            values = Project(str(folder), place.branch).read()
            text = file.read_text(encoding="utf-8") if file.is_file() else ""
            items = () if file.is_symlink() or not text else read_inventory(text).items
        except (RecordError, UsageError, UnicodeDecodeError):  # told by whoever works with them
            return PhaseHistory()
    rows = list_checkins(values, place.branch)
    units = [row for row in rows if _UNIT.match(str(row["unit"]))]
    commits = _commits(root, place, commit)
    found = [
        _proof(root, place, row, commits[n]) for row in units if (n := row["number"]) in commits
    ]
    proof = tuple(each for each in found if each is not None)
    left = {path for row in units if row["number"] in commits for path in row["scope"]}
    kept, by_hand = believed(items, proof, left)
    seen = tuple(str(told) for row in units for told in row["execution"]["corrections"])
    return PhaseHistory(kept, proof, by_hand, tuple(str(row["number"]) for row in rows), seen)


def believed(
    items: Sequence[InventoryItem], proof: Sequence[Record], through: Iterable[str]
) -> tuple[tuple[InventoryItem, ...], tuple[str, ...]]:
    """The items as far as their marks are proven, and those whose mark is not: they are open again."""
    proven = {path for row in proof for path in row["files"]}
    left = {*through} - proven
    right: list[InventoryItem] = []
    by_hand: list[str] = []
    for item in items:
        mark = item.mark
        if mark in (DONE, UNCHANGED):
            mark = DONE if item.path in proven else UNCHANGED if item.path in left else OPEN
        if mark == OPEN != item.mark:
            by_hand.append(item.path)
        right.append(item._replace(mark=mark))
    return tuple(right), tuple(by_hand)


class _UnitCommit(NamedTuple):
    commit: str
    changes: dict[str, tuple[int, int]]
    """Lines that came and went, by path."""


def _proof(root: Path, place: PhasePlace, row: Record, made: _UnitCommit) -> Record | None:
    """What proves a unit; None when its commit is not what its check-in says."""
    unit, verdict = _UNIT.match(str(row["unit"])), row["verdict"]
    files = [str(path) for path in row["execution"]["files_touched"]]
    own = f"{place.inner}/"
    changed = {path for path in made.changes if not path.startswith(own)}
    run, tree = str(verdict.get("run") or ""), str(verdict.get("tree") or "")
    if not unit or changed != set(files) or (files and not (run and tree)):
        return None
    actions = [str(each) for each in row["execution"]["actions"]]
    gone = git(root, "diff", "--name-only", "-z", "--no-renames", "--diff-filter=D",
               f"{made.commit}^", made.commit, "--", *files).split("\0") if files else []  # fmt: skip
    return {
        "commit": made.commit, "checkin": str(row["number"]), "tier": int(unit.group(1)), "files": files,
        "insertions": sum(made.changes[path][0] for path in files),
        "deletions": sum(made.changes[path][1] for path in files),
        "deleted": [path for path in gone if path],
        "tree": tree, "as_judged": not files or _tree(root, made.commit, place) == tree, "run": run,
        "panel": next((each[7:] for each in actions if each.startswith("panel: ")), ""),
        "commands": [
            {"command": each.group(1), "exit_code": int(each.group(2)), "seconds": float(each.group(3))}
            for each in filter(None, map(_RAN.fullmatch, actions))
        ],
    }  # fmt: skip


def _commits(root: Path, place: PhasePlace, commit: str) -> dict[str, _UnitCommit]:
    """The commit of each check-in, by its number."""
    words = (
        "log",
        "--format=%x01%H%n%B%x02",
        "--numstat",
        "-z",
        "--no-renames",
        "--grep=^Check-in ",
    )
    found: dict[str, _UnitCommit] = {}
    for text in git(root, *words, commit, "--", fine=(0, 128)).split("\x01")[1:]:
        about, _, counts = text.partition("\x02")
        named = _NAMED.search(about)
        if not named or named.group(2) != place.branch or named.group(1) in found:
            continue
        changes: dict[str, tuple[int, int]] = {}
        for line in counts.replace("\n", "").split("\0"):
            plus, minus, path = [*line.split("\t", 2), "", ""][:3]
            if path:
                changes[path] = (_number(plus), _number(minus))
        found[named.group(1)] = _UnitCommit(about.partition("\n")[0], changes)
    return found


def _number(word: str) -> int:
    """Git writes a dash for what is binary."""
    return int(word) if word.isdecimal() else 0


def _tree(root: Path, commit: str, place: PhasePlace) -> str:
    """The tree of a unit's commit without what it put on record: what was judged."""
    own = place.inner.parts[0]
    rows = git(root, "ls-tree", "-z", commit).split("\0")
    before = [r for r in git(root, "ls-tree", "-z", f"{commit}^", "--", own).split("\0") if r]
    content = b""
    for row in filter(None, rows):
        about, _, name = (before[0] if row.endswith(f"\t{own}") and before else row).partition("\t")
        mode, _, digest = about.split()
        content += f"{mode.lstrip('0')} ".encode()
        content += name.encode("utf-8", "surrogateescape") + b"\0" + bytes.fromhex(digest)
    data = b"tree %d\0" % len(content) + content
    return (
        hashlib.sha256(data) if len(commit) > 40 else hashlib.sha1(data, usedforsecurity=False)
    ).hexdigest()
