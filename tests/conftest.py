"""A real repository and a real command line, for tests that act as a user would."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

settings.register_profile("steady", deadline=None)  # a busy machine is no failure
settings.load_profile("steady")


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A suite in the background: whatever it starts would ignore Ctrl-C too, and many tests press it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


class Shop:
    """A git repository of its own, with nobody's settings but its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "shop"
        self.home = folder / "home"
        self.root.mkdir()
        self.home.mkdir()
        self.git("init", "-q", "-b", "main")

    @property
    def env(self) -> dict[str, str]:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
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

    def commit(self, message: str = "change") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def guild(self, *argv: str, stdin: str = "", env: dict[str, str] | None = None) -> Ran:
        done = subprocess.run(
            self.argv(*argv),
            cwd=self.root,
            env={**self.env, **(env or {})},
            input=stdin.encode(),
            capture_output=True,
            timeout=60,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def argv(self, *argv: str) -> list[str]:
        return [sys.executable, "-m", "guildmoot", *argv]


@pytest.fixture
def shop(tmp_path):
    return Shop(tmp_path)
