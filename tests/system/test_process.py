"""A program runs to its end, and nothing of it is left: real processes, watched by their ids."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from guildmoot.backends.enclosure import enclosed
from guildmoot.system import fence, process, scratch
from guildmoot.system.environment import child_environment
from guildmoot.system.process import ProcessResult, kill_all, run_blocking, run_process
from guildmoot.system.state import user_secret

Runs = Callable[[int], bool]
Ends = Callable[[int], None]
SPOKEN = 1.5
"""Seconds within which a shell has said its first word, on a busy machine too."""
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")


def shell(script: str, **options: object) -> ProcessResult:
    return run(["sh", "-c", script], **options)


def python(script: str, **options: object) -> ProcessResult:
    return run([sys.executable, "-c", script], **options)


def run(argv: list[str], **options: object) -> ProcessResult:
    return asyncio.run(begin(argv, **options))


async def begin(argv: list[str], **options: object) -> ProcessResult:
    return await run_process(argv, **{"cwd": "/", "env": child_environment(), **options})


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE", 0.3)


def test_both_streams_and_the_exit_code_come_back_apart() -> None:
    result = shell("echo out; echo err >&2; exit 7")
    assert result[:4] == ("exited", 7, b"out\n", b"err\n")
    assert result.seconds > 0


def test_a_program_behind_a_fence_writes_only_where_it_may_and_gives_its_exit_code(
    tmp_path: Path,
) -> None:
    (tmp_path / "open").mkdir()
    command = f"touch {tmp_path}/open/a; touch {tmp_path}/b; exit 3"
    words = fence.words(str(tmp_path), [str(tmp_path / "open")], ["/bin/sh", "-c", command])
    expected = (3, ["a"]) if fence.works(str(tmp_path)) else (fence.REFUSED, [])
    done = run(words)
    written = sorted(file.name for file in tmp_path.rglob("*") if file.is_file())
    assert (done.exit_code, written) == expected


def test_no_key_of_the_user_is_read_behind_a_fence_nor_one_that_is_made_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    state, keys = tmp_path / "state" / "guildmoot", ("cache.key", "nonce-key", "ticket-key")
    if not fence.works("/", whole=True):
        pytest.skip("no fence can be had here")
    for folder in ("/", str(tmp_path)):
        shutil.rmtree(state)
        words = fence.words(folder, [], ["/bin/sh", "-c", f"cd {state}; cat *key* | wc -c"])
        secrets = [user_secret(name) for name in keys]
        assert run(words).stdout.split() == [b"0"], folder
        assert [(state / name).read_bytes() for name in keys] == secrets
    with pytest.raises(ValueError, match="no secret that is kept"):
        user_secret("another")


@pytest.mark.parametrize("memory", [True, False])
def test_no_copy_that_judges_read_can_be_changed_behind_a_fence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, memory: bool
) -> None:
    if not fence.works("/", whole=True):
        pytest.skip("no fence can be had here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    with scratch.scratch_folder(1 if memory else 1 << 62) as place:
        assert place.startswith(scratch.MEMORY if memory else str(tmp_path / "cache"))
        Path(place, "code.py").write_text("the work")
        command = f"echo forged > {place}/code.py; echo x > {scratch.MEMORY}/own; cat {scratch.MEMORY}/own"
        found = run(enclosed(str(tmp_path), [], (), ["/bin/sh", "-c", command]))
        assert found.stdout == b"x\n"  # the program has memory of its own
        assert Path(place, "code.py").read_text() == "the work"
        assert not Path(scratch.MEMORY, "own").exists()


def test_a_grandchild_is_gone_after_a_timeout(ends: Ends) -> None:
    result = shell("sleep 300 & echo $!; wait", timeout=SPOKEN)
    assert result.status == "timeout"
    ends(int(result.stdout))


@pytest.mark.usefixtures("short_grace")
def test_a_program_that_ignores_sigterm_is_killed(ends: Ends) -> None:
    result = shell("trap '' TERM; echo $$; while :; do sleep 0.05; done", timeout=SPOKEN)
    assert (result.status, result.exit_code) == ("timeout", -signal.SIGKILL)
    ends(int(result.stdout))


def test_a_program_may_tidy_up_in_its_grace_and_what_it_says_then_is_kept() -> None:
    result = shell("trap 'echo tidy; exit 3' TERM; echo busy; sleep 300 & wait", timeout=SPOKEN)
    assert (result.status, result.stdout) == ("timeout", b"busy\ntidy\n")


def test_a_program_that_closes_its_output_is_still_waited_for() -> None:
    result = shell("echo said; exec >&- 2>&-; sleep 0.3; exit 7", timeout=20)
    assert (result.status, result.exit_code, result.stdout) == ("exited", 7, b"said\n")
    assert result.seconds >= 0.3


def test_a_daemon_that_holds_the_pipe_delays_the_end_only_for_the_drain(ends: Ends) -> None:
    result = shell("sleep 300 & echo $!")
    assert (result.status, result.exit_code) == ("exited", 0)
    assert result.seconds < 60
    ends(int(result.stdout))


def test_output_that_comes_just_after_the_exit_is_not_lost() -> None:
    assert shell("(sleep 0.2; echo late) & echo early").stdout == b"early\nlate\n"


DETACH = (
    "import subprocess as s; "
    "print(s.Popen(['sleep', '300'], start_new_session=True{pipes}).pid, flush=True)"
)


@needs_proc
@pytest.mark.parametrize("after", ["", "; import time; time.sleep(300)"])
def test_a_daemon_in_a_session_of_its_own_is_found_and_ended(ends: Ends, after: str) -> None:
    result = python(DETACH.format(pipes="") + after, timeout=SPOKEN)
    ends(int(result.stdout))


@needs_proc
@pytest.mark.parametrize(
    "pipes", ["", ", env={}", ", env={}, stdin=s.DEVNULL, stdout=s.DEVNULL, stderr=s.DEVNULL"]
)
def test_a_daemon_that_hides_its_origin_ends_with_the_call(ends: Ends, pipes: str) -> None:
    result = python(DETACH.format(pipes=pipes))
    assert (result.status, result.exit_code) == ("exited", 0)
    assert result.seconds < 60
    ends(int(result.stdout))


def test_a_background_process_that_let_go_of_the_pipes_ends_with_the_call(ends: Ends) -> None:
    result = shell("sleep 300 >/dev/null 2>&1 & echo $!")
    assert result.seconds < process.DRAIN
    ends(int(result.stdout))


def test_five_megabytes_to_a_program_that_does_not_read_them() -> None:
    result = shell("exit 0", stdin=b"x" * 5_000_000)
    assert (result.status, result.exit_code) == ("exited", 0)


def test_five_megabytes_through_a_program_and_back() -> None:
    text = os.urandom(5_000_000)
    assert run(["cat"], stdin=text).stdout == text


def test_standard_input_can_be_opened_by_name() -> None:
    assert run(["cat", "/dev/stdin"], stdin=b"prompt").stdout == b"prompt"


def test_standard_input_is_empty_rather_than_the_terminal() -> None:
    assert run(["cat"]).stdout == b""


def test_twenty_megabytes_of_output_come_back_whole() -> None:
    result = python("import sys; sys.stdout.write('y' * 20_000_000)")
    assert result.stdout == b"y" * 20_000_000


def test_binary_output_comes_back_byte_for_byte() -> None:
    result = python("import sys; sys.stdout.buffer.write(bytes(range(256)) * 9)")
    assert result.stdout == bytes(range(256)) * 9


def test_output_beyond_the_limit_is_read_but_not_kept_and_told() -> None:
    result = python("import sys; sys.stdout.write('y' * 3_000_000); sys.exit(5)", max_output=1000)
    assert (result.status, result.exit_code) == ("overflow", 5)
    assert result.stdout == b"y" * 1000


def test_output_of_exactly_the_limit_is_no_overflow() -> None:
    assert python("print('y' * 999)", max_output=1000).status == "exited"


def test_a_missing_program_is_missing() -> None:
    result = run(["/nowhere/judge"])
    assert result.status == "missing"
    assert "/nowhere/judge" in result.error


def test_a_file_that_may_not_be_executed_is_missing(tmp_path: Path) -> None:
    (tmp_path / "judge").write_text("#!/bin/sh\n")
    assert run([str(tmp_path / "judge")]).status == "missing"


def test_a_file_that_is_no_program_cannot_be_started(tmp_path: Path) -> None:
    (tmp_path / "judge").write_bytes(b"\x00\x01 nothing")
    (tmp_path / "judge").chmod(0o755)
    result = run([str(tmp_path / "judge")])
    assert result.status == "unstartable"
    assert "format" in result.error.lower()


def test_a_working_folder_that_is_gone_is_told_apart_from_a_missing_program(tmp_path: Path) -> None:
    result = run(["sh", "-c", "true"], cwd=str(tmp_path / "gone"))
    assert result.status == "unstartable"
    assert "gone" in result.error


def test_a_cancelled_call_leaves_no_child_and_stays_cancelled(tmp_path: Path, ends: Ends) -> None:
    async def scenario() -> None:
        pids = tmp_path / "pids"
        script = f"sleep 300 & echo $$ $! > {pids}.new; mv {pids}.new {pids}; wait"
        task = asyncio.create_task(begin(["sh", "-c", script]))
        while not pids.exists():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        child, grandchild = map(int, pids.read_text().split())
        assert not Path(f"/proc/{child}").exists(), "the child was not reaped"
        ends(grandchild)

    asyncio.run(scenario())


@pytest.mark.parametrize("turns", range(6))
def test_a_call_cancelled_while_it_starts_leaves_no_child(turns: int, tmp_path: Path) -> None:
    async def scenario() -> None:
        task = asyncio.create_task(begin(["sleep", "300"], cwd=str(tmp_path)))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert not _processes_in(tmp_path)


@pytest.mark.usefixtures("short_grace")
def test_a_second_cancellation_does_not_abandon_a_stubborn_child(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = "trap 'touch term' TERM; touch ready; while :; do sleep 0.05; done"
        task = asyncio.create_task(begin(["sh", "-c", script], cwd=str(tmp_path)))
        for sign in ("ready", "term"):
            while not (tmp_path / sign).exists():
                await asyncio.sleep(0.01)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert not _processes_in(tmp_path)


def test_kill_all_ends_even_stubborn_programs_at_once(tmp_path: Path) -> None:
    async def scenario() -> ProcessResult:
        script = "trap '' TERM; touch ready; while :; do sleep 0.05; done"
        task = asyncio.create_task(begin(["sh", "-c", script], cwd=str(tmp_path)))
        while not (tmp_path / "ready").exists():
            await asyncio.sleep(0.01)
        kill_all()
        return await task

    assert asyncio.run(scenario()).exit_code == -signal.SIGKILL


@needs_proc
def test_kill_all_reaches_a_program_that_is_only_being_started(tmp_path: Path) -> None:
    async def scenario() -> ProcessResult:
        task = asyncio.create_task(begin(["sleep", "300"], cwd=str(tmp_path)))
        while not _processes_in(tmp_path):
            await asyncio.sleep(0)
        kill_all()
        return await task

    assert asyncio.run(scenario()).exit_code == -signal.SIGKILL


@needs_proc
def test_calls_leave_no_open_files_behind() -> None:
    async def scenario() -> tuple[int, int]:
        await begin(["true"])
        before = len(os.listdir("/proc/self/fd"))
        await asyncio.gather(*(begin(["sh", "-c", "echo x"], stdin=b"y") for _ in range(20)))
        await asyncio.gather(*(begin(["sleep", "300"], timeout=0.1) for _ in range(5)))
        await asyncio.sleep(0)
        return before, len(os.listdir("/proc/self/fd"))

    before, after = asyncio.run(scenario())
    assert after == before


def _processes_in(folder: Path) -> list[str]:
    """Processes whose working folder it is; nothing where there is no /proc to ask."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(entry / "cwd")) == folder:
                found.append(entry.name)
        except OSError:
            continue
    return found


def test_a_caller_without_an_event_loop_gets_both_streams_as_one(tmp_path: Path) -> None:
    done = run_blocking(
        ["/bin/sh", "-c", "echo out; echo err >&2; exit 3"],
        cwd=str(tmp_path),
        env=child_environment(),
        timeout=10,
        max_output=1000,
    )
    assert (done.status, done.exit_code, done.stdout, done.stderr) == (
        "exited",
        3,
        b"out\nerr\n",
        b"",
    )


def test_a_blocking_call_may_be_made_inside_a_running_loop(tmp_path: Path) -> None:
    async def inside() -> ProcessResult:
        return run_blocking(
            ["echo", "x"], cwd=str(tmp_path), env=child_environment(), timeout=10, max_output=100
        )

    assert asyncio.run(inside()).stdout == b"x\n"


def test_an_interrupt_ends_a_blocking_call_and_its_program(
    tmp_path: Path, ends: Ends, wait_until: Callable[[Callable[[], bool]], None]
) -> None:
    program = (
        "from guildmoot.system.process import run_blocking; import os, sys;"
        "run_blocking(['/bin/sh', '-c', 'echo $$ > started; exec sleep 60'], cwd=sys.argv[1],"
        " env=dict(os.environ), timeout=60, max_output=100)"
    )
    caller = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    started = tmp_path / "started"
    wait_until(lambda: started.exists() and started.read_text().strip() != "")
    caller.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in caller.communicate(timeout=20)[1]
    ends(int(started.read_text()))
