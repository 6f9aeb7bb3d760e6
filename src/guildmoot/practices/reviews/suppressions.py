"""Takes what a project lives with out of a report's lists, after the verdict and without changing it.

The file is text of the repository that may be under review, so it can quieten a report but never turn
a verdict: who wants another verdict mends the work, or the judges' instructions.
"""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.memory.suppressions import FILE, Suppression, Suppressions, suppression_of
from guildmoot.model.council import CouncilReport
from guildmoot.model.verdict import Issue
from guildmoot.text.clean import count


def suppress(report: CouncilReport, known: Suppressions) -> CouncilReport:
    """The report without what is suppressed, with each reason; downgraded issues become minor."""
    broken = _broken(known)
    ruled = {
        issue.id: rule
        for issue in report.issues
        if (rule := suppression_of(issue.representative, known.rules))
    }
    if not ruled:
        return report._replace(notes=(*report.notes, *broken))
    hidden = [(i, r) for i in report.issues if (r := ruled.get(i.id)) and r.action == "suppress"]
    lowered = len(ruled) - len(hidden)
    told = f"{count(len(hidden), 'finding')} suppressed, {lowered} downgraded"
    note = f"{told} by {FILE}; the verdict was reached before that and stands"
    held = tuple((issue.representative.title, rule.reason) for issue, rule in hidden)
    return report._replace(
        issues=_quietened(report.issues, ruled),
        shared=_quietened(report.shared, ruled),
        split=_quietened(report.split, ruled),
        minority=_quietened(report.minority, ruled),
        suppressed=(*report.suppressed, *held),
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
    if not known.broken:
        return ()
    return (f"{count(known.broken, 'line')} of {FILE} do not count: no pattern, reason or action",)
