"""What a person said holds, and what nobody can believe does not count as done."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time

import pytest

from guildmoot.errors import UndecidedError, UsageError
from guildmoot.lifecycle import approval, steps, view
from guildmoot.lifecycle.drafting.challenge import challenge_by_file, check_decided, decide
from guildmoot.lifecycle.drafting.rounds import SENTINEL, read_challenge
from guildmoot.lifecycle.gates import GATES, GateAnswer
from guildmoot.lifecycle.interview import hold_interview
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.spec import SECTIONS
from guildmoot.lifecycle.standing import next_action
from guildmoot.lifecycle.team.compose import compose
from guildmoot.lifecycle.team.roster import roster
from guildmoot.lifecycle.terms import WorkTerms
from lifecycle.samples import REVIEW, VERIFY, put, receipt, write_project

YES = GateAnswer("", "", "approved", "Ann", "2026-11-01T10:00:00+00:00", "user")
NO = YES._replace(decision="rejected")


@pytest.fixture
def folder(tmp_path):
    return WorkFolder(write_project(tmp_path))


def test_only_what_lint_accepts_counts_as_done(folder):
    for gate in GATES:
        approval.approve(folder, gate, "parcels", YES)
    _, made = steps.make_bundles(folder, "parcels")
    here = folder.run(made.run)
    seen = []

    def steps_with(name: str, bad: str, good: str) -> None:
        for text in (bad, good):
            put(here / name, text)
            found = view.look(folder, "parcels")
            seen.append((found.standing.step, len(found.state.invalid)))

    good = receipt(b"")
    put(here / "handoffs/qa-T2-qa.md", good.replace("T1-backend", "T2-qa"))
    put(here / "assumptions.md", "# Assumptions\n")
    steps_with("handoffs/backend-T1-backend.md", "lgtm", good)
    steps_with("assumptions.md", "\0", "# Assumptions\n")
    steps_with("review.md", "fine", REVIEW)
    steps_with("verify.md", "---\nstatus: PASS\n---\n", VERIFY)
    assert seen == [
        *[("execute", 1), ("review", 0), ("execute", 1), ("review", 0)],
        *[("review", 1), ("verify", 0), ("verify", 1), ("done", 0)],
    ]


def test_each_answer_is_kept_at_once():
    kept, asked = [], []

    def ask(question, problem):
        asked.append(question.field)
        if len(asked) == 7:
            raise KeyboardInterrupt
        return "`ls` exits 0"

    with pytest.raises(KeyboardInterrupt):
        hold_interview(SECTIONS, ask, lambda said: None, lambda said: kept.append(dict(said)))
    assert list(kept[-1]) == list(SECTIONS[:5])


def test_who_is_killed_in_an_interview_finds_the_answers_again(tmp_path):
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "guildmoot", "run", "Write a tutorial", "--slug", "tour"]
    process = subprocess.Popen(command, cwd=tmp_path, stdin=follower, stdout=subprocess.DEVNULL)
    os.write(leader, b"Newcomers\n\n")
    spec = tmp_path / ".guild/spec/tour.md"
    for _ in range(300):
        if spec.is_file() and "Newcomers" in spec.read_text():
            break
        time.sleep(0.1)
    process.kill()
    process.wait()
    os.close(leader)
    os.close(follower)
    assert "- Newcomers" in spec.read_text()


def test_only_the_three_answers_end_an_escalation(folder):
    terms = WorkTerms(loop_cap=1)
    told = challenge_by_file(folder, "parcels", "clarify", "Who pays?", terms)
    assert told.state
    assert told.state.ended == "escalated"
    path = folder.spec("parcels")
    path.write_text(path.read_text() + "\n")
    with pytest.raises(UndecidedError, match="waits for a person"):
        challenge_by_file(folder, "parcels", "clarify", SENTINEL, terms)
    with pytest.raises(UndecidedError, match="waits for a person"):
        check_decided(folder, "parcels", "spec")
    decide(folder, "parcels", "clarify", "force-pass", "Ann")
    check_decided(folder, "parcels", "spec")


def test_an_open_question_blocks_the_approval_and_stands_in_the_status(folder):
    challenge_by_file(folder, "parcels", "clarify", "- Who pays?", WorkTerms())
    with pytest.raises(UndecidedError, match=r"Who pays\?"):
        approval.approve(folder, "spec", "parcels", YES)
    found = view.look(folder, "parcels")
    assert "Who pays?" in found.standing.why
    assert next_action(found.standing, found.state, {"spec"}, person=False) == "stop"
    challenge_by_file(folder, "parcels", "clarify", SENTINEL, WorkTerms())
    assert approval.approve(folder, "spec", "parcels", YES).standing.step == "approve team"


def test_the_end_inside_a_code_fence_is_none():
    assert read_challenge(f"Who pays?\n```\n{SENTINEL}\n```\n").kind == "questions"
    assert read_challenge(f"```\nls\n```\n{SENTINEL}\n").kind == "done"


def test_no_setting_overrules_a_persons_no(folder):
    approval.approve(folder, "spec", "parcels", YES)
    approval.approve(folder, "spec", "parcels", NO)
    found = view.look(folder, "parcels")
    assert found.standing.why == "the spec was refused by Ann on 2026-11-01 10:00"
    assert next_action(found.standing, found.state, {"spec"}, person=False) == "stop"
    auto = YES._replace(source="auto-approve-mode")
    with pytest.raises(UndecidedError, match="refused by Ann"):
        approval.approve(folder, "spec", "parcels", auto)
    path = folder.spec("parcels")
    path.write_text(path.read_text() + "- more (agreed by the user)\n")
    assert approval.approve(folder, "spec", "parcels", auto).standing.step == "approve team"


def test_a_file_with_other_line_ends_can_be_approved(folder, monkeypatch, capsys):
    from guildmoot.cli.guild.work.run import ask_gate

    path = folder.spec("parcels")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    monkeypatch.setattr("sys.stdin", __import__("io").StringIO("yes\n"))
    answer, seen = ask_gate(view.look(folder, "parcels"), "spec")
    assert answer == "approve"
    assert approval.approve(folder, "spec", "parcels", YES, seen).state.spec.approved


def test_a_decision_about_a_gap_that_is_none_is_an_error(folder):
    with pytest.raises(UsageError, match="no gap of this team"):
        steps.propose_team(folder, "parcels", steps.TeamRequest(gaps={"painter": "A"}))


def test_who_is_named_sits_before_who_is_implied(tmp_path):
    specialists, _ = roster(tmp_path)
    taken = compose("an http api with oauth and a react page", specialists, most=2).taken
    assert {match.specialist.name for match in taken} == {"backend", "frontend"}


def test_the_tier_of_the_team_file_is_the_least(folder):
    for gate in ("spec", "team"):
        path = view.document_path(folder, gate, "parcels")
        text = path.read_text()
        path.write_text(
            text.replace("  - name: qa\n", "  - name: qa\n    default_tier: powerful\n")
        )
        approval.approve(folder, gate, "parcels", YES)
    found = steps.make_plan(folder, steps.PlanRequest("parcels", replace=True), "2026-11-01").plan
    assert found
    assert {lane.owner: lane.tier for lane in found.lanes}["qa"] == "powerful"
