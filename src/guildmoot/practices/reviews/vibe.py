"""``guild vibe``: is this change ready to ship?

REFACTOR when the complexity check does not pass, else FIX when the work fails or a significant issue or a
check stands against it, else SHIP. Without a verdict there is no word.

What a project lives with (``suppressions``) is taken out of the report's lists after the verdict and without
changing it: the file is text of the repository that may be under review, so it can quieten a report but
never turn a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from guildmoot.memory.predictions import read_predictions, score_predictions
from guildmoot.memory.suppressions import (
    FILE,
    Suppression,
    Suppressions,
    read_suppressions,
    suppression_of,
)
from guildmoot.model.council import CouncilReport
from guildmoot.model.council_verdict import CouncilWord
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Issue
from guildmoot.packet.guarded import SEAT
from guildmoot.practices.council.request import CouncilOptions
from guildmoot.practices.repository import RepositoryView, view_repository
from guildmoot.practices.reviews.checks import (
    CheckResult,
    check_changed,
    check_links,
    check_spec,
    check_tests,
)
from guildmoot.practices.reviews.complexity import NAME as COMPLEXITY
from guildmoot.practices.reviews.complexity import check_complexity
from guildmoot.practices.reviews.defaults import ReviewDefaults, fill_change, with_preset
from guildmoot.practices.reviews.review import Review, decide, review_practice
from guildmoot.text.clean import count
from guildmoot.text.languages import language_in

_NO_CODE = "there is no code to judge in this change"


def fill(
    options: CouncilOptions, spec: tuple[str, ...], sized: bool, repository: RepositoryView
) -> ReviewDefaults:
    """A change: as named, else that of the branch; by its spec where there is one."""
    found = fill_change(options, spec, repository, repository.branch_change)
    return with_preset(found, "code-review") if found.spec and not sized else found


def check(
    packet: Packet, repository: RepositoryView, left: Sequence[str]
) -> tuple[CheckResult, ...]:
    """What programs can tell of a change."""
    return (
        check_changed(packet, left),
        check_spec(packet),
        _complexity(packet, repository),
        check_tests(packet.files, repository),
        check_links(packet.files, repository),
    )


def _complexity(packet: Packet, repository: RepositoryView) -> CheckResult:
    """Of a change, against the commit that it is compared with."""
    changed = dict(packet.changed)
    return check_complexity(
        packet.files, changed, lambda path: repository.before(packet.base, path)
    )


def finish(report: CouncilReport, packet: Packet, root: Path | None) -> CouncilReport:
    """With the hot spots, what was predicted, and the decision; suppressions come last."""
    here = Path(packet.root)
    hot = _complexity(packet, view_repository(here, here)).table
    hits = score_predictions(read_predictions(here), report.issues).hits
    predicted = tuple((each.id, issue.representative.title) for each, issue in hits)
    tables = [hot] if hot else []
    if predicted:
        tables.append(("Predicted by a pre-mortem", ("Id", "Finding"), predicted))
    notes = (*(() if _has_code(packet) else (_NO_CODE,)), *report.notes)
    decided = report._replace(
        decision=decide_vibe(report), tables=(*report.tables, *tables), notes=notes
    )
    return suppress(decided, read_suppressions(here, packet.base))


def _has_code(packet: Packet) -> bool:
    """Whether any of what is judged is code; who removes files may have removed some."""
    kinds = (language_in(each.path, each.text).kind for each in packet.files)
    return not packet.files or "code" in kinds


def decide_vibe(report: CouncilReport) -> str:
    """SHIP, FIX or REFACTOR."""
    against = {name for name, result, _ in report.checks if result in ("warn", "fail")}
    grave = any(issue.severity != "low" for issue in report.issues)
    words: dict[CouncilWord, str] = {
        "PASS": "SHIP",
        "WARN": "FIX" if grave or against else "SHIP",
        "FAIL": "FIX",
    }
    word = decide(report, words)
    return "REFACTOR" if word and COMPLEXITY in against else word


def suppress(report: CouncilReport, known: Suppressions) -> CouncilReport:
    """The report without what is suppressed, with each reason; downgraded issues become minor."""
    broken = _broken(known)
    ruled = {
        issue.id: rule
        for issue in report.issues
        if issue.representative.seat != SEAT  # what guild itself says, no repository can quieten
        and (rule := suppression_of(issue.representative, known.rules))
    }
    if not ruled:
        return report._replace(notes=(*report.notes, *broken))
    hidden = [(i, r) for i in report.issues if (r := ruled.get(i.id)) and r.action == "suppress"]
    lowered = len(ruled) - len(hidden)
    done = f"{count(len(hidden), 'finding')} suppressed, {lowered} downgraded"
    note = f"{done} by {FILE}; the verdict was reached before that and stands"
    gone = tuple((issue.representative.title, rule.reason) for issue, rule in hidden)
    return report._replace(
        issues=_quietened(report.issues, ruled),
        shared=_quietened(report.shared, ruled),
        split=_quietened(report.split, ruled),
        minority=_quietened(report.minority, ruled),
        suppressed=(*report.suppressed, *gone),
        notes=(*report.notes, note, *broken),
    )


def _quietened(issues: Sequence[Issue], ruled: dict[str, Suppression]) -> tuple[Issue, ...]:
    kept = []
    for issue in issues:
        rule = ruled.get(issue.id)
        if rule is None:
            kept.append(issue)
        elif rule.action == "downgrade":
            kept.append(_lowered(issue, rule.reason))
    return tuple(kept)


def _lowered(issue: Issue, reason: str) -> Issue:
    shown = issue.representative._replace(
        severity="low", blocking=False, note=f"downgraded: {reason}"
    )
    return issue._replace(representative=shown, severity="low", blocking=False)


def _broken(known: Suppressions) -> tuple[str, ...]:
    told = f"{count(known.broken, 'line')} of {FILE} do not count: no pattern, reason or action"
    return (*([told] if known.broken else ()), *([known.notice] if known.notice else ()))


REVIEW = Review("vibe", fill, check, finish)
PRACTICE = review_practice(REVIEW)
