"""No daemon: when a command about the memory or a trace has ended, no process is left, and no model was asked."""

from __future__ import annotations

import json
import os
import sys
from uuid import uuid4

import pytest

from hooks_calls import command

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def marked(mark):
    """Every process that was started with the mark in its environment, by its number."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                held = mark.encode() in file.read()
            with open(f"/proc/{name}/stat", "rb") as file:
                gone = file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
        except OSError:
            continue
        if held and not gone:
            found.append(int(name))
    return found


COMMANDS = (
    ("wiki", "ingest", "docs", "--category", "source"),
    ("wiki", "query", "cache", "--json"),
    ("wiki", "promote", "caching"),
    ("wiki", "brief"),
    ("wiki", "lint", "--no-report"),
    ("decide", "Which cache?", "--answer", "redis", "--significance", "high"),
    ("trace", "runs"),
)


@pytest.mark.slow
def test_nothing_is_left_running_and_no_money_is_spent(shop, wait_until):
    shop.write(
        "docs/caching.md", "# Caching\n\nThe cache is cleared by the janitor job at night.\n"
    )
    shop.commit()
    mark = f"mark-{uuid4()}"
    for words in COMMANDS:
        for index in ("off", "on"):
            env = {"GUILD_MARK": mark, "GUILD_INDEX": index, "GUILD_WIKI_THRESHOLD": "0"}
            assert shop.guild(*words, env=env).code in (0, 3, 64), words
            assert marked(mark) == [], words
    assert not (shop.root / ".guild/ledger.sqlite3").exists()


@pytest.mark.slow
def test_a_batch_that_stays_for_many_questions_ends_with_its_input(shop):
    import subprocess

    shop.write(
        "docs/caching.md", "# Caching\n\nThe cache is cleared by the janitor job at night.\n"
    )
    shop.commit()
    shop.guild("wiki", "ingest", "docs", "--category", "source")
    mark = f"mark-{uuid4()}"
    batch = subprocess.Popen(
        shop.argv("wiki", "query", "--batch", "-"), cwd=shop.root, env={**shop.env, "GUILD_MARK": mark},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    batch.stdin.write(b"janitor\n")
    batch.stdin.flush()
    assert json.loads(batch.stdout.readline())["results"]
    assert marked(mark) == [batch.pid]  # it alone, and the mark can be seen
    batch.communicate(timeout=20)
    assert batch.returncode == 0
    assert marked(mark) == []


@pytest.mark.slow
def test_a_session_that_starts_leaves_no_process(shop, wait_until):
    import subprocess

    shop.write(
        "docs/caching.md", "# Caching\n\nThe cache is cleared by the janitor job at night.\n"
    )
    shop.commit()
    shop.guild("wiki", "ingest", "docs", "--category", "source")
    (shop.root / ".guild/runs/run-1").mkdir(parents=True)
    mark = f"mark-{uuid4()}"
    event = {"hook_event_name": "SessionStart", "cwd": str(shop.root), "source": "startup"}
    subprocess.run(
        command(), input=json.dumps(event).encode(), check=True, capture_output=True, cwd=shop.root,
        env={**shop.env, "GUILD_MARK": mark, "GUILD_RUN_ID": "run-1"},
    )  # fmt: skip
    wait_until(lambda: not marked(mark))
