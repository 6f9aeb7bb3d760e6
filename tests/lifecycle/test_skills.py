"""The shipped skills are well made, every specialist's skills are there, and the commands they name exist."""

from __future__ import annotations

import re
import subprocess
import sys

from guildmoot.cli.main import GUILD_VERBS
from guildmoot.lifecycle.lint import lint
from guildmoot.lifecycle.skill import SHIPPED, shipped_skills
from guildmoot.lifecycle.team.roster import shipped


def test_every_shipped_skill_is_well_made_and_has_cases():
    files = [str(skill.path) for skill in shipped_skills()]
    assert len(files) >= 64
    assert [file for file in lint(files, SHIPPED) if file.problems] == []
    assert all((skill.path.parent / "evals.json").is_file() for skill in shipped_skills())


def test_every_step_of_the_work_has_its_skill():
    names = {skill.name for skill in shipped_skills()}
    assert names >= {
        *("audit", "brainstorm", "codex-review", "context-assemble", "create-specialist"),
        *("decisions", "diagnose", "evolve-skill", "execute-plan", "loop-clarify"),
        *("loop-implement", "loop-plan-review", "plan", "reflect", "review", "rollback-skill"),
        *("team-compose", "verify-done", "wiki-ingest", "wiki-query", "wiki-lint", "tdd"),
        *("systematic-debug", "worktrees", "request-review", "finish-branch", "principles"),
    }


def test_every_skill_of_a_specialist_is_there_and_none_is_nobodys():
    owned = {name for each in shipped() for name in each.skills}
    names = {skill.name for skill in shipped_skills() if skill.tier in ("specialists", "core")}
    assert owned == names


def test_skills_name_only_commands_that_exist():
    for skill in shipped_skills():
        named = re.findall(r"`guild ([a-z-]+)", skill.path.read_text())
        assert set(named) <= GUILD_VERBS.keys(), skill.name


def test_the_command_lists_shows_and_checks(tmp_path):
    def guild(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "guildmoot", "skills", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert "tdd" in guild("list").stdout
    assert guild("show", "tdd").stdout.startswith("---\nname: tdd")
    assert "Did you mean tdd?" in guild("show", "td").stderr
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/SKILL.md").write_text("---\nname: other\ndescription: x\n---\nDo.\n")
    assert guild("lint", "bad").returncode == 2
    assert guild("lint", "none").returncode == 64
