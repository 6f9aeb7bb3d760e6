"""What every report says in words: headline, order of findings, seats, coverage.

The verdict and its reasons come from elsewhere; this only arranges and counts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from guildmoot.consensus.agreement import MEANINGS
from guildmoot.consensus.coverage import coverage_words
from guildmoot.model.packet import Omission
from guildmoot.model.report import RunHeader, RunReport, SeatReport
from guildmoot.model.verdict import SEVERITIES, Finding, Severity
from guildmoot.named import NamedTuple
from guildmoot.text.clean import count, one_line
from guildmoot.text.patterns import lazy

_NUMBER = lazy(r"\d+")
WORDS = {
    "approved": ("✓", "APPROVED"),
    "flagged": ("✗", "FLAGGED"),
    "conflict": ("≠", "CONFLICT"),
    "undecided": ("?", "UNDECIDED"),
    "infrastructure": ("!", "NO VERDICT"),
    "interrupted": ("!", "INTERRUPTED"),
    "nothing": ("–", "NOTHING TO JUDGE"),
}
_STATUS = {"timeout": "timed out", "failed": "failed", "missing": "missing", "cancelled": "stopped"}
_OUTCOME = {"operator-judgment": "asks a person", "absent": "no answer"}
_DOUBT = {
    "no-such-file": "the file it names is not among those judged",
    "line-out-of-range": "the line it names does not exist",
    "quote-not-found": "what it quotes is not in the file",
}


class _Run(Protocol):
    """What may stand on answers of earlier runs."""

    @property
    def run_id(self) -> str: ...

    @property
    def reused(self) -> tuple[tuple[str, str], ...]: ...


class SeverityGroup(NamedTuple):
    """The findings of one severity, by place."""

    severity: Severity
    blocking: tuple[Finding, ...]
    advisory: tuple[Finding, ...]


class Repeat(NamedTuple):
    """Findings of one code, counted instead of listed."""

    code: str
    number: int
    files: int
    title: str
    """Of the first one, as an example."""


def by_severity(report: RunReport) -> tuple[SeverityGroup, ...]:
    """The findings from critical to low, leaving out severities without any."""
    groups = (
        SeverityGroup(name, _of(name, report.blocking), _of(name, report.advisory))
        for name in SEVERITIES
    )
    return tuple(group for group in groups if group.blocking or group.advisory)


def gathered(findings: Iterable[Finding]) -> list[tuple[Finding, ...]]:
    """Findings of which nothing differs but the place, together, where the first of them stands."""
    same: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        fix = _NUMBER.sub("0", finding.fix)  # such as "replace at line 12"
        said = (finding.seat, finding.code, finding.title, finding.why, fix, finding.note)
        weight = (finding.severity, finding.blocking, finding.also, finding.grounding)
        alone = () if finding.path and not finding.patch else (finding.path, id(finding))
        same.setdefault((*said, *weight, *alone), []).append(finding)
    return [tuple(group) for group in same.values()]


def repeats(findings: Sequence[Finding]) -> tuple[Repeat, ...]:
    """Findings counted by code, the most frequent first."""
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    counted = (
        Repeat(code, len(same), len({f.path for f in same if f.path}), same[0].title)
        for code, same in by_code.items()
    )
    return tuple(sorted(counted, key=lambda repeat: -repeat.number))


def foremost(
    groups: Sequence[tuple[Finding, ...]], limit: int
) -> tuple[list[tuple[Finding, ...]], list[Finding]]:
    """Choose what to show, in order, and the rest: one of each code before a second of any."""
    seen: Counter[str] = Counter()
    rank = []
    for position, (first, *_) in enumerate(groups):
        rank.append((seen[first.code], position))
        seen[first.code] += 1
    chosen = {position for _, position in sorted(rank)[:limit]}
    shown = [group for position, group in enumerate(groups) if position in chosen]
    return shown, [f for at, group in enumerate(groups) if at not in chosen for f in group]


def place(finding: Finding) -> str:
    """``path:line``, ``path:first-last``, ``path``, or nothing."""
    if not finding.path or finding.line < 1:
        return one_line(finding.path)
    last = f"-{finding.end_line}" if finding.end_line > finding.line else ""
    return f"{one_line(finding.path)}:{finding.line}{last}"


def doubt(finding: Finding) -> str:
    """Why a reader should take the finding with care; empty when there is no reason."""
    return one_line(finding.note) or _DOUBT.get(finding.grounding, "")


def tally(blocking: Sequence[Finding], advisory: Sequence[Finding]) -> str:
    """``3 blocking, 2 advisory at 12 places``; what is zero is not said, and the same counts once."""
    told = []
    for findings, word in ((blocking, "blocking"), (advisory, "advisory")):
        issues, places = len(gathered(findings)), len(findings)
        at = f" at {places:,} places" if places > issues else ""
        told += [f"{issues:,} {word}{at}"] if issues else []
    return ", ".join(told)


def verdict_words(report: RunReport) -> tuple[str, str, str]:
    """Symbol, word and what it rests on; the three make sense without colour."""
    symbol, word = WORDS[report.outcome]
    return symbol, word, _headline(report)


def gave_judgement(seat: SeatReport) -> bool:
    """It answered with something that could be read; otherwise it is no vote."""
    return seat.outcome != "absent" and (seat.outcome != "unreadable" or seat.findings > 0)


def never_began(seat: SeatReport) -> bool:
    """It was stopped before it was asked."""
    return seat.status == "cancelled" and seat.seconds <= 0


def attendance(report: RunReport) -> str:
    """``5 of 6 judges answered``."""
    answered = sum(gave_judgement(seat) for seat in report.seats)
    return f"{answered} of {count(len(report.seats), 'judge')} answered"


def are_tools(report: RunReport) -> bool:
    """Whether all judges are programs that answered: then nobody has to be told who said what."""
    return all(seat.seat.backend == "tool" and gave_judgement(seat) for seat in report.seats)


def strength(report: RunReport) -> str:
    """``worth 2.4 votes``: heads are not votes, so this stands beside every verdict."""
    if not report.header.counts:
        return ""
    number = f"{report.header.counts.effective:.1f}".removesuffix(".0")
    return f"worth {number} independent {'vote' if number == '1' else 'votes'}"


def votes(report: RunReport) -> tuple[tuple[str, str, str], ...]:
    """Each count with its value and its meaning; empty when nothing was counted."""
    counts = report.header.counts
    if not counts:
        return ()
    values = {
        "asked": str(counts.asked),
        "voted": str(counts.voted),
        "families": str(counts.families),
        "effective": f"{counts.effective:.1f}",
        "flagged": f"{counts.flagged:.0%}",
        "missing": f"{counts.missing:.0%}",
        "alpha": "-" if counts.alpha is None else f"{counts.alpha:.2f}",
    }
    return tuple((name, value, MEANINGS[name]) for name, value in values.items())


def speakers(finding: Finding) -> str:
    """Who says so: the seat that speaks, and how many others agree with it."""
    return f"{finding.seat} and {', '.join(finding.also)}" if finding.also else finding.seat


def shared_seats(seats: Sequence[SeatReport]) -> list[tuple[SeatReport, ...]]:
    """Seats by program: those of one family that ended alike and have nothing to explain, together."""
    alike: dict[tuple[object, ...], list[SeatReport]] = {}
    for seat in seats:
        alone = (seat.seat.name,) if seat.seat.model or seat.reason or seat.blocking else ()
        alike.setdefault((seat.seat.family, seat_state(seat), *alone), []).append(seat)
    return [tuple(group) for group in alike.values()]


def seat_state(seat: SeatReport) -> str:
    """What became of a seat, in a word or two."""
    return _STATUS.get(seat.status) or _OUTCOME.get(seat.outcome, seat.outcome)


def asked_before(header: RunHeader) -> str:
    """Seats whose earlier answer stands, and how to ask them again; empty without any."""
    by_run: dict[str, list[str]] = {}
    for seat, run in header.reused:
        by_run.setdefault(run, []).append(one_line(seat))
    kept = "; ".join(
        f"{', '.join(seats)} (run {one_line(run)}, {_age(run, header.run_id)})"
        for run, seats in by_run.items()
    )
    return f"Asked before, and not again: {kept}; --fresh asks everyone anew." if kept else ""


def reused_line(header: _Run) -> str:
    """For a headline: that answers stand which were given before, and how old they are."""
    if not header.reused:
        return ""
    runs = [run for _, run in header.reused]
    oldest = _age(min(runs), header.run_id)
    from_run = one_line(runs[0]) if len(set(runs)) == 1 else f"{len(set(runs))} runs"
    return f"{count(len(runs), 'answer')} reused of run {from_run}, {oldest}"


def reused_json(header: _Run) -> list[dict[str, object]]:
    """The same for programs."""
    return [
        {"seat": seat, "run_id": run, "age_seconds": _seconds_between(run, header.run_id)}
        for seat, run in header.reused
    ]


def _age(run: str, now: str) -> str:
    """How long before this run the other one was begun; both have it in their names."""
    passed = _seconds_between(run, now)
    if passed is None:
        return "of unknown age"
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if passed >= size:
            return f"{count(int(passed // size), unit)} old"
    return f"{count(int(passed), 'second')} old"


def _seconds_between(run: str, now: str) -> float | None:
    try:
        began, later = (datetime.strptime(name[:15], "%Y%m%d-%H%M%S") for name in (run, now))
    except ValueError:
        return None
    return max((later - began).total_seconds(), 0.0)


def why_left_out(omission: Omission) -> str:
    """The reason, and its detail if there is one."""
    detail = f" ({one_line(omission.detail)})" if omission.detail else ""
    return one_line(omission.reason) + detail


def not_seated(report: RunReport, names: int = 6) -> str:
    """Agents that were passed over, by reason, with at most so many names each."""
    by_reason: dict[str, list[str]] = {}
    for agent, reason in report.passed_over:
        by_reason.setdefault(one_line(reason), []).append(one_line(agent))
    return "; ".join(f"{some(agents, names)} ({why})" for why, agents in by_reason.items())


def some(names: Sequence[str], limit: int) -> str:
    """The first names, and how many more there are."""
    rest = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {rest} more" if rest > 0 else "")


def _of(severity: Severity, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    chosen = (finding for finding in findings if finding.severity == severity)
    return tuple(sorted(chosen, key=lambda f: (f.path, f.line, f.code, f.seat, f.title)))


def _undecided(report: RunReport) -> str:
    """Who must decide; where nobody could read the code, how much of it was looked at."""
    unread = any(floor.startswith(("unjudged", "left-out")) for floor in report.header.floors)
    words = coverage_words(report.coverage, report.header.omitted) if unread else ""
    return words or "a person must decide"


def _told_deleted(report: RunReport) -> str:
    """Of a change that only deletes: what its approval rests on."""
    gone = [item for item in report.header.omitted if item.reason == "deleted"]
    if report.coverage or not gone:
        return ""
    what = "deleted file" if len(gone) == 1 else f"{len(gone):,} deleted files"
    return f"only deletes, and nothing that stays names the {what}"


def _headline(report: RunReport) -> str:
    found = tally(report.blocking, report.advisory)
    silent = len(report.seats) - sum(gave_judgement(seat) for seat in report.seats)
    rest = {
        "approved": "; ".join(
            filter(
                None,
                (
                    "" if found else "nothing found",
                    coverage_words(report.coverage, report.header.omitted),
                    _told_deleted(report),
                ),
            )
        ),
        "conflict": count(len(report.conflicts), "conflict"),
        "undecided": _undecided(report),
        "infrastructure": f"{silent} of {count(len(report.seats), 'judge')} did not answer",
        "interrupted": attendance(report),
    }.get(report.outcome, "")
    council = f"council: {report.council}" if report.council else ""
    return ", ".join(part for part in (council, rest, found) if part)
