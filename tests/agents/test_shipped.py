"""What ships with the package can be read, is safe to run and says what it does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from guildmoot.agents.registry import PACKAGE_FOLDER, load_agents
from guildmoot.model.agent import Agent

REGISTRY = load_agents(None, Path("nowhere"))
AGENTS = [agent for agent in REGISTRY.agents.values() if agent.backend == "tool"]
RUFF = [agent for agent in AGENTS if agent.family == "ruff"]
RUFF_PROGRAM = str(Path(sys.executable).with_name("ruff"))


def option(agent: Agent, name: str) -> list[str]:
    """Every value that the command gives to an option."""
    words = agent.command
    return [words[at + 1] for at, word in enumerate(words) if word == name]


def codes(agent: Agent, name: str) -> tuple[str, ...]:
    return tuple(code for value in option(agent, name) for code in value.split(","))


@pytest.fixture(scope="module")
def rules() -> list[str]:
    out = subprocess.run(
        [RUFF_PROGRAM, "rule", "--all", "--output-format", "json"], capture_output=True, check=True
    ).stdout
    return [rule["code"] for rule in json.loads(out) if rule["code"]]


def test_every_shipped_file_is_an_agent_without_problems() -> None:
    assert REGISTRY.problems == ()
    assert len(REGISTRY.agents) == len(list(PACKAGE_FOLDER.glob("*.md"))) >= 38


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_a_shipped_judge_says_what_blocks_and_how_to_mend(agent: Agent) -> None:
    assert Path(agent.source).stem == agent.name
    assert (agent.role, agent.backend) == ("evaluator", "tool")
    assert "**Blocks:**" in agent.body
    assert "**To mend:**" in agent.body
    assert agent.exit_codes
    assert agent.severities


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_python_never_imports_from_the_work_under_review(agent: Agent) -> None:
    if agent.command[0] == "{python}":
        assert agent.command[1:3] == ("-P", "-m")


@pytest.mark.parametrize("agent", RUFF, ids=lambda agent: agent.name)
def test_ruff_takes_no_settings_from_the_work_under_review(agent: Agent) -> None:
    assert {"{ruff_settings}", "--no-cache", "--no-respect-gitignore"} <= set(agent.command)
    assert option(agent, "--exclude")  # without it ruff skips folders such as build and dist


def covers(code: str, rule: str) -> bool:
    """Whether ruff counts the rule among those that the code selects: F is not FURB."""
    letters = rule.rstrip("0123456789")
    return rule.startswith(code) and code.rstrip("0123456789") == letters


def judged_rules(agent: Agent, rules: list[str]) -> list[str]:
    select, ignore = codes(agent, "--select"), codes(agent, "--ignore")
    return [
        rule
        for rule in rules
        if any(covers(code, rule) for code in select)
        and not any(covers(code, rule) for code in ignore)
    ]


def test_no_rule_is_judged_by_two_ruff_agents(rules: list[str]) -> None:
    judged = [rule for agent in RUFF for rule in judged_rules(agent, rules)]
    assert len(judged) > 200
    assert len(judged) == len(set(judged))


def test_every_rule_that_is_named_exists(rules: list[str]) -> None:
    for agent in RUFF:
        named = [*codes(agent, "--select"), *codes(agent, "--ignore")]
        named += [rule for rule, _ in agent.severities if rule not in ("*", "invalid-syntax")]
        assert [code for code in named if not any(rule.startswith(code) for rule in rules)] == []


def test_no_severity_spills_over_to_a_family_with_a_longer_name(rules: list[str]) -> None:
    """Severities go by the longest prefix, and ``F`` is a prefix of ``FAST003`` too."""
    for agent in RUFF:
        for rule in judged_rules(agent, rules):
            fits = [key for key, _ in agent.severities if rule.startswith(key)]
            assert not fits or covers(max(fits, key=len), rule), rule
