"""Lanes that meet: conflicts are foreseen, tried and told, and checks say whose fault it is."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest
from tests.lifecycle.executions import execute, git, project, script, starts, states

from guildmoot.api.lifecycle.execution import ask_of_run
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.execution.journal import read_run
from guildmoot.lifecycle.execution.objects.contested import undone_lines
from guildmoot.lifecycle.places import WorkFolder

pytestmark = pytest.mark.slow
TWO = {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)}


def writes(text: str, **more: object) -> dict[str, object]:
    return {"files": {"app/base.py": text}, "modified": ["app/base.py"], **more}


def test_a_lane_that_is_done_again_after_a_conflict_keeps_both_sides(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    again = [writes("BASE = 'two'\n"), writes("BASE = 'one'\nBASE = 'two'\n")]
    report = execute(root, script(root, T1=writes("BASE = 'one'\n"), T2=again))
    assert [(lane.status, lane.attempts) for lane in report.lanes] == [("done", 1), ("done", 2)]
    told = [note for note in report.notes if "conflict" in note]
    assert any("app/base.py was changed on both sides" in note for note in told)
    assert any("both sides hold" in note for note in told)
    assert "both sides hold" in read_run(WorkFolder(root.resolve()), report.run).settled[0]
    sent = root / ".guild" / "runs" / report.run / "attempts" / "T2-sales-2" / "sent-back.md"
    assert "BASE = 'one'" in sent.read_text()
    assert "BASE = 'two'" in sent.read_text()


def test_one_that_erases_the_other_side_is_left_to_a_person_with_both_diffs(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    worker = script(root, T1=writes("BASE = 'one'\n"), T2=writes("BASE = 'two'\n"))
    report = execute(root, worker)
    assert (report.exit_code, states(report)["T2-sales"]) == (3, "conflict")
    assert "`BASE = 'one'`" in report.lanes[1].reason
    assert git(root, "show", f"{report.branch}:app/base.py") == "BASE = 'one'"
    place = root / ".guild" / "runs" / report.run / "attempts" / "T2-sales-2" / "conflict.md"
    assert "+BASE = 'one'" in place.read_text()
    assert "+BASE = 'two'" in place.read_text()
    for verb in ("take-over", "hand-in"):  # a person's word goes before
        asyncio.run(ask_of_run("", ControlRequest(verb, "T2-sales", why="two it is"), root))
    later = execute(root, worker)
    assert later.status == "done", later
    assert git(root, "show", f"{report.branch}:app/base.py") == "BASE = 'two'"
    assert any("solved by a person" in note for note in later.notes)


def test_one_that_says_what_it_dropped_and_why_is_merged_and_that_is_told(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    why = "- dropped `BASE = 'one'`: two replaces it, as the spec says"
    again = [writes("BASE = 'two'\n"), writes("BASE = 'two'\n", assumes=why)]
    report = execute(root, script(root, T1=writes("BASE = 'one'\n"), T2=again))
    assert report.status == "done"
    assert any("its receipt says why" in note for note in report.notes)


@pytest.mark.parametrize(
    ("had", "rows", "gone"),
    [
        (["import a, b"], ["import a, b, c"], []),
        (["  x = 1"], ["    x = 1"], []),
        (["BACKEND"], ["WRITER"], ["BACKEND"]),
        (["limit = 10"], ["limit = 20"], ["limit = 10"]),
        (["", "}"], ["{"], ["}"]),
    ],
)
def test_a_line_holds_by_itself_or_with_more_around_it(
    had: list[str], rows: list[str], gone: list[str]
) -> None:
    assert list(undone_lines([], had, rows).gone) == gone


@pytest.mark.parametrize(
    ("was", "had", "now", "back"),
    [
        (["a = 1", "b = 2"], ["b = 2"], ["  a = 1", "b = 2"], ["a = 1"]),
        (["a = 1", "b = 2"], ["b = 2"], ["b = 2", "a = 10"], []),
        (["a = 1", "a = 1"], ["a = 1"], ["a = 1", "a = 1"], []),
        (["{", "a", "}"], ["a"], ["{", "a", "}"], []),
        (["beta"], ["gamma"], ["gamma", "beta"], ["beta"]),
    ],
)
def test_a_line_that_was_taken_away_is_back_where_it_stands_again(
    was: list[str], had: list[str], now: list[str], back: list[str]
) -> None:
    assert list(undone_lines(was, had, now).back) == back


FIVE = "one = 1\ntwo = 2\nthree = 3\nfour = 4\nfive = 5\n"


@pytest.mark.parametrize("why", ["none", "- `two = 2` is back: five needs it, as the plan says"])
def test_one_that_brings_back_what_the_run_took_away_says_why_or_is_left_to_a_person(
    why: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    (root / "app" / "base.py").write_text(FIVE)
    git(root, "commit", "-qam", "five")
    taken = FIVE.replace("two = 2\n", "").replace("five = 5", "five = 50")
    whole = FIVE.replace("five = 5", "five = 50\nsix = 6")
    again = [writes(FIVE.replace("five = 5", "six = 6")), writes(whole, assumes=why)]
    report = execute(root, script(root, T1=writes(taken), T2=again))
    if why != "none":
        assert report.status == "done"
        assert any("its receipt says why" in note for note in report.notes)
        return
    assert (report.exit_code, states(report)["T2-sales"]) == (3, "conflict")
    assert "taken away is back: `two = 2`" in report.lanes[1].reason
    assert "six" not in git(root, "show", f"{report.branch}:app/base.py")
    place = root / ".guild" / "runs" / report.run / "attempts" / "T2-sales-2" / "conflict.md"
    assert "    two = 2\n" in place.read_text()


def test_a_file_that_the_run_took_away_does_not_come_back_unsaid(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    gone = {"files": {"app/base.py": None, "app/new.py": "NEW = 1\n"}}
    again = [writes("BASE = 'two'\n"), {"files": {"app/base.py": "BASE = 'two'\n"}}]
    report = execute(root, script(root, T1=gone, T2=again))
    assert (report.exit_code, states(report)["T2-sales"]) == (3, "conflict")
    assert "taken away is back: `app/base.py`" in report.lanes[1].reason


def test_a_conflict_is_foreseen_while_an_earlier_lane_is_still_at_work(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": (), "T3-seo": ()})
    mine, again = writes("BASE = 'one'\n"), writes("BASE = 'one'\nBASE = 'two'\n")
    report = execute(
        root, script(root, T1={"sleep": 4}, T2=mine, T3=[writes("BASE = 'two'\n"), again])
    )
    assert report.status == "done"
    journal = root / ".guild" / "runs" / report.run / "execution.jsonl"
    rows = [json.loads(row) for row in journal.read_text().splitlines()]
    told = next(at for at, row in enumerate(rows) if "trial merge" in str(row.get("reason")))
    merged = next(at for at, row in enumerate(rows) if row["event"] == "merged")
    assert told < merged
    assert "conflicts in app/base.py" in rows[told]["reason"]


def test_a_conflict_that_stays_is_left_to_a_person_with_both_diffs(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": (), "T3-seo": ("T2-sales",)})
    mine, theirs = ({"files": {"app/base.py": f"BASE = '{who}'\n"}, "modified": ["app/base.py"]} for who in ("one", "two"))  # fmt: skip
    report = execute(root, script(root, T1=mine, T2=theirs), checks=("! grep -q two app/base.py",))  # fmt: skip
    assert states(report) == {"T1-copywriter": "done", "T2-sales": "failed", "T3-seo": "pending"}
    place = root / ".guild" / "runs" / report.run / "attempts" / "T2-sales-2" / "conflict.md"
    assert str(place) in report.lanes[1].reason
    assert "## What the run has meanwhile" in place.read_text()
    assert "+BASE = 'two'" in place.read_text()


def test_a_conflict_is_resolved_as_one_like_it_was_before(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    for name, text in (("one", "BASE = 'one'\n"), ("two", "BASE = 'two'\n")):
        git(root, "checkout", "-q", "-b", name, "main")
        (root / "app" / "base.py").write_text(text)
        git(root, "commit", "-q", "-am", name)
    git(root, "config", "rerere.enabled", "true")
    git(root, "checkout", "-q", "one")
    subprocess.run(["git", "merge", "-q", "two"], cwd=root, capture_output=True)
    (root / "app" / "base.py").write_text("BASE = 'both'\n")
    git(root, "commit", "-q", "-am", "resolved by a person")
    git(root, "checkout", "-q", "main")
    mine, theirs = ({"files": {"app/base.py": f"BASE = '{who}'\n"}, "modified": ["app/base.py"]} for who in ("one", "two"))  # fmt: skip
    report = execute(root, script(root, T1=mine, T2=theirs))
    assert [(lane.status, lane.attempts) for lane in report.lanes] == [("done", 1), ("done", 1)]
    assert git(root, "show", f"{report.branch}:app/base.py") == "BASE = 'both'"
    assert any("resolved as one like it was before" in note for note in report.notes)


def test_a_lane_behind_a_conflict_waits_until_it_is_solved(tmp_path: Path) -> None:
    root = project(
        tmp_path / "p",
        {"T1-copywriter": (), "T2-sales": (), "T3-seo": ("T1-copywriter", "T2-sales")},
    )
    act = {"files": {"app/base.py": "BASE = 2\n"}, "modified": ["app/base.py"]}
    other = [writes("BASE = 3\n"), writes("BASE = 2\nBASE = 3\n")]
    report = execute(root, script(root, T1=act, T2=other), jobs=1)
    assert report.status == "done", report
    assert any("a trial merge with" in note or "conflict" in note for note in report.notes)
    sent = root / ".guild" / "runs" / report.run / "attempts" / "T2-sales-2" / "sent-back.md"
    assert "fresh worktree" in sent.read_text()


def test_what_was_built_on_refused_work_is_done_anew(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": (), "T3-seo": ("T2-sales",)})
    mine = {"files": {"app/base.py": "BASE = 1.5\n"}, "modified": ["app/base.py"], "sleep": 3}
    other = {
        "files": {"app/base.py": "BASE = 2\n", "app/bad.py": "1\n"},
        "modified": ["app/base.py"],
    }
    better = {"files": {"app/good.py": "1\n"}}
    report = execute(root, script(root, T1=mine, T2=[other, better]))
    assert report.status == "done", report
    assert [lane.attempts for lane in report.lanes] == [1, 2, 2]
    names = set(git(root, "log", "--format=", "--name-only", report.branch).split())
    assert names == {"app/base.py", "app/good.py", "app/t3-seo.py"}


def test_checks_that_fail_before_anything_is_done_are_a_persons_to_decide(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    worker = script(root, T2={"files": {"app/mended.py": "1\n"}})
    checks = ("test -e app/mended.py", "test -e app/base.py")
    report = execute(root, worker, checks=checks)
    assert (report.status, report.exit_code, starts(root)) == ("undecided", 3, [])
    assert any("`test -e app/mended.py` ended with exit code 1" in note for note in report.notes)
    (root / "app" / "more.py").write_text("1\n")
    git(root, "add", "-A", "app")
    git(root, "commit", "-q", "-m", "more")
    sure = execute(root, worker, checks=checks, sure=True)
    assert states(sure) == {"T1-copywriter": "done", "T2-sales": "done"}, sure
    git(
        root, "cat-file", "-e", f"{sure.branch}:app/more.py"
    )  # what was committed before it began is part of it
    place = root / ".guild" / "runs" / sure.run / "attempts" / "T1-copywriter-1"
    told = json.loads((place / "dispatch.json").read_text())
    assert told["baseline"] == {"checks": list(checks), "failing": [checks[0]]}
    assert "`test -e app/mended.py` fails already there" in (place / "bundle.md").read_text()
    assert read_run(WorkFolder(root), sure.run).red == ()


def test_a_check_that_fails_after_a_merge_sends_the_lane_back(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    worker = script(
        root, T2=[{"files": {"app/t2.py": "bad\n"}}, {"files": {"app/t2.py": "good\n"}}]
    )
    report = execute(root, worker, checks=("! grep -rq bad app",))
    assert [(lane.status, lane.attempts) for lane in report.lanes] == [("done", 1), ("done", 2)]
    assert git(root, "show", f"{report.branch}:app/t2.py") == "good"
