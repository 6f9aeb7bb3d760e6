"""Calls over many lines: one that loses a line has no new line at all."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

HOMES = {
    "Lib.java": "class Lib {\n  static int f(int a, int b, int c) { return a; }\n}\n",
    "Lib.cs": "class Lib\n{\n  public static int F(int a, int b, int c) { return a; }\n}\n",
    "lib.ts": "export function f(a: number, b: number, c: number) { return a }\n",
    "lib.go": "package p\n\nfunc f(a, b, c int) int { return a }\n",
    "lib.h": "int f(int a, int b, int c);\n",
    "src/lib.rs": "pub mod user;\n\npub struct Lib;\n\nimpl Lib {\n"
    "    pub fn new(a: u8, b: u8, c: u8) -> Self { Lib }\n}\n",
}
CALL = "(\n      x,\n      2,\n      3)"
USERS = {
    "Use.java": f"class Use {{\n  int g(int x) {{\n    return Lib.f{CALL};\n  }}\n}}\n",
    "Use.cs": f"class Use\n{{\n  int G(int x) {{\n    return Lib.F{CALL};\n  }}\n}}\n",
    "use.ts": f"import {{ f }} from './lib'\nexport function g(x: number) {{\n  return f{CALL}\n}}\n",
    "use.go": f"package p\n\nfunc g(x int) int {{\n  return f{CALL}\n}}\n",
    "use.c": f'#include "lib.h"\nint g(int x) {{\n  return f{CALL};\n}}\n',
    "src/user.rs": f"use crate::Lib;\n\nfn g(x: u8) -> Lib {{\n  Lib::new{CALL}\n}}\n",
}
ALL = HOMES | USERS


def told(path: str, old: str, new: str) -> list[tuple[str, str]]:
    assert old in ALL[path]
    change = ChangedCode(
        {path: ALL[path]},
        {path: ALL[path].replace(old, new, 1)},
        lambda name: ALL.get(name, ""),
        lambda word: [name for name, text in ALL.items() if word in text],
        files=lambda: list(ALL),
    )
    return [(each.path, each.code) for each in lost_names(change)]


@pytest.mark.parametrize("path", USERS)
def test_a_line_that_a_call_loses_is_told_where_the_call_begins(path):
    assert told(path, "      2,\n", "") == [(path, "call-does-not-fit")]


@pytest.mark.parametrize("path", USERS)
def test_lines_that_only_break_elsewhere_are_not_told(path):
    assert told(path, CALL, "(x, 2,\n      3)") == []
