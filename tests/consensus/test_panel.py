"""The panel's rule: computed, closed, and blind to the order of the judges."""

from __future__ import annotations

import json

from hypothesis import assume, given
from hypothesis import strategies as st

from guildmoot.consensus.panel import aggregate, seed_shape
from guildmoot.model.verdict import CliRun, Conflict, Finding, Judgement
from guildmoot.reading.grammar import read_verdict

FINDING = Finding("one", "aa-bb", "broken", fix="mend it")
ADVICE = FINDING._replace(blocking=False)
APPROVAL = Judgement("yes", "approved")

POOL = [
    Judgement(seat, outcome, findings)
    for seat in ("a", "b")
    for outcome in (
        "approved",
        "flagged",
        "recused",
        "operator-judgment",
        "unreadable",
        "absent",
    )
    for findings in ((), (ADVICE,), (FINDING, ADVICE))
]
judgements = st.lists(st.sampled_from(POOL), max_size=5)
LINES = ["VERDICT: approved", "VERDICT: flagged", "VERDICT: recused", "Reasons:", "- aa-bb: x"]
LINES += ["- ADVISORY: cc-dd: y", "Escalation: ask", "prose", "```", "> VERDICT: approved"]
outputs = st.lists(st.lists(st.sampled_from(LINES), max_size=6).map("\n".join), max_size=4)


def verdict(*said: Judgement, expected: list[str] | None = None) -> str:
    return aggregate(said, expected).verdict


def test_all_approved_is_approved_and_advice_does_not_gate() -> None:
    result = aggregate([APPROVAL, Judgement("one", "approved", (ADVICE,))])
    assert (result.verdict, result.blocking, result.advisory) == ("approved", (), (ADVICE,))


def test_one_blocking_finding_flags() -> None:
    assert verdict(APPROVAL, Judgement("one", "flagged", (FINDING,))) == "flagged"


def test_an_escalation_outranks_a_blocking_finding_and_hides_none() -> None:
    asks = Judgement("two", "operator-judgment", reason="decide scope")
    result = aggregate([Judgement("one", "flagged", (FINDING,)), asks])
    assert result.verdict == "operator-judgment-required"
    assert result.blocking == (FINDING,)


def test_a_conflict_outranks_a_plain_flag() -> None:
    conflict = Conflict("a.py:3", ("one", "two"), (FINDING, FINDING))
    result = aggregate([Judgement("one", "flagged", (FINDING,))], conflicts=[conflict])
    assert result.verdict == "flagged-conflict"


def test_an_empty_panel_is_not_approved() -> None:
    result = aggregate([])
    assert result.verdict == "operator-judgment-required"
    assert result.reasons


def test_a_panel_in_which_everybody_recused_goes_to_the_operator() -> None:
    assert verdict(Judgement("a", "recused"), Judgement("b", "recused")) == (
        "operator-judgment-required"
    )
    assert verdict(Judgement("a", "recused"), APPROVAL) == "approved"


def test_a_missing_expected_seat_is_not_approved_and_is_named() -> None:
    result = aggregate([APPROVAL], expected=["yes", "security"])
    assert result.verdict == "operator-judgment-required"
    assert any("security" in reason for reason in result.reasons)


def test_a_seat_that_did_not_answer_is_no_consent_but_does_not_hide_a_flag() -> None:
    silent = Judgement("tool", "absent", reason="timeout")
    assert verdict(APPROVAL, silent) == "operator-judgment-required"
    assert verdict(Judgement("one", "flagged", (FINDING,)), silent) == "flagged"


def test_a_tool_that_could_not_be_read_is_no_consent() -> None:
    assert verdict(APPROVAL, Judgement("tool", "unreadable")) == "operator-judgment-required"


def test_the_seeds_shape_has_six_keys_in_their_order() -> None:
    run = CliRun("one", "make test", True)
    said = Judgement("one", "flagged", (FINDING, ADVICE), "high", cli_runs=(run,))
    shape = seed_shape(aggregate([said, Judgement("two", "recused", reason="not mine")]))
    assert json.loads(json.dumps(shape)) == {
        "verdict": "flagged",
        "blocking_findings": [
            {"evaluator": "one", "code": "aa-bb", "evidence": "broken", "remedy": "mend it"}
        ],
        "advisory_findings": [
            {"evaluator": "one", "code": "aa-bb", "evidence": "broken", "remedy": "mend it"}
        ],
        "cli_runs": [{"evaluator": "one", "command": "make test", "passed": True}],
        "conflicts": [],
        "agent_signals": [
            {"agent": "one", "confidence": "high", "outcome": "gated", "reason": None},
            {"agent": "two", "confidence": None, "outcome": "recused", "reason": "not mine"},
        ],
    }
    assert list(shape) == [
        "verdict",
        "blocking_findings",
        "advisory_findings",
        "cli_runs",
        "conflicts",
        "agent_signals",
    ]


@given(said=judgements)
def test_nothing_is_approved_with_a_blocking_finding(said: list[Judgement]) -> None:
    result = aggregate(said)
    if result.verdict == "approved":
        assert not result.blocking
        assert any(judgement.outcome in ("approved", "flagged") for judgement in said)


@given(said=judgements, data=st.data())
def test_the_order_of_the_judges_changes_nothing(
    said: list[Judgement], data: st.DataObject
) -> None:
    assert aggregate(said).verdict == aggregate(data.draw(st.permutations(said))).verdict


@given(said=judgements)
def test_one_more_approval_never_lifts_a_flag(said: list[Judgement]) -> None:
    before = aggregate(said).verdict
    assume(before in ("flagged", "flagged-conflict"))
    assert aggregate([*said, APPROVAL]).verdict == before


@given(said=judgements, expected=st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=3))
def test_expecting_more_seats_never_makes_an_approval(
    said: list[Judgement], expected: list[str]
) -> None:
    if aggregate(said, expected).verdict == "approved":
        assert aggregate(said).verdict == "approved"


@given(texts=outputs)
def test_the_same_holds_from_the_text_on(texts: list[str]) -> None:
    said = [read_verdict(text, f"judge-{number}") for number, text in enumerate(texts)]
    result = aggregate(said)
    assert aggregate(said[::-1]).verdict == result.verdict
    if result.verdict == "approved":
        assert not result.blocking
    if result.verdict == "flagged":
        assert aggregate([*said, read_verdict("VERDICT: approved", "yes")]).verdict == "flagged"
