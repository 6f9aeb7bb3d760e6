"""A preview that can be applied: what every item holds before and after, under one id.

The id is the hash of all of it, so what is applied is what was shown: not one byte else, and only where every file
still holds what it held. Otherwise nothing is written.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import UsageError
from guildmoot.loops.values import Held, HeldFile, LoopStop
from guildmoot.loops.workshop import git
from guildmoot.system.files import read_own, write_atomic
from guildmoot.system.jsonio import dumps

if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

_FOLDER = Path(".guild") / "loops" / "plans"


class Preview(NamedTuple):
    """What a dry run showed."""

    plan: str
    before: Mapping[str, str]
    """Path to git's blob."""
    after: Held | None
    """What the changed ones will hold; None where an agent will make the change."""
    transform: str
    """Who made it."""


def blobs_of(folder: Path, paths: Sequence[str], commit: str = "HEAD") -> dict[str, str]:
    """What git holds of each path, by path."""
    wanted = set(paths)
    found = {}
    for row in git(folder, "ls-tree", "-r", "-z", commit).split("\0"):
        about, _, path = row.partition("\t")
        if path in wanted:
            found[path] = about.split()[2]
    return found


def keep_preview(root: Path, before: Mapping[str, str], after: Held | None, about: Record) -> str:
    """Keep a preview; its id."""
    folder = root / _FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    rows: Record | None = None if after is None else {}
    for path, file in (after or {}).items():
        digest = hashlib.sha256(file.data).hexdigest() if file else ""
        if file and rows is not None:
            write_atomic(folder / f"{digest}.blob", file.data, more=True)
        if rows is not None:
            rows[path] = {"sha256": digest, "executable": bool(file and file.executable)}
    text = dumps({"schema_version": 1, "about": about, "before": dict(before), "after": rows})
    plan = hashlib.sha256(text.encode()).hexdigest()[:16]
    write_atomic(folder / f"{plan}.json", text.encode())
    return plan


def keep_patch(root: Path, plan: str, patch: str) -> Path:
    """The same for people to read; where it is."""
    place = _FOLDER / f"{plan}.patch"
    write_atomic(root / place, patch.encode("utf-8", "surrogateescape"))
    return place


def load_preview(root: Path, plan: str) -> Preview:
    """A preview that was kept; UsageError when there is none, or when it is not what its id says."""
    wrong = UsageError(f"there is no plan {plan}", "--dry-run makes one and tells its id.")
    if not plan.isalnum():
        raise wrong
    try:
        text = read_own(root / _FOLDER / f"{plan}.json")
        held = json.loads(text)
        if hashlib.sha256(text).hexdigest()[:16] != plan:
            raise UsageError(f"the plan {plan} was changed since", "Make another with --dry-run.")
        after = None if held["after"] is None else _contents(root / _FOLDER, held["after"])
        return Preview(plan, dict(held["before"]), after, str(held["about"]["transform"]))
    except (OSError, ValueError, KeyError, TypeError):
        raise wrong from None


def _contents(folder: Path, rows: Mapping[str, Record]) -> Held:
    held: Held = {}
    for path, row in rows.items():
        held[path] = None
        if row["sha256"]:
            data = read_own(folder / f"{row['sha256']}.blob")
            if hashlib.sha256(data).hexdigest() != row["sha256"]:
                raise ValueError(path)
            held[path] = HeldFile(data, bool(row["executable"]))
    return held


def check_unmoved(preview: Preview, now: Mapping[str, str], command: str) -> None:
    """LoopStop when a file is no longer what it was when it was previewed."""
    moved = sorted(
        path for path in {*preview.before, *now} if preview.before.get(path) != now.get(path)
    )
    if moved:
        again = command.replace(f" --plan {preview.plan}", "")
        if " --transform" not in again and preview.after is not None:
            again += f" --transform {shlex.quote(preview.transform)}"
        raise LoopStop(
            "aborted",
            f"not what the plan {preview.plan} was made of: {', '.join(moved[:5])}"
            f"{f' and {len(moved) - 5} more' if len(moved) > 5 else ''}; nothing was written",
            f"{again} --dry-run, and look again",
        )
