"""A change to what chooses the court is itself a finding of the run."""

import json

import pytest

CHECK = "[verify]\ncommand = 'true'\n[panel]\nlimit = 3\n"


@pytest.fixture
def project(shop):
    """A repository with settings of its own."""
    shop.write("guild.toml", CHECK)
    shop.commit()
    return shop


CHANGES = [
    ("guild.toml", "[policy]\nname = 'veto'\n", "policy.name from unset to 'veto'", 2),
    ("guild.toml", None, "verify.command from 'true' to unset", 0),
    (
        "pyproject.toml",
        "[tool.guildmoot.panel]\nskip = ['x']\n",
        "panel.skip from unset to ['x']",
        2,
    ),
    (
        ".guild/agents/a.md",
        "---\nname: a\nbackend: command\ncommand: [sh]\n---\n",
        "command: [sh]",
        3,
    ),
    ("src/.guildignore", "secret.py\n", "secret.py", 1),
    (".gitattributes", "* text=auto\n*.py linguist-generated\n", "*.py linguist-generated", 2),
    (".agents/reviewer-config.md", "---\nreviewers: [x]\n---\n", "reviewers: [x]", 1),
    (".agents/vibe-suppressions.jsonl", '{"pattern": "*"}\n', '"pattern"', 1),
    ("Guild.toml", "[panel]\nlimit = 2\n", "panel.limit from unset to 2", 2),
]


@pytest.mark.parametrize(("path", "text", "told", "line"), CHANGES)
@pytest.mark.sample(3)
def test_a_change_to_what_chooses_the_court_is_a_finding(project, path, text, told, line):
    if text is None:
        (project.root / path).unlink()
    else:
        project.write(path, text)
    project.write("app.py", "x = 1\n")
    ran = project.guild("validate", "--diff", "--agents", "secrets,ruff", "--json").json
    [found] = [row for row in ran["advisory_findings"] if row["code"] == "guarded-change"]
    assert told in found["evidence"]
    assert (found["path"], found["line"] or 0, found["severity"]) == (path, line, "high")
    assert ran["verdict"] == "approved"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("guild.toml", "# a comment\n" + CHECK),
        ("pyproject.toml", "[tool.ruff]\nline-length = 90\n"),
        (".gitattributes", "*.sh eol=lf\n"),
    ],
)
def test_what_does_not_concern_the_court_is_none(project, path, text):
    project.write(path, text)
    project.write("app.py", "x = 1\n")
    ran = project.guild("validate", "--diff", "--agents", "secrets,ruff", "--json").json
    assert ran["advisory_findings"] == []


def test_it_stands_on_the_first_screen_of_every_report_and_no_repository_can_quieten_it(project):
    project.write("guild.toml", "[policy]\nname = 'veto'\n")
    project.write(".agents/vibe-suppressions.jsonl", '{"pattern": "guild", "reason": "hush"}\n')
    project.write("app.py", "x = 1\n")
    project.commit()
    out = [project.root.parent / f"out{end}" for end in (".sarif", ".md", ".xml", ".html", ".json")]
    files = [word for file in out for word in ("--report", str(file))]
    ran = project.guild("validate", "recent", "--agents", "secrets,ruff", *files)
    assert "policy.name from unset to 'veto'" in " ".join(ran.out.split())
    for file in out:
        assert "policy.name from unset to" in " ".join(file.read_text().split()), file
    vibe = project.guild("vibe", "recent", "--agents", "secrets,ruff", "--json").json
    told = [row["representative"]["evidence"] for row in vibe["issues"]]
    assert any("policy.name" in title for title in told)
    assert vibe["outcome"] != "PASS"


def test_many_harmless_files_do_not_hide_the_one_that_matters(project):
    for number in range(60):
        project.write(f"a{number}/.gitattributes", "* text=auto\n")
    project.write("guild.toml", "[policy]\nname = 'veto'\n")
    ran = project.guild("validate", "--diff", "--agents", "secrets,ruff", "--json").json
    told = [row["evidence"] for row in ran["advisory_findings"]]
    assert "policy.name from unset to 'veto'" in told[-1]
    assert "21 more files of the kind" in told[0]


def test_a_run_that_is_replayed_still_tells_it(project):
    project.write("guild.toml", "[policy]\nname = 'veto'\n")
    project.write("app.py", "x = 1\n")
    assert project.guild("validate", "--diff", "--agents", "secrets,ruff").code == 0
    assert "policy.name" in json.dumps(
        project.guild("replay", "last", "--json").json["advisory_findings"]
    )
