"""A real repository and a real command line, for tests that act as a user would."""

import gc
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings

import commands
from builders import call
from guildmoot.model.call import Call

# A busy machine is no failure, and what is tried is the same in every run. To look for more than that:
# pytest --hypothesis-profile search
_ANY_MACHINE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("search", **_ANY_MACHINE)
settings.register_profile("steady", **_ANY_MACHINE, derandomize=True)
settings.register_profile("quick", **_ANY_MACHINE, derandomize=True, max_examples=20)
settings.load_profile("steady")


gc.disable()  # until all is collected, and kept
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A suite in the background: whatever it starts would ignore Ctrl-C too, and many tests press it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # and one under nohup the end of its terminal
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_configure(config):
    """Without the slow tests, properties are tried on fewer examples; CI tries them all."""
    if config.option.markexpr == "not slow" and not config.getoption("--hypothesis-profile"):
        settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of a sampled table all rows but every nth are slow."""
    seen = Counter()
    for item in items:
        if mark := item.get_closest_marker("sample"):
            place = item.nodeid.partition("[")[0]
            if seen[place] % mark.args[0]:
                item.add_marker(pytest.mark.slow)
            seen[place] += 1


def pytest_collection_finish():
    """What was collected stays to the end: nobody looks through it for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


def mainly(first, *others):
    """Values for a test whose first stands for all in the quick suite; CI tries each."""
    return [first, *(pytest.param(other, marks=pytest.mark.slow) for other in others)]


CACHE_KEY = b"the shops of one session share it"[:32]
"""So that not every process of every test parses the package's agents anew."""


@cache
def _empty_repository(folder: str) -> Path:
    """Made once: for each test a copy is quicker than another ``git init``."""
    made = Path(folder, "empty repository")
    init = ["git", "init", "-q", "-b", "main", "--template=", str(made)]
    subprocess.run(init, check=True, env={"PATH": os.environ["PATH"], "HOME": folder})
    for name in ("hooks", "info"):
        (made / ".git" / name).mkdir()
    return made / ".git"


class Shop:
    """A git repository of its own, with nobody's settings but its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "shop"
        self.home = folder / "home"
        self.root.mkdir()
        self.home.mkdir()
        state = self.home / ".local/state/guildmoot"
        state.mkdir(parents=True)
        (state / "cache.key").write_bytes(CACHE_KEY)
        shutil.copytree(_empty_repository(os.environ["XDG_CACHE_HOME"]), self.root / ".git")

    @property
    def env(self) -> dict[str, str]:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
            "LANG": "C.UTF-8",
            "COLUMNS": "80",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }
        for role in ("AUTHOR", "COMMITTER"):
            environment |= {f"GIT_{role}_NAME": "t", f"GIT_{role}_EMAIL": "t@example.org"}
        return environment

    def git(self, *argv: str) -> str:
        done = subprocess.run(
            ["git", *argv], cwd=self.root, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def write(self, name: str, text: str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    @property
    def agents(self) -> Path:
        """The folder of the user's own agents; what the repository brings is nobody's judge."""
        return self.home / ".config" / "guildmoot" / "agents"

    def agent(self, name: str, text: str) -> Path:
        """A file in the folder of the user's own agents."""
        self.agents.mkdir(parents=True, exist_ok=True)
        file = self.agents / name
        file.write_text(text)
        return file

    def settings(self, text: str) -> None:
        """The user's own settings, which count wherever the user works."""
        file = self.home / ".config" / "guildmoot" / "guild.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self, message: str = "change") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def guild(self, *argv: str, stdin: str = "", env: dict[str, str] | None = None) -> Ran:
        """A command line; ``stop`` and ``argv`` are for those that a test strikes at."""
        environment = {**self.env, **(env or {})}
        done = commands.run(
            self.argv(*argv)[1:], cwd=self.root, env=environment, stdin=stdin.encode()
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def answered(self) -> int:
        """How many calls the ledger has an answer to."""
        file = self.root / ".guild" / "ledger.sqlite3"
        if not file.exists():
            return 0
        with closing(sqlite3.connect(file)) as ledger:
            try:
                [(number,)] = ledger.execute("SELECT count(*) FROM calls WHERE state = 'answered'")
            except sqlite3.OperationalError:  # it is being made
                return 0
        return int(number)

    def stop(self, *argv: str, at: str, how: signal.Signals = signal.SIGINT) -> Ran:
        """The command, stopped as soon as it tells of ``at``."""
        pipe = subprocess.PIPE
        running = subprocess.Popen(
            self.argv(*argv), cwd=self.root, env=self.env, stdout=pipe, stderr=pipe
        )
        assert running.stderr
        seen = next((line for line in running.stderr if at.encode() in line), b"")
        running.send_signal(how)
        out, err = running.communicate(timeout=30)
        assert seen, f"it ended before it told of {at}: {err.decode()}"
        return Ran(running.returncode, out.decode(), err.decode())

    def argv(self, *argv: str) -> list[str]:
        return [sys.executable, "-m", "guildmoot", *argv]


@pytest.fixture(autouse=True, scope="session")
def state_of_nobody(tmp_path_factory):
    """Calls that are made in this process leave nothing in the folders of whoever tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def shop(tmp_path, monkeypatch):
    made = Shop(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))  # for verbs that are called in this process
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return made


@pytest.fixture
def make_call(tmp_path: Path) -> Callable[..., Call]:
    """A call of one agent in an empty folder; keywords name fields of the agent or of the call."""
    return partial(call, workdir=str(tmp_path))


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
