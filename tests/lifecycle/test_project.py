"""How a project begins, and initiatives that outlive one piece of work."""

from __future__ import annotations

import pytest

from guildmoot.config import SETTINGS, parse_toml, read_table
from guildmoot.errors import GuildmootError, UsageError
from guildmoot.lifecycle import approval, steps, view
from guildmoot.lifecycle.gates import GateAnswer
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.project.beginning import begin_project, settings_scaffold
from guildmoot.lifecycle.project.initiatives import (
    InitiativeClosing,
    activity,
    add_work,
    close_initiative,
    find_initiative,
    initiative_of,
    list_initiatives,
    move_initiative,
    new_initiative,
    update_initiative,
)
from guildmoot.memory.wiki.provenance import Register, page_hash
from lifecycle.samples import put

YES = GateAnswer("", "", "approved", "Ann", "2026-11-01T10:00:00+00:00", "user")


def test_an_empty_folder_begins_with_what_a_person_says(tmp_path):
    folder = WorkFolder(tmp_path)
    done = begin_project(folder, "Ann", goals="Tea without accounts")
    assert done.shape == "new or sparse"
    assert done.missing == ("--about 'what this is'",)
    goals = tmp_path / ".guild/wiki/context/goals.md"
    assert "Tea without accounts" in goals.read_text()
    found = Register(tmp_path).provenance("context/goals.md", page_hash(goals.read_bytes()))
    assert found.trust == "reviewed"
    again = begin_project(folder, "Ann", about="A shop", goals="Something else")
    assert "Something else" not in goals.read_text()
    assert ".guild/wiki/context/goals.md" in again.kept
    assert again.missing == ()


def test_what_the_map_tells_is_believed_by_nobody_yet(tmp_path):
    for number in range(6):
        put(tmp_path / f"app/part{number}.py", "import os\n")
    done = begin_project(WorkFolder(tmp_path), "Ann")
    assert (done.shape, done.files >= 6) == ("one project", True)
    page = tmp_path / ".guild/wiki/context/project-overview.md"
    assert "Python: 6 files" in page.read_text()
    trust = Register(tmp_path).provenance(
        "context/project-overview.md", page_hash(page.read_bytes())
    )
    assert trust.trust != "reviewed"


def test_the_first_settings_file_sets_nothing_and_every_line_of_it_could(tmp_path):
    text = settings_scaffold()
    assert read_table(parse_toml(text.encode(), "guild.toml"), "guild.toml").values == {}
    bare = "\n".join(row.removeprefix("# ") for row in text.splitlines()[2:])
    found = read_table(parse_toml(bare.encode(), "guild.toml"), "guild.toml").values
    assert found.keys() == {key for key in SETTINGS if key.startswith("work.")}
    put(tmp_path / "guild.toml", "# mine\n")
    begin_project(WorkFolder(tmp_path), "Ann")
    assert (tmp_path / "guild.toml").read_text() == "# mine\n"


def test_an_initiative_is_begun_changed_archived_and_brought_back(tmp_path):
    folder = WorkFolder(tmp_path)
    made = new_initiative(folder, 'Faster "checkout"', "p95 below 1 s", "Ann")
    assert (made.id, find_initiative(folder, made.id)) == ("faster-checkout", made)
    with pytest.raises(UsageError, match="already"):
        new_initiative(folder, "Faster checkout", "", "Ann")
    update_initiative(folder, made.id, "Ann", goal="p95 below 2 s", settled="cards only")
    assert "cards only (Ann)" in (made.folder / "definition-ledger.md").read_text()
    move_initiative(folder, made.id, "archived", "Ann")
    assert [each.state for each in list_initiatives(folder)] == ["archived"]
    for wrong in (
        lambda: update_initiative(folder, made.id, "Ann", goal="x"),
        lambda: add_work(folder, made.id, "cart", "Ann"),
        lambda: move_initiative(folder, made.id, "archived", "Ann"),
    ):
        with pytest.raises(UsageError, match="is archived, not active"):
            wrong()
    back = move_initiative(folder, made.id, "active", "Ann")
    assert back.goal == "p95 below 2 s"
    assert [row["what"] for row in activity(back)][-2:] == ["archived", "restored"]


def test_an_initiative_is_closed_by_a_release_that_documents_tell_of(tmp_path):
    folder = WorkFolder(tmp_path)
    new_initiative(folder, "Tea", "Sell tea", "Ann")
    put(tmp_path / "CHANGELOG.md", "v1.0\n")
    for proof, why in (
        (InitiativeClosing(), "must be named"),
        (InitiativeClosing("v2.0", "CHANGELOG.md"), "does not speak of v2.0"),
        (InitiativeClosing("v1.0", "../out.md"), "cannot be read"),
    ):
        with pytest.raises(GuildmootError, match=why):
            close_initiative(folder, "tea", "Ann", proof)
    closed = close_initiative(folder, "tea", "Ann", InitiativeClosing("v1.0", "CHANGELOG.md"))
    assert (closed.state, closed.folder.parent.name) == ("closed", "archived")
    with pytest.raises(UsageError, match="is closed"):
        move_initiative(folder, "tea", "active", "Ann")


def test_work_carries_the_goal_of_its_initiative_into_its_bundles(tmp_path):
    folder = WorkFolder(tmp_path)
    new_initiative(folder, "Newcomers", "a first answer within <guild:recall> minutes", "Ann")
    steps.make_spec(
        folder, steps.SpecRequest("Write a tutorial", "tour", proceed=True), "2026-11-01"
    )
    add_work(folder, "newcomers", "tour", "Ann")
    found = initiative_of(folder, "tour")
    assert found
    assert found.id == "newcomers"
    approval.approve(folder, "spec", "tour", YES)
    _, made = steps.make_bundles(folder, "tour")
    text = made.lanes[0].bundle.text
    assert "\nNewcomers. a first answer within &lt;guild:recall> minutes\n</guild:recall>" in text
    assert view.look(folder, "tour").standing.step == "execute"


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    put(tmp_path / ".guild/initiatives/active/x/initiative.yaml", "title: [\n")
    with pytest.raises(UsageError, match=r"x/initiative\.yaml:2"):
        list_initiatives(WorkFolder(tmp_path))
