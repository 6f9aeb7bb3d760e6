"""Vibe, pre-mortem and post-mortem as practices: a council whose report gets a decision and tables."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.calls import Watch
from guildmoot.config import Config, Value
from guildmoot.model.council import CouncilReport
from guildmoot.practices.council.plan import ReadyCouncil
from guildmoot.practices.council.run import council_reports, restore_council, summarise_council
from guildmoot.practices.reviews.convene import Wrapper, dress_with, prepare, sit_as
from guildmoot.practices.reviews.post_mortem import POST_MORTEM
from guildmoot.practices.reviews.pre_mortem import PRE_MORTEM
from guildmoot.practices.reviews.vibe import VIBE
from guildmoot.runs.practice import Practice, Restored


class ReviewRequest(NamedTuple):
    """A council, and what changed beside the work but is not judged."""

    council: ReadyCouncil
    left: tuple[str, ...] = ()


def _practice(review: Wrapper) -> Practice[CouncilReport]:
    async def run(request: ReviewRequest, config: Config, watch: Watch) -> CouncilReport:
        asked = request.council
        ready = prepare(review, asked.plan, asked.packet, request.left)
        return await sit_as(
            review,
            asked.plan,
            ready,
            config,
            watch,
            root=asked.root,
            previous=asked.previous,
            fresh=asked.fresh,
            parent=asked.parent,
        )

    def restore(
        root: Path, folder: Path, flags: Mapping[str, Value], rerun_at: datetime | None
    ) -> Restored[CouncilReport]:
        return restore_council(
            root, folder, flags, rerun_at, lambda packet, kept: dress_with(review, packet, kept)
        )

    return Practice(review.name, ReviewRequest, run, summarise_council, council_reports, restore)


REVIEWS = {review.name: review for review in (VIBE, PRE_MORTEM, POST_MORTEM)}
VIBE_RUN = _practice(VIBE)
PRE_MORTEM_RUN = _practice(PRE_MORTEM)
POST_MORTEM_RUN = _practice(POST_MORTEM)
