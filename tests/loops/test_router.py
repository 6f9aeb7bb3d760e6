"""The router: which phase comes next, what a message means, and one loop that is called."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.loops.routing import choose_loop, next_step, read_message
from loops.bench import call
from loops.test_armed import APPROVES, approver
from projects.test_many_writers import git

SLUG = "2026-01-08-ledger"
PLAN = (
    "# Ledger\n\n## Phase 1 — Tidy\n\n**Goal**: tidy\n**Exit**: tidy\n\n"
    "## Phase 2 — Names\n\n**Goal**: names\n**Exit**: names\n**Depends on**: Phase 1\n"
    "**Plan**: loop=interactive\n"
)


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        ("", "next", 0),
        ("address feedback on #14", "feedback", 14),
        ("please look at the review comments of 7", "feedback", 7),
        ("please do not archive this yet", "unclear", 0),
        ("do not save session", "unclear", 0),
        ("don't skip to phase 3", "unclear", 0),
        ("please don't address feedback on #14", "unclear", 0),
        ("what is the archive format?", "unclear", 0),
        ("archive?", "unclear", 0),
        ("go on with phase 2", "unclear", 0),
        ("...", "unclear", 0),
        ("#14", "feedback", 14),
        ("save session", "save", 0),
        ("wrap up", "save", 0),
        ("archive", "archive", 0),
        ("close it out", "archive", 0),
        ("skip to phase 3", "skip", 3),
        ("Pause", "pause", 0),
        ("continue", "next", 0),
        ("next phase please", "next", 0),
        ("make it nicer", "unclear", 0),
        ("archive it, then skip to phase 3", "unclear", 0),
        ("save session and pause", "unclear", 0),
    ],
)
def test_what_a_message_asks_for(text, kind, number):
    assert read_message(text) == (kind, number)


@given(st.text(max_size=200))
def test_any_message_is_read(text):
    assert read_message(text).kind


def phase(number, status, **more):
    return {"number": number, "name": f"p{number}", "status": status, **more}


@pytest.mark.parametrize(
    ("phases", "pulls", "kind", "number"),
    [
        ([phase(1, "in-progress"), phase(2, "not-started")], {}, "run", 1),
        ([phase(1, "in-progress"), phase(2, "not-started")], {1: "OPEN"}, "wait", 1),
        ([phase(1, "in-progress"), phase(2, "not-started")], {1: "CLOSED"}, "investigate", 1),
        ([phase(1, "in-progress"), phase(3, "not-started")], {1: "OPEN"}, "run", 3),
        ([phase(1, "completed"), phase(2, "not-started")], {}, "run", 2),
        ([phase(1, "completed"), phase(2, "completed")], {}, "finished", 0),
        ([phase(1, "blocked", blocked_reason="no key"), phase(2, "not-started")], {}, "blocked", 1),
        ([phase(2, "not-started")], {}, "blocked", 2),
    ],
)
def test_the_next_phase_follows_from_dependencies_and_pull_requests(phases, pulls, kind, number):
    step = next_step(phases, {"2": ["1"]}, pulls)
    assert (step.kind, step.phase) == (kind, number)


STATES = st.sampled_from(["completed", "in-progress", "not-started", "blocked"])


@given(
    st.lists(STATES, min_size=1, max_size=6),
    st.dictionaries(st.integers(1, 6), st.sets(st.integers(1, 6)), max_size=6),
    st.dictionaries(st.integers(1, 6), st.sampled_from(["OPEN", "CLOSED", ""]), max_size=6),
)
def test_nothing_starts_before_what_it_needs(states, graph, pulls):
    phases = [phase(number, state) for number, state in enumerate(states, 1)]
    depends = {str(n): [str(m) for m in needs] for n, needs in graph.items()}
    step = next_step(phases, depends, pulls)
    if step.kind == "run" and phases[step.phase - 1]["status"] == "not-started":
        for needed in graph.get(step.phase, ()):
            assert states[needed - 1] == "completed"
    if step.kind == "finished":
        assert set(states) == {"completed"}


def test_the_loop_is_what_the_plan_says_then_the_binding_then_confidence():
    one = phase(1, "not-started")
    assert choose_loop("rounds=2; loop=interactive", {}, one)[0] == "interactive"
    assert choose_loop("", {"1": "ev-loop-interactive"}, one)[0] == "interactive"
    assert choose_loop("", {"default": "interactive"}, one)[0] == "interactive"
    assert choose_loop("loop=rm -rf", {"1": "sh"}, one)[0] == "confidence"
    assert "'interactve' in PLAN.md is no loop" in choose_loop("loop=interactve", {}, one)[1]


@pytest.fixture
def repo(tmp_path):
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "src" / "a.py").write_text("import os\n\nA = 1\n")
    (tmp_path / "plan.md").write_text(PLAN)
    plan = [f"--plan-file={tmp_path}/plan.md", f"--interview-file={tmp_path}/plan.md"]
    made = call(folder, "loom", "plan", SLUG, *plan, "--no-commit")
    assert made.returncode == 0, made.stderr
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "begin")
    return folder


def run(repo, *words: str):
    ran = call(repo, "guild", "run-phase", "--json", *words)
    assert ran.stdout, ran.stderr
    return ran.returncode, json.loads(ran.stdout)


def test_without_options_for_the_loop_it_only_says_which(repo):
    code, told = run(repo)
    assert (code, told["status"]) == (0, "dispatched")
    assert (told["dispatch"]["phase"], told["dispatch"]["loop"]) == (1, "confidence")
    assert told["next_action"] == f"guild loop confidence {SLUG} 1"
    assert git(repo, "branch", "--show-current").strip() == "main"


def test_it_calls_the_one_loop(repo):
    ruff = Path(sys.executable).parent / "ruff"
    transform = f"{ruff} check -q --isolated --select F401 --fix {{files}}"
    code, told = run(
        repo, "ledger", "--", "--pattern=src/*.py", f"--transform={transform}", "--verify=true", "--yes",
        "--no-pr",
    )  # fmt: skip
    assert (code, told["status"], told["landed"]) == (0, "completed", ["src/a.py"]), told


@pytest.mark.slow  # whole loops, in one more situation
def test_a_phase_that_others_need_is_skipped_only_when_agreed(repo):
    code, told = run(repo, "ledger", "skip to phase 2")
    assert (code, told["status"]) == (3, "stopped")
    assert told["next_action"] == f"guild run-phase {SLUG} 'skip to phase 2' --yes"
    code, told = run(repo, "ledger", "skip to phase 2", "--yes")
    assert (told["dispatch"]["phase"], told["dispatch"]["loop"]) == (2, "interactive")
    assert run(repo, "skip to phase 9")[1]["status"] == "stopped"


@pytest.mark.slow  # whole loops, in one more situation
def test_pause_save_and_archive(repo):
    assert run(repo, "pause")[1]["status"] == "paused"
    told = run(repo, "save", "session")[1]
    assert told["status"] == "saved", told
    assert run(repo, "ledger", "save session")[1]["status"] == "saved"  # a second one the same day
    assert git(repo, "status", "--porcelain") == ""
    code, told = run(repo, "archive")
    assert (code, "not every phase" in told["report"]) == (3, True)
    for number in ("1", "2"):
        call(repo, "loom", "phase", "update", "ledger", number, "--status=completed")
    git(repo, "commit", "-qam", "done")
    assert run(repo)[1]["status"] == "finished"
    assert run(repo, "archive")[1]["status"] == "archived"
    assert (repo / "projects" / "archive" / SLUG / "PLAN.md").is_file()
    assert git(repo, "status", "--porcelain") == ""


def test_work_that_is_not_committed_is_never_discarded_unasked(repo):
    (repo / "src" / "a.py").write_text("mine\n")
    code, told = run(repo)
    assert (code, "src/a.py" in told["report"]) == (3, True)
    assert (repo / "src" / "a.py").read_text() == "mine\n"
    assert run(repo, "--dirty=continue")[1]["status"] == "dispatched"
    assert (repo / "src" / "a.py").read_text() == "mine\n"
    (repo / "new.py").write_text("mine\n")
    assert run(repo, "--dirty=discard")[1]["status"] == "dispatched"
    assert "not tracked: new.py" in str(run(repo)[1])
    (repo / "new.py").unlink()
    assert "import os" in (repo / "src" / "a.py").read_text()
    assert call(repo, "guild", "undo", "restore").returncode == 0
    assert (repo / "src" / "a.py").read_text() == "mine\n"


@pytest.mark.slow  # whole loops, in one more situation
def test_an_unclear_message_stops_and_alone_the_evaluator_picks(repo):
    code, told = run(repo, "ledger", "make", "it", "nicer")
    assert (code, told["status"]) == (3, "stopped")
    approver(repo, APPROVES)
    assert run(repo, "ledger", "make it nicer", "--mode=auto")[1]["status"] == "dispatched"
    told = run(repo, "ledger", "do not go on", "--mode=auto")[1]  # what forbids is never guessed at
    assert (told["status"], "'pause'" in told["next_action"]) == ("stopped", True)


@pytest.mark.slow  # whole loops, in one more situation
def test_a_base_that_parted_from_its_upstream_stops_it(repo, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repo), "up.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "up.git"))
    git(repo, "fetch", "-q")
    git(repo, "branch", "-q", "--set-upstream-to=origin/main")
    git(tmp_path, "clone", "-q", "up.git", "other")
    git(tmp_path / "other", "commit", "-q", "--allow-empty", "-m", "theirs")
    git(tmp_path / "other", "push", "-q")
    assert run(repo)[1]["status"] == "dispatched"
    assert git(repo, "log", "-1", "--format=%s").strip() == "theirs"  # moved forward
    git(tmp_path / "other", "commit", "-q", "--allow-empty", "-m", "theirs too")
    git(tmp_path / "other", "push", "-q")
    git(repo, "commit", "-q", "--allow-empty", "-m", "ours")
    code, told = run(repo)
    assert (code, "no fast-forward" in told["report"]) == (3, True)


HOST = """#!/bin/sh
case "$*" in
  *comments*) echo '{"headRefName": "ledger.tidy", "comments": [{"body": "rename A"}]}';;
  *) echo '{"number": 14, "url": "https://example.org/pull/14", "body": "", "state": "STATE", "mergedAt": null}';;
esac
"""


@pytest.mark.parametrize(
    ("state", "status"), [("OPEN", "parked"), ("CLOSED", "stopped"), ("MERGED", "dispatched")]
)
@pytest.mark.sample(3)
def test_the_state_of_the_pull_request_decides(repo, tmp_path, monkeypatch, state, status):
    host = tmp_path / "bin" / "gh"
    host.parent.mkdir()
    host.write_text(HOST.replace("STATE", state))
    host.chmod(0o755)
    monkeypatch.setenv("PATH", f"{host.parent}{os.pathsep}{os.environ['PATH']}")
    git(repo, "remote", "add", "origin", str(tmp_path / "nowhere"))
    call(
        repo,
        "loom",
        "phase",
        "update",
        "ledger",
        "1",
        "--status=in-progress",
        "--branch=ledger.tidy",
    )
    git(repo, "commit", "-qam", "started")
    told = run(repo)[1]
    assert told["status"] == status, told
    if state == "MERGED":
        assert told["dispatch"]["phase"] == 2
        assert (
            json.loads(call(repo, "loom", "phase", "read", "ledger", "1").stdout)["status"]
            == "completed"
        )
        assert git(repo, "status", "--porcelain") == ""
    else:
        told = run(repo, "ledger", "address feedback on #14")[1]
        assert told["dispatch"]["phase"] == 1
        assert told["dispatch"]["deliverables"] == ["#14: rename A"]


REVIEWED = """#!/bin/sh
case "$*" in
  *pulls/14/comments*) echo '[{"body": "rename B", "path": "src/a.py"}]';;
  *reviews*) echo '{"reviews": [{"state": "CHANGES_REQUESTED", "body": "must reject floats"}, {"state": "APPROVED", "body": "nice"}]}';;
  *comments*) echo '{"headRefName": "ledger.tidy", "comments": []}';;
  *) echo '{"number": 14, "url": "https://example.org/pull/14", "body": "", "state": "STATE", "mergedAt": null}';;
esac
"""


@pytest.fixture
def hosted(repo, tmp_path, monkeypatch):
    """Phase 1 has a pull request whose state is in a file beside the repository."""
    host = tmp_path / "bin" / "gh"
    host.parent.mkdir()
    host.write_text(REVIEWED.replace("STATE", "'\"$(cat $0.state)\"'"))
    (tmp_path / "bin" / "gh.state").write_text("OPEN")
    host.chmod(0o755)
    monkeypatch.setenv("PATH", f"{host.parent}{os.pathsep}{os.environ['PATH']}")
    git(tmp_path, "init", "-q", "--bare", "up.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "up.git"))
    words = ("phase", "update", "ledger", "1", "--status=in-progress", "--branch=ledger.tidy")
    call(repo, "loom", *words)
    git(repo, "commit", "-qam", "started")
    return repo


@pytest.mark.slow  # whole loops, in one more situation
def test_what_a_review_demands_is_work_for_the_implementer(hosted):
    change = "echo '# done' >> src/a.py"
    told = run(
        hosted, "ledger", "address feedback on #14", "--", "--verify=true", "--yes", "--input=src/a.py",
        f"--implementer={change}", "--no-pr",
    )[1]  # fmt: skip
    assert told["status"] == "completed", told
    assert [row["text"] for row in told["deliverables"] if row["done"]] == [
        "#14: changes requested: must reject floats",
        "#14: src/a.py: rename B",
    ]
    assert (hosted / "src" / "a.py").read_text().count("# done") == 2


@pytest.mark.slow  # whole loops, in one more situation
def test_a_draft_that_stopped_undecided_is_neither_to_be_merged_nor_completed(hosted, tmp_path):
    notice = hosted / "projects" / SLUG / "UNRESOLVED.md"
    git(hosted, "checkout", "-qb", "ledger.tidy")
    notice.write_text("# Unresolved: phase 1 Tidy\n\nundecided.\n")
    git(hosted, "add", "-A")
    git(hosted, "commit", "-qm", "stopped")
    git(hosted, "checkout", "-q", "main")
    code, told = run(hosted)
    assert (code, told["status"], "UNRESOLVED.md" in told["report"]) == (3, "stopped", True), told
    assert "merge it" not in told["next_action"]
    git(hosted, "merge", "-q", "ledger.tidy")
    (tmp_path / "bin" / "gh.state").write_text("MERGED")
    code, told = run(hosted)
    assert (code, told["status"], "UNRESOLVED.md" in told["report"]) == (3, "stopped", True), told
    read = json.loads(call(hosted, "loom", "phase", "read", "ledger", "1").stdout)
    assert read["status"] == "in-progress"


@pytest.mark.slow  # whole loops, in one more situation
def test_a_code_host_that_cannot_tell_starts_nothing(hosted, tmp_path):
    (tmp_path / "bin" / "gh").write_text(
        "#!/bin/sh\necho 'HTTP 401: Bad credentials' >&2; exit 1\n"
    )
    code, told = run(hosted)
    assert (code, told["status"], told["dispatch"]) == (4, "infrastructure", None), told
    assert "401" in told["report"]


def test_what_nothing_was_called_for_is_ready_not_dispatched(repo):
    assert call(repo, "guild", "run-phase", "ledger").stdout.startswith("READY")
