"""Real merge conflicts are found, and what only looks like one is told apart."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import run_tool
from guildmoot.agents.tools.conflict_markers import conflicts

OURS, THEIRS = "<<<<<<< HEAD", ">>>>>>> feature/x"
CONFLICT = f"{OURS}\nold = 1\n=======\nnew = 2\n{THEIRS}\n"


def found(text: str, path: str = "src/work.c") -> list[tuple[str, int, int]]:
    return [(each.code, each.line, each.end_line) for each in conflicts(path, text)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        (CONFLICT, 1, 5),
        (f"a\n\n{CONFLICT}b\n", 3, 7),
        (CONFLICT.replace("\n", "\r\n"), 1, 5),
        (f"{OURS}\na\n||||||| base\nb\n=======\nc\n{THEIRS}", 1, 7),
        ("<<<<<<<\na\n=======\nb\n>>>>>>>\n", 1, 5),
        (f"{OURS}\nleft over\n{CONFLICT}", 3, 7),
    ],
)
def test_a_whole_conflict_is_found_where_it_stands(text: str, first: int, last: int) -> None:
    assert ("merge-conflict", first, last) in found(text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("README.rst", "Title\n=======\n\nText\n"),
        ("notes.md", "Title\n=======\n"),
        ("a.txt", "> > quoted\n>>>>>>> someone wrote this long ago\n"),
        ("a.c", "  <<<<<<< HEAD\n  =======\n  >>>>>>> x\n"),
        ("a.c", "x <<<<<<< y\n"),
        ("a.c", "<<<<<<<<< nine\n=========\n>>>>>>>>> nine\n"),
        ("a.c", f"=======\n{'-' * 7}\n"),
        ("git.md", f"```\n{OURS}\nhalf an example\n```\n"),
    ],
)
def test_what_only_looks_like_a_conflict_is_left_alone(path: str, text: str) -> None:
    assert found(text, path) == []


def test_a_marker_that_was_left_over_is_told_apart() -> None:
    assert found(f"a\n{THEIRS}\n") == [("left-over-marker", 2, 2)]
    assert found("a\n>>>>>>> 1a2b3c4 (Add a thing)\n") == [("left-over-marker", 2, 2)]
    assert found(f"{OURS}\na\n=======\nb\n") == [("left-over-marker", 1, 1)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("git.md", f"Text\n\n```diff\n{CONFLICT}```\n"),
        ("git.md", f"~~~~\n```\n{CONFLICT}~~~~\n"),
        ("test_merge.py", f'TEXT = """\\\n{CONFLICT}"""\n'),
    ],
)
def test_an_example_is_told_apart(path: str, text: str) -> None:
    assert [code for code, _, _ in found(text, path)] == ["merge-example"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("git.md", f"```\ncode\n```\n{CONFLICT}"),
        ("git.md", f"{OURS}\n```\n=======\n~~~\n{THEIRS}\n"),
        ("work.py", f"def f():\n{CONFLICT}"),
    ],
)
def test_a_conflict_in_a_document_or_in_code_is_no_example(path: str, text: str) -> None:
    assert [code for code, _, _ in found(text, path)] == ["merge-conflict"]


def test_a_real_conflict_left_by_git_is_found(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
        subprocess.run(["git", *identity, *words], cwd=tmp_path, capture_output=True, check=False)

    odd = tmp_path / "odd\nname.txt"
    git("init", "-b", "main")
    for branch, text in (("main", "base\n"), ("other", "theirs\n"), ("main", "ours\n")):
        git("checkout", "-B" if branch == "other" else "-q", branch)
        odd.write_text(text, encoding="utf-8")
        git("add", "-A")
        git("commit", "-m", text)
    git("merge", "other")
    assert "<<<<<<< " in odd.read_text(encoding="utf-8")

    code, diagnostics, _ = run_tool("conflict_markers", ".", cwd=tmp_path)
    assert code == 1
    assert [each["location"]["path"] for each in diagnostics] == ["odd\nname.txt"]
    assert diagnostics[0]["code"] == {"value": "merge-conflict"}
    assert diagnostics[0]["originalOutput"] == "<<<<<<< HEAD"


def test_clean_and_binary_files_are_clean(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(range(256)))
    (tmp_path / "link").symlink_to(tmp_path)
    assert run_tool("conflict_markers", ".", cwd=tmp_path)[:2] == (0, [])


def test_a_folder_that_is_not_there_is_no_judgement() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "guildmoot.agents.tools.conflict_markers", "nowhere"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2


_lines = st.sampled_from([OURS, "=======", THEIRS, "```", "text", "", "||||||| base", "~~~"])


@settings(deadline=None)  # the first example may import what the others find there
@given(st.lists(_lines, max_size=20), st.sampled_from(["a.c", "a.md", "a.py"]))
def test_any_mixture_of_markers_gives_lines_that_exist(lines: list[str], path: str) -> None:
    for each in conflicts(path, "\n".join(lines)):
        assert 1 <= each.line <= each.end_line <= len(lines)
        assert each.quote == lines[each.line - 1]
