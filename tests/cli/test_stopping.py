"""Ctrl-C at several moments of a real run: it ends soon, says what became of it, and leaves no files behind."""

import os
import signal
import subprocess
import time

import pytest

SOON = 20.0
"""Seconds on a machine however busy, where the slow judge takes 60; benchmarks/speed.py holds how soon it is."""

SLOW = """---
name: slow
description: takes its time
backend: tool
command: [sleep, "60"]
format: lines
pattern: '(?P<path>[^:]+):(?P<line>\\d+):(?P<message>.*)'
exit_codes: {0: clean}
---
"""


@pytest.fixture
def many(shop):
    for number in range(300):
        shop.write(f"package{number % 60}/module{number}.py", f"VALUE = {number}\n" * 50)
    shop.commit("many files")
    return shop


def stopped(shop, *argv, at, later=0.0):
    """The exit code, what was printed, and the seconds from the signal to the end."""
    scratch = shop.home / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        shop.argv("validate", *argv),
        cwd=shop.root,
        env={**shop.env, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with process:
        seen = b""
        while at.encode() not in seen:
            more = os.read(process.stderr.fileno(), 4096)
            assert more, seen.decode()
            seen += more
        time.sleep(later)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        took = time.monotonic() - began
    assert not list(scratch.iterdir()), "files are left"
    return process.returncode, out.decode(), (seen + err).decode(), took


@pytest.mark.parametrize("later", [0.0, 0.05, 0.2])
def test_while_files_are_collected_nothing_was_judged(many, later):
    code, out, said, took = stopped(many, ".", at="reading what is to be judged", later=later)
    assert took < SOON
    if code == 0:  # a fast machine has done by then
        assert later > 0
        assert "APPROVED" in out
    else:
        assert code == 130
        assert "stopped" in said + out  # it may have got as far as the judges
        assert "APPROVED" not in out


def test_while_a_tool_runs_the_others_answers_are_told(many):
    many.agent("slow.md", SLOW)
    code, out, _said, took = stopped(many, ".", "--add", "slow", at="[1/")
    assert code == 130
    assert "INTERRUPTED" in out
    assert took < SOON


def test_when_all_have_answered_the_verdict_or_nothing_is_told(many):
    code, out, said, took = stopped(many, ".", at="[3/3]")
    assert (code == 0 and "APPROVED" in out) or (code == 130 and "APPROVED" not in said)
    assert took < SOON


@pytest.mark.slow
def test_when_all_have_answered_nobody_waits_for_the_verdict_which_is_made_later(many):
    for number in range(10):  # so much to weigh that it takes longer than the moment that is waited
        many.write(f"odd{number}.py", "".join(f"x{n} = undefined_{n}\n" for n in range(300)))
    many.commit("odd files")
    code, out, said, _took = stopped(many, ".", at="[3/3]")
    assert (code, out, "stopped when all had answered" in said) == (130, "", True), said
    again = many.guild("resume", "last", "--json")
    assert (again.code, again.json["verdict"]) == (0, "approved")
