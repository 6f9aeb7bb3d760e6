"""What a pre-mortem said of a plan: kept in the run of the work, bound to the plan that it looked at."""

from __future__ import annotations

import json
from typing import NamedTuple

from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import runs_of
from guildmoot.system.files import folder_inside, read_own

_FILE = "pre-mortem.json"
SILENT = "SILENT"
"""The model that was asked said nothing that can be read."""


class PlanReview(NamedTuple):
    """One pre-mortem of a plan."""

    plan_sha256: str
    decision: str
    """PROCEED, ADDRESS, RETHINK or SILENT; empty where nobody was asked."""
    verdict: str
    issues: tuple[str, ...]
    checks: tuple[str, ...]
    """Mechanical checks that did not pass."""
    run: str
    """The record of the judging."""


def keep_review(folder: WorkFolder, run: str, review: PlanReview) -> None:
    """Write it into the run of the work."""
    here = folder_inside(folder.root, folder.run(run).relative_to(folder.root))
    plain = {"schema_version": 1, **review._asdict()}
    write_durable(here / _FILE, json.dumps(plain, indent=2, ensure_ascii=False) + "\n")


def read_review(folder: WorkFolder, slug: str) -> PlanReview | None:
    """The newest one of a piece of work; what cannot be read is none."""
    for run in runs_of(folder, slug):
        try:
            told = json.loads(read_own(folder.run(run.id) / _FILE, 1_000_000) or b"null")
            if told is not None:
                return PlanReview(
                    str(told["plan_sha256"]), str(told["decision"]), str(told["verdict"]),
                    tuple(map(str, told["issues"])), tuple(map(str, told["checks"])), str(told["run"]),
                )  # fmt: skip
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
    return None


def review_notes(review: PlanReview | None, plan_sha256: str) -> list[str]:
    """What a person should know of it before saying yes. Pure."""
    if review is None:
        return []
    if review.plan_sha256 != plan_sha256:
        return ["the plan changed since its pre-mortem: 'guild work plan --review' looks again"]
    said = review.decision or "no model looked at the plan; checks of this machine did"
    if review.decision == SILENT:
        said = "the model that was asked gave no judgement that can be read"
    return [
        f"pre-mortem: {said} (guild runs show {review.run})",
        *(f"pre-mortem: {each}" for each in (*review.checks, *review.issues)),
    ]


def forbids_auto(review: PlanReview | None, plan_sha256: str) -> bool:
    """Whether a person must approve: a pre-mortem of this very plan says RETHINK, or nothing. Pure."""
    if review is None or review.plan_sha256 != plan_sha256:
        return False
    return review.decision in ("RETHINK", SILENT)
