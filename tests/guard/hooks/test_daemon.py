"""The daemon gives the answers of the process, to those who may ask."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from guildmoot.errors import UsageError
from guildmoot.guard.hooks.serve import HookDaemon
from hooks_calls import after, before, call, environment

KEY = "AKIA" + "Q7ZP3XWLM4RT5VNB"


@pytest.fixture
def home():
    """A short one: the path of a socket has few letters."""
    with tempfile.TemporaryDirectory(prefix="g") as place:
        yield Path(place)


@pytest.fixture
def daemon(home, monkeypatch):
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    made = HookDaemon(environment(home))
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    yield made
    made.close()
    thread.join(5)


def post(daemon, event, **headers):
    token = Path(daemon.at.token_file).read_text()
    headers = {"Authorization": f"Bearer {token}", **headers}
    request = urllib.request.Request(daemon.at.url, json.dumps(event).encode(), headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


EVENTS = {
    "allowed": lambda cwd: before(cwd, "ls -la"),
    "denied": lambda cwd: before(cwd, "rm -rf /"),
    "asked": lambda cwd: before(cwd, "git reset --hard"),
    "masked": lambda cwd: after(cwd, "env", {"stdout": KEY}),
    "started": lambda cwd: {"hook_event_name": "SessionStart", "cwd": str(cwd)},
    "malformed": lambda cwd: [],
}


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.sample(3)
def test_both_ways_answer_alike(daemon, home, project, name):
    event = EVENTS[name](project)
    alone = call(home, event)
    asked = call(home, event, socket=daemon.at.socket)
    assert asked == alone


def test_over_http_a_denial_is_json_and_nothing_is_an_empty_object(daemon, project):
    assert post(daemon, before(project, "ls")) == {}
    told = post(daemon, before(project, "rm -rf /"))["hookSpecificOutput"]
    assert told["permissionDecision"] == "deny"
    assert "rm -rf /" in told["permissionDecisionReason"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer wrong"}, {"Authorization": ""}, {"Origin": "http://evil.example"},
        {"Host": "evil.example"},
    ],
)  # fmt: skip
def test_who_does_not_know_the_token_or_comes_from_a_web_page_is_refused(daemon, project, headers):
    with pytest.raises(urllib.error.HTTPError) as wrong:
        post(daemon, before(project, "ls"), **headers)
    wrong.value.close()
    assert wrong.value.code in (401, 403)


def test_the_socket_and_the_token_are_the_users_alone(daemon):
    for path in (daemon.at.socket, daemon.at.token_file):
        assert os.stat(path).st_mode & 0o077 == 0
    assert os.stat(os.path.dirname(daemon.at.socket)).st_mode & 0o077 == 0
    assert daemon.at.url.startswith("http://127.0.0.1:")


def test_a_second_daemon_is_told_of_the_first_and_a_dead_ones_socket_is_taken_over(daemon, home):
    with pytest.raises(UsageError, match="running already"):
        HookDaemon(environment(home))
    daemon.close()
    Path(daemon.at.socket).touch()
    HookDaemon(environment(home)).close()


def test_a_dead_daemon_is_done_without(daemon, home, project):
    daemon.close()
    assert call(home, before(project, "rm -rf /"), socket=daemon.at.socket).code == 2


def test_a_daemon_that_never_answers_is_done_without(home, project, tmp_path):
    import socket

    path = str(tmp_path / "s")
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    raw = json.dumps(before(project, "rm -rf /")).encode()
    start = (
        "import sys; from guildmoot.guard.hooks.entry import main; main(['claude'], sys.argv[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", start, path],
        input=raw, env=environment(home), capture_output=True, check=False,
    )  # fmt: skip
    server.close()
    assert done.returncode == 2
