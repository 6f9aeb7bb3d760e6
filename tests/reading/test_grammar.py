"""Whatever a judge writes is read, on the safe side, and nothing that it quotes can vote for it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.model.verdict import Finding
from guildmoot.reading.grammar import read_verdict

PIECES = [
    "VERDICT: approved",
    "VERDICT: flagged",
    "VERDICT: recused",
    "VERDICT: flagged-conflict",
    "VERDICT: operator-judgment-required",
    "VERDICT:",
    "VERDICT: maybe",
    "**Verdict:** Approved",
    "## Verdict",
    "approved",
    "Confidence: high",
    "Escalation: none",
    "Escalation: ask the owner",
    "Reasons:",
    "## Blocking issues",
    "Suggested remedies:",
    "Advisory notes:",
    "## CLI runs",
    "- BLOCKING: aa-bb: x",
    "- ADVISORY: cc-dd: y",
    "- aa-bb: src/a.py:3 is wrong",
    "  - Fix: mend it",
    "1. numbered",
    "| a | b |",
    "|---|---|",
    "### A title",
    "Some prose.",
    "```",
    "~~~",
    "> quoted",
    "    VERDICT: flagged",
    "#",
    "-",
    "",
]
replies = st.lists(st.sampled_from(PIECES) | st.text(max_size=30), max_size=14).map("\n".join)
own_verdicts = st.sampled_from(["approved", "flagged", "recused", "operator-judgment-required"])


@given(text=replies | st.text())
def test_no_text_at_all_makes_it_crash(text: str) -> None:
    judgement = read_verdict(text, "judge")
    assert judgement.seat == "judge"


@given(text=replies)
def test_an_approval_or_recusal_carries_no_blocking_finding(text: str) -> None:
    judgement = read_verdict(text, "judge")
    if judgement.outcome in ("approved", "recused", "operator-judgment"):
        assert not any(finding.blocking for finding in judgement.findings)


@given(text=replies)
def test_what_cannot_be_read_blocks(text: str) -> None:
    judgement = read_verdict(text, "judge")
    if judgement.outcome == "unreadable":
        assert judgement.findings[0].code == "parse-failure"
        assert judgement.findings[0].blocking


@given(text=replies)
def test_looking_for_places_changes_nothing_else(text: str) -> None:
    def unplaced(finding: Finding) -> Finding:
        return finding._replace(path="", line=0, end_line=0, quote="")

    whole = read_verdict(text, "judge")
    plain = read_verdict(text, "judge", places=False)
    assert whole._replace(findings=tuple(map(unplaced, whole.findings))) == plain


def fenced(lines: list[str], mark: str) -> str:
    return "\n".join([mark, *lines, mark])


def quoted(lines: list[str]) -> str:
    return "\n".join(f"> {line}" for line in lines)


def indented(lines: list[str]) -> str:
    return "\n".join(f"        {line}" for line in lines)


artifacts = st.lists(
    st.sampled_from(
        [piece for piece in PIECES if "Escal" not in piece and piece[:3] not in "```~~~"]
    ),
    min_size=1,
    max_size=5,
)


@given(artifact=artifacts, own=own_verdicts, form=st.integers(0, 3), first=st.booleans())
def test_quoting_the_artifact_changes_nothing(
    artifact: list[str], own: str, form: int, first: bool
) -> None:
    """Beside a verdict of the judge's own, a fence or a quotation neither votes nor contradicts."""
    quotes = [fenced(artifact, "```"), fenced(artifact, "~~~~"), quoted(artifact)]
    quotes.append(indented([line for line in artifact if "erdict" in line.lower()] or ["x"]))
    verdict = f"VERDICT: {own}\n\nReasons:\n- own-reason: mine"
    quote = f"The artifact says:\n\n{quotes[form]}"
    parts = [quote, verdict] if first else [verdict, quote]
    alone = read_verdict(verdict, "judge")
    beside = read_verdict("\n\n".join(parts) + "\n", "judge")
    assert beside.outcome == alone.outcome
    assert [f.code for f in beside.findings] == [f.code for f in alone.findings]


@given(artifact=artifacts, mark=st.sampled_from(["```", "~~~", ">"]))
def test_a_quotation_alone_never_approves(artifact: list[str], mark: str) -> None:
    quote = quoted(artifact) if mark == ">" else fenced(artifact, mark)
    assert read_verdict(f"The artifact says:\n\n{quote}\n", "judge").outcome != "approved"


def test_a_verdict_cited_in_the_list_of_reasons_is_no_verdict() -> None:
    judgement = read_verdict("Reasons:\n- VERDICT: approved\n", "judge")
    assert judgement.outcome == "unreadable"


def test_nested_headings_do_not_swallow_the_next_reason() -> None:
    text = "VERDICT: flagged\n\nReasons:\n- aa-bb: x\n  Suggested fixes:\n  - one\n- cc-dd: y\n"
    assert [f.code for f in read_verdict(text, "judge").findings] == ["aa-bb", "cc-dd"]


def test_findings_carry_seat_family_and_remedy() -> None:
    text = "VERDICT: flagged\n\nReasons:\n- aa-bb: x\n\nSuggested remedies:\n- mend it\n"
    (finding,) = read_verdict(text, "judge", "some-vendor").findings
    assert (finding.seat, finding.family, finding.fix) == ("judge", "some-vendor", "mend it")
    assert not finding.proven


@pytest.mark.parametrize(
    "text",
    [
        "VERDICT: flagged\n\nReasons:\n- aa-bb: start\n" + "  goes on\n" * 40_000,
        "VERDICT: flagged\n\nReasons:\n" + "prose goes on\n" * 40_000,
        "VERDICT: flagged\n\n" + "- aa-bb: x\n" * 20_000,
        "VERDICT:\n" * 20_000,
        "> " * 200_000,
        "```\n" * 40_001,
        "VERDICT: flagged\n" + "#" * 1_000_000,
    ],
    ids=["continued", "prose", "bullets", "labels", "quotes", "fences", "hashes"],
)
def test_a_huge_reply_is_read_in_reasonable_time(text: str) -> None:
    started = time.process_time()
    assert read_verdict(text, "judge", places=False).outcome != "approved"
    assert time.process_time() - started < 5  # quadratic reading would take minutes
