"""What compilers refuse in code that a grammar reads, when a change brings it."""

from __future__ import annotations

import pytest

from guildmoot.agents.compiling.faults import new_faults

SCRIPT = """\
import { load, sum } from './load';

export async function all(ids: string[], most = 3) {
  const found = [];
  for (const id of ids) {
    if (found.length > most) break;
    found.push(await load(id));
  }
  const each = (a, b) => sum(a, b);
  let count = 0;
  switch (count) {
    case 1: break;
    default: count += 1;
  }
  return each(count, found.length);
}
"""
PHP = """\
<?php

declare(strict_types=1);

namespace A\\B;

use C\\D;
use C\\E as F;

abstract class Box extends D
{
    private $held = 1;
    const MOST = 3;

    abstract protected function open(int $key): F;

    public function all(array $ids, int $most): array
    {
        foreach ($ids as $id) {
            if ($id > $most) { break; }
        }
        switch ($most) {
            case 1: break;
            default: $most = 2;
        }
        return $ids;
    }
}
"""
SHARP = """\
class Box
{
    int All(int[] ids, int most)
    {
        var sum = 0;
        foreach (var id in ids) { if (id > most) break; sum += id; }
        return sum;
    }
}
"""
JAVA = SHARP.replace("foreach (var id in", "for (int id :").replace("var sum", "int sum")
KOTLIN = """\
fun all(ids: List<Int>, most: Int = max(most)): Int {
    var sum = 0
    for (id in ids) {
        if (id > most) break
        sum += id
    }
    return sum
}
"""
CODE = """\
int all(int *ids, int most) {
  int sum = 0;
  for (int at = 0; at < most; at++) {
    if (ids[at] > most) break;
    sum += ids[at];
  }
  return sum;
}
"""
GO = """\
package a

func all(ids []int, most int) int {
\tsum := 0
\tfor _, id := range ids {
\t\tif id > most {
\t\t\tbreak
\t\t}
\t\tsum += id
\t}
\treturn sum
}
"""
RUST = """\
fn all(ids: &[i32], most: i32) -> i32 {
    let mut sum = 0;
    for id in ids {
        if *id > most { break; }
        sum += id;
    }
    sum
}
"""
TEXTS = {
    "a.ts": SCRIPT,
    "a.php": PHP,
    "a.cs": SHARP,
    "a.java": JAVA,
    "a.kt": KOTLIN,
    "a.c": CODE,
    "a.cpp": CODE,
    "a.go": GO,
    "a.rs": RUST,
}


def told(path: str, before: str | None, after: str) -> list[str]:
    return [message for _, message in new_faults(path, before, after)]


@pytest.mark.parametrize(
    ("path", "old", "new", "word"),
    [
        ("a.ts", "  let count = 0;", "  let count = 0;\n  let count = 1;", "count"),
        ("a.ts", "  let count = 0;", "  break;\n  let count = 0;", "break"),
        ("a.ts", "export async function", "export function", "await"),
        ("a.ts", "(a, b) =>", "(a, a) =>", "a"),
        ("a.ts", "found = [];", "found;", "found"),
        ("a.ts", "  let count = 0;", "  let count = 0;\n  function count() {}", "count"),
        ("a.ts", "found.push(", "found = found.concat(", "found"),
        ("a.ts", "  let count = 0;", "  const count = 0;", "count"),
        ("a.ts", "default: count", "default: break;\n    default: count", "default"),
        ("a.ts", "export async", "return;\nexport async", "return"),
        ("a.php", "int $most): array", "int $ids): array", "$ids"),
        ("a.php", "int $most): array", "int $this): array", "$this"),
        ("a.php", "        return $ids;", "        break;\n        return $ids;", "break"),
        ("a.php", "default:", "default: break;\n            default:", "default"),
        ("a.php", "public function all", "public function open", "open"),
        ("a.php", "int $key): F;", "int $key): F {}", "open"),
        ("a.php", "abstract protected function", "protected function", "open"),
        ("a.php", "abstract class", "class", "open"),
        ("a.php", "as F;", "as D;", "D"),
        ("a.php", "MOST = 3;", "MOST = 3, MOST = 4;", "MOST"),
        ("a.php", "$held = 1;", "$held = 1, $held;", "$held"),
        ("a.php", "declare(strict_types=1);\n\nnamespace A\\B;\n", "namespace A\\B;\ndeclare(strict_types=1);\n", "strict_types"),
        *((path, "return sum;", "break; return sum;", "break") for path in ("a.cs", "a.java", "a.c", "a.cpp")),
        *((path, "return sum;", "int twice = 1; int twice = 2;", "twice") for path in ("a.cs", "a.java", "a.c", "a.cpp")),
        *((path, "int most)", "int ids)", "ids") for path in ("a.cs", "a.java", "a.c", "a.cpp")),
        *((path, "return sum;", "int most = 1; return sum;", "most") for path in ("a.cs", "a.java", "a.c", "a.cpp")),
        ("a.ts", "let count = 0;", "let count = 0, most = 2;", "most"),
        ("a.kt", "    return sum", "    break\n    return sum", "break"),
        ("a.kt", "    return sum", "    val sum = 2\n    return sum", "sum"),
        ("a.kt", "most: Int =", "ids: Int =", "ids"),
        ("a.go", "\treturn sum", "\tcontinue\n\treturn sum", "continue"),
        *((path, "class ", "public public class ", "public") for path in ("a.java", "a.cs")),
        ("a.cs", "int All(", "static public static int All(", "static"),
        ("a.go", "func all", "func all() {}\n\nfunc all", "all"),
        ("a.go", "func all", "var (\n\tsome = 1\n\tall, none = 2, 3\n)\n\nfunc all", "all"),
        ("a.go", "most int)", "most int, ids int)", "ids"),
        ("a.go", "func all", "type T struct {\n\tone int\n\ttwo, one int\n}\n\nfunc all", "one"),
        ("a.go", "func all", "func (t T[K]) one() {}\nfunc (*T[V]) one() {}\n\nfunc all", "one"),
        ("a.rs", "    sum\n}", "    break;\n    sum\n}", "break"),
    ],
)  # fmt: skip
def test_what_no_compiler_takes_is_told(path: str, old: str, new: str, word: str) -> None:
    before = TEXTS[path]
    assert old in before
    after = before.replace(old, new, 1)
    found = told(path, before, after)
    assert found
    assert all(f"`{word}`" in each for each in found)
    assert not told(path, after, after + "\n")  # it was so before


@pytest.mark.parametrize("path", TEXTS)
def test_sound_code_stays_quiet(path: str) -> None:
    assert told(path, None, TEXTS[path]) == told(path, "\n", TEXTS[path]) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "declare const a: number;\nfunction f(x: string): void;\nfunction f(x: any) {}\n"),
        ("a.ts", "type F = (a: number, a: string) => void;\nclass A {}\ninterface A { b: 1 }\n"),
        ("a.ts", "for (const a in b) { const a = 1; { let a = 2; a++; } }\nawait b;\n"),
        ("a.ts", "const a = 1;\nfunction f({ a }) { a = 2; }\nconst g = function (a) { a = 3; };\n"),
        ("a.ts", "const a = 1;\nfunction f() { var a = 2; if (b) { a = 3; } }\ntry {} catch (a) { a = 4; }\n"),
        ("a.ts", "class A { m = async () => await b; async n() { for await (const c of d) { await c; } } }\n"),
        ("a.js", "function f(a, a) {}\nif (b) return;\nawait(c);\n"),
        ("a.js", "function f() {}\nfunction f() {}\nvar f;\n{ let f = 1; }\n"),
        ("a.js", "out: { if (a) break out; }\n"),
        ("a.php", "<?php\nif (a()) { function f() {} } else { function f() {} }\n"),
        ("a.php", "<?php\nuse A\\B;\nuse function A\\B;\nuse const A\\b;\ninterface I { public function f(); }\n"),
        ("a.php", "<?php\ntrait T { abstract function f(); }\n$a = match (1) { default => 2 };\n"),
        ("a.cs", "class A { void F() {\n#if X\n int a = 1;\n#else\n int a = 2;\n#endif\n } }\n"),
        ("a.cs", "class A { void F() { G((_, _) => 1); { int b = 1; } { int b = 2; } } }\n"),
        ("a.java", "class A { void f() { out: { break out; } int x = switch (1) { case 1: yield 2; default: yield 3; }; } }\n"),
        ("a.kt", "fun f(a: Int) { val a = 2 }\n"),
        ("a.ts", "function f(a: number) { var a = 2; { let a = 3; } return (b: number) => { let a = b; }; }\n"),
        ("a.cpp", "void f(int a) { { int a = 2; } auto g = [](int b) { int a = b; }; }\n"),
        ("a.java", "@B @B public final class A { @C(\"a\") @C(\"b\") private static final int a = 1; static sealed interface D { } static non-sealed class E { } }\n"),
        ("a.cs", "#if X\npublic\n#else\ninternal\n#endif\nstatic partial class A { public static unsafe int F(ref int a, ref int b) { return 1; } }\n"),
        ("a.java", "class A { void f(int a) { class B { void g() { int a = 2; } } } }\n"),
        ("a.kt", "fun f() { while (true) { listOf(1).forEach { if (it > 0) break } } }\n"),
        ("a.c", "void f(void) { LIST_EACH(a, b) { if (a) break; } }\n"),
        ("a.c", "void f(void) { BEGIN_EACH(a); if (a) break; END_EACH(a); }\n"),
        ("a.go", "package a\n\nfunc init() {}\nfunc init() {}\nfunc (T) f() {}\nfunc (U) f() {}\nvar _ = 1\nvar _ = 2\n"),
        ("a.go", "package a\n\nfunc f(_, _ int, g func(a int)) (a int) {\n\tfunc(a int) {}(1)\n\treturn a\n}\nfunc g(string, string) {}\n"),
        ("a.go", "package a\n\nfunc f() {\nout:\n\tselect {\n\tcase <-c:\n\t\tbreak\n\tdefault:\n\t\tgoto out\n\t}\n}\n"),
        ("a.rs", "fn f() -> i32 { let a = 'b: { break 'b 1; }; loop { break a; } }\n"),
    ],
)  # fmt: skip
def test_what_only_looks_like_it_stays_quiet(path: str, text: str) -> None:
    assert told(path, "\n", text) == []
