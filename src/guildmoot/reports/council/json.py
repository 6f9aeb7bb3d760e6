"""A council as one JSON object: everything that the report holds, nothing shortened or cleaned."""

from __future__ import annotations

from collections.abc import Iterable

from guildmoot.model.council import Contender, CouncilReport, Debate, Duel, Ideas, Judge
from guildmoot.model.council_verdict import CouncilVerdict, verdict_to_json
from guildmoot.model.verdict import Assertion, Finding, Issue
from guildmoot.reports.council.view import gate_word, missing, responded, second_round, vendor
from guildmoot.reports.json import finding_json

SCHEMA_VERSION = 1

Json = dict[str, object]


def council_json(report: CouncilReport) -> Json:
    """The whole report as plain data for ``jsonio``."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": report.header.run_id,
        "council_id": report.stem,
        "date": report.date,
        "task": report.task,
        "target": report.header.target,
        "modes": list(report.modes),
        "outcome": report.outcome,
        "verdict": report.verdict,
        "gate": gate_word(report) or None,
        "disagreement": report.outcome == "DISAGREE",
        "exit_code": report.header.exit_code,
        "reasons": list(report.header.reasons),
        "floors": list(report.header.floors),
        "policy": report.header.policy,
        "confidence": report.confidence,
        "counts": report.header.counts._asdict() if report.header.counts else None,
        "recommendation": report.recommendation,
        "roster": _roster(report),
        "issues": _issues(report),
        "disagreements": [
            {"issue": each.issue, "positions": _positions(each.positions)}
            for each in report.disagreements
        ],
        "pairs": [
            {"perspective": each.perspective, "words": dict(each.words), "agreed": each.agreed}
            for each in report.pairs
        ],
        "debate": _debate(report.debate) if report.debate else None,
        "ideas": _ideas(report.ideas) if report.ideas else None,
        "duel": _duel(report.duel) if report.duel else None,
        "notes": list(report.notes),
        "suppressed": _pairs(report.suppressed, "finding", "reason"),
        "evidence": [{"finding": name, "assertions": n} for name, n in report.evidence],
        "profile": report.profile,
        "technique": report.technique,
        "previous": report.previous or None,
        "delta": [
            {"issue": issue, "before": before, "now": now} for issue, before, now in report.delta
        ],
        "wrapper": _wrapper(report) if report.wrapper else None,
        "settings": [
            {"name": name, "value": value, "source": source}
            for name, value, source in report.settings
        ],
        "packet": _packet(report),
        "seconds": round(report.header.seconds, 3),
        "version": report.header.version,
    }


def _roster(report: CouncilReport) -> Json:
    answered, total = responded(report)
    return {
        "requested": list(report.requested),
        "asked": total,
        "responded": answered,
        "missing": list(missing(report)),
        "judges": [_judge(judge) for judge in report.judges],
    }


def _judge(judge: Judge) -> Json:
    return {
        "label": judge.label,
        "persona": judge.persona,
        "perspective": judge.perspective,
        "vendor": vendor(judge),
        "seat": judge.seat._asdict(),
        "status": judge.status,
        "word": judge.word,
        "reason": judge.reason,
        "computed": judge.computed,
        "verdict": _verdict(judge.verdict),
        "first": _verdict(judge.first),
        "findings": [_finding(finding) for finding in judge.findings],
        "answers": dict(judge.answers),
        "explored": _pairs(judge.explored, "question", "answer"),
        "text": judge.text,
        "second": judge.second,
        "seconds": round(judge.seconds, 3),
        "usage": judge.usage._asdict() if judge.usage else None,
        "usd": judge.usd,
    }


def _verdict(verdict: CouncilVerdict | None) -> Json | None:
    return verdict_to_json(verdict) if verdict else None


def _finding(finding: Finding) -> Json:
    return {
        **finding_json(finding),
        "blocking": finding.blocking,
        "assertions": [_assertion(check) for check in finding.assertions],
    }


def _assertion(check: Assertion) -> Json:
    return {"command": check.command, "expected": check.expected, "description": check.description}


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
    return [_issue(issue, buckets.get(issue.id)) for issue in report.issues]


def _issue(issue: Issue, bucket: str | None) -> Json:
    return {
        "id": issue.id,
        "bucket": bucket,
        "severity": issue.severity,
        "blocking": issue.blocking,
        "seats": list(issue.seats),
        "families": list(issue.families),
        "cohesion": round(issue.cohesion, 3),
        "representative": _finding(issue.representative),
        "members": [_finding(member) for member in issue.members],
    }


def _positions(positions: Iterable[tuple[tuple[str, ...], str]]) -> list[Json]:
    return [{"who": list(who), "says": says} for who, says in positions]


def _debate(debate: Debate) -> Json:
    answered, asked = second_round(debate)
    return {
        "branch": debate.branch,
        "fidelity": debate.fidelity,
        "asked": asked,
        "responded": answered,
        "converged": debate.converged,
        "stopped": debate.stopped,
        "notes": list(debate.notes),
        "seed": debate.seed,
        "seen": [{"judge": label, "peers": list(peers)} for label, peers in debate.seen],
        "shifts": [{**shift._asdict(), "cited": list(shift.cited)} for shift in debate.shifts],
        "exchanges": [each._asdict() for each in debate.exchanges],
        "restated": _pairs(debate.restated, "judge", "text"),
        "dropped": [
            {"judge": label, "finding": _finding(finding)} for label, finding in debate.dropped
        ],
    }


def _ideas(ideas: Ideas) -> Json:
    return {
        "technique": ideas.technique,
        "options": [
            {
                "title": option.title,
                "summary": option.summary,
                "proposed_by": list(option.proposed_by),
                "pros": list(option.pros),
                "cons": list(option.cons),
                "wordings": _pairs(option.wordings, "judge", "title"),
            }
            for option in ideas.options
        ],
        "facets": [
            {"facet": each.facet, "judge": each.judge, "findings": list(each.findings)}
            for each in ideas.facets
        ],
        "themes": [
            {"title": theme.title, "points": _pairs(theme.points, "judge", "point")}
            for theme in ideas.themes
        ],
        "questions": _pairs(ideas.questions, "judge", "question"),
        "recommendations": _pairs(ideas.recommendations, "judge", "recommendation"),
        "sections": [
            {"lens": lens, "ideas": _pairs(told, "judge", "idea")} for lens, told in ideas.sections
        ],
    }


def _duel(duel: Duel) -> Json:
    return {
        "tension": duel.tension,
        "ballots": [{"expert": who, "mean": round(mean, 1)} for who, mean in duel.ballots],
        "matrix": [
            {**row._asdict(), "scores": dict(row.scores), "mean": round(row.mean, 1)}
            for row in duel.matrix
        ],
        "conceded": _pairs(duel.conceded, "expert", "point"),
        "blind_spots": _pairs(duel.blind_spots, "expert", "point"),
        "diagnostics": list(duel.diagnostics),
        "contenders": [_contender(each) for each in duel.contenders],
        "not_cast": _pairs(duel.missing, "scorer", "expert"),
        "notes": list(duel.notes),
        "seed": duel.seed,
        "seen": [{"expert": label, "peers": list(peers)} for label, peers in duel.seen],
    }


def _contender(each: Contender) -> Json:
    return {
        **each._asdict(),
        "recommendations": list(each.recommendations),
        "kills": list(each.kills),
        "failed": list(each.failed),
    }


def _wrapper(report: CouncilReport) -> Json:
    return {
        "name": report.wrapper,
        "decision": report.decision,
        "checks": [
            {"name": name, "result": result, "detail": detail}
            for name, result, detail in report.checks
        ],
        "tables": [
            {"title": title, "headings": list(heads), "rows": [list(row) for row in rows]}
            for title, heads, rows in report.tables
        ],
        "predictions": _pairs(report.predictions, "id", "foretold"),
    }


def _packet(report: CouncilReport) -> Json:
    return {
        "hash": report.header.packet_hash,
        "bytes": report.packet_bytes,
        "files": report.header.files_reviewed,
        "sources": list(report.sources),
        "omitted": [omission._asdict() for omission in report.header.omitted],
        "masked": [masking._asdict() for masking in report.header.masked],
    }


def _pairs(pairs: Iterable[tuple[str, str]], first: str, second: str) -> list[Json]:
    return [{first: one, second: other} for one, other in pairs]
