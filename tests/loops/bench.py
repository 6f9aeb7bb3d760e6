"""A small repository with a project, and the loop run on it from the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import commands
from projects.test_many_writers import git

SLUG = "2026-01-05-tidy"
PLAN = "# Tidy\n\n## Phase 1 — Unused imports\n\n**Goal**: none is left\n**Exit**: ruff is quiet\n"
GREET = "2026-01-07-greet"
GREET_PLAN = "# Greet\n\n## Phase 1 — Words\n\n**Goal**: greets by name\n**Exit**:\n- hello takes a name\n- bye exists\n"
CHECK = """
import sys
sys.path.insert(0, "src")
import special
assert hasattr(special, "os"), "special needs os"
"""
TRANSFORM = f"{Path(sys.executable).parent}/ruff check -q --isolated --select F401 --fix {{files}}"
VERIFY = f"{sys.executable} check.py"
START = "from guildmoot.cli.main import {program}; raise SystemExit({program}())"


def environment(work: Path, **more: str) -> dict[str, str]:
    found = {"PATH": os.environ["PATH"], "HOME": str(work.parent / "home"), "LANG": "C.UTF-8"}
    for role in ("AUTHOR", "COMMITTER"):
        found |= {f"GIT_{role}_NAME": "t", f"GIT_{role}_EMAIL": "t@e"}
    return found | more


def call(work: Path, program: str, *argv: str, **more: str) -> subprocess.CompletedProcess[str]:
    start = ["-c", START.format(program=program), *argv]
    done = commands.run(start, cwd=work, env=environment(work, **more), timeout=300)
    said = (done.stdout.decode(), done.stderr.decode())
    return subprocess.CompletedProcess(done.args, done.returncode, *said)


NO_FENCE = {"GUILD_WORK_FENCE": "false"}
"""Where a command can write to the checkout by an absolute path, as on systems without a fence."""


def loop(work: Path, *more: str, transform: str = TRANSFORM, verify: str = VERIFY, **environ: str):
    return call(
        work, "guild", "loop", "confidence", "tidy", "1", "--pattern=src/*.py", f"--transform={transform}",
        f"--verify={verify}", "--json", "--yes", *more, **environ,
    )  # fmt: skip


def tree(work: Path, commit: str = "HEAD") -> str:
    return git(work, "rev-parse", f"{commit}:src").strip()


def green(work: Path) -> bool:
    return (
        not git(work, "status", "--porcelain")
        and subprocess.run([sys.executable, "-B", "check.py"], cwd=work).returncode == 0
    )
