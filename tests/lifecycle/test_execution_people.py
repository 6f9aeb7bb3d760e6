"""A person looks into a run and steps in."""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lifecycle.executions import (
    SLUG,
    approve_plan,
    execute,
    git,
    project,
    script,
    start,
    starts,
    states,
)

from guildmoot.api.lifecycle.execution import ask_of_run
from guildmoot.api.lifecycle.proof import review_lanes, verify_work
from guildmoot.api.lifecycle.questions import open_questions
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.execution.journal import read_run
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.proof.commits import lane_files
from guildmoot.lifecycle.work_runs import latest_run

pytestmark = pytest.mark.slow
TWO = {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)}
ONE = {"T1-copywriter": ()}
GUILD = (sys.executable, "-m", "guildmoot")


def asks(root: Path, verb: str, task: str, why: str = "", *places: str) -> None:
    asyncio.run(ask_of_run("", ControlRequest(verb, task, "", why, places), root))  # type: ignore[arg-type]


def test_a_person_skips_a_lane_that_failed_and_what_waits_for_it_goes_on(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    report = execute(root, script(root, T1={"crash": 1}))
    assert report.exit_code == 2
    (waits,) = asyncio.run(open_questions(root))
    assert (waits.task, waits.text.partition(":")[0]) == ("T1-copywriter", "failed")
    asks(root, "skip", "T1-copywriter", "not needed")
    after = execute(root)
    assert (after.status, states(after)) == (
        "done", {"T1-copywriter": "skipped", "T2-seo": "done"}
    )  # fmt: skip
    assert "not needed" in after.lanes[0].reason
    assert len(starts(root)) == 2


def test_a_person_takes_a_lane_over_and_hands_it_in_or_gives_it_back_as_it_is(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", {**ONE, "T2-sales": ()})
    worker = script(root, T1={"crash": 1, "files": {}}, T2=[{"crash": 1}, {}])
    run = execute(root, worker).run
    place = root / ".guild" / "worktrees" / run
    for task, name in (("T1-copywriter", "hand.py"), ("T2-sales", "begun.py")):
        asks(root, "take-over", task)
        (place / task / "app" / name).write_text("BY = 'a person'\n")
    asks(root, "hand-in", "T1-copywriter", "written by hand")
    asks(root, "retry", "T2-sales", "go on from there")
    report = execute(root)
    assert states(report) == {"T1-copywriter": "done", "T2-sales": "done"}, report
    assert sorted(starts(root)) == ["T1-copywriter/1", "T2-sales/1", "T2-sales/2"]
    names = git(root, "ls-tree", "-r", "--name-only", report.branch).split()
    assert names == ["app/base.py", "app/begun.py", "app/hand.py", "app/t2-sales.py"]
    assert "written by hand" in git(root, "log", "--format=%s", report.branch)


def test_work_of_a_person_is_judged_by_what_they_did_not_by_the_receipt_of_the_worker_before(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", ONE)
    lie = {"claims": ["app/t1-copywriter.py", "app/never.py"]}
    run = execute(root, script(root, T1=lie)).run
    assert lane(root, "take-over", "T1-copywriter").returncode == 0
    place = root / ".guild" / "worktrees" / run / "T1-copywriter"
    (place / "app" / "t1-copywriter.py").write_text("BY = 'a person'\n")
    (place / ".guild").mkdir(exist_ok=True)
    (place / ".guild" / "mine.txt").write_text("not allowed\n")
    assert lane(root, "hand-in", "T1-copywriter").returncode == 0
    (refused,) = execute(root).lanes
    assert (refused.status, refused.reason.partition(",")[0]) == (
        "blocked", ".guild/mine.txt was changed"
    ), refused  # fmt: skip
    assert refused.answer == "guild lane hand-in T1-copywriter"
    (waits,) = asyncio.run(open_questions(root))
    assert waits.command.startswith(refused.answer)
    (place / ".guild" / "mine.txt").unlink()
    assert lane(root, "hand-in", "T1-copywriter").returncode == 0
    report = execute(root)
    assert states(report) == {"T1-copywriter": "done"}, report
    assert git(root, "show", f"{report.branch}:app/t1-copywriter.py") == "BY = 'a person'"
    attempts = root / ".guild" / "runs" / run / "attempts"
    (aside,) = attempts.glob("*/by-worker.md")
    assert "app/never.py" in aside.read_text()


def test_work_of_a_person_outlives_a_worker_that_does_the_lane_once_more(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    run = execute(root, script(root, T1=[{"crash": 1}, {}])).run
    asks(root, "take-over", "T1-copywriter")
    file = root / ".guild" / "worktrees" / run / "T1-copywriter" / "app" / "t1-copywriter.py"
    file.write_text("BY = 'a person'\n")
    asks(root, "hand-in", "T1-copywriter")
    asks(root, "retry", "T1-copywriter")
    report = execute(root)
    assert states(report) == {"T1-copywriter": "done"}, report
    assert git(root, "show", f"{report.branch}:app/t1-copywriter.py") == "DONE = 'T1-copywriter'"
    kept = f"refs/guild/{run}/left/T1-copywriter-1-person"
    assert git(root, "show", f"{kept}:app/t1-copywriter.py") == "BY = 'a person'"
    assert any(kept in note for note in report.notes)


def test_worktrees_are_taken_away_on_request_and_what_was_in_them_is_kept(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    run = execute(root, script(root, T1={"crash": 1})).run
    words = [sys.executable, "-m", "guildmoot", "stop", "--clean", "--json"]
    ran = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    (kept,) = json.loads(ran.stdout)["kept"]
    assert git(root, "show", f"{kept}:app/t1-copywriter.py") == "DONE = 'T1-copywriter'"
    assert not (root / ".guild" / "worktrees" / run).exists()
    asks(root, "retry", "T1-copywriter")
    assert execute(root, script(root)).status == "done"


def test_a_person_lets_a_lane_change_more_than_the_plan_says(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE, T1="Pages below app/.")
    report = execute(root, script(root, T1={"files": {"docs/x.md": "1\n"}}))
    assert "outside of the lane's scope" in report.lanes[0].reason
    assert report.lanes[0].answer == "guild lane allow T1-copywriter docs/x.md --why WHY"
    asks(root, "allow", "T1-copywriter", "the interface changed", "docs/")
    after = execute(root)
    assert after.status == "done", after
    assert len(starts(root)) == 2, "it was sent back once, and not done anew after that"
    (said,) = read_run(WorkFolder(root), after.run).clarified
    assert said.startswith("T1-copywriter may also change docs/: the interface changed (by")


CHECKED = "from app.base import BASE\n\n\ndef test_base():\n    assert BASE == 1\n"


@pytest.mark.parametrize("way", ["the test", "the settings"])
def test_tests_are_made_weaker_with_a_persons_word_alone_and_the_review_tells_it(
    way: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "p", ONE)
    file, text = {
        "the test": ("tests/test_base.py", "def test_base():\n    pass\n"),
        "the settings": ("pytest.ini", "[pytest]\naddopts = --co\n"),
    }[way]
    (root / "tests").mkdir()
    (root / "tests" / "test_base.py").write_text(CHECKED)
    git(root, "add", "tests")
    git(root, "commit", "-q", "-m", "a test")
    act = {"files": {file: text}, "modified": [file] if way == "the test" else []}
    first = execute(root, script(root, T1=act))
    assert (first.status, states(first)) == ("undecided", {"T1-copywriter": "blocked"})
    assert first.lanes[0].reason.startswith(f"what judges the work is made weaker: {file}: ")
    (waits,) = asyncio.run(open_questions(root))
    assert waits.command == f"guild lane allow T1-copywriter {file} --why WHY --run {SLUG}"
    words = [each.replace("WHY", "the base moves") for each in shlex.split(waits.command)]
    inbox = subprocess.run([*GUILD, "approvals"], cwd=root, capture_output=True, text=True).stdout
    assert waits.command in inbox
    assert " ".join(waits.text.split()) in " ".join(inbox.split()), "told whole"
    allowed = subprocess.run([*GUILD, *words[1:]], cwd=root, check=False)
    assert allowed.returncode == 0
    after = execute(root)
    assert (after.status, after.lanes[0].attempts) == ("done", 1)
    assert starts(root) == ["T1-copywriter/1"], "what it handed over is judged again, not made anew"
    found = asyncio.run(review_lanes(SLUG, root))
    assert found.verdict == "pass"
    assert any(each.startswith(f"a person allowed: {file}: ") for each in found.lanes[0].followups)
    done = asyncio.run(verify_work(SLUG, root, accepted=True))
    assert any("a person allowed: " in each for each in done.checks[1].evidence), done


def test_a_lane_that_asks_for_two_places_waits_for_both_and_then_is_judged_as_it_is_now(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", ONE)
    (root / "tests").mkdir()
    names = ("tests/test_base.py", "tests/test_more.py")
    for name in names:
        (root / name).write_text(CHECKED)
    git(root, "add", "tests")
    git(root, "commit", "-q", "-m", "tests")
    weak = "def test_base():\n    pass\n"
    act = {"files": dict.fromkeys(names, weak), "modified": list(names)}
    run = execute(root, script(root, T1=act)).run
    first = lane(root, "allow", "T1-copywriter", names[0], "--why", "it moves")
    assert f"it asks for more: guild lane allow T1-copywriter {names[1]}" in first.stdout
    report = execute(root)
    assert (states(report), report.lanes[0].answer) == (
        {"T1-copywriter": "blocked"}, f"guild lane allow T1-copywriter {names[1]} --why WHY"
    )  # fmt: skip
    worktree = root / ".guild" / "worktrees" / run / "T1-copywriter"
    (worktree / names[1]).write_text("def test_base():\n    ...\n")
    second = lane(root, "allow", "T1-copywriter", names[1], "--why", "it moves")
    assert "what it handed over is judged again" in second.stdout
    changed = execute(root)
    assert states(changed) == {"T1-copywriter": "blocked"}, "its receipt is of other content"
    assert names[1] in changed.lanes[0].reason
    assert changed.lanes[0].answer.startswith("guild lane retry T1-copywriter")
    assert starts(root) == ["T1-copywriter/1"]


def test_what_is_allowed_while_others_are_at_work_is_judged_and_merged_at_once(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", {**ONE, "T2-sales": ()})
    (root / "tests").mkdir()
    (root / "tests" / "test_base.py").write_text(CHECKED)
    git(root, "add", "tests")
    git(root, "commit", "-q", "-m", "a test")
    run, go = latest_run(WorkFolder(root), SLUG), tmp_path / "go"
    weak = {"files": {"tests/test_base.py": "def test_base():\n    pass\n"}}
    waits = {"sh": f"while ! [ -e {go} ]; do sleep 0.05; done"}
    worker = script(root, T1={**weak, "modified": ["tests/test_base.py"]}, T2=waits)
    running = start(root, "--worker", worker)

    def status() -> list[str]:
        return [each.status for each in read_run(WorkFolder(root), run).lanes][:1]

    until(lambda: status() == ["blocked"])
    assert lane(root, "allow", "T1-copywriter", "tests", "--why", "it moves").returncode == 0
    until(lambda: status() == ["done"])
    go.touch()
    told = json.loads(running.communicate(timeout=60)[0])
    assert [each["status"] for each in told["lanes"]] == ["done", "done"], told
    assert sorted(starts(root)) == ["T1-copywriter/1", "T2-sales/1"]


def test_a_plan_that_changes_in_the_middle_takes_over_the_lanes_that_it_leaves_alone(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", TWO)
    first = execute(root, script(root, T2={"crash": 1}))
    assert states(first) == {"T1-copywriter": "done", "T2-seo": "failed"}
    folder = WorkFolder(root.resolve())
    plan = folder.plan(SLUG).read_text()
    head, _, tail = plan.rpartition("Pages and storage.")
    folder.plan(SLUG).write_text(f"{head}Pages, storage and a summary.{tail}")
    approve_plan(folder)
    second = execute(root, script(root))
    assert second.run != first.run
    assert states(second) == {"T1-copywriter": "done", "T2-seo": "done"}
    assert starts(root) == ["T1-copywriter/1", "T2-seo/1", "T2-seo/1"]
    assert git(root, "show", f"{second.branch}:app/t1-copywriter.py") == "DONE = 'T1-copywriter'"
    assert lane_files(root, read_run(folder, second.run).base, second.tip, second.run) == {
        "T1-copywriter": ("app/t1-copywriter.py",), "T2-seo": ("app/t2-seo.py",)
    }  # fmt: skip
    (said,) = read_run(folder, second.run).clarified
    assert said == f"the plan changed after {first.run}: T1-copywriter taken over from it"


THREE = {"T1-copywriter": (), "T2-seo": ("T1-copywriter",), "T3-sales": ()}


def replan(folder: WorkFolder, task: str, before: str, behind: str) -> None:
    text = folder.plan(SLUG).read_text()
    at = text.index(f"- task-id: {task}")
    folder.plan(SLUG).write_text(text[:at] + text[at:].replace(before, behind, 1))
    approve_plan(folder)


def test_a_run_at_its_end_is_done_again_only_where_the_plan_changed(tmp_path: Path) -> None:
    root = project(tmp_path / "p", THREE)
    folder = WorkFolder(root.resolve())
    clash = {"files": {"app/base.py": "BASE = 1\nBASE = 'two'\n"}, "modified": ["app/base.py"]}
    both = {**clash, "files": {"app/base.py": "BASE = 'one'\nBASE = 'two'\n"}}
    one = {"files": {"app/base.py": "BASE = 'one'\n"}, "modified": ["app/base.py"]}
    worker = script(root, T1=one, T2={}, T3=[clash, both])
    first = execute(root, worker)
    assert [lane.attempts for lane in first.lanes] == [1, 1, 2]
    replan(folder, "T2-seo", "Pages and storage.", "Pages, storage and a summary.")
    second = execute(root, worker)
    assert (second.run != first.run, second.status) == (True, "done")
    assert starts(root)[4:] == ["T2-seo/1"]
    assert git(root, "show", f"{second.branch}:app/base.py") == "BASE = 'one'\nBASE = 'two'"
    git(root, "merge", "-q", second.branch)
    replan(folder, "T2-seo", "a summary.", "two summaries.")
    other = {f"T{n}": {"files": {f"app/new{n}.py": "1\n"}} for n in (1, 2, 3)}
    assert execute(root, script(root, **other)).status == "done"
    assert len(starts(root)) == 8  # what is on the user's branch is no run in the middle


def test_what_a_changed_lane_did_is_in_no_lane_that_is_taken_over(tmp_path: Path) -> None:
    lanes = {"T1-copywriter": (), "T2-seo": ()}
    root = project(tmp_path / "p", lanes, T1="Pages in `app/`.", T2="Titles in `app/`.")
    folder = WorkFolder(root.resolve())
    execute(root, script(root, T1={"files": {"app/old.py": "OLD = 1\n"}}, T2={}))
    replan(folder, "T1-copywriter", "Pages in `app/`.", "Other pages in `app/`.")
    second = execute(root, script(root, T1={"files": {"app/new.py": "NEW = 1\n"}}))
    assert (second.status, starts(root)[2:]) == ("done", ["T1-copywriter/1"])
    names = set(git(root, "ls-tree", "--name-only", second.branch, "app/").split())
    assert names == {"app/base.py", "app/new.py", "app/t2-seo.py"}


def test_what_the_spec_says_anew_is_for_every_lane(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-seo": ()})
    folder = WorkFolder(root.resolve())
    execute(root, script(root, T2={"crash": 1}))
    folder.spec(SLUG).write_text(folder.spec(SLUG).read_text().replace("SQLite", "PostgreSQL"))
    replan(folder, "T2-seo", "Pages and storage.", "Pages, storage and a summary.")
    assert execute(root, script(root)).status == "done"
    assert sorted(starts(root)[2:]) == ["T1-copywriter/1", "T2-seo/1"]


def test_what_a_person_said_of_a_lane_holds_in_the_run_of_a_changed_plan(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {**ONE, "T2-seo": ()}, T1="Pages in `app/`.", T2="Pages in `web/`.")  # fmt: skip
    files = {"app/t1.py": "A = 1\n", "docs/guide.md": "# Guide\n"}
    first = execute(root, script(root, T1={"files": files}, T2={"crash": 1}))
    assert set(states(first).values()) == {"failed"}
    folder = WorkFolder(root.resolve())
    plan = folder.plan(SLUG).read_text()
    folder.plan(SLUG).write_text(plan.replace("Pages in `web/`.", "Pages in `app/`, a summary."))
    for task in states(first):  # said before anything of the new plan was begun
        ask_of = ControlRequest("allow", task, "", "it may", ("docs/",))
        asyncio.run(ask_of_run(first.run, ask_of, root))
    asyncio.run(ask_of_run(first.run, ControlRequest("retry", "T1-copywriter", "", "docs too"), root))  # fmt: skip
    approve_plan(folder)
    second = execute(root, script(root, T1={"files": files}, T2={"files": {"app/t2.py": "B = 1\n"}}))  # fmt: skip
    assert (second.run != first.run, second.status) == (True, "done"), second
    (allowed, _) = read_run(folder, second.run).clarified
    assert allowed.startswith("T1-copywriter may also change docs/: it may (by")
    bundle = folder.run(second.run) / "attempts" / "T1-copywriter-1" / "bundle.md"
    assert "docs too" in bundle.read_text()
    assert any(each.startswith("T2-seo: what you said of it in") for each in second.notes)


@pytest.mark.parametrize(("verb", "lane"), [("pause", "done"), ("stop", "pending")])
def test_a_person_pauses_or_stops_a_run_and_it_goes_on_when_told(
    verb: str, lane: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "p", TWO)
    running = start(root, "--worker", script(root, T1={"sleep": 9}))
    until = time.monotonic() + 60
    while not starts(root) and time.monotonic() < until:
        time.sleep(0.05)
    guild = [sys.executable, "-m", "guildmoot"]
    looked = subprocess.run(
        [*guild, "lane", "show", "--json"], cwd=root, capture_output=True, text=True
    )
    seen = json.loads(looked.stdout)["lanes"][0]
    assert (seen["status"], seen["seconds"] > 0, seen["lines"]) == (
        "running", True, ["at work on T1-copywriter"]
    )  # fmt: skip
    subprocess.run([*guild, verb], cwd=root, check=True, capture_output=True)
    out, errors = running.communicate(timeout=60)
    told = json.loads(out)
    assert (running.returncode, told["lanes"][0]["status"]) == (3, lane), (told, errors)
    assert told["lanes"][1]["status"] == "pending"
    script(root)
    words = [*guild, "resume", *([SLUG] if verb == "pause" else []), "--json"]
    after = subprocess.run(words, cwd=root, capture_output=True, text=True)
    assert after.returncode == 0, after.stderr
    assert [each["attempts"] for each in json.loads(after.stdout)["lanes"]] == [1, 1]


def lane(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "guildmoot", "lane", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_a_lane_is_asked_for_again_and_told_why_by_the_command(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    report = execute(root, script(root, T1=[{"crash": 1}, {}]))
    assert states(report) == {"T1-copywriter": "failed", "T2-seo": "pending"}
    assert lane(root, "retry", "T1-copywriter", "--why", "use numbers").returncode == 0
    assert lane(root, "retry", "T9-nobody").returncode == 64
    after = execute(root)
    assert (after.status, starts(root)[1:]) == ("done", ["T1-copywriter/2", "T2-seo/1"])
    told = root / ".guild" / "runs" / report.run / "attempts" / "T1-copywriter-2" / "bundle.md"
    assert "use numbers" in told.read_text()
    refused = lane(root, "retry", "T1-copywriter")
    assert (refused.returncode, "is merged already" in refused.stderr) == (64, True)


def test_a_lane_at_work_is_taken_over_by_the_command_and_its_worker_ended(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    run = latest_run(WorkFolder(root), SLUG)
    pid = tmp_path / "pid"
    act = {"sh": f"echo $$ > {pid}.part; mv {pid}.part {pid}; exec sleep 60"}
    running = start(root, "--worker", script(root, T1=act), "--timeout", "60")
    until(pid.is_file)
    assert lane(root, "take-over", "T1-copywriter").returncode == 0
    told = json.loads(running.communicate(timeout=60)[0])
    assert [(each["status"], running.returncode) for each in told["lanes"]] == [("blocked", 3)]
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()
    place = root / ".guild" / "worktrees" / run / "T1-copywriter" / "app" / "hand.py"
    place.write_text("BY = 'a person'\n")
    assert lane(root, "hand-in", "T1-copywriter", "--why", "by hand").returncode == 0
    report = execute(root)
    assert states(report) == {"T1-copywriter": "done"}, report
    assert "app/hand.py" in git(root, "ls-tree", "-r", "--name-only", report.branch)


def test_what_cannot_be_followed_is_told_once(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    run = latest_run(WorkFolder(root), SLUG)
    asked = {"do": "hand-in", "task": "T2-seo", "who": "", "why": "", "places": []}
    control = root / ".guild" / "runs" / run / "control.jsonl"
    control.write_text(json.dumps(asked) + "\n")
    report = execute(root, script(root))
    assert report.status == "done"
    assert sum("hand-in was not followed" in note for note in report.notes) == 1


def test_a_conflict_that_comes_again_is_left_to_a_person(tmp_path: Path) -> None:
    lanes = {"T1-copywriter": (), "T2-sales": (), "T3-seo": ()}
    root = project(tmp_path / "p", lanes)
    journal = root / ".guild" / "runs" / latest_run(WorkFolder(root), SLUG) / "execution.jsonl"
    again = shlex.join([sys.executable, "-m", "guildmoot", "lane", "retry", "T1-copywriter"])
    merged = f"""grep '"merged"' {journal} | grep -q T1-copywriter"""
    person = "env $(env | grep -o '^GUILD_[A-Z_]*' | sed 's/^/-u /')"  # not a lane's word
    wait = f"for n in $(seq 400); do {merged} && exit 0; sleep 0.05; done; exit 1"
    meanwhile = f"(cd {root} && {person} {again}) && ({wait})"
    one, two, three = (
        {"files": {"app/base.py": f"BASE = '{who}'\n"}, "modified": ["app/base.py"]}
        for who in ("one", "two", "three")
    )
    said = {**one, "assumes": "- dropped `BASE = 'two'`: one replaces it, as the spec says"}
    late = {**three, "sh": meanwhile}
    worker = script(root, T1=[{"crash": 1}, one, said], T2=two, T3=[three, late])
    report = execute(root, worker, settings={"work.fence": False})
    assert states(report)["T3-seo"] == "conflict", report
    assert (report.status, report.exit_code) == ("undecided", 3)
    told = journal.parent / "attempts" / "T3-seo-2" / "conflict.md"
    assert "+BASE = 'one'" in told.read_text()
    assert "+BASE = 'three'" in told.read_text()
    assert git(root, "show", f"{report.branch}:app/base.py") == "BASE = 'one'"
    asks_person, _ = asyncio.run(open_questions(root))
    assert asks_person.task == "T3-seo"
    assert lane(root, "retry", "T3-seo").returncode == 0
    last = {**three, "assumes": "- dropped `BASE = 'one'`: three replaces it, as the spec says"}
    assert execute(root, script(root, T3=last)).status == "done"


def test_a_resolution_of_a_person_in_the_worktree_is_handed_in(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    one, two = (
        {"files": {"app/base.py": f"BASE = '{who}'\n"}, "modified": ["app/base.py"]}
        for who in ("one", "two")
    )
    report = execute(root, script(root, T1=one, T2=[two, {"crash": 1}]))
    assert states(report) == {"T1-copywriter": "done", "T2-sales": "failed"}
    assert lane(root, "take-over", "T2-sales").returncode == 0
    place = root / ".guild" / "worktrees" / report.run / "T2-sales" / "app" / "base.py"
    assert place.read_text() == "BASE = 'one'\n", "it starts on top of the rest"
    place.write_text("BASE = 'both'\n")
    assert lane(root, "hand-in", "T2-sales").returncode == 0
    after = execute(root)
    assert after.status == "done", after
    assert git(root, "show", f"{after.branch}:app/base.py") == "BASE = 'both'"


def until(true: Callable[[], bool]) -> None:
    limit = time.monotonic() + 60
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.02)
