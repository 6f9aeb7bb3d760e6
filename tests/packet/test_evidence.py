"""Evidence: commands that are run first, notes and files, all with their secrets masked."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from guildmoot.errors import InfrastructureError, TargetError
from guildmoot.packet import EvidenceResult
from guildmoot.packet import run_evidence as run_evidence_async


def run_evidence(command, cwd, timeout):
    return asyncio.run(run_evidence_async(command, cwd, timeout))


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until_dead(pid: int) -> bool:
    deadline = time.monotonic() + 20
    while is_alive(pid) and time.monotonic() < deadline:
        os.sched_yield()
    return not is_alive(pid)


def test_the_exit_code_and_both_streams_are_recorded(tmp_path):
    result = run_evidence("echo out; echo err >&2; exit 3", tmp_path, 10)
    assert result == EvidenceResult("echo out; echo err >&2; exit 3", 3, "out\nerr\n")


def test_it_runs_in_the_folder_and_gets_no_standard_input(tmp_path):
    assert run_evidence("pwd -P; cat", tmp_path, 10).output == f"{tmp_path.resolve()}\n"


@pytest.mark.slow
def test_a_command_that_takes_too_long_is_ended_with_all_it_started(tmp_path):
    command = "sleep 60 & echo $!; trap '' TERM; sleep 60"
    started = time.monotonic()
    result = run_evidence(command, tmp_path, 1.5)
    assert result.timed_out
    assert result.exit_code == 124
    assert time.monotonic() - started < 30
    assert wait_until_dead(int(result.output))


def test_a_child_left_behind_does_not_hold_up_the_result(tmp_path):
    started = time.monotonic()
    result = run_evidence("sleep 60 & echo $!", tmp_path, 30)
    assert result.exit_code == 0
    assert time.monotonic() - started < 30
    assert wait_until_dead(int(result.output))


def test_a_killed_command_reports_its_signal(tmp_path):
    assert run_evidence("kill -9 $$", tmp_path, 10).exit_code == 137


def test_of_a_long_output_the_beginning_and_the_end_are_kept(tmp_path):
    output = run_evidence("echo first; yes | head -c 3000000; echo last", tmp_path, 30).output
    assert output.startswith("first\n")
    assert output.endswith("last\n")
    assert "bytes left out]" in output
    assert len(output) < 70_000


def test_a_folder_that_is_not_there_is_an_infrastructure_failure(tmp_path):
    with pytest.raises(InfrastructureError, match="could not be started"):
        run_evidence("true", tmp_path / "none", 10)


def test_results_notes_and_files_become_sections(repo):
    repo.commit(a__py="1\n", log__txt="it broke\n")
    packet = repo.packet(
        "a.py",
        evidence=("seen twice", "@log.txt"),
        evidence_results=(EvidenceResult("make test", 2, "1 failed\n"),),
    )
    assert [(part.kind, part.title, part.text) for part in packet.sections] == [
        ("evidence", "note 1", "seen twice"),
        ("evidence", "log.txt", "it broke\n"),
        ("evidence", "command: make test", "exit code 2\n1 failed\n"),
    ]


def test_a_spec_may_lie_outside_but_its_folder_stays_private(repo, tmp_path):
    repo.write("a.py")
    (tmp_path / "private place").mkdir()
    spec = tmp_path / "private place" / "plan.md"
    spec.write_text("the plan\n")
    packet = repo.packet("a.py", spec=(spec,))
    assert packet.sections[0][:2] == ("spec", "plan.md")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [(".env", "A=1\n", "key file"), ("none.md", None, "not there"), ("b.md", "\0", "not text")],
)
def test_a_spec_that_cannot_be_shown_is_refused(repo, name, content, why):
    repo.write("a.py")
    if content is not None:
        repo.write(name, content)
    with pytest.raises(TargetError, match=why):
        repo.packet("a.py", spec=(Path(name),))


def test_a_spec_link_to_a_key_file_is_refused(repo):
    repo.write("a.py")
    repo.write(".env", "TOKEN=1\n")
    (repo.root / "plan.md").symlink_to(".env")
    with pytest.raises(TargetError, match="key file"):
        repo.packet("a.py", spec=(Path("plan.md"),))
