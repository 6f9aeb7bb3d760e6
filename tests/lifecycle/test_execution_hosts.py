"""Lanes on other machines: a real Postgres, real workers, real git, and no path that two machines share."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.lifecycle.executions import SLUG, execute, git, project, script, start, starts
from tests.lifecycle.machines import (
    NEEDS_POSTGRES,
    TIERS,
    Machine,
    Sql,
    ended,
    host,
    is_there,
    pid_of,
    waits,
)
from tests.lifecycle.samples import receipt

from calls.cluster.conftest import POSTGRES
from calls.cluster.scene import until
from guildmoot.agents.hosts.answers import HostDecision, answer_host
from guildmoot.agents.hosts.folder import load_hosts
from guildmoot.api.lifecycle.execution import preview_work
from guildmoot.calls.cluster import database, lanes, register
from guildmoot.calls.cluster.needs import Capabilities, LaneRoom
from guildmoot.errors import InfrastructureError, UndecidedError
from guildmoot.lifecycle.execution.workers import link, remote
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import latest_run

if not POSTGRES and os.environ.get("GUILD_REQUIRE_POSTGRES"):
    raise pytest.UsageError("GUILD_TEST_POSTGRES names no server")
pytestmark = [pytest.mark.slow, NEEDS_POSTGRES]
ONE = {"T1-copywriter": ()}
TWO = {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)}
HOSTS = {"work.agent_mode": "hosts"}


def test_a_plan_is_carried_out_on_another_machine_and_judged_here(
    tmp_path: Path, machine: Callable[[str], Machine]
) -> None:
    root = project(tmp_path / "desk" / "p", TWO)
    host(root, "build-1")
    away = machine("build-1").work(T1={"files": {"app/a.py": "A = 1\n", "run.sh": "#!/bin/sh\n"}, "sh": "chmod +x run.sh"})  # fmt: skip
    report = execute(root, settings=HOSTS)
    assert (report.status, report.rung) == ("done", "hosts"), (report, away.log)
    assert "build-1 (claude); no rung is below them" in report.why
    told = asyncio.run(preview_work(cwd=root))  # the next call would go on the same way
    assert any(row.startswith("lanes are run by hosts: lanes go to hosts") for row in told)
    assert away.starts == ["T1-copywriter/1", "T2-seo/1"]
    assert git(root, "show", f"{report.branch}:app/a.py") == "A = 1"
    assert git(root, "ls-tree", report.branch, "run.sh").startswith("100755")
    assert any("goes to build-1: the only one that qualifies" in note for note in report.notes)
    live = root / ".guild" / "runs" / report.run / "attempts" / "T1-copywriter-1" / "output.log"
    assert "at work on T1-copywriter" in live.read_text()
    assert not list((away.place / "home" / ".local/state/guildmoot/lanes/build-1/.guild").glob("worktrees/*"))  # fmt: skip


def test_a_machine_that_dies_loses_its_lane_to_the_next_of_the_chain(
    tmp_path: Path, machine: Callable[[str], Machine], sql: Sql
) -> None:  # fmt: skip
    sql("UPDATE guild.control SET lease = 4")
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    host(root, "build-2")
    first, second = machine("build-1"), machine("build-2")
    first.work(T1=waits(first))
    second.work(T1={"files": {"app/by.py": "second\n"}})
    engine = start(root, "--mode", "hosts")
    pid = pid_of(first)
    first.kill()
    report = ended(engine)
    assert report["status"] == "done", report
    assert git(root, "show", f"{report['branch']}:app/by.py") == "second"
    assert (first.starts, second.starts) == (["T1-copywriter/1"], ["T1-copywriter/1"])
    said = " ".join(map(str, report["notes"]))
    assert "build-1 did not do it: it gave no sign of life for the lease" in said
    assert "handed over on build-2" in said
    until(lambda: not is_there(pid))


def test_who_was_taken_for_dead_and_comes_back_is_refused(
    tmp_path: Path, machine: Callable[[str], Machine], sql: Sql
) -> None:  # fmt: skip
    sql("UPDATE guild.control SET lease = 4")
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    host(root, "build-2")
    first, second = machine("build-1"), machine("build-2")
    first.work(T1={**waits(first), "files": {"app/by.py": "first\n"}})
    second.work(T1={"files": {"app/by.py": "second\n"}})
    engine = start(root, "--mode", "hosts")
    pid_of(first)
    os.kill(first.process.pid, signal.SIGSTOP)
    (first.place / "go").touch()  # its program ends, and nobody there can say so in time
    report = ended(engine)
    os.kill(first.process.pid, signal.SIGCONT)
    until(lambda: "somebody else" in first.log or "too late" in first.log)
    assert git(root, "show", f"{report['branch']}:app/by.py") == "second"


@pytest.mark.parametrize("over", [True, False], ids=["result waits", "still at work"])
def test_an_engine_that_was_killed_finds_the_lane_again_and_pays_for_nothing_twice(
    tmp_path: Path, machine: Callable[[str], Machine], sql: Sql, over: bool
) -> None:  # fmt: skip
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    away = machine("build-1")
    away.work(T1=waits(away))
    engine = start(root, "--mode", "hosts")
    pid_of(away)
    engine.kill()
    engine.communicate()
    if over:
        (away.place / "go").touch()
        until(lambda: sql("SELECT 1 FROM guild.lanes WHERE state = 'ended'"))
    engine = start(root)  # the way that was asked for is on record
    (away.place / "go").touch()
    report = ended(engine)
    assert report["status"] == "done", (report, away.log)
    assert away.starts == ["T1-copywriter/1"]
    assert any("build-1 has it since an earlier call" in str(note) for note in report["notes"])


def ticket_of(root: Path) -> Path:
    folder = WorkFolder(root)
    return folder.run(latest_run(folder, SLUG)) / "lanes-ticket"


def test_a_lane_at_work_is_found_again_without_the_ticket_and_asked_for_where_it_cannot_be(
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
    ticket_of(root).write_text("f" * 64)
    with pytest.raises(UndecidedError, match="lanes-ticket"):
        execute(root)
    ticket_of(root).unlink()
    engine = start(root)
    (away.place / "go").touch()
    assert ended(engine)["status"] == "done"
    assert away.starts == ["T1-copywriter/1"]


def test_a_run_that_is_stopped_ends_its_lane_on_the_other_machine(
    tmp_path: Path, machine: Callable[[str], Machine], sql: Sql
) -> None:  # fmt: skip
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    away = machine("build-1")
    away.work(T1=waits(away))
    engine = start(root, "--mode", "hosts")
    pid = pid_of(away)
    engine.send_signal(signal.SIGINT)
    engine.communicate(timeout=60)
    assert sql("SELECT state FROM guild.lanes") == [("dismissed",)]
    assert not is_there(pid)  # the row says so only when it is gone
    (away.place / "go").touch()
    assert execute(root).status == "done"
    assert away.starts == ["T1-copywriter/1", "T1-copywriter/1"]


def test_a_lane_that_is_sent_back_finds_its_files_again_and_little_travels_twice(
    tmp_path: Path, machine: Callable[[str], Machine], sql: Sql
) -> None:  # fmt: skip
    root = project(tmp_path / "desk" / "p", {"T1-copywriter": (), "T2-seo": ()})
    (root / "blob.bin").write_bytes(os.urandom(500_000))
    git(root, "add", "blob.bin")
    git(root, "commit", "-q", "-m", "a large file")
    host(root, "build-1")
    forgot = {"files": {"app/a.py": "A = 1\n"}, "claims": ["app/b.py"]}
    mended = {"files": {}, "claims": ["app/a.py"], "sh": "test -f app/a.py && test -f $GUILD_SENT_BACK && git status --porcelain >&2"}  # fmt: skip
    away = machine("build-1")
    away.work(T1=[forgot | waits(away), mended])
    engine = start(root, "--mode", "hosts")
    base = git(root, "rev-parse", "HEAD")
    until(lambda: sql("SELECT 1 FROM guild.workers WHERE capabilities LIKE :it", it=f"%{base}%"))
    (away.place / "go").touch()
    report = ended(engine)
    done = [(lane["status"], lane["attempts"]) for lane in report["lanes"]]
    assert done == [("done", 2), ("done", 1)], (report, away.log)
    kept = root / ".guild/runs" / str(report["run"]) / "attempts/T1-copywriter-2/output.log"
    assert "?? app/a.py" in kept.read_text()
    whole = [row[0] for row in sql("SELECT job LIKE '@%' FROM guild.lanes ORDER BY asked")]
    assert (whole[0], whole[-1]) == (True, False)  # what was there already does not travel again
    assert "did not do it" not in str(report["notes"])  # one slot: the other lane waited its turn


def test_a_lane_that_failed_there_is_not_said_to_be_done(
    tmp_path: Path, machine: Callable[[str], Machine]
) -> None:
    root = project(tmp_path / "desk" / "p", {"T1-copywriter": ()})
    host(root, "build-1")
    machine("build-1").work(T1={"crash": 3})
    report = ended(start(root, "--mode", "hosts"))
    assert [lane["status"] for lane in report["lanes"]] == ["failed"]
    assert "T1-copywriter: failed on build-1" in report["notes"]


def test_without_a_host_the_rung_below_is_taken_and_said_or_nothing_is_begun(
    tmp_path: Path, machine: Callable[[str], Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "desk" / "p", ONE)
    with pytest.raises(InfrastructureError, match="no worker that does lanes is alive"):
        execute(root, settings=HOSTS)
    file = host(root, "build-1", "always-ask")
    away = machine("build-1")
    with pytest.raises(InfrastructureError, match="guild worker --lanes 1 --name build-1"):
        execute(root, settings=HOSTS)
    away.work()
    with pytest.raises(UndecidedError, match="build-1 asks before a lane's files leave"):
        execute(root, settings=HOSTS)
    answer(root, "denied")
    with pytest.raises(InfrastructureError, match="you said no to it"):
        execute(root, settings=HOSTS)
    answer(root, "approved")
    host(root, "build-1", "always-ask", host_kind="codex")
    with pytest.raises(UndecidedError):  # what was agreed to is another manifest
        execute(root, settings=HOSTS)
    answer(root, "approved")
    with pytest.raises(InfrastructureError, match="cross-host work is off"):
        execute(root, settings=HOSTS)
    file.unlink()
    monkeypatch.setenv("GUILD_CROSS_HOST_ENABLED", "1")
    report = execute(root, script(root))
    assert report.status == "done"
    assert "build-1: it has no manifest in .guild/hosts); rung 4 of 4" in report.why
    assert (away.starts, starts(root)) == ([], ["T1-copywriter/1"])


def test_a_lane_falls_to_the_rung_below_when_its_host_is_lost_on_the_way(
    tmp_path: Path, machine: Callable[[str], Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUILD_CROSS_HOST_ENABLED", "1")
    monkeypatch.setattr(remote, "NOBODY", 2.0)
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    away = machine("build-1").work(command="no-such-program")
    report = execute(root, script(root))
    assert report.status == "done"
    assert starts(root) == ["T1-copywriter/1"]
    said = " ".join(report.notes)
    assert "build-1 did not do it: the command cannot be run" in said
    assert "no host may take it" in said
    assert "it is done here, rung 4 of 4, unseen" in said
    assert "could not be done: the command cannot be run" in away.log


def test_a_silent_lane_is_nudged_there_and_a_worker_that_is_told_to_stop_ends_it_first(
    tmp_path: Path, machine: Callable[[str], Machine]
) -> None:
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    away = machine("build-1")
    nudged = 'while [ ! -s "$GUILD_NUDGE" ]; do sleep 0.05; done'
    away.work(T1={"sh": f"echo $$ > {away.place / 'pid'}; {nudged}"})
    engine = start(root, "--mode", "hosts", "--timeout", "8")
    pid_of(away)
    away.process.terminate()
    report = ended(engine)
    assert report["status"] == "done", (report, away.log)
    assert "nudged after 8 s of silence" in str(report["notes"])
    assert away.process.wait(30) == 0


def test_the_clients_of_a_host_do_lanes_with_the_models_of_its_own_owner(
    tmp_path: Path, machine: Callable[[str], Machine]
) -> None:
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1", tier_models={"mid": "another"})
    away = machine("build-1")
    own = away.place / "home" / ".config" / "guildmoot"
    (own / "agents").mkdir(parents=True)
    (own / "guild.toml").write_text('[work]\ntiers = ["mid=maker"]\n')
    head = (
        "name: maker\ndescription: works\nrole: implementer\nbackend: scripted\nreplies: maker.json"
    )
    (own / "agents" / "maker.md").write_text(f"---\n{head}\n---\nDo it.\n")
    run = latest_run(WorkFolder(root), SLUG)
    said = receipt(b"x = 1\n", task_id="T1-copywriter").replace("T1-backend", "T1-copywriter")
    said = said.replace("specialist: backend", "specialist: copywriter").replace("python -m unittest", "true")  # fmt: skip
    place = f".guild/runs/{run}/handoffs/copywriter-T1-copywriter.md"
    reply = {"text": "ok", "write": {place: said, "app/api.py": "x = 1\n"}}
    (own / "agents" / "maker.json").write_text(json.dumps({"replies": {"*": [reply]}}))
    away.work("--clients")
    report = execute(root, settings=HOSTS)
    assert report.status == "done", (report, away.log)
    assert git(root, "show", f"{report.branch}:app/api.py") == "x = 1"


@contextmanager
def liar(url: str, name: str, result: str) -> Iterator[list[lanes.TakenLane]]:
    """A worker that holds the role and sends what it likes; what it took."""
    engine, over = database.connect(url, 2), threading.Event()
    has = Capabilities((), (), (), lanes=LaneRoom(1, tuple(TIERS)))
    took: list[lanes.TakenLane] = []
    with engine.begin() as connection:
        signed = register.sign_in(connection, name, has, "t", "elsewhere")

    def live() -> None:
        while not over.wait(0.2):
            with engine.begin() as connection:
                register.beat(connection, signed.executor, [], has, "t")
                if taken := lanes.take(connection, signed.executor, "t", "token"):
                    took.append(taken)
                    assert lanes.finish(connection, taken, "ended", result, kept=True)

    thread = threading.Thread(target=live)
    thread.start()
    try:
        yield took
    finally:
        over.set()
        thread.join()
        engine.dispose()


@pytest.mark.parametrize(
    "files",
    [
        {"../outside.py": {"kind": "file", "data": ""}},
        {".git/hooks/pre-commit": {"kind": "program", "data": "eA=="}},
        {"app": {"kind": "link", "data": "L2V0Yw=="}, "app/passwd": {"kind": "file", "data": "eA=="}},
        {"app/a/\ud800": {"kind": "file", "data": "eA=="}},
        {"big.bin": {"kind": "file", "data": "A" * 400_000}},
    ],
    ids=["a path that leads out", "git's own", "through a link", "half of a pair", "too much"],
)  # fmt: skip
def test_a_result_that_no_lane_could_leave_is_refused_and_the_next_host_is_asked(
    tmp_path: Path, machine: Callable[[str], Machine], url: str, files: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(link, "LONGEST", 300_000)
    root = project(tmp_path / "desk" / "p", ONE)
    host(root, "build-1")
    host(root, "build-2")
    machine("build-2").work()
    with liar(url, "build-1", json.dumps({"exit_code": 0, "files": files})) as took:
        report = execute(root, settings=HOSTS)
    assert (report.status, len(took)) == ("done", 1)
    said = " ".join(report.notes)
    assert "build-1 did not do it: " in said
    assert "handed over on build-2" in said
    assert not (root.parent / "outside.py").exists()


def answer(root: Path, decision: HostDecision) -> None:
    [found] = load_hosts(root).hosts
    answer_host(root, found, decision, "A", "2026-11-01T00:00:00+00:00")
