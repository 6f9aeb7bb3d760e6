"""What a loop that works alone may not do: leave its scope, move its undo point, or leave loose ends behind."""

from __future__ import annotations

import json

import pytest

from loops.bench import GREET, SLUG, call, loop
from loops.test_armed import APPROVES, TERMS, approver
from loops.test_interactive import MORE, VERIFY, pair
from projects.test_many_writers import git

IN_SRC = (*TERMS, "--scope=src/**")
UNDO = f"refs/guild/armed/{GREET}-1"
OUTSIDE = "echo '# s' >> src/greet.py; echo secret > other.txt"
ONE = ("--deliverable=one", "--input=src/greet.py")


def test_what_lies_outside_the_scope_never_lands_and_a_second_run_does_not_launder_it(repo):
    approver(repo, APPROVES)
    told = pair(repo, *IN_SRC, *ONE, f"--implementer={OUTSIDE}")
    assert (told["status"], "other.txt" in told["reason"]) == ("escalated", True), told
    assert [row["done"] for row in told["deliverables"]] == [False]
    assert git(repo, "log", "--all", "--format=%H", "--", "other.txt") == ""
    told = pair(repo, *IN_SRC, *ONE, f"--implementer={MORE % 'x'}")
    assert told["status"] == "completed", told
    assert git(repo, "log", "--all", "--format=%H", "--", "other.txt") == ""


@pytest.mark.slow  # whole loops, in one more situation
def test_items_outside_the_scope_stop_it_before_the_first_change(work):
    approver(work, APPROVES)
    told = json.loads(loop(work, *TERMS, "--scope=src/m1.py").stdout)
    assert (told["status"], told["landed"]) == ("escalated", []), told
    told = json.loads(loop(work, *TERMS, "--scope=src/m1.py", "--resume").stdout)
    assert (told["status"], told["landed"]) == ("escalated", []), told


@pytest.mark.slow  # whole loops, in one more situation
def test_a_branch_that_left_the_scope_before_is_not_armed(repo):
    approver(repo, APPROVES)
    pair(repo, *IN_SRC, *ONE, "--implementer=true")
    (repo / "other.txt").write_text("by hand\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "by hand")
    words = ("loop", "interactive", "greet", "1", f"--verify={VERIFY}", *IN_SRC, *ONE)
    ran = call(repo, "guild", *words, f"--implementer={MORE % 'x'}")
    assert (ran.returncode, "other.txt" in ran.stderr) == (64, True), ran


@pytest.mark.slow  # whole loops, in one more situation
def test_the_undo_point_is_where_the_work_began_however_often_it_is_run(repo):
    approver(repo, APPROVES)
    begin = git(repo, "rev-parse", "main")
    for command in ("true", "exit 4", MORE % "x", "true"):
        pair(repo, *IN_SRC, *ONE, f"--implementer={command}")
        assert git(repo, "rev-parse", UNDO) == begin


@pytest.mark.slow  # whole loops, in one more situation
def test_a_finished_run_that_is_run_again_adds_nothing(repo):
    approver(repo, APPROVES)
    words = (*IN_SRC, *ONE, f"--implementer={MORE % 'x'}")
    assert pair(repo, *words)["status"] == "completed"
    head = git(repo, "rev-parse", "HEAD")
    assert pair(repo, *words)["status"] == "completed"
    assert git(repo, "rev-parse", "HEAD") == head


@pytest.mark.slow  # whole loops, in one more situation
def test_what_was_undecided_is_gone_once_the_phase_came_to_its_end(repo):
    approver(repo, APPROVES)
    pair(repo, *IN_SRC, *ONE, "--implementer=true")
    notice = repo / "projects" / GREET / "UNRESOLVED.md"
    assert notice.is_file()
    assert pair(repo, *IN_SRC, *ONE, f"--implementer={MORE % 'x'}")["status"] == "completed"
    assert not notice.exists()
    assert git(repo, "status", "--porcelain") == ""


@pytest.mark.slow  # whole loops, in one more situation
def test_a_stop_before_the_first_unit_lies_on_the_branch_and_can_be_gone_on_with(repo):
    approver(repo, APPROVES)
    told = pair(repo, *IN_SRC, *ONE, f"--implementer={MORE % 'x'}", verify="false")
    assert told["status"] == "escalated"
    assert git(repo, "branch", "--show-current").strip() == "greet.words"
    assert git(repo, "status", "--porcelain") == ""
    told = pair(repo, *IN_SRC, *ONE, f"--implementer={MORE % 'x'}")
    assert told["status"] == "completed", told


@pytest.mark.slow  # whole loops, in one more situation
def test_a_decision_record_is_no_breach_of_the_scope(repo):
    approver(repo, APPROVES)
    note = "--note=[adr-candidate] greet in English"
    told = pair(repo, *IN_SRC, *ONE, note, f"--implementer={MORE % 'x'}")
    assert told["status"] == "completed", told
    assert list((repo / "projects" / "adr-log").glob("0001-*.md"))


@pytest.mark.slow  # whole loops, in one more situation
def test_another_loops_stop_is_left_alone(work):
    approver(work, APPROVES)
    status = work / "projects" / SLUG / "RECOVERY-STATUS.json"
    status.write_text(json.dumps({"parent_skill": "ev-loop-interactive"}))
    (work / ".git" / "info" / "exclude").write_text("projects/*/RECOVERY-STATUS.json\n")
    assert json.loads(loop(work, *IN_SRC).stdout)["status"] == "completed"
    assert status.is_file()


@pytest.mark.slow  # whole loops, in one more situation
def test_a_stack_that_was_halted_goes_on_and_stays_a_stack(repo):
    approver(repo, APPROVES)
    plan = repo / "projects" / GREET / "PLAN.md"
    more = "\n## Phase 2 — More\n\n**Goal**: more\n**Exit**: more\n**Depends on**: Phase 1\n"
    plan.write_text(plan.read_text() + more)
    call(repo, "loom", "phase", "add", "greet", "--number=2", "--name=More")
    git(repo, "commit", "-qam", "two phases")
    fails = f"[ $(git log --oneline | wc -l) -lt 5 ] && {{ {MORE % 'x'}; }}"
    words = (*IN_SRC, "--input=src/greet.py", "--phases=all")
    told = pair(repo, *words, f"--implementer={fails}")
    assert (told["status"], told["branch"]) == ("escalated", "greet.more"), told
    told = pair(repo, *words, f"--implementer={MORE % 'y'}")
    assert (told["status"], told["branch"]) == ("completed", "greet.more"), told
    below = git(repo, "rev-parse", "greet.words")
    assert git(repo, "merge-base", "greet.words", "greet.more") == below


@pytest.mark.slow  # whole loops, in one more situation
def test_the_time_limit_holds_in_the_midst_of_a_command(repo):
    import time

    approver(repo, APPROVES)
    short = [word for word in IN_SRC if not word.startswith("--time-limit")]
    words = (*short, "--time-limit=6s", *ONE, "--implementer=touch src/flag")
    began = time.monotonic()
    told = pair(repo, *words, verify="test ! -f src/flag || sleep 60")
    assert (told["status"], "time limit" in told["reason"]) == ("escalated", True), told
    assert time.monotonic() - began < 40
    assert git(repo, "status", "--porcelain") == ""


@pytest.mark.slow  # whole loops, in one more situation
def test_what_is_undecided_can_be_decided_from_what_is_written(repo):
    approver(repo, APPROVES)
    asks = 'echo "FORK: which word? | hello"; exit 3'
    pair(repo, *IN_SRC, *ONE, f"--implementer={asks}")
    text = (repo / "projects" / GREET / "UNRESOLVED.md").read_text()
    text = text.split("## Undecided")[1]
    assert text.count("which word?") == 1
    assert "Proposed: hello." in text
    assert "--decision" in text
    assert "not done: one" in text


def test_a_budget_is_a_number(repo):
    given = [word for word in IN_SRC if not word.startswith("--budget")]
    words = ("loop", "interactive", "greet", "1", f"--verify={VERIFY}", *given, *ONE)
    ran = call(repo, "guild", *words, "--implementer=true", "--budget-usd=nan")
    assert ran.returncode == 64, ran


@pytest.mark.slow  # whole loops, in one more situation
def test_an_agent_that_the_repository_brings_is_no_engineer_until_it_is_trusted(repo):
    from loops.test_interactive import CLEAR

    place = repo / ".claude" / "agents" / "plan-ana.md"
    place.parent.mkdir(parents=True)
    place.write_text("---\nname: plan-ana\ndescription: plans\n---\nPlan.\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "an agent")
    told = pair(repo, *CLEAR, *ONE, f"--implementer={MORE % 'x'}")
    assert told["status"] == "completed", told


@pytest.mark.slow  # whole loops, in one more situation
def test_the_users_own_engineers_are_asked_about_a_fork(repo):
    from loops.test_interactive import ASKS, SIDE, engineer

    approver(repo, APPROVES)
    engineer(repo, SIDE)
    git(repo, "revert", "--no-edit", "HEAD")  # the plan names nobody
    told = pair(repo, *IN_SRC, *ONE, f"--implementer={ASKS}")
    assert told["status"] == "completed", told
    assert "say moin" in (repo / "src" / "greet.py").read_text()
