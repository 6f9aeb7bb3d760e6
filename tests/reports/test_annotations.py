"""Findings one by one: what editors, GitHub, GitLab and reviewdog are given."""

from __future__ import annotations

import json
import re

import pytest

from guildmoot.model.report import RunReport
from guildmoot.model.verdict import Finding
from guildmoot.reports import render_lines
from guildmoot.reports.annotations import column

_TRAP = Finding(
    "secrets",
    "a:b,c",
    "50 % off\n::set-output name=x::y ##[error]no",
    path="::stop-commands::x.py",
    line=3,
)


def test_concise_is_one_line_a_finding_with_place_severity_code_and_text(report: RunReport) -> None:
    lines = render_lines(report, "concise")[0].splitlines()
    assert len(lines) == sum(report.found)
    assert all(re.match(r"\S[^:]*:\d+:\d+: (error|warning|note) \S+ \S", line) for line in lines)
    assert lines[0].startswith("deploy/keys/staging.txt:1:1: error private-key A private key")


def test_what_blocks_is_an_error_and_comes_first(report: RunReport) -> None:
    lines = render_lines(report, "github")[0].splitlines()
    kinds = [line[2:].split(" ")[0] for line in lines[:-1]]
    blocking = len(report.blocking)
    assert {*kinds[:blocking]} == {"error"}
    assert "error" not in kinds[blocking:]
    assert "file=deploy/keys/staging.txt,line=1,endLine=3,title=private-key (secrets)::" in lines[0]
    assert lines[-1].startswith("::error title=guild%3A FLAGGED")


def test_github_and_logs_take_no_orders_from_the_work(report: RunReport) -> None:
    trapped = report._replace(blocking=(_TRAP,), advisory=())
    concise, _ = render_lines(trapped, "concise")
    assert concise.startswith("./::stop-commands::x.py:3:1: error a:b,c 50 % off ::set-output")
    assert "##[" not in concise
    [finding, _] = render_lines(trapped, "github")[0].splitlines()
    assert finding.startswith(
        "::error file=%3A%3Astop-commands%3A%3Ax.py,line=3,endLine=3,title=a%3Ab%2Cc (secrets)::"
    )
    assert finding.endswith("::50 %25 off ::set-output name=x::y ## [error]no")


def test_gitlab_never_sees_one_fingerprint_twice(report: RunReport) -> None:
    twice = report._replace(advisory=(*report.advisory, *report.advisory))
    issues = json.loads(render_lines(twice, "gitlab")[0])
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == sum(twice.found)
    first = issues[0]
    assert first["location"] == {"path": "deploy/keys/staging.txt", "lines": {"begin": 1}}
    assert (first["severity"], first["check_name"]) == ("blocker", "private-key")


def test_rdjson_names_place_code_and_severity(report: RunReport) -> None:
    found = json.loads(render_lines(report, "rdjson")[0])
    assert found["source"] == {"name": "guildmoot"}
    first = found["diagnostics"][0]
    assert first["location"]["range"] == {"start": {"line": 1, "column": 1}, "end": {"line": 3}}
    assert (first["severity"], first["code"]["value"]) == ("ERROR", "private-key")


@pytest.mark.parametrize("form", ["concise", "github", "gitlab", "rdjson"])
def test_the_verdict_is_told_to_people_beside_it(report: RunReport, form: str) -> None:
    said = render_lines(report, form)[1].splitlines()
    assert said[0].startswith("✗ FLAGGED  ")
    assert len(said) == 1 + len(report.header.reasons)


@pytest.mark.parametrize(
    ("quote", "title", "at"),
    [
        ("    return nmae", "Undefined name `nmae`", 12),
        ("\tx = y", "something else", 2),
        ("a.b = ab + b", "`b` is not defined", 3),
        ("", "`x` is gone", 1),
    ],
)
def test_a_column_is_that_of_the_name_that_is_spoken_of(quote: str, title: str, at: int) -> None:
    found = Finding("s", "c", title, path="a.py", line=3, quote=quote)
    assert column(found) == at
