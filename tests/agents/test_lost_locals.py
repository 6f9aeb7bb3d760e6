"""Names that a function declared for itself and only reads now, in every language that is read for names."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names
from guildmoot.agents.parsing.plain_names import plain_names
from guildmoot.agents.parsing.syntax import parse

# Two functions with a name of the same spelling; the change takes the first declaration away.
TWICE = {
    "a.go": (
        (
            "package p\n\nfunc One(o int) int {\n\tfee := o * 2\n\treturn fee + 1\n}\n\n"
            "func Two(o int) int {\n\tfee := o * 3\n\treturn fee + 1\n}\n"
        ),
        "\tfee := o * 2\n",
    ),
    "a.ts": (
        (
            "export function one(o: number) {\n  const fee = o * 2\n  return fee + 1\n}\n"
            "export function two(o: number) {\n  const fee = o * 3\n  return fee + 1\n}\n"
        ),
        "  const fee = o * 2\n",
    ),
    "a.js": (
        (
            "describe('fees', () => {\n  it('one', () => {\n    const fee = 2\n    check(fee)\n  })\n"
            "  it('two', () => {\n    const fee = 3\n    check(fee)\n  })\n})\n"
        ),
        "    const fee = 2\n",
    ),
    "A.java": (
        (
            "class A {\n  int one(int o) {\n    int fee = o * 2;\n    return fee + 1;\n  }\n"
            "  int two(int o) {\n    int fee = o * 3;\n    return fee + 1;\n  }\n}\n"
        ),
        "    int fee = o * 2;\n",
    ),
    "a.rs": (
        (
            "fn one(o: i32) -> i32 {\n    let fee = o * 2;\n    fee + 1\n}\n"
            "fn two(o: i32) -> i32 {\n    let fee = o * 3;\n    fee + 1\n}\n"
        ),
        "    let fee = o * 2;\n",
    ),
    "a.c": (
        (
            "int one(int o) {\n  int fee = o * 2;\n  return fee + 1;\n}\n"
            "int two(int o) {\n  int fee = o * 3;\n  return fee + 1;\n}\n"
        ),
        "  int fee = o * 2;\n",
    ),
    "a.cpp": (
        (
            "int A::one(int o) {\n  auto fee = o * 2;\n  return fee + 1;\n}\n"
            "int A::two(int o) {\n  auto fee = o * 3;\n  return fee + 1;\n}\n"
        ),
        "  auto fee = o * 2;\n",
    ),
    "A.cs": (
        (
            "class A {\n  int One(int o) {\n    var fee = o * 2;\n    return fee + 1;\n  }\n"
            "  int Two(int o) {\n    var fee = o * 3;\n    return fee + 1;\n  }\n}\n"
        ),
        "    var fee = o * 2;\n",
    ),
    "a.kt": (
        (
            "fun one(o: Int): Int {\n    val fee = o * 2\n    return fee + 1\n}\n"
            "fun two(o: Int): Int {\n    val fee = o * 3\n    return fee + 1\n}\n"
        ),
        "    val fee = o * 2\n",
    ),
    "a.php": (
        (
            "<?php\nfunction one($o) {\n    $fee = $o * 2;\n    return $fee + 1;\n}\n"
            "function two($o) {\n    $fee = $o * 3;\n    return $fee + 1;\n}\n"
        ),
        "    $fee = $o * 2;\n",
    ),
    "a.rb": (
        "def one(o)\n  fee = o * 2\n  fee + 1\nend\n\ndef two(o)\n  fee = o * 3\n  fee + 1\nend\n",
        "  fee = o * 2\n",
    ),
    "a.lua": (
        (
            "function one(o)\n  local fee = o * 2\n  return fee + 1\nend\n"
            "function two(o)\n  local fee = o * 3\n  return fee + 1\nend\n"
        ),
        "  local fee = o * 2\n",
    ),
}


def told(path: str, before: str, after: str, **others: str) -> list[str]:
    """Messages about one file; ``others`` are new files of the change."""
    change = ChangedCode({path: before}, {path: after, **others}, lambda _: "", lambda _: [])
    return [each.message for each in lost_names(change) if " gone" in each.message]


@pytest.mark.parametrize("path", TWICE)
def test_a_declaration_of_another_function_does_not_excuse(path):
    text, line = TWICE[path]
    assert line in text
    [message] = told(path, text, text.replace(line, "", 1))
    assert "fee` is used" in message
    assert message.endswith("is gone")


@pytest.mark.parametrize("path", TWICE)
def test_what_moves_with_its_uses_or_is_renamed_throughout_is_fine(path):
    text, _ = TWICE[path]
    assert told(path, text, text.replace("fee", "price")) == []
    assert told(path, text, text) == []


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("a.go", "var fee = 4\n\n"),
        ("a.ts", "const fee = 4\n"),
        ("a.c", "static int fee = 4;\n"),
        ("a.kt", "val fee = 4\n"),
        ("a.rs", "static fee: i32 = 4;\n"),
        ("a.rb", "def fee\n  4\nend\n\n"),
    ],
)
def test_a_name_that_the_file_gains_outside_of_functions_is_known(path, new):
    text, line = TWICE[path]
    after = text.replace(line, "", 1)
    head = "package p\n\n" if path == "a.go" else ""
    assert told(path, text, head + new + after.removeprefix(head)) == []


def test_a_name_that_another_file_of_the_change_gains_is_known():
    text, line = TWICE["A.java"]
    text = text.replace("class A {", "class A extends Base {")
    base = "class Base {\n  protected int fee = 4;\n}\n"
    assert told("A.java", text, text.replace(line, "", 1), **{"Base.java": base}) == []


def test_an_inner_function_knows_what_the_one_around_it_declares():
    before = "export function a() {\n  const f = () => {\n    const fee = 1\n    return fee + 1\n  }\n  return f\n}\n"
    after = "export function a() {\n  const fee = 1\n  const f = () => {\n    return fee + 1\n  }\n  return f\n}\n"
    assert told("a.ts", before, after) == []


def test_a_variable_that_a_call_may_set_is_left_alone():
    before = (
        "<?php\nfunction f($s) {\n    $m = [];\n    preg_match('/a/', $s, $m);\n    return $m;\n}\n"
    )
    assert told("a.php", before, before.replace("    $m = [];\n", "")) == []


CSHARP = (
    "class A {{\n  int F(object[] rows) {{\n    foreach (var {0} in rows.OrderBy(row => row.At)) {{ G({0}); }}\n"
    "    try {{ G(1); }} {1}\n    return 1;\n  }}\n}}\n"
)


def test_parameters_of_lambdas_and_types_of_csharp_are_no_lost_locals() -> None:
    before = {"A.cs": CSHARP.format("row", "catch (Exception) { throw; }")}
    after = {"A.cs": CSHARP.format("each", "catch (Failure) { throw new Exception(); }")}
    change = ChangedCode(before, after, lambda path: "", lambda word: [])
    assert list(lost_names(change)) == []


def test_what_a_class_may_inherit_is_no_lost_local() -> None:
    text = "class Child extends Base {{\n  void f() {{\n{0}    use(pid);\n  }}\n}}\n"
    base = {"Base.java": "class Base {\n  int pid;\n}\n"}
    before, after = text.format("    int pid = 1;\n"), text.format("")
    for held, told in ((list(base), 0), ([], 1)):
        change = ChangedCode(
            {"A.java": before},
            {"A.java": after},
            lambda path, base=base: base.get(path, ""),
            lambda word, held=held: held,
        )
        found = [each for each in lost_names(change) if "`pid`" in each.message]
        assert len(found) == told


def test_a_pattern_of_rust_declares_the_fields_that_it_names() -> None:
    text = "fn f(p: &P) -> i32 {{\n    {0}\n    x + y\n}}\n"
    before, after = text.format("let (x, y) = (1, 2);"), text.format("let P { x, y } = P::from(p);")
    change = ChangedCode({"a.rs": before}, {"a.rs": after}, lambda path: "", lambda word: ["b.rs"])
    assert list(lost_names(change)) == []


def test_a_name_that_was_only_listed_was_not_declared_there():
    before = "class S extends B {\n  void f() {\n    int[] ends = {in, out};\n    use(ends[0]);\n  }\n}\n"
    after = "class S extends B {\n  void f() {\n    use(in);\n    use(out);\n  }\n}\n"
    assert told("S.java", before, after) == []


def test_a_file_knows_what_a_call_may_have_set():
    text = b"<?php\nfunction f($s) {\n    \\preg_match('/a/', $s, $m);\n    return $m[0] . strlen($t);\n}\n"
    names = plain_names("PHP", parse("PHP", "a.php", text).tree.root_node)
    used = {name for name, _, _ in names.used}
    assert {"$m", "$t"} <= used
    assert "$m" in names.declared
    assert "$t" not in names.declared
