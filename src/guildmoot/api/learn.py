"""``guild learn``: a map of the codebase, what depends on a file, and how far a change reaches."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import TargetError, did_you_mean
from guildmoot.memory.codebase.codebase import Codebase, MappedFile, map_codebase
from guildmoot.system.git import Git, GitError
from guildmoot.system.threads import in_project


class ChangeReach(NamedTuple):
    """How far a change reaches: ``guild.diff_understanding.v1``."""

    changed: tuple[str, ...]
    reached: tuple[str, ...]
    """Files that depend on them."""
    risk: str
    """``low``, ``medium`` or ``high``."""
    untested: tuple[str, ...]
    """Changed code that no test is known of."""


async def learn(cwd: Path = Path()) -> Codebase:
    """Map the codebase; only what changed since the last time is read."""
    return await in_project(cwd, map_codebase)


async def explain_file(path: str, cwd: Path = Path()) -> MappedFile:
    """One file in its surroundings."""

    def ask(root: Path) -> MappedFile:
        made = map_codebase(root)
        inside = (cwd.absolute() / path).resolve()
        name = inside.relative_to(root).as_posix() if inside.is_relative_to(root) else path
        if name not in made.files:
            raise TargetError(
                f"{path} is no file of this repository", did_you_mean(name, made.files)
            )
        return made.files[name]

    return await in_project(cwd, ask)


async def reach_of_change(base: str = "HEAD", cwd: Path = Path()) -> ChangeReach:
    """What the work tree changes against a revision, and what depends on it."""

    def ask(root: Path) -> ChangeReach:
        git = Git(root)
        try:
            names = {
                *git.names("diff", "--name-only", "--no-renames", "-z", git.commit(base), "--"),
                *git.names("ls-files", "-o", "--exclude-standard", "-z"),
            }
        except GitError as wrong:
            raise TargetError(f"git cannot compare with {base}: {wrong}") from wrong
        made = map_codebase(root)
        code = [n for n in names if n in made.files and made.files[n].facts.kind == "code"]
        reached = made.blast_radius(names)
        worst = max((made.files[name].risk for name in code), default=0.0)
        high = len(reached) > 30 or worst >= 60
        risk = "high" if high else "medium" if len(reached) > 5 or worst >= 30 else "low"
        untested = tuple(sorted(name for name in code if not made.files[name].tests))
        return ChangeReach(tuple(sorted(names)), tuple(sorted(reached)), risk, untested)

    return await in_project(cwd, ask)
