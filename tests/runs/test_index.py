"""The index of runs: as good as reading every record, and mended whenever it is not."""

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from guildmoot.guard.settings import settings_for
from guildmoot.model.agent import Roster
from guildmoot.runs.gc import clear_runs
from guildmoot.runs.index import cost_of, find_run, list_runs, runs_beneath, summarise
from guildmoot.runs.record import PracticeRecord, is_running
from guildmoot.runs.rows import FILE, Summary

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def finished(root, number=0, *, kind="panel", parent="", usd=0.25, verdict="approved"):
    """A run that ended, as a practice leaves it."""
    record = PracticeRecord.begin(root, NOW + timedelta(seconds=number))
    asked = {"schema_version": 1, "target": "src", "kind": kind, "parent": parent}
    record.put("request", asked)
    seats = [{"usd": usd}]
    result = {"verdict": verdict, "seconds": 1.5, "roster": {"seats": seats}}
    summary = Summary(verdict, seconds=1.5, usd=usd)
    record.finish({"result": result}, summary, interrupted=False)
    return record


def file(root):
    return root / ".guild" / "runs" / FILE


def truth(root):
    """What the records themselves say."""
    return [summarise(run.folder) for run in list_runs(root)]


@pytest.fixture
def runs(tmp_path):
    return [finished(tmp_path, number) for number in range(5)]


def without_reading(monkeypatch):
    """From here on, no part of a record can be read."""

    def refuse(folder, name):
        raise AssertionError(f"{folder.name}/{name}.json was read")

    monkeypatch.setattr("guildmoot.runs.index.read_part", refuse)


def test_runs_are_listed_without_reading_a_record(tmp_path, runs, monkeypatch):
    expected = truth(tmp_path)
    without_reading(monkeypatch)
    assert list_runs(tmp_path) == expected
    assert [run.run_id for run in expected] == [run.run_id for run in reversed(runs)]
    assert list_runs(tmp_path, newest=2) == expected[:2]


def test_the_last_run_is_found_without_reading_anything(tmp_path, runs, monkeypatch):
    without_reading(monkeypatch)
    file(tmp_path).unlink()
    assert find_run(tmp_path, "last") == runs[-1].folder


DAMAGES = {
    "missing": lambda index: index.unlink(),
    "empty": lambda index: index.write_bytes(b""),
    "no JSON": lambda index: index.write_bytes(b"\x00\xff{[\n" * 3),
    "cut short": lambda index: index.write_bytes(index.read_bytes()[:-20]),
    "of another version": lambda index: index.write_text(index.read_text().replace("[1, ", "[9, ")),
    "of other values": lambda index: index.write_text(index.read_text().replace("0.25", '"0"')),
    "a link": lambda index: (index.unlink(), index.symlink_to("/dev/null")),
    "a folder": lambda index: (index.unlink(), index.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_changes_nothing_that_is_listed(tmp_path, runs, damage):
    expected = list_runs(tmp_path)
    DAMAGES[damage](file(tmp_path))
    assert list_runs(tmp_path) == expected
    assert list_runs(tmp_path) == expected


@pytest.mark.parametrize("damage", [name for name in DAMAGES if not name.startswith("a ")])
def test_a_damaged_index_is_mended_by_listing(tmp_path, runs, damage, monkeypatch):
    expected = list_runs(tmp_path)
    DAMAGES[damage](file(tmp_path))
    list_runs(tmp_path)
    without_reading(monkeypatch)
    assert list_runs(tmp_path) == expected


def test_a_record_that_another_version_changes_is_read_again(tmp_path, runs):
    state = runs[2].folder / "state.json"
    new = state.with_name("new")
    new.write_text('{"schema_version": 1, "state": "interrupted"}')
    new.replace(state)
    assert [run.state for run in list_runs(tmp_path)].count("interrupted") == 1


def test_a_run_that_was_taken_away_is_gone(tmp_path, runs):
    shutil.rmtree(runs[3].folder)
    assert runs[3].run_id not in [run.run_id for run in list_runs(tmp_path)]
    assert len(list_runs(tmp_path)) == 4


def test_a_run_that_goes_on_again_is_not_told_from_its_old_line(tmp_path, runs):
    again = PracticeRecord.reopen(runs[0].folder)
    again.finish({"result": {"verdict": "flagged"}}, Summary("flagged", usd=0.0), interrupted=False)
    assert list_runs(tmp_path)[-1].verdict == "flagged"
    assert list_runs(tmp_path) == truth(tmp_path)


def test_a_killed_run_is_incomplete_and_a_live_one_is_running(tmp_path):
    live = PracticeRecord.begin(tmp_path, NOW)
    live.put("request", {"target": "src"})
    program = (
        "import os, sys\n"
        "from datetime import UTC, datetime\n"
        "from pathlib import Path\n"
        "from guildmoot.runs.record import new_run\n"
        "new_run(Path(sys.argv[1]), datetime.now(UTC)).put('request', {'target': 'src'})\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)])
    for _ in range(2):
        assert [run.state for run in list_runs(tmp_path)] == ["incomplete", "running"]


def test_processes_that_end_and_list_at_once_lose_no_run(tmp_path):
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from datetime import UTC, datetime\n"
        "from guildmoot.runs.index import list_runs\n"
        "from guildmoot.runs.record import PracticeRecord, is_running\n"
        "from guildmoot.runs.rows import Summary\n"
        "root = Path(sys.argv[1])\n"
        "for _ in range(15):\n"
        "    record = PracticeRecord.begin(root, datetime.now(UTC))\n"
        "    record.finish({'result': {}}, Summary('approved'), interrupted=False)\n"
        "    list_runs(root)\n"
    )
    argv = [sys.executable, "-c", program, str(tmp_path)]
    processes = [subprocess.Popen(argv) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert len(list_runs(tmp_path)) == 60
    for line in file(tmp_path).read_text().splitlines():
        json.loads(line)


def test_the_index_stays_as_short_as_there_are_runs(tmp_path, runs):
    record = runs[0]
    for _ in range(150):
        os.utime(record.folder)
        list_runs(tmp_path)
    assert len(file(tmp_path).read_text().splitlines()) <= 2 * len(runs) + 64
    assert len(list_runs(tmp_path)) == 5


def test_one_damaged_record_does_not_hide_the_others(tmp_path, runs):
    bad = runs[1].folder / "new"
    bad.write_text("{")
    bad.replace(runs[1].folder / "result.json")
    assert sorted({run.state for run in list_runs(tmp_path)}) == ["complete", "damaged"]


def test_the_runs_of_a_parent_are_listed_and_paid_together(tmp_path):
    loop = finished(tmp_path, 0, usd=0.0)
    child = finished(tmp_path, 1, parent=loop.run_id, kind="council")
    inner = finished(tmp_path, 2, parent=child.run_id, usd=0.5)
    finished(tmp_path, 3, usd=9.0)
    free = finished(tmp_path, 4, parent=loop.run_id, usd=None)
    beneath = runs_beneath(list_runs(tmp_path), loop.run_id)
    assert [run.run_id for run in beneath] == [free.run_id, inner.run_id, child.run_id]
    assert cost_of(beneath) == (0.75, (free.run_id,))


def test_runs_whose_price_nobody_knows_are_not_told_as_free(shop):
    loop = finished(shop.root, 0, usd=0.0)
    finished(shop.root, 1, parent=loop.run_id, usd=None)
    told = shop.guild("runs", "list", "--parent", loop.run_id).out
    assert "cost unknown of 1 run" in told
    assert "$0" not in told


def test_a_run_that_others_are_part_of_is_cleared_with_them_and_not_before(tmp_path):
    loop = finished(tmp_path, 0)
    child = finished(tmp_path, 1, parent=loop.run_id)
    alone = finished(tmp_path, 2)
    finished(tmp_path, 3, parent=child.run_id)
    now = datetime.now(UTC)
    cleared = clear_runs(tmp_path, now, keep=1, older_than=None, dry_run=False)
    assert cleared.runs == (alone.run_id,)
    assert len(clear_runs(tmp_path, now, keep=0, older_than=None, dry_run=True).runs) == 3


def test_a_request_on_record_again_keeps_its_parent(tmp_path):
    record = PracticeRecord.begin(tmp_path, datetime.now(UTC))
    roster, config = Roster((), {}, ()), settings_for(tmp_path)
    record.asked({"parent": "the loop"}, config, {}, roster, kind="panel")
    assert record.part("request")["parent"] == "the loop"


def test_what_only_looks_like_a_run_or_an_index_is_left_alone(tmp_path):
    """A repository may bring links and files of such names along; the list goes on without them."""
    run = finished(tmp_path)
    runs = tmp_path / ".guild" / "runs"
    (runs / "20260101-000000-000002").symlink_to("/etc/hostname")
    (runs / "20260101-000000-000003").symlink_to(tmp_path)
    (runs / "20260101-000000-000004").write_text("")
    (runs / FILE).unlink()
    (runs / FILE).symlink_to("/dev/zero")
    assert [row.run_id for row in list_runs(tmp_path)] == [run.run_id]


def test_looking_at_a_run_that_was_just_cleared_leaves_nothing_behind(tmp_path):
    folder = finished(tmp_path).folder
    shutil.rmtree(folder)
    assert not is_running(folder)
    assert not folder.exists()


def test_an_index_of_junk_is_written_anew(tmp_path):
    finished(tmp_path)
    file = tmp_path / ".guild" / "runs" / FILE
    file.write_text("junk\n" * 1000)
    assert len(list_runs(tmp_path)) == 1
    assert file.read_text().count("\n") == 1
