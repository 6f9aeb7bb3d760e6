"""``guild post-mortem``: what was planned and delivered, and did the predictions come true?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from guildmoot.errors import GuildmootError
from guildmoot.memory.predictions import (
    FILE,
    Prediction,
    PredictionScores,
    concerning,
    read_predictions,
    score,
    score_predictions,
)
from guildmoot.model.council import CouncilReport
from guildmoot.model.council_verdict import CouncilWord
from guildmoot.model.packet import Packet
from guildmoot.practices.council.request import CouncilOptions
from guildmoot.practices.repository import RepositoryView
from guildmoot.practices.reviews.checks import CheckResult, ReportTable
from guildmoot.practices.reviews.claims import DELIVERED, check_delivered
from guildmoot.practices.reviews.defaults import ReviewDefaults, fill_change, with_preset
from guildmoot.practices.reviews.review import Review, decide, review_practice
from guildmoot.practices.reviews.vibe import check as check_change
from guildmoot.text.clean import one_line

_WORDS: dict[CouncilWord, str] = {"PASS": "CLOSE", "WARN": "FOLLOW-UP", "FAIL": "REOPEN"}


def fill(
    options: CouncilOptions, spec: tuple[str, ...], sized: bool, repository: RepositoryView
) -> ReviewDefaults:
    """Finished work, looked back upon from the three perspectives of a retrospective."""
    found = fill_change(options, spec, repository, repository.recent_change)
    return found if sized else with_preset(found, "retrospective")


def check(
    packet: Packet, repository: RepositoryView, left: Sequence[str]
) -> tuple[CheckResult, ...]:
    """What programs can tell of finished work: that of a change, and whether the plan was delivered."""
    plan = "\n".join(_plans(packet).values())
    changed, spec, *others = check_change(packet, repository, left)
    delivered = CheckResult(DELIVERED, "skipped", "there is no plan")
    return changed, spec, check_delivered(plan, repository) if plan else delivered, *others


def finish(report: CouncilReport, packet: Packet, root: Path | None) -> CouncilReport:
    """With the decision, and how the predictions that were still open came out."""
    report = report._replace(decision=decide(report, _WORDS))
    if not report.decision:
        return report
    kept = [
        each for each in read_predictions(Path(packet.root)) if _is_open(each, report.header.run_id)
    ]
    if not kept:
        return report
    scores = score_predictions(concerning(kept, list(_plans(packet))), report.issues)
    report = report._replace(tables=(*report.tables, accuracy_table(scores)))
    if root is None:
        return report
    words = [(each.id, "HIT") for each, _ in scores.hits]
    words += [(each.id, "MISS") for each in scores.misses]
    try:
        score(root, words, report.header.run_id)
    except (OSError, GuildmootError) as error:
        note = f"the scores could not be written to {FILE}: {error}"
        return report._replace(notes=(*report.notes, note))
    return report


def accuracy_table(scores: PredictionScores) -> ReportTable:
    """As a post-mortem shows it."""
    rows = [
        *((p.id, "HIT", p.foretold, one_line(i.representative.title)) for p, i in scores.hits),
        *((p.id, "MISS", p.foretold, "-") for p in scores.misses),
        *(("-", "SURPRISE", "-", one_line(i.representative.title)) for i in scores.surprises),
    ]
    return ("Prediction accuracy", ("Id", "Score", "Foretold", "Found"), tuple(rows))


def _is_open(each: Prediction, run_id: str) -> bool:
    """Nobody has looked back at it, except perhaps this very run before it was stopped."""
    return not each.score or (bool(run_id) and each.scored_by == run_id)


def _plans(packet: Packet) -> dict[str, str]:
    return {part.title: part.text for part in packet.sections if part.kind == "spec"}


REVIEW = Review("post-mortem", fill, check, finish)
PRACTICE = review_practice(REVIEW)
