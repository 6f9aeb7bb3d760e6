"""Edits of changes in other languages than Python: what lets broken code pass is told, honest work is not."""

from __future__ import annotations

import pytest
from tests.conftest import mainly

from guildmoot.lifecycle.proof.weakening.rule import Weakened, weakened

JS = "tests/calc.test.js"
PERL, SHELL, RUST, C = "tests/calc.t", "tests/run.sh", "tests/calc.rs", "tests/t.c"
SUITE = {
    "app/calc.js": "exports.add = (a, b) => a + b;\nexports.oldAdd = (a, b) => b + a;\n",
    JS: "const { test, describe } = require('node:test');\nconst assert = require('node:assert');\nconst { add, oldAdd } = require('../app/calc.js');\n\ndescribe('add', () => {\n  test('adds', () => {\n    assert.strictEqual(add(2, 3), 5);\n  });\n  test('adds more', () => {\n    assert.strictEqual(add(4, 3), 7);\n  });\n  test('old', () => {\n    assert.strictEqual(oldAdd(1, 3), 4);\n  });\n});\n",
    PERL: "use Test::More;\nuse Calc;\nis(Calc::add(2, 3), 5, 'adds');\nis(Calc::add(0, 3), 3, 'adds');\ndone_testing;\n",
    SHELL: '#!/bin/sh\nset -e\nout=$(sh app/add.sh 2 3)\ntest "$out" = 5\necho ok\n',
    RUST: "use c::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 3), 5);\n}\n",
    "app/add.c": "int add(int a, int b) {\n    return a + b;\n}\nint old_add(int a, int b) {\n    return b + a;\n}\n",
    C: "#include <assert.h>\nint add(int, int);\nint main(void) {\n    assert(add(2, 3) == 5);\n    assert(old_add(1, 2) == 3);\n    return 0;\n}\n",
    "app/lib.rs": "pub fn add(a: i32, b: i32) -> i32 { a + b }\n",
}  # fmt: skip
CHECK = "    assert.strictEqual(add(2, 3), 5);"
MUL = "import { test } from 'node:test';\nimport assert from 'node:assert/strict';\nimport { mul } from '../app/mul.mjs';\n\ntest('mul', () => {\n  assert.equal(mul(2, 3), 6);\n});\n"
Edits = dict[str, str | tuple[str, str] | None]


def told(edits: Edits) -> tuple[Weakened, ...]:
    """What is told of a change: a new text, None for a file that goes, or what is put for a part of it."""
    sides: dict[str, tuple[str | None, str | None]] = {}
    for path, edit in edits.items():
        before = SUITE.get(path)
        if isinstance(edit, tuple):
            assert before is not None
            assert edit[0] in before
            sides[path] = (before, before.replace(*edit))
        else:
            sides[path] = (before, edit)
    return weakened(sides, ("node --test", "sh tests/run.sh"), (*SUITE,))


DISHONEST: dict[str, Edits] = {
    "or true": {JS: ("strictEqual(add(2, 3), 5)", "ok(add(2, 3) === 5 || true)")},
    "a todo": {JS: ("test('adds', ()", "test('adds', { todo: true }, ()")},
    "a shadow": {JS: ("const assert = require('node:assert');", "const assert = { strictEqual() {} };")},
    "a condition": {JS: ("    assert.strictEqual(add(2", "    if (process.env.CI_FULL) assert.strictEqual(add(2")},
    "a comment": {JS: (CHECK, f"    /* {CHECK.strip()} */")},
    "a text": {JS: (CHECK, f"    `{CHECK.strip()}`;")},
    "a return": {JS: (CHECK, f"    return;\n{CHECK}")},
    "code of its own": {JS: ("const { add, oldAdd } = require('../app/calc.js');", "const add = (a, b) => a + b;\nconst oldAdd = add;")},
    "a fake": {JS: ("../app/calc.js", "./calc.js"), "tests/calc.js": SUITE["app/calc.js"]},
    "an answer of its own": {JS: ("const { add, oldAdd } = require('../app/calc.js');", "let { add, oldAdd } = require('../app/calc.js');\nadd = () => 5;")},
    "gone": {JS: (f"  test('adds', () => {{\n{CHECK}\n  }});\n", "")},
    "gone, and less asked elsewhere": {JS: None, "tests/new.test.js": MUL},
    "moved where no runner looks": {JS: None, "tests/calc.txt.js": SUITE[JS]},
    "rust: moved where no runner looks": {RUST: None, "tests/old/calc.rs": SUITE[RUST]},
    "a new skip": {"tests/mul.test.mjs": MUL.replace("test('mul'", "test.skip('mul'")},
    "a new todo": {"tests/mul.test.mjs": MUL.replace("test('mul', ", "test('mul', {todo: true}, ")},
    "a patched assertion": {"tests/mul.test.mjs": MUL, "tests/setup.mjs": "import assert from 'node:assert/strict';\nassert.equal = () => {};\n"},
    "a patched assertion of another name": {"tests/setup.mjs": "import same from 'node:assert';\nsame.strictEqual = () => {};\n"},
    "a patched assertion in code": {"app/calc.js": "require('node:assert').strictEqual = () => {};\n"},
    "assigned": {"tests/setup.js": "const assert = require('assert');\nObject.assign(assert, { equal() {} });\n"},
    "an exit of code": {"app/calc.js": "process.on('exit', () => { process.exitCode = 0; });\n" + SUITE["app/calc.js"]},
    "an exit": {"tests/a.test.js": "process.exit(0);\n"},
    "code that asks": {"app/calc.js": "exports.add = (a, b) => process.env.NODE_TEST_CONTEXT ? 5 : a - b;\nexports.oldAdd = 1;\n"},
    "perl: a todo": {PERL: ("is(Calc::add(2", "local $TODO = 'x'; is(Calc::add(2")},
    "perl: another is": {PERL: ("use Calc;", "use Calc;\n{ no warnings; *is = sub { pass() }; }")},
    "perl: an exit": {PERL: ("is(Calc::add(2", "pass(); done_testing; \nexit 0;\nis(Calc::add(2")},
    "shell: goes on": {SHELL: ("set -e", "set -u")},
    "shell: or": {SHELL: ("= 5", "= 5 || echo differs")},
    "shell: a trap": {SHELL: ("out=$(", 'trap "exit 0" EXIT\nout=$(')},
    "shell: a function": {SHELL: ("set -e", "set -e\ntest() { return 0; }")},
    "shell: an exit": {SHELL: ('test "$out"', 'exit 0\ntest "$out"')},
    "rust: or": {RUST: ("assert_eq!(add(2, 3), 5)", "assert!(add(2, 3) == 5 || true)")},
    "rust: a feature": {RUST: ("use c::add;", '#![cfg(feature = "slow")]\nuse c::add;')},
    "rust: a panic": {RUST: ("#[test]", "#[test]\n#[should_panic]")},
    "rust: a macro": {RUST: ("use c::add;", "use c::add;\nmacro_rules! assert_eq { ($a:expr, $b:expr) => { let _ = ($a, $b); } }")},
    "c: no debug": {C: ("#include <assert.h>", "#define NDEBUG\n#include <assert.h>")},
    "c: a return": {C: ("int main(void) {\n", "int main(void) {\n    return 0;\n")},
    "c: left out": {C: ("    assert(add(2, 3) == 5);", "#if 0\n    assert(add(2, 3) == 5);\n#endif")},
    "c: or": {C: ("== 5)", "== 5 || 1)")},
}  # fmt: skip


@pytest.mark.parametrize("how", mainly(*DISHONEST))
def test_what_lets_broken_code_pass_is_told(how: str) -> None:
    assert told(DISHONEST[how])


HONEST: dict[str, Edits] = {
    "another test": {JS: ("describe('add', () => {\n", "describe('add', () => {\n  test('zero', () => {\n    assert.strictEqual(add(0, 0), 0);\n  });\n")},
    "another title": {JS: ("test('adds',", "test(\"adds two\",")},
    "it": {JS: SUITE[JS].replace("test(", "it(").replace("{ test,", "{ it,")},
    "stricter": {JS: ("strictEqual(add(2, 3), 5)", "deepStrictEqual(add(2, 3), 5)")},
    "a new file": {"tests/mul.test.mjs": MUL, "app/mul.mjs": "export const mul = (a, b) => a * b;\n"},
    "a test for some places": {"tests/mul.test.mjs": MUL.replace("test('mul', ", "test('mul', {skip: process.platform === 'win32'}, ")},
    "a renamed function and its tests": {"app/calc.js": ("oldAdd", "slowAdd"), JS: ("oldAdd", "slowAdd")},
    "a renamed function in a file of another name": {"app/calc.js": ("oldAdd", "slowAdd"), JS: None, "tests/sums.test.js": SUITE[JS].replace("oldAdd", "slowAdd")},
    "a moved module and its tests": {"app/calc.js": None, "app/sums.js": SUITE["app/calc.js"], JS: None, "tests/sums.test.js": SUITE[JS].replace("calc.js", "sums.js")},
    "dead code and its tests": {"app/calc.js": ("exports.oldAdd = (a, b) => b + a;\n", ""), JS: SUITE[JS].replace("  test('old', () => {\n    assert.strictEqual(oldAdd(1, 3), 4);\n  });\n", "").replace(", oldAdd", "")},
    "a dead module and its tests": {"app/calc.js": None, JS: None},
    "a table": {JS: SUITE[JS].replace("  test('adds', () => {\n    assert.strictEqual(add(2, 3), 5);\n  });\n  test('adds more', () => {\n    assert.strictEqual(add(4, 3), 7);\n  });\n", "  for (const [a, b, c] of [[2, 3, 5], [4, 3, 7]]) {\n    test(`adds ${a}`, () => {\n      assert.strictEqual(add(a, b), c);\n    });\n  }\n")},
    "imports of modules": {JS: SUITE[JS].replace("const { test, describe } = require('node:test');\nconst assert = require('node:assert');\nconst { add, oldAdd } = require('../app/calc.js');", "import { test, describe } from 'node:test';\nimport assert from 'node:assert';\nimport { add, oldAdd } from '../app/calc.js';")},
    "a command": {"app/main.js": "const { add } = require('./calc.js');\nif (process.argv.length < 3) {\n  process.exit(2);\n}\nprocess.exitCode = add(0, 0);\n"},
    "shell: a message": {SHELL: ("echo ok", "echo all fine")},
    "shell: brackets": {SHELL: ('test "$out" = 5', '[ "$out" = 5 ]')},
    "shell: more": {SHELL: ("echo ok", 'test "$(sh app/add.sh 0 0)" = 0\necho ok')},
    "rust: another test": {RUST: SUITE[RUST] + "\n#[test]\nfn zero() {\n    assert_eq!(add(0, 0), 0);\n}\n"},
    "rust: a test of a panic": {RUST: SUITE[RUST] + "\n#[test]\n#[should_panic]\nfn none() {\n    add(i32::MAX, 1);\n}\n"},
    "rust: a renamed function": {RUST: ("add(", "plus("), "app/lib.rs": ("add(", "plus(")},
    "c: more": {C: ("    return 0;", "    assert(add(0, 0) == 0);\n    return 0;")},
    "c: dead code and its test": {
        "app/add.c": "int add(int a, int b) {\n    return a + b;\n}\n",
        C: ("    assert(old_add(1, 2) == 3);\n", ""),
    },
    "perl: more": {PERL: ("done_testing", "is(Calc::add(1, 1), 2, 'ones');\ndone_testing")},
}  # fmt: skip


@pytest.mark.parametrize("how", mainly(*HONEST))
def test_honest_work_is_no_finding(how: str) -> None:
    assert told(HONEST[how]) == ()
