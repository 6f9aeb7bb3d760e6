"""The result for programs: the seeds' keys first, everything that was said, nothing changed."""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.model.report import RunReport
from guildmoot.reports import json_of, render

SEED_KEYS = [
    "verdict",
    "blocking_findings",
    "advisory_findings",
    "cli_runs",
    "conflicts",
    "agent_signals",
]


def test_the_file_is_what_was_agreed(report: RunReport, golden: Callable[[str, str], None]) -> None:
    golden("report.json", render(report, ".json"))


def test_the_keys_of_the_seeds_come_first_and_in_their_order(conflicting: RunReport) -> None:
    result = json.loads(render(conflicting, ".json"))
    assert list(result)[:6] == SEED_KEYS
    assert list(result["blocking_findings"][0])[:4] == ["evaluator", "code", "evidence", "remedy"]
    assert list(result["agent_signals"][0]) == ["agent", "confidence", "outcome", "reason"]
    assert list(result["cli_runs"][0]) == ["evaluator", "command", "passed"]
    assert list(result["conflicts"][0]) == ["scope", "evaluators", "findings"]


def test_the_roster_says_who_was_asked_and_who_answered(report: RunReport) -> None:
    roster = json.loads(render(report, ".json"))["roster"]
    assert (roster["asked"], roster["answered"], len(roster["seats"])) == (7, 6, 7)
    assert roster["seats"][-1]["status"] == "timeout"
    assert {"agent": "semgrep", "reason": "not installed"} in roster["passed_over"]


def test_the_packet_counts_what_was_left_out_by_reason(report: RunReport) -> None:
    packet = json.loads(render(report, ".json"))["packet"]
    assert packet["omitted"] == {"vendored": 8, "binary": 1, "too-large": 1}
    assert packet["masked"][0]["path"] == "src/settings.py"


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(exclude_categories=("Cs",))))
def test_text_arrives_unchanged(text: str, with_text: Callable[[str], RunReport]) -> None:
    changed = with_text(text)
    loaded = json.loads(render(changed, ".json").encode())
    assert loaded == json.loads(json.dumps(json_of(changed)))
    assert loaded["blocking_findings"][0]["evidence"] == text


def test_a_name_that_is_not_utf8_survives_the_round_trip(
    with_text: Callable[[str], RunReport],
) -> None:
    loaded = json.loads(render(with_text("caf\udce9.py"), ".json").encode())
    assert loaded["blocking_findings"][0]["path"] == "caf\udce9.py"
