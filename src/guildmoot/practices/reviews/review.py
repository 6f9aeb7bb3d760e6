"""A council with a purpose: programs check first, the judges see what they found, then one word.

Whatever a review adds to its report, it adds once the verdict is there; a resumed run does so too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from guildmoot.calls import Watch
from guildmoot.config import Config, Value
from guildmoot.model.council import CouncilReport
from guildmoot.model.council_verdict import CouncilWord
from guildmoot.model.packet import Packet, Section
from guildmoot.packet import with_section
from guildmoot.practices.council.packets import council_packet
from guildmoot.practices.council.plan import ReadyCouncil
from guildmoot.practices.council.request import CouncilOptions
from guildmoot.practices.council.run import (
    ReportHook,
    convene,
    council_reports,
    restore_council,
    summarise_council,
)
from guildmoot.practices.repository import RepositoryView, view_repository
from guildmoot.practices.reviews.checks import CheckResult
from guildmoot.practices.reviews.defaults import ReviewDefaults
from guildmoot.runs.practice import Practice, Restored


class Review(NamedTuple):
    """What one review adds to a council."""

    name: str
    fill: Callable[[CouncilOptions, tuple[str, ...], bool, RepositoryView], ReviewDefaults]
    """What it fills in, from the options, the spec, whether they name a size, and the repository."""
    check: Callable[[Packet, RepositoryView, Sequence[str]], tuple[CheckResult, ...]]
    """The mechanical checks; the last argument is what changed but is not judged."""
    finish: Callable[[CouncilReport, Packet, Path | None], CouncilReport]
    """The report with tables and decision; the path is where records are kept, or None."""

    def hook(self, packet: Packet, root: Path | None) -> ReportHook:
        """``finish`` for one run."""
        return lambda report: self.finish(report, packet, root)


def find_review(name: str) -> Review:
    """The review of that name, such as ``pre-mortem``."""
    module = import_module(f"guildmoot.practices.reviews.{name.replace('-', '_')}")
    found: Review = module.REVIEW
    return found


def check_first(review: Review, council: ReadyCouncil) -> tuple[Packet, tuple[CheckResult, ...]]:
    """Let the programs look: the packet, with what they found for the judges to see."""
    packet = council_packet(council.plan, council.packet)
    root = Path(packet.root)
    checks = review.check(packet, view_repository(root, root), council.left)
    lines = [
        line
        for each in checks
        for line in (
            f"{each.name}: {each.result}: {each.detail}",
            *(f"  {more}" for more in each.more),
        )
    ]
    return with_section(packet, Section("evidence", "mechanical checks", "\n".join(lines))), checks


def review_practice(review: Review) -> Practice[CouncilReport]:
    """The review as a practice: it runs, resumes and is shown like a council."""

    async def run(council: ReadyCouncil, config: Config, watch: Watch) -> CouncilReport:
        packet, checks = check_first(review, council)
        return await convene(
            council,
            config,
            watch,
            packet=packet,
            checks=[(each.name, each.result, each.detail) for each in checks],
            wrapper=review.name,
            hook=review.hook(packet, council.root),
        )

    def restore(
        root: Path, folder: Path, flags: Mapping[str, Value], rerun_at: datetime | None
    ) -> Restored[CouncilReport]:
        return restore_council(root, folder, flags, rerun_at, review.hook)

    return Practice(review.name, ReadyCouncil, run, summarise_council, council_reports, restore)


def decide(report: CouncilReport, words: Mapping[CouncilWord, str]) -> str:
    """The review's word for the verdict; none where nothing was judged."""
    judged = report.outcome in ("PASS", "WARN", "FAIL", "DISAGREE")
    return words[report.verdict] if judged and report.verdict else ""
