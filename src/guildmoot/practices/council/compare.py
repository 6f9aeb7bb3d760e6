"""Two councils on one thing: what was mended, what is still there, what is new, and who changed sides.

Issues are matched by their ids first, which survive moved lines; what is left is matched by the same
grouping that puts the findings of several judges together. Pure functions of the two results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from guildmoot.consensus.grouping import pair_findings
from guildmoot.errors import GuildmootError
from guildmoot.model.council import CouncilReport
from guildmoot.model.verdict import Issue
from guildmoot.practices.council.recalled import Recalled, recall_run, recalled
from guildmoot.reports.council.json import render_json
from guildmoot.reports.council.view import SEVERITIES
from guildmoot.reports.view import place

Fate = Literal["fixed", "still there", "new"]
FATES: tuple[Fate, ...] = ("new", "still there", "fixed")
NOTHING = "-"


class Match(NamedTuple):
    """One issue over both runs."""

    fate: Fate
    before: Issue | None
    now: Issue | None

    @property
    def issue(self) -> Issue:
        """As it was put last."""
        found = self.now or self.before
        if found is None:
            raise ValueError("a match without an issue")
        return found


class Comparison(NamedTuple):
    """What changed between two runs."""

    before: Recalled
    now: Recalled
    judges: tuple[tuple[str, str, str], ...]
    """Judge, its word before and its word now; ``-`` where it has none."""
    matches: tuple[Match, ...]

    def of(self, fate: Fate) -> tuple[Match, ...]:
        """The issues that fared so."""
        return tuple(match for match in self.matches if match.fate == fate)


def compare(before: Mapping[str, Any], now: Mapping[str, Any]) -> Comparison:
    """Two results as ``reports`` writes them, the older one first."""
    return compare_runs(recalled(before), recalled(now))


def compare_runs(before: Recalled, now: Recalled) -> Comparison:
    """Two runs as they were recorded, the older one first."""
    return Comparison(
        before,
        now,
        tuple(_judges(dict(before.words), dict(now.words))),
        tuple(_matches(before.issues, now.issues)),
    )


def follow(report: CouncilReport, root: Path) -> CouncilReport:
    """The report with what changed since the run that it follows up.

    A record that is gone by now costs the comparison, not the verdict.
    """
    if not report.previous or report.outcome is None:
        return report
    try:
        before = recall_run(root, report.previous)
    except GuildmootError as error:
        note = f"nothing could be compared with {report.previous}: {error.message}"
        return report._replace(notes=(*report.notes, note))
    found = compare_runs(before, recalled(render_json(report)))
    return report._replace(delta=tuple(delta_rows(found)))


def delta_rows(found: Comparison) -> Iterator[tuple[str, str, str]]:
    """As a report shows it: the verdict, the judges that changed sides, then the issues."""
    yield "Verdict", found.before.outcome, found.now.outcome
    for label, before, now in found.judges:
        if before != now:
            yield f"Judge {label}", before, now
    for fate in FATES:
        for match in found.of(fate):
            yield _named(match.issue), _severity(match.before), _fate(match)


def _fate(match: Match) -> str:
    if match.fate == "fixed":
        return "fixed"
    return f"{match.fate}: {_severity(match.now)}"


def _severity(issue: Issue | None) -> str:
    return SEVERITIES[issue.severity] if issue else NOTHING


def _named(issue: Issue) -> str:
    shown = issue.representative
    return f"{shown.title} ({place(shown)})" if shown.path else shown.title


def _judges(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for label in dict.fromkeys((*before, *now)):
        yield label, before.get(label) or NOTHING, now.get(label) or NOTHING


def _matches(before: Sequence[Issue], now: Sequence[Issue]) -> Iterator[Match]:
    by_id = {issue.id: issue for issue in before if issue.id}
    same = {issue.id for issue in now if issue.id in by_id}
    old = [issue for issue in before if issue.id not in same]
    new = [issue for issue in now if issue.id not in same]
    pairs = pair_findings(*([issue.representative for issue in side] for side in (old, new)))
    for number, issue in enumerate(new):
        earlier = old[pairs[number]] if number in pairs else None
        yield Match("still there" if earlier else "new", earlier, issue)
    for issue in now:
        if issue.id in same:
            yield Match("still there", by_id[issue.id], issue)
    for number, issue in enumerate(old):
        if number not in pairs.values():
            yield Match("fixed", issue, None)
