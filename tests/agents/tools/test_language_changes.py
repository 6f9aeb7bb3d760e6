"""A change before the judge of languages: what it broke counts, what was odd before does not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import commands

GO = (
    'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc f() {\n\tfmt.Println(os.Args, shared.X)\n}\n'
)
JS = "import {a} from './a.js';\nexport const b = () => {\n  return a(global_of_ours);\n};\n"
TS = "import type {A} from './a';\nexport const b = (c: A): Ambient => c;\n"
JAVA = "package a;\n\nimport java.util.List;\n\nclass B {\n  List<Sibling> c;\n}\n"
RUST = "use std::collections::HashMap;\n\nfn f() -> HashMap<u8, u8> {\n    HashMap::new()\n}\n"


def judged(folder: Path, name: str, before: str, after: str, move: str = "") -> dict[str, object]:
    def git(*words: str) -> None:
        options = (
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.org",
            "-c",
            "init.defaultBranch=main",
        )
        subprocess.run(["git", *options, *words], cwd=folder, check=True, capture_output=True)

    (folder / name).write_text(before)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    (folder / name).write_text(after)
    if move:
        git("mv", name, move)
    words = ("validate", "--diff", "--json", "--agents", "languages,code-changes")
    done = commands.run(["-m", "guildmoot", *words], cwd=folder)
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.go", GO, '\t"os"\n'),
        ("a.js", JS, "import {a} from './a.js';\n"),
        ("a.ts", TS, "import type {A} from './a';\n"),
        ("B.java", JAVA, "import java.util.List;\n"),
        ("a.rs", RUST, "use std::collections::HashMap;\n"),
    ],
)
@pytest.mark.sample(2)
def test_an_import_that_is_still_used_is_missed(
    tmp_path: Path, name: str, text: str, line: str
) -> None:
    report = judged(tmp_path, name, text, text.replace(line, ""))
    assert report["verdict"] == "flagged"


@pytest.mark.parametrize(
    ("name", "text", "old", "new"),
    [
        ("a.go", GO, "shared.X", "shared.X, shared.Y"),
        ("a.js", JS, "return a(", "return 1 + a("),
        ("a.ts", TS, "=> c;", "=> c as Ambient;"),
        ("B.java", JAVA, "c;", "c;\n  Sibling d;"),
        ("a.c", "FOREACH(a) int x struct\n", "int x", "int y"),
    ],
)
@pytest.mark.sample(3)
def test_what_was_odd_before_holds_nothing_up(
    tmp_path: Path, name: str, text: str, old: str, new: str
) -> None:
    assert judged(tmp_path, name, text, text.replace(old, new))["verdict"] != "flagged"


QUERY = (
    "export function f(db, name) {\n  return db.query(`SELECT a FROM b WHERE c = '${name}'`);\n}\n"
)


def test_values_in_a_query_block_where_a_change_brings_them_and_advise_in_place(
    tmp_path: Path,
) -> None:
    assert judged(tmp_path, "a.js", "export const a = 1;\n", QUERY)["verdict"] == "flagged"
    (tmp_path / "more").mkdir()
    grown = judged(tmp_path / "more", "b.js", QUERY, f"{QUERY}export const a = 1;\n")
    assert grown["verdict"] == "approved"


def test_a_file_that_parsed_before_and_no_longer_does_blocks_in_any_language(
    tmp_path: Path,
) -> None:
    report = judged(tmp_path, "a.css", "a { color: red; }\n", "a { color: red; \n")
    assert report["verdict"] == "flagged"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.kt", "fun f() {}\n", "fun f(x: List<Int> = []) {}\n"),
        ("a.c", "int f(void);\n", "int WINAPI f(void) ODD g;\n"),
        ("a.sql", "SELECT 1;\n", "CREATE TABLE a (b timestamp (3) ODD NOT x);\n"),
        ("a.html", "<p>a</p>\n", "<p {% if a < b %}x{% endif %}>a</p>\n"),
        ("a.rs", "fn f() {}\n", "fn f() { g::<-1>(); }\n"),
    ],
)
@pytest.mark.sample(3)
def test_what_only_a_grammar_does_not_know_is_advice(
    tmp_path: Path, name: str, before: str, after: str
) -> None:
    assert judged(tmp_path, name, before, after)["verdict"] != "flagged"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.rb", "def f\n  1\nend\n", "def f\n  1\nend\nend\n"),
        ("a.ex", "defmodule A do\nend\n", "defmodule A do\n"),
        ("a.sh", "if a; then\n  b\nfi\n", "if a; then\n  b\n"),
        ("a.sh", "for a in b; do\n  b\ndone\n", "  b\ndone\n"),
        ("a.lua", "if a then\n  b()\nend\n", "  b()\nend\n"),
        ("a.kt", "fun f() { g(1) }\n", "fun f() { g(1 }\n"),
        ("a.html", "<div><b>a</b></div>\n", "<div><b>a</b</div>\n"),
    ],
)
@pytest.mark.sample(3)
def test_what_no_longer_pairs_up_blocks(tmp_path: Path, name: str, before: str, after: str) -> None:
    assert judged(tmp_path, name, before, after)["verdict"] == "flagged"


def test_a_file_of_go_that_moves_to_another_package_is_gone_from_the_old_one(
    tmp_path: Path,
) -> None:
    (tmp_path / "go.mod").write_text("module example.com/x\n")
    (tmp_path / "user.go").write_text("package a\n\nfunc run() int {\n\treturn helped()\n}\n")
    helper = "package a\n\nfunc helped() int {\n\treturn 1\n}\n"
    (tmp_path / "inner").mkdir()
    moved = judged(tmp_path, "helper.go", helper, helper, move="inner/helper.go")
    assert moved["verdict"] == "flagged"
    assert "helped" in json.dumps(moved["blocking_findings"])
