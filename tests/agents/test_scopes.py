"""Names that a change leaves without a declaration in their scope."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names
from guildmoot.agents.parsing.grammars import parser
from guildmoot.agents.scopes.read import scoped_names

GO = 'package p\n\nimport "a/view"\n\nfunc F(n int) int {\n\ttotal := 0\n\ttotal += n\n\tview := view.New(total)\n\treturn view.Go()\n}\n\nfunc G() {\n\tview := 1\n\tuse(view)\n}\n'
JAVA = "package p;\n\nimport q.Kept;\n\nclass Till extends Base {\n  private int count;\n  int add(int by) {\n    count++;\n    int read = by;\n    read = read + 1;\n    return read() + read + Kept.of(by);\n  }\n  int read() { return 1; }\n}\n"
RUST = "use crate::shop::Till;\nuse other::all::*;\n\nfn add(by: u8) -> Till {\n    let mut total = 0;\n    total += by;\n    Till::of(total)\n}\n"
C = "#define START(x) int x\nSTART(a)\nint add(int by)\n{\n\tint total = 0;\n\ttotal += by;\n\treturn total;\n}\nint twice(int by)\n{\n\tint total = by;\n\treturn total;\n}\n"
BASE = {
    "p/a.go": GO,
    "p/b.go": "package p\n\nfunc use(n int) {}\n\ntype Row struct {\n\tview int\n}\n",
    "Till.java": JAVA,
    "Base.java": "package p;\n\nclass Base extends Thread {\n  protected int size;\n}\n",
    "src/a.rs": RUST,
    "src/shop.rs": "pub struct Till;\n",
    "a.c": C,
    "a.h": "extern int add(int total);\n",
}


def told(path: str, old: str, new: str) -> list[str]:
    """What is told of one replacement in the base."""
    text = BASE[path]
    assert old in text

    def users(word: str) -> list[str]:
        return [name for name, held in BASE.items() if word in held]

    after = {path: text.replace(old, new, 1)}
    change = ChangedCode({path: text}, after, lambda name: BASE.get(name, ""), users)
    return [each.message for each in lost_names(change)]


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("p/a.go", '\n\nimport "a/view"', "", "`view`"),
        ("p/a.go", "total += n", "totl += n", "`totl`"),
        ("p/a.go", "use(view)", "usee(view)", "`usee`"),
        ("Till.java", "count++", "cuont++", "`cuont`"),
        ("Till.java", "read = read", "red = read", "`red`"),
        ("Till.java", "int read = by", "int raed = by", "`read`"),
        ("Till.java", "import q.Kept;\n", "", "`Kept`"),
        ("src/a.rs", "total += by", "totl += by", "`totl`"),
        ("src/a.rs", "use crate::shop::Till;\n", "", "`Till`"),
        ("a.c", "int total = 0", "int sum = 0", "`total`"),
        ("a.c", "total += by", "totl += by", "`totl`"),
        ("a.c", "int total = by", "int total = sum", "`sum`"),
        ("a.c", "int total = by;", "int total = sum;\n\ttemplate = by;", "`sum`"),
    ],
)
def test_a_name_without_a_declaration_around_it_is_told(path, old, new, name):
    assert any(name in message for message in told(path, old, new))


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("p/a.go", "total += n", "total += n\n\tfor i := range 3 {\n\t\tuse(i)\n\t}"),
        ("p/a.go", "total += n", "other, total := 1, 2\n\tuse(other)"),
        ("Till.java", "count++", "size++"),
        ("Till.java", "count++", "daemon = true"),
        ("Till.java", "count++", "setName(toString())"),
        ("Till.java", "count++", "java.util.List<Base> more = null; more.size()"),
        ("src/a.rs", "total += by", "if let Some(more) = any(by) { total += more; }"),
        ("src/a.rs", "total += by", "assert!([by].iter().all(|each| each > 0), total)"),
        ("a.c", "total += by", "each_row(row, by) total += row"),
        ("a.c", "total += by", "total += START(by)"),
    ],
)
def test_what_is_declared_where_it_stands_or_may_be_inherited_is_fine(path, old, new):
    assert told(path, old, new) == []


@pytest.mark.parametrize(
    "method",
    [
        "func (b *Box[K, V]) Get(k K) V { return b.held[k] }",
        "func (b Box[Key, _]) Has(k Key) bool { var last Key; return last == k }",
        "func (b *(Box[_, V])) Last() (v V) { return }",
    ],
)
@pytest.mark.parametrize("before", ["", "package p\n"])
def test_a_receiver_of_go_declares_the_parameters_of_its_type(before: str, method: str) -> None:
    base = {"p/b.go": "package p\n\ntype Box[A comparable, B any] struct {\n\theld map[A]B\n}\n"}

    def said(text: str) -> list[str]:
        old = {"p/a.go": before} if before else {}
        change = ChangedCode(
            old,
            {"p/a.go": text},
            lambda path: base.get(path, ""),
            lambda word: [path for path, held in base.items() if word in held],
        )
        return [each.message for each in lost_names(change)]

    assert said(f"package p\n\n{method}\n") == []
    beside = f"package p\n\n{method}\n\nfunc f(one Other) {{}}\n"
    assert any("`Other`" in each for each in said(beside))
    if "Key" in method:  # for that method alone
        assert any("`Key`" in each for each in said(beside.replace("Other", "Key")))


def test_scripts_bind_in_patterns_functions_and_blocks():
    text = (
        "import a, { b as c } from 'x';\n"
        "export function f({ d, e: g = c }, ...h) { for (const i of h) a(d, g, i); var j = 1; return k }\n"
        "if (a) { let m = 1 }\nm = 2; ({ a, n } = f);\n"
    )
    found = scoped_names("TypeScript", parser("TypeScript").parse(text.encode()).root_node).lost
    assert [(each.name, each.line) for each in found] == [("n", 4), ("m", 4), ("k", 2)]


_STARRED = """package p;

import static java.util.concurrent.TimeUnit.*;
import static q.Tools.*;
{more}
class Sum {{
  static final int LIMIT = 3;
  int of(int by) {{ check(by); return LIMIT + help(by); }}
  private void check(int by) {{ SECONDS.toMillis(by); }}
}}
"""
_TOOLS = "package q;\n\npublic class Tools {\n  static final int MOST = 1;\n  static int help(int by) { return by; }\n}\n"


def _starred(old: str, new: str, more: str = "") -> list[str]:
    text = _STARRED.format(more=more)
    assert old in text
    files = {"p/Sum.java": text, "q/Tools.java": _TOOLS}
    change = ChangedCode(
        {"p/Sum.java": text},
        {"p/Sum.java": text.replace(old, new, 1)},
        lambda name: files.get(name, ""),
        lambda word: [name for name, held in files.items() if word in held],
    )
    return [each.message for each in lost_names(change)]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("void check(", "void verify(", "`check`"),
        ("check(by); return", "demand(by); return", "`demand`"),
        ("int LIMIT =", "int CAP =", "`LIMIT`"),
    ],
)
def test_an_import_of_all_statics_of_a_known_type_hides_no_lost_name(old, new, name):
    assert any(name in message for message in _starred(old, new))


@pytest.mark.parametrize(
    ("old", "new", "more"),
    [
        ("LIMIT + help", "MOST + help", ""),
        ("check(by); return", "help(by); return", ""),
        ("  private void check(int by) { SECONDS.toMillis(by); }\n", "", "import static o.All.*;"),
        ("check(by); return", "demand(by); return", "import static o.All.*;"),
    ],
)
def test_what_an_import_of_all_statics_may_give_is_left_alone(old, new, more):
    assert _starred(old, new, more) == []


@pytest.mark.parametrize(("package", "number"), [("com.x", 0), ("com.y", 2)])
def test_what_the_build_of_android_writes_stands_in_the_package_that_took_it_in(package, number):
    old = "package com.x.ui;\n\nimport com.x.R;\nimport com.x.BuildConfig;\n\nclass Main { int a = R.id.a; boolean b = BuildConfig.DEBUG; }\n"
    new = old.replace("package com.x.ui", f"package {package}")
    new = new.replace("import com.x.R;\nimport com.x.BuildConfig;\n", "")
    change = ChangedCode({"Main.java": old}, {"Main.java": new}, lambda _: "", lambda _: [])
    assert len(list(lost_names(change))) == number


def test_the_first_word_of_a_package_is_no_variable():
    old = "package p;\n\nimport q.Kept;\n\nclass Till {\n  int add() {\n    return 1;\n  }\n}\n"
    for word, number in (("android.R.id.content", 0), ("q.R.id.other", 0), ("qq.R.id.other", 1)):
        change = ChangedCode(
            {"Till.java": old},
            {"Till.java": old.replace("1;", f"{word};")},
            lambda _: "",
            lambda _: [],
        )
        assert len(list(lost_names(change))) == number
