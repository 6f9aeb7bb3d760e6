"""Folders of runs that were killed go with a later run."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from guildmoot.system.scratch import sweep


def test_what_a_killed_run_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    names = {
        "dead": f"guildmoot-{gone.pid}-abc",
        "alive": f"guildmoot-{os.getpid()}-abc",
        "other": "guildmoot-abc",
        "young": f"guildmoot-{gone.pid}-young",
    }
    for name in names.values():
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
        if name != names["young"]:
            os.utime(tmp_path / name, (0, time.time() - 90_000))
    (tmp_path / f"guildmoot-{gone.pid}-link").symlink_to(tmp_path / names["alive"])
    sweep(str(tmp_path))
    left = {each.name for each in tmp_path.iterdir()}
    assert left == {*names.values(), f"guildmoot-{gone.pid}-link"} - {names["dead"]}
