"""A council as one JSON object: everything that the report holds, nothing shortened or cleaned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from guildmoot.codec import to_plain
from guildmoot.model.council import CouncilReport, Debate, Duel, Ideas, Judge, SummarySentence
from guildmoot.model.council_verdict import verdict_to_json
from guildmoot.model.verdict import Finding, Issue
from guildmoot.reports.costs import cost_json, runs_model
from guildmoot.reports.council.remedies import remedies, remedy
from guildmoot.reports.council.run import issue_finding, run_outcome
from guildmoot.reports.council.view import (
    gate_word,
    missing,
    responded,
    said_word,
    second_round,
    support,
    vendor,
)
from guildmoot.reports.json import Json, finding_json
from guildmoot.reports.view import reused_json

SCHEMA_VERSION = 1


def council_json(report: CouncilReport) -> Json:
    """The whole report as plain data for ``jsonio``."""
    header = report.header
    answered, total = responded(report)
    found = [issue_finding(issue) for issue in report.issues]
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": header.run_id,
        "council_id": report.stem,
        "date": report.date,
        "task": report.task,
        "target": header.target,
        "origin": header.origin._asdict(),
        "judged": header.judged or None,
        "modes": list(report.modes),
        "outcome": report.outcome,
        "result": run_outcome(report),
        "verdict": report.verdict if report.verdict == report.outcome else None,
        "gate": gate_word(report) or None,
        "disagreement": report.outcome == "DISAGREE",
        "exit_code": header.exit_code,
        "reused": reused_json(header),
        "costs": cost_json(report.costs) if any(map(runs_model, report.costs)) else None,
        "reasons": list(header.reasons),
        "floors": list(header.floors),
        "policy": header.policy,
        "confidence": report.confidence,
        "counts": to_plain(header.counts),
        "summary": {
            "by": "chair" if report.chair else "template",
            "model": report.chair,
            "sentences": [_sentence(each) for each in report.summary],
        },
        "recommendation": report.recommendation,
        "recommendations": to_plain(report.advice),
        "roster": {
            "requested": list(report.requested),
            "asked": total,
            "responded": answered,
            "missing": list(missing(report)),
            "judges": [_judge(judge) for judge in report.judges],
        },
        "blocking_findings": [finding_json(each) for each in found if each.blocking],
        "advisory_findings": [finding_json(each) for each in found if not each.blocking],
        "issues": _issues(report),
        "disagreements": to_plain(report.disagreements),
        "pairs": [{**to_plain(each), "words": dict(each.words)} for each in report.pairs],
        "debate": _debate(report.debate) if report.debate else None,
        "ideas": _ideas(report.ideas) if report.ideas else None,
        "duel": _duel(report.duel) if report.duel else None,
        "notes": list(report.notes),
        "suppressed": _rows(report.suppressed, "finding", "reason"),
        "evidence": _rows(report.evidence, "finding", "assertions"),
        "profile": report.profile,
        "technique": report.technique,
        "previous": report.previous or None,
        "delta": _rows(report.delta, "issue", "before", "now"),
        "wrapper": _wrapper(report) if report.wrapper else None,
        "settings": _rows(report.settings, "name", "value", "source"),
        "packet": {
            "hash": header.packet_hash,
            "bytes": report.packet_bytes,
            "files": header.files_reviewed,
            "sources": list(report.sources),
            "opened": _rows(report.opened, "seat", "paths"),
            "omitted": to_plain(header.omitted),
            "masked": to_plain(header.masked),
        },
        "seconds": round(header.seconds, 3),
        "version": header.version,
    }


def _judge(judge: Judge) -> Json:
    return {
        **to_plain(judge),
        "status": judge.status if judge.used or judge.status != "answered" else "unread",
        "vendor": vendor(judge),
        "said": said_word(judge) or None,
        "verdict": verdict_to_json(judge.verdict) if judge.verdict else None,
        "first": verdict_to_json(judge.first) if judge.first else None,
        "findings": [_finding(finding) for finding in judge.findings],
        "answers": dict(judge.answers),
        "explored": _rows(judge.explored, "question", "answer"),
        "seconds": round(judge.seconds, 3),
    }


def _finding(finding: Finding) -> Json:
    return {
        **finding_json(finding),
        "blocking": finding.blocking,
        "assertions": _rows(
            ((each.command, each.expected, each.description) for each in finding.assertions),
            *("command", "expected", "description"),
        ),
    }


def _issues(report: CouncilReport) -> list[Json]:
    """Every issue with the one bucket it is in; none is dropped because few raise it."""
    buckets = {
        issue.id: name
        for name, issues in (
            ("shared", report.shared),
            ("split", report.split),
            ("minority", report.minority),
        )
        for issue in issues
    }
    return [
        {**_issue(report, issue, buckets.get(issue.id)), "raised": raised, "judges": able}
        for issue in report.issues
        for raised, able in [support(report, issue)]
    ]


def _issue(report: CouncilReport, issue: Issue, bucket: str | None) -> Json:
    return {
        "id": issue.id,
        "bucket": bucket,
        "severity": issue.severity,
        "blocking": issue.blocking,
        "path": issue.representative.path,
        "line": issue.representative.line,
        "end_line": issue.representative.end_line,
        "code": issue.representative.code,
        "evidence": issue.representative.title,
        "seats": list(issue.seats),
        "families": list(issue.families),
        "fix": remedy(issue, issue.representative, report),
        "fixes": [
            {"seat": seats[0], "fix": fix}
            for seats, fix in remedies(issue, issue.representative, report)
        ],
        "cohesion": round(issue.cohesion, 3),
        "representative": _finding(issue.representative),
        "members": [_finding(member) for member in issue.members],
    }


def _debate(debate: Debate) -> Json:
    answered, asked = second_round(debate)
    return {
        **to_plain(debate),
        "asked": asked,
        "responded": answered,
        "seen": _rows(debate.seen, "judge", "peers"),
        "restated": _rows(debate.restated, "judge", "text"),
        "dropped": [
            {"judge": label, "finding": _finding(finding)} for label, finding in debate.dropped
        ],
    }


def _named(pairs: Sequence[tuple[str, str]], kind: str) -> list[Json]:
    rows = enumerate(pairs, 1)
    return [{"id": f"{kind}-{number}", "judge": who, kind: said} for number, (who, said) in rows]


def _ideas(ideas: Ideas) -> Json:
    return {
        **to_plain(ideas),
        "options": [
            {
                "id": f"option-{number}",
                **to_plain(each),
                "wordings": _rows(each.wordings, "judge", "title"),
            }
            for number, each in enumerate(ideas.options, 1)
        ],
        "themes": [
            {
                "id": f"theme-{number}",
                "title": theme.title,
                "points": _rows(theme.points, "judge", "point"),
            }
            for number, theme in enumerate(ideas.themes, 1)
        ],
        "questions": _named(ideas.questions, "question"),
        "recommendations": _named(ideas.recommendations, "recommendation"),
        "sections": [
            {"lens": lens, "ideas": _rows(points, "judge", "idea")}
            for lens, points in ideas.sections
        ],
    }


def _duel(duel: Duel) -> Json:
    plain: Json = {
        **to_plain(duel),
        "ballots": [{"expert": who, "mean": round(mean, 1)} for who, mean in duel.ballots],
        "matrix": [
            {**to_plain(row), "scores": dict(row.scores), "mean": round(row.mean, 1)}
            for row in duel.matrix
        ],
        "conceded": _rows(duel.conceded, "expert", "point"),
        "blind_spots": _rows(duel.blind_spots, "expert", "point"),
        "not_cast": _rows(duel.missing, "scorer", "expert"),
        "seen": _rows(duel.seen, "expert", "peers"),
    }
    del plain["missing"]
    return plain


def _wrapper(report: CouncilReport) -> Json:
    return {
        "name": report.wrapper,
        "decision": report.decision,
        "checks": _rows(report.checks, "name", "result", "detail"),
        "tables": _rows(report.tables, "title", "headings", "rows"),
        "predictions": _rows(report.predictions, "id", "foretold"),
    }


def _rows(values: Iterable[tuple[object, ...]], *names: str) -> list[Json]:
    """Tuples as objects under these names."""
    return [dict(zip(names, map(to_plain, each), strict=True)) for each in values]


def _sentence(said: SummarySentence) -> Json:
    """With what was counted beside it, where a chair wrote it of one issue."""
    plain: Json = {"text": said.text, "issues": list(said.issues)}
    return {**plain, "counted": said.counted} if said.counted else plain
