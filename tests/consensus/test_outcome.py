"""The outcome of a run: fail closed, and infrastructure is told apart from a verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.consensus.outcome import decide
from guildmoot.model.verdict import Finding, Judgement, PanelResult

BLOCK = Finding("a", "bad", "it is bad")
ADVICE = BLOCK._replace(blocking=False, severity="low")
OK = Judgement("a", "approved")
SILENT = Judgement("b", "absent", reason="it is not installed")
FLAGGED = PanelResult("flagged", blocking=(BLOCK,))
APPROVED = PanelResult("approved")


@pytest.mark.parametrize(
    ("result", "judgements", "outcome", "code"),
    [
        (APPROVED, [OK], "approved", 0),
        (FLAGGED, [OK], "flagged", 2),
        (PanelResult("flagged-conflict"), [OK], "conflict", 3),
        (PanelResult("operator-judgment-required"), [OK], "undecided", 3),
        (APPROVED, [OK, SILENT], "infrastructure", 4),
        (PanelResult("operator-judgment-required"), [SILENT], "infrastructure", 4),
        (FLAGGED, [OK, SILENT], "flagged", 2),
    ],
)
def test_each_verdict_has_its_exit_code(result, judgements, outcome, code):
    decision = decide(result, judgements)
    assert (decision.outcome, decision.exit_code) == (outcome, code)
    assert decision.reasons


def test_a_silent_seat_is_named_and_never_an_approval():
    decision = decide(APPROVED, [OK, SILENT])
    assert decision.verdict == "operator-judgment-required"
    assert "b did not answer: it is not installed" in decision.reasons


def test_a_tool_whose_output_was_partly_unreadable_is_not_an_approval():
    partly = Judgement("b", "unreadable", (ADVICE,), reason="cut off")
    assert decide(PanelResult("approved", advisory=(ADVICE,)), [OK, partly]).exit_code == 4


def test_a_stopped_run_is_neither_passed_nor_failed():
    for result in (APPROVED, FLAGGED):
        decision = decide(result, [OK], interrupted=True)
        assert (decision.outcome, decision.exit_code) == ("interrupted", 130)
        assert decision.verdict != "approved"


def test_advisories_fail_only_when_asked():
    result = PanelResult("approved", advisory=(ADVICE,))
    assert decide(result, [OK]).exit_code == 0
    assert decide(result, [OK], fail_on_warn=True).exit_code == 1
    assert decide(APPROVED, [OK], fail_on_warn=True).exit_code == 0


outcomes = st.sampled_from(
    ["approved", "flagged", "recused", "operator-judgment", "unreadable", "absent"]
)


@given(st.lists(outcomes), st.booleans(), st.booleans())
def test_success_is_only_for_an_approval_with_every_seat_heard(seats, interrupted, warn):
    judgements = [Judgement(str(n), outcome) for n, outcome in enumerate(seats)]
    decision = decide(APPROVED, judgements, interrupted=interrupted, fail_on_warn=warn)
    silent = {"absent", "unreadable"} & set(seats)
    assert (decision.exit_code == 0) == (not silent and not interrupted)
    assert (decision.verdict == "approved") == (decision.exit_code == 0)
