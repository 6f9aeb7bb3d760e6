"""Calls of a file's own functions that a change makes unfit."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.arity import bad_calls
from guildmoot.agents.parsing.grammars import parser

FILES = {
    "Go": "package p\n\nfunc add(a, b int, c string) {}\n\nfunc f(x int) { add(x, 1, y()) }\n",
    "Rust": "fn add(a: u8, b: u8) {}\n\nfn f(x: u8) { add(x, y()); }\n",
    "C": "static int *add(int a, char *b) { return 0; }\n\nint f(int x) { add(x, y()); return 1; }\n",
    "TypeScript": "export function add(a: number, b: string, c = 1) {}\n\nadd(x, y());\n",
}
LESS = {"Go": ("x, 1, y()", "x, 1"), **dict.fromkeys(("Rust", "C", "TypeScript"), ("x, y()", "x"))}
FINE = {
    "Go": [("x, 1, y()", "z()"), ("f(x int)", "f(add func(int))"), ("c string", "c ...string")],
    "Rust": [("f(x: u8)", "f(add: fn(u8))")],
    "C": [
        ("x, y()", "ARGUMENTS"),
        ("static", "#define add(x) x\nstatic"),
        ("int a, char *b", "void *a, ..."),
    ],
    "TypeScript": [("x, y()", "...x"), ("x, y()", "x, y(), 2"), ("c = 1", "c?: string")],
}


def found(language: str, old: str, new: str) -> list[str]:
    before = FILES[language]
    trees = (parser(language).parse(text.encode()) for text in (before, before.replace(old, new)))
    return [each.name for each in bad_calls(language, *(tree.root_node for tree in trees))]


@pytest.mark.parametrize("language", FILES)
def test_a_dropped_argument_is_told_and_what_may_fit_is_not(language):
    assert found(language, *LESS[language]) == ["add"]
    for old, new in FINE[language]:
        assert found(language, old, new) == [], new
