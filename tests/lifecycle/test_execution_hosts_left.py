"""Lanes on other machines when something is in the way: this machine, an older run, a person, a worker of the same name."""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lifecycle.executions import SLUG, execute, git, project, start
from tests.lifecycle.machines import (
    NEEDS_POSTGRES,
    Machine,
    Sql,
    ended,
    host,
    is_there,
    pid_of,
    waits,
)

from calls.cluster.scene import until
from guildmoot.api.lifecycle.execution import ask_of_run
from guildmoot.errors import UndecidedError
from guildmoot.lifecycle.execution.control import ControlRequest, ControlVerb
from guildmoot.lifecycle.execution.workers import remote
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import latest_run
from guildmoot.system.state import LANES_KEY, user_state_folder

pytestmark = [pytest.mark.slow, NEEDS_POSTGRES]
ONE = {"T1-copywriter": ()}
HOSTS = {"work.agent_mode": "hosts"}


def run_folder(root: Path) -> Path:
    folder = WorkFolder(root)
    return folder.run(latest_run(folder, SLUG))


def ask(root: Path, verb: ControlVerb, task: str = "") -> None:
    asyncio.run(ask_of_run("", ControlRequest(verb, task, why="so"), root))


def test_a_result_that_this_machine_cannot_write_is_told_and_taken_by_the_next_call(
    tmp_path: Path, machine: Callable[[str], Machine]
) -> None:
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    away = machine("build-1").work(T1={"files": {"app/big.txt": "x" * 20_000}})
    words = ("work", "execute", SLUG, "--json", "--mode", "hosts")
    command = shlex.join([sys.executable, "-m", "guildmoot", *words])
    limited = f"ulimit -f 12; exec {command}"  # no file may be larger than 6 kB
    ran = subprocess.run(["/bin/sh", "-c", limited], cwd=root, capture_output=True, text=True)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"]) == (4, "error"), (told, ran.stderr)
    assert "what build-1 brought is kept by the engine" in " ".join(told["notes"])
    assert told["lanes"][0]["attempts"] == 0
    report = execute(root)
    assert (report.status, report.lanes[0].attempts) == ("done", 1), report
    assert away.starts == ["T1-copywriter/1"]


def test_a_run_of_a_version_that_kept_nothing_of_its_ticket_goes_on_or_is_refused(
    tmp_path: Path, machine: Callable[[str], Machine]
) -> None:
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    away = machine("build-1")
    away.work(T1=waits(away))
    engine = start(root, "--mode", "hosts")
    pid_of(away)
    engine.kill()
    engine.communicate()
    journal, ticket = run_folder(root) / "execution.jsonl", run_folder(root) / "lanes-ticket"
    rows = [json.loads(row) for row in journal.read_text().splitlines()]
    older = [{name: value for name, value in row.items() if name != "ticket"} for row in rows]
    journal.write_text("".join(f"{json.dumps(row)}\n" for row in older))
    kept = ticket.read_text()
    ticket.unlink()
    with pytest.raises(UndecidedError, match="lanes-ticket is gone") as no:
        execute(root)
    assert "go on with --mode subagent" in no.value.hint
    ticket.write_text(kept)
    engine = start(root)
    (away.place / "go").touch()
    assert ended(engine)["status"] == "done"
    assert away.starts == ["T1-copywriter/1"]


def test_a_person_takes_a_lane_over_that_another_machine_works_at(
    tmp_path: Path, machine: Callable[[str], Machine], sql: Sql
) -> None:
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    away = machine("build-1")
    away.work(T1=waits(away))
    engine = start(root, "--mode", "hosts")
    pid = pid_of(away)
    ask(root, "take-over", "T1-copywriter")
    assert ended(engine)["lanes"][0]["status"] == "blocked"
    assert not is_there(pid)
    assert sql("SELECT state FROM guild.lanes") == [("dismissed",)]
    place = root / ".guild" / "worktrees" / run_folder(root).name / "T1-copywriter"
    (place / "app" / "mine.py").write_text("MINE = 1\n")
    ask(root, "hand-in", "T1-copywriter")
    report = execute(root)
    assert report.status == "done", report
    assert git(root, "show", f"{report.branch}:app/mine.py") == "MINE = 1"


@pytest.mark.parametrize("verb", ["skip", "retry", "pause"])
def test_a_person_steps_in_while_another_machine_works(
    verb: ControlVerb, tmp_path: Path, machine: Callable[[str], Machine]
) -> None:
    root = project(tmp_path / "desk" / "p", {**ONE, "T2-seo": ("T1-copywriter",)})
    host(root, "build-1")
    away = machine("build-1")
    away.work(T1=waits(away))
    engine = start(root, "--mode", "hosts")
    pid = pid_of(away)
    ask(root, verb, "" if verb == "pause" else "T1-copywriter")
    if verb != "pause":
        until(lambda: not is_there(pid))
    (away.place / "go").touch()
    report = ended(engine)
    if verb == "pause":
        done = [lane["status"] for lane in report["lanes"]]
        assert (report["status"], done) == ("paused", ["done", "pending"])
        ask(root, "resume")
        assert execute(root).status == "done"
        assert away.starts == ["T1-copywriter/1", "T2-seo/1"]
    elif verb == "retry":
        assert report["status"] == "done", report
        assert len(away.starts) == 3
    else:
        assert [lane["status"] for lane in report["lanes"]] == ["skipped", "done"], report
        assert away.starts == ["T1-copywriter/1", "T2-seo/1"]


def test_a_lane_that_hangs_on_another_machine_is_ended_there(
    tmp_path: Path, machine: Callable[[str], Machine]
) -> None:
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    away = machine("build-1")
    away.work(T1=waits(away))
    engine = start(root, "--mode", "hosts", "--timeout", "2")
    pid = pid_of(away)
    report = ended(engine)
    (lane,) = report["lanes"]
    assert (lane["status"], lane["attempts"]) == ("failed", 1)
    assert "silent for 2 s" in lane["reason"]
    assert "could not be confirmed" not in lane["reason"]
    assert not is_there(pid)


def test_a_second_worker_of_a_name_waits_for_the_first_and_then_takes_its_lanes(
    tmp_path: Path, machine: Callable[[str], Machine], sql: Sql
) -> None:
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    first = machine("build-1")
    first.work(T1=waits(first))
    engine = start(root, "--mode", "hosts")
    pid_of(first)
    words = [sys.executable, "-m", "guildmoot", "worker", "--lanes", "1", "--worker", "true", "--name", "build-1"]  # fmt: skip
    second = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert second.returncode != 0
    assert "build-1" in second.stderr, second
    (first.place / "go").touch()
    assert ended(engine)["status"] == "done"
    assert first.starts == ["T1-copywriter/1"]


CHANGES = """
CREATE FUNCTION change_jobs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.job := replace(NEW.job, 'Pages and storage', 'Pages and backdoors'); RETURN NEW; END $$
"""


def test_a_job_that_somebody_changed_in_the_database_is_refused_by_the_worker(
    tmp_path: Path, machine: Callable[[str], Machine], sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "NOBODY", 1.0)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "desk-state"))
    root = project(tmp_path / "desk" / "p", {**ONE, "T2-seo": ("T1-copywriter",)})
    host(root, "build-1")
    away = machine("build-1")
    for state in (user_state_folder(), away.place / "home" / ".local" / "state" / "guildmoot"):
        state.mkdir(parents=True, exist_ok=True)
        (state / LANES_KEY).write_text("of both machines, and of nobody else")
    away.work(T1={"sh": f"cat {away.place}/home/.local/state/guildmoot/{LANES_KEY} || true"})
    sql(CHANGES)
    sql(
        "CREATE TRIGGER changes BEFORE INSERT ON guild.lanes FOR EACH ROW EXECUTE FUNCTION change_jobs()"
    )
    refused = execute(root, settings=HOSTS)
    assert (refused.status, away.starts) == ("error", []), refused
    assert "the job bears a seal of another key, or was changed" in away.log
    sql("DROP TRIGGER changes ON guild.lanes")
    report = execute(root)
    assert (report.status, len(away.starts)) == ("done", 2), (report, away.log)
    log = run_folder(root) / "attempts" / "T1-copywriter-1" / "output.log"
    assert "of both machines" not in log.read_text()  # a lane cannot read it


def test_a_result_that_bears_no_seal_is_refused_here(
    tmp_path: Path, machine: Callable[[str], Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "NOBODY", 1.0)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "desk-state"))
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    machine("build-1").work()  # it has no key, and takes whatever comes
    (user_state_folder() / LANES_KEY).write_text("of this machine alone")
    report = execute(root, settings=HOSTS)
    assert report.status == "error"
    assert "the result bears no seal" in " ".join(report.notes)
