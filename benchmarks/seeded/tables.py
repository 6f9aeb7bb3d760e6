"""What was measured, as text of 80 columns, as Markdown and as JSON. It decides nothing."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from benchmarks.seeded.cases import Case
from benchmarks.seeded.measure import PANEL, Gain, Measured, Row, Sensitivity
from benchmarks.seeded.scoring import Score, Span

SCHEMA_VERSION = 1
LANGUAGES = {
    ".py": "Python",
    ".ts": "TypeScript",
    ".js": "JavaScript",
    ".go": "Go",
    ".sh": "shell",
    ".sql": "SQL",
    ".rs": "Rust",
    ".java": "Java",
    ".rb": "Ruby",
    ".php": "PHP",
    ".c": "C",
    ".h": "C",
    ".tf": "Terraform",
}
_RATES = "{:>15}{:>15}{:>15}"


def as_text(measured: Measured, command: str) -> str:
    """Everything a reader needs, widest first."""
    return "\n".join([*_head(measured.cases), f"$ {command}", "", *_body(measured)])


def as_markdown(measured: Measured, command: str, made_with: str) -> str:
    """The same in a file that can be committed."""
    text = "\n".join([*_head(measured.cases), "", *_body(measured)])
    return f"# Seeded defects: results\n\n    {command}\n\nMade with {made_with}.\n\n```text\n{text}\n```\n"


def as_json(measured: Measured, command: str) -> dict[str, Any]:
    """The numbers for programs."""
    return {
        "schema_version": SCHEMA_VERSION,
        "command": command,
        "cases": [_case(case, measured.found_by) for case in measured.cases],
        "rows": [_row(row) for row in measured.rows],
        "gains": [_gain(each) for each in measured.gains],
        "sensitivity": [
            each._asdict() | {"total": each.total._asdict()} for each in measured.sensitivity
        ],
    }


def language(case: Case) -> str:
    """What the file with the defect is written in."""
    path = case.defect.place.path if case.defect else ""
    return LANGUAGES.get(PurePosixPath(path).suffix, "Dockerfile and YAML")


def _head(cases: Sequence[Case]) -> list[str]:
    defects = [case for case in cases if case.defect]
    repositories = {case.repository for case in cases}
    controls = len(cases) - len(defects)
    counted = (
        f"{len(defects)} seeded defects, {controls} controls, {len(repositories)} repositories;"
    )
    return [
        counted,
        "a defect is found by a finding of its kind within 3 lines of it that the judge",
        "does not have of the sound code; 95 % intervals over cases.",
    ]


def _body(measured: Measured) -> Iterator[str]:
    yield from _scores("All findings, blocking and advisory", measured.rows, "every")
    yield from _scores("Blocking findings only", measured.rows, "blocking")
    yield from _gain_table(measured.gains)
    yield from _verdict_table(measured)
    yield from _sensitivity_table(measured.sensitivity)
    yield from _language_table(measured)
    yield from _notes(measured.rows)


def _scores(title: str, rows: Sequence[Row], level: str) -> Iterator[str]:
    yield title
    yield f"{'':21}{'found':>7}{'alarms':>7}" + _RATES.format("precision", "recall", "F1")
    group, silent = "seat", []
    for row in rows:
        if row.group == "seat" and not (getattr(row, level).found or getattr(row, level).alarms):
            silent.append(row.name)
            continue
        if row.group != group and row.group != "panel":
            yield ""
        group = row.group
        got: Score = getattr(row, level)
        found = f"{got.found}/{got.seeded}"
        rates = _RATES.format(*map(_span, (got.precision, got.recall, got.f1)))
        yield f"{row.name[:21]:21}{found:>7}{got.alarms:>7}{rates}"
    if silent:
        yield from _wrap(f"Nothing was found by {', '.join(silent)}.")
    yield ""


def _span(span: Span) -> str:
    if span.value is None:
        return "-"
    if span.low is None or span.high is None:
        return _rate(span.value)
    return f"{_rate(span.value)} ({_rate(span.low)}-{_rate(span.high)})"


def _rate(value: float | None) -> str:
    """``.07``, ``1.0`` or, without anything to divide by, ``-``."""
    if value is None:
        return "-"
    return "1.0" if value > 0.995 else f"{value:.2f}".removeprefix("0")


def _gain_table(gains: Sequence[Gain]) -> Iterator[str]:
    yield f"{'F1 of the panel above that of':32}{'all findings':>20}{'blocking only':>20}"
    for each in gains:
        yield f"{each.over:32}{_signed(each.every):>20}{_signed(each.blocking):>20}"
    yield ""


def _signed(span: Span) -> str:
    """``+.13 (.05, .21)``: a lower end above 0 is a gain that is more than luck."""
    ends = [f"{value:+.2f}".replace("0.", ".", 1) for value in span if value is not None]
    return ends[0] if len(ends) == 1 else f"{ends[0]} ({ends[1]}, {ends[2]})"


def _verdict_table(measured: Measured) -> Iterator[str]:
    defects = sum(case.defect is not None for case in measured.cases)
    controls = len(measured.cases) - defects
    yield "What each policy makes of the whole case"
    yield f"{'':21}{'defects':>22}{'controls':>26}"
    yield f"{'':21}{'stopped':>12}{'to operator':>14}{'stopped':>12}{'to operator':>14}"
    for row in measured.rows:
        if not row.verdicts:
            continue
        stopped = {name: (bad, good) for name, bad, good in row.verdicts}
        flagged, operator = stopped.get("flagged", (0, 0)), [0, 0]
        for name in ("flagged-conflict", "operator-judgment-required"):
            operator = [a + b for a, b in zip(operator, stopped.get(name, (0, 0)), strict=True)]
        cells = (
            f"{flagged[0]}/{defects}",
            f"{operator[0]}/{defects}",
            f"{flagged[1]}/{controls}",
            f"{operator[1]}/{controls}",
        )
        yield f"{row.name:21}{cells[0]:>12}{cells[1]:>14}{cells[2]:>12}{cells[3]:>14}"
    yield ""


def _sensitivity_table(rows: Sequence[Sensitivity]) -> Iterator[str]:
    """One line for each rule: found, alarms and F1 of every row."""
    names = [each.row for each in rows if each.matching == rows[0].matching]
    yield "If a finding counts when it is in ...   (found, alarms, F1)"
    yield f"{'':27}" + "".join(f"{name:>18}" for name in names[:1] + names[-1:])
    for matching in dict.fromkeys(each.matching for each in rows):
        by_row = {each.row: each for each in rows if each.matching == matching}
        cells = [by_row[name] for name in names[:1] + names[-1:]]
        told = [f"{each.total.found} {each.total.alarms:>4}  {_rate(each.f1):>3}" for each in cells]
        yield f"{matching:27}" + "".join(f"{each:>18}" for each in told)
    yield ""


def _language_table(measured: Measured) -> Iterator[str]:
    seeded = Counter(language(case) for case in measured.cases if case.defect)
    found = Counter(
        language(case) for case in measured.cases if PANEL in measured.found_by.get(case.name, ())
    )
    told = [f"{name} {found[name]}/{number}" for name, number in seeded.most_common()]
    yield "The panel found, by language:"
    yield from _wrap(", ".join(told), indent="  ")


def _notes(rows: Sequence[Row]) -> Iterator[str]:
    panel = next(row for row in rows if row.name == PANEL)
    alarms = (
        f"Alarms of the panel: {panel.every.alarms}, {panel.control_alarms} of them on controls."
        " What is said of the sound code is counted once, there."
    )
    yield from _wrap(alarms)
    if panel.paid_calls:
        yield f"Model calls of the panel: {panel.paid_calls}."
    for row in rows:
        if row.note:
            yield from _wrap(f"{row.name}: {row.note}")
        if row.silent:
            yield f"{row.name} gave no judgement {row.silent} times; these count as misses."


def _wrap(text: str, indent: str = "") -> list[str]:
    """Lines of at most 80 columns; names with a hyphen stay whole."""
    return textwrap.wrap(
        text, 80, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _case(case: Case, found_by: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": case.name, "repository": case.repository, "defect": None}
    if case.defect:
        place = case.defect.place._asdict()
        plain["defect"] = case.defect._asdict() | {"place": place, "language": language(case)}
        plain["found_by"] = list(found_by[case.name])
    return plain


def _gain(each: Gain) -> dict[str, Any]:
    return {"over": each.over, "every": each.every._asdict(), "blocking": each.blocking._asdict()}


def _row(row: Row) -> dict[str, Any]:
    plain = row._asdict()
    for level in ("every", "blocking"):
        got: Score = plain[level]
        spans = {name: getattr(got, name)._asdict() for name in ("precision", "recall", "f1")}
        plain[level] = got._asdict() | spans
    plain["verdicts"] = [
        {"verdict": name, "defects": bad, "controls": good} for name, bad, good in row.verdicts
    ]
    return plain
