"""A title in bold type and the paragraph below it are one finding, of the severity that the title gives."""

import pytest

from guildmoot.reading.council.read import read_council

GRAVE = "`shop/db.py` L5: find() builds SQL from the user name."
SMALL = "`shop/session.py` L16: pop raises KeyError when the token is unknown."
OPENINGS = [
    "**Changes requested**",
    "**CHANGES REQUESTED**",
    "## Verdict: FAIL",
    "Verdict: FAIL\n\n### Findings",
]
TITLES = [
    ("**1. SQL injection (blocker)**", "**2. Unhandled KeyError (nit)**"),
    ("**1) SQL injection [critical]**", "**2) Unhandled KeyError [minor]**"),
    ("__1. [blocker] SQL injection__", "__2. [nit] Unhandled KeyError__"),
    ("**SQL injection (blocker)**", "**Unhandled KeyError (nit)**"),
    ("**Blocker: SQL injection**", "**Nit: unhandled KeyError**"),
]  # fmt: skip


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize(("grave", "small"), TITLES)
def test_a_bold_title_and_its_paragraph_are_one_finding(opening, grave, small):
    reading = read_council(f"{opening}\n\n{grave}\n\n{GRAVE}\n\n{small}\n\n{SMALL}\n")
    assert reading.verdict
    assert reading.verdict.verdict == "FAIL"
    first, second = reading.verdict.findings
    assert first.severity != "minor"
    assert (second.severity, second.location) == ("minor", "shop/session.py:16")
    assert "builds SQL" in first.description
    assert first.location == "shop/db.py:5"


def test_a_sentence_in_bold_type_takes_nothing_in():
    reading = read_council(
        "Verdict: FAIL\n\n### Findings\n\n**find() builds SQL from the user name.**\n\nTokens never expire.\n"
    )
    assert len(reading.verdict.findings) == 2
