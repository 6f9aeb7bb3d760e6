"""Names that a change leaves without a declaration, in the file and in files that it does not touch."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

GO = 'package p\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc Expand(path string) string {\n\tfmt.Println(path)\n\treturn os.ExpandEnv(path)\n}\n'
USER = 'package p\n\nfunc Use() string { return Expand("x") }\n'
TS = "export function alpha() { return 1 }\nexport const beta = 2\n"
TS_USER = "import { alpha as a } from './a.js'\nexport const c = a()\n"
RUST = "pub struct Shop;\npub fn go() {}\n"
RUST_USER = "use crate::s::{Shop, go};\npub fn f(_: Shop) {}\n"
JAVA = "package a;\n\nimport java.util.List;\n\nclass Page {\n  List<String> rows;\n}\n"
BASE = {
    "j/Page.java": JAVA,
    "p/a.go": GO,
    "p/b.go": USER,
    "w/a.ts": TS,
    "w/b.ts": TS_USER,
    "src/s.rs": RUST,
    "src/t.rs": RUST_USER,
}


def change(path: str, old: str, new: str, **more: str) -> list[tuple[str, str]]:
    """What is told of one replacement in the base; ``more`` files come with the change."""
    assert old in BASE[path]
    after = {path: BASE[path].replace(old, new), **more}
    before = {name: BASE[name] for name in after if name in BASE}

    def users(word: str) -> list[str]:
        return [name for name, text in BASE.items() if word in text]

    found = lost_names(ChangedCode(before, after, lambda path: BASE.get(path, ""), users))
    return [(each.code, f"{each.path}:{each.line} {each.message}") for each in found]


@pytest.mark.parametrize(
    ("path", "old", "new", "code", "told"),
    [
        ("p/a.go", "ExpandEnv(path)", "ExpandEnv(wholly)", "undefined-name", "`wholly` is used"),
        ("p/a.go", "path string", "path Strange", "undefined-name", "`Strange`"),
        ("p/a.go", "func Expand(", "func Expanded(", "name-gone", "p/b.go:3"),
        ("p/a.go", "\tfmt.Println(path)\n", "", "unused-import", '"fmt" is imported and not used'),
        ("p/a.go", '\t"os"\n', '\t"os"\n\t"strings"\n', "unused-import", '"strings"'),
        (
            "p/a.go",
            "\treturn",
            "\tx := 1\n\treturn",
            "unused-local",
            "`x` is declared and not used",
        ),
        ("w/a.ts", "function alpha", "function gamma", "name-gone", "w/b.ts:1"),
        ("w/a.ts", "export function alpha", "function alpha", "name-gone", "w/b.ts:1"),
        ("src/s.rs", "struct Shop", "struct Store", "name-gone", "src/t.rs:1"),
        ("src/s.rs", "fn go()", "fn go(_: Strange)", "undefined-name", "`Strange`"),
        ("j/Page.java", "List<String> rows", "List<Strange> rows", "undefined-name", "`Strange`"),
    ],
)
def test_what_a_change_leaves_without_its_declaration_is_told(path, old, new, code, told):
    ((found, message),) = change(path, old, new)
    assert (found, told in message) == (code, True)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("p/a.go", "func Expand(", "fnc Expand("),
        ("w/a.ts", "export function alpha", "exprot function alpha"),
        ("src/s.rs", "pub struct Shop;", "pub strcut Shop;"),
    ],
)
def test_a_file_that_parses_no_longer_has_lost_nothing_else(path, old, new):
    assert change(path, old, new) == []


def test_a_misspelt_name_is_told_once_with_what_was_meant():
    [(code, message)] = change("p/a.go", "ExpandEnv(path)", "ExpandEnv(ptah)")
    assert (code, "nothing declares it: `path` was meant" in message) == ("undefined-name", True)


@pytest.mark.parametrize(
    ("path", "old", "new", "more"),
    [
        ("p/a.go", "return os", "// wholly other\n\treturn os", {}),
        ("p/a.go", "return os.ExpandEnv(path)", "x := os.ExpandEnv(path)\n\treturn x", {}),
        ("p/a.go", "(path)\n}", "(path + Use())\n}", {}),
        (
            "p/a.go",
            "ExpandEnv(path)",
            "ExpandEnv(other)",
            {"p/c.go": "package p\n\nvar other = 1\n"},
        ),
        (
            "p/a.go",
            "func Expand(",
            "func Expanded(",
            {"p/b.go": USER.replace("Expand(", "Expanded(")},
        ),
        ("p/a.go", '\t"os"\n', '\t. "x.io/dsl"\n\t"os"\n', {}),
        ("p/a.go", "ExpandEnv(path)", "ExpandEnv(max(path, path))", {}),
        ("p/a.go", "package p\n", "package p\n\n//go:generate stringer\n", {}),
        ("p/a.go", '\t"os"\n', '\t_ "embed"\n\t"os"\n', {}),
        ("w/a.ts", "const beta", "const delta", {}),
        ("w/a.ts", "export function alpha() { return 1 }", "export * from './more'", {}),
        ("w/a.ts", "function alpha", "function gamma", {"w/b.ts": "export {}\n"}),
        (
            "src/s.rs",
            "struct Shop",
            "struct Store",
            {"src/u.rs": "pub use crate::s::Store as Shop;\n"},
        ),
        ("src/s.rs", "fn go()", "fn go(_: u8)", {}),
        ("src/s.rs", "fn go()", "fn go<Kind>(_: Kind, _: Vec<Option<String>>)", {}),
        ("src/s.rs", "fn go()", "use x::*;\npub fn go(_: Strange)", {}),
        ("j/Page.java", "List<String>", "List<Integer>", {}),
        ("j/Page.java", "import java.util.List;", "import java.util.*;\nimport b.Strange;", {}),
        (
            "j/Page.java",
            "<String> rows",
            "<Row> rows",
            {"j/Row.java": "package a;\nclass Row {}\n"},
        ),
    ],
)
def test_what_may_be_declared_elsewhere_or_is_used_by_nobody_is_left_alone(path, old, new, more):
    assert change(path, old, new, **more) == []


def test_a_gone_file_is_told_at_who_uses_it():
    found = lost_names(
        ChangedCode(
            {"w/a.ts": TS},
            {},
            lambda path: BASE.get(path, ""),
            lambda word: ["w/b.ts"] if word == "alpha" else [],
        )
    )
    assert [(each.path, each.line) for each in found] == [("w/b.ts", 1)]
