"""A council verdict in the words of the panel: what blocks, what advises, and where."""

from __future__ import annotations

import pytest

from guildmoot.consensus.panel import aggregate
from guildmoot.model.council_verdict import CouncilFinding, CouncilVerdict
from guildmoot.reading.council.judgement import read_judgement, read_location, to_judgement
from guildmoot.reading.council.read import read_council

CRITICAL = CouncilFinding("critical", "Security", "injection", "app/db.py:41", "bind")
SIGNIFICANT = CouncilFinding("significant", "error paths", "swallowed", "app/net.py:8-9", "raise")
MINOR = CouncilFinding("minor", "style", "long line", "app/net.py:80", "break it")
ALL = (CRITICAL, SIGNIFICANT, MINOR)


@pytest.mark.parametrize(
    ("verdict", "outcome", "blocking"),
    [
        ("PASS", "approved", [True, False, False]),
        ("WARN", "approved", [True, False, False]),
        ("FAIL", "flagged", [True, True, False]),
    ],
)
def test_critical_findings_always_block_and_significant_ones_with_a_fail(
    verdict, outcome, blocking
):
    judgement = to_judgement(CouncilVerdict(verdict, "HIGH", "k", ALL), "one", "acme")
    assert (judgement.outcome, judgement.confidence) == (outcome, "high")
    assert [finding.blocking for finding in judgement.findings] == blocking
    assert [finding.severity for finding in judgement.findings] == ["critical", "high", "low"]
    assert {finding.family for finding in judgement.findings} == {judgement.family} == {"acme"}


def test_a_pass_with_a_critical_finding_is_no_approval_of_the_panel():
    judgement = to_judgement(CouncilVerdict("PASS", findings=(CRITICAL,)), "one")
    assert aggregate([judgement]).verdict == "flagged"


@pytest.mark.parametrize("findings", [(), (MINOR,)])
def test_a_fail_that_gives_no_grave_finding_blocks_for_that(findings):
    judgement = to_judgement(CouncilVerdict("FAIL", None, "too risky", findings), "one", "acme")
    first = judgement.findings[0]
    assert (first.code, first.blocking, first.why) == ("flagged-without-reasons", True, "too risky")
    assert len(judgement.findings) == 1 + len(findings)
    assert aggregate([judgement]).verdict == "flagged"


def test_what_could_not_be_read_is_unreadable_and_blocks():
    judgement = read_judgement(read_council("I'm sorry, but I can't help."), "one", "acme")
    (finding,) = judgement.findings
    assert judgement.outcome == "unreadable"
    assert (finding.code, finding.blocking, finding.family) == ("parse-failure", True, "acme")
    assert "declined" in judgement.reason
    assert aggregate([judgement]).verdict == "flagged"


def test_a_finding_carries_its_place_reason_remedy_and_source():
    given = SIGNIFICANT._replace(fix="raise it", why="it hangs", ref="https://example.org/rule")
    finding = to_judgement(CouncilVerdict("FAIL", findings=(given,)), "one").findings[0]
    assert (finding.path, finding.line, finding.end_line) == ("app/net.py", 8, 9)
    assert (finding.code, finding.title) == ("error-paths", "swallowed")
    assert (finding.why, finding.fix, finding.url) == ("it hangs", "raise it", given.ref)


def test_the_recommendation_is_the_remedy_where_no_fix_is_given():
    verdict = CouncilVerdict("FAIL", findings=(CRITICAL, CouncilFinding("critical")))
    first, second = to_judgement(verdict, "one").findings
    assert (first.fix, second.fix) == ("bind", "")
    assert second.title == "a finding without a description"
    assert second.code == "council-finding"


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ("app/db.py:41", ("app/db.py", 41, 41)),
        ("app/db.py:41-44", ("app/db.py", 41, 44)),
        ("app/db.py:41–44", ("app/db.py", 41, 44)),
        ("app/db.py:L41-L44", ("app/db.py", 41, 44)),
        ("app/db.py:41:7", ("app/db.py", 41, 41)),
        ("app/db.py#L41-L44", ("app/db.py", 41, 44)),
        ("app/db.py, line 41", ("app/db.py", 41, 41)),
        ("app/db.py (lines 41-44)", ("app/db.py", 41, 44)),
        ("`app/db.py:41`", ("app/db.py", 41, 41)),
        ("./app/db.py:41", ("app/db.py", 41, 41)),
        ("app\\db.py:41", ("app/db.py", 41, 41)),
        ("my app/db.py:41", ("my app/db.py", 41, 41)),
        ("Dockerfile:3", ("Dockerfile", 3, 3)),
        ("bin/run:3", ("bin/run", 3, 3)),
        ("a.py:3, b.py:9", ("a.py", 3, 3)),
        ("a.py:3\nb.py:9", ("a.py", 3, 3)),
        ("app/db.py", ("app/db.py", 0, 0)),
        ("app/db.py:44-41", ("app/db.py", 44, 44)),
        ("N/A", ("", 0, 0)),
        ("general", ("", 0, 0)),
        ("", ("", 0, 0)),
        ("the whole module", ("", 0, 0)),
        ("section 3: naming", ("", 0, 0)),
        ("note:3", ("", 0, 0)),
    ],
)
def test_a_location_is_read_as_path_and_lines(location, place):
    assert read_location(location) == place
