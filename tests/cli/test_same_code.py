"""A change of comments alone needs no judge of the language; a change of code does."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.same_code import is_same_code
from language_changes import new_findings

KOTLIN = "fun f(a: Int): Int {\n    return a + 1\n}\n"


def test_comments_and_layout_are_no_code():
    assert is_same_code("Kotlin", KOTLIN, "// why\n" + KOTLIN.replace("    ", "  "))
    assert not is_same_code("Kotlin", KOTLIN, KOTLIN.replace("+", "-"))
    assert not is_same_code("Kotlin", KOTLIN, KOTLIN + "}")
    assert not is_same_code("Scala", "object A:\n  def f = 1\n", "object A:\n    def f = 1\n")


ZIG = "fn f(a: i32) i32 {\n    return a + 1;\n}\n"


@pytest.mark.parametrize(
    ("after", "code"), [("    // why\n    return a + 1;\n", 0), ("    return a - 1;\n", 3)]
)
def test_a_comment_in_a_language_without_rules_is_approved(shop, after, code):
    shop.write("a.zig", ZIG)
    shop.commit()
    shop.write("a.zig", ZIG.replace("    return a + 1;\n", after))
    assert shop.guild("validate", "--diff", "--json").code == code


def test_a_new_use_of_a_name_that_was_undefined_is_new(tmp_path, monkeypatch):
    before = "export function f() {\n  return lost(1);\n}\n"
    moved = "// moved\nexport function f() {\n  return lost(1);\n}\n"
    again = before + "export function g() {\n  return lost(1);\n}\n"
    assert new_findings(tmp_path, monkeypatch, {"a.js": before}, {"a.js": moved}) == []
    [found] = new_findings(tmp_path, monkeypatch, {"a.js": before}, {"a.js": again})
    assert (found.code, found.line, found.blocking) == ("undefined-name", 5, True)


@pytest.mark.parametrize(("beside", "blocks"), [("class Foo\n", False), ("class Other\n", True)])
def test_a_name_that_another_file_of_the_package_declares_is_not_lost(shop, beside, blocks):
    text = "import b.Foo\n\nfun f() {\n    Foo(1).go()\n}\n"
    shop.write("main/p/a.kt", text)
    shop.write("test/p/b.kt", beside)
    shop.commit()
    shop.write("main/p/a.kt", text.removeprefix("import b.Foo\n"))
    assert (shop.guild("validate", "--diff", "--json").code == 2) == blocks


GRADLE = "dependencies {\n  implementation libs.a\n  testImplementation 'b:c:1.0'\n}\n\ntasks.getByName('test').enabled = false\n"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("libs.a", "libs.b.c", 0),
        ("b:c:1.0", "b:c:1.1", 0),
        ("dependencies {\n", "dependencies {\n  api project(':d')\n", 0),
        ("= false", "= true", 3),
        ("libs.a", "libs.a + run('x')", 3),
        ("libs.a", "libs..a", 2),
    ],
)
def test_dependencies_of_a_build_script_need_no_judge_of_its_language(shop, old, new, code):
    shop.write("build.gradle", GRADLE)
    shop.commit()
    shop.write("build.gradle", GRADLE.replace(old, new))
    ran = shop.guild("validate", "--diff", "--json")
    assert ran.code == code, ran.out


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.proto", "message A {\n"),
        ("a.graphql", "type A {\n"),
        ("nginx.conf", "http {\n"),
    ],
)
def test_what_nobody_parses_is_not_approved_alone(shop, path, text):
    shop.write(path, text)
    ran = shop.guild("validate", "--diff")
    assert ran.code == 3, ran.out
    assert "secrets and conflicts only for 1" in ran.out
