"""The glob dialect: names at any depth, paths from the root, folders with a slash at the end."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.text.globs import is_glob, matches


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("a.py", "*.py"),
        ("x/a.py", "*.py"),
        ("x/a.py", "x/*.py"),
        ("x/y/a.py", "x/**/*.py"),
        ("x/a.py", "x/**/*.py"),
        ("c.ts", "**/c.ts"),
        ("a/b/c.ts", "**/c.ts"),
        ("a/b", "**"),
        ("src/a/b", "src/**"),
        ("setup.py", "/setup.py"),
        ("docs/a", "docs/"),
        ("x/docs/a/b", "docs/"),
        ("src/docs/a", "src/docs/"),
        ("pkg.egg-info/PKG", "*.egg-info/"),
        ("new\nline.py", "*.py"),
        ("b.py", "[ab].py"),
        ("c.py", "[!ab].py"),
        ("[x", "[x"),
        ("a*b", "a\\*b"),
        ("a1", "a?"),
        ("a-b", "a[-x]b"),
    ],
)
def test_it_matches(path, pattern):
    assert matches(path, [pattern])
    assert matches(path, ["nothing", pattern])


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("x/y/a.py", "x/*.py"),
        ("sub/setup.py", "/setup.py"),
        ("docs", "docs/"),
        ("x/src/docs/a", "src/docs/"),
        ("xDockerfile", "Dockerfile"),
        ("Dockerfile/x", "Dockerfile"),
        ("a.PY", "*.py"),
        ("a.py\n", "*.py"),
        ("a/b.py", "a[/]b.py"),
        ("ab", "a[z-a]b"),
        ("a/b", "a?b"),
        ("", ""),
    ],
)
def test_it_does_not_match(path, pattern):
    assert not matches(path, [pattern]) or path == pattern == ""
    assert not matches("some/file.py", [])


names = st.text(st.sampled_from("ab.*?[]!-\\"), min_size=1, max_size=8)


@given(names, st.text(st.sampled_from("ab.-"), min_size=1, max_size=6))
def test_a_pattern_of_plain_signs_means_what_the_shell_means(pattern, name):
    if any(sign in pattern for sign in "[]!\\") or "**" in pattern:
        matches(name, [pattern])  # never an error
    else:
        assert matches(name, [pattern]) == fnmatchcase(name, pattern)
        assert matches(f"any/depth/{name}", [pattern]) == fnmatchcase(name, pattern)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1))
def test_a_name_with_its_signs_escaped_matches_itself_only(name):
    escaped = "".join(f"\\{char}" for char in name)
    assert matches(name, [escaped])
    assert not matches(f"{name}x", [escaped])


def test_wildcards_make_a_glob():
    assert is_glob("*.py")
    assert is_glob("a?")
    assert is_glob("[ab]")
    assert not is_glob("src/a-b (1).py")
