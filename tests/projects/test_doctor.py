"""Each fault of a project's records has its own name and a non-zero end."""

from __future__ import annotations

import json
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from guildmoot.projects.store import Project
from projects.conftest import PLAN, SLUG, checkin
from projects.test_many_writers import git


def manifest(project: Path, old: str, new: str) -> None:
    file = project / "manifest.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def add(project: Path, section: str, record: dict) -> None:
    Project(str(project)).change(lambda draft: draft.add_here(section, record))


def plan(project: Path, more: str) -> None:
    (project / "PLAN.md").write_text(PLAN + more)


def repository(project: Path) -> None:
    work = project.parents[1]
    git(work, "init", "-q", "-b", "main")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "begin")


def silent(project: Path) -> None:
    repository(project)
    manifest(project, 'status = "not-started"', 'status = "in-progress"')
    manifest(project, 'at = "', 'at = "2020-01-01T00:00:00.000Z" # ')
    for _ in range(20):
        git(project.parents[1], "commit", "-q", "--allow-empty", "-m", "work")


FAULTS = {
    "manifest-missing": lambda project: (project / "manifest.toml").unlink(),
    "manifest-unreadable": lambda project: (project / "manifest.toml").write_text("[meta\n"),
    "status-unknown": lambda project: manifest(project, '"not-started"', '"whatever"'),
    "phase-twice": lambda project: manifest(project, "number = 2", "number = 1"),
    "phase-not-planned": lambda project: manifest(project, "number = 2", "number = 7"),
    "phase-not-on-record": lambda project: plan(project, "\n## Phase 3 — More\n"),
    "plan-duplicate-phase": lambda project: plan(project, "\n## Phase 2 — Again\n"),
    "plan-dangling-dependency": lambda project: plan(project, "**Depends on**: Phase 1, 9\n"),
    "plan-cycle": lambda project: (project / "PLAN.md").write_text(
        PLAN.replace("**Exit**: the list is complete", "**Exit**: x\n**Depends on**: Phase 2")
    ),
    "slug-mismatch": lambda project: manifest(project, SLUG, "2026-01-05-other"),
    "status-misplaced": lambda project: manifest(
        project, 'status = "active"', 'status = "archived"'
    ),
    "verdict-unknown": lambda project: add(
        project, "checkins", checkin(verdict={"result": "maybe", "reasons": []})
    ),
    "checkin-twice": lambda project: [add(project, "checkins", checkin()) for _ in range(2)],
    "checkin-phase-unknown": lambda project: add(
        project, "checkins", checkin(phase={"number": 9, "name": "x"})
    ),
    "event-in-future": lambda project: add(
        project, "events", {"at": "2999-01-01T00:00:00Z", "event": "x", "detail": {}}
    ),
    "record-broken": lambda project: (
        (project / "records").mkdir(),
        (project / "records" / "a.jsonl").write_text('{"section": "events"\n'),
    ),
    "branch-missing": lambda project: (
        repository(project),
        manifest(project, 'status = "not-started"', 'status = "in-progress"\nbranch = "gone"'),
    ),
    "capture-silent": silent,
    "decision-twice": lambda project: (
        (project / "decisions").mkdir(),
        *((project / "decisions" / f"0001-{name}.md").write_text("x") for name in "ab"),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_and_fails(project, loom, fault):
    assert loom("doctor", SLUG).json == {"slug": SLUG, "ok": True, "issues": []}
    FAULTS[fault](project)
    ran = loom("doctor", str(project))
    assert fault in [issue["code"] for issue in ran.json["issues"]], ran.out
    assert (ran.code, ran.json["ok"]) == (1, False)


def judged(project: Path, run: str, verdict: str) -> None:
    """A run of ``guild`` on record, which had src/a.py before it as it is now."""
    work = project.parents[1]
    folder = work / ".guild" / "runs" / run
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps({"verdict": verdict}))
    digest = sha256((work / "src" / "a.py").read_bytes()).hexdigest()
    (folder / "packet.json").write_text(
        json.dumps({"files": [{"path": "src/a.py", "sha256": digest}], "masked": [], "omitted": []})
    )


def test_a_verdict_is_bound_to_its_run_and_to_what_was_judged(project, loom):
    work = project.parents[1]
    (work / "src").mkdir()
    (work / "src" / "a.py").write_text("A = 1\n")
    (work / "c.json").write_text(json.dumps(checkin()))
    judged(project, "r1", "approved")
    judged(project, "r2", "flagged")
    for run, code in (
        ("r2", "verdict-mismatch"),
        ("none", "run-not-found"),
        ("../r1", "run-not-found"),
    ):
        ran = loom("checkin", "write", SLUG, "--checkin-file=c.json", f"--run={run}")
        assert (ran.code, json.loads(ran.err)["error"]) == (1, code)
    assert loom("checkin", "write", SLUG, "--checkin-file=c.json", "--run=r1").code == 0
    assert loom("doctor", SLUG).json["ok"]
    (work / "src" / "a.py").write_text("A = 2\n")
    (stale,) = loom("doctor", SLUG).json["issues"]
    assert (stale["code"], "r1" in stale["detail"]) == ("verdict-stale", True)
    (work / "c.json").write_text(json.dumps(checkin(number="02")))
    late = loom("checkin", "write", SLUG, "--checkin-file=c.json", "--run=r1")
    assert (late.code, json.loads(late.err)["error"]) == (1, "verdict-stale")
    judged(project, "r3", "approved")  # judged anew
    assert loom("checkin", "write", SLUG, "--checkin-file=c.json", "--run=r3").code == 0
    assert loom("doctor", SLUG).json["ok"]


@pytest.mark.parametrize(
    "touched", [["src/b.py"], ["../a.py"], ["src/link.py"], ["/etc/hosts"], []]
)
def test_a_run_speaks_only_of_the_files_that_were_before_it(project, loom, touched):
    work = project.parents[1]
    (work / "src").mkdir()
    for name in ("a", "b"):
        (work / "src" / f"{name}.py").write_text("A = 1\n")
    (work / "src" / "link.py").symlink_to("a.py")
    judged(project, "r1", "approved")
    done = checkin()["execution"] | {"files_touched": touched}
    (work / "c.json").write_text(json.dumps(checkin(execution=done)))
    ran = loom("checkin", "write", SLUG, "--checkin-file=c.json", "--run=r1")
    assert (ran.code, json.loads(ran.err)["error"]) == (1, "run-not-judged")


def test_a_verdict_cannot_be_bound_by_hand(project, loom):
    forged = {"result": "approved", "reasons": [], "run": "r1", "content": "0" * 64}
    for other in ({"verdict": forged}, {"run": "r1"}, {"number": ""}, {"branch": "a\nb"}):
        (project.parents[1] / "c.json").write_text(json.dumps(checkin(**other)))
        ran = loom("checkin", "write", SLUG, "--checkin-file=c.json")
        code = json.loads(ran.err)["error"]
        wanted = "invalid-checkin" if {"number", "branch"} & other.keys() else (
            "manifest-write-verify-failed"
        )  # fmt: skip
        assert (ran.code, code) == (1, wanted)
    assert loom("checkin", "list", SLUG).json == []


def test_two_edits_of_one_field_are_told_with_what_it_was_before(project, loom):
    work = project.parents[1]
    repository(project)
    for branch, status in (("one", "in-progress"), ("two", "completed")):
        git(work, "checkout", "-q", "-B", branch, "main")
        assert loom("phase", "update", SLUG, "1", f"--status={status}").code == 0
        git(work, "add", "-A")
        git(work, "commit", "-qm", branch)
    assert (
        subprocess.run(["git", "merge", "-q", "one"], cwd=work, capture_output=True).returncode == 1
    )
    (issue,) = loom("doctor", SLUG).json["issues"]
    assert issue["code"] == "manifest-conflict"
    for word in (
        "phase 1.status",
        "base 'not-started'",
        "ours 'completed'",
        "theirs 'in-progress'",
    ):
        assert word in issue["detail"]
    ran = loom("events", "append", SLUG, "--event=x")
    assert (ran.code, json.loads(ran.err)["error"]) == (1, "manifest-conflict")


def test_open_work_that_claims_the_same_paths_is_listed(project, loom):
    from projects.conftest import make_project

    other = make_project(project.parents[1], "2026-01-06-other")
    assert loom("check").json["overlaps"] == []
    for folder, scope in ((project, ["src"]), (other, ["src/a.py"])):
        manifest(folder, 'status = "not-started"', 'status = "in-progress"')
        add(
            folder,
            "checkins",
            checkin(scope=scope, execution=checkin()["execution"] | {"files_touched": []}),
        )
    ran = loom("check")
    assert ran.code == 3
    (overlap,) = ran.json["overlaps"]
    assert overlap["path"] == "src/a.py"
    assert {claim["slug"] for claim in overlap["claims"]} == {SLUG, "2026-01-06-other"}


def test_a_plan_that_was_changed_behind_its_revision_is_a_stale_base(project, loom):
    (project.parents[1] / "r.md").write_text(PLAN + "\n## Phase 3 — More\n")
    assert (
        loom("revise-plan", SLUG, "--revision-file=r.md", "--rationale=more", "--no-commit").code
        == 0
    )
    assert loom("check").code == 0
    with open(project / "PLAN.md", "a") as stream:
        stream.write("by hand\n")
    ran = loom("check", SLUG)
    assert (ran.code, [row["record"] for row in ran.json["stale"]]) == (3, ["PLAN.md"])


def test_phases_of_a_plan_that_was_changed_by_hand_are_a_stale_base(tmp_path, loom, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.md").write_text(PLAN)
    (tmp_path / "i.md").write_text("# talk\n")
    assert loom("plan", SLUG, "--plan-file=p.md", "--interview-file=i.md", "--no-commit").code == 0
    assert loom("check").code == 0
    (tmp_path / "projects" / SLUG / "PLAN.md").write_text(PLAN + "by hand\n")
    assert [row["record"] for row in loom("check").json["stale"]] == ["PLAN.md"]


def test_two_hundred_open_items_are_checked_at_once(project, loom):
    import shutil
    import time

    manifest(project, 'status = "not-started"', 'status = "in-progress"')
    add(project, "checkins", checkin())
    for number in range(199):
        shutil.copytree(project, project.parent / f"2026-02-02-copy-{number}")
    start = time.process_time()
    ran = loom("check")
    assert time.process_time() - start < 1  # 0.1 s where nothing else runs
    assert (ran.code, ran.json["open"], len(ran.json["overlaps"][0]["claims"])) == (3, 200, 200)
