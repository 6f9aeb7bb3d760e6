"""The packet's own paths in what judges write."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import finding
from guildmoot.reading.known_paths import KnownPaths, settle
from guildmoot.reading.places import find_anchors

FILES = (
    "a b/app.py",
    "src/net.py",
    "src/a/util.py",
    "src/b/util.py",
    "README.md",
    "x\u200by/z.py",
    "app/[slug]/page.tsx",
    "my file.py",
    'q"r.py',
    "page(1).js",
    "Üb/é.py",
    "docker/Dockerfile",
    "src/pkg/__init__.py",
    "two  blanks/ﬁle.py",
    "odd /end.py ",
)
KNOWN = KnownPaths(FILES)


@pytest.mark.parametrize(
    ("text", "path", "line", "end_line"),
    [
        ("a b/app.py:2 is wrong", "a b/app.py", 2, 2),
        ("in the folder a b/app.py, lines 3 to 9", "a b/app.py", 3, 9),
        ("a%20b/app.py:2", "a b/app.py", 2, 2),
        ("net.py:4", "src/net.py", 4, 4),
        ("b/src/net.py#L3-L9", "src/net.py", 3, 9),
        ("../src/net.py:4", "src/net.py", 4, 4),
        ("shop/src/net.py:4", "src/net.py", 4, 4),
        ("/tmp/guildmoot-x/files/src/net.py:4", "src/net.py", 4, 4),
        (r"C:\work\src\net.py(4)", "src/net.py", 4, 4),
        (r"src\net.py:4:5", "src/net.py", 4, 4),
        ("SRC/Net.PY:4", "src/net.py", 4, 4),
        ("**src/net.py** line 4", "src/net.py", 4, 4),
        ("`src/net.py`:4", "src/net.py", 4, 4),
        ('"src/net.py", line 4', "src/net.py", 4, 4),
        ("src/net.py @ L4", "src/net.py", 4, 4),
        ("line 4 of `src/net.py`", "src/net.py", 4, 4),
        ("lines 4-9 in src/net.py", "src/net.py", 4, 9),
        ("在src/net.py第4行", "src/net.py", 4, 4),
        ("src/n\u200bet.py:4", "src/net.py", 4, 4),
        ("xy/z.py:4", "x\u200by/z.py", 4, 4),
        ("x⟦U+200B⟧y/z.py:4", "x\u200by/z.py", 4, 4),
        ("app/[slug]/page.tsx:4", "app/[slug]/page.tsx", 4, 4),
        ("my file.py:4", "my file.py", 4, 4),
        (r"q\"r.py:4", 'q"r.py', 4, 4),
        ("page(1).js:4", "page(1).js", 4, 4),
        ("U\u0308b/e\u0301.py:4", "Üb/é.py", 4, 4),
        (r"src/pkg/\_\_init\_\_.py:4", "src/pkg/__init__.py", 4, 4),
        ("two  blanks/ﬁle.py:4", "two  blanks/ﬁle.py", 4, 4),
        ("two blanks/file.py:4", "two  blanks/ﬁle.py", 4, 4),
        ("odd/end.py:4", "odd /end.py ", 4, 4),
        ("Dockerfile:4 runs as root", "docker/Dockerfile", 4, 4),
        ("src/net.py: 3 problems", "src/net.py", 0, 0),
    ],
)
def test_a_file_is_found_however_it_is_written(text, path, line, end_line):
    [place] = KNOWN.places(text)
    assert (place.paths, place.line, place.end_line) == ((path,), line, end_line)


@pytest.mark.parametrize(
    "text", ["mynet.py:3", "net.pyc:3", "net.py.bak:3", "lib/net.py:3", "net.py/x:3", "my-net.py"]
)
def test_another_file_is_not_taken_for_it(text):
    assert not KNOWN.places(text)


def test_a_name_of_several_files_means_all_of_them():
    assert KNOWN.meant("util.py") == ("src/a/util.py", "src/b/util.py")
    settled = settle(finding(title="util.py:5 leaks", path="util.py", line=5), KNOWN)
    assert (settled.path, settled.note) == ("", "2 files have the name that it gives")
    assert settled.blocking


@pytest.mark.parametrize(
    ("claim", "place"),
    [
        ({"title": "it leaks", "path": "b/app.py", "line": 2}, ("a b/app.py", 2)),  # where: a b/...
        ({"title": "a b/app.py:2 leaks", "path": "b/app.py", "line": 2}, ("a b/app.py", 2)),
        ({"title": "see README.md:4", "path": "src/net.py", "line": 2}, ("src/net.py", 2)),
        ({"title": "src/ghost.py:3 calls net.py", "path": "src/ghost.py", "line": 3}, ("src/ghost.py", 3)),
        ({"title": "node.js:18 is old", "path": "node.js", "line": 18}, ("", 0)),
        ({"title": "tests/test_x.py:1 is missing", "path": "tests/test_x.py", "line": 1}, ("", 0)),
    ],
)  # fmt: skip
def test_a_finding_is_put_where_it_belongs(claim, place):
    settled = settle(finding(**claim), KNOWN)
    assert (settled.path, settled.line) == place


def test_a_path_that_was_cut_at_a_blank_is_not_taken_for_the_file_of_that_name():
    known = KnownPaths(["a b/app.py", "b/app.py"])
    cut = finding(title="a b/app.py:2 leaks", path="b/app.py", line=2)
    assert settle(cut, known).path == "a b/app.py"
    assert settle(finding(title="it leaks", path="b/app.py", line=2), known).path == "b/app.py"


@given(st.sampled_from(FILES), st.integers(1, 9999), st.text(max_size=20), st.text(max_size=20))
def test_a_path_as_the_packet_shows_it_is_found_in_any_sentence(path, line, before, after):
    found = KNOWN.places(f"{before} {path}:{line} {after}")
    assert any(path in place.paths and place.line == line for place in found)


HOSTILE = [
    "[",
    "(",
    "+",
    "a/",
    "/",
    "and ",
    "__init__.py ",
    "m1.py:1",
    "`",
    "a.",
    "[a]/",
    ".../",
    "%41",
    "第",
]


@pytest.mark.parametrize("unit", HOSTILE)  # fmt: skip
def test_no_text_takes_long(unit):
    known = KnownPaths(
        f"src/p{n % 70}/m{n}/{'__init__' if n % 10 == 0 else f'm{n}'}.py" for n in range(7000)
    )
    text = f"x-y: {unit * (200_000 // len(unit))}"
    started = time.process_time()
    find_anchors(text)
    find_anchors(text.replace(" ", "\n"))
    settle(finding(title=text, path=text[:300], line=1), known)
    assert time.process_time() - started < 5
