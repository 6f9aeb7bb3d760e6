"""The judge of languages: what does not parse is told, what does is not, and nothing hangs or crashes it."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from builders import run_tool
from guildmoot.agents.parsing.grammars import GRAMMARS, Grammar, parser
from guildmoot.agents.parsing.syntax import parse
from guildmoot.agents.tools.languages import main
from guildmoot.text.languages import CHECKED, PARSED, language_of
from guildmoot.text.pairs import is_uneven

WHOLE = {
    "go.mod": "module a/b // why\n\ngo 1.22.1\n\nrequire (\n\tc/d v1.2.3 // indirect\n)\n\nreplace c/d => ../d\n\nretract [v1.0.0, v1.1.0]\n",
    "go.sum": "b/c v1.0.0 h1:abc=\nb/c v1.0.0/go.mod h1:abc=\n",
    "setup.cfg": "[a]\nb =\n    c\n    d\n[e]\nf: %(x)s\n",
    "CMakeLists.txt": "project(a)\nif(B AND (C OR D))\nendif()\n",
    "url.scss": "a { b: url(f(1)); c: url(\"x')\"); }\n",
    "Dockerfile.dockerignore": "*\n!src\n",
    "guard.kt": "fun f(s: Any) = when (s) {\n    is Int if s > 3 -> 1\n    else -> 2\n}\n",
    "sealed.kt": "sealed interface S { data class Q(val a: Int) : S }\n",
    "extern.rs": 'unsafe extern "C" { safe fn foo(); }\n',
    "consteval.cc": "int f() { if consteval { return 1; } else { return 2; } }\n",
    "dots.sql": ".timeout 30000\n.bail on\nPRAGMA a=OFF;\nBEGIN TRANSACTION;\nUPDATE a SET b = 1 WHERE c = 2;\nCOMMIT;\n",
    "trigger.sql": "CREATE FUNCTION f() RETURNS trigger AS $$\nBEGIN\n  IF NEW.x > 1 THEN\n    NEW.y := 2;\n  END IF;\n"
    "  RETURN NEW;\nEND;\n$$ LANGUAGE plpgsql;\n",
    "build.gradle": "apply plugin: 'java'\ndependencies {\n  testImplementation projects.a\n  api libs.b.c\n}\n"
    "task copyFiles(type: Copy) {\n  into b.c\n}\n",
    "cond.mk": "ifeq ($(A),1)\nb: c\nelse\nb: d\nendif\n\techo $(B:%.c=%.o)\n",
    "a.json": '{"a": [1, 2]}',
    "tsconfig.json": '{\n  // all of it\n  "strict": true,\n}',
    "b.json5": "{a: 'x', b: [1,],}",
    "c.yaml": "a: !Ref b\n---\nb: [1, 2]\n",
    "d.toml": "a = [1]\n",
    "Cargo.toml": "[dependencies]\na = {\n  version = '1',\n}\n",
    "e.xml": "<a><b/></a>",
    "Info.plist": "\n",
    "f.js": "const a = () => ({...b, c: d?.e ?? 1});\n",
    "g.ts": "export type * from './x';\nconst a = <T,>(b: T): b is T => true;\n",
    "h.tsx": "export const A = () => <p title='a'>Terms & Conditions</p>;\n",
    "i.go": 'package a\n\nfunc f() *string { return new("a") }\n',
    "j.rs": "fn main() { let x = 1; println!(\"{x}\"); }\n",
    "K.java": "class K { int f() { return 1; } }\n",
    "l.rb": "def a\n  1\nend\n",
    "m.php": "<?php function a(): int { return 1; }\n",
    "n.c": "EXPORT int\nmain(void) ATTR(x) {\n  BEGIN\n  return va_arg(ap, char *);\n}\n",
    "flags.h": "#define A 1 /* as (that\n * is) told */\n#define B \"/*\"\nint f(void);\n",
    "o.cc": "template <class T> T f(T a) { return a; }\n",
    "p.sh": 'for a do echo "$a"; done\n',
    "q.css": "a { color: red; }\n",
    "r.tf": 'resource "a" "b" {\n  c = var.d\n}\n',
    "here.sh": 'if ! jq -e . >/dev/null 2>&1 <<< "$a"; then\n  b\nfi\n',
    "mysql.sql": "CREATE TABLE `a` (\n  `b` int NOT NULL COMMENT 'it''s',\n  `c` timestamp DEFAULT current_timestamp(),\n"
    "  PRIMARY KEY (`b`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;\n"
    "ALTER TABLE `a` DROP FOREIGN KEY IF EXISTS `c`;\n",
    "s.sql": "SELECT a FROM b WHERE c = 1;\n",
    "Dockerfile": "ARG A=1\nFROM a:${A}\nRUN <<EOF\nanything at all\nEOF\nUSER b\nCMD [\"a\"]\n",
    ".github/workflows/t.yml": "on: push\njobs: {}\n",
    "u.kt": "fun main() { println(1) }\n",
    "v.swift": "func a() -> Int { return 1 }\n",
    "w.cs": "class W { int F() => 1; }\n",
    "x.lua": "local a = 1\nreturn a\n",
    "y.ex": "defmodule A do\nend\n",
    "amp.tsx": 'export const A = () => <a href="https://example.com/?a=1&b=2">x</a>\n',
    "amp.jsx": "export const A = () => <p>Tom & Jerry, R&D</p>\n",
    "both.tsx": "type A = B & C;\nexport const D = (e: A & F) => <p>R & D</p>\n",
    "overload.ts": "export interface A<S> {\n  (): S\n  <U>(f: (s: S) => U): U\n}\n",
    "dollar.sh": "((n+=$(ls | grep -cv foo$)))\n",
    "end.rb": "def f(a)\n  x = a.end\n  g(end: 1) if x\nend\n",
    "end.ex": "defmodule B do\n  def f(a), do: a.end\nend\n",
    "done.sh": "f() {\n  echo done fi }\n}\n",
    "Vue.vue": "<template><p/></template>\n<script setup lang=\"ts\">\nconst a: number = 1\n</script>\n",
    "page.html": "<p>a</p>\n<script type=\"application/json\">{a}</script>\n<script src=\"a.js\"></script>\n<script>let a = 1;</script>\n",
    "filled.html": "<script>let a = {{ a }};</script>\n",
    "z.scss": "@use 'a' as *;\n.b { &:hover { color: $c; } }\n",
}  # fmt: skip
BROKEN = {
    "a.json": '{"a": [1, 2}',
    "go.mod": "module a\n\nrequire {\n",
    "go.sum": "b/c v1.0.0\n",
    "setup.cfg": "[a\nb = 1\n",
    "tox.ini": "b = 1\n",
    "CMakeLists.txt": "project(a\nadd_library(b\n",
    "open.scss": "a { b: c;\n",
    "open.less": "a { b: c;\n",
    "and.dockerfile": "FROM a\nRUN foo &&\n",
    "body.sql": "CREATE FUNCTION f() RETURNS trigger AS $$\nBEGIN\n  IF NEW.x > (1 THEN\n    NEW.y := 2;\n  END IF;\n"
    "  RETURN NEW;\nEND;\n",
    "package.json": '{"a": 1,}',
    "tsconfig.json": '{"a": ',
    "c.yaml": "a: [1\nb: 2\n",
    "d.toml": "a = [1\n",
    "pyproject.toml": "a = {\n  b = 1,\n}\n",
    "e.xml": "<a><b></a>",
    "f.js": "function f( { return 1 }\n",
    "g.ts": "const a: = 1;\n",
    "h.tsx": "export const A = () => <p><b></p>;\n",
    "i.go": "package a\n\nfunc f( {\n}\n",
    "j.rs": "fn main() { let x = ; }\n",
    "K.java": "class K { int f() { return 1 } }\n",
    "l.rb": "def a\n  1\n",
    "m.php": "<?php function a( { }\n",
    "n.c": "int main(void) { return (1; }\n",
    "o.cc": "int f() { if (a { return 1; } }\n",
    "p.sh": "if true; then\n  echo 1\n",
    "r.tf": 'resource "a" "b" {\n  c = \n}\n',
    "s.sql": "SELECT (a FROM b;\n",
    "Dockerfile": "FROM a\nRUNN b\n",
    ".github/workflows/t.yml": "on: push\n jobs: {}\n",
    "u.kt": "fun main() { println(1 }\n",
    "v.swift": "func a( -> Int { return 1 }\n",
    "x.lua": "local a = \n",
    "y.ex": "defmodule A do\n",
    "end.rb": "def f\n  1\nend\nend\n",
    "open.rb": "if a\n  1\n",
    "end.ex": "defmodule A do\nend\nend\n",
    "done.sh": "echo 1\ndone\n",
    "fi.sh": "echo 1\nfi\n",
    "brace.sh": "echo 1\n}\n",
    "end.lua": "x = 1\nend\n",
    "brace.css": "a { b: c }\n}\n",
    "open.css": "a { b: c \n",
    "quote.css": 'a { b: url(x.png") }\n',
    "typo.js": "fucntion f() { return 1 }\n",
    "Vue.vue": "<script>\nconst = 1\n</script>\n",
    "page.html": "<p>a</p>\n<script>\nlet a = ;\n</script>\n",
}


def run(folder: Path) -> tuple[int, list[dict[str, object]]]:
    _, found, complaints = run_tool("languages", str(folder))
    assert not complaints
    told = [each for each in found if each["code"]["value"] != "unbound-name"]
    return int(bool(told)), told


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_what_parses_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path, WHOLE)
    assert run(tmp_path) == (0, [])


def test_what_does_not_parse_is_told_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, BROKEN)
    code, found = run(tmp_path)
    assert code == 1
    told = {f["location"]["path"]: f["code"]["value"] for f in found}  # type: ignore[index]
    assert told == dict.fromkeys(BROKEN, "does-not-parse")
    assert all(f["location"]["range"]["start"]["line"] for f in found)  # type: ignore[index]


def test_scripts_are_known_by_their_first_line(tmp_path: Path) -> None:
    write(tmp_path, {"run": "#!/bin/sh\nif true; then\n", "notes": "if true; then\n"})
    assert [f["location"]["path"] for f in run(tmp_path)[1]] == ["run"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("config.json", '{"a": 1, // why\n}'),
        ("tests/fixtures/broken.json", "{"),
        ("a.js", "// @flow\nopaque type A: string = string;\nfunction f(a: ?B, ...): %checks { }"),
        ("site.yaml", "a: {{ .Values.b }}\n  c\n"),
        ("odd.c", "FOREACH(a, b) int x struct\n"),
    ],
)
def test_where_nobody_can_be_sure_it_is_only_advice(path: str, text: str) -> None:
    found = parse(language_of(path).name, path, text.encode()).fault
    assert found is not None
    assert not found.sure


def test_a_template_of_a_program_by_its_name_is_not_parsed(
    tmp_path: Path,
) -> None:
    tags = "pub enum A {\n    {% for k in all -%}\n    {{k}},\n    {% endfor %}\n}\n"
    write(tmp_path, {"a.rs": tags, "b.tera.rs": tags})
    found = run(tmp_path)[1]
    told = {f["location"]["path"]: (f["code"]["value"], f["severity"]) for f in found}  # type: ignore[index]
    assert told == {"a.rs": ("unread-line", "WARNING")}


def test_many_files_are_read_by_several_processes(tmp_path: Path) -> None:
    write(tmp_path, {f"{at}.json": "[" if at == 7 else "[]" for at in range(400)})
    code, found = run(tmp_path)
    assert (code, len(found)) == (1, 1)


def test_the_table_of_languages_says_what_is_parsed() -> None:
    assert set(GRAMMARS) <= PARSED | CHECKED


@pytest.mark.parametrize("name", sorted(GRAMMARS))
def test_every_grammar_loads_and_bears_nonsense(name: str) -> None:
    assert parser(name).parse(b"").root_node is not None
    luck = random.Random(name)
    for _ in range(10):
        data = bytes(luck.choices(b"(){}[]<>\"'`\\\n\t =;:,#/*-$ab01\xff\x00", k=200))
        parse(name, "x", data)


HOSTILE = {
    "a.go": '"' * 50_001,
    "b.lua": "[" * 30_000,
    "c.yaml": "{" * 30_000,
    "d.json": "[" * 300_000,
    "e.js": "(" * 100_000,
    "f.xml": "<a>" * 100_000,
    "g.ts": "a" * 300_000,
    "h.toml": "a = " + "[" * 100_000,
}


@pytest.mark.slow  # a file that takes too long is given five seconds
def test_hostile_text_neither_hangs_nor_crashes_nor_hides_the_rest(tmp_path: Path) -> None:
    write(tmp_path, {**HOSTILE, "z.json": "{"})
    begun = time.monotonic()
    code, found = run(tmp_path)
    assert time.monotonic() - begun < 60
    assert code == 1
    told = {f["location"]["path"] for f in found}  # type: ignore[index]
    assert {"a.go", "b.lua", "c.yaml", "d.json", "e.js", "f.xml", "h.toml", "z.json"} <= told


def test_a_comment_in_a_long_macro_does_not_end_it() -> None:
    text = b"#define A(x) do { \\\n  /* why \\\n   * so */ \\\n  f(x); \\\n} while (0)\nFOO(a) int struct\n"
    found = parse("C", "a.h", text).fault
    assert found is None or not found.sure


def test_a_grammar_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"a.js": "1;\n"})
    monkeypatch.chdir(tmp_path)
    missing = Grammar("not_there")
    monkeypatch.setitem(GRAMMARS, "JavaScript", missing)
    assert main(["."]) == 2
    said = capsys.readouterr().err
    assert "tree-sitter-not-there is not installed: pip install tree-sitter-not-there" in said


def test_a_word_that_closes_something_is_not_stray_though_the_grammar_thinks_so() -> None:
    text = 'flag= other=\n\n# a note\nif test "$a" = b; then\n  flag=1\nfi\n'
    assert parse("Shell", "depcomp", text.encode()).fault is None
    assert parse("Shell", "depcomp", text.replace("if test", "test").encode()).fault is not None


def test_variables_of_ruby_that_are_named_by_a_quote() -> None:
    assert not is_uneven("Ruby", "case name\nwhen :$', :$`, $\"\n  1\nend\n")
    assert is_uneven("Ruby", "case name\nwhen :a'\n  1\nend\n")


CMAKE = 'if(A AND (B OR "${C}"))\n  message([[a ( b]] x"y z" \\( $(D))\nelseif(E) # (\nendif()\n#[[ ( ]]\n'


def test_cmake_is_read_exactly() -> None:
    assert parse("CMake", "CMakeLists.txt", CMAKE.encode()).fault is None
    for old, new in (
        ("endif()", ""),
        (" [[a", " [a"),
        ("OR", "OR ("),
        ("#[[", "#[=["),
        ("if(A", "A("),
    ):
        fault = parse("CMake", "CMakeLists.txt", CMAKE.replace(old, new, 1).encode()).fault
        assert (fault is not None and fault.sure) == (new != " [a"), (old, new)


@pytest.mark.parametrize(
    "text", ["(", '"', "a(", "[[", "#[[\n", "if()\n", 'a"', "\\", "$(", "[=[\n"]
)
def test_cmake_of_any_kind_is_read_at_once(text: str) -> None:
    began = time.process_time()
    parse("CMake", "CMakeLists.txt", (text * 30_000).encode())
    assert time.process_time() - began < 2


def test_tests_in_bats_are_shell() -> None:
    text = '@test "a \' b {" {\n  run a\n  [ $status = 0 ]\n}\n'
    assert parse("Shell", "test/a.bats", text.encode()).fault is None
    assert parse("Shell", "test/a.bats", text.replace("}\n", "fi\n").encode()).fault is not None


def test_a_header_of_cpp_is_called_so(tmp_path):
    (tmp_path / "a.h").write_text("namespace a {\nclass B { int x = ; };\n")
    assert "does not parse as C++" in str(run(tmp_path))
