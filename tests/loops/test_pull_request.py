"""The pull request at the end: opened or refreshed through gh, within limits, and the phase waits for its merge."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from guildmoot.errors import UsageError
from guildmoot.loops.close import should_checkpoint
from guildmoot.loops.throttle import PullLimits, is_quiet, read_quiet_hours, read_rate, why_not_now
from loops.bench import TRANSFORM, VERIFY, call
from projects.test_many_writers import git

GH = """#!/bin/sh
echo "$@" >> "$GH_STATE/asked"
case "$1 $2" in
  "pr view") [ -e "$GH_STATE/pr" ] || { echo 'no pull requests found' >&2; exit 1; }
    printf '{"number": 7, "url": "https://example.org/o/r/pull/7", "body": "", "state": "%s", "mergedAt": null}' "$(cat "$GH_STATE/pr")";;
  "pr create") echo OPEN > "$GH_STATE/pr"; echo https://example.org/o/r/pull/7;;
  "pr edit") ;;
  "pr list") cat "$GH_STATE/list" 2>/dev/null || echo '[]';;
esac
"""


@pytest.fixture
def hosted(work):
    """The repository has a remote, and gh answers for it."""
    (work.parent / "bin").mkdir()
    gh = work.parent / "bin" / "gh"
    gh.write_text(GH)
    gh.chmod(0o755)
    git(work.parent, "init", "-q", "--bare", "remote.git")
    git(work, "remote", "add", "origin", str(work.parent / "remote.git"))
    git(work, "push", "-q", "-u", "origin", "main")
    return work


def loop(work, *more: str):
    import os

    path = f"{work.parent / 'bin'}:{os.environ['PATH']}"
    words = ("loop", "confidence", "tidy", "1", "--pattern=src/*.py", f"--transform={TRANSFORM}",
             f"--verify={VERIFY}", "--json", "--yes", *more)  # fmt: skip
    ran = call(work, "guild", *words, PATH=path, GH_STATE=str(work.parent))
    return json.loads(ran.stdout)


def asked(work) -> list[str]:
    return (work.parent / "asked").read_text().splitlines()


def test_at_the_end_the_pull_request_is_opened_and_the_phase_stays_in_progress(hosted):
    told = loop(hosted)
    assert (told["status"], told["pull_request"]["url"]) == (
        "completed",
        "https://example.org/o/r/pull/7",
    )
    (made,) = [line for line in asked(hosted) if line.startswith("pr create")]
    assert "--head tidy.unused-imports --base main" in made
    assert "--draft" not in made
    body = (hosted / told["pull_request"]["body_file"]).read_text()
    assert "src/special.py" in body
    assert "loom-pr-checkins: 01,02" in body
    pushed = git(hosted.parent / "remote.git", "rev-parse", "tidy.unused-imports")
    assert pushed == git(hosted, "rev-parse", "HEAD")
    phases = json.loads(call(hosted, "loom", "project", "read", "tidy").stdout)["phases"]
    assert phases[0]["status"] == "in-progress"


@pytest.mark.slow  # several whole loops
def test_run_again_it_is_refreshed_and_once_merged_the_phase_may_be_completed(hosted):
    loop(hosted, "--draft")
    assert "--draft" in next(line for line in asked(hosted) if line.startswith("pr create"))
    told = loop(hosted)
    assert told["pull_request"]["note"] == "refreshed"
    assert any(line.startswith("pr edit 7") for line in asked(hosted))
    (hosted.parent / "pr").write_text("MERGED")
    told = loop(hosted)
    assert (told["status"], "merged" in told["reason"]) == ("completed", True)
    assert told["next_action"] == "loom phase update 2026-01-05-tidy 1 --status=completed"


@pytest.mark.slow
def test_no_more_are_open_than_may_be_and_the_command_for_later_is_told(hosted):
    (hosted.parent / "list").write_text(json.dumps([{"number": n} for n in range(3)]))
    told = loop(hosted, "--max-open=3")
    assert (told["status"], told["pull_request"]["url"]) == ("completed", None)
    assert "3 of yours are open" in told["pull_request"]["note"]
    assert "later, which opens it: guild loop confidence tidy 1 " in told["next_action"]
    assert not any(line.startswith("pr create") for line in asked(hosted))
    assert loop(hosted, "--max-open=4")["pull_request"]["note"] == "opened"


@pytest.mark.slow  # several whole loops
def test_the_rate_holds_over_runs(hosted):
    loop(hosted, "--rate=1/h")
    (hosted.parent / "pr").unlink()
    told = loop(hosted, "--rate=1/h")
    assert "the rate is used up" in told["pull_request"]["note"]
    assert loop(hosted, "--rate=2/h")["pull_request"]["note"] == "opened"


def test_without_being_asked_to_nothing_leaves(hosted):
    told = loop(hosted, "--no-pr")
    assert (told["status"], told["pull_request"]) == ("completed", None)
    assert (
        not any(line.startswith("pr create") for line in asked(hosted))
        if (hosted.parent / "asked").exists()
        else True
    )
    assert "tidy" not in git(hosted.parent / "remote.git", "branch", "--list")


def test_a_push_that_fails_is_told_and_the_work_stays(hosted):
    git(hosted, "remote", "set-url", "origin", str(hosted.parent / "nowhere.git"))
    told = loop(hosted)
    assert (told["status"], told["pull_request"]["url"]) == ("completed", None)
    assert "push failed" in told["pull_request"]["note"]
    assert len(told["landed"]) == 5


# The rules.


@given(some.integers(0, 23), some.integers(0, 23), some.integers(0, 23))
def test_quiet_hours_and_the_hours_between_them_share_nothing(start, end, hour):
    if start != end:
        assert is_quiet((start, end), hour) is not is_quiet((end, start), hour)


NOW = datetime(2026, 1, 5, 12, 0)


@given(
    some.lists(some.integers(0, 7200), max_size=12), some.integers(1, 5), some.integers(60, 3600)
)
def test_never_more_than_the_rate_within_its_time(ages, count, seconds):
    opened = [NOW - timedelta(seconds=age) for age in ages]
    recent = sum(age < seconds for age in ages)
    said = why_not_now(PullLimits((count, seconds)), NOW, opened, 0)
    assert bool(said) is (recent >= count)


def test_limits_are_read_and_slips_are_told():
    assert (read_rate("5/h"), read_rate("2/30m")) == ((5, 3600), (2, 1800))
    assert read_quiet_hours("22-07") == (22, 7)
    for reader, words in (
        (read_rate, ("5", "0/h", "x/h", "5/week")),
        (read_quiet_hours, ("22", "7-7", "25-3")),
    ):
        for word in words:
            with pytest.raises(UsageError):
                reader(word)
    assert why_not_now(PullLimits(quiet=(22, 7)), NOW.replace(hour=23), [], 0).endswith("07:00 on")


def test_a_checkpoint_is_due_after_a_tier_or_five_units_and_never_on_red():
    assert should_checkpoint(True, 0, green=True)
    assert should_checkpoint(False, 5, green=True)
    assert not should_checkpoint(False, 4, green=True)
    assert not should_checkpoint(True, 9, green=False)
