"""The report as SARIF 2.1.0, for code-scanning services and editors.

Written to pass GitHub's stricter rules too: it refuses a whole file for one result without a
place, or for more than 25,000 results.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from urllib.parse import quote

from guildmoot.model.council import CouncilReport
from guildmoot.model.identity import fingerprint
from guildmoot.model.report import RunReport, SeatReport
from guildmoot.model.verdict import Conflict, Finding
from guildmoot.reports.view import (
    by_severity,
    doubt,
    gave_judgement,
    reused_json,
    seat_state,
    verdict_words,
)
from guildmoot.text.clean import clean, count, one_line, web_address

Json = dict[str, object]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MAX_RESULTS = 25_000
_ROOT = "%SRCROOT%"
_NOWHERE = "no-file-named"
_NO_CODE = "finding"


def to_sarif(report: RunReport | CouncilReport) -> Json:
    """The report as a SARIF log with one run; raises UsageError where nothing was judged."""
    if not isinstance(report, RunReport):
        from guildmoot.reports.council.run import as_run

        report = as_run(report)
    groups = by_severity(report)
    blocking = chain.from_iterable(group.blocking for group in groups)
    advisory = chain.from_iterable(group.advisory for group in groups)
    findings = [*blocking, *advisory]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, findings)]}


def _run(report: RunReport, findings: Sequence[Finding]) -> Json:
    shown = findings[:MAX_RESULTS]
    rules = _rules(shown)
    index = {str(rule["id"]): position for position, rule in enumerate(rules)}
    notes = _notifications(report, len(findings) - len(shown))
    return {
        "tool": {"driver": _driver(report, rules, notes)},
        "automationDetails": {
            "id": one_line(f"guildmoot/{report.header.policy}/{report.header.run_id}")
        },
        "invocations": [_invocation(report, notes)],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the packet."}}},
        "results": _results(shown, index),
        "properties": _properties(report),
    }


def _driver(report: RunReport, rules: Sequence[Json], notes: Sequence[Json]) -> Json:
    kinds = dict.fromkeys(str(note["kind"]) for note in notes)
    driver: Json = {"name": "guildmoot", "version": clean(report.header.version), "rules": rules}
    if kinds:
        driver["notifications"] = [{"id": kind} for kind in kinds]
    return driver


def _rules(findings: Sequence[Finding]) -> list[Json]:
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(rule_id(finding), []).append(finding)
    return [_rule(code, same) for code, same in by_code.items()]


def _rule(code: str, findings: Sequence[Finding]) -> Json:
    """A rule is described by its findings only when they all say the same of it."""
    titles = {one_line(finding.title) for finding in findings}
    seats = sorted({one_line(finding.seat) for finding in findings})
    text = titles.pop() if len(titles) == 1 else ""
    rule: Json = {
        "id": code,
        "shortDescription": {"text": _plain(text or f"{code} ({', '.join(seats)})")},
        "defaultConfiguration": {"level": level(findings[0])},
    }
    links = (web_address(finding.url) for finding in findings)
    link = next((link for link in links if link), "")
    if link:
        rule["helpUri"] = link
    return rule


def _results(findings: Sequence[Finding], index: dict[str, int]) -> list[Json]:
    seen: dict[str, int] = {}
    results = []
    for finding in findings:
        key = fingerprint(finding)
        seen[key] = seen.get(key, 0) + 1
        code = rule_id(finding)
        results.append(
            {
                "ruleId": code,
                "ruleIndex": index[code],
                "level": level(finding),
                "message": {"text": _plain(message(finding))},
                "locations": [{"physicalLocation": _location(finding)}],
                "partialFingerprints": {"guildmoot/v1": f"{key}:{seen[key]}"},
                "properties": {
                    "seat": one_line(finding.seat),
                    "severity": finding.severity,
                    "blocking": finding.blocking,
                    "proven": finding.proven,
                    "grounding": finding.grounding,
                },
            }
        )
    return results


def rule_id(finding: Finding) -> str:
    """The finding's code, never empty."""
    return one_line(finding.code) or _NO_CODE


def level(finding: Finding) -> str:
    """Only what blocks here is an error, so that a scanning gate agrees with the verdict."""
    if finding.blocking:
        return "error"
    return "note" if finding.severity == "low" else "warning"


def message(finding: Finding) -> str:
    """What is wrong, why, and how to mend it, as plain text."""
    parts = [clean(finding.title).strip() or "No reason was given."]
    labelled = (("Why", finding.why), ("Fix", finding.fix), ("Note", doubt(finding)))
    parts += [f"{label}: {clean(text).strip()}" for label, text in labelled if text.strip()]
    return "\n".join(parts)


def _location(finding: Finding) -> Json:
    place: Json = {
        "artifactLocation": {"uri": path_uri(finding.path) or _NOWHERE, "uriBaseId": _ROOT}
    }
    if finding.path and finding.line > 0:
        region: Json = {"startLine": finding.line, "endLine": max(finding.line, finding.end_line)}
        if finding.quote.strip():
            region["snippet"] = {"text": clean(finding.quote)}
        place["region"] = region
    return place


def path_uri(path: str) -> str:
    """A relative path as a URI reference, with whatever bytes its name has."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        raw = path.encode("utf-8", "replace")
    return quote(raw.lstrip(b"/"), safe="/")


def _invocation(report: RunReport, notes: Sequence[Json]) -> Json:
    return {
        "executionSuccessful": report.outcome not in ("infrastructure", "interrupted"),
        "exitCode": report.header.exit_code,
        "toolExecutionNotifications": [
            {
                "descriptor": {"id": note["kind"]},
                "level": note["level"],
                "message": {"text": _plain(str(note["text"]))},
            }
            for note in notes
        ],
    }


def _notifications(report: RunReport, left_out: int) -> list[Json]:
    notes = [_absence(seat) for seat in report.seats if not gave_judgement(seat)]
    notes += [_disagreement(conflict) for conflict in report.conflicts]
    if left_out:
        text = f"{count(left_out, 'finding')} left out: scanning services refuse more."
        notes.append({"kind": "results-left-out", "level": "warning", "text": text})
    return notes


def _absence(seat: SeatReport) -> Json:
    reason = one_line(seat.reason)
    text = f"{one_line(seat.seat.name)}: {seat_state(seat)}" + (f": {reason}" if reason else "")
    kind = "seat-unreadable" if seat.status == "answered" else f"seat-{seat.status}"
    return {"kind": kind, "level": "error", "text": text}


def _disagreement(conflict: Conflict) -> Json:
    seats = ", ".join(one_line(seat) for seat in conflict.seats)
    text = f"{one_line(conflict.scope)}: remedies of {seats} cannot both be applied."
    return {"kind": "conflict", "level": "error", "text": text}


def _properties(report: RunReport) -> Json:
    _, word, rest = verdict_words(report)
    return {
        "verdict": report.verdict,
        "outcome": report.outcome,
        "headline": f"{word}: {rest}" if rest else word,
        "reasons": _cleaned(report.header.reasons),
        "packetHash": report.header.packet_hash,
        "filesReviewed": report.header.files_reviewed,
        "filesLeftOut": len(report.header.omitted),
        "secretsMasked": len(report.header.masked),
        **({"reused": reused} if (reused := reused_json(report.header)) else {}),
    }


def _cleaned(texts: Iterable[str]) -> list[str]:
    return [clean(text) for text in texts]


def _plain(text: str) -> str:
    """SARIF reads ``[text](target)`` in a message as a link; foreign text must not make one."""
    return re.sub(r"([\\\[\]])", r"\\\1", text) if "](" in text else text
