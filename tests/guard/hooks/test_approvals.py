"""A person's word: asked for with a nonce, for one call, through a channel that agents have not, until it expires."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading

import pytest

from guildmoot.guard.hooks.approvals import answer_question, list_questions
from hooks_calls import after, before, call, command, environment

LOSS = "git reset --hard"


@pytest.fixture(autouse=True)
def _own_home(home, monkeypatch):
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))


def only(home):
    [found] = list_questions(environment(home))
    return found


def test_a_question_is_asked_once_and_has_a_nonce_that_no_transcript_shows(home, project):
    said = [call(home, before(project, LOSS, use)).out for use in ("a", "b")]
    asked = only(home)
    assert (asked.state, asked.call, asked.tool) == ("waiting", LOSS, "Bash")
    assert len(asked.nonce) == 16
    assert all(asked.nonce not in each for each in said)


def test_a_yes_lets_exactly_this_call_pass_until_it_expires(home, project, tmp_path):
    env = environment(home)
    call(home, before(project, LOSS), "codex")
    answer_question(env, only(home).id, "approved", "ann", "terminal")
    assert call(home, before(project, LOSS, "t9", session_id="other"), "codex").code == 2
    assert call(home, before(project, LOSS, "t9"), "codex") == (0, "", "")
    assert call(home, before(project, f"{LOSS} HEAD~1"), "codex").code == 2
    first = list_questions(env)[-1]
    assert (first.used, first.by, first.channel) == (1, "ann", "terminal")
    answer_question(env, first.id, "approved", "ann", "terminal", hours=-1)
    assert call(home, before(project, LOSS), "codex").code == 2


def test_a_no_stays_a_no(home, project):
    call(home, before(project, LOSS), "codex")
    answer_question(environment(home), only(home).id, "denied", "ann", "terminal")
    assert call(home, before(project, LOSS), "codex").code == 2


def test_an_answer_that_somebody_wrote_into_the_file_is_none(home, project):
    call(home, before(project, LOSS), "codex")
    asked = only(home)
    file = home / ".local/state/guildmoot/guard/approvals.jsonl"
    forged = {
        "kind": "answer",
        "id": asked.id,
        "nonce": asked.nonce,
        "answer": "approved",
        "expires": "9999",
    }
    with file.open("a") as stream:
        stream.write(json.dumps(forged) + "\n")
        stream.write(json.dumps(forged | {"proof": "0" * 64}) + "\n")
    assert call(home, before(project, LOSS), "codex").code == 2


def test_what_the_host_s_own_prompt_led_to_is_put_on_record(home, project):
    call(home, before(project, LOSS, "t5"))
    call(home, after(project, LOSS, {"stdout": ""}, "t5"))
    asked = only(home)
    assert (asked.answer, asked.channel) == ("approved", "claude prompt")
    call(home, before(project, f"{LOSS} HEAD", "t6"))
    call(home, {"hook_event_name": "PermissionDenied", "tool_use_id": "t6", "cwd": str(project)})
    assert list_questions(environment(home))[0].answer == "denied"


def test_waiting_work_goes_on_by_itself_when_it_is_answered(home, project):
    raw = json.dumps(before(project, LOSS)).encode()
    env = environment(home, GUILD_GUARD_WAIT="60")
    waiting = subprocess.Popen(
        command(host="codex"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    )  # fmt: skip
    waiting.stdin.write(raw)
    waiting.stdin.close()
    while not list_questions(environment(home)):
        assert waiting.poll() is None
    answer_question(environment(home), only(home).id, "approved", "ann", "terminal")
    assert waiting.wait(30) == 0
    waiting.stdout.close()
    waiting.stderr.close()


def verb(home, *words, **more):
    return subprocess.run(
        [sys.executable, "-m", "guildmoot", "approvals", *words],
        env=environment(home), capture_output=True, text=True, start_new_session=True, **more,
    )  # fmt: skip


def test_an_answer_needs_a_terminal(home, project):
    call(home, before(project, LOSS), "codex")
    asked = only(home)
    listed = verb(home, "list", "--json")
    assert asked.nonce not in listed.stdout
    assert json.loads(listed.stdout)["approvals"][0]["id"] == asked.id
    done = verb(home, "approve", asked.id, input=f"{asked.nonce[:4]}\n")
    assert (done.returncode, "at a terminal" in done.stderr) == (64, True)
    assert only(home).state == "waiting"


def test_at_a_terminal_the_word_that_is_shown_there_answers(home, project):
    call(home, before(project, LOSS), "codex")
    asked = only(home)
    pid, handle = pty.fork()
    if not pid:
        words = [sys.executable, "-m", "guildmoot", "approvals", "approve", asked.id]
        os.execve(sys.executable, words, environment(home))
    timer = threading.Timer(30, os.kill, (pid, 9))
    timer.start()
    seen = b""
    while b"to approve it: " not in seen:
        try:
            seen += os.read(handle, 1000)
        except OSError:
            pytest.fail(f"it ended before it asked: {seen!r}")
    os.write(handle, seen.rpartition(b"Type ")[2][:4] + b"\n")
    assert os.waitpid(pid, 0)[1] == 0
    timer.cancel()
    assert only(home).state == "approved"
    assert LOSS.encode() in seen


def test_the_report_tells_how_often_a_rule_was_overruled(home, project):
    for use in ("a", "b"):
        call(home, before(project, LOSS, use), "codex")
    call(home, before(project, "rm -rf /"))
    answer_question(
        environment(home), list_questions(environment(home))[-1].id, "approved", "a", "t"
    )
    call(home, before(project, LOSS), "codex")
    words = [sys.executable, "-m", "guildmoot", "guard", "report", "--json"]
    done = subprocess.run(
        words, cwd=project, env=environment(home), capture_output=True, check=True
    )
    rules = {row["code"]: row for row in json.loads(done.stdout)["rules"]}
    asked = next(row for row in rules.values() if row["asked"])
    assert (asked["asked"], asked["approved"], asked["overrides"]) == (2, 1, 1)
    assert sum(row["denied"] for row in rules.values()) == 1


def test_a_yes_counts_once_unless_a_time_is_said(home, project):
    env = environment(home)
    call(home, before(project, LOSS), "codex")
    answer_question(env, only(home).id, "approved", "ann", "terminal")
    assert [call(home, before(project, LOSS), "codex").code for _ in range(2)] == [0, 2]
    asked = list_questions(env)[0]
    assert asked.state == "waiting"
    answer_question(env, asked.id, "approved", "ann", "terminal", hours=1)
    assert [call(home, before(project, LOSS), "codex").code for _ in range(2)] == [0, 0]


@pytest.mark.parametrize(
    "command",
    ["guild approvals approve 1f3a", "guild hosts approve build-1 --yes", "script -qc 'guild approvals approve 1f3a' /dev/null", "python3 drive.py guild approvals approve 1f3a",
     "expect -c 'spawn guild approvals approve 1f3a; expect Type'", "python3 -c 'import pty; pty.spawn([\"guild\",\"approvals\",\"approve\",\"1\"])'",
     "python -m guildmoot approvals approve 1f", "expect <<'E'\nspawn guild approvals deny 1\nE"],
)  # fmt: skip
@pytest.mark.sample(3)
def test_no_agent_answers_through_the_guarded_shell(home, project, command):
    assert call(home, before(project, command), "codex").code == 2


def test_words_about_answers_are_no_answer(home, project):
    for text in (
        "grep -rn 'guild approvals approve' docs",
        "git log -S 'guild approvals approve'",
        "guild approvals",
    ):
        assert call(home, before(project, text)).code == 0


def test_what_an_agent_started_gives_no_answer(home, project, tmp_path):
    call(home, before(project, LOSS), "codex")
    asked = only(home)
    words = [sys.executable, "-m", "guildmoot", "approvals", "approve", asked.id]
    marked = subprocess.run(
        words, env=environment(home, CLAUDECODE="1"), capture_output=True, text=True
    )
    assert (marked.returncode, "from an agent" in marked.stderr) == (64, True)
    agent = tmp_path / "codex"
    agent.write_text(f"#!/bin/sh\n{' '.join(words)}\ntrue\n")
    agent.chmod(0o755)
    inner = subprocess.run([agent], env=environment(home), capture_output=True, text=True)
    assert "codex" in inner.stderr
    assert only(home).state == "waiting"


def test_the_inbox_is_its_owner_s_alone_and_keeps_no_long_call(home, project):
    call(home, before(project, "rm -rf / " + "x" * 50_000))
    file = home / ".local/state/guildmoot/guard/approvals.jsonl"
    assert file.stat().st_mode & 0o077 == 0
    assert file.stat().st_size < 10_000
