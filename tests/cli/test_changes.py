"""A change is judged before and after: what it broke counts wherever it shows, what was there does not."""

from __future__ import annotations

import pytest

SHOP = "import os\n\n\ndef where():\n    return os.getcwd()\n"
WAYS = (["--diff"], ["--staged"], ["recent"], ["--diff", "HEAD~1..HEAD"])


def changed(repository, way, **files):
    """The repository after the change, as far towards a commit as the way to judge it needs."""
    for name, text in files.items():
        repository.write(f"{name}.py", text)
    if way == ["--staged"]:
        repository.git("add", "-A")
    elif way != ["--diff"]:
        repository.commit()
    return repository.guild("validate", *way, "--json")


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_a_removed_import_is_flagged_where_it_was_used(shop, way):
    shop.write("shop.py", SHOP)
    shop.commit()
    ran = changed(shop, way, shop=SHOP.removeprefix("import os\n"))
    [found] = ran.json["blocking_findings"]
    assert (ran.code, found["code"], found["line"]) == (2, "F821", 4)


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n        return 1\n    return 2\n",
        "def f():\n    if True:\n        return one\n    return 2\n",
    ],
    ids=["a line was cut", "a name was changed in one place"],
)
def test_what_breaks_a_file_is_flagged(shop, text):
    shop.write("b.py", "def f():\n    if True:\n        return 1\n    return 2\n")
    shop.commit()
    assert changed(shop, ["--diff"], b=text).code == 2


def test_what_was_there_is_set_aside_counted_and_listed(shop):
    shop.write("a.py", "def f():\n    return nmae\n")
    shop.commit()
    ran = changed(shop, ["--diff"], a='"""Moved."""\n\n\ndef f():\n    return nmae\n')
    assert (ran.code, ran.json["suppressed"]) == (0, 1)
    assert [f["code"] for f in ran.json["existing_findings"]] == ["F821"]


def test_a_renamed_file_keeps_what_it_had(shop):
    text = "def f():\n    return nmae\n\n\n" + "def g():\n    return 1\n" * 8
    shop.write("a.py", text)
    shop.commit()
    shop.git("mv", "a.py", "b.py")
    assert shop.guild("validate", "--staged", "--json").json["suppressed"] >= 1
    shop.write("b.py", text + "\n\ndef h():\n    return othr\n")
    shop.git("add", "-A")
    ran = shop.guild("validate", "--staged", "--json")
    assert ["othr" in f["evidence"] for f in ran.json["blocking_findings"]] == [True]


def test_a_change_cannot_switch_its_judge_off(shop):
    shop.write("a.py", "x = 1\n")
    shop.write("pyproject.toml", "[project]\nname = 'a'\nversion = '1'\n")
    shop.commit()
    shop.write("pyproject.toml", "[tool.ruff]\nexclude = ['*']\nbuiltins = ['nmae']\n")
    assert changed(shop, ["--diff"], a="x = nmae\n").code == 2


def test_what_the_base_leaves_out_stays_out(shop):
    shop.write("pyproject.toml", "[tool.ruff.lint.per-file-ignores]\n'gen*.py' = ['F821']\n")
    shop.write("gen.py", "x = 1\n")
    shop.commit()
    assert changed(shop, ["--diff"], gen="x = nmae\n").code == 0


def test_a_mask_does_not_change_what_a_tool_sees(shop):
    token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
    shop.write("a.py", f'x = "{token}"\nassert "{token}"\n')
    ran = shop.guild("validate", "a.py", "--json")
    codes = {f["code"] for f in ran.json["blocking_findings"]}
    assert codes == {"secret", "PLW0129"}
    kept = [file.read_bytes() for file in (shop.root / ".guild").rglob("*") if file.is_file()]
    assert token not in ran.out + ran.err
    assert not any(token.encode() in each for each in kept)


def test_only_a_mask_leaves_the_machine(shop):
    """A program that thinks may send away what it reads, so it is given the masked text."""
    token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
    shop.write("a.py", f'x = "{token}"\n')
    line = (
        "---\nname: thinks\ndescription: d\nbackend: command\ncommand: [cat, a.py]\n---\nJudge.\n"
    )
    shop.agent("thinks.md", line)
    ran = shop.guild("validate", "a.py", "--agents", "thinks,ruff", "--json")
    replies = shop.guild("runs", "show", "last", "--replies").out
    assert "masked:github-token" in replies
    assert token not in ran.out + replies


WHOLE_TREE = """\
---
name: strict
description: What a whole working tree says of one of its files
backend: tool
run_in: checkout
files: ["*.txt"]
command: [sh, -c, "cat deps/installed >/dev/null || exit 7; test -z \\"$(cat ready)\\" || exit 7;
  echo 'other.py:1:was there'; grep -q strict mode.txt && echo 'other.py:9:caused'; exit 1"]
format: lines
pattern: '(?P<path>[^:]+):(?P<line>\\d+):(?P<message>.*)'
exit_codes: {1: findings}
severities: {"*": high}
---
"""


def whole_tree(shop):
    shop.agent("strict.md", WHOLE_TREE)
    shop.write(".gitignore", "deps/\n")
    shop.write("deps/installed", "")
    shop.write("ready", "")
    shop.write("other.py", "x = 1\n")
    shop.write("mode.txt", "mild\n")
    shop.commit()
    return shop


def test_a_tool_in_the_checkout_is_asked_before_and_after(shop):
    whole_tree(shop).write("mode.txt", "strict\n")
    ran = shop.guild("validate", "--diff", "--agents", "strict", "--json")
    assert [f["evidence"] for f in ran.json["blocking_findings"]] == ["caused"]
    assert [f["evidence"] for f in ran.json["existing_findings"]] == ["was there"]
    assert shop.git("status", "--porcelain").split() == ["M", "mode.txt"]


def test_where_the_base_cannot_be_judged_a_tool_in_the_checkout_counts_what_the_change_touches(
    shop,
):
    whole_tree(shop).write("ready", "not before\n")
    shop.commit()
    shop.write("ready", "")
    shop.write("mode.txt", "strict\n")
    ran = shop.guild("validate", "--diff", "--agents", "strict", "--json")
    assert (ran.code, ran.json["blocking_findings"]) == (0, [])


def test_syntax_of_a_newer_python_than_the_project_asks_for_is_not_taken_for_python_2(shop):
    shop.write(
        "pyproject.toml", "[project]\nname = 'x'\nversion = '1'\nrequires-python = '>=3.9'\n"
    )
    shop.write("m.py", "try:\n    pass\nexcept ValueError, TypeError:\n    pass\n")
    shop.commit()
    assert shop.guild("validate", ".", "--json").code == 2
