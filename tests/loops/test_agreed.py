"""What was agreed is what is proven: the verification, the criteria, who judged them, one answer to one question."""

from __future__ import annotations

import json

import pytest

from loops.bench import GREET, call
from loops.test_armed import APPROVES, approver
from loops.test_armed_limits import IN_SRC, ONE
from loops.test_interactive import CLEAR, HELLO, MORE, VERIFY, pair
from projects.test_many_writers import git

UNMET = (
    "VERDICT {nonce}: flagged\n\nReasons:\n- BLOCKING: criterion-unmet: src/greet.py:3 `# x`:"
    " nothing greets anybody\n\nSuggested remedies:\n- greet\n"
)


def checkin(repo, number: str = "01"):
    words = ("checkin", "read", "greet", "--branch=greet.words", f"--number={number}")
    return json.loads(call(repo, "loom", *words).stdout)


def test_the_agreed_verification_is_not_swapped_after_the_contract(repo):
    pair(repo, *CLEAR, *ONE)
    (repo / "src" / "greet.py").write_text("def hello():\n    return ''\n")
    told = pair(repo, *CLEAR, *ONE, "--done", verify="true")
    assert (told["status"], "--new-contract" in told["next_action"]) == ("aborted", True), told
    assert git(repo, "log", "--format=%s", "main..") == ""
    told = pair(repo, *CLEAR, *ONE, "--done", "--new-contract", verify="true")
    assert told["status"] == "completed", told
    assert "true passes" in checkin(repo)["contract"]["acceptance_criteria"]


@pytest.mark.slow  # whole loops, in one more situation
def test_a_new_verification_that_is_red_on_the_branch_is_not_taken(repo):
    pair(repo, *CLEAR, *ONE)
    told = pair(repo, *CLEAR, *ONE, "--new-contract", verify="false")
    assert (told["status"], "red before any change" in told["reason"]) == ("aborted", True), told
    (repo / "src" / "greet.py").write_text(HELLO)
    assert pair(repo, *CLEAR, *ONE, "--done")["status"] == "completed"


@pytest.mark.slow  # whole loops, in one more situation
def test_where_nobody_who_thinks_judged_the_record_and_the_report_say_so(repo):
    told = pair(repo, *CLEAR, *ONE, f"--implementer={MORE % 'x'}")
    assert told["status"] == "completed", told
    (proof,) = told["proof"]
    assert "nobody judged whether the criteria hold" in proof["criteria"]
    assert proof["judges"]
    assert proof["commit"] == git(repo, "rev-parse", "HEAD").strip()
    found = checkin(repo)
    assert any("nobody judged" in each for each in found["execution"]["actions"])
    assert any("nobody judged" in each for each in found["notes_for_pr"])


@pytest.mark.slow  # whole loops, in one more situation
def test_alone_a_comment_line_is_no_deliverable(repo):
    approver(repo, APPROVES, UNMET)
    told = pair(repo, *IN_SRC, *ONE, f"--implementer={MORE % 'x'}")
    assert (told["status"], "criterion-unmet" in told["reason"]) == ("escalated", True), told
    assert [row["done"] for row in told["deliverables"]] == [False]
    assert "# x" not in git(repo, "show", "HEAD:src/greet.py")


@pytest.mark.slow  # whole loops, in one more situation
def test_alone_whoever_judges_the_work_is_on_record(repo):
    approver(repo, APPROVES)
    told = pair(repo, *IN_SRC, *ONE, f"--implementer={MORE % 'x'}")
    assert told["status"] == "completed", told
    assert "evaluator-contract-fit: approved" in told["proof"][0]["criteria"]


def test_alone_without_a_model_it_says_how_to_give_one(repo):
    words = ("loop", "interactive", "greet", "1", f"--verify={VERIFY}", "--json", *IN_SRC, *ONE)
    ran = call(repo, "guild", *words, f"--implementer={MORE % 'x'}")
    said = ran.stdout + ran.stderr
    assert (ran.returncode, "GUILD_PANEL_MODEL" in said) == (4, True), said
    assert "--degrade" not in said
    assert "--model" not in said


@pytest.mark.slow  # whole loops, in one more situation
def test_seven_clear_contracts_are_no_decisions(repo):
    approver(repo, APPROVES)
    wanted = [f"--deliverable=part {number}" for number in range(7)]
    told = pair(repo, *IN_SRC, *wanted, f"--implementer={MORE % 'x'}")
    assert told["status"] == "completed", told
    assert sum(row["done"] for row in told["deliverables"]) == 7


@pytest.mark.slow  # whole loops, in one more situation
def test_the_answer_to_one_question_is_not_given_to_the_next(repo):
    asks = (
        'if [ -z "$GUILD_DECISION" ]; then echo "FORK: which word? | hello"; exit 3; fi; '
        'echo "# $GUILD_DECISION" >> src/greet.py'
    )
    told = pair(repo, *CLEAR, f"--implementer={asks}", "--decision=half even")
    assert told["status"] == "gated", told
    assert [row["done"] for row in told["deliverables"]] == [True, False]
    assert (repo / "src" / "greet.py").read_text().count("half even") == 1


@pytest.mark.slow  # whole loops, in one more situation
def test_flagged_rounds_stay_on_record_and_the_last_try_is_kept(repo):
    bad = "printf '\\n\\ndef bad() -> None:\\n    print(undefined_name)\\n' >> src/greet.py"
    told = pair(repo, *CLEAR, *ONE, f"--implementer={bad}")
    assert told["status"] == "escalated", told
    patch = told["next_action"].split("git apply ")[1].split("'")[0]
    assert "undefined_name" in (repo / patch).read_text()
    git(repo, "apply", "--check", patch)
    fixes = 'test -s "$GUILD_FINDINGS" && git checkout -q . && echo "# ok" >> src/greet.py'
    told = pair(repo, *CLEAR, *ONE, f"--implementer={fixes}", f"--fixer={fixes}")
    assert told["status"] == "completed", told
    assert any("round 1" in each for each in checkin(repo)["execution"]["corrections"])


@pytest.mark.slow  # whole loops, in one more situation
def test_further_deliverables_are_taken_on_after_the_phase_is_done(repo):
    words = (*CLEAR, f"--implementer={MORE % 'x'}")
    assert pair(repo, *words)["status"] == "completed"
    told = pair(repo, *words, "--deliverable=#14: reject floats")
    assert told["status"] == "completed", told
    assert told["deliverables"][-1] == {"text": "#14: reject floats", "done": True}
    assert git(repo, "log", "-1", "--format=%s").strip() == "[loop] Words: #14: reject floats"
    assert (repo / "projects" / GREET).is_dir()


def test_an_interrupt_at_a_question_ends_it_and_nothing_is_decided(repo):
    import os
    import pty
    import select
    import sys
    import time

    from loops.bench import START, environment

    words = ["loop", "interactive", "greet", "1", f"--verify={VERIFY}", "--no-pr"]
    child, terminal = pty.fork()
    if not child:
        os.chdir(repo)
        start = [sys.executable, "-c", START.format(program="guild"), *words]
        os.execve(sys.executable, start, environment(repo, TERM="xterm"))
    said, pressed, deadline = "", False, time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        if not data:
            break
        said += data.decode(errors="replace")
        if "Start? [y/N]" in said and not pressed:
            pressed = True
            os.write(terminal, b"\x03")
    ended = os.waitpid(child, os.WNOHANG if time.monotonic() >= deadline else 0)
    os.close(terminal)
    assert pressed, said
    assert ended[0] == child, "still alive"
    assert "Traceback" not in said
    assert os.waitstatus_to_exitcode(ended[1]) not in (0, 1), said
    assert git(repo, "branch", "--show-current").strip() == "main"


@pytest.mark.slow  # whole loops, in one more situation
def test_done_without_any_change_says_so(repo):
    pair(repo, *CLEAR, *ONE)
    told = pair(repo, *CLEAR, *ONE, "--done")
    assert (told["status"], "nothing has changed" in told["reason"]) == ("gated", True), told


def test_an_input_that_is_not_there_is_told(repo):
    told = pair(repo, "--yes", "--no-pr", "--deliverable=one", "--input=src/nothere.py")
    assert (told["status"], "src/nothere.py" in told["reason"]) == ("gated", True), told


@pytest.mark.slow  # whole loops, in one more situation
def test_the_router_leaves_a_finished_phase_to_its_review_and_an_open_one_to_its_loop(repo):
    pair(repo, *CLEAR)
    (repo / "src" / "greet.py").write_text(HELLO)
    pair(repo, *CLEAR, "--done")
    told = json.loads(call(repo, "guild", "run-phase", "--json", "greet").stdout)
    assert told["dispatch"]["loop"] == "interactive", told
    pair(repo, *CLEAR, f"--implementer={MORE % 'x'}")
    told = json.loads(call(repo, "guild", "run-phase", "--json", "greet").stdout)
    assert (told["status"], "not merged yet" in told["report"]) == ("parked", True), told
