"""Ctrl-C and its kin: the run ends, its children end with it, and what was said is kept."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from guildmoot.calls import Spawned, run_foreground, spawn
from guildmoot.errors import Interrupted
from guildmoot.model.call import Call

MakeCall = Callable[..., Call]
Ends = Callable[[int], None]
WaitUntil = Callable[[Callable[[], bool]], None]

DRIVER = Path(__file__).with_name("driver.py")
PARTIAL = {
    "interrupted": True,
    "replies": [["quick", "answered", "said at once"], ["busy", "cancelled", ""]],
}
OBEDIENT = "sleep 300 & echo $! > new; mv new pid; wait"
STUBBORN = "trap 'touch told' TERM; echo $$ > new; mv new pid; while :; do sleep 0.05; done"


def start(folder: Path, script: str) -> subprocess.Popen[str]:
    argv = [sys.executable, str(DRIVER), str(folder), script]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_children_and_keeps_what_was_answered(
    number: int, tmp_path: Path, ends: Ends, wait_until: WaitUntil
) -> None:
    with start(tmp_path, OBEDIENT) as driver:
        wait_until((tmp_path / "pid").exists)
        driver.send_signal(number)
        out, err = driver.communicate(timeout=20)
    assert (json.loads(out), err, driver.returncode) == (PARTIAL, "", 0)
    ends(int((tmp_path / "pid").read_text()))


def test_a_second_ctrl_c_kills_what_the_first_could_not_end(
    tmp_path: Path, ends: Ends, wait_until: WaitUntil
) -> None:
    with start(tmp_path, STUBBORN) as driver:
        for sign in ("pid", "told"):
            wait_until((tmp_path / sign).exists)
            driver.send_signal(signal.SIGINT)
        out, err = driver.communicate(timeout=20)
    assert (json.loads(out), err) == (PARTIAL, "")
    ends(int((tmp_path / "pid").read_text()))


def test_the_callers_own_signal_handlers_are_back_afterwards(make_call: MakeCall) -> None:
    def own(number: int, frame: object) -> None:
        raise AssertionError("never sent")

    old = signal.signal(signal.SIGTERM, own)
    try:
        run_foreground(spawn([make_call("command", command=("true",))]))
        assert signal.getsignal(signal.SIGTERM) is own
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, old)


def test_a_signal_that_the_caller_ignores_stays_ignored(make_call: MakeCall) -> None:
    old = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        hang_up = ("sh", "-c", f"kill -HUP {os.getpid()}; echo still here")
        spawned = run_foreground(spawn([make_call("command", command=hang_up)]))
    finally:
        signal.signal(signal.SIGHUP, old)
    assert (spawned.replies[0].text, spawned.interrupted) == ("still here\n", False)


def test_it_works_on_a_thread_that_may_not_handle_signals(make_call: MakeCall) -> None:
    results: list[Spawned] = []
    call = make_call("command", command=("echo", "from a thread"))
    thread = threading.Thread(target=lambda: results.append(run_foreground(spawn([call]))))
    thread.start()
    thread.join(20)
    assert results[0].replies[0].text == "from a thread\n"


def test_a_ctrl_c_from_before_the_fan_out_starts_nothing(
    make_call: MakeCall, tmp_path: Path
) -> None:
    async def work() -> Spawned:
        os.kill(os.getpid(), signal.SIGINT)  # as while a packet is made, where nothing is awaited
        return await spawn([make_call("command", command=("touch", "started"))])

    spawned = run_foreground(work())
    assert (spawned.interrupted, spawned.replies[0].status) == (True, "cancelled")
    assert spawned.replies[0].error.endswith("before it could start")
    assert not (tmp_path / "started").exists()


def test_work_that_keeps_nothing_raises_interrupted() -> None:
    async def work() -> None:
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
        await asyncio.sleep(300)

    with pytest.raises(Interrupted):
        run_foreground(work())
