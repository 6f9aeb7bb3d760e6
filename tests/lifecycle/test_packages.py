"""Which change of a manifest is one of its packages, and which is none."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.lifecycle.executions import SLUG, approve_plan, execute, git, project, script
from tests.lifecycle.test_named_places import lane

from guildmoot.api.lifecycle.execution import ask_of_run
from guildmoot.api.lifecycle.proof import review_lanes
from guildmoot.lifecycle.documents import TextLine
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.proof.claims import forbidden_files
from guildmoot.lifecycle.proof.packages import UNREAD, package_change

PYPROJECT = """[build-system]
requires = ["hatchling"]
[project]
name = "app"
version = "1.0"
requires-python = ">=3.11"
dependencies = [
  "click",
]
[project.optional-dependencies]
extra = ["rich"]
[dependency-groups]
dev = ["pytest"]
[tool.poetry.dependencies]
python = "^3.11"
[tool.setuptools]
packages = ["app"]
[tool.coverage.run]
source = ["app"]
"""
PACKAGE = '{"name": "a", "version": "1", "scripts": {"t": "x"}, "dependencies": {"b": "1"}}'
CARGO = (
    '[package]\nname = "a"\nversion = "1.0.0"\n[dependencies]\nserde = "1"\n[features]\nx = []\n'
)
GO = "module a\n\ngo 1.21\n\nrequire (\n\tx.org/y v1.0.0 // indirect\n)\n\nexclude (\n\tx.org/z v1.0.0\n)\n"
SETUP = 'from setuptools import setup\nsetup(name="a", version="1", install_requires=["b"])\n'
CFG = "[metadata]\nversion = 1\n[options]\ninstall_requires =\n  b\n[flake8]\nmax-line-length = 9\n"
GEMFILE = 'source "https://rubygems.org"\nruby "3.2"\ngem "rails" # web\n'
GRADLE = 'version = "1"\ndependencies {\n  implementation "a:b:1"\n}\n'
POM = (
    "<project><version>1</version><name>n</name><properties><b.v>1</b.v></properties><dependencies><dependency>"
    "<artifactId>b</artifactId><version>${b.v}</version></dependency></dependencies></project>"
)
CSPROJ = '<Project><Version>1</Version><PackageReference Include="A" Version="1" /></Project>'
COMPOSER = '{"version": "1", "require": {"php": ">=8.0", "a/b": "1"}}'
PIPFILE = '[packages]\nb = "*"\n[requires]\npython_version = "3.11"\n[scripts]\nx = "y"\n'


@pytest.mark.parametrize(
    ("path", "text", "before", "behind"),
    [
        ("pyproject.toml", PYPROJECT, '"1.0"', '"1.1"'),
        ("pyproject.toml", PYPROJECT, "[tool.poetry", "[tool.ruff]\nline-length = 9\n[tool.poetry"),
        ("pyproject.toml", PYPROJECT, '">=3.11"', '">=3.12"'),
        ("pyproject.toml", PYPROJECT, '"^3.11"', '"^3.12"'),
        ("pyproject.toml", PYPROJECT, 'packages = ["app"]', 'packages = ["app", "lib"]'),
        ("pyproject.toml", PYPROJECT, 'source = ["app"]', 'source = ["lib"]'),
        ("pyproject.toml", PYPROJECT, '[\n  "click",\n]', '["click"]'),
        ("web/package.json", PACKAGE, '"version": "1"', '"version": "2"'),
        ("package.json", PACKAGE, '{"t": "x"}', '{"t": "y", "u": "z"}'),
        ("Cargo.toml", CARGO, "1.0.0", "1.0.1"),
        ("Cargo.toml", CARGO, "x = []", "x = []\ny = []"),
        ("go.mod", GO, "go 1.21", "go 1.22"),
        ("go.mod", GO, " // indirect", ""),
        ("go.mod", GO, "x.org/z v1.0.0", "x.org/z v1.0.1"),
        ("setup.py", SETUP, 'version="1"', 'version="2", zip_safe=False'),
        ("setup.cfg", CFG, "version = 1", "version = 2"),
        ("setup.cfg", CFG, "= 9", "= 12"),
        ("Gemfile", GEMFILE, '"3.2"', '"3.3"'),
        ("Gemfile", GEMFILE, "# web", "# the web"),
        ("build.gradle", GRADLE, 'version = "1"', 'version = "2"'),
        ("pom.xml", POM, "<version>1</version>", "<version>2</version>"),
        ("a.csproj", CSPROJ, "<Version>1<", "<Version>2<"),
        ("composer.json", COMPOSER, ">=8.0", ">=8.1"),
        ("Pipfile", PIPFILE, "3.11", "3.12"),
        ("requirements.txt", "a\nb\n", "b\n", "# the second\nb\n"),
        ("app/base.py", "import a\n", "a", "b"),
    ],
)
def test_a_version_a_tool_or_a_comment_is_no_dependency(path, text, before, behind):
    assert text.count(before) >= 1
    assert not any(package_change(path, text, text.replace(before, behind, 1)))


@pytest.mark.parametrize(
    ("path", "text", "before", "behind"),
    [
        ("pyproject.toml", PYPROJECT, '"click",', '"click", "evil",'),
        ("pyproject.toml", PYPROJECT, '"click"', '"click @ git+https://x.org/y"'),
        ("pyproject.toml", PYPROJECT, '["rich"]', '["rich", "evil"]'),
        ("pyproject.toml", PYPROJECT, '["pytest"]', '["pytest", "evil"]'),
        ("pyproject.toml", PYPROJECT, '["hatchling"]', '["hatchling", "evil"]'),
        ("pyproject.toml", PYPROJECT, '"^3.11"', '"^3.11"\nevil = "1"'),
        ("pyproject.toml", PYPROJECT, "[tool.setup", "[tool.poetry.group.d.dependencies]\ne = 1\n[tool.setup"),
        ("pyproject.toml", PYPROJECT, "[tool.setup", '[tool.uv.sources]\nclick = {git = "x"}\n[tool.setup'),
        ("pyproject.toml", PYPROJECT, "[tool.setup", "[tool.setup]]"),
        ("web/package.json", PACKAGE, '"b": "1"', '"b": "1", "evil": "2"'),
        ("package.json", PACKAGE, '"1"}}', '"1"}, "peerDependencies": {"c": "1"}}'),
        ("package.json", PACKAGE, '"1"}}', '"1"}, "overrides": {"c": "1"}}'),
        ("package.json", PACKAGE, '"1"}}', '"1"}, "pnpm": {"overrides": {"c": "1"}}}'),
        ("package.json", PACKAGE, '"b": "1"', '"b": "1", "python": "2"'),
        ("Cargo.toml", CARGO, '"1"', '"1"\nevil = "1"'),
        ("Cargo.toml", CARGO, "[features]", "[target.'cfg(unix)'.dev-dependencies]\ne = '1'\n[features]"),
        ("Cargo.toml", CARGO, "[features]", "[patch.crates-io]\nserde = {path = 'x'}\n[features]"),
        ("go.mod", GO, "// indirect", "// indirect\n\tx.org/new v1.0.0"),
        ("go.mod", GO, "go 1.21", "go 1.21\nrequire x.org/new v1.0.0"),
        ("go.mod", GO, "go 1.21", "go 1.21\nreplace x.org/y => ../y"),
        ("setup.py", SETUP, '["b"]', '["b", "evil"]'),
        ("setup.py", SETUP, '["b"]', "more()"),
        ("setup.py", SETUP, ")\n", ", **more)\n"),
        ("setup.cfg", CFG, "  b\n", "  b\n  evil\n"),
        ("setup.cfg", CFG, "[flake8]", "[options.extras_require]\nx = evil\n[flake8]"),
        ("Gemfile", GEMFILE, "# web", '\ngem "evil"'),
        ("Gemfile", GEMFILE, "# web", '\ngroup(:a) { gem "evil" }'),
        ("build.gradle.kts", GRADLE, '1"\n}', '1"\n  implementation("evil:e:1")\n}'),
        ("pom.xml", POM, "<b.v>1<", "<b.v>2<"),
        ("pom.xml", POM, "</dependencies>", "<dependency><artifactId>e</artifactId></dependency></dependencies>"),
        ("a.csproj", CSPROJ, "</Project>", '<PackageReference Include="E"><Version>1</Version></PackageReference></Project>'),
        ("composer.json", COMPOSER, '"a/b": "1"', '"a/b": "1", "e/e": "1"'),
        ("Pipfile", PIPFILE, 'b = "*"', 'b = "*"\ne = "*"'),
        ("requirements-dev.txt", "a\nb\n", "b\n", "b\ne\n"),
    ],
)  # fmt: skip
def test_a_package_that_was_not_there_before_is_one(path, text, before, behind):
    assert text.count(before) >= 1
    assert package_change(path, text, text.replace(before, behind, 1)).added


def test_a_new_manifest_counts_by_what_it_names_and_one_that_cannot_be_read_as_anything():
    assert not any(package_change("pyproject.toml", None, '[project]\nname = "a"\n'))
    assert package_change("package.json", None, PACKAGE).added
    assert package_change("package.json", PACKAGE, None) == (False, True)
    assert package_change("package.json", PACKAGE, "{") == UNREAD


@pytest.mark.parametrize(
    ("line", "adds", "drops"),
    [("new dependencies", True, False), ("changes of dependencies", True, True), ("mail", False, False)],
)  # fmt: skip
def test_a_policy_that_speaks_of_new_dependencies_means_no_removal(line, adds, drops):
    asked = lane("anything", "none")._replace(
        policy=(TextLine(1, f"requires confirmation: {line}"),)
    )
    more, fewer = (
        {"package.json": package_change("package.json", *sides)}
        for sides in ((None, PACKAGE), (PACKAGE, None))
    )
    assert bool(forbidden_files(asked, ("package.json",), more)) is adds
    assert bool(forbidden_files(asked, ("package.json",), fewer)) is drops


def test_a_lane_may_change_a_manifest_and_asks_for_a_new_dependency_alone(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()}, T1="The version in `pyproject.toml`.")
    folder = WorkFolder(root.resolve())
    plan = folder.plan(SLUG)
    plan.write_text(
        plan.read_text().replace("confirmation: migrations", "confirmation: new dependencies")
    )
    (root / "pyproject.toml").write_text(PYPROJECT)
    git(root, "add", "-A", "pyproject.toml")
    git(root, "commit", "-q", "-m", "a manifest")
    approve_plan(folder)
    new = PYPROJECT.replace('"1.0"', '"1.1"') + "[tool.ruff]\nline-length = 99\n"
    acts = [
        {"files": {"pyproject.toml": text}, "modified": ["pyproject.toml"]}
        for text in (new.replace('"click"', '"click", "rich"'), new)
    ]
    (asks,) = execute(root, script(root, T1=acts)).lanes
    assert (asks.status, asks.answer) == (
        "blocked", "guild lane allow T1-copywriter pyproject.toml --why WHY"
    ), asks  # fmt: skip
    again = ControlRequest("retry", "T1-copywriter", "", "without it")
    asyncio.run(ask_of_run("", again, root))
    assert execute(root).status == "done"
    assert asyncio.run(review_lanes(SLUG, root)).verdict == "pass"
