"""Records: whole or not at all, any number of processes at once, readable however a run ended."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.model.call import Reply
from guildmoot.runs.index import find_run, list_runs
from guildmoot.runs.record import new_run, read_part, read_replies

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_runs_started_in_the_same_second_get_folders_of_their_own(tmp_path):
    runs = {new_run(tmp_path, NOW).run_id for _ in range(20)}
    assert len(runs) == 20
    assert all(run.startswith("20260102-030405-") for run in runs)


def test_runs_of_one_second_are_listed_newest_first(tmp_path):
    made = [new_run(tmp_path, NOW.replace(microsecond=n * 40_000)).run_id for n in range(25)]
    assert [run.run_id for run in list_runs(tmp_path)] == made[::-1]


def test_raw_replies_come_back_as_they_were(tmp_path):
    record = new_run(tmp_path, NOW)
    replies = [
        Reply("a/b ../c", "answered", "näh\r\n\x00\u2028"),
        Reply("d", "timeout", error="late"),
    ]
    record.put_replies(replies)
    back = list(read_replies(record.folder))
    assert [text for _, text in back] == [reply.text for reply in replies]
    assert back[1][0]["error"] == "late"
    assert sorted(os.listdir(record.folder)) == ["replies", "replies.json"]


def test_a_killed_run_is_listed_as_incomplete(tmp_path):
    record = new_run(tmp_path, NOW)
    record.put("request", {"target": "src"})
    assert [run.state for run in list_runs(tmp_path)] == ["running"]
    record.release()  # as the system does for a process that dies
    [run] = list_runs(tmp_path)
    assert (run.state, run.target, run.verdict) == ("incomplete", "src", "-")


def test_runs_are_found_by_id_by_its_start_and_as_last(tmp_path):
    older = new_run(tmp_path, NOW)
    newer = new_run(tmp_path, NOW.replace(year=2027))
    assert find_run(tmp_path, "last") == newer.folder
    assert find_run(tmp_path, "2026") == older.folder
    with pytest.raises(UsageError, match="names several"):
        find_run(tmp_path, "20")
    with pytest.raises(UsageError, match="no recorded run"):
        find_run(tmp_path, "../../etc")


def test_a_damaged_part_is_named(tmp_path):
    record = new_run(tmp_path, NOW)
    (record.folder / "result.json").write_text('{"verdict": "appr')
    with pytest.raises(InfrastructureError, match=r"result\.json is damaged"):
        read_part(record.folder, "result")


def test_a_place_that_cannot_be_written_is_refused_with_a_way_out(tmp_path):
    (tmp_path / ".guild").write_text("a file where the folder should be")
    with pytest.raises(UsageError) as error:
        new_run(tmp_path, NOW)
    assert "--no-record" in error.value.hint


def test_parts_are_plain_json_files(tmp_path: Path):
    record = new_run(tmp_path, NOW)
    record.put("result", {"verdict": "approved"})
    assert json.loads((record.folder / "result.json").read_text()) == {"verdict": "approved"}
