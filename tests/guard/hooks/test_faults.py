"""What the machine may do to a hook: load, kills, a full disk, files that cannot be written, an odd clock."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import commands
from conftest import mainly
from hooks_calls import PATIENT, after, before, call, environment, make_run, rows


@pytest.mark.slow  # waits
def test_time_that_a_busy_host_takes_to_write_the_event_is_not_the_guard_s(home, project):
    program = (
        "import sys; from guildmoot.guard.hooks import entry; entry.DEADLINE = 1; entry.main([])"
    )
    hook = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, env=environment(home)
    )
    time.sleep(1.5)
    hook.communicate(json.dumps(before(project, "ls")).encode())
    assert hook.returncode == 0


@pytest.mark.slow  # starts two hundred processes
def test_two_hundred_hooks_at_once_lose_nothing_and_let_nothing_pass(home, project):
    run = make_run(project)

    def start(number):
        text = "rm -rf /" if number % 2 else "ls"
        return call(home, before(project, text, f"t{number}"), GUILD_RUN_ID="run-1")

    with ThreadPoolExecutor(24) as pool:
        done = list(pool.map(start, range(200)))
    assert all(each.code == 2 for each in done[1::2])
    assert [each for each in done[::2] if each.code and "no decision in time" not in each.err] == []
    began = rows(run / "logs/tool-call-pre.jsonl")
    assert (
        len({row["tool_use_id"] for row in began})
        == len(began)
        >= 200 - sum("no decision in time" in each.err for each in done)
    )
    for file in run.rglob("*.jsonl"):
        rows(file)  # every line is whole


def test_a_writer_killed_inside_the_lock_holds_up_nobody(home, project):
    run = make_run(project)
    file = run / "events.ndjson"
    code = (
        "import sys,time; from guildmoot.system.files import Locked\n"
        "with Locked(sys.argv[1]) as h:\n"
        "    import os; os.write(h, b'{\"half\": '); print('in', flush=True); time.sleep(60)\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE)
    holder.stdout.readline()
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert call(home, before(project, "ls"), GUILD_RUN_ID="run-1").code == 0
    lines = file.read_text().splitlines()
    assert lines[0] == '{"half": '
    assert json.loads(lines[1])["event"] == "PreToolUse"


def test_a_lock_that_is_never_freed_changes_no_decision(home, project):
    from guildmoot.system.files import lock

    held = lock(make_run(project) / "events.ndjson")
    start = f"{PATIENT} entry._RECORDING = 0.5; entry.main(['claude'], '')"
    env = environment(home, GUILD_RUN_ID="run-1")
    try:
        for text, code in (("ls", 0), ("rm -rf /", 2)):
            event = json.dumps(before(project, text)).encode()
            done = commands.run(["-c", start], env=env, stdin=event, to_the_last=True)
            assert done.returncode == code
    finally:
        os.close(held)


def test_a_full_disk_changes_no_decision(home, project):
    run = make_run(project)
    (run / "events.ndjson").write_text("x" * 9_000 + "\n")
    (project / "large").write_bytes(os.urandom(100_000))
    start = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE,(5000,5000));"
        f"{PATIENT} entry.main(['claude'], '')"
    )
    env = environment(home, GUILD_RUN_ID="run-1")
    for text, code in (("ls", 0), ("rm -rf /", 2)):
        raw = json.dumps(before(project, text)).encode()
        done = subprocess.run(
            [sys.executable, "-c", start], input=raw, env=env, capture_output=True, check=False
        )
        assert done.returncode == code, done.stderr
    raw = json.dumps(before(project, "git reset --hard")).encode()
    done = subprocess.run(
        [sys.executable, "-c", start], input=raw, env=env, capture_output=True, check=False
    )
    assert done.returncode == 2  # without a snapshot it does not run
    assert b"no snapshot" in done.stderr
    assert (project / "a.txt").read_text() == "not committed\n"


@pytest.mark.skipif(os.geteuid() == 0 and not os.path.exists("/proc"), reason="needs Linux")
def test_a_guild_folder_that_cannot_be_written_changes_no_decision(home, project):
    run = make_run(project)
    (run / "logs").write_text("a file where a folder belongs")
    (run / "events.ndjson").mkdir()
    assert call(home, before(project, "ls"), GUILD_RUN_ID="run-1").code == 0
    assert call(home, before(project, "rm -rf /"), GUILD_RUN_ID="run-1").code == 2
    run.chmod(0o500)
    try:
        assert call(home, before(project, "ls"), GUILD_RUN_ID="run-1").code == 0
    finally:
        run.chmod(0o700)


def test_a_home_that_cannot_be_written_changes_no_decision(home, project):
    (home / ".local").write_text("a file")
    assert call(home, before(project, "ls")).code == 0
    assert call(home, before(project, "rm -rf /")).code == 2


def test_a_clock_that_goes_back_gives_no_time_below_nothing(home, project):
    run = make_run(project)
    (run / "logs").mkdir()
    later = {"tool_use_id": "t1", "ts_pre": "2999-01-01T00:00:00.000Z"}
    (run / "logs/tool-call-pre.jsonl").write_text(json.dumps(later) + "\n")
    call(home, after(project, "ls", {"stdout": ""}), GUILD_RUN_ID="run-1")
    assert rows(run / "logs/v1.4-events.jsonl")[0]["latency_ms"] == 0


@pytest.mark.parametrize("size", mainly(9_000_000, 50_000_000))
def test_a_huge_event_is_denied_before_a_call_and_let_be_after_it(home, project, size):
    big = json.dumps(before(project, "echo " + "x" * size)).encode()
    done = call(home, big)
    assert (done.code, "too large" in done.err) == (2, True)
    assert call(home, json.dumps(after(project, "ls", {"stdout": "x" * size})).encode()) == (
        0,
        "",
        "",
    )


def test_an_undecided_call_is_denied_when_the_time_is_over(home, project):
    start = (
        "import sys, time; from guildmoot.guard.hooks import handle, entry;"
        "handle.answer = lambda *a: time.sleep(60); entry.main(['claude'], '')"
    )
    for event, code in ((before(project, "ls"), 2), ({"hook_event_name": "Stop"}, 0)):
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-c", start],
            input=json.dumps(event).encode(), env=environment(home), capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == code
        assert time.monotonic() - began < 30  # it would sleep for 60
