"""The writer of a run's logs: many at once, killed, rotated, pruned; nothing secret, nothing lost."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys

import pytest

from guildmoot.guard import telemetry
from guildmoot.guard.telemetry import CALLS, append_log, archives, prune, read_log

KEY = "AKIA" + "Q3EGRIVBNNCKPT7Z"
WRITER = """
import sys
from pathlib import Path
from guildmoot.guard import telemetry
telemetry.ROTATE = int(sys.argv[4])
for number in range(int(sys.argv[3])):
    warning = telemetry.append_log(Path(sys.argv[1]), telemetry.CALLS, [{"who": sys.argv[2], "n": number}])
    assert not warning, warning
print("done", flush=True)
"""


def writer(folder, name, lines, rotate):
    argv = [sys.executable, "-c", WRITER, str(folder), name, str(lines), str(rotate)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE)


def seen(folder):
    return [(row["who"], row["n"]) for row in read_log(folder, CALLS) if row]


def test_a_secret_is_masked_before_it_is_on_disk(tmp_path):
    assert append_log(tmp_path, CALLS, [{"command_redacted": f"aws --key {KEY}"}]) == ""
    assert KEY not in (tmp_path / CALLS).read_text()


@pytest.mark.slow  # starts processes
def test_many_writers_that_rotate_lose_nothing_and_keep_each_ones_order(tmp_path):
    started = [writer(tmp_path, str(each), 120, 2_000) for each in range(6)]
    for each in started:
        each.communicate(timeout=60)
        assert each.returncode == 0
    rows = seen(tmp_path)
    assert len(rows) == len(set(rows)) == 6 * 120
    for each in range(6):
        own = [number for who, number in rows if who == str(each)]
        assert own == sorted(own)
    aside = archives(tmp_path / CALLS)
    assert len(aside) > 3
    assert [each.number for each in aside] == list(range(1, len(aside) + 1))
    assert all(each.path.suffix == ".gz" for each in aside)


@pytest.mark.slow  # starts processes
def test_a_writer_killed_at_any_moment_holds_up_nobody_and_loses_no_line_it_had_written(tmp_path):
    for attempt in range(8):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        victim = writer(folder, "victim", 100_000, 300)
        file = folder / CALLS
        while len(archives(file)) < 2 + attempt:
            os.sched_yield()
            assert victim.poll() is None
        os.kill(victim.pid, signal.SIGKILL)
        victim.communicate()
        other = writer(folder, "other", 20, 300)
        other.communicate(timeout=20)
        assert other.returncode == 0
        rows = seen(folder)
        mine = [number for who, number in rows if who == "victim"]
        assert mine == list(range(len(mine)))
        assert mine
        assert [number for who, number in rows if who == "other"] == list(range(20))


def test_what_a_kill_between_renaming_and_packing_left_is_read_once_and_packed_later(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(telemetry, "ROTATE", 50)
    file = tmp_path / CALLS
    append_log(tmp_path, CALLS, [{"who": "a", "n": 0, "more": "x" * 60}])
    os.replace(file, f"{file}.1")
    (file.parent / f".{file.name}.1.part").write_bytes(b"half")
    append_log(tmp_path, CALLS, [{"who": "a", "n": 1, "more": "x" * 60}])
    assert seen(tmp_path) == [("a", 0), ("a", 1)]
    append_log(tmp_path, CALLS, [{"who": "a", "n": 2}])
    assert seen(tmp_path) == [("a", 0), ("a", 1), ("a", 2)]
    assert [each.path.suffix for each in archives(file)] == [".gz", ".gz"]
    # A packed file beside the plain one that it was made of counts once.
    with gzip.open(f"{file}.1.gz") as packed:
        (file.parent / f"{file.name}.1").write_bytes(packed.read())
    assert seen(tmp_path) == [("a", 0), ("a", 1), ("a", 2)]


def test_archives_are_read_by_number_and_not_by_name(tmp_path):
    file = tmp_path / CALLS
    file.parent.mkdir()
    for number in (10, 9, 2, 1):
        (file.parent / f"{file.name}.{number}").write_text(json.dumps({"who": "a", "n": number}))
    file.write_text(json.dumps({"who": "a", "n": 11}) + "\n")
    assert [number for _, number in seen(tmp_path)] == [1, 2, 9, 10, 11]


def test_pruning_deletes_the_oldest_archives_and_never_what_is_being_written(tmp_path, monkeypatch):
    monkeypatch.setattr(telemetry, "ROTATE", 2_000)
    for number in range(40):
        append_log(tmp_path, CALLS, [{"who": "a", "n": number, "more": os.urandom(200).hex()}])
    before = seen(tmp_path)
    file = tmp_path / CALLS
    kept = archives(file)
    most = file.stat().st_size + sum(each.path.stat().st_size for each in kept[2:])
    gone = prune(tmp_path, most)
    assert gone == [each.path for each in kept[:2]]
    after = seen(tmp_path)
    assert after == before[-len(after) :]
    prune(tmp_path, 0)
    assert archives(file) == []
    assert file.is_file()
    append_log(tmp_path, CALLS, [{"who": "a", "n": 40}])
    assert seen(tmp_path)[-1] == ("a", 40)


def test_retention_deletes_when_the_environment_asks_and_a_wrong_word_costs_no_line(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(telemetry, "ROTATE", 2_000)
    for words, bound in (("4 KB", 9_000), ("a lot", 10**9)):
        monkeypatch.setenv(telemetry.RETENTION, words)
        folder = tmp_path / words.replace(" ", "")
        folder.mkdir()
        for number in range(60):
            row = {"who": "a", "n": number, "more": os.urandom(200).hex()}
            assert append_log(folder, CALLS, [row]) == ""
        size = sum(each.stat().st_size for each in (folder / "logs").iterdir())
        assert size < bound
        assert seen(folder)[-1] == ("a", 59)
    assert len(seen(folder)) == 60


def test_a_link_in_place_of_the_logs_is_not_written_through(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run = tmp_path / "run"
    run.mkdir()
    (run / "logs").symlink_to(elsewhere)
    assert "link" in append_log(run, CALLS, [{"n": 1}])
    assert list(elsewhere.iterdir()) == []


def test_a_damaged_archive_hides_nothing_else(tmp_path):
    file = tmp_path / CALLS
    file.parent.mkdir()
    (file.parent / f"{file.name}.1.gz").write_bytes(b"\x1f\x8bno gzip")
    file.write_text(json.dumps({"who": "a", "n": 1}) + "\n")
    assert seen(tmp_path) == [("a", 1)]
    assert None in list(read_log(tmp_path, CALLS))
