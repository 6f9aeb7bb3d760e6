"""``guild post-mortem``: what was planned and delivered, and did what was foretold come true?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from guildmoot.errors import GuildmootError
from guildmoot.memory.predictions import FILE, Prediction, read_predictions, score
from guildmoot.model.council import CouncilReport
from guildmoot.model.packet import Packet
from guildmoot.practices.reviews.checks.claims import DELIVERED, check_delivered
from guildmoot.practices.reviews.checks.complexity import check_complexity
from guildmoot.practices.reviews.checks.links import check_links
from guildmoot.practices.reviews.checks.model import Checked, Look
from guildmoot.practices.reviews.checks.scope import check_changed, check_spec
from guildmoot.practices.reviews.checks.tests import check_tests
from guildmoot.practices.reviews.convene import Wrapper
from guildmoot.practices.reviews.decision import decide_post_mortem
from guildmoot.practices.reviews.predictions import (
    accuracy_table,
    concerning,
    score_predictions,
)


def check(packet: Packet, look: Look, left: Sequence[str]) -> tuple[Checked, ...]:
    """What programs can tell of finished work."""
    plan = "\n".join(_plans(packet).values())
    return (
        check_changed(packet, left),
        check_spec(packet),
        check_delivered(plan, look) if plan else Checked(DELIVERED, "skipped", "there is no plan"),
        check_complexity(packet.files, dict(packet.changed)),
        check_tests(packet.files, look),
        check_links(packet.files, look),
    )


def dress(report: CouncilReport, packet: Packet, root: Path | None) -> CouncilReport:
    """With the decision, and how the predictions that were still open came out."""
    report = report._replace(decision=decide_post_mortem(report))
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


POST_MORTEM = Wrapper("post-mortem", check, dress)
