"""The rounds of a loop are told as they happen, in a run of the loop's own."""

from __future__ import annotations

from guildmoot.memory.traces.events import events_of
from guildmoot.memory.traces.rounds import LoopTrace
from guildmoot.memory.traces.summary import summary_text
from guildmoot.memory.traces.trace import find_trace, read_trace, trace_folders
from guildmoot.memory.traces.vocabulary import event_problem
from wikis import repository


def told(root):
    trace = read_trace(root, find_trace(root, "last"))
    rows = events_of(trace)
    assert [problem for row in rows if (problem := event_problem(row))] == []
    return trace, rows


def test_rounds_are_told_and_the_last_that_fails_is_an_escalation(tmp_path, monkeypatch):
    monkeypatch.setenv("GUILD_RUN_ID", "run-above")
    root = repository(tmp_path / "shop")
    loop = LoopTrace(root, "shop")
    loop.round("unit:a.py", 1, 3)("error", "verification")
    loop.round("unit:a.py", 2, 3)("error", "panel")
    loop.round("unit:a.py", 3, 3)("error", "panel")
    loop.round("unit:b.py", 1, 3)("satisfied", "panel")
    loop.gate("tier", "closed", "token=ghp_" + "a1B2" * 9)
    trace, rows = told(root)
    assert (trace.kind, trace.phase, trace.parent) == ("loop", "execute", "run-above")
    assert trace.run_id == loop.run_id
    ends = [row["terminated"] for row in rows if row["event"] == "loop_round_end"]
    assert ends == ["error", "error", "cap_hit", "satisfied"]
    assert [row["lane_id"] for row in rows if row["event"] == "escalation"] == ["unit:a.py"]
    assert "a1B2a1B2" not in (trace.folder / "logs" / "v1.4-events.jsonl").read_text()
    page = summary_text(trace, rows)
    assert "- unit:a.py L3 3 of 3: cap_hit" in page


def test_a_round_that_was_cut_off_has_no_end_and_a_loop_without_rounds_no_run(tmp_path):
    root = repository(tmp_path / "shop")
    loop = LoopTrace(root)
    assert trace_folders(root) == []
    loop.round("unit:a.py", 1, 3)
    _, rows = told(root)
    assert [row["event"] for row in rows].count("loop_round_start") == 1
    assert "loop_round_end" not in [row["event"] for row in rows]


def test_a_log_that_cannot_be_written_stops_no_loop(tmp_path):
    root = repository(tmp_path / "shop")
    (root / ".guild").mkdir(exist_ok=True)
    (root / ".guild" / "runs").write_text("a file")
    loop = LoopTrace(root)
    loop.round("unit:a.py", 1, 3)("satisfied", "panel")
    assert loop.run_id == ""
