"""How a judge of changes looks at the rest of the repository."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from guildmoot.agents.tools import code_changes
from guildmoot.agents.tools.told_change import BaseFiles


def test_who_uses_a_word_is_answered_alike_by_git_and_from_memory(tmp_path: Path) -> None:
    files = {
        "a.go": "package a\nfunc one() { two() }\n",
        "b/c.go": "package b // one_more, one\n",
        "d.go": "package d\nvar ones = 1\n",
        "e.txt": "one\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "one.go").symlink_to("one")
    for words in (("init", "-q"), ("add", "-A"), ("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a")):  # fmt: skip
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    with BaseFiles(str(tmp_path), "HEAD", (".go",)) as others:
        asked = ["one", "two", "ones", "one_more", "nobody"]
        by_git = [others.users(word) for word in asked]
        for _ in range(20):
            others.users("package")
        (tmp_path / ".git" / "objects").rename(tmp_path / "away")  # git could answer no more
        assert [others.users(word) for word in asked] == by_git
    assert by_git == [["a.go", "b/c.go"], ["a.go"], ["d.go"], ["b/c.go"], []]


PROJECT = "<Project><PropertyGroup>{}</PropertyGroup></Project>\n"


@pytest.mark.parametrize(
    ("path", "said", "told"),
    [
        ("P.csproj", "<ImplicitUsings>enable</ImplicitUsings>", 0),
        ("Directory.Build.props", "<ImplicitUsings>true</ImplicitUsings>", 0),
        ("P.csproj", "<Using Include='System.Collections.Generic' />", 0),
        ("P.csproj", "<ImplicitUsings>disable</ImplicitUsings>", 1),
    ],
)
def test_a_project_gives_what_it_says_after_the_change(tmp_path, path, said, told):
    base = {
        path: PROJECT.format("<ImplicitUsings>disable</ImplicitUsings>"),
        "A.cs": "using System.Collections.Generic;\nnamespace P;\nclass A { List<int> Names; }\n",
    }
    now = {
        path: PROJECT.format(said),
        "A.cs": base["A.cs"].partition("\n")[2],
    }
    change = {
        "root": str(tmp_path),
        "base": "",
        "changed": {name: [[1, 9]] for name in now},
        "renamed": {name: name for name in base},
        "touched": [*base],
    }
    for folder, files in ((tmp_path / "now", now), (tmp_path / "before/files", base)):
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text)
    (tmp_path / "change.json").write_text(json.dumps(change))
    found = code_changes.find([str(tmp_path / "change.json")], str(tmp_path / "now"))
    assert len(found) == told


@pytest.mark.parametrize("marked", ["a.cpp", "h.h", "both"])
def test_a_byte_order_mark_before_an_include_changes_nothing(tmp_path, monkeypatch, marked) -> None:
    mark = "\ufeff"
    header = (mark if marked != "a.cpp" else "") + '#include "y.h"\nint near(Point p);\n'
    code = '#include "h.h"\n#include "y.h"\nint go(Point p) { return far(p); }\n'
    now = (mark if marked != "h.h" else "") + code.replace('#include "y.h"\n', "")
    base = {"y.h": "struct Point { int x; };\nint far(Point p);\n", "h.h": header, "a.cpp": code}
    assert _told(tmp_path, base, {"a.cpp": now}) == []
    assert [f.code for f in _told(tmp_path, {**base, "h.h": "int z;\n"}, {"a.cpp": now})] != []
