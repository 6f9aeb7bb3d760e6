"""``guild pre-mortem``: is this plan good enough to be carried out?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from guildmoot.errors import GuildmootError, TargetError
from guildmoot.memory.predictions import FILE, Prediction, predict
from guildmoot.model.council import CouncilReport
from guildmoot.model.council_verdict import CouncilWord
from guildmoot.model.packet import Packet
from guildmoot.practices.council.request import CouncilOptions
from guildmoot.practices.repository import RepositoryView
from guildmoot.practices.reviews.checks import CheckResult, check_links
from guildmoot.practices.reviews.claims import check_claims, check_verified
from guildmoot.practices.reviews.defaults import ReviewDefaults, is_named, with_preset
from guildmoot.practices.reviews.review import Review, decide, review_practice
from guildmoot.text.clean import one_line

_WORDS: dict[CouncilWord, str] = {"PASS": "PROCEED", "WARN": "ADDRESS", "FAIL": "RETHINK"}


def fill(
    options: CouncilOptions, spec: tuple[str, ...], sized: bool, repository: RepositoryView
) -> ReviewDefaults:
    """A plan: as named, else the newest; a quick look unless more was asked for."""
    words, notes = options.words, tuple[str, ...]()
    if not is_named(options):
        newest = repository.newest_plan()
        if not newest:
            raise TargetError(
                "there is no plan here: no file is called plan, spec, design or rfc",
                "Name it: guild pre-mortem docs/sessions.md",
            )
        words, notes = (newest,), (f"target: no plan was named; {newest} is the newest here",)
    quick = options.quick or not (sized or options.deep)
    found = ReviewDefaults(
        options._replace(words=("validate", *words), quick=quick), spec, notes=notes
    )
    return with_preset(found, "plan-review") if options.deep and not sized else found


def check(
    packet: Packet, repository: RepositoryView, left: Sequence[str]
) -> tuple[CheckResult, ...]:
    """What programs can tell of a plan."""
    plan = "\n".join(file.text for file in packet.files)
    return (
        check_claims(plan, repository),
        check_verified(plan),
        check_links(packet.files, repository),
    )


def finish(report: CouncilReport, packet: Packet, root: Path | None) -> CouncilReport:
    """With the decision; each issue is put on file as a prediction with an id."""
    report = report._replace(decision=decide(report, _WORDS))
    if root is None or not report.decision or not report.issues:
        return report
    plan = packet.files[0].path if packet.files else report.header.target
    predictions = [
        Prediction("", report.header.run_id, issue.id, plan, one_line(found.title), found.code)
        for issue in report.issues
        for found in (issue.representative,)
    ]
    try:
        kept = predict(root, report.date, predictions)
    except (OSError, GuildmootError) as error:
        note = f"the predictions could not be written to {FILE}: {error}"
        return report._replace(notes=(*report.notes, note))
    return report._replace(predictions=tuple((each.id, each.foretold) for each in kept))


REVIEW = Review("pre-mortem", fill, check, finish)
PRACTICE = review_practice(REVIEW)
