"""Batches that are proven at once, what a pattern finds, what is measured, and a project made on the spot."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from guildmoot.errors import UsageError
from guildmoot.loops.confidence.estimate import count_units, estimate
from guildmoot.loops.confidence.survey import find_items, measure, read_coverage
from guildmoot.loops.confidence.tiers import Signals, assign
from loops.bench import TRANSFORM, VERIFY, call, green, loop, tree
from projects.test_many_writers import git


@pytest.mark.slow
def test_batches_at_once_land_in_their_order_and_give_the_same_tree(work):
    told = json.loads(loop(work, "--batch=2", "--jobs=3").stdout)
    assert told["status"] == "completed", told["reason"]
    assert told["landed"] == [f"src/m{n}.py" for n in range(5)]
    assert [each["item"] for each in told["quarantined"]] == ["src/special.py"]
    orders = [path for row in told["proof"] for path in row["files"]]
    assert orders == sorted(orders)
    assert len(told["proof"]) == 4  # one commit a unit
    assert green(work)
    ended = tree(work)
    git(work, "checkout", "-q", "main")
    git(work, "branch", "-qD", "tidy.unused-imports")
    assert json.loads(loop(work).stdout)["status"] == "completed"
    assert tree(work) == ended


@pytest.mark.slow  # whole loops, in one more situation
def test_batches_that_pass_alone_and_fail_together_are_parted(work):
    """m0 and m4 are in different batches, and only both changed break the check."""
    verify = f"{VERIFY} && ! (grep -L 'import sys' src/m0.py | grep -q . && grep -L 'import sys' src/m4.py | grep -q .)"
    told = json.loads(loop(work, "--batch=2", "--jobs=4", verify=verify).stdout)
    assert told["status"] == "completed", told["reason"]
    assert "src/m0.py" in told["landed"]
    assert {each["item"] for each in told["quarantined"]} == {"src/m4.py", "src/special.py"}
    assert green(work)


@pytest.mark.slow  # whole loops, in one more situation
def test_without_a_project_one_is_made_and_gone_on_with(tmp_path):
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    (work / "src" / "a.py").write_text("import sys\n\nA = 1\n")
    git(work, "init", "-q", "-b", "main")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "begin")
    words = (
        "loop",
        "confidence",
        "--pattern=src/*.py",
        f"--transform={TRANSFORM}",
        "--verify=true",
        "--json",
        "--yes",
    )
    ran = call(work, "guild", *words)
    assert (ran.returncode, "--here" in ran.stderr + ran.stdout) == (64, True)
    told = json.loads(call(work, "guild", *words, "--here").stdout)
    assert (told["status"], told["landed"], told["branch"]) == (
        "completed",
        ["src/a.py"],
        "bulk-change.apply",
    )
    assert json.loads(call(work, "loom", "doctor", "bulk-change").stdout)["ok"]
    git(work, "checkout", "-q", "main")
    again = json.loads(call(work, "guild", *words, "--here").stdout)
    assert (again["status"], again["tiers"]) == ("completed", told["tiers"])
    assert len(list((work / "projects").iterdir())) == 1


# What a pattern finds.


@pytest.fixture
def files(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.py").write_text(
        "self.assertEquals(1, f(2))\n# assertEquals(3, 4)\nself.assertEquals(5, 6)\n"
    )
    (tmp_path / "b.py").write_text("x = 1\n")
    (tmp_path / "c.txt").write_text("assertEquals\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "x")
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", {"a.py": 1, "b.py": 1}),
        ("grep:assertEquals", {"a.py": 3, "c.txt": 1}),
        ("ast:$X.assertEquals($A, $B)", {"a.py": 2}),
        ("cmd:printf 'a.py\\nb.py\\na.py\\n'", {"a.py": 2, "b.py": 1}),
    ],
)
def test_a_pattern_finds_files_with_counts(files, pattern, found):
    if pattern.startswith("ast:"):
        pytest.importorskip("ast_grep_py")
    assert find_items(files, pattern, "projects") == found


def test_a_command_that_fails_is_told(files):
    with pytest.raises(UsageError):
        find_items(files, "cmd:exit 3", "projects")


REPORTS = {
    "coverage.json": json.dumps({"files": {"a.py": {"summary": {"percent_covered": 25.0}}}}),
    "coverage.xml": '<coverage><class name="a" filename="a.py" line-rate="0.25"></class></coverage>',
    "lcov.info": "SF:a.py\nLF:8\nLH:2\nend_of_record\n",
}


@pytest.mark.parametrize("name", REPORTS)
def test_coverage_is_read_from_the_reports_that_tools_write(files, name):
    (files / name).write_text(REPORTS[name])
    assert read_coverage(files) == {"a.py": 25.0}
    signals = measure(files, {"a.py": 3, "b.py": 1})
    assert signals["a.py"].coverage == 25.0
    assert "25 % covered" in assign("a.py", signals["a.py"]).why


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"files": 3}', "SF:\nLF:x\nLH:1", "<class " + "x" * 9999, "\ufffd"]
)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_that_is_none_says_nothing(files, name, text):
    (files / name).write_text(text)
    assert read_coverage(files) == {}


def test_a_report_behind_a_link_is_not_read(files):
    (files.parent / "out.json").write_text(REPORTS["coverage.json"])
    (files / "coverage.json").symlink_to(files.parent / "out.json")
    assert read_coverage(files) == {}


def test_well_covered_code_is_no_risk_and_uncovered_code_is_one():
    assert assign("a.py", Signals(400, coverage=95.0, has_test=False)).tier == 1
    assert assign("a.py", Signals(400, coverage=5.0)).tier == 2


# What it takes.


def test_an_estimate_counts_units_as_batches_grow():
    assert count_units(70, 1) == 4  # 10, 20, 30, and the rest
    assert count_units(70, 1, 10) == 7
    assert count_units(5, 4) == 0
    found = estimate({1: 70, 3: 4, 4: 9}, 0, 10.0, 0.5)
    assert (found.items, found.units) == (74, count_units(70, 1) + count_units(4, 3))
    assert found.usd == found.units * 0.5
    assert estimate({1: 70}, 0, 10.0, None).usd is None
    assert (
        estimate({1: 70}, 10, 10.0, 0.0, jobs=7).seconds < estimate({1: 70}, 10, 10.0, 0.0).seconds
    )


CODEMOD = """
import sys
import libcst

class Rename(libcst.CSTTransformer):
    def leave_Attribute(self, node, updated):
        if updated.attr.value == "assertEquals":
            return updated.with_changes(attr=libcst.Name("assertEqual"))
        return updated

for path in sys.argv[1:]:
    text = open(path).read()
    open(path, "w").write(libcst.parse_module(text).visit(Rename()).code)
"""


@pytest.mark.slow  # whole loops, in one more situation
def test_a_codemod_of_libcst_is_a_transform(work):
    pytest.importorskip("libcst")
    (work.parent / "codemod.py").write_text(CODEMOD)
    (work / "src" / "m0.py").write_text("def f(self):\n    self.assertEquals(1, 2)  # kept\n")
    git(work, "commit", "-qam", "old names")
    words = (
        "loop",
        "confidence",
        "tidy",
        "1",
        "--pattern=grep:assertEquals",
        "--verify=true",
        "--json",
        "--yes",
    )
    transform = f"{sys.executable} {work.parent / 'codemod.py'} {{files}}"
    told = json.loads(call(work, "guild", *words, f"--transform={transform}").stdout)
    assert (told["status"], told["landed"]) == ("completed", ["src/m0.py"]), told
    assert (
        work / "src" / "m0.py"
    ).read_text() == "def f(self):\n    self.assertEqual(1, 2)  # kept\n"
    inventory = next(Path(work, "projects").rglob("inventory.md")).read_text()
    assert "**Hits**: 1" in inventory
    assert "**Total items**: 1" in inventory
