"""The judges that think: each says what it flags, and its own examples are read as it means them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from guildmoot.agents.registry import PACKAGE_FOLDER, load_agents
from guildmoot.agents.roster import derive_default, judged_paths
from guildmoot.model.agent import Agent
from guildmoot.model.verdict import Judgement
from guildmoot.reading.grammar import read_verdict

TABLES = sorted(PACKAGE_FOLDER.with_name("tables").glob("*.toml"))
REGISTRY = load_agents(None, Path("nowhere"))
EVALUATORS = [agent for name, agent in REGISTRY.agents.items() if name.startswith("evaluator-")]
BY_NAME = {agent.name: agent for agent in EVALUATORS}
PANEL = """contract-fit correctness security error-paths concurrency performance api-surface
    data-migrations tests a11y naming simplicity docs dependencies devils-advocate"""
WEB = "react nextjs tokens css-architecture test-unit test-integration"

_FLAG = re.compile(r"^- `([a-z0-9-]+)` \((blocking|advisory)\): (\S.{15,})$", re.MULTILINE)
_FENCE = re.compile(r"^```(template|example \w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_JUDGING = "## How to judge\n"
_EXAMPLES = "## Examples\n"

each_evaluator = pytest.mark.parametrize("agent", EVALUATORS, ids=lambda agent: agent.name)


class Example(NamedTuple):
    agent: Agent
    outcome: str
    text: str

    def read(self) -> Judgement:
        return read_verdict(self.text, self.agent.name)


def part(agent: Agent, heading: str) -> str:
    """What stands between this heading and the next of its level."""
    _, found, rest = agent.body.partition(f"## {heading}\n")
    assert found, f"{agent.name} has no part {heading!r}"
    return rest.partition("\n## ")[0]


def flags(agent: Agent) -> dict[str, bool]:
    """The declared codes, and whether each blocks."""
    found = _FLAG.findall(part(agent, "What you flag"))
    return {code: severity == "blocking" for code, severity, _ in found}


def contract(agent: Agent) -> str:
    """The part that every judge shares: how to judge and how to answer."""
    return agent.body[agent.body.index(_JUDGING) : agent.body.index(_EXAMPLES)]


def fences(agent: Agent, tag: str) -> list[tuple[str, str]]:
    return [(name, text) for name, text in _FENCE.findall(agent.body) if name.startswith(tag)]


EXAMPLES = [
    Example(agent, tag.split()[1], text)
    for agent in EVALUATORS
    for tag, text in fences(agent, "example")
]
each_example = pytest.mark.parametrize(
    "example", EXAMPLES, ids=lambda example: f"{example.agent.name}-{example.outcome}"
)


def test_the_panel_is_whole() -> None:
    names = {f"evaluator-{word}" for word in (PANEL + " " + WEB).split()}
    assert names == set(BY_NAME)
    assert REGISTRY.problems == ()


@each_evaluator
def test_a_judge_reads_and_never_writes(agent: Agent) -> None:
    assert Path(agent.source).stem == agent.name
    assert (agent.role, agent.tools) == ("evaluator", ("Read", "Glob", "Grep"))
    assert agent.perspective
    assert agent.tier


@each_evaluator
def test_no_vendor_is_bound_by_the_file(agent: Agent) -> None:
    assert (agent.backend, agent.model, agent.command) == ("command", "inherit", ())


def test_a_judge_that_thinks_is_never_seated_unasked() -> None:
    paths = ["a.py", "b.tsx", "c.css", "migrations/d.sql", "e2e/f.spec.ts", "README.md"]
    panel = derive_default(paths, REGISTRY.agents, lambda _: True)
    assert panel.seats
    assert not BY_NAME.keys() & {seat.agent for seat in panel.seats}


@each_evaluator
def test_a_judge_asks_one_question_and_says_what_it_leaves_to_others(agent: Agent) -> None:
    opening = agent.body.partition("\n## ")[0]
    assert len(re.findall(r"\*\*[^*]+\?\*\*", opening)) == 1
    assert "You must not judge" in " ".join(part(agent, "What you leave to others").split())


@each_evaluator
def test_every_flag_has_a_code_a_severity_and_its_evidence(agent: Agent) -> None:
    listed = [line for line in part(agent, "What you flag").splitlines() if line.startswith("-")]
    assert len(listed) == len(flags(agent)) >= 8
    assert any(flags(agent).values())


def test_no_code_is_declared_by_two_judges() -> None:
    codes = [code for agent in EVALUATORS for code in flags(agent)]
    assert sorted(codes) == sorted(set(codes))


@each_evaluator
def test_a_body_is_short_enough_to_be_followed(agent: Agent) -> None:
    assert 45 <= len(agent.body.strip().splitlines()) <= 92


@each_evaluator
def test_the_contract_is_the_same_in_every_file(agent: Agent) -> None:
    assert contract(agent) == contract(EVALUATORS[0])


def test_every_verdict_that_the_contract_teaches_is_read() -> None:
    (_, template), *_ = fences(EVALUATORS[0], "template")
    words = template.splitlines()[0].removeprefix("VERDICT: ").split(" | ")
    outcomes = [read_verdict(f"VERDICT: {word}", "seat").outcome for word in words]
    assert outcomes == ["approved", "flagged", "recused", "operator-judgment"]


@pytest.mark.parametrize(
    ("label", "verdict", "outcome"),
    [
        ("Reason", "recused", "recused"),
        ("Escalation", "operator-judgment-required", "operator-judgment"),
    ],
)
def test_the_labels_that_the_contract_teaches_are_read(
    label: str, verdict: str, outcome: str
) -> None:
    (line,) = re.findall(rf"`({label}: [^`]+)`", contract(EVALUATORS[0]))
    judgement = read_verdict(f"VERDICT: {verdict}\n{line}\n", "seat")
    assert (judgement.outcome, judgement.reason) == (outcome, line.partition(": ")[2])


def test_a_template_that_was_not_filled_in_is_no_vote() -> None:
    for agent in EVALUATORS:
        ((_, template),) = fences(agent, "template")
        assert read_verdict(template, agent.name).outcome == "unreadable"


@each_evaluator
def test_a_judge_that_recites_its_instructions_casts_no_vote(agent: Agent) -> None:
    assert read_verdict(agent.body, agent.name).outcome == "unreadable"


@each_evaluator
def test_every_judge_shows_a_flag_and_an_approval(agent: Agent) -> None:
    outcomes = [example.outcome for example in EXAMPLES if example.agent.name == agent.name]
    assert {"flagged", "approved"} <= set(outcomes)


@each_example
def test_an_example_is_read_as_it_is_meant(example: Example) -> None:
    judgement = example.read()
    assert judgement.outcome == example.outcome
    assert judgement.confidence
    blocking = [finding for finding in judgement.findings if finding.blocking]
    assert bool(blocking) == (example.outcome == "flagged")


@each_example
def test_every_finding_of_an_example_has_code_place_quote_and_remedy(example: Example) -> None:
    declared = flags(example.agent)
    for finding in example.read().findings:
        assert declared[finding.code] == finding.blocking
        assert finding.path
        assert finding.line
        assert f"{finding.path}:{finding.line} `{finding.quote}`: " in finding.title
        assert finding.quote
        assert finding.fix


@each_example
def test_reasons_and_remedies_of_an_example_come_in_pairs(example: Example) -> None:
    blocks = [block.splitlines() for block in example.text.split("\n\n")]
    sizes = {block[0]: len(block) for block in blocks}
    assert sizes.get("Reasons:") == sizes.get("Suggested remedies:")


@each_example
def test_an_approval_says_what_was_looked_at(example: Example) -> None:
    assert ("\nChecks:\n- " in example.text) == (example.outcome == "approved")


def rules() -> Iterator[tuple[str, str]]:
    """Each pattern of the panel's tables, and a judge that it seats."""
    for table in map(read_table, TABLES):
        for rule in (*table.get("kind", ()), *table.get("place", ())):
            yield from ((pattern, name) for pattern in rule["files"] for name in rule["add"])


def read_table(path: Path) -> dict[str, list[dict[str, list[str]]]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_every_judge_that_the_tables_name_is_there() -> None:
    named = {name for _, name in rules()}
    for path in TABLES:
        named |= set(re.findall(r"evaluator-[a-z0-9-]+", path.read_text(encoding="utf-8")))
    assert len(named) > 10
    assert named <= BY_NAME.keys()


def test_every_member_of_a_review_recipe_is_there() -> None:
    recipes = [recipe for path in TABLES for recipe in read_table(path).get("recipes", ())]
    members = {
        f"evaluator-{domain}"
        for recipe in recipes
        if "reviewer" in recipe["phase"]
        for domain in recipe["domains"]
    }
    assert len(members) > 10
    assert members <= BY_NAME.keys()


def test_a_judge_is_not_excused_from_the_files_that_it_was_seated_for() -> None:
    for pattern, name in rules():
        path = pattern.replace("**/", "a/b/").replace("**", "c.x").replace("*", "x")
        assert judged_paths(BY_NAME[name], [path]), f"{name} does not judge {pattern}"
