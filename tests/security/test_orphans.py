"""Children die with guild, also when it is killed: a row is a name and the shell script of an agent that leaves some.

``SLEEP`` in a script is a program that sleeps for ever under a name of its own, by which every copy of it is found.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Shop

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc"),
    pytest.mark.slow,  # a process or more for each row of a long table
]

ROWS = [
    ("a program", "exec SLEEP", 1),
    ("a child", "SLEEP & wait", 1),
    ("a child that lets go of the pipes", "SLEEP >/dev/null 2>&1 </dev/null & wait", 1),
    ("nohup", "nohup SLEEP >/dev/null 2>&1 & wait", 1),
    ("one that ignores signals", "trap '' TERM INT HUP; SLEEP & wait; SLEEP", 1),
    ("a session of its own", "setsid SLEEP & wait", 1),
    ("without our environment", "env -i setsid SLEEP & wait", 1),
    ("forked twice", "(setsid sh -c '(env -i SLEEP &) ; exit' &) ; SLEEP", 2),
    ("many", "for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4; do env -i setsid SLEEP & done); done; wait; SLEEP", 33),
    ("left behind", "(env -i setsid SLEEP >/dev/null 2>&1 </dev/null &); SLEEP", 2),
]  # fmt: skip


class Sleepers:
    """A shop whose agent leaves sleepers, and those that there are."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.program = shop.home / "sleeper"
        shutil.copy(shutil.which("sleep") or "/bin/sleep", self.program)
        shop.write("app.py", "x = 1\n")
        shop.commit()

    def begin(self, script: str, *more: str) -> subprocess.Popen[bytes]:
        script = script.replace("SLEEP", f"{self.program} 3000")
        file = self.shop.home / "agent.sh"
        file.write_text(script)
        self.shop.agent("a.md", "---\nname: a\ndescription: d\nbackend: command\n"
                        f"command: [sh, '{file}']\n---\nJudge.\n")  # fmt: skip
        return subprocess.Popen(
            self.shop.argv("validate", "app.py", "--agents", "a", "-q", *more),
            cwd=self.shop.root,
            env=self.shop.env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    @property
    def alive(self) -> list[int]:
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(entry / "exe") == str(self.program):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def gone_within(self, seconds: float) -> bool:
        limit = time.monotonic() + seconds
        while self.alive and time.monotonic() < limit:
            time.sleep(0.02)
        return not self.alive


@pytest.fixture
def sleepers(shop: Shop):
    made = Sleepers(shop)
    yield made
    for pid in made.alive:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(("name", "script", "number"), ROWS)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_when_guild_is_ended(sleepers, wait_until, how, name, script, number):
    run = sleepers.begin(script)
    wait_until(lambda: len(sleepers.alive) >= number)
    run.send_signal(how)
    run.wait(timeout=20)
    assert sleepers.gone_within(20), sleepers.alive


@pytest.mark.parametrize(("name", "script", "number"), ROWS)
def test_nothing_is_left_when_time_is_up(sleepers, name, script, number):
    run = sleepers.begin(script, "--timeout", "1")
    run.wait(timeout=40)
    assert sleepers.gone_within(20), sleepers.alive


def test_nothing_is_left_of_an_agent_that_answered(sleepers):
    run = sleepers.begin(
        "(env -i setsid SLEEP >/dev/null 2>&1 </dev/null &); echo VERDICT: approved"
    )
    assert run.wait(timeout=40) in (0, 2, 3)
    assert sleepers.gone_within(20), sleepers.alive


def test_a_killed_starter_is_replaced_and_what_it_started_is_still_ended(sleepers, wait_until):
    run = sleepers.begin("SLEEP & wait")
    wait_until(lambda: bool(sleepers.alive))
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line, status = (entry / "cmdline").read_bytes(), (entry / "stat").read_text()
        except OSError:
            continue
        if b"keeper.py" in line and int(status.rpartition(")")[2].split()[1]) == run.pid:
            os.kill(int(entry.name), signal.SIGKILL)
    run.kill()
    run.wait(timeout=20)
    assert sleepers.gone_within(20), sleepers.alive


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_git_ends_with_guild(shop: Shop, number: signal.Signals) -> None:
    shop.write("sub/app.py", "x = 1\n")
    shop.commit()
    os.mkfifo(shop.root / "sub/.gitignore")  # git waits for it, as it would work on a huge tree
    os.mkfifo(shop.root / "sub/.gitattributes")
    started = subprocess.Popen(
        shop.argv("validate", "--diff", "HEAD"),
        cwd=shop.root,
        env=shop.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert within(20, lambda: gits(shop.root))
    started.send_signal(number)
    started.wait(30)

    assert within(20, lambda: not gits(shop.root))


def gits(root: Path) -> list[str]:
    """The git processes that work there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "comm").read_text() == "git\n" and (process / "cwd").readlink() == root:
                words = (process / "cmdline").read_bytes().split(b"\0")
                found += [process.name] if {b"ls-files", b"diff", b"check-attr"} & {*words} else []
        except OSError:
            continue
    return found


def within(seconds: float, holds: Callable[[], object]) -> bool:
    """Whether it comes to hold."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True
