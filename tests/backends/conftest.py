"""What the backend tests share: calls to make, and eyes for processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call

MakeCall = Callable[..., Call]


@pytest.fixture
def make_call(tmp_path: Path) -> MakeCall:
    """A call of one agent in an empty folder; keywords name fields of the agent or of the call."""

    def make(backend: str, prompt: str = "", seat: str = "judge", **fields: object) -> Call:
        of_call = {key: fields.pop(key) for key in list(fields) if key in Call._fields}
        agent = Agent("judge", "a judge", "", "agents/judge.md", backend=backend, **fields)
        call = Call(Seat(seat, "judge", backend, "test"), agent, prompt, str(tmp_path), timeout=20)
        return call._replace(**of_call)

    return make


@pytest.fixture
def runs() -> Callable[[int], bool]:
    """Whether a process still runs; a zombie that waits for its parent does not."""

    def running(pid: int) -> bool:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return not Path("/proc/self").exists() and _answers(pid)
        except ProcessLookupError:
            return False
        return state not in "ZX"

    return running


@pytest.fixture
def ends(
    runs: Callable[[int], bool], wait_until: Callable[[Callable[[], bool]], None]
) -> Callable[[int], None]:
    """Fails unless a process ends; one that was just killed may take the system a moment."""
    return lambda pid: wait_until(lambda: not runs(pid))


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Wait for another process to have done something; fails rather than hangs."""

    def wait(happened: Callable[[], bool]) -> None:
        limit = time.monotonic() + 20
        while not happened():
            assert time.monotonic() < limit, "the other process never got there"
            time.sleep(0.01)

    return wait


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
