"""A change that deletes: who still needs what is gone, in every verb that judges, and in every form of answer."""

from __future__ import annotations

import json

import pytest

MODULE = "def f():\n    return 1\n"


@pytest.fixture
def package(shop):
    """A package of which one module imports another."""
    shop.write("pkg/__init__.py", "")
    shop.write("pkg/a.py", "from pkg.b import f\n\nprint(f())\n")
    shop.write("pkg/b.py", MODULE)
    shop.write("pkg/dead.py", MODULE)
    shop.write("tool.lua", "return 1\n")
    shop.commit()
    return shop


@pytest.mark.parametrize(
    ("verb", "word"), [("validate", "flagged"), ("vibe", "FAIL"), ("council validate", "FAIL")]
)
def test_a_deleted_module_that_is_imported_fails_the_work_in_every_verb(package, verb, word):
    package.git("rm", "-q", "pkg/b.py")
    ran = package.guild(*verb.split(), "--diff", "--json")
    [found] = ran.json["blocking_findings"]
    assert (ran.code, found["code"], found["path"], found["line"]) == (
        2,
        "file-gone",
        "pkg/a.py",
        1,
    )
    assert word in (ran.json["result"], ran.json.get("decision"), ran.json.get("outcome"))


def test_a_module_that_moves_away_from_its_importers_is_flagged(package):
    package.git("mv", "pkg/b.py", "pkg/c.py")
    assert package.guild("validate", "--staged", "--json").code == 2
    package.write("pkg/a.py", "from pkg.c import f\n\nprint(f())\n")
    package.git("add", "-A")
    assert package.guild("validate", "--staged", "--json").code == 0


def test_what_nothing_names_may_go(package, tmp_path):
    package.git("rm", "-q", "pkg/dead.py")
    report = tmp_path / "report.json"
    ran = package.guild("validate", "--diff", "--report", str(report))
    assert ran.code == 0
    assert "only deletes, and nothing that stays names the deleted file" in " ".join(
        ran.out.split()
    )
    assert json.loads(report.read_text())["result"] == "approved"


def test_what_nobody_can_follow_is_left_to_a_person_with_the_reason(package):
    package.git("rm", "-q", "tool.lua")
    ran = package.guild("validate", "--diff", "--json")
    assert (ran.code, ran.json["result"]) == (3, "undecided")
    assert "nobody here can tell whether anything still needs tool.lua" in ran.json["reasons"][0]
    assert package.guild("validate", "--diff", "--format", "github").out.startswith("::error")


def test_an_error_has_a_result_too(package):
    ran = package.guild("validate", "nothing-here", "--json")
    assert (ran.json["result"], ran.json["error"]["exit_code"]) == ("error", ran.code)


def test_what_the_change_mends_outside_of_what_was_named_counts(package):
    package.write("lib/c.py", MODULE)
    package.git("rm", "-q", "pkg/b.py")
    package.write("pkg/a.py", "print(1)\n")
    package.git("add", "-A")
    ran = package.guild("validate", "pkg/b.py", "--diff", "--json")
    assert (ran.code, ran.json["blocking_findings"]) == (0, [])


@pytest.mark.slow  # two thousand files
def test_more_deletions_than_are_followed_are_not_approved(shop):
    for number in range(2001):
        shop.write(f"lib/m{number}.rb", "X = 1\n")
    shop.write("a.rb", "require_relative 'lib/m7'\n")
    shop.commit()
    shop.git("rm", "-q", "-r", "lib")
    shop.commit()
    ran = shop.guild("validate", "--diff", "HEAD~1..HEAD", "--json")
    assert ran.code in (2, 3, 4), ran
    assert ran.json["result"] != "approved"
