"""``guild derive-panel``: the web table as it was, ours for the rest, and a project's own on top."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.agents import derive as rules
from guildmoot.agents.derive import PanelRule, PanelTable, specificity
from guildmoot.agents.panel_tables import GUILD_TABLE, WEB_TABLE, load_tables, shipped
from guildmoot.guard.trust import Trust
from guildmoot.text.globs import matches

SEEDS_DOMAINS = (
    "contract-fit a11y nextjs css-architecture react test-integration test-unit tokens naming"
)
OUR_DOMAINS = """contract-fit correctness security error-paths concurrency performance api-surface
    data-migrations tests a11y naming simplicity docs dependencies"""
KNOWN = {f"evaluator-{name}" for name in f"{SEEDS_DOMAINS} {OUR_DOMAINS}".split()}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of one's own."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.chdir(root)
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for argv in (("init", "-q"), (*who, "commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(["git", *argv], check=True)
    return root


def panel(guild: Any, *files: str) -> set[str]:
    ran = guild("derive-panel", f"--files={','.join(files)}")
    assert ran.code == 0, ran.err
    return {name.removeprefix("evaluator-") for name in ran.out.strip().split(",")}


@pytest.mark.parametrize(
    ("path", "seated"),
    [
        ("src/app.py", {"correctness", "error-paths", "naming", "simplicity"}),
        ("tests/test_app.py", {"tests"}),
        ("pkg/tests/helpers.py", {"tests"}),
        ("cmd/main.go", {"correctness", "error-paths", "concurrency", "naming"}),
        ("cmd/main_test.go", {"tests"}),
        ("src/lib.rs", {"correctness", "error-paths", "concurrency", "naming"}),
        ("src/main/java/App.java", {"correctness", "error-paths", "concurrency", "naming"}),
        ("src/test/java/AppTest.java", {"tests"}),
        ("report.sql", {"data-migrations", "correctness", "security", "performance"}),
        ("bin/run.sh", {"correctness", "security", "error-paths"}),
        ("Dockerfile", {"security", "correctness", "dependencies"}),
        ("web/Dockerfile.dev", {"security", "correctness", "dependencies"}),
        (".github/workflows/ci.yml", {"security", "correctness"}),
        ("main.tf", {"security", "correctness"}),
        ("README.md", {"docs"}),
        ("docs/guide.rst", {"docs"}),
        ("data/rows.csv", {"correctness"}),
        ("package.json", {"dependencies"}),
        ("web/pnpm-lock.yaml", {"dependencies"}),
        ("requirements-dev.txt", {"dependencies"}),
        ("go.sum", {"dependencies"}),
        (
            "app/migrations/0001_init.py",
            {"correctness", "error-paths", "naming", "simplicity"} | {"data-migrations"},
        ),
        ("src/auth/session.py", {"correctness", "error-paths", "naming", "simplicity", "security"}),
        ("lib/crypto/box.rs", {"correctness", "error-paths", "concurrency", "naming", "security"}),
        ("schema.proto", {"api-surface", "docs"}),
        ("what.ever", set()),
    ],
)
def test_in_a_project_every_kind_of_file_gets_its_judges(
    guild: Any, project: Path, path: str, seated: set[str]
) -> None:
    assert panel(guild, path) == {"contract-fit", *seated}


@pytest.mark.parametrize(
    ("path", "seated"),
    [
        ("src/Card.tsx", {"a11y", "nextjs", "react", "naming"}),
        ("src/card.test.ts", {"test-unit"}),
        ("src/card.module.css", {"tokens", "naming"}),
        ("tests/e2e/a11y/menu.ts", {"a11y"}),
        ("tsconfig.json", set()),
    ],
)
def test_in_a_project_web_files_keep_their_judges(
    guild: Any, project: Path, path: str, seated: set[str]
) -> None:
    assert panel(guild, path) == {"contract-fit", *seated}


def test_sign_in_adds_security_beside_the_web_judges(guild: Any, project: Path) -> None:
    seated = panel(guild, "src/auth/Login.tsx")
    assert {"react", "a11y", "security"} <= seated


def test_a_bare_name_outside_of_any_project_gets_the_seeds_answer(
    guild: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert panel(guild, "main.py") == {"contract-fit"}
    explained = guild("derive-panel", "--explain", "--files=main.py").out
    assert "not seated for main.py: evaluator-correctness" in explained
    (tmp_path / "main.py").write_text("x = 1\n")
    assert "correctness" in panel(guild, "main.py")


@pytest.mark.parametrize(
    ("source", "seated"),
    [
        ('import { useState } from "react"\n', True),
        ("import type { FC } from 'react';\n", True),
        ("const dom = require('react-dom/client')\n", True),
        ("const lazy = import('react')\n", True),
        ('import x from "preact"\n', False),
        ('import x from "react-router"\n', False),
        ("export const x = 1\n", False),
    ],
)
def test_plain_typescript_gets_the_react_judge_only_if_it_imports_react(
    guild: Any, project: Path, source: str, seated: bool
) -> None:
    (project / "x.ts").write_text(source)
    assert ("react" in panel(guild, "x.ts")) is seated


def test_explain_says_which_rule_seated_whom(guild: Any, project: Path) -> None:
    lines = guild("derive-panel", "--explain", "--files=a.py,b.py,c.css").out.splitlines()
    assert lines[0].startswith("evaluator-contract-fit,evaluator-correctness")
    assert "evaluator-contract-fit: always, by the web table" in lines
    assert "evaluator-tokens: c.css matches `*.css` in the web table" in lines
    why = "a.py matches `*.py`, Python, in the guild's table (and 1 more)"
    assert f"evaluator-correctness: {why}" in lines


def test_json_says_the_same_for_programs(guild: Any, project: Path) -> None:
    answer = json.loads(guild("derive-panel", "--json", "--files=c.css").out)
    assert answer["panel"] == ["evaluator-contract-fit", "evaluator-tokens"]
    because = answer["seated"][1]["because"]
    assert because == [{"path": "c.css", "pattern": "*.css", "table": WEB_TABLE, "why": ""}]


def own_table(project: Path, text: str) -> None:
    (project / ".guild").mkdir(exist_ok=True)
    (project / ".guild" / "panel.toml").write_text(text)
    Trust(project).add({".guild/panel.toml": text.encode()})


def test_a_table_of_the_repository_counts_when_it_is_trusted(guild: Any, project: Path) -> None:
    own_table(project, 'extends = "none"\nbaseline = ["evaluator-base"]\n')
    (project / ".guild" / "panel.toml").write_text('extends = "none"\nbaseline = []\n')
    ran = guild("derive-panel", "--files=a.py")
    assert "evaluator-correctness" in ran.out
    assert "nobody trusted it here; `guild trust` shows it (using fallback)" in ran.err


def test_the_seeds_table_counts_when_it_is_trusted(guild: Any, project: Path) -> None:
    docs = "## File-type → evaluator mapping\n\n|a|b|\n|-|-|\n|`*.py`|`evaluator-x`|\n"
    docs += "## Precedence\n\n1. **`evaluator-x`**\n"
    (project / "docs").mkdir()
    (project / "docs/PANEL-COMPOSITION.md").write_text(docs)
    assert "evaluator-x" not in guild("derive-panel", "--files=a.py").out
    Trust(project).add({"docs/PANEL-COMPOSITION.md": docs.encode()})
    assert "evaluator-x" in guild("derive-panel", "--files=a.py").out


def test_a_project_extends_the_tables(guild: Any, project: Path) -> None:
    own_table(project, '[[kind]]\nfiles = ["*.py"]\nadd = ["our-judge"]\n')
    assert panel(guild, "a.py", "b.go") == {
        *("contract-fit", "our-judge"),
        *("correctness", "error-paths", "concurrency", "naming"),
    }


def test_a_project_silences_a_rule(guild: Any, project: Path) -> None:
    own_table(project, '[[kind]]\nfiles = ["*.md", "*.py"]\nadd = []\n')
    assert panel(guild, "a.py", "README.md") == {"contract-fit"}


def test_a_project_adds_a_place_beside_the_kind(guild: Any, project: Path) -> None:
    own_table(project, '[[place]]\nfiles = ["billing/**"]\nadd = ["evaluator-money"]\n')
    assert {"money", "correctness"} <= panel(guild, "billing/a.py")


def test_a_project_may_start_from_nothing(guild: Any, project: Path) -> None:
    own_table(project, 'extends = "none"\nbaseline = ["evaluator-base"]\n')
    assert panel(guild, "a.py", "b.tsx") == {"base"}


def test_a_projects_precedence_comes_first(guild: Any, project: Path) -> None:
    own_table(project, 'precedence = ["evaluator-naming"]\n')
    ran = guild("derive-panel", "--files=a.py")
    assert ran.out.startswith("evaluator-naming,evaluator-contract-fit,")


def test_the_table_is_found_from_a_folder_below(
    guild: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_table(project, '[[kind]]\nfiles = ["*.py"]\nadd = ["our-judge"]\n')
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")
    assert "our-judge" in panel(guild, "a.py")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("kind = 3\n", "list of tables"),
        ("[[kind]]\nadd = []\n", "'files'"),
        ('[[kind]]\nfiles = ["*.x"]\n', "'add'"),
        ('[[kind]]\nfiles = "*.x"\nadd = []\n', "'files'"),
        ('[[kinds]]\nfiles = ["*.x"]\nadd = []\n', "'kinds'"),
        ('extends = "all"\n', "'extends'"),
        ("kind = [\n", "TOML"),
    ],
)
def test_a_wrong_table_is_an_error_and_not_ignored(
    guild: Any, project: Path, text: str, word: str
) -> None:
    own_table(project, text)
    ran = guild("derive-panel", "--files=a.py")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("derive-panel-error: .guild/panel.toml")
    assert word in ran.err


def test_names_that_are_no_paths_do_no_harm(
    guild: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stdin = b"\xff\xfe.py\n" + b"x" * 5000 + b".py\na\x00b.ts\n"
    ran = guild("derive-panel", "--explain", stdin=stdin)
    assert ran.code == 0, ran.err


def test_the_shipped_tables_name_only_agents_that_we_know() -> None:
    for table in (shipped("seeds", WEB_TABLE), shipped("guild", GUILD_TABLE)):
        named = {agent for rule in (*table.kinds, *table.places) for agent in rule.add}
        assert named <= KNOWN
        assert named <= set(table.precedence)


def test_the_shipped_tables_rank_the_seeds_agents_in_the_seeds_order() -> None:
    seeds = shipped("seeds", WEB_TABLE).precedence
    ours = [name for name in shipped("guild", GUILD_TABLE).precedence if name in seeds]
    assert ours == list(seeds)


def test_a_checkout_of_ours_has_no_table_of_its_own(tmp_path: Path) -> None:
    assert [table.name for table in load_tables(tmp_path).tables] == [WEB_TABLE, GUILD_TABLE]
    assert not load_tables(tmp_path).in_project


# --- the rule itself -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.ts", "a/b.ts", True),
        ("*.ts", ".ts", True),
        ("*.ts", "b.tsx", False),
        ("Makefile", "sub/Makefile", True),
        ("Makefile", "sub/GNUMakefile", False),
        ("e2e/**", "e2e/a/b.ts", True),
        ("e2e/**", "x/e2e/a.ts", False),
        ("a/**/b.ts", "a/b.ts", True),
        ("a/**/b.ts", "a/x/y/b.ts", True),
        ("a/*/b.ts", "a/x/y/b.ts", False),
        ("a.b", "axb", False),
        ("?x", "?x", True),
    ],
)
def test_the_glob_dialect(pattern: str, path: str, fits: bool) -> None:
    assert matches(path, [pattern]) is fits


def test_the_most_specific_pattern_wins_and_of_equals_the_later() -> None:
    table = PanelTable("t", (PanelRule(("*.aa",), ("one",)), PanelRule(("*.bb", "x.aa"), ("two",))))
    twice = PanelTable("t", (PanelRule(("*.aa",), ("one",)), PanelRule(("*.aa",), ("two",))))
    assert [seat.agent for seat in rules.derive(["x.aa"], [table])] == ["two"]
    assert [seat.agent for seat in rules.derive(["x.aa"], [twice])] == ["two"]
    assert specificity("a/**/*.ts") == 62


@given(files=st.lists(st.text(max_size=20), max_size=6))
def test_no_list_of_names_makes_it_crash_and_order_does_not_matter(files: list[str]) -> None:
    tables = [shipped("seeds", WEB_TABLE), shipped("guild", GUILD_TABLE)]
    forward = [seat.agent for seat in rules.derive(files, tables)]
    assert forward == [seat.agent for seat in rules.derive(files[::-1], tables)]
    assert forward[0] == "evaluator-contract-fit"


def test_the_tables_are_data() -> None:
    folder = Path(rules.__file__).parent / "tables"
    assert {path.name for path in folder.iterdir()} == {"seeds.toml", "guild.toml", "axes.toml"}
    assert all(tomllib.loads(path.read_text()) for path in folder.iterdir())


def test_a_project_without_a_table_of_its_own_is_told_nothing(shop):
    ran = shop.guild("derive-panel", "--files=a.py")
    assert (ran.code, ran.err) == (0, "")
