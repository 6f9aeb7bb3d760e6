"""Recorded runs read back, and two of them compared: what was mended, what is new, who changed sides.

Records of other versions, and of panels, are read as far as they go; nothing is made up. Issues are matched
by their ids first, which survive moved lines; what is left is matched by the same grouping that puts the
findings of several judges together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from guildmoot.consensus.grouping import pair_findings
from guildmoot.errors import GuildmootError, UsageError
from guildmoot.model.council import CouncilReport
from guildmoot.model.council_verdict import COUNCIL_SEVERITIES
from guildmoot.model.verdict import SEVERITIES as MODEL_SEVERITIES
from guildmoot.model.verdict import Assertion, Finding, Issue, Severity
from guildmoot.reports.view import place
from guildmoot.runs.index import find_run
from guildmoot.runs.record import read_part

Fate = Literal["fixed", "still there", "new"]
FATES: tuple[Fate, ...] = ("new", "still there", "fixed")
NOTHING = "-"
_PANEL = ("blocking_findings", "advisory_findings")


class PastRun(NamedTuple):
    """One run as its record tells it."""

    run_id: str
    target: str
    outcome: str
    """``PASS`` ... ``ERROR``; a panel's own word."""
    issues: tuple[Issue, ...]
    words: tuple[tuple[str, str], ...] = ()
    """Each judge and its vote; empty for one that gave none."""
    files: tuple[tuple[str, str], ...] = ()
    """Path and SHA-256 of what the judges saw."""
    existing: tuple[Finding, ...] = ()
    """What stood before the change that was judged."""


def load_past_run(root: Path, name: str) -> PastRun:
    """The run called ``name``; UsageError when it came to no result."""
    folder = find_run(root, name)
    result = read_part(folder, "result")
    if not result:
        raise UsageError(
            f"the run {folder.name} came to no result", "'guild resume' may finish it."
        )
    files = _list(read_part(folder, "packet").get("files"))
    seen = tuple((str(file.get("path", "")), str(file.get("sha256", ""))) for file in files)
    return past_run(result, folder.name)._replace(files=seen)


def past_run(result: Mapping[str, Any], run_id: str = "") -> PastRun:
    """A result, as ``reports`` writes it, in our own types."""
    judges = _list((result.get("roster") or {}).get("judges"))
    return PastRun(
        run_id or str(result.get("run_id", "")),
        str(result.get("target", "")),
        str(result.get("outcome") or result.get("verdict") or "none"),
        tuple(_issues(result)),
        tuple((str(judge.get("label", "")), str(judge.get("word") or "")) for judge in judges),
        existing=tuple(map(_finding, _list(result.get("existing_findings")))),
    )


class IssueMatch(NamedTuple):
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


class RunDiff(NamedTuple):
    """What changed between two runs."""

    before: PastRun
    now: PastRun
    judges: tuple[tuple[str, str, str], ...]
    """Judge, its word before and its word now; ``-`` where it has none."""
    matches: tuple[IssueMatch, ...]

    def of(self, fate: Fate) -> tuple[IssueMatch, ...]:
        """The issues that fared so."""
        return tuple(match for match in self.matches if match.fate == fate)


def compare_runs(before: PastRun, now: PastRun) -> RunDiff:
    """Two runs as they were recorded, the older one first."""
    then, words = dict(before.words), dict(now.words)
    judges = (
        (label, then.get(label) or NOTHING, words.get(label) or NOTHING) for label in then | words
    )
    return RunDiff(before, now, tuple(judges), tuple(_matches(before.issues, now.issues)))


def follow(report: CouncilReport, root: Path) -> CouncilReport:
    """The report with what changed since the run that it follows up.

    A record that is gone by now costs the comparison, not the verdict.
    """
    if not report.previous or report.outcome is None:
        return report
    try:
        before = load_past_run(root, report.previous)
    except GuildmootError as error:
        note = f"nothing could be compared with {report.previous}: {error.message}"
        return report._replace(notes=(*report.notes, note))
    found = compare_runs(before, past_report(report))
    return report._replace(delta=tuple(delta_rows(found)))


def past_report(report: CouncilReport) -> PastRun:
    """A council that has just ended, as its record will tell it."""
    return PastRun(
        report.run_id,
        report.header.target,
        str(report.outcome or "none"),
        report.issues,
        tuple((judge.label, judge.word or "") for judge in report.judges),
    )


def delta_rows(found: RunDiff) -> Iterator[tuple[str, str, str]]:
    """As a report shows it: the verdict, the judges that changed sides, then the issues."""
    yield "Verdict", found.before.outcome, found.now.outcome
    for label, before, now in found.judges:
        if before != now:
            yield f"Judge {label}", before, now
    for fate in FATES:
        for match in found.of(fate):
            state = f"{fate}: {_severity(match.now)}" if match.now else fate
            yield _named(match.issue), _severity(match.before), state


def _severity(issue: Issue | None) -> str:
    return COUNCIL_SEVERITIES[issue.severity] if issue else NOTHING


def _named(issue: Issue) -> str:
    shown = issue.representative
    return f"{shown.title} ({place(shown)})" if shown.path else shown.title


def _matches(before: Sequence[Issue], now: Sequence[Issue]) -> Iterator[IssueMatch]:
    by_id = {issue.id: issue for issue in before if issue.id}
    same = {issue.id for issue in now if issue.id in by_id}
    old = [issue for issue in before if issue.id not in same]
    new = [issue for issue in now if issue.id not in same]
    pairs = pair_findings(*([issue.representative for issue in side] for side in (old, new)))
    for number, issue in enumerate(new):
        earlier = old[pairs[number]] if number in pairs else None
        yield IssueMatch("still there" if earlier else "new", earlier, issue)
    for issue in now:
        if issue.id in same:
            yield IssueMatch("still there", by_id[issue.id], issue)
    for number, issue in enumerate(old):
        if number not in pairs.values():
            yield IssueMatch("fixed", issue, None)


def _issues(result: Mapping[str, Any]) -> list[Issue]:
    if "issues" in result:
        return [_issue(row) for row in _list(result["issues"])]
    rows = [row for key in _PANEL for row in _list(result.get(key))]
    return [_issue({"id": row.get("id", ""), "representative": row}) for row in rows]


def _issue(row: Mapping[str, Any]) -> Issue:
    shown = _finding(row.get("representative") or {})
    members = tuple(map(_finding, _list(row.get("members")))) or (shown,)
    return Issue(
        id=str(row.get("id", "")),
        representative=shown,
        members=members,
        families=tuple(map(str, row.get("families") or ())),
        seats=tuple(map(str, row.get("seats") or (shown.seat,))),
        severity=_read_severity(row.get("severity") or shown.severity),
        blocking=bool(row.get("blocking", shown.blocking)),
    )


def _finding(row: Mapping[str, Any]) -> Finding:
    def text(name: str) -> str:
        return str(row.get(name) or "")

    return Finding(
        seat=text("evaluator"),
        code=text("code"),
        title=text("evidence"),
        severity=_read_severity(row.get("severity")),
        blocking=bool(row.get("blocking", False)),
        path=text("path"),
        line=_number(row.get("line")),
        end_line=_number(row.get("end_line")),
        quote=text("quote"),
        why=text("why"),
        fix=text("remedy"),
        family=text("family"),
        proven=bool(row.get("proven")),
        grounding=row.get("grounding", "unchecked"),
        id=text("id"),
        also=tuple(map(str, row.get("also") or ())),
        assertions=tuple(
            Assertion(str(a.get("command", "")), str(a.get("expected", "")))
            for a in _list(row.get("assertions"))
        ),
    )


def _read_severity(said: object) -> Severity:
    return next((each for each in MODEL_SEVERITIES if each == said), "high")


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _list(value: object) -> list[Any]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
