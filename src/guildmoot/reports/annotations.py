"""Findings for other programs, one by one: editors, GitHub, GitLab and reviewdog.

Blocking is an error everywhere, so that whoever gates on these gates as the verdict does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from guildmoot.model.identity import fingerprint
from guildmoot.model.report import RunReport
from guildmoot.model.verdict import Finding
from guildmoot.reports.sarif import level
from guildmoot.reports.view import by_severity, doubt, reused_line
from guildmoot.text.clean import one_line, web_address

Json = dict[str, object]
Words = tuple[str, str, str]
"""The verdict's sign, its word and what it rests on."""

# CI services obey "::name::" at the start of a line of a log, and "##[name]" or "##vso[" anywhere.
_ORDER = re.compile(r"##(?=\w*\[)")
_NAMED = re.compile(r"`([^`\n]+)`")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@", re.MULTILINE)
_GITHUB = {"error": "error", "warning": "warning", "note": "notice"}
_RDFORMAT = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}
_GITLAB = {"critical": "major", "high": "major", "medium": "minor", "low": "info"}


def to_concise(report: RunReport, _words: Words) -> str:
    """``path:line:col: error CODE text``, one line a finding, the worst first."""
    return "".join(f"{_concise(finding)}\n" for finding in _findings(report))


def to_github(report: RunReport, words: Words) -> str:
    """Workflow commands that GitHub shows beside the changed lines, and the verdict as the last one."""
    _, word, rest = words
    verdict = _plain(f"{word} {rest}".rstrip())
    kept = filter(None, [reused_line(report.header)])
    reasons = "; ".join(_plain(reason) for reason in (*kept, *report.header.reasons))
    kind = "error" if report.header.exit_code else "notice"
    lines = [_command(finding) for finding in _findings(report)]
    lines.append(f"::{kind} title={_property(f'guild: {verdict}')}::{_data(reasons or verdict)}")
    return "".join(f"{line}\n" for line in lines)


def to_gitlab(report: RunReport, _words: Words) -> list[Json]:
    """GitLab's code quality report; two findings never have one fingerprint."""
    seen: Counter[str] = Counter()
    issues: list[Json] = []
    for finding in _findings(report):
        key = fingerprint(finding)
        seen[key] += 1
        issues.append(
            {
                "type": "issue",
                "check_name": one_line(finding.code) or "finding",
                "description": _said(finding),
                "fingerprint": f"{key}-{seen[key]}" if seen[key] > 1 else key,
                "severity": _gitlab_severity(finding),
                "location": {
                    "path": one_line(finding.path) or ".",
                    "lines": {"begin": max(finding.line, 1)},
                },
            }
        )
    return issues


def to_rdjson(report: RunReport, _words: Words) -> Json:
    """The Reviewdog Diagnostic Format."""
    return {
        "source": {"name": "guildmoot"},
        "severity": "ERROR" if report.header.exit_code else "INFO",
        "diagnostics": [_diagnostic(finding) for finding in _findings(report)],
    }


def headline(report: RunReport, words: Words) -> str:
    """The verdict and its reasons, a line each."""
    symbol, word, rest = words
    kept = reused_line(report.header)
    reasons = (f"  {_plain(reason)}" for reason in (*filter(None, [kept]), *report.header.reasons))
    return "\n".join((f"{symbol} {word}  {_plain(rest)}".rstrip(), *reasons))


WRITERS: Mapping[str, Callable[[RunReport, Words], str | Json | list[Json]]] = {
    "concise": to_concise,
    "github": to_github,
    "gitlab": to_gitlab,
    "rdjson": to_rdjson,
}
"""By the word that ``--format`` takes."""


def _findings(report: RunReport) -> Iterator[Finding]:
    """What blocks comes first, and of each the worst: services show only the first few."""
    groups = by_severity(report)
    yield from (finding for group in groups for finding in group.blocking)
    yield from (finding for group in groups for finding in group.advisory)


def _concise(finding: Finding) -> str:
    path = _plain(finding.path) or "-"
    path = f"./{path}" if path.startswith(":") else path
    place = f"{path}:{max(finding.line, 1)}:{column(finding)}"
    return f"{place}: {level(finding)} {_plain(finding.code) or 'finding'} {_said(finding)}"


def column(finding: Finding) -> int:
    """Where on its line it stands, from 1: the name that it speaks of, else the first letter of the line."""
    line = finding.quote.partition("\n")[0]
    for name in _NAMED.findall(finding.title):
        at = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line)
        if at:
            return at.start() + 1
    return len(line) - len(line.lstrip()) + 1 if line.strip() else 1


def _command(finding: Finding) -> str:
    known = {"file": _plain(finding.path)}
    if finding.path and finding.line > 0:
        known |= {"line": str(finding.line), "endLine": str(max(finding.end_line, finding.line))}
    known["title"] = f"{_plain(finding.code)} ({_plain(finding.seat)})"
    said = ",".join(f"{name}={_property(value)}" for name, value in known.items() if value)
    why = f"\n{_plain(finding.why)}" if finding.why.strip() and finding.blocking else ""
    return f"::{_GITHUB[level(finding)]} {said}::{_data(_said(finding) + why)}"


def _diagnostic(finding: Finding) -> Json:
    found: Json = {
        "message": _said(finding),
        "location": _location(finding),
        "severity": _RDFORMAT[level(finding)],
    }
    if finding.code:
        link = web_address(finding.url)
        code: Json = {"value": one_line(finding.code)}
        found["code"] = {**code, "url": link} if link else code
    if suggestion := _suggestion(finding):
        found["suggestions"] = [suggestion]
    return found


def _suggestion(finding: Finding) -> Json | None:
    """The judge's patch in reviewdog's form, where it is one hunk of the finding's own file."""
    hunks = list(_HUNK.finditer(finding.patch))
    if len(hunks) != 1 or not finding.path:
        return None
    start, size = int(hunks[0][1]), int(hunks[0][2] or 1)
    rows = finding.patch[hunks[0].end() :].split("\n")[1:]
    text = "\n".join(row[1:] for row in rows if row[:1] in ("+", " "))
    lines = {"start": {"line": start}, "end": {"line": start + max(size, 1) - 1}}
    return {"range": lines, "text": text} if size else None


def _location(finding: Finding) -> Json:
    place: Json = {"path": one_line(finding.path)}
    if finding.path and finding.line > 0:
        place["range"] = {
            "start": {"line": finding.line, "column": column(finding)},
            "end": {"line": max(finding.end_line, finding.line)},
        }
    return place


def _gitlab_severity(finding: Finding) -> str:
    if finding.blocking:
        return "blocker" if finding.severity == "critical" else "critical"
    return _GITLAB[finding.severity]


def _said(finding: Finding) -> str:
    """What is wrong, on one line, with why a reader should doubt it."""
    said = _plain(finding.title) or "no reason was given"
    note = doubt(finding)
    return f"{said} ({_plain(note)})" if note else said


def _plain(text: str) -> str:
    return _ORDER.sub("## ", one_line(text))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
