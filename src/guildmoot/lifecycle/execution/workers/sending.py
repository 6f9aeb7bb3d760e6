"""A lane packed for another machine: what git has committed, the brief, and nothing of this machine's own."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

from guildmoot.guard.secrets import mask
from guildmoot.lifecycle.execution.workers.base import LaneJob
from guildmoot.lifecycle.execution.workers.packs import make_pack
from guildmoot.lifecycle.execution.workers.parcel import TOLD, LaneParcel, as_text
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.loops.workshop import git
from guildmoot.system.files import read_own

_MOST_TEXT = 1_000_000


def make_parcel(job: LaneJob, repository: RunRepository, known: Sequence[str]) -> str:
    """The job as text; ParcelError where it is too large for the way.

    Of the files only what git shows travels: the base, and what the lane changed before it was sent back.
    """
    tree = repository.diff(job.task, job.base).tree
    same = tree == git(repository.root, "rev-parse", f"{job.base}^{{tree}}").strip()
    pack = make_pack(repository.root, (job.base,) if same else (job.base, tree), known)
    told = {name: value for name, value in job.environment.items() if name in TOLD}
    return as_text(
        LaneParcel(
            job.run, job.task, job.owner, job.attempt, job.base, tree, job.tier, job.model, job.tools,
            job.seconds, job.max_usd, {name: mask(value, name)[0] for name, value in told.items()},
            _text(str(job.bundle)), _text(job.environment.get("GUILD_SENT_BACK", "")),
            _text(job.environment.get("GUILD_TASK_ASSIGNMENT", "")),
            _text(job.environment.get("GUILD_AGENT_DEFINITION", "")),
            base64.b64encode(pack).decode("ascii"),
        )
    )  # fmt: skip


def _text(path: str) -> str:
    """A file as it may be read by whoever reads the database."""
    if not path:
        return ""
    return mask(read_own(Path(path), _MOST_TEXT).decode("utf-8", "replace"), "brief")[0]
