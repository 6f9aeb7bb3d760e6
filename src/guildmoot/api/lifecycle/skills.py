"""Skills that change by evidence: try a new version, take it over, see the versions, bring one back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import TargetError
from guildmoot.lifecycle.evolution import trials
from guildmoot.lifecycle.evolution import versions as kept
from guildmoot.lifecycle.evolution.flips import Flips, Promotion, decide, flips_of, read_grading
from guildmoot.lifecycle.evolution.versions import SkillVersion
from guildmoot.lifecycle.places import find_work
from guildmoot.practices.dispositions import user_name
from guildmoot.system.files import read_text_inside

_MOST = 1_000_000


class Evolution(NamedTuple):
    """What came of a new version."""

    promotion: Promotion
    flips: Flips
    version: int
    """The number of the new version; 0 where it was not taken over."""


class SkillRollback(NamedTuple):
    """Which version was brought back."""

    restored: int
    version: int
    failed: tuple[str, ...] | None
    """Cases that do not pass with it; None where none was tried."""


async def evolve_skill(
    skill: str,
    proposed: str,
    cwd: Path = Path(),
    *,
    grading: str = "",
    runner: str = "",
    agreed: bool = False,
) -> Evolution:
    """Hold both versions against their cases, or read how they did, and take the new one over by the rule."""

    def evolve() -> Evolution:
        folder = find_work(cwd)
        live, new = (kept.find_skill(folder, str(cwd / place)) for place in (skill, proposed))
        if runner:
            found = trials.try_both(live, new, runner)
        else:
            text, problem = read_text_inside(cwd / grading, None, _MOST)
            if problem:
                raise TargetError(f"{grading} cannot be read: {problem}")
            found = read_grading(text)
        flips = flips_of(found)
        promotion = decide(flips, agreed=agreed)
        number = kept.take_over(folder, live, new, promotion, flips, user_name(folder.root))
        return Evolution(promotion, flips, number)

    return await asyncio.to_thread(evolve)


async def skill_versions(skill: str, cwd: Path = Path()) -> list[SkillVersion]:
    """Every version that was kept, the oldest first."""

    def versions() -> list[SkillVersion]:
        folder = find_work(cwd)
        return kept.versions_of(folder, kept.find_skill(folder, str(cwd / skill)).name)

    return await asyncio.to_thread(versions)


async def rollback_skill(
    skill: str, target: str = "1", cwd: Path = Path(), *, runner: str = "", why: str = ""
) -> SkillRollback:
    """Bring a version back, and try its cases where a runner is named."""

    def back() -> SkillRollback:
        folder = find_work(cwd)
        live = kept.find_skill(folder, str(cwd / skill))
        restored, number = kept.roll_back(folder, live, target, user_name(folder.root), why)
        if not runner:
            return SkillRollback(restored, number, None)
        done = [trials.try_case(live, case, runner) for case in trials.cases_of(live)]
        return SkillRollback(
            restored, number, tuple(each.case_id for each in done if not each.passed)
        )

    return await asyncio.to_thread(back)
