"""``guild whiteboard run`` and ``summary`` as a user meets them, under both names."""

import os
import subprocess

import pytest

from guildmoot.agents.recipes import load_axes, members
from guildmoot.agents.registry import PACKAGE_FOLDER, load_agents
from guildmoot.model.agent import Agent
from judges import add_engineers, decides

PLANNERS = """architecture data api security performance testing operations simplicity
    user-experience migration skeptic"""
REGISTRY = load_agents(None, PACKAGE_FOLDER / "nowhere")
SHIPPED = [agent for name, agent in REGISTRY.agents.items() if name.startswith("plan-")]
RECIPES = [
    entry["name"] for entry in load_axes()["recipes"]
    if entry["phase"] == "plan" and set(entry["domains"]) <= set(PLANNERS.split())
]  # fmt: skip


@pytest.fixture
def crew(shop):
    add_engineers(
        shop,
        ana=decides("cache", "adopt", "Add a cache"),
        ben=decides("cache", "reject", "Add a cache"),
    )
    return shop


ASKED = ("--engineers", "ana,ben", "--brief", "Do we need a cache?", "--board", "./b.md")


def test_the_board_and_the_result_use_the_words_of_the_verb(crew) -> None:
    ran = crew.guild("whiteboard", "run", *ASKED, "--json")
    assert ran.json["whiteboard_path"] == "./b.md"
    assert (crew.root / "b.md").read_text().startswith("# Whiteboard: Do we need a cache?\n")
    (crew.root / "b.md").unlink()
    ran = crew.guild("plan", "run", *ASKED, "--json")
    assert ran.json["plan_path"] == str(crew.root / "b.md")
    assert (crew.root / "b.md").read_text().startswith("# Plan: Do we need a cache?\n")


def test_people_see_who_contradicts_whom_and_what_to_decide(crew) -> None:
    ran = crew.guild("whiteboard", "run", *ASKED)
    assert ran.code == 0
    assert "cache [cache]: open" in ran.out
    assert "ben, reject: Add a cache" in ran.out
    assert "stopped: round 1 is the last" in ran.out
    assert "[2/2]" in ran.err
    assert all(len(line) <= 80 for line in ran.out.splitlines() if "b.md" not in line)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--brief", "x", "--board", "b.md"), "empty engineers list"),
        (("--engineers", " , ", "--brief", "x", "--board", "b.md"), "empty engineers list"),
        (("--engineers", "ana", "--board", "b.md"), "missing brief"),
        (("--engineers", "ana", "--brief", " \n", "--board", "b.md"), "missing brief"),
        (("--engineers", "ana", "--brief", "gone.md", "--board", "b.md"), "missing brief"),
        (("--engineers", "ana", "--brief", "x"), "missing whiteboard path"),
        (("--engineers", "ana", "--brief", "x", "--board", "."), "is a folder"),
        (("--engineers", "ana", "--brief", "x", "--board", ".git/HEAD/b.md"), "no folder"),
        (("--engineers", "ana", "--brief", "x", "--board", "b.md", "--context", "-1"), "from 0"),
        (("--engineers", "anna", "--brief", "x", "--board", "b.md"), "Did you mean ana?"),
        (("--engineers", "ruff", "--brief", "x", "--board", "b.md"), "cannot plan"),
        (("--recipe", "plan-nothing", "--brief", "x", "--board", "b.md"), "recipe-not-found"),
        (("--engineers", "ana", "--brief", "x", "--board", "b.md", "--rounds", "5"), "1 to 4"),
        (("--engineers", "ana", "--brief", ".env", "--board", "b.md"), "key file"),
    ],
)
@pytest.mark.sample(3)
def test_what_is_missing_or_wrong_is_told_and_nothing_is_made(crew, argv, words) -> None:
    crew.write(".env", "A=1\n")
    ran = crew.guild("whiteboard", "run", *argv)
    assert ran.code == 1, ran
    assert ran.err.startswith("guild-whiteboard-error: ")
    assert words in ran.err
    assert not (crew.root / "b.md").exists()
    assert not (crew.root / ".guild" / "runs").exists()


def test_planners_without_a_model_are_refused_with_the_setting_to_make(crew) -> None:
    ran = crew.guild(
        "whiteboard", "run", "--recipe", "plan-feature", "--brief", "x", "--board", "b.md"
    )
    assert ran.code == 1
    assert "no model is configured for plan-architecture" in ran.err
    assert "--model" in ran.err
    assert "GUILD_PANEL_MODEL" in ran.err
    assert not (crew.root / "b.md").exists()


def test_an_engineer_who_may_write_is_refused(crew) -> None:
    crew.agent(
        "smith.md",
        "---\nname: smith\ndescription: Writes.\nrole: planner\ntools: Read, Edit\n"
        "backend: command\ncommand: cat\n---\nYou build.\n",
    )
    ran = crew.guild("whiteboard", "run", "--engineers", "smith", "--brief", "x", "--board", "b.md")
    assert (ran.code, "may write (Edit)" in ran.err) == (1, True)


def test_a_board_that_nobody_may_write_to_is_left_as_it_was(crew) -> None:
    folder = crew.root / "closed"
    folder.mkdir()
    board = folder / "b.md"
    board.write_text("# Whiteboard: kept\n")
    folder.chmod(0o500)
    # root may write everywhere, unless that right is taken from it
    plain = ["setpriv", "--bounding-set", "-dac_override"] if os.geteuid() == 0 else []
    asked = ("run", "--engineers", "ana", "--brief", "x", "--board", "closed/b.md")
    argv = [*plain, *crew.argv("whiteboard", *asked)]
    try:
        ran = subprocess.run(argv, cwd=crew.root, env=crew.env, capture_output=True, text=True)
    finally:
        folder.chmod(0o700)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "guild-whiteboard-error" in ran.stderr
    assert board.read_text() == "# Whiteboard: kept\n"


def test_the_brief_may_be_a_file_or_standard_input(crew) -> None:
    crew.write("brief.md", "# Sessions\n\nWhere do they live?\n")
    crew.guild("whiteboard", "run", "--engineers", "ana", "--brief", "brief.md", "--board", "a.md")
    assert (crew.root / "a.md").read_text().startswith("# Whiteboard: Sessions\n")
    crew.guild(
        "whiteboard", "run", "--engineers", "ana", "--brief", "-", "--board", "c.md", stdin="Why?\n"
    )
    assert (crew.root / "c.md").read_text().startswith("# Whiteboard: Why?\n")


def test_command_agents_plan_without_a_model(crew) -> None:
    crew.agent(
        "echo.md",
        "---\nname: echo\ndescription: Repeats.\nrole: planner\nbackend: command\n"
        "command: sed -n 's/.*the brief.*/heard/p'\n---\nYou repeat.\n",
    )
    ran = crew.guild(
        "whiteboard", "run", "--engineers", "echo", "--brief", "x", "--board", "b.md", "--json"
    )
    [section] = ran.json["sections"]
    assert section["engineer"] == "echo"
    assert section["section"].startswith("heard")


# --- summary --------------------------------------------------------------------------------------


def test_the_summary_tells_decisions_contradictions_and_who_holds_what(crew) -> None:
    crew.guild("whiteboard", "run", *ASKED)
    ran = crew.guild("whiteboard", "summary", "b.md", "--json")
    assert ran.code == 0
    [found] = ran.json["contradictions"]
    assert (found["id"], found["state"], found["engineers"]) == ("cache", "open", ["ana", "ben"])
    assert [each["engineer"] for each in ran.json["engineers"]] == ["ana", "ben"]
    assert [each["contested"] for each in ran.json["decisions"]] == [True, True]
    people = crew.guild("plan", "summary", "b.md").out
    assert "WHO HOLDS WHAT" in people
    assert "not: Add a cache (ben, contested)" in people


def test_what_a_person_decides_is_shown_with_the_contradiction(crew) -> None:
    crew.guild("whiteboard", "run", *ASKED)
    decided = crew.guild(
        "whiteboard", "decide", "b.md", "cache", "--choice", "No cache", "--why", "measured"
    )
    assert decided.code == 0
    ran = crew.guild("whiteboard", "summary", "b.md", "--json")
    assert ran.json["contradictions"][0]["decided"]["choice"] == "No cache"
    assert "decided by a person" in crew.guild("whiteboard", "summary", "b.md").out


def test_a_decision_on_the_board_is_chosen_by_its_id(crew) -> None:
    crew.guild("whiteboard", "run", *ASKED)
    decide = ("whiteboard", "decide", "b.md")
    ran = crew.guild(*decide, "cache", "--why", "measured")
    assert (ran.code, "cache.2 is 'not: Add a cache'" in ran.err) == (1, True)
    assert "Did you mean cache" in crew.guild(*decide, "cahce.2", "--why", "measured").err
    ran = crew.guild(*decide, "cache.2", "--why", "measured", "--json")
    assert (ran.json["id"], ran.json["choice"]) == ("cache", "not: Add a cache")
    ran = crew.guild("plan", "summary", "b.md", "--json")
    assert ran.json["contradictions"][0]["decided"]["why"] == "measured"
    assert [each["choice_id"] for each in ran.json["decisions"]] == ["cache.1", "cache.2"]
    gone = crew.guild("whiteboard", "decide", "gone.md", "cache", "--why", "measured")
    assert "there is no whiteboard gone.md" in gone.err


def test_a_summary_of_nothing_is_refused_and_of_an_empty_board_is_empty(crew) -> None:
    ran = crew.guild("plan", "summary", "gone.md")
    assert (ran.code, ran.err.startswith("guild-plan-error: there is no plan")) == (1, True)
    assert crew.guild("plan", "summary").err.startswith("guild-plan-error: missing plan path")
    crew.write("e.md", "# Whiteboard: nothing yet\n")
    assert "0 rounds, 0 engineers" in crew.guild("plan", "summary", "e.md").out


def test_hostile_text_reaches_neither_terminal_nor_log_commands(crew) -> None:
    text = decides("x\x1b[2J", "adopt", "::error::\x1b]0;owned\x07 do it")
    crew.write("h.md", f"# Whiteboard: \x1b[31mred\n\n## Round 1\n\n### From e\x1b[0m\n\n{text}\n")
    ran = crew.guild("whiteboard", "summary", "h.md")
    assert "\x1b" not in ran.out
    assert not any(line.lstrip().startswith("::") for line in ran.out.splitlines())


def test_a_board_of_many_rounds_is_summed_up_with_a_note(crew) -> None:
    section = f"### From ana\n\n{decides('cache', 'adopt', 'Add a cache')}\n"
    text = "".join(f"## Round {number}\n\n{section}" for number in range(1, 201))
    crew.write("many.md", f"# Whiteboard: long\n\n{text}")
    ran = crew.guild("whiteboard", "summary", "many.md")
    assert "the oldest 160 rounds were not compared" in ran.out


# --- planners and recipes -------------------------------------------------------------------------


def test_every_planner_of_the_list_ships() -> None:
    assert {agent.name for agent in SHIPPED} == {f"plan-{name}" for name in PLANNERS.split()}


@pytest.mark.parametrize("agent", SHIPPED, ids=lambda agent: agent.name)
def test_a_planner_reads_only_and_has_questions_of_its_own(agent: Agent) -> None:
    assert agent.role == "planner"
    assert set(agent.tools) <= {"Read", "Glob", "Grep"}
    for part in ("What you ask", "What you watch for", "What you leave to others", "How to plan"):
        assert f"## {part}\n" in agent.body
    own = agent.body.split("## What you ask\n")[1].split("\n## ")[0]
    questions = [line for line in own.splitlines() if line.startswith("- ")]
    assert len(questions) >= 5
    others = [other.body for other in SHIPPED if other.name != agent.name]
    assert not any(question in body for question in questions for body in others)


@pytest.mark.parametrize("name", RECIPES)
def test_every_planner_of_a_recipe_can_be_called(name: str) -> None:
    assert all(member in REGISTRY.agents for member in members(load_axes(), name))


def test_there_are_recipes_for_kinds_of_work() -> None:
    assert len(RECIPES) >= 9
