"""What a repository brings of its own work: words to read, never an approval, a run or a proof."""

from __future__ import annotations

import os

import pytest

from guildmoot.cli.guild.work import run
from guildmoot.errors import UndecidedError
from guildmoot.lifecycle import approval, steps, view
from guildmoot.lifecycle.gates import GateAnswer
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import begin_run, latest_run, runs_of
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
    assert any("did not give on this machine" in note for note in found.notes)
    assert latest_run(folder, "parcels") == ""
    assert made.run
    with pytest.raises(UndecidedError, match="in your name"):
        approval.approve(folder, "spec", "parcels", YES)
    git(worktree, "rm", "-q", "-f", ".guild/gates/parcels.jsonl")
    assert approval.approve(folder, "spec", "parcels", YES).standing.step == "approve team"


def test_approvals_and_runs_of_an_archive_count_for_nobody(tmp_path, monkeypatch):
    write_project(tmp_path)
    folder = WorkFolder(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of-the-packer"))
    for gate in ("spec", "team", "plan"):
        approval.approve(folder, gate, "parcels", YES)
    steps.make_bundles(folder, "parcels")
    assert view.look(folder, "parcels").standing.step == "execute"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of-the-user"))
    found = view.look(folder, "parcels")
    assert (found.standing.step, found.approvals) == ("approve spec", ())
    assert any("did not give on this machine" in note for note in found.notes)
    assert latest_run(folder, "parcels") == ""
    gates = folder.gates("parcels")
    gates.rename(
        gates.with_name("other.jsonl")
    )  # a yes of ours to another piece of work is none either
    approval.approve(folder, "spec", "parcels", YES)
    gates.replace(folder.gates("others"))
    put(folder.spec("others"), folder.spec("parcels").read_text())
    assert view.look(folder, "others").standing.step == "approve spec"


def test_no_setting_approves_a_proof_that_cannot_be_run_here(tmp_path):
    put(tmp_path / ".guild/spec/parcels.md", SPEC.replace("python -m", "no-such-program -m"))
    folder = WorkFolder(tmp_path)
    with pytest.raises(UndecidedError, match="`no-such-program` is not on this machine"):
        approval.approve(folder, "spec", "parcels", YES._replace(source="auto-approve-mode"))
    assert approval.approve(folder, "spec", "parcels", YES).standing.step == "team"


def test_no_setting_approves_a_command_that_a_model_thought_of(tmp_path):
    drafted = "## Assumptions (from brainstorm)\n- Success criteria was drafted by m:x (inferred, low-significance)\n"
    put(
        tmp_path / ".guild/spec/parcels.md",
        SPEC.partition("## Assumptions")[0].replace("high", "low") + drafted,
    )
    folder, auto = WorkFolder(tmp_path), YES._replace(source="auto-approve-mode")
    assert any("the draft of m:x names `" in note for note in view.look(folder, "parcels").notes)
    with pytest.raises(UndecidedError, match="would be run here"):
        approval.approve(folder, "spec", "parcels", auto)
    write_project(tmp_path)
    for gate in ("spec", "team"):
        approval.approve(folder, gate, "parcels", YES)
    plan = folder.plan("parcels")
    first = next(row for row in plan.read_text().split("\n") if row.startswith("  - `"))
    plan.write_text(plan.read_text().replace(first, f"{first}\n  - `rm -rf ~/x` exits 0", 1))
    assert any("`rm -rf ~/x`" in note for note in view.look(folder, "parcels").notes)
    with pytest.raises(UndecidedError, match="not the spec, names"):
        approval.approve(folder, "plan", "parcels", auto)
    assert approval.approve(folder, "plan", "parcels", YES).standing.step == "context"


def test_another_wish_with_the_same_first_words_is_another_piece_of_work(tmp_path):
    folder = WorkFolder(tmp_path)
    said = [
        f"Export orders from shop database {often}" for often in ("nightly", "weekly", "nightly")
    ]
    slugs = [steps.make_spec(folder, steps.SpecRequest(each), "2026-11-01").slug for each in said]
    assert slugs == [f"export-orders-from-shop-database{end}" for end in ("", "-2", "")]


def test_what_was_typed_before_a_document_was_shown_is_no_answer(monkeypatch):
    person, terminal = os.openpty()
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        os.write(person, b"approve\n")
        run._forget_typed()
        os.write(person, b"abort\n")
        assert run._asked("?") == "abort"
    os.close(person)


def test_words_that_are_there_already_begin_no_second_run(tmp_path):
    folder = WorkFolder(tmp_path)
    wish = steps.SpecRequest(
        "Orders API", fields=(("Success criteria", "`true` exits 0"),), proceed=True
    )
    slug = steps.make_spec(folder, wish, "2026-11-01").slug
    first = latest_run(folder, slug)
    begin_run(folder, slug, "a" * 64)  # the bundles of an approved plan were made
    steps.make_spec(folder, steps.SpecRequest(slug=slug), "2026-11-02")
    assert [each.id for each in runs_of(folder, slug)] == [first]
