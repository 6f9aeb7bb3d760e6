"""A file that its grammar read before a change and not after it: it blocks or is undecided, never approved."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.grammars import GRAMMARS
from guildmoot.consensus.floors import parsing_floor
from guildmoot.text.languages import language_of
from language_changes import new_findings

# The whole file, and slips that leave all brackets in pairs: what stands there and what becomes of it.
SLIPS = {
    "a.js": ("function f(a, b) {\n  return a + b;\n}\n", ("function", "fucntion"), ("a + b", "a b")),
    "a.ts": ("class A {\n  b: number = 1;\n}\n", ("class", "clas"), ("= 1", "= = 1")),
    "a.tsx": ("export const A = () => <p>a</p>;\n", ("const", "cnst"), ("=>", "")),
    "a.go": ("package a\n\nfunc f(a int) int {\n\treturn a * 2\n}\n", ("func", "fun"), ("a * 2", "a 2")),
    "a.rs": ("fn f(a: i32) -> i32 {\n    let b = a + 1;\n    b\n}\n", ("fn", "fnn"), ("a: i32", "a i32")),
    "A.java": ("class A {\n  int f(int a) { return a + 1; }\n}\n", ("class", "calss"), ("a + 1", "a 1")),
    "a.rb": ("def f(a)\n  b = a * 2\n  b\nend\n", ("def", "de"), ("  b\nend", "  ] [ b\nend")),
    "a.php": ("<?php\nfunction f($a) {\n  return $a . 'b';\n}\n", ("function", "funtion"), ("$a .", "$a")),
    "a.ex": ("defmodule A do\n  def f(a), do: a + 1\nend\n", ("a + 1", "a +  + ] [ 1"), ("do: a", "do: , a")),
    "a.lua": ("local function f(a)\n  return a + 1\nend\n", ("function", "functin"), ("a + 1", "a  1")),
    "a.tf": ('resource "a" "b" {\n  c = var.d\n}\n', ("c =", "c"), ("var.d", "= var.d")),
    "a.sh": ('if [ -n "$a" ]; then\n  echo a\nfi\n', ("then", "tehn"), ("fi\n", "if\n")),
    "a.c": ("int f(int a) {\n  return a + 1;\n}\n", ("a + 1", "a 1"), ("return", "= return")),
    "a.cc": ("namespace n {\nint f(int a) { return a + 1; }\n}\n", ("a + 1", "a 1"), ("namespace", "namespce")),
    "a.cs": ("class A {\n  int F(int a) { return a + 1; }\n}\n", ("class", "clsas"), ("a + 1", "a 1")),
    "a.m": ("@interface A : NSObject\n- (int)f:(int)a;\n@end\n", ("@interface", "@interfac"), ("@end\n", "\n")),
    "a.kt": ("fun f(a: Int): Int {\n    return a + 1\n}\n", ("a: Int", "a Int"), ("return", ", return")),
    "a.swift": ("func f(a: Int) -> Int {\n    return a + 1\n}\n", ("a: Int", "a Int"), ("func", "fnc")),
    "a.scala": ("object A {\n  def f(a: Int): Int = a + 1\n}\n", ("a: Int", "a Int"), ("object", "objct")),
    "a.groovy": ("class A {\n  int f(int a) { return a + 1; }\n}\n", ("class", "clas"), ("return", "] [ return")),
    "a.hs": ("module A where\n\nf :: Int -> Int\nf a = a + 1\n", ("module", "modul"), ("f a =", "f a = =")),
    "a.ml": ("let f a =\n  let b = a + 1 in\n  b\n", ("let b", "lte b"), ("= a", "= = a")),
    "a.jl": ("function f(a)\n    return a + 1\nend\n", ("function", "functoin"), ("return", "] [ return")),
    "a.zig": ("fn f(a: u8) u8 {\n    return a + 1;\n}\n", ("fn", "f"), ("a: u8", "a u8")),
    "a.ps1": ("function F($a) {\n  if ($a) { return 1 }\n}\n", ("($a) { r", "$a { r"), ("if", "] [ if")),
    "a.sql": ("SELECT a FROM b WHERE c = 1;\n", ("FROM", "FORM"), ("c = 1", "c = = 1")),
    "Makefile": ("ifeq ($(A),1)\nB = 1\nendif\n\nall: b\n\techo a\n", ("endif", "endfi"), ("ifeq", "ifq")),
    "a.css": ("a { color: red; }\n", ("color:", "color"), ("a {", "a { {")),
    "a.html": ("<ul>\n<li><b>a</b></li>\n</ul>\n", ("<li>", "<li"), ("</ul>", "</u>")),
}  # fmt: skip
CASES = [
    pytest.param(path, text, text.replace(*slip, 1), id=f"{path} {slip[1] or 'lost'}")
    for path, (text, *slips) in SLIPS.items()
    for slip in slips
]


def test_every_grammar_has_its_slips():
    assert {language_of(path).name for path in SLIPS} == GRAMMARS.keys()


@pytest.mark.parametrize(("path", "before", "after"), CASES)
def test_a_slip_that_leaves_brackets_in_pairs_blocks(tmp_path, monkeypatch, path, before, after):
    assert new_findings(tmp_path, monkeypatch, {path: before}, {path: before + "\n"}) == []
    assert any(
        f.blocking for f in new_findings(tmp_path, monkeypatch, {path: before}, {path: after})
    )


def test_syntax_that_a_grammar_may_not_know_is_undecided_until_somebody_looks(
    tmp_path, monkeypatch
):
    before = "fun f(a: Int): Int {\n    return a\n}\n"
    after = before.replace("return a", "guard a whenever 1 otherwise 2 <- 3")
    [found] = new_findings(tmp_path, monkeypatch, {"a.kt": before}, {"a.kt": after})
    assert (found.code, found.blocking) == ("stopped-parsing", False)
    [floor] = parsing_floor([found])
    assert (floor.at_least, "a.kt:" in floor.why) == ("undecided", True)
    assert parsing_floor([]) == []


def test_a_new_file_that_no_grammar_reads_is_not_approved_either(tmp_path, monkeypatch):
    odd = {"a.kt": "fun f() {\n    guard a whenever 1 otherwise 2 <- 3\n}\n"}
    assert [f.code for f in new_findings(tmp_path, monkeypatch, {}, odd)] == ["stopped-parsing"]
    on_purpose = {f"fixtures/{path}": text for path, text in odd.items()}
    assert parsing_floor(new_findings(tmp_path, monkeypatch, {}, on_purpose)) == []


def test_brackets_count_in_a_file_that_no_grammar_read(tmp_path, monkeypatch):
    before = {"a.c": "DECLARE_IT(a b, c d) e f {\n  g;\n  h(1);\n}\n"}
    assert new_findings(tmp_path, monkeypatch, before, {"a.c": before["a.c"] + "int i;\n"}) == []
    [found] = new_findings(tmp_path, monkeypatch, before, {"a.c": before["a.c"].replace("1)", "1")})
    assert found.blocking


# Macros that no grammar of C knows; the rest of such a file is read all the same.
MACROS = "struct a {\n\tTAILQ_HEAD(, item) waiters;\n};\n\nint f(int a, int b) {\n\tif (a == b)\n\t\tg(a);\n\treturn a;\n}\n"
SLIPS_BESIDE = {
    "operator": ("a == b", "a b"),
    "semicolon": ("g(a);", "g(a)"),
    "line": ("\tif (a == b)\n", "\t(\n)"),
}


@pytest.mark.parametrize("slip", SLIPS_BESIDE.values(), ids=list(SLIPS_BESIDE))
def test_a_slip_counts_in_a_file_that_its_grammar_never_read(tmp_path, monkeypatch, slip):
    found = new_findings(tmp_path, monkeypatch, {"a.c": MACROS}, {"a.c": MACROS.replace(*slip, 1)})
    assert [(f.code, f.blocking) for f in found] == [("may-not-parse", True)]


@pytest.mark.parametrize(
    "edit",
    [
        ("a == b", "a != b"),
        (", item)", ", thing)"),
        ("\treturn a;", "\tLIST_HEAD(, item) more;\n\treturn a;"),
        ("\tTAILQ_HEAD(, item) waiters;\n", "\tint n;\n"),
        ("int f(", "/* More. */\nint f("),
    ],
)
def test_other_edits_of_such_a_file_are_left_in_peace(tmp_path, monkeypatch, edit):
    assert not new_findings(
        tmp_path, monkeypatch, {"a.c": MACROS}, {"a.c": MACROS.replace(*edit, 1)}
    )


def test_a_text_goes_on_after_a_backslash_whatever_ends_the_line(tmp_path, monkeypatch):
    before = MACROS.replace("g(a)", 'g("wow\\\n\t\tthats neat")').replace("\n", "\r\n")
    after = before.replace("thats", "that's")
    assert not new_findings(tmp_path, monkeypatch, {"a.c": before}, {"a.c": after})


# Files that their grammar refuses as they are, and breaks elsewhere in them.
REFUSED = {
    "Makefile": "VERSION = 1\n\nall:\n\nA := b\n\nifneq ($(C),no)\nD = e\nendif\n\nb: c\n\techo b\n\nODDITY x by y\n",
    "a.kt": "fun f() {\n    guard a whenever 1 otherwise 2 <- 3\n}\n\nfun g(a: Int): Int {\n    return a + 1\n}\n",
    "a.sql": "CREATE ODDITY x BY y;\n\nSELECT a FROM b WHERE c = 1;\n\nSELECT d FROM e;\n",
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "old", "new", "codes"),
    [
        ("Makefile", "all:", "all", {"may-not-parse"}),
        ("Makefile", "endif\n", "", {"may-not-parse"}),
        ("a.kt", "a: Int", "a Int", {"may-not-parse"}),
        ("a.sql", "WHERE c = 1", "WHERE c = = 1", {"may-not-parse"}),
        ("a.kt", "    return a + 1\n", "    whenever a guard 1 => <- 3 4\n", {"stopped-parsing", "may-not-parse"}),
        ("Makefile", "VERSION = 1", "VERSION = 2", set()),
        ("Makefile", "b: c\n", "d: c\n\techo d\n\nb: c\n", set()),
        ("a.kt", "return a + 1", "return a + 2", set()),
        ("a.kt", "    guard a whenever 1", "    guard b whenever 4 otherwise 2 <- 3\n    guard a whenever 1", set()),
        ("a.sql", "SELECT d FROM e;", "SELECT d, f FROM e;", set()),
    ],
)  # fmt: skip
def test_a_complaint_that_was_there_hides_no_new_break(
    tmp_path, monkeypatch, path, old, new, codes
):
    before = REFUSED[path]
    assert new_findings(tmp_path, monkeypatch, {}, {path: before}) != []
    after = before.replace(old, new, 1)
    assert after != before
    found = new_findings(tmp_path, monkeypatch, {path: before}, {path: after})
    assert {f.code for f in found} <= codes
    assert bool(found) == bool(codes)
    assert any(f.blocking for f in found) == (codes == {"may-not-parse"})


def test_a_complaint_on_a_line_that_the_change_leaves_alone_is_not_new_and_hides_no_break(
    tmp_path, monkeypatch
):
    before = {"a.sql": REFUSED["a.sql"]}
    after = {"a.sql": REFUSED["a.sql"].replace("c = 1;", "c = 1")}
    [found] = new_findings(tmp_path, monkeypatch, before, after)
    assert (found.line, found.blocking) == (5, True)


@pytest.mark.parametrize(
    ("path", "blocks"),
    [("a.json", True), ("tests/fixtures/a.json", False), ("tsconfig.json", False)],
)
def test_a_new_file_that_is_no_json_blocks(tmp_path, monkeypatch, path: str, blocks: bool) -> None:
    found = new_findings(tmp_path, monkeypatch, {"b.json": "{}\n"}, {path: '{"a": 1,}\n'})
    assert any(each.blocking for each in found) is blocks
