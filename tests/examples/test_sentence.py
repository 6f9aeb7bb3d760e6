"""The example that goes from a sentence to a merged branch, with scripted specialists."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "sentence" / "sentence.py"
pytestmark = pytest.mark.slow  # about fifteen commands


def test_a_sentence_becomes_a_branch_whose_acceptance_tests_pass(tmp_path):
    words = [sys.executable, str(SCRIPT), "--json", "--work", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert {lane["task"]: lane["status"] for lane in told["lanes"]} == {"T1-backend": "done", "T2-qa": "done"}  # fmt: skip
    assert told["verify"] == "PASS"
    assert all(each.endswith(": pass") for each in told["checks"])
    log = ["git", "log", "--format=%B", "main"]
    messages = subprocess.run(log, cwd=tmp_path / "links", capture_output=True, text=True).stdout
    assert "Guild-Lane: T1-backend" in messages
    assert "Guild-Lane: T2-qa" in messages
