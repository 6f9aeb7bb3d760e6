"""A sentence that closes a reply takes the place of no finding that was listed before the verdict."""

from __future__ import annotations

import pytest

from guildmoot.reading.council.read import read_council
from guildmoot.reading.grammar import read_verdict

BULLETS = (
    "- [critical] billing/invoice.py:13: SQL is built from input\n- critical: the key is logged\n"
)
TABLE = """| Severity | File | Issue |
|---|---|---|
| critical | billing/invoice.py:13 | SQL is built from input |
| critical | billing/tax.py:4 | the key is logged |
"""
CLOSING = "Happy to look again once this is mended."


@pytest.mark.parametrize("listed", [BULLETS, TABLE])
@pytest.mark.parametrize("closing", ["", CLOSING])
def test_what_was_listed_before_a_fail_is_found_whatever_closes_the_reply(listed, closing):
    verdict = read_council(f"{listed}\nVerdict: FAIL\n\n{closing}\n").verdict
    assert verdict
    assert [finding.severity for finding in verdict.findings] == ["critical", "critical"]
    assert "SQL is built from input" in verdict.findings[0].description


@pytest.mark.parametrize("listed", [BULLETS, TABLE])
def test_what_was_listed_before_a_flag_is_found_whatever_closes_the_reply(listed):
    findings = read_verdict(f"{listed}\nVERDICT: flagged\n\n{CLOSING}\n", "judge").findings
    assert len(findings) == 2
    assert CLOSING not in [finding.title for finding in findings]


def test_a_paragraph_after_the_verdict_that_names_a_place_is_a_finding_too():
    text = f"{BULLETS}\nVERDICT: flagged\n\nAlso billing/tax.py:9 rounds twice.\n"
    assert [finding.path for finding in read_verdict(text, "judge").findings] == [
        "billing/invoice.py",
        "",
        "billing/tax.py",
    ]
