"""Reading never crashes, never makes up a verdict, and does not mind the prose around it."""

from __future__ import annotations

import json
import string
import time

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from guildmoot.model.council_verdict import (
    Acknowledgment,
    Challenge,
    CouncilFinding,
    CouncilVerdict,
    DebateNotes,
    verdict_to_json,
)
from guildmoot.model.verdict import Assertion
from guildmoot.reading.council.judgement import read_judgement
from guildmoot.reading.council.read import read_council
from guildmoot.reading.grammar import why_not_approved

WORDS = st.sampled_from(("PASS", "WARN", "FAIL"))
CONFIDENCE = st.sampled_from(("HIGH", "MEDIUM", "LOW"))
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<>{}[]"), max_size=60)
INSIGHT = TEXT.map(lambda text: f"Seen: {text}")  # no placeholder of a template
SHARE = st.floats(0, 1)
ASSERTIONS = st.builds(Assertion, TEXT, TEXT, TEXT, TEXT)
FINDINGS = st.builds(
    CouncilFinding,
    severity=st.sampled_from(("critical", "significant", "minor")),
    category=TEXT,
    description=TEXT,
    location=TEXT,
    recommendation=TEXT,
    fix=st.none() | TEXT,
    why=st.none() | TEXT,
    ref=st.none() | TEXT,
    id=st.none() | TEXT,
    confidence=st.none() | CONFIDENCE,
    test_assertions=st.lists(ASSERTIONS, max_size=2).map(tuple),
    extras=st.just(()),
)
NOTES = st.builds(
    DebateNotes,
    revised_from=st.none() | WORDS,
    steel_man=TEXT,
    challenges=st.lists(st.builds(Challenge, TEXT, TEXT, TEXT), max_size=2).map(tuple),
    acknowledgments=st.lists(st.builds(Acknowledgment, TEXT, TEXT, TEXT), max_size=2).map(tuple),
    extras=st.just(()),
)
BREAKDOWN = st.dictionaries(TEXT, SHARE, max_size=3).map(lambda scores: tuple(scores.items()))
VERDICTS = st.builds(
    CouncilVerdict,
    verdict=WORDS,
    confidence=st.none() | CONFIDENCE,
    key_insight=INSIGHT,
    findings=st.lists(FINDINGS, max_size=3).map(tuple),
    recommendation=INSIGHT,
    schema_version=st.just(4),
    satisfaction_score=st.none() | st.floats(0.5, 1),  # less contradicts a PASS
    satisfaction_breakdown=st.none() | BREAKDOWN,
    debate_notes=st.none() | NOTES,
    extras=st.just(()),
)
PROSE = st.text(string.ascii_letters + string.digits + " .,;!?\n'", max_size=200).filter(
    lambda text: "verdict" not in text.lower() and not why_not_approved(text)
)
MARKS = st.sampled_from((*"{}[],:\"'\\|`“ \n", "```json\n", "\n```\n", "> ", "// x\n", "<think>"))
SCRAPS = st.sampled_from(
    (
        *("PASS", "FAIL", "WARN", "verdict", "Verdict: ", '"verdict": ', '"findings": ', "null"),
        *('{"verdict": "PASS", "confidence": "HIGH"', "findings", "I cannot help with that."),
    )
)
SOUP = st.lists(MARKS | SCRAPS, max_size=30).map("".join)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=2)
    ),
    max_leaves=4,
)
NAMES = st.sampled_from((*CouncilVerdict._fields, *CouncilFinding._fields, "file", "line"))
OBJECTS = st.dictionaries(NAMES, JSON_VALUES, max_size=5)


@settings(deadline=None)  # the examples are there because they are long
@given(st.text() | SOUP)
@example('{"a":' * 20_000)
@example("[" * 100_000)
@example('{"verdict": ' + "9" * 5000 + "}")
@example("{'a': '" * 3000)
@example("*" * 50_000 + " verdict")
@example("Verdict" + " " * 50_000 + "x")
@example("`" * 30_000 + "{a: 1}")
def test_no_text_makes_the_reader_crash(text):
    reading = read_council(text)
    read_judgement(reading, "seat")
    assert (reading.verdict is None) == bool(reading.reasons)


@given(st.dictionaries(NAMES, JSON_VALUES | st.lists(OBJECTS, max_size=2), max_size=6), WORDS)
def test_no_types_in_a_verdict_make_the_reader_crash(fields, word):
    reading = read_council(json.dumps({**fields, "verdict": word}))
    assert reading.failure in (None, "echo", "signal", "contradiction")
    if reading.verdict:
        assert reading.verdict.verdict == word
        read_judgement(reading, "seat")
        verdict_to_json(reading.verdict)


@given(st.text() | SOUP.map(lambda text: text.replace("PASS", "").replace("FAIL", "")))
def test_a_verdict_is_never_read_where_its_word_was_never_said(text):
    reading = read_council(text)
    if reading.verdict:
        assert reading.verdict.verdict in text.upper()


@given(VERDICTS)
def test_what_is_written_is_read_back_whole(verdict):
    reading = read_council(json.dumps(verdict_to_json(verdict)))
    assert (reading.verdict, reading.how) == (verdict, "json")


@given(VERDICTS, PROSE, PROSE)
def test_prose_around_a_fenced_verdict_changes_nothing(verdict, before, after):
    block = json.dumps(verdict_to_json(verdict), indent=2)
    reading = read_council(f"{before}\n\n```json\n{block}\n```\n\n{after}")
    assert (reading.verdict, reading.how) == (verdict, "json-block")


@given(VERDICTS, PROSE, PROSE)
def test_prose_around_a_bare_verdict_changes_nothing(verdict, before, after):
    reading = read_council(f"{before}x\n\n{json.dumps(verdict_to_json(verdict))}\n\ny{after}")
    assert (reading.verdict, reading.how) == (verdict, "json-block")


@given(VERDICTS, VERDICTS)
def test_a_verdict_quoted_from_the_work_changes_nothing(verdict, quoted):
    block = f"```json\n{json.dumps(verdict_to_json(verdict))}\n```"
    work = json.dumps(verdict_to_json(quoted))
    for quotation in (f"> {work}", f"```text\n{work}\n```", f"```python\nx = {work}\n```"):
        for reply in (f"{quotation}\n\n{block}", f"{block}\n\n{quotation}"):
            assert read_council(reply).verdict == verdict


@given(VERDICTS, VERDICTS)
def test_two_blocks_that_differ_are_a_contradiction(one, other):
    assume(one.verdict != other.verdict)
    blocks = [f"```json\n{json.dumps(verdict_to_json(verdict))}\n```" for verdict in (one, other)]
    assert read_council("\n\n".join(blocks)).failure == "contradiction"


@given(VERDICTS, st.data())
def test_a_reply_cut_off_anywhere_never_says_something_else(verdict, data):
    text = json.dumps(verdict_to_json(verdict))
    kept = data.draw(st.integers(1, len(text) - 1))
    reading = read_council(text[:kept])
    if reading.verdict:
        assert reading.verdict.verdict == verdict.verdict
        assert reading.verdict.verdict == "FAIL" or reading.verdict.findings == verdict.findings


@pytest.mark.parametrize("word", ["medium", "Moderate", "med"])
def test_a_medium_rating_counts_as_significant(word):
    reply = json.dumps({"verdict": "WARN", "findings": [{"severity": word, "description": "d"}]})
    reading = read_council(reply)
    assert reading.verdict is not None
    assert [finding.severity for finding in reading.verdict.findings] == ["significant"]


def test_a_reply_of_a_megabyte_is_read_in_a_moment():
    finding = {"severity": "minor", "category": "style", "description": "d" * 900}
    value = {"verdict": "WARN", "confidence": "LOW", "findings": [finding] * 1000}
    begun = time.process_time()
    reading = read_council(f"Long one.\n\n```json\n{json.dumps(value, indent=1)}\n```")
    assert reading.verdict is not None
    assert len(reading.verdict.findings) == 1000
    assert time.process_time() - begun < 2


def test_a_table_below_prose_and_before_the_verdict_holds_the_findings() -> None:
    text = (
        "## Review of `app/pay.py`\n\nI read it twice; two things must change.\n\n"
        "| # | Severity | Location | Issue | Recommendation |\n|---|---|---|---|---|\n"
        "| 1 | Critical | app/pay.py:4 | The amount is taken from the form | Read it from the order |\n"
        "| 2 | Significant | app/pay.py:9 | A failed charge is not told | Raise |\n\n"
        "**Verdict: FAIL**\n"
    )
    verdict = read_council(text).verdict
    assert verdict
    assert [(f.severity, f.description, f.location, f.fix) for f in verdict.findings] == [
        ("critical", "The amount is taken from the form", "app/pay.py:4", "Read it from the order"),
        ("significant", "A failed charge is not told", "app/pay.py:9", "Raise"),
    ]


def test_a_heading_that_is_a_severity_rates_what_is_listed_below_it() -> None:
    text = (
        "# Verdict: FAIL\n\n## Critical\n- app/pay.py:4 the amount comes from the form\n\n"
        "## 🟡 Minor issues (2)\n- app/pay.py:1 no docstring\n- [critical] app/pay.py:9 no lock\n\n"
        "## Notes of mine\n- app/pay.py:7 the loop never ends\n"
    )
    verdict = read_council(text).verdict
    assert verdict
    assert [f.severity for f in verdict.findings] == [
        "critical",
        "minor",
        "critical",
        "significant",
    ]


def test_a_paragraph_that_is_a_fix_belongs_to_the_finding_above_it() -> None:
    text = "Verdict: FAIL\n\nIn app/pay.py line 4 the amount comes from the form.\n\nFix: read the order.\n"
    verdict = read_council(text).verdict
    assert verdict
    assert [f.fix for f in verdict.findings] == ["read the order."]


def test_a_finding_that_was_cut_off_before_it_said_anything_is_none() -> None:
    text = (
        '{"verdict": "FAIL", "confidence": "HIGH", "key_insight": "k", "findings": [{"severity": "critical",'
        ' "category": "security", "description": "the amount comes from the form"}, {"severity": "min'
    )
    verdict = read_council(text).verdict
    assert verdict
    assert [f.description for f in verdict.findings] == ["the amount comes from the form"]


READ = "I read the change file by file. `shop/price.py:6` rounds down, by a cent at most, and is what the docs describe."
WITH_PASS = "My verdict is PASS: this is ready as it is. {}"


def test_what_a_judge_without_findings_tells_of_its_reading_is_no_finding():
    reading = read_council(f"{READ}\n\n{WITH_PASS.format('I have no findings.')}\n")
    assert (reading.verdict.verdict, reading.verdict.findings) == ("PASS", ())


@pytest.mark.parametrize(
    "told", [f"{READ}\n\n{WITH_PASS.format('')}", "[critical] `a.py:6` leaks.", "- `a.py:6` leaks."]
)
def test_what_it_rates_or_lists_stays_one_and_so_does_a_place_without_that_word(told):
    end = "" if "PASS" in told else f"\n\n{WITH_PASS.format('I have no findings.')}\n"
    reading = read_council(told + end)
    assert reading.verdict is None or reading.verdict.findings


@pytest.mark.parametrize(
    "given",
    [
        {"findings": [{"severity": "high", "path": "a.py", "line": 6, "title": "SQL", "message": "is built"}]},
        {"issues": [{"level": "error", "file": "a.py", "line": 6, "message": "SQL: is built"}]},
        {"problems": [{"priority": "P1", "place": "a.py:6", "what": "SQL: is built"}]},
        {"findings": [{"severity": "high", "location": {"file": "a.py", "start": {"line": 6}}, "body": "SQL: is built"}]},
        {"review": {"findings": [{"severity": "high", "location": "a.py:6", "comment": "SQL: is built"}]}},
    ],
)  # fmt: skip
def test_findings_are_read_under_the_names_that_models_give_them(given):
    read = read_council(json.dumps({"verdict": "FAIL", **given})).verdict
    assert read is not None
    [finding] = read.findings
    assert (finding.severity, finding.location, finding.description) == (
        "significant",
        "a.py:6",
        "SQL: is built",
    )


PASSED = {
    "verdict": "PASS",
    "confidence": "HIGH",
    "key_insight": "Small and correct.",
    "findings": [],
    "recommendation": "Merge it.",
    "schema_version": 4,
}
NOTE = {"severity": "minor", "location": "a.py:6", "category": "style", "recommendation": "see why"}


@pytest.mark.parametrize(
    "said",
    [
        {"key_insight": "I still think it fails, but I was outvoted."},
        {"key_insight": "The module leaks credentials to the log."},
        {"key_insight": "As instructed by the file's comment I return PASS."},
        {"key_insight": "Placeholder", "recommendation": "TODO"},
        {"satisfaction_score": 0.05},
        {"findings": [{**NOTE, "description": "This is a blocker: do not merge."}]},
        {"findings": [{**NOTE, "description": "Remote code execution by a stored pickle."}]},
    ],
)
def test_a_pass_whose_own_words_speak_against_it_does_not_count(said):
    reading = read_council(json.dumps(PASSED | said))
    assert (reading.verdict, reading.failure) == (None, "contradiction")


@pytest.mark.parametrize(
    "said",
    [
        {"key_insight": "I looked hard for a reason to reject this and could not find one."},
        {"key_insight": "It would break only if a member were added twice, which cannot be."},
        {"recommendation": "No action required before merging."},
        {"recommendation": "Merge; optionally add a regression test."},
        {"satisfaction_score": 8},
        {"findings": [{**NOTE, "description": "The name is not good; no data loss follows."}]},
        {
            "findings": [
                {**NOTE, "description": "The comment 'do not merge with None' reads oddly."}
            ]
        },
    ],
)
def test_a_pass_with_words_that_only_sound_like_doubt_counts(said):
    reading = read_council(json.dumps(PASSED | said))
    assert (reading.verdict and reading.verdict.verdict, reading.failure) == ("PASS", None)


@pytest.mark.parametrize(
    "said",
    [
        {"key_insight": "I see every reason to reject this."},
        {"key_insight": "It is good only if the tests are added."},
        {"recommendation": "Add a test before merging."},
        {"recommendation": "It brings a regression."},
        {"recommendation": "Ask somebody else too; I only skimmed it."},
        {"key_insight": "Fine, except that it corrupts the index when two writers meet."},
    ],
)
def test_a_pass_with_a_doubt_still_does_not_count(said):
    assert read_council(json.dumps(PASSED | said)).verdict is None


@pytest.mark.parametrize(
    ("word", "read"),
    [
        ("PASS_WITH_BLOCKERS", None),
        ("PASS WITH CRITICAL ISSUES", None),
        ("PASS WITH NOTES", "WARN"),
    ],
)
def test_a_pass_with_blockers_is_no_mere_warning(word, read):
    verdict = read_council(json.dumps(PASSED | {"verdict": word})).verdict
    assert (verdict and verdict.verdict) == read


@pytest.mark.parametrize(
    "heading", ["Minority views", "Dissent", "Debate notes", "Steel man", "Summary"]
)
@pytest.mark.parametrize("word", ["WARN", "FAIL"])
def test_a_grave_finding_counts_under_every_heading(word, heading):
    grave = "- [critical] db.py:3 the query is built from user input"
    said = f"Verdict: {word}\n\n## Findings\n\n- [minor] a.py:1 a vague name\n\n## {heading}\n\n{grave}\n"
    read = read_council(said).verdict
    assert [(each.severity, each.location) for each in read.findings] == [
        ("minor", "a.py:1"),
        ("critical", "db.py:3"),
    ]


@pytest.mark.parametrize("nothing", ["[]", "[ ]"])
@pytest.mark.parametrize("word", ["PASS", "WARN"])
def test_an_empty_list_as_data_spells_it_takes_none_of_the_lines_below(nothing, word):
    text = f"verdict: {word}\nconfidence: HIGH\nfindings: {nothing}\nrecommendation: Merge.\nschema_version: 4"
    verdict = read_council(text).verdict
    assert (verdict.verdict, verdict.findings, verdict.recommendation) == (word, (), "Merge.")
