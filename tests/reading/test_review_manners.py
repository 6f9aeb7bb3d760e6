"""Reviews in the manners of several vendors: a nit blocks nothing, a greeting is no finding, remedies are kept."""

from __future__ import annotations

import pytest

from guildmoot.model.verdict import Judgement
from guildmoot.reading.council.judgement import read_judgement
from guildmoot.reading.council.read import read_council
from guildmoot.reading.council.scales import read_severity
from guildmoot.reading.grammar import read_verdict

WORDS = {"panel": "VERDICT: flagged", "council": "Verdict: FAIL"}


def read(form: str, body: str) -> Judgement:
    text = f"{WORDS[form]}\n\n{body}"
    return (
        read_verdict(text, "judge")
        if form == "panel"
        else read_judgement(read_council(text), "judge")
    )


@pytest.mark.parametrize("form", WORDS)
@pytest.mark.parametrize(
    "mild",
    ["Nit: {}", "nit: {}", "[nit] {}", "**[P3]** {}", "suggestion: {}", "optional: {}", "{} (nit)"],
)
def test_what_a_review_marks_as_mild_does_not_block(form: str, mild: str) -> None:
    told = f"Findings:\n- app.py:12 the pool is never closed\n- {mild.format('app.py:4 naming')}\n"
    judged = read(form, told)
    assert judged.outcome == "flagged"
    assert [f.line for f in judged.findings if f.blocking] == [12]
    assert [f.severity for f in judged.findings if f.line == 4] == ["low"]


@pytest.mark.parametrize("form", WORDS)
@pytest.mark.parametrize(
    "polite",
    ["Overall LGTM", "Thanks!", "Thanks for the quick work", "Nice work overall!", "Happy to help"],
)
def test_a_polite_line_in_a_list_is_no_finding(form: str, polite: str) -> None:
    judged = read(form, f"Findings:\n- app.py:12 the pool is never closed\n- {polite}\n")
    assert [f.line for f in judged.findings] == [12]


@pytest.mark.parametrize("form", WORDS)
def test_a_line_that_thanks_and_names_a_place_is_a_finding(form: str) -> None:
    judged = read(form, "Findings:\n- Thanks to app.py:12 the pool is never closed\n")
    assert [f.line for f in judged.findings if f.blocking] == [12]


@pytest.mark.parametrize("form", WORDS)
@pytest.mark.parametrize(
    "title", ["Recommended fix:", "Suggested remedies:", "## Suggested remedies", "## Proposed fix"]
)
def test_remedies_under_a_title_of_their_own_belong_to_the_findings(form: str, title: str) -> None:
    told = "Findings:\n1. app.py:12 the pool is never closed\n2. app.py:30 the call may hang\n\n"
    judged = read(form, f"{told}{title}\n1. Close it.\n2. Pass a timeout.\n")
    found = [(f.line, f.fix) for f in judged.findings]
    assert found == [(12, "Close it."), (30, "Pass a timeout.")]


@pytest.mark.parametrize(
    ("words", "rank"),
    [
        ("blocker critical P0 S0 🔴Critical", "critical"),
        ("high major P1 Important medium moderate P2 should-fix 🟠High High/Medium", "significant"),
        (
            "low minor nit nitpick trivial style P3 info suggestion optional 🟢Low **Minor**",
            "minor",
        ),
    ],
)
def test_the_usual_words_of_reviews_are_on_the_councils_scale(words: str, rank: str) -> None:
    assert {read_severity(word) for word in words.split()} == {rank}


@pytest.mark.parametrize("said", ["apocalyptic", "", "3", None])
def test_a_severity_that_nobody_knows_is_not_guessed(said: object) -> None:
    assert read_severity(said) is None
