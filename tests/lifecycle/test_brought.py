"""What a repository brings of its own work: words to read, never an approval, a run or a proof."""

from __future__ import annotations

import pytest

from guildmoot.errors import UndecidedError
from guildmoot.lifecycle import approval, steps, view
from guildmoot.lifecycle.gates import GateAnswer
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import latest_run
from lifecycle.samples import SPEC, git, put, write_project

YES = GateAnswer("", "", "approved", "Ann", "2026-11-01T10:00:00+00:00", "user")


def test_approvals_and_runs_that_git_brings_count_for_nobody(worktree):
    write_project(worktree)
    folder = WorkFolder(worktree)
    for gate in ("spec", "team", "plan"):
        approval.approve(folder, gate, "parcels", YES)
    _, made = steps.make_bundles(folder, "parcels")
    assert view.look(folder, "parcels").standing.step == "execute"
    git(worktree, "add", "-f", ".guild")  # as in a fresh clone of a repository that holds all of it
    found = view.look(folder, "parcels")
    assert (found.standing.step, found.approvals) == ("approve spec", ())
    assert any("repository brings along" in note for note in found.notes)
    assert latest_run(folder, "parcels") == ""
    assert made.run
    with pytest.raises(UndecidedError, match="in your name"):
        approval.approve(folder, "spec", "parcels", YES)
    git(worktree, "rm", "-q", "-f", ".guild/gates/parcels.jsonl")
    assert approval.approve(folder, "spec", "parcels", YES).standing.step == "approve team"


def test_no_setting_approves_a_proof_that_cannot_be_run_here(tmp_path):
    put(tmp_path / ".guild/spec/parcels.md", SPEC.replace("python -m", "no-such-program -m"))
    folder = WorkFolder(tmp_path)
    with pytest.raises(UndecidedError, match="`no-such-program` is not on this machine"):
        approval.approve(folder, "spec", "parcels", YES._replace(source="auto-approve-mode"))
    assert approval.approve(folder, "spec", "parcels", YES).standing.step == "team"
