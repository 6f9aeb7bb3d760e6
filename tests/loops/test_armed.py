"""The armed posture on a real repository: within its terms it ends in a proven branch, and else in the hatch."""

from __future__ import annotations

import json
import subprocess

import pytest

from loops.bench import SLUG, call, green, loop, tree
from projects.test_many_writers import git

TERMS = ("--mode=auto", "--budget-usd=1", "--time-limit=1h", "--expires=2h", "--no-pr")
IN_SRC = (*TERMS, "--scope=src/**")
APPROVES = "VERDICT {nonce}: approved\n"
FLAGS = (
    "VERDICT {nonce}: flagged\n\nReasons:\n- criterion-ambiguous: contract.md:3 what is an import\n"
)


def approver(work, *replies: str) -> None:
    """The evaluator that stands in for whoever would be asked."""
    folder = work.parent / "home" / ".config" / "guildmoot" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    head = "---\nname: evaluator-contract-fit\ndescription: fits\nrole: evaluator\nbackend: scripted\nreplies: fit.json\n---\nJudge.\n"
    (folder / "evaluator-contract-fit.md").write_text(head)
    steps = [{"text": text} if text else {"fail": "quota"} for text in replies]
    (folder / "fit.json").write_text(json.dumps({"replies": {"*": steps}}))


def unresolved(work) -> str:
    return (work / "projects" / SLUG / "UNRESOLVED.md").read_text()


def test_alone_it_ends_in_a_proven_branch_and_asks_nobody(work):
    approver(work, APPROVES)
    ran = loop(work, *IN_SRC)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"]) == (0, "completed"), (told, ran.stderr)
    assert told["landed"] == [f"src/m{number}.py" for number in range(5)]
    assert green(work)
    events = json.loads(call(work, "loom", "events", "read", "tidy").stdout)
    assert {"auto-mode-entered", "auto-mode-converged"} <= {row["event"] for row in events}
    assert git(work, "rev-parse", f"refs/guild/armed/{SLUG}-1") == git(work, "rev-parse", "main")


def test_a_contract_that_the_evaluator_refuses_is_left_to_a_person(work):
    approver(work, FLAGS)
    ran = loop(work, *IN_SRC)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"], told["landed"]) == (3, "escalated", [])
    assert "what is an import" in unresolved(work)
    status = json.loads((work / "projects" / SLUG / "RECOVERY-STATUS.json").read_text())
    assert (status["parent_skill"], status["slug"]) == ("ev-loop-confidence", SLUG)
    events = json.loads(call(work, "loom", "events", "read", "tidy").stdout)
    assert "auto-mode-budget-exhausted" in {row["event"] for row in events}
    assert tree(work) == tree(work, "main")


@pytest.mark.slow  # whole loops, in one more situation
def test_an_evaluator_that_never_answers_uses_the_budget_up(work):
    approver(work, "")
    told = json.loads(loop(work, *IN_SRC).stdout)
    assert told["status"] == "escalated"
    assert "3 rounds" in told["reason"]
    assert tree(work) == tree(work, "main")


def test_what_changes_outside_the_scope_stops_it_at_the_next_boundary(work):
    approver(work, APPROVES)
    told = json.loads(loop(work, *TERMS, "--scope=src/m0.py", "--batch=1").stdout)
    assert told["status"] == "escalated"
    assert "outside the scope" in told["reason"]
    assert "outside the scope" in unresolved(work)
    assert green(work)


@pytest.mark.parametrize("left_out", ["--scope=src/**", "--budget-usd=1", "--time-limit=1h"])
def test_nothing_is_armed_without_its_limits(work, left_out):
    given = [flag for flag in IN_SRC if flag != left_out]
    ran = loop(work, *given)
    assert ran.returncode == 64
    assert left_out.partition("=")[0] in ran.stdout + ran.stderr
    assert subprocess.run(["git", "show-ref", "refs/guild/armed"], cwd=work).returncode == 1


def test_a_dirty_tree_is_not_armed(work):
    (work / "src" / "m0.py").write_text("mine\n")
    assert loop(work, *IN_SRC).returncode == 64
    assert (work / "src" / "m0.py").read_text() == "mine\n"


@pytest.mark.slow  # whole loops, in one more situation
def test_three_units_that_bring_nothing_forward_are_a_stall(work):
    approver(work, APPROVES)
    done = "echo 'ALL DONE. Tests pass. <promise>COMPLETE</promise>'; exit 1"
    told = json.loads(loop(work, *IN_SRC, "--batch=1", transform=done).stdout)
    assert (told["status"], told["landed"]) == ("stalled", [])
    assert len(told["quarantined"]) == 3
    assert "brought nothing forward" in unresolved(work)


def test_a_red_check_before_the_start_is_left_to_a_person(work):
    approver(work, APPROVES)
    told = json.loads(loop(work, *IN_SRC, verify="false").stdout)
    assert told["status"] == "escalated"
    assert "red before any change" in told["reason"]


PHASES = (
    "# Tidy\n\n## Phase 1 — First\n\n**Goal**: a\n**Exit**: b\n\n"
    "## Phase 2 — Second\n\n**Goal**: c\n**Exit**: d\n**Depends on**: Phase 1\n"
)


@pytest.mark.slow  # whole loops, in one more situation
def test_phases_are_stacked_each_on_the_branch_of_the_one_before(work):
    (work.parent / "plan.md").write_text(PHASES)
    plan = [f"--plan-file={work.parent}/plan.md", f"--interview-file={work.parent}/plan.md"]
    made = call(work, "loom", "plan", "2026-01-06-both", *plan, "--no-commit")
    assert made.returncode == 0, made.stderr
    git(work, "add", "-A")
    git(work, "commit", "-qm", "plan")
    ran = call(
        work, "guild", "loop", "confidence", "both", "1", "--pattern=src/m*.py", "--verify=true", "--json",
        "--transform=for f in {files}; do echo '#' >> $f; done", "--yes", "--phases=all", "--resume",
    )  # fmt: skip
    told = json.loads(ran.stdout)
    assert ran.returncode == 0, (told, ran.stderr)
    assert [row["branch"] for row in told["below"]] == ["both.first"]
    assert told["branch"] == "both.second"
    assert git(work, "merge-base", "both.first", "both.second") == git(
        work, "rev-parse", "both.first"
    )
