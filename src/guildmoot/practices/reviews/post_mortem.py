"""``guild post-mortem``: what was planned and delivered, and did the predictions come true?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from guildmoot.errors import GuildmootError
from guildmoot.memory.predictions import FILE, Prediction, read_predictions, score
from guildmoot.model.council import CouncilReport
from guildmoot.model.council_verdict import CouncilWord
from guildmoot.model.packet import Packet
from guildmoot.practices.council.options import CouncilOptions
from guildmoot.practices.repository import RepositoryView
from guildmoot.practices.reviews.checks import (
    CheckResult,
    check_changed,
    check_links,
    check_spec,
    check_tests,
)
from guildmoot.practices.reviews.claims import DELIVERED, check_delivered
from guildmoot.practices.reviews.complexity import check_complexity
from guildmoot.practices.reviews.defaults import ReviewDefaults, fill_change, with_preset
from guildmoot.practices.reviews.predictions import (
    accuracy_table,
    concerning,
    score_predictions,
)
from guildmoot.practices.reviews.review import Review, decide, review_practice

_WORDS: dict[CouncilWord, str] = {"PASS": "CLOSE", "WARN": "FOLLOW-UP", "FAIL": "REOPEN"}


def fill(
    options: CouncilOptions, spec: tuple[str, ...], sized: bool, repository: RepositoryView
) -> ReviewDefaults:
    """Finished work, looked back upon from the three perspectives of a retrospective."""
    found = fill_change(options, spec, repository)
    return found if sized else with_preset(found, "retrospective")


def check(
    packet: Packet, repository: RepositoryView, left: Sequence[str]
) -> tuple[CheckResult, ...]:
    """What programs can tell of finished work."""
    plan = "\n".join(_plans(packet).values())
    return (
        check_changed(packet, left),
        check_spec(packet),
        check_delivered(plan, repository)
        if plan
        else CheckResult(DELIVERED, "skipped", "there is no plan"),
        check_complexity(packet.files, dict(packet.changed)),
        check_tests(packet.files, repository),
        check_links(packet.files, repository),
    )


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


def _is_open(each: Prediction, run_id: str) -> bool:
    """Nobody has looked back at it, except perhaps this very run before it was stopped."""
    return not each.score or (bool(run_id) and each.scored_by == run_id)


def _plans(packet: Packet) -> dict[str, str]:
    return {part.title: part.text for part in packet.sections if part.kind == "spec"}


REVIEW = Review("post-mortem", fill, check, finish)
PRACTICE = review_practice(REVIEW)
