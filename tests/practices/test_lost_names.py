"""Names whose declaration a change takes away, or that it misspells, in languages that are read one file at a time."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names
from guildmoot.agents.scopes.losses import LANGUAGES as SCOPED
from guildmoot.grounding.lost_names import misspelt, was_taken_away
from guildmoot.text.languages import language_of
from language_changes import new_findings

# A file, what the change makes of it so that a name is lost, and the name.
LOST = {
    "import of Kotlin": ("a.kt", "import b.Foo\n\nfun f() {\n    Foo(1).go()\n}\n", ("import b.Foo\n", ""), "Foo"),
    "local of Kotlin": ("a.kt", "fun f(count: Int): Int {\n    return g(count)\n}\n", ("count: Int", "cnt: Int"), "count"),
    "import of Scala": ("a.scala", "import b.Foo\n\nobject A {\n  def f = Foo.go(1)\n}\n", ("import b.Foo\n", ""), "Foo"),
    "use of PHP": ("a.php", "<?php\nuse B\\Foo;\nfunction f() {\n  return new Foo();\n}\n", ("use B\\Foo;\n", ""), "Foo"),
    "variable of PHP": ("a.php", "<?php\nfunction f() {\n  $total = 1;\n  return $total;\n}\n", ("  $total = 1;\n", ""), "$total"),
    "method of PHP": ("a.php", "<?php\nclass A {\n  function f() { return $this->help(1); }\n  private function help($a) { return $a; }\n}\n",
                      ("function help", "function helper"), "help"),
    "constant of PHP": ("a.php", "<?php\nclass A {\n  private const LIMIT = 3;\n  function f() { return self::LIMIT; }\n}\n",
                        ("const LIMIT", "const MOST"), "LIMIT"),
    "local of C": ("a.c", "int f(void) {\n  int total = 1;\n  return total + 1;\n}\n", ("int total", "int totl"), "total"),
    "function of C": ("a.c", "static int help(int a) { return a; }\n\nint f(void) {\n  return help(1);\n}\n",
                      ("static int help(int a) { return a; }\n", ""), "help"),
    "local of C++ beside a whole namespace": ("a.cc", "using namespace shop;\nint f() {\n  auto total = g();\n  return total + 1;\n}\n", ("auto total", "auto totall"), "total"),
    "slip in C++ beside a whole namespace": ("a.cc", "using namespace shop;\nint f(int total) {\n  return h(total);\n}\n", ("h(total", "h(totall"), "totall"),
    "local of C++": ("a.cc", "int f() {\n  auto total = g();\n  return total + 1;\n}\n", ("auto total", "auto totl"), "total"),
    "local of C#": ("a.cs", "class A {\n  int F() {\n    var total = 1;\n    return total + 1;\n  }\n}\n",
                    ("var total", "var totl"), "total"),
    "local of Swift": ("a.swift", "func f() -> Int {\n    let total = 1\n    return g(total)\n}\n",
                       ("    let total = 1\n", ""), "total"),
    "local of Ruby": ("a.rb", "def f\n  total = 1\n  puts(total)\nend\n", ("  total = 1\n", ""), "total"),
    "function of shell": ("a.sh", "help() {\n  echo a\n}\nhelp\n", ("help() {\n  echo a\n}\n", ""), "help"),
    "local of Lua": ("a.lua", "local b = require('b')\nb.go()\n", ("local b = require('b')\n", ""), "b"),
    "local of Rust": ("a.rs", "fn f() -> u8 {\n    let total = 1;\n    g(total)\n}\n", ("let total", "let totl"), "total"),
    "local of Java": ("A.java", "class A {\n  int f() {\n    int total = 1;\n    return total;\n  }\n}\n",
                      ("int total", "int totl"), "total"),
    "import of Java": ("A.java", "import b.Foo;\n\nclass A {\n  int f() { return Foo.g(1); }\n}\n", ("import b.Foo;\n", ""), "Foo"),
    "slip of Go": ("a.go", "package a\n\nfunc f(total int) int {\n\treturn total\n}\n", ("return total", "return totl"), "totl"),
    "import of Go by another name": ("a.go", 'package a\n\nimport (\n\tgap "b/go-paths"\n\t"fmt"\n)\n\nfunc f() {\n\tfmt.Print(gap.New())\n}\n',
                                     ('\tgap "b/go-paths"\n', ""), "gap"),
    "variable of a group of Go": ("a.go", "package a\n\nvar (\n\ttotal bool\n\tother int\n)\n\nfunc f() bool {\n\treturn total\n}\n",
                                  ("total bool", "sum bool"), "total"),
    "slip of Kotlin": ("a.kt", "fun f(total: Int): Int {\n    return g(total)\n}\n", ("g(total)", "g(totl)"), "totl"),
    "slip of C": ("a.c", "int f(int total) {\n  return total + 1;\n}\n", ("total + 1", "totals + 1"), "totals"),
    "keyword of Swift": ("a.swift", "func f(a: Int) -> Int {\n    return a\n}\n", ("return a", "rturn a"), "not expected"),
    "slip of PHP": ("a.php", "<?php\nfunction f() {\n  $total = 1;\n  return $total;\n}\n", ("return $total", "return $totl"), "$totl"),
    "local in a macro of Rust": ("a.rs", "fn f() {\n    let total = g();\n    assert_eq!(total, 1);\n}\n", ("let total", "let totl"), "total"),
    "splat of Ruby": ("a.rb", "def f\n  options = g\n  h(**options)\nend\n", ("options = g", "option = g"), "options"),
    "set of Go": ("a.go", "package a\n\nfunc f(n int) {\n\tseen := make(map[string]struct{}, len(n))\n\tg(seen)\n}\n", ("seen :=", "sen :="), "seen"),
    "assigned in C++": ("a.cc", "int f() {\n  int total = 0;\n  total += g();\n  if (total) return 1;\n  return 2;\n}\n", ("total += g", "totals += g"), "totals"),
    "local of C among macros": ("a.c", "FOO_BEGIN(a, b c)\nint f(void) {\n  int total = 1;\n  LIST_FOREACH(x, &y) {\n  g(total);\n  }\n  return total + 1;\n}\nFOO_END\n",
                                ("int total", "int totl"), "total"),
    "import of a name that some hosts give": ("a.mjs", "import assert from 'node:assert';\n\nassert.ok(1);\n", ("import assert from 'node:assert';\n", "import x from 'y';\n"), "assert"),
    "script that is no module": ("a.js", "function total() {}\nfunction f() {\n  total();\n}\n", ("  total", "  totl"), "totl"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "text", "change", "name"), LOST.values(), ids=LOST)
def test_a_name_that_a_change_loses_blocks(tmp_path, monkeypatch, path, text, change, name):
    after = text.replace(*change, 1)
    assert after != text
    if language_of(path).name in SCOPED:
        change = ChangedCode({path: text}, {path: after}, lambda _: "", lambda _: [])
        assert name in " ".join(each.message for each in lost_names(change))
        return
    found = new_findings(tmp_path, monkeypatch, {path: text}, {path: after})
    assert [f.blocking for f in found][:1] == [True]
    assert name in " ".join(f.title for f in found)


# What changes give their names another home.
KEPT = {
    "moved to a file of the change": (
        {"a.kt": "fun help() = 1\n\nfun f() = g(help())\n"},
        {"a.kt": "fun f() = g(help())\n", "b.kt": "fun help() = 1\n"},
    ),
    "given by a header": (
        {"a.c": "#define SIZE 1\n\nint f(void) {\n  return SIZE + 1;\n}\n"},
        {"a.c": '#include "size.h"\n\nint f(void) {\n  return SIZE + 1;\n}\n'},
    ),
    "renamed everywhere": (
        {"a.swift": "func f() -> Int {\n    let total = 1\n    return g(total)\n}\n"},
        {"a.swift": "func f() -> Int {\n    let sum = 1\n    return g(sum)\n}\n"},
    ),
    "inherited from now on": (
        {"a.kt": "class A {\n    val log = 1\n    fun f() = g(log)\n}\n"},
        {"a.kt": "class A : Base() {\n    fun f() = g(log)\n}\n"},
    ),
    "from another one that is alike and foreign": (
        {"a.kt": "fun f() = g(VERSION_1, x)\n"},
        {"a.kt": "fun f() = g(VERSION_2, x)\n"},
    ),
    "a method of a trait": (
        {
            "a.php": "<?php\nclass A {\n  use B;\n  function f() { return $this->help(); }\n  function help() { return 1; }\n}\n"
        },
        {"a.php": "<?php\nclass A {\n  use B;\n  function f() { return $this->help(); }\n}\n"},
    ),
    "a method of a class above": (
        {
            "a.php": "<?php\nclass A {\n  function f() { return $this->help(); }\n  function help() { return 1; }\n}\n"
        },
        {
            "a.php": "<?php\nclass A extends \\Vendor\\B {\n  function f() { return $this->help(); }\n}\n"
        },
    ),
    "a test's name from a runner that gives it to all": (
        {"a.js": "import {test} from 'vitest';\nimport x from 'y';\n\ntest('a', () => x);\n"},
        {"a.js": "import x from 'y';\n\ntest('a', () => x);\n"},
    ),
    "a name of every script": (
        {"a.js": "import process from 'node:process';\nimport x from 'y';\n\nx(process.argv);\n"},
        {"a.js": "import x from 'y';\n\nx(process.argv);\n"},
    ),
    "type of a parameter in C++": (
        {
            "a.cpp": "int f(const form_type<int>& a) { return g(a); }\nint h() {\n  const auto b = form_type<int>{1};\n  return f(b);\n}\n"
        },
        {
            "a.cpp": "int f(int a) { return g(a); }\nint h() {\n  const auto b = form_type<int>{1};\n  return f(b);\n}\n"
        },
    ),
    "alias beside what does not parse": (
        {
            "a.cpp": "using form_type = int;\nint h() {\n  return sizeof(form_type) + 1;\n}\n",
            "a.h": "namespace x {\n@ (;\n}\n",
        },
        {
            "a.cpp": "int h() {\n  return sizeof(form_type) + 1;\n}\n",
            "a.h": "namespace x {\nusing form_type = int;\n@ (;\n}\n",
        },
    ),
    "for some builds only": (
        {"a.c": "#ifndef SIZE\n#define SIZE 1\n#endif\nint f(void) {\n  return SIZE + 1;\n}\n"},
        {"a.c": "int f(void) {\n  return SIZE + 1;\n}\n"},
    ),
}


@pytest.mark.parametrize(("before", "after"), KEPT.values(), ids=KEPT)
def test_a_name_that_may_come_from_elsewhere_is_no_alarm(tmp_path, monkeypatch, before, after):
    assert new_findings(tmp_path, monkeypatch, before, after) == []
    assert not list(lost_names(ChangedCode(before, after, lambda _: "", lambda _: [])))


def test_hostile_texts_take_no_time():
    for piece in ("a, ", "a ", "(a:", "a b<", "| a", "import a "):
        text = piece * 20_000
        assert not was_taken_away(text, text + "x", "zz")
        assert not misspelt(text, text + "\ntotl", 2, "totl")
