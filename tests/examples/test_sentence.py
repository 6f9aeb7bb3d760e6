"""The example that goes from a sentence to a merged branch, with scripted specialists and with the real clients."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from guildmoot.backends.programs import clients_folder, find_client

SCRIPT = Path(__file__).parents[2] / "examples" / "sentence" / "sentence.py"
pytestmark = pytest.mark.slow  # about fifteen commands
INSTALLED = str(clients_folder(os.environ))
CLIENTS = ("claude", "codex", "gemini")
TWO = {"T1-backend": "done", "T2-qa": "done"}
WITH_CLIENTS = pytest.param(
    ("--clients",), TWO | {"T3-technical-writer": "done"}, id="clients",
    marks=pytest.mark.skipif(
        not all(find_client(client, os.environ) for client in CLIENTS),
        reason="claude, codex and gemini are not installed; scripts/clients installs them",
    ),
)  # fmt: skip


@pytest.mark.parametrize(("how", "lanes"), [pytest.param((), TWO, id="scripted"), WITH_CLIENTS])
def test_a_sentence_becomes_a_branch_whose_acceptance_tests_pass(how, lanes, tmp_path):
    words = [sys.executable, str(SCRIPT), "--json", "--work", str(tmp_path), *how]
    env = {**os.environ, "GUILD_CLIENTS": INSTALLED}
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert {lane["task"]: lane["status"] for lane in told["lanes"]} == lanes
    assert told["verify"] == "PASS"
    assert all(each.endswith(": pass") for each in told["checks"])
    log = ["git", "log", "--format=%B", "main"]
    messages = subprocess.run(log, cwd=tmp_path / "links", capture_output=True, text=True).stdout
    assert all(f"Guild-Lane: {task}" in messages for task in lanes)
