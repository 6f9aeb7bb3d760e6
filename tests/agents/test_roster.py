"""The default panel: evidence judges by file type, and nothing from the repository unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.agents.registry import load_agents
from guildmoot.agents.roster import (
    NOT_INSTALLED,
    RUNS_PROJECT_CODE,
    derive_default,
    judged_paths,
    make_roster,
    seat_for,
)
from guildmoot.config import load_config
from guildmoot.errors import UsageError
from guildmoot.model.agent import Agent, Roster

SHIPPED = load_agents(None, Path("nowhere")).agents


def derive(paths: list[str], installed: bool = False, **more: Agent) -> Roster:
    return derive_default(paths, {**SHIPPED, **more}, lambda _: installed)


def tool(name: str, origin: str = "user", **more: object) -> Agent:
    plain = Agent(name, "d", "", f"{name}.md", backend="tool", command=("x",), family="x")
    return plain._replace(origin=origin, **more)  # type: ignore[arg-type]


def names(panel: Roster) -> list[str]:
    return [seat.name for seat in panel.seats]


def test_a_python_repository_gets_the_python_judges() -> None:
    panel = derive(["src/a.py", "src/b.py", "src/c.pyi", "tests/test_a.py", "README.md"])
    assert names(panel) == [
        "merge-conflicts",
        "ruff",
        "secrets",
    ]
    why = {seat.name: seat.why for seat in panel.seats}
    assert why["ruff"] == "3 *.py, 1 *.pyi file"
    assert why["secrets"] == "5 files"
    assert {seat.family for seat in panel.seats} == {"guildmoot", "ruff"}


def test_who_compares_with_a_base_sits_where_a_change_is_judged() -> None:
    agents = SHIPPED
    for change in (True, False):
        panel = derive_default(["a.py"], agents, lambda agent: False, change=change)
        assert ("python-changes" in names(panel)) is change


def test_other_languages_get_the_judges_for_any_file() -> None:
    assert names(derive(["main.c", "Makefile"])) == ["languages", "merge-conflicts", "secrets"]


def test_nothing_to_judge_seats_nobody() -> None:
    assert derive([]) == Roster((), {}, ())


def test_optional_judges_sit_only_where_they_are_installed() -> None:
    absent = derive(["run.sh"])
    assert ("shellcheck", NOT_INSTALLED) in absent.passed_over
    assert "shellcheck" not in names(absent)
    assert "shellcheck" in names(derive(["run.sh"], installed=True))


def test_judges_that_run_project_code_wait_to_be_named() -> None:
    panel = derive(["a.ts", "b.rs", "c.go", "d.py"], installed=True)
    assert set(panel.passed_over) == {
        (name, RUNS_PROJECT_CODE) for name in ("eslint", "clippy", "golangci-lint", "mypy")
    }


def test_semgrep_sits_only_with_rules_at_the_root() -> None:
    assert "semgrep" in names(derive([".semgrep.yml", "a.py"], installed=True))
    assert "semgrep" not in names(derive(["sub/.semgrep.yml", "a.py"], installed=True))


def test_who_is_seated_for_his_rules_judges_every_file() -> None:
    semgrep = derive([".semgrep.yml", "a.py"], installed=True).agents["semgrep"]
    assert judged_paths(semgrep, [".semgrep.yml", "a.py"]) == [".semgrep.yml", "a.py"]
    assert judged_paths(semgrep, ["a.py"]) == []


def test_the_users_own_tool_is_seated() -> None:
    panel = derive(["a.py"], mine=tool("mine", files=("*.py",)))
    assert "mine" in names(panel)
    assert panel.agents["mine"].name == "mine"


def test_agents_that_are_no_evidence_judges_are_not_seated() -> None:
    model = Agent("model", "d", "", "m.md", origin="user", backend="command", command=("x",))
    fixer = tool("fixer", role="fixer")
    panel = derive(["a.py"], model=model, fixer=fixer)
    assert not {"model", "fixer"} & {*names(panel), *dict(panel.passed_over)}


def test_a_seat_carries_what_the_agent_says() -> None:
    agent = tool("mine", model="m", perspective="p")
    seat = seat_for(agent, "named")
    assert seat == ("mine", "mine", "tool", "x", "m", "p", "named")


_paths = st.lists(st.from_regex(r"([a-z]{1,4}/){0,2}[a-z_]{1,6}\.(py|sh|md|ts)", fullmatch=True))


@settings(deadline=None)  # the first example may import what the others find there
@given(_paths)
def test_every_seat_has_files_and_nobody_sits_and_is_passed_over(paths: list[str]) -> None:
    panel = derive(paths, installed=True)
    assert all(judged_paths(panel.agents[seat.name], paths) for seat in panel.seats)
    assert not set(names(panel)) & set(dict(panel.passed_over))
    assert names(panel) == names(derive(paths[::-1], installed=True))


def test_all_unknown_names_are_told_at_once() -> None:
    with pytest.raises(UsageError, match="there are no agents 'foo', 'bar'"):
        make_roster(
            load_agents(None, Path("nowhere")),
            load_config(None, Path("nowhere"), {}),
            ["a.py"],
            ["foo", "bar"],
            "",
        )
