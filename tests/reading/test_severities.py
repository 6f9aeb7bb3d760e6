"""Severities as models write them, and what only looks like one."""

from __future__ import annotations

import pytest

from guildmoot.reading.blocks import OWN
from guildmoot.reading.council.read import read_council
from guildmoot.reading.reasons import read_marks
from guildmoot.reading.words.doubts import doubt


@pytest.mark.parametrize("said", ["HIGH", "**High**", "MEDIUM"])
def test_a_confidence_under_its_heading_is_no_severity(said):
    lines = [(OWN, row) for row in f"### Confidence\n\n{said}\n\n### Findings\n\nNone.".split("\n")]
    assert doubt(lines, []) == ""


@pytest.mark.parametrize(
    ("text", "severity", "rest"),
    [
        ("CRITICAL (src/a.py:6): built from input", "critical", "src/a.py:6: built from input"),
        ("MINOR (src/a.py:5): a name", "low", "src/a.py:5: a name"),
        ("🔴 **Critical** – built from input", "critical", "built from input"),
        ("🟡 **Minor** – a name", "low", "a name"),
        ("🔴 Critical: built from input", "critical", "built from input"),
        ("🟡 Minor: a name", "low", "a name"),
        ("HIGH (I think) is the load", None, "HIGH (I think) is the load"),
    ],
)
def test_a_severity_before_a_place_or_behind_a_picture_is_read(text, severity, rest):
    marks = read_marks(text)
    assert (marks.severity, marks.text) == (severity, rest)


def test_a_severity_under_another_heading_is_one():
    lines = [(OWN, row) for row in ["### Rating of what I found", "", "CRITICAL: it leaks"]]
    assert doubt(lines, [])


def found(text):
    verdict = read_council(text).verdict
    return [(each.severity, each.location) for each in verdict.findings] if verdict else []


@pytest.mark.parametrize(
    ("said", "severity"),
    [
        ("- kritisch: a/b.py:3: leer", "critical"),
        ("- [KRITISCH] a/b.py:3: leer", "critical"),
        ("- **[blocker]** a/b.py:3 - the row is dropped", "critical"),
        ("- Blocker: a/b.py:3 the row is dropped", "critical"),
        ("- **Blocker** a/b.py:3: the row is dropped", "critical"),
        ("- a/b.py:3 the row is dropped (blocker)", "critical"),
        ("- BLOCKING: a/b.py:3: the row is dropped", "significant"),
        ("- **Kritisch**: a/b.py:3: leer", "critical"),
        ("- a/b.py:3: the row is dropped\n  Schweregrad: kritisch", "critical"),
        ("a/b.py:3 drops the last row. That is a critical correctness bug.", "critical"),
        ("a/b.py:3 drops the last row. That is not a critical correctness bug.", "significant"),
        ("- `a/b.py:3` critical: the row is dropped", "critical"),
        ("- a/b.py:3: high: the row is dropped", "significant"),
        ("- a/b.py:3: lows: they are dropped", "significant"),
    ],
)
def test_a_severity_is_read_in_german_in_a_sentence_and_behind_the_place(said, severity):
    assert found(f"Verdict: FAIL\n\n{said}\n") == [(severity, "a/b.py:3")]


@pytest.mark.parametrize("word", ["minor", "nit", "**minor**"])
def test_a_nit_behind_its_place_is_minor_beside_a_pass(word):
    assert found(f"Verdict: PASS\n\n- a/b.py:2: {word}: the name is short\n") == [
        ("minor", "a/b.py:2")
    ]


@pytest.mark.parametrize("columns", [("File", "Line"), ("Line", "File")])
@pytest.mark.parametrize("line", ["13", "13-15", "L13"])
def test_the_line_in_a_column_of_its_own_belongs_to_the_file(columns, line):
    cells = [{"File": "`a/b.py`", "Line": line}[name] for name in columns]
    text = (
        f"| Severity | {' | '.join(columns)} | Issue |\n|---|---|---|---|\n"
        f"| critical | {' | '.join(cells)} | the row is dropped |\n\nVerdict: FAIL\n"
    )
    assert found(text) == [("critical", f"a/b.py:{line.strip('L')}")]


@pytest.mark.parametrize("head", ["Sev", "Prio", "Priority", "Level", "Rank", "Impact", "Risk"])
@pytest.mark.parametrize(
    ("said", "severity"), [("Low", "minor"), ("High", "significant"), ("Blocker", "critical")]
)
def test_a_column_that_rates_is_read_under_its_short_head(head, said, severity):
    text = f"| {head} | Where | What |\n|---|---|---|\n| {said} | a/b.py:3 | the row is dropped |\n"
    assert found(f"{text}\nVerdict: FAIL\n") == [(severity, "a/b.py:3")]


def test_an_impact_does_not_outweigh_the_severity_beside_it():
    text = "| Impact | Sev | Where | What |\n|---|---|---|---|\n| High | Low | a/b.py:3 | the row is dropped |\n"
    assert found(f"{text}\nVerdict: FAIL\n") == [("minor", "a/b.py:3")]


def test_an_impact_in_words_is_still_the_reason_why():
    text = "Verdict: FAIL\n\n- a/b.py:3: the row is dropped\n  Impact: high prices are lost\n"
    [finding] = read_council(text).verdict.findings
    assert (finding.severity, finding.why) == ("significant", "high prices are lost")


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        ("I do not agree that the INSERT at a/b.py:3 is injectable: the values are ours.", False),
        ("I disagree that a/b.py:3 is a bug.", False),
        ("- a/b.py:3 is not injectable, whatever others say.", False),
        ("- The loop at a/b.py:3 isn't a problem.", False),
        ("- I do not agree that a/b.py:3 is safe.", True),
        ("- a/b.py:3 is not a problem unless the list is empty.", True),
        ("- a/b.py:3 is not a bug. The row below it is lost.", True),
        ("- [critical] a/b.py:3 is not a bug of the parser: it drops rows.", True),
        ("- a/b.py:3 is not checked.", True),
    ],
)
def test_a_sentence_that_denies_a_fault_is_no_finding_of_its_judge(said, counts):
    text = f"{said}\n\nVERDICT: WARN\n\n- a/b.py:28 raises when a file is gone.\n"
    text = (
        text
        if said[0] == "I"
        else f"VERDICT: WARN\n\n{said}\n- a/b.py:28 raises when a file is gone.\n"
    )
    places = [place for _, place in found(text)]
    assert ("a/b.py:28" in places, "a/b.py:3" in places) == (True, counts)


@pytest.mark.parametrize(
    ("row", "severity"),
    [
        ("- Low: app.py:3 loads the whole table", "minor"),
        ("- Low — app.py:3 unused import", "minor"),
        ("* Minor – app.py:3 thin docstring", "minor"),
        ("- High - app.py:3 the pool is never closed", "significant"),
        ("- low: app.py:3 the bar is set too low", "significant"),
    ],
)
def test_a_rating_that_begins_a_row_is_its_severity(row: str, severity: str) -> None:
    verdict = read_council(f"Verdict: FAIL\n\nFindings:\n{row}\n").verdict
    assert verdict is not None
    assert [each.severity for each in verdict.findings] == [severity]
