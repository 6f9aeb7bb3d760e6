"""The versions of a skill: each kept whole, none deleted; taken over by evidence, and brought back by number."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.guard.records import is_tracked
from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.evolution.flips import Flips, Promotion
from guildmoot.lifecycle.lint import lint
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.runs.record import COMMITTED
from guildmoot.system.files import folder_inside, keep_out_of_git, linked_part, read_own

_META = "meta.json"
_MOST_FILES, _MOST_BYTES = 200, 1_000_000
SkillFiles = dict[str, bytes]
"""The files of a skill, by their path inside its folder."""


class SkillVersion(NamedTuple):
    """One version of a skill that was kept."""

    number: int
    created_at: str
    source: str
    """``live`` as it was found, ``evolve``, or ``rollback-from-vN``."""
    why: str
    by: str


def find_skill(folder: WorkFolder, place: str) -> Path:
    """The folder of a skill of this project; UsageError for any other."""
    path = Path(os.path.abspath(place))
    inner = os.path.relpath(path, folder.root)
    if inner.startswith("..") or linked_part(folder.root, inner):
        raise UsageError(f"{place} is no folder of this project", "Copy the skill here first.")
    if not (path / "SKILL.md").is_file():
        raise UsageError(f"there is no SKILL.md in {place}", "Name the folder of a skill.")
    return path


def versions_of(folder: WorkFolder, skill: str) -> list[SkillVersion]:
    """The versions that were kept here, the oldest first; those that git brought along are none of ours."""
    found = []
    kept = folder.guild / "skill-versions" / skill
    for path in kept.glob("v*") if kept.is_dir() else ():
        number = path.name[1:]
        inner = (path / _META).relative_to(folder.root)
        if not number.isdecimal() or is_tracked(folder.root, inner):
            continue
        try:
            told = json.loads(read_own(path / _META, 100_000) or b"null")
            words = (str(told[key]) for key in ("created_at", "source", "delta_summary", "by"))
            found.append(SkillVersion(int(number), *words))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # killed before it was whole
    return sorted(found)


def read_files(place: Path) -> SkillFiles:
    """All of a skill; UsageError for links and for what is too much to be one."""
    found: SkillFiles = {}
    for path in sorted(place.rglob("*")):
        inner = path.relative_to(place).as_posix()
        if path.is_symlink():
            raise UsageError(f"{path} is a link", "A skill is made of ordinary files.")
        if path.is_file() and inner != _META:
            found[inner] = path.read_bytes()
        if len(found) > _MOST_FILES or sum(map(len, found.values())) > _MOST_BYTES:
            raise UsageError(f"{place} is too large for a skill", "Keep it below 1 MB.")
    return found


def keep_version(
    folder: WorkFolder, skill: str, files: SkillFiles, source: str, why: str, by: str
) -> int:
    """Keep files as the next version; its number."""
    place = folder.guild / "skill-versions" / skill
    taken = [int(each.name[1:]) for each in place.glob("v*") if each.name[1:].isdecimal()]
    number = max(taken, default=0) + 1
    home = folder_inside(folder.root, (place / f"v{number}").relative_to(folder.root))
    keep_out_of_git(folder.guild, COMMITTED)
    _write(home, files)
    meta = {"skill": skill, "source": source, "delta_summary": why, "by": by,
            "created_at": datetime.now(UTC).isoformat(timespec="seconds")}  # fmt: skip
    write_durable(
        home / _META, json.dumps(meta, indent=2) + "\n"
    )  # the last: without it there is none
    return number


def take_over(
    folder: WorkFolder, live: Path, proposed: Path, found: Promotion, flips: Flips, by: str
) -> int:
    """Put a new version in the place of the live one, and keep both; the number of the new one.

    Where the rule says no, nothing but the reason is kept, and the number is 0.
    """
    files = read_files(proposed)
    (linted,) = lint([str(proposed / "SKILL.md")], folder.root)
    wrong = [each for each in linted.problems if each.code != "wrong-name"]
    if wrong:
        raise UsageError(
            f"{proposed / 'SKILL.md'}:{wrong[0].line}: {wrong[0].message}", "Mend it first."
        )
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{live.name}"
    home = folder_inside(folder.root, (folder.guild / "evolve" / stamp).relative_to(folder.root))
    keep_out_of_git(folder.guild, COMMITTED)
    gate = {"skill": live.name, **found._asdict(), "by": by, "flips": flips._asdict()}
    write_durable(home / "gate.json", json.dumps(gate, indent=2) + "\n")
    if found.outcome != "PROMOTED":
        return 0
    _keep_live(folder, live, by)
    number = keep_version(folder, live.name, files, "evolve", found.why, by)
    _swap(live, files)
    return number


def roll_back(folder: WorkFolder, live: Path, target: str, by: str, why: str) -> tuple[int, int]:
    """Bring a version back, by its name (``v2``) or so many steps before the last; which, and its new number."""
    _keep_live(folder, live, by)
    known = {each.number: each for each in versions_of(folder, live.name)}
    last = max(known)
    pinned = target.startswith("v")
    number = target.removeprefix("v")
    wanted = (
        int(number)
        if pinned and number.isdecimal()
        else last - (int(number) if number.isdecimal() else 0)
    )
    if wanted not in known or wanted == last:
        raise UsageError(
            f"{live.name} has no earlier version {target}",
            f"guild skills versions {live} shows them.",
        )
    files = read_files(folder.guild / "skill-versions" / live.name / f"v{wanted}")
    made = keep_version(
        folder, live.name, files, f"rollback-from-v{last}", why or f"back to v{wanted}", by
    )
    _swap(live, files)
    return wanted, made


def _keep_live(folder: WorkFolder, live: Path, by: str) -> None:
    """What lies there now is kept, unless it is the last version already."""
    files, known = read_files(live), versions_of(folder, live.name)
    if known:
        last = folder.guild / "skill-versions" / live.name / f"v{known[-1].number}"
        if read_files(last) == files:
            return
    keep_version(folder, live.name, files, "live", "as it was found", by)


def _write(home: Path, files: SkillFiles) -> None:
    for inner, data in files.items():
        path = home / inner
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _swap(live: Path, files: SkillFiles) -> None:
    """The live folder holds exactly these files; killed in between, the version that was kept has them all."""
    fresh, old = (live.with_name(f".{live.name}.{end}") for end in ("new", "old"))
    for left in (fresh, old):
        shutil.rmtree(left, ignore_errors=True)
    fresh.mkdir()
    _write(fresh, files)
    os.rename(live, old)
    os.rename(fresh, live)
    shutil.rmtree(old)
