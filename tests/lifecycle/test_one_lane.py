"""Small work of one lane needs neither team nor plan; gaps and overlaps are told before anything is spent."""

from __future__ import annotations

import pytest

from guildmoot.errors import UsageError
from guildmoot.lifecycle import approval, steps, view
from guildmoot.lifecycle.documents import read_markdown
from guildmoot.lifecycle.gates import GateAnswer
from guildmoot.lifecycle.lint import lint
from guildmoot.lifecycle.named_places import places_of
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.plan import overlaps, read_plan
from guildmoot.lifecycle.team.compose import compose
from guildmoot.lifecycle.team.roster import shipped
from guildmoot.lifecycle.terms import WorkTerms
from lifecycle.samples import PLAN, SPEC, lane, put

DAY = "2026-11-01"
YES = GateAnswer("", "", "approved", "Ann", "2026-11-01T10:00:00+00:00", "user")


def begin(folder: WorkFolder, wish: str, **more) -> view.WorkView:
    return steps.make_spec(folder, steps.SpecRequest(wish, "work", proceed=True, **more), DAY)


def test_one_lane_goes_from_an_approved_spec_to_its_bundle(tmp_path):
    folder = WorkFolder(tmp_path)
    found = begin(folder, "Write a tutorial for new users")
    assert (found.one_lane, found.standing.step) == ("technical-writer", "approve spec")
    found = approval.approve(folder, "spec", "work", YES)
    assert found.standing.step == "context"
    with pytest.raises(UsageError, match="is one lane of technical-writer: it has no team"):
        steps.make_team(folder, steps.TeamRequest("work"))
    found, made = steps.make_bundles(folder, "work")
    assert (found.standing.step, [each.lane.task for each in made.lanes]) == (
        "execute", ["T1-technical-writer"],
    )  # fmt: skip
    assert lint([str(made.lanes[0].path)], tmp_path)[0].problems == ()
    folder.spec("work").write_text(folder.spec("work").read_text() + "\n")
    assert view.look(folder, "work").standing.step == "approve spec"


def test_a_person_chooses_one_lane_or_a_team(tmp_path):
    folder = WorkFolder(tmp_path)
    assert begin(folder, "An HTTP API", one_lane="backend").one_lane == "backend"
    again = steps.make_spec(folder, steps.SpecRequest(slug="work"), DAY)
    assert again.one_lane == "backend"
    assert (
        steps.make_spec(folder, steps.SpecRequest(slug="work", one_lane="team"), DAY).one_lane == ""
    )
    with pytest.raises(UsageError, match="nobody is called painter"):
        begin(folder, "An HTTP API", one_lane="painter")


@pytest.mark.parametrize(
    ("owner", "goal", "code"),
    [("painter", "Pages", "unknown-owner"), ("backend", "An oauth login", "missing-security")],
)
def test_one_lane_that_cannot_be_is_refused(tmp_path, owner, goal, code):
    text = SPEC.replace("source_refs", f"one_lane: {owner}\nsource_refs").replace(
        "Customers see where their parcel is.", goal
    )
    put(tmp_path / ".guild/spec/parcels.md", text)
    [found] = lint([".guild/spec/parcels.md"], tmp_path)
    assert [each.code for each in found.problems] == [code]


def test_what_nobody_covers_is_a_gap_and_a_person_decides(tmp_path):
    folder = WorkFolder(tmp_path)
    begin(folder, "An HTTP API with an etl job and an oauth login")
    approval.approve(folder, "spec", "work", YES)
    request = steps.TeamRequest("work", unwanted=("security",))
    found, proposal = steps.make_team(folder, request)
    assert [(gap.role, gap.resolution) for gap in proposal.gaps] == [
        ("security", "B"), ("data-engineer", "B"),
    ]  # fmt: skip
    assert found.problems == ()
    assert "nobody covers security" in folder.team("work").read_text()
    gaps = {"data-engineer": "A", "security": "C:backend"}
    steps.make_team(folder, request._replace(gaps=gaps, replace=True))
    draft = tmp_path / ".guild/agents/proposed/data-engineer.md"
    assert lint([str(draft)], tmp_path)[0].problems == ()
    assert "backend covers security" in folder.team("work").read_text()
    for how in ("C", "E", "C:nobody"):
        with pytest.raises(UsageError):
            steps.make_team(folder, request._replace(gaps={"security": how}, replace=True))


def test_settings_seat_and_limit_a_team():
    asks = "an http api with tests"
    terms = WorkTerms(always_include=("technical-writer",), team_size=2)
    proposal = compose(asks, shipped(), terms.always_include, (), terms.team_size)
    assert [each.specialist.name for each in proposal.taken] == ["backend", "technical-writer"]
    assert "qa would fit" in proposal.left_out[0]
    assert [(gap.role, gap.why) for gap in proposal.gaps] == [
        ("qa", "backend work needs its tests")
    ]


def test_places_are_paths_and_not_words_with_a_stroke():
    assert places_of("Pages below app/ and/or `tests/x`, see GET /status and bench.py.") == (
        "app", "tests/x", "bench.py",
    )  # fmt: skip


def test_lanes_that_meet_in_one_place_are_told_unless_one_waits():
    apart = PLAN.split("## Lane")[0] + lane("T1-backend", "backend", "[]", "Code in app/api/.")
    apart += lane("T2-frontend", "frontend", "[]", "Pages below app/.")
    plan = read_plan(read_markdown(apart))
    assert overlaps(plan) == [("T1-backend", "T2-frontend", "app/api")]
    waits = apart.replace("- task-id: T2-frontend\n- owner: frontend\n- depends-on: []",
                          "- task-id: T2-frontend\n- owner: frontend\n- depends-on: [T1-backend]")  # fmt: skip
    assert overlaps(read_plan(read_markdown(waits))) == []


@pytest.mark.parametrize(
    "scope", ["{ops: 5}", "[Read, 'rm -rf']", "{tools: [Read], network: maybe}"]
)
def test_an_agent_with_a_scope_that_cannot_be_read_is_refused(tmp_path, scope):
    head = 'name: painter\ndescription: "Paints. Use when walls. Do not use for code."'
    put(tmp_path / ".guild/agents/painter.md", f"---\n{head}\ncapability_scope: {scope}\n---\nx\n")
    [found] = lint([".guild/agents/painter.md"], tmp_path)
    assert ("bad-scope", 4) in [(each.code, each.line) for each in found.problems]
    put(tmp_path / ".guild/spec/parcels.md", SPEC)
    with pytest.raises(UsageError, match=r"painter\.md:4: capability_scope cannot be used"):
        steps.propose_team(WorkFolder(tmp_path), "parcels", steps.TeamRequest())
