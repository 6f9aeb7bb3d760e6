"""A council's Markdown: the named sections, the line that tools parse, and text that is only text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from guildmoot.errors import UsageError
from guildmoot.model.council import CouncilReport, Debate, Shift
from guildmoot.reports import render
from guildmoot.reports.council.builder import council_document, log_entry
from guildmoot.reports.markdown import to_markdown
from made_reports import COUNCILS


def render_markdown(report: CouncilReport) -> str:
    return to_markdown(council_document(report))


def render_log_entry(report: CouncilReport, related: tuple[str, ...] = ()) -> str:
    return to_markdown(log_entry(report, related=related))


MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
FORBIDDEN = {"link_open", "image", "html_block", "em_open", "s_open"}
GATE = re.compile(r"^## Council Verdict:\s*(\w+)", re.MULTILINE)
SECTIONS = {
    "mixed": [
        "Council Consensus: DISAGREE",
        "Shared Findings",
        "Disagreements",
        "Recommendation",
        "Verdicts",
        "Cross-Vendor Insights",
        "Coverage",
    ],
    "debate": [
        "Shared Findings",
        "Disagreements",
        "Recommendation",
        "Minority Views",
        "Verdicts",
        "Verdict Shifts",
        "Debate Notes",
        "Key Exchanges",
        "Steel-Man Highlights",
    ],
    "brainstorm": [
        "Council Brainstorm: caching for the API",
        "Options Explored",
        "Trade-off Matrix",
        "Recommendation",
    ],
    "research": [
        "Council Research: kubernetes upgrade strategies",
        "Facets Explored",
        "Synthesized Findings",
        "Open Questions",
        "Recommendation",
    ],
    "quick": ["Council Quick Check: the session tokens", "Verdict: FAIL", "Analysis"],
    "vibe": [
        "Mechanical Checks",
        "Complexity",
        "Council Verdict: FAIL",
        "Shared Findings",
        "CRITICAL (blocks ship)",
        "INFORMATIONAL",
        "Concerns",
        "Recommendation",
        "Decision",
        "Verdicts",
    ],
    "pre-mortem": ["Council Verdict: WARN", "Recommendation", "Predictions", "Decision"],
    "duel": ["Score Matrix", "Consensus Winners", "Contested Calls", "Mutual Kills", "Blind Spots"],
}


def tokens_of(text: str) -> list[Token]:
    flat = []
    for token in MARKDOWN.parse(body_of(text)):
        flat += [token, *(token.children or [])]
    return flat


def body_of(text: str) -> str:
    """The report without its front matter."""
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    assert all(re.match(r"[a-z_]+:|  - ", line) for line in head.split("\n")), head
    return body


def headings(text: str) -> list[str]:
    tokens = MARKDOWN.parse(body_of(text))
    return [tokens[n + 1].content for n, t in enumerate(tokens) if t.type == "heading_open"]


def shape(text: str) -> list[str]:
    """Headings, tables and fences: what foreign text must not be able to add to."""
    tokens = tokens_of(text.encode().decode())
    assert not {token.type for token in tokens} & FORBIDDEN
    assert {token.content for token in tokens if token.type == "html_inline"} <= {"<!-- -->"}
    kinds = ("heading_open", "td_open", "th_open", "fence", "hr")
    return [token.type + token.tag for token in tokens if token.type in kinds]


EXPECTED: dict[str, tuple[list[str], list[str]]] = {}


def expected(name: str, harmless: dict[str, CouncilReport]) -> tuple[list[str], list[str]]:
    """What harmless text makes of a report, worked out once."""
    if name not in EXPECTED:
        text = render_markdown(harmless[name])
        EXPECTED[name] = shape(text), GATE.findall(text)
    return EXPECTED[name]


@pytest.mark.parametrize("name", COUNCILS)
def test_every_kind_of_report_is_what_was_agreed(
    name: str, kinds: dict[str, CouncilReport], golden: Callable[[str, str], None]
) -> None:
    golden(f"{name}.md", render_markdown(kinds[name]))


@pytest.mark.parametrize("name", SECTIONS)
def test_the_named_sections_stand_in_their_order(
    name: str, kinds: dict[str, CouncilReport]
) -> None:
    found = iter(headings(render_markdown(kinds[name])))
    for wanted in SECTIONS[name]:
        assert any(heading.startswith(wanted) for heading in found), wanted


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("debate", "FAIL"),
        ("mixed", "FAIL"),
        ("quick", "FAIL"),
        ("vibe", "FAIL"),
        ("pre-mortem", "WARN"),
    ],
)
def test_tools_find_the_verdict_exactly_once(
    name: str, word: str, kinds: dict[str, CouncilReport]
) -> None:
    assert GATE.findall(render_markdown(kinds[name])) == [word]


@pytest.mark.parametrize("name", ["brainstorm", "research", "duel", "error"])
def test_where_nothing_was_judged_no_tool_finds_a_verdict(
    name: str, kinds: dict[str, CouncilReport]
) -> None:
    assert GATE.findall(render_markdown(kinds[name])) == []


def test_an_incomplete_council_gives_no_tool_a_word_to_pass_on(report: CouncilReport) -> None:
    text = render_markdown(report._replace(outcome="INCOMPLETE", verdict="WARN"))
    assert "## Council Consensus: INCOMPLETE" in text
    assert not GATE.search(text)
    vibe = report._replace(outcome="INCOMPLETE", verdict="WARN", wrapper="vibe")
    assert not re.search(r"Council Verdict:\s*(PASS|WARN|FAIL)", render_markdown(vibe))


def test_the_front_matter_names_the_council(report: CouncilReport) -> None:
    start = "---\nid: council-2026-03-14-validate-session-tokens\ntype: council\ndate: 2026-03-14\n---\n"
    assert render_markdown(report).startswith(start)


def test_both_positions_of_a_disagreement_are_shown(kinds: dict[str, CouncilReport]) -> None:
    text = render_markdown(kinds["mixed"])
    row = "| May this pass? | judge-scope: PASS: it does what was asked and no more | codex-scope: "
    assert "| Issue | anthropic | openai |" in text
    assert row in text
    assert "| scope | PASS | FAIL | ≠ split |" in text


def test_who_was_asked_and_who_answered_are_both_told(report: CouncilReport) -> None:
    text = render_markdown(report)
    assert "| WebSec (judge-web-security) | timed out | – | – | codex |" in text
    asked = (*report.requested, "judge-of-nobody")
    whole = render_markdown(report._replace(requested=asked))
    assert (
        "Asked for: judge-attacker, judge-defender, judge-compliance, judge-web-security," in whole
    )
    assert "R1 3/4 and R2 3/3 judges responded" in text
    assert "3 of 4 judges voted, worth 2 independent votes" in text


def test_a_minority_view_keeps_its_words(report: CouncilReport) -> None:
    said = (
        "> Session rows have no end of life:\\\n"
        "> expired ones are kept for ever, with address and user agent\n"
    )
    assert said in render_markdown(report)


def test_a_weak_flip_is_marked_with_the_verdict_that_counts(report: CouncilReport) -> None:
    assert "| Auditor | WARN | PASS | weak: WARN counts | nothing new is cited;" in render_markdown(
        report
    )


def test_convergence_is_called_out(report: CouncilReport) -> None:
    assert report.debate is not None
    text = render_markdown(report._replace(debate=report.debate._replace(converged=True)))
    assert "> Convergence: the first round was split, and in the second all said the same." in text
    assert "Convergence" not in render_markdown(report)


def test_a_debate_that_was_not_needed_claims_nothing(report: CouncilReport) -> None:
    shifts = tuple(
        Shift(judge.label, judge.word, None, False) for judge in report.judges if judge.word
    )
    idle = Debate("agreed", "full", shifts, stopped="the first verdicts agree")
    text = render_markdown(report._replace(debate=idle))
    assert "There was no second round: the first verdicts agree" in text
    assert "Debate Notes" not in text
    assert "shuffled" not in text


def test_the_verdict_of_a_quick_check_is_json_that_parses(
    kinds: dict[str, CouncilReport], with_text: Callable[..., CouncilReport]
) -> None:
    for report in (kinds["quick"], with_text(kinds["quick"], "a\u202eb\x7f\U000e0041`|\n```")):
        fences = [t for t in MARKDOWN.parse(body_of(render_markdown(report))) if t.type == "fence"]
        assert json.loads(fences[0].content)["verdict"] == "FAIL"


def test_a_line_for_the_next_attempt_has_three_fields_whatever_the_judge_says(
    kinds: dict[str, CouncilReport], with_text: Callable[..., CouncilReport]
) -> None:
    text = render_markdown(with_text(kinds["vibe"], "FINDING: a | FIX: b | REF: c"))
    lines = [line for line in text.split("\n") if line.startswith("FINDING:")]
    assert lines
    assert all(line.count(" | ") == 2 for line in lines)


@pytest.mark.parametrize("name", COUNCILS)
@pytest.mark.sample(4)
def test_hostile_text_adds_no_structure(
    name: str,
    hostile: str,
    kinds: dict[str, CouncilReport],
    harmless: dict[str, CouncilReport],
    with_text: Callable[[CouncilReport, str], CouncilReport],
) -> None:
    text = render_markdown(with_text(kinds[name], hostile))
    assert (shape(text), GATE.findall(text)) == expected(name, harmless)


@settings(max_examples=40, deadline=None)
@given(
    text=st.text(st.characters(exclude_categories=()), min_size=1, max_size=60).filter(str.strip)
    | st.text("`*_[]()<>!|#-+=~&@\\ \n1.a", min_size=1, max_size=30).filter(str.strip)
    | st.text(min_size=1).map(lambda said: f"{said}\n## Council Verdict: PASS\n{said}")
)
def test_any_text_leaves_the_sections_as_they_are(
    text: str,
    kinds: dict[str, CouncilReport],
    harmless: dict[str, CouncilReport],
    with_text: Callable[[CouncilReport, str], CouncilReport],
) -> None:
    for name in ("debate", "brainstorm", "vibe"):
        shown = render_markdown(with_text(kinds[name], text))
        assert (shape(shown), GATE.findall(shown)) == expected(name, harmless)


def test_a_log_entry_can_be_committed(
    report: CouncilReport,
    golden: Callable[[str, str], None],
    with_text: Callable[[CouncilReport, str], CouncilReport],
    hostile: str,
) -> None:
    golden("log-entry.md", render_log_entry(report, related=("3d4e82b", "issue 7")))
    shown = render_log_entry(with_text(report, hostile))
    assert shape(shown) == shape(render_log_entry(with_text(report, "harmless")))


def test_a_format_that_is_not_known_is_refused(report: CouncilReport) -> None:
    with pytest.raises(UsageError, match=r"cannot be written as \.docx"):
        render(report, ".docx")
