"""How a judge of changes looks at the rest of the repository."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from guildmoot.agents.tools import code_changes
from guildmoot.agents.tools.rdjsonl import ToolFinding
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
    assert len(_told(tmp_path, base, now)) == told


def _told(
    place: Path, base: dict[str, str], now: dict[str, str], commit: str = ""
) -> list[ToolFinding]:
    """What a change of files says, all of which the base has."""
    change = {
        "root": str(place),
        "base": commit,
        "changed": {name: [[1, 9]] for name in now},
        "renamed": {name: name for name in now},
        "touched": [*base],
    }
    for folder, files in ((place / "now", now), (place / "before/files", base)):
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    (place / "change.json").write_text(json.dumps(change))
    return code_changes.find([str(place / "change.json")], str(place / "now"))


@pytest.mark.parametrize("marks", [("a.cpp",), ("h.h",), ("a.cpp", "h.h")])
def test_a_byte_order_mark_before_an_include_changes_nothing(tmp_path, marks) -> None:
    base = {
        "y.h": "struct Point { int x; };\nint far(Point p);\n",
        "h.h": '#include "y.h"\nint near(Point p);\n',
        "a.cpp": '#include "y.h"\nint go(Point p) { return far(p); }\n',
    }
    marked = {name: ("\ufeff" if name in marks else "") + text for name, text in base.items()}
    now = {**marked, "a.cpp": marked["a.cpp"].replace("y.h", "h.h")}
    assert _told(tmp_path / "reached", base, now) == []
    now["h.h"] = now["h.h"].replace('#include "y.h"\n', "")
    assert _told(tmp_path / "not", base, now) != []


@pytest.mark.parametrize(
    ("rules", "include", "codes"),
    [
        ("", "own/part/tables.h", ["names-no-file"]),
        ("*\n!**/\n!src/**\n!include/**/*.h\n", "own/part/tables.h", ["names-no-file"]),
        ("include/own/part/tables.h\n", "own/part/tables.h", []),  # a build makes it
        ("", "own/part/made.h", []),  # of the other file of that name, it seems
        ("", "own/else/tables.h", []),  # no such folder: it may be of another project
    ],
)
def test_a_header_that_its_folder_does_not_hold_is_told(tmp_path, rules, include, codes):
    base = {
        ".gitignore": rules,
        "include/own/part/table.h": "int one();\n",
        "include/own/part/rows.h": "int two();\n",
        "src/made.proto": 'syntax = "proto3";\n',
        "src/a.cpp": '#include "far/a.h"\n#include "far/b.h"\nint go() { return 1; }\n',
    }
    place = tmp_path / "work"
    for name, text in base.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    for words in (("init", "-q"), ("add", "-Af"), ("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a")):  # fmt: skip
        subprocess.run(["git", *words], cwd=place, check=True)
    now = {"src/a.cpp": f'#include "{include}"\n' + base["src/a.cpp"]}
    assert [each.code for each in _told(place, base, now, "HEAD")] == codes


def test_what_no_compiler_takes_blocks_when_a_change_brings_it(tmp_path) -> None:
    base = {
        "a.h": "#ifndef A_H\n#define A_H\nint one(void);\n#endif\n",
        "a.ts": "export function f(a: number) {\n  return a;\n}\n",
    }
    now = {
        "a.h": base["a.h"].replace("#endif\n", ""),
        "a.ts": base["a.ts"].replace("return", "await"),
    }
    found = _told(tmp_path / "broken", base, now)
    assert [(each.path, each.line, each.code, each.severity) for each in found] == [
        ("a.h", 1, "does-not-compile", "ERROR"),
        ("a.ts", 2, "does-not-compile", "ERROR"),
    ]
    more = {path: f"{text}\n" for path, text in now.items()}
    assert _told(tmp_path / "so", now, more) == []
