"""The report as JUnit XML, which every CI service shows.

One suite for the panel's verdict, then one a seat. What blocks is a failure, a seat that did not
answer is an error, and advice is a skipped test: services list those with their message and stay
green. So the file fails exactly when the verdict does.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from guildmoot.model.report import RunReport, SeatReport
from guildmoot.model.verdict import Finding
from guildmoot.reports.view import (
    doubt,
    gave_judgement,
    place,
    reused_line,
    seat_state,
    verdict_words,
)
from guildmoot.text.clean import clean, one_line

_BROKEN = ("infrastructure", "interrupted")


def to_junit(report: RunReport) -> str:
    """The report as a JUnit file."""
    root = ET.Element("testsuites", name="guildmoot", time=_time(report.header.seconds))
    root.append(_panel_suite(report))
    seats = {seat.seat.name: seat for seat in report.seats}
    for name, findings in _by_seat(report).items():
        root.append(_seat_suite(name, findings, seats.get(name)))
    _count(root, ("tests", "failures", "errors", "skipped"))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _by_seat(report: RunReport) -> dict[str, list[Finding]]:
    """Findings under the seat that made them, in the order of the seats."""
    suites: dict[str, list[Finding]] = {seat.seat.name: [] for seat in report.seats}
    for finding in (*report.blocking, *report.advisory):
        suites.setdefault(finding.seat, []).append(finding)
    return suites


def _panel_suite(report: RunReport) -> ET.Element:
    _, word, rest = verdict_words(report)
    suite = _suite("panel", report.header.seconds)
    case = _case(suite, "panel", "verdict", report.header.seconds)
    text = "\n".join(clean(reason) for reason in report.header.reasons)
    if report.outcome in _BROKEN:
        _result(case, "error", f"{word}: {rest}", report.outcome, text)
    elif report.header.exit_code:
        _result(case, "failure", f"{word}: {rest}", report.outcome, text)
    if kept := reused_line(report.header):
        ET.SubElement(case, "system-out").text = clean(kept)
    return _finished(suite)


def _seat_suite(name: str, findings: Iterable[Finding], seat: SeatReport | None) -> ET.Element:
    suite = _suite(name, seat.seconds if seat else 0.0)
    if seat:
        _answer_case(suite, seat)
    for finding in findings:
        _finding_case(suite, finding)
    return _finished(suite)


def _answer_case(suite: ET.Element, seat: SeatReport) -> None:
    case = _case(suite, seat.seat.name, "answered", seat.seconds)
    reason = one_line(seat.reason) or seat_state(seat)
    if not gave_judgement(seat):
        _result(case, "error", f"{seat_state(seat)}: {reason}", seat.status, "")
    elif seat.outcome == "operator-judgment":
        _result(case, "failure", f"asks a person: {reason}", seat.outcome, "")
    elif seat.outcome == "recused":
        _result(case, "skipped", f"recused: {reason}", "", "")


def _finding_case(suite: ET.Element, finding: Finding) -> None:
    where = place(finding) or "the work as a whole"
    case = _case(suite, finding.seat, f"{one_line(finding.code)} {where}", 0.0)
    if finding.path:
        case.set("file", one_line(finding.path))
    if finding.path and finding.line > 0:
        case.set("line", str(finding.line))
    title = one_line(finding.title) or "no reason was given"
    if finding.blocking:
        kind = one_line(finding.code)
        _result(case, "failure", f"{finding.severity}: {title}", kind, _body(finding))
    else:
        _result(case, "skipped", f"advisory, {finding.severity}: {title}", "", "")
        ET.SubElement(case, "system-out").text = _body(finding)


def _body(finding: Finding) -> str:
    parts = (
        ("", place(finding)),
        ("", clean(finding.title)),
        ("", clean(finding.quote).strip("\n")),
        ("why: ", clean(finding.why)),
        ("fix: ", clean(finding.fix)),
        ("note: ", doubt(finding)),
        ("rule: ", one_line(finding.url)),
    )
    return "\n".join(label + text for label, text in parts if text.strip())


def _suite(name: str, seconds: float) -> ET.Element:
    return ET.Element("testsuite", name=one_line(name), time=_time(seconds))


def _case(suite: ET.Element, group: str, name: str, seconds: float) -> ET.Element:
    attributes = {"classname": one_line(group), "name": name, "time": _time(seconds)}
    return ET.SubElement(suite, "testcase", attributes)


def _result(case: ET.Element, tag: str, message: str, kind: str, text: str) -> None:
    element = ET.SubElement(case, tag, message=message)
    if kind:
        element.set("type", kind)
    if text:
        element.text = text


def _finished(suite: ET.Element) -> ET.Element:
    suite.set("tests", str(len(suite)))
    for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def _count(root: ET.Element, names: Iterable[str]) -> None:
    for name in names:
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"
