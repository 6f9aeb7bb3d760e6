"""A file system that is really full in the middle of a run: it stops, says so, and goes on once there is room."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
MOUNTED = ["unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c"]
STORY = """
import sys
from pathlib import Path
from tests.lifecycle.executions import execute, project, script, starts, states

names = ["T1-copywriter", "T2-seo"]
root = project(Path(sys.argv[1]) / "p", {names[0]: (), names[1]: (names[0],)})
fill = root.parent / "fill"
worker = script(root, T2=[{"sh": f"dd if=/dev/zero of={fill} bs=4k 2>/dev/null"}, {}])
report = execute(root, worker, settings={"work.fence": False})
assert (report.status, report.exit_code) == ("error", 4), report
assert any("No space left" in note or "disk is full" in note for note in report.notes), report
assert states(report)[names[0]] == "done"
fill.unlink()
after = execute(root, script(root))
assert set(states(after).values()) == {"done"}, after
assert starts(root).count("T1-copywriter/1") == 1, starts(root)
"""

STOPPED = """
import subprocess, sys, time
from pathlib import Path
from tests.lifecycle.executions import execute, project, script, start, starts

root = project(Path(sys.argv[1]) / "p", {"T1-copywriter": ()})
fill = root.parent / "fill"
pid = root.parent / "pid"
act = f"echo $$ > {pid}; dd if=/dev/zero of={fill} bs=4k 2>/dev/null; touch {fill}-up; exec sleep 300"
running = start(root, "--worker", script(root, T1={"sh": act}))
while not (root.parent / "fill-up").exists():
    time.sleep(0.05)
words = [sys.executable, "-m", "guildmoot", "stop"]
said = subprocess.run(words, cwd=root, capture_output=True, text=True)
told = " ".join(f"{said.stdout} {said.stderr}".split())
assert (said.returncode, "stop could not be written" in told) == (4, True), told
running.communicate(timeout=60)
assert not Path(f"/proc/{int(pid.read_text())}").exists()
fill.unlink()
assert execute(root, script(root)).status == "done"
"""


def can_mount() -> bool:
    if not shutil.which("unshare"):
        return False
    done = subprocess.run([*MOUNTED, "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    return done.returncode == 0


@pytest.mark.skipif(not can_mount(), reason="nobody may mount a file system here")
@pytest.mark.parametrize("told", [STORY, STOPPED], ids=["by-itself", "by-a-person"])
def test_a_full_file_system_stops_the_run_and_loses_nothing(told: str, tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    story = tmp_path / "story.py"
    story.write_text(told)
    words = f'mount -t tmpfs -o size=90m none {place} && exec "{sys.executable}" {story} {place}'
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": str(root)}
    ran = subprocess.run([*MOUNTED, words], cwd=root, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
