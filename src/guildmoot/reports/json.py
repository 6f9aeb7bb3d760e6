"""The result as one JSON object: the seeds' six keys first and in their order, then what we add."""

from __future__ import annotations

from collections import Counter

from guildmoot.model.report import IgnoredFinding, RunReport, SeatReport
from guildmoot.model.verdict import Conflict, Finding
from guildmoot.reports.costs import cost_json, costs_of
from guildmoot.reports.view import gave_judgement, reused_json

SCHEMA_VERSION = 1

Json = dict[str, object]


def to_json(report: RunReport) -> Json:
    """The whole report as plain data for ``jsonio``; nothing is shortened or cleaned."""
    return {
        "verdict": report.verdict,
        "blocking_findings": [finding_json(finding) for finding in report.blocking],
        "advisory_findings": [finding_json(finding) for finding in report.advisory],
        "cli_runs": [run._asdict() for run in report.cli_runs],
        "conflicts": [_conflict(conflict) for conflict in report.conflicts],
        "agent_signals": [signal._asdict() for signal in report.signals],
        "schema_version": SCHEMA_VERSION,
        "outcome": report.outcome,
        "result": report.outcome,
        "reasons": list(report.header.reasons),
        "exit_code": report.header.exit_code,
        "run_id": report.header.run_id,
        "target": report.header.target,
        "policy": report.header.policy,
        "seconds": round(report.header.seconds, 3),
        "version": report.header.version,
        "origin": report.header.origin._asdict(),
        "roster": _roster(report),
        "packet": _packet(report),
        "suppressed": report.outside,
        "coverage": [
            {"path": each.path, "depth": each.depth, "language": each.language}
            for each in report.coverage
        ],
        "existing_findings": [finding_json(finding) for finding in report.existing],
        "reused": reused_json(report.header),
        "costs": cost_json(costs) if (costs := costs_of(report)) else None,
        "floors": list(report.header.floors),
        "council": report.council or None,
        "counts": report.header.counts._asdict() if report.header.counts else None,
        "ignored_findings": [ignored_json(each) for each in report.ignored],
    }


def ignored_json(ignored: IgnoredFinding) -> Json:
    """A finding that somebody accepted, with how and why."""
    return {
        **finding_json(ignored.finding),
        "blocking": ignored.finding.blocking,
        "ignored_by": ignored.by,
        "ignored_why": ignored.why,
        "ignored_who": ignored.who,
        "ignored_when": ignored.when,
    }


def finding_json(finding: Finding) -> Json:
    """The seeds' four keys, then the rest of what the judge said and what was checked."""
    return {
        "evaluator": finding.seat,
        "code": finding.code,
        "evidence": finding.title,
        "remedy": finding.fix,
        "severity": finding.severity,
        "path": finding.path,
        "line": finding.line,
        "end_line": finding.end_line,
        "quote": finding.quote,
        "why": finding.why,
        "patch": finding.patch,
        "url": finding.url,
        "family": finding.family,
        "proven": finding.proven,
        "grounding": finding.grounding,
        "note": finding.note,
        "id": finding.id,
        "also": list(finding.also),
        "echoes": [{"evaluator": seat, "evidence": said} for seat, said in finding.echoes],
    }


def _conflict(conflict: Conflict) -> Json:
    return {
        "scope": conflict.scope,
        "evaluators": list(conflict.seats),
        "findings": [finding_json(finding) for finding in conflict.findings],
    }


def _roster(report: RunReport) -> Json:
    passed_over = [{"agent": agent, "reason": reason} for agent, reason in report.passed_over]
    return {
        "asked": len(report.seats),
        "answered": sum(gave_judgement(seat) for seat in report.seats),
        "seats": [_seat(seat) for seat in report.seats],
        "passed_over": passed_over,
    }


def _seat(report: SeatReport) -> Json:
    return {
        **report.seat._asdict(),
        "status": report.status,
        "outcome": report.outcome,
        "seconds": round(report.seconds, 3),
        "findings": report.findings,
        "blocking": report.blocking,
        "reason": report.reason,
        "usage": report.usage._asdict() if report.usage else None,
        "usd": report.usd,
        "saved_usd": report.saved_usd,
        "kept": report.kept or None,
    }


def _packet(report: RunReport) -> Json:
    return {
        "hash": report.header.packet_hash,
        "files": report.header.files_reviewed,
        "lines": report.header.lines_reviewed,
        "omitted": dict(Counter(omission.reason for omission in report.header.omitted)),
        "unseen": [each._asdict() for each in report.header.omitted if each.unseen_by],
        "masked": [masking._asdict() for masking in report.header.masked],
    }
