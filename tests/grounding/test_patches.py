"""Patches are tried with real git: alone, in pairs, and for what they do to the syntax."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import pytest

from guildmoot.grounding.patches import PatchSandbox

BASE = "import os\n\n\ndef total(items):\n    result = 0\n    for item in items:\n        result += item\n    return result\n"
FILES = {"src/sum.py": BASE, "conf.json": '{"a": 1}\n', "odd.py": "def broken(:\n    pass\n"}


def patch_applies(patch: str, files: dict[str, str]) -> tuple[bool, str]:
    with PatchSandbox(files) as bench:
        return bench.applies(patch)


def patches_clash(one: str, other: str, files: dict[str, str]) -> bool | None:
    with PatchSandbox(files) as bench:
        return bench.clash(one, other)


def still_parses(patch: str, files: dict[str, str]) -> tuple[bool, str]:
    with PatchSandbox(files) as bench:
        return bench.still_parses(patch)


def diff(path: str, new: str, files: dict[str, str] = FILES) -> str:
    old = files.get(path, "")
    names = (f"a/{path}" if old else "/dev/null", f"b/{path}")
    return "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), *names))


def edit(old: str, new: str, path: str = "src/sum.py") -> str:
    assert old in FILES[path]
    return diff(path, FILES[path].replace(old, new))


def test_a_patch_that_fits_applies():
    assert patch_applies(edit("result = 0", "result = 0.0"), FILES) == (True, "")


def test_a_patch_that_does_not_fit_says_why():
    wrong = edit("result = 0", "x = 1").replace("-    result = 0", "-    result = 7")
    fits, reason = patch_applies(wrong, FILES)
    assert not fits
    assert "src/sum.py" in reason


def test_a_patch_for_a_file_that_was_not_judged_does_not_apply():
    patch = edit("result = 0", "result = 1").replace("src/sum.py", "src/other.py")
    assert patch_applies(patch, FILES)[0] is False


def test_a_patch_with_wrong_line_counts_is_forgiven():
    patch = edit("result = 0", "result = 0.0")
    head = next(line for line in patch.splitlines() if line.startswith("@@"))
    assert patch_applies(patch.replace(head, "@@ -2,9 +2,4 @@"), FILES)[0]


def test_a_patch_without_prefixes_applies():
    patch = edit("result = 0", "result = 1").replace(" a/src", " src").replace(" b/src", " src")
    assert patch_applies(patch, FILES)[0]


def test_words_are_no_patch():
    assert patch_applies("please rename it", FILES) == (
        False,
        "it is not a unified diff: no file is named",
    )


@pytest.mark.parametrize(
    "path", ["../out.py", "/etc/passwd", "a/../../b", ".git/config", "x\\..\\y", "C:/x"]
)
def test_a_path_that_leaves_the_work_is_refused(path: str, tmp_path: Path):
    patch = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
    fits, reason = patch_applies(patch, FILES)
    assert not fits
    assert "outside the work" in reason


def test_a_symbolic_link_in_a_patch_leads_nowhere(tmp_path: Path):
    target = tmp_path / "secret"
    target.write_text("old")
    patch = (
        "diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n"
        f"@@ -0,0 +1 @@\n+{target}\n\\ No newline at end of file\n"
    )
    through = f"--- a/link\n+++ b/link\n@@ -1 +1 @@\n-{target}\n+new\n"
    with PatchSandbox({}) as bench:
        bench.applies(patch)
        bench.applies(through)
        bench.clash(patch, through)
    assert target.read_text() == "old"


def test_patches_on_different_lines_get_along():
    a, b = edit("import os", "import sys"), edit("return result", "return float(result)")
    assert patches_clash(a, b, FILES) is False


def test_patches_on_neighbouring_lines_get_along():
    a, b = edit("result = 0", "result = 0.0"), edit("for item in items", "for item in list(items)")
    assert patches_clash(a, b, FILES) is False


def test_patches_that_write_one_line_differently_clash():
    a, b = edit("result = 0", "result = 0.0"), edit("result = 0", "result = None")
    assert patches_clash(a, b, FILES) is True
    assert patches_clash(b, a, FILES) is True


def test_removing_what_the_other_changes_is_a_clash():
    a = diff("src/sum.py", BASE.split("def total")[0])
    assert patches_clash(a, edit("result = 0", "result = 1"), FILES) is True


def test_the_same_patch_twice_is_no_clash():
    a = edit("result = 0", "result = 0.0")
    assert patches_clash(a, a, FILES) is False
    assert patches_clash(a, a.rstrip("\n") + "\n", FILES) is False


def test_two_insertions_at_one_place_clash_because_their_order_matters():
    a = edit("import os\n", "import os\nimport re\n")
    b = edit("import os\n", "import os\nimport sys\n")
    assert patches_clash(a, b, FILES) is True


def test_two_new_files_of_one_name_clash():
    assert patches_clash(diff("new.py", "a = 1\n"), diff("new.py", "b = 2\n"), FILES) is True


def test_patches_on_different_files_get_along():
    assert patches_clash(edit("result = 0", "x = 0"), edit("1", "2", "conf.json"), FILES) is False


def test_when_one_patch_does_not_apply_nothing_is_claimed():
    assert patches_clash(edit("result = 0", "x = 0"), "nonsense", FILES) is None


def test_a_patch_that_breaks_the_syntax_is_caught():
    fits, reason = still_parses(edit("return result", "return result)"), FILES)
    assert not fits
    assert "src/sum.py no longer parses" in reason
    assert still_parses(edit('{"a": 1}', '{"a": 1,}', "conf.json"), FILES)[0] is False
    assert still_parses(edit("return result", "return -result"), FILES) == (True, "")


def test_a_file_that_was_broken_before_is_not_held_against_the_patch():
    assert still_parses(edit("pass", "return", "odd.py"), FILES)[0]


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("x.toml", "a = 1\n", "a = \n"),
        ("x.yaml", "a: [1]\n", "a: [1\n"),
        ("x.xml", "<a/>\n", "<a>\n"),
        ("x.txt", "((\n", ")(\n"),
    ],
)
def test_new_files_must_parse_as_what_they_are(name: str, good: str, bad: str):
    assert still_parses(diff(name, good), FILES)[0]
    assert still_parses(diff(name, bad), FILES)[0] is (name == "x.txt")


def test_configuration_and_hooks_of_the_user_take_no_part(tmp_path: Path, monkeypatch):
    config = tmp_path / ".gitconfig"
    config.write_text("[apply]\n\twhitespace = error-all\n[core]\n\thooksPath = /nowhere\n[bad\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_DIR", os.fspath(tmp_path / "elsewhere"))
    assert patch_applies(edit("result = 0", "result = 0   "), FILES)[0]


def test_one_bench_serves_many_trials_and_leaves_nothing_behind():
    with PatchSandbox(FILES) as bench:
        folder = bench._root
        a, b = edit("result = 0", "result = 1"), edit("1", "3", "conf.json")
        assert bench.applies(a)[0]
        assert bench.clash(a, b) is False
        assert bench.clash(a, edit("result = 0", "result = 2")) is True
        assert bench.applies(b)[0]
    assert not folder.exists()
