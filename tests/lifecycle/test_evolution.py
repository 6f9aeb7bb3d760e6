"""Skills change by evidence, every version is kept, and any of them comes back."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from guildmoot.api.lifecycle.skills import evolve_skill, rollback_skill, skill_versions
from guildmoot.cli.main import GUILD_VERBS
from guildmoot.errors import UsageError
from guildmoot.lifecycle.evolution.flips import GradedCase, Grading, decide, flips_of, read_grading
from guildmoot.places.plugin import COMMANDS
from lifecycle.samples import git, put

HEAD = "---\nname: tdd\ndescription: Tests. Use when code is new. Do not use for words.\n---\n"
CASES = json.dumps({"should_trigger": ["a", "b", "c"], "should_not_trigger": ["x", "y", "z"]})


def graded(before: str, after: str, tokens: tuple[int, int] = (100, 100)) -> Grading:
    sides = zip((before, after), tokens, strict=True)
    return Grading(*(
        tuple(GradedCase(f"c{at}", mark == "P", each) for at, mark in enumerate(marks))
        for marks, each in sides
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("grading", "agreed", "outcome"),
    [
        (graded("FP", "PP"), False, "PROMOTED"),
        (graded("FP", "PF"), False, "REJECTED"),
        (graded("FP", "PF"), True, "PROMOTED"),
        (graded("PP", "PP", (100, 90)), False, "PROMOTED"),
        (graded("PP", "PP", (100, 91)), True, "REJECTED"),
        (graded("PP", "P"), True, "DEFERRED"),
        (graded("", ""), True, "DEFERRED"),
    ],
)
def test_a_version_is_taken_over_by_the_rule_alone(grading, agreed, outcome):
    assert decide(flips_of(grading), agreed=agreed).outcome == outcome


@pytest.mark.parametrize("text", ["", "[]", '{"current": []}', '{"current": [{}], "proposed": []}'])
def test_what_is_no_grading_is_refused(text):
    with pytest.raises(UsageError):
        read_grading(text)
    twice = [{"case_id": "c", "passed": True}] * 2
    with pytest.raises(UsageError, match="twice"):
        read_grading(json.dumps({"current": twice, "proposed": []}))


@pytest.fixture
def skill(worktree) -> Path:
    for name, body in (("skills/tdd", "Old."), ("draft/tdd", "New.")):
        put(worktree / name / "SKILL.md", f"{HEAD}{body}\n")
        put(worktree / name / "evals.json", CASES)
    return worktree


def body(root: Path) -> str:
    return (root / "skills/tdd/SKILL.md").read_text().rpartition("---\n")[2].strip()


def results(root: Path, before: str, after: str) -> str:
    told = {
        side: [row._asdict() for row in rows]
        for side, rows in graded(before, after)._asdict().items()
    }
    return str(put(root / "grading.json", json.dumps(told)))


def test_a_skill_goes_forward_and_back_and_nothing_is_lost(skill):
    def evolve(before: str, after: str):
        made = evolve_skill("skills/tdd", "draft/tdd", skill, grading=results(skill, before, after))
        return asyncio.run(made)

    assert (evolve("PP", "PF").version, body(skill)) == (0, "Old.")
    assert asyncio.run(skill_versions("skills/tdd", skill)) == []
    assert (evolve("FP", "PP").version, body(skill)) == (2, "New.")
    assert (asyncio.run(rollback_skill("skills/tdd", "1", skill))[:2], body(skill)) == (
        (1, 3),
        "Old.",
    )
    assert (asyncio.run(rollback_skill("skills/tdd", "1", skill))[:2], body(skill)) == (
        (2, 4),
        "New.",
    )
    put(skill / "skills/tdd/SKILL.md", f"{HEAD}By hand.\n")
    assert (asyncio.run(rollback_skill("skills/tdd", "v1", skill))[:2], body(skill)) == (
        (1, 6),
        "Old.",
    )
    sources = [each.source for each in asyncio.run(skill_versions("skills/tdd", skill))]
    assert sources == [
        "live",
        "evolve",
        "rollback-from-v2",
        "rollback-from-v3",
        "live",
        "rollback-from-v5",
    ]
    with pytest.raises(UsageError, match="no earlier version v9"):
        asyncio.run(rollback_skill("skills/tdd", "v9", skill))
    git(skill, "add", "-f", ".guild")  # as if the repository had brought them
    assert asyncio.run(skill_versions("skills/tdd", skill)) == []
    with pytest.raises(UsageError, match="no folder of this project"):
        asyncio.run(skill_versions("/etc", skill))


def test_a_runner_decides_and_one_that_cannot_be_run_decides_nothing(skill):
    judge = put(skill / "judge.py", (
        "import os, pathlib, sys\n"
        "new = 'New' in pathlib.Path(os.environ['GUILD_SKILL'], 'SKILL.md').read_text()\n"
        "print('{\"tokens\": 7}')\n"
        "sys.exit(not new and os.environ['GUILD_CASE'] == 'a')\n"
    ))  # fmt: skip
    done = asyncio.run(
        evolve_skill("skills/tdd", "draft/tdd", skill, runner=f"{sys.executable} -S {judge}")
    )
    assert (done.promotion.outcome, done.flips.fixes) == ("PROMOTED", ("should_trigger-1",))
    assert done.flips.tokens_proposed == 6 * 7
    with pytest.raises(UsageError, match="cannot be run"):
        asyncio.run(evolve_skill("skills/tdd", "draft/tdd", skill, runner="no-such-program"))


def test_every_command_of_the_seed_is_there_and_calls_a_verb_that_exists():
    assert COMMANDS.keys() >= {"init", "ideate", "build", "qa", "ops", "learn", "wiki", "config", "initiative",
                               "status", "resume", "evolve", "rollback", "stats", "fix", "migrate"}  # fmt: skip
    assert {each.verb.split()[1] for each in COMMANDS.values()} <= GUILD_VERBS.keys()
