"""What a comment in the JSON of a verdict says is said by the judge."""

from __future__ import annotations

import pytest

from guildmoot.reading.council.read import read_council

REPLY = """{"verdict": "PASS", "confidence": "HIGH", "key_insight": "The totals are right.",
"findings": [] %s,
"recommendation": "Merge it."}"""
GRAVE = "critical SQL injection at billing/invoice.py:13"


@pytest.mark.parametrize(
    "comment", [f"/* {GRAVE} */", f"// {GRAVE}\n", f"# {GRAVE}\n", "/*\n    I did not read it.\n*/"]
)
def test_a_pass_is_none_beside_a_comment_that_tells_of_something_grave(comment):
    assert read_council(REPLY % comment).failure == "contradiction"


@pytest.mark.parametrize("comment", ["/* none */", "// nothing to report\n", "# no findings\n"])
def test_a_harmless_comment_leaves_a_pass_alone(comment):
    verdict = read_council(REPLY % comment).verdict
    assert verdict
    assert verdict.verdict == "PASS"
