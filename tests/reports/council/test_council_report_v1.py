"""The export as council-report.v1: within its bounds, advisory, and refused where it would not be true."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.errors import UsageError
from guildmoot.model.council import CouncilReport
from guildmoot.reports.council.council_report_v1 import check_council_report, to_council_report_v1
from made_reports import changed


def exported(report: CouncilReport) -> dict[str, Any]:
    value: dict[str, Any] = to_council_report_v1(report, authorization_id="ticket-7")
    return value


def test_a_council_of_two_methods_is_exported_and_valid(report: CouncilReport) -> None:
    value = exported(report)
    assert check_council_report(value) == []
    assert value["round_status"] == "sufficient"
    assert [attempt["status"] for attempt in value["judge_attempts"]] == [
        "completed",
        "completed",
        "completed",
        "timed_out",
    ]
    claim = value["synthesis"]["consensus"][0]
    assert claim["methodologies"] == ["attacker", "defender", "compliance"]
    assert len(value["synthesis"]["minority"]) == 2


def test_there_is_no_verdict_in_it(report: CouncilReport) -> None:
    assert "verdict" not in str(exported(report).keys())
    assert "PASS" not in exported(report)["synthesis"]


def test_a_debated_judge_is_exported_as_it_was_before_it_saw_the_others(
    report: CouncilReport,
) -> None:
    blue = exported(report)["judges"][1]
    assert blue["judgment"].startswith("Tokens are random, hashed at rest and expire")


def test_one_judge_left_makes_an_insufficient_round(report: CouncilReport) -> None:
    judges = [judge._replace(status="timeout", word=None) for judge in report.judges]
    judges[0] = report.judges[0]
    value = exported(report._replace(judges=tuple(judges)))
    assert check_council_report(value) == []
    assert value["round_status"] == "insufficient"
    assert value["synthesis"]["consensus"] == []
    assert value["synthesis"]["unresolved"] == ["1 of 4 judges gave a judgement; two are needed"]


def test_agreement_inside_one_method_is_no_consensus(report: CouncilReport) -> None:
    judges = tuple(judge._replace(perspective="") for judge in report.judges)
    synthesis = exported(report._replace(judges=judges))["synthesis"]
    assert synthesis["consensus"] == []
    assert synthesis["unresolved"][0].startswith("one confirmation only")


def test_one_model_alone_is_said_to_be_one(report: CouncilReport) -> None:
    judges = tuple(
        judge._replace(seat=judge.seat._replace(model="opus")) for judge in report.judges
    )
    assert exported(report._replace(judges=judges))["diversity_unsatisfied"] is True
    assert exported(report)["diversity_unsatisfied"] is False


def test_a_judgement_without_evidence_is_not_counted(report: CouncilReport) -> None:
    silent = report.judges[1]._replace(verdict=None, first=None, findings=())
    judges = (report.judges[0], silent, *report.judges[2:])
    value = exported(report._replace(judges=judges))
    assert value["judge_attempts"][1]["error"] == "a judgement without evidence is not counted"
    assert len(value["judges"]) == 2


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"sources": ()}, "source_refs"),
        ({"sources": tuple(f"f{n}" for n in range(21))}, "source_refs"),
        ({"packet_bytes": 262_145}, "byte_length"),
        ({"packet_hash": "beef"}, "subject_digest"),
        ({"target": ""}, "question"),
    ],
)
def test_what_does_not_fit_is_refused_and_never_cut(
    change: dict[str, Any], why: str, report: CouncilReport
) -> None:
    with pytest.raises(UsageError, match=why):
        exported(changed(report, **change))


def test_six_judges_are_too_many(report: CouncilReport) -> None:
    six = tuple(report.judges[0]._replace(label=f"judge-{n}") for n in range(6))
    with pytest.raises(UsageError, match="judge_count"):
        exported(report._replace(judges=six))


def test_it_needs_somebody_who_allowed_it(report: CouncilReport) -> None:
    with pytest.raises(UsageError, match="authorization_id"):
        to_council_report_v1(report, authorization_id="")


def broken(value: dict[str, Any], path: str, to: object) -> dict[str, Any]:
    changed: dict[str, Any] = copy.deepcopy(value)
    *way, last = path.split(".")
    inner: Any = changed
    for step in way:
        inner = inner[int(step)] if step.isdigit() else inner[step]
    inner[last] = to
    return changed


@pytest.mark.parametrize(
    ("path", "to", "why"),
    [
        ("schema_version", "v2", "schema_version"),
        ("cleanup_verified", False, "cleanup_verified"),
        ("round_status", "fine", "round_status"),
        ("limits.judge_count", True, "judge_count"),
        ("limits.per_judge_timeout_seconds", 301, "per_judge_timeout_seconds"),
        ("judge_attempts.0.context_id", "20260314-150926-a1b2c3/judge-defender", "not unique"),
        ("judge_attempts.0.cleanup_confirmed", False, "cleanup_confirmed"),
        ("judge_attempts.0.error", "x", "completed, and yet"),
        ("judge_attempts.3.error", "", "error must be"),
        ("judge_attempts.0.output_bytes", 32_769, "output_bytes"),
        ("judges.0.evidence", [], "evidence"),
        ("judges.0.evidence", ["x"] * 21, "evidence"),
        ("judges.0.model_identity", "other", "not the one declared"),
        ("judges.0.judgment", "x" * 8_193, "judgment"),
        ("judges", [], "exactly the completed"),
        ("synthesis.consensus", [{"claim": "x", "methodologies": ["attacker"]}], "2 to 5"),
        (
            "synthesis.consensus",
            [{"claim": "x", "methodologies": ["attacker", "attacker"]}],
            "2 to 5",
        ),
        (
            "synthesis.consensus",
            [{"claim": "x", "methodologies": ["attacker", "astrology"]}],
            "no judge used",
        ),
        ("synthesis.divergence", [{"point": "x", "positions": []}], "positions"),
        ("synthesis.minority", [""], "minority"),
        ("round_status", "insufficient", "no consensus"),
        ("subject_digest", "A" * 64, "SHA-256"),
        ("question", "x" * 600_000, "too many"),
    ],
)
def test_the_validator_names_what_is_wrong(
    path: str, to: object, why: str, report: CouncilReport
) -> None:
    assert any(
        why in problem for problem in check_council_report(broken(exported(report), path, to))
    )


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["judges", "judge_attempts", "synthesis", "limits", "consensus", "x"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_value_makes_the_validator_stumble(value: object) -> None:
    assert check_council_report(value)
