"""Names that a script uses and nobody gives it: certain, or not told."""

import pytest

from guildmoot.agents.tools.languages import judge

USED = "import fs from 'fs';\nexport function f(a) {\n  return fs.read(a);\n}\n"


def names(folder, text, path="a.js"):
    (folder / path).write_text(text)
    return [(each.line, each.message) for each in judge(str(folder / path))]


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        (USED.replace("import fs from 'fs';", ""), 3, "fs"),
        (USED.replace("read(a)", "read(aa)"), 3, "aa"),
        ("const a = require('a');\nmodule.exports = () => run(a);\n", 2, "run"),
        ("export const f = (list) => { for (const x of list) { use(x); } };\n", 1, "use"),
        ("export default `${wher}`;\n", 1, "wher"),
        ("export const f = () => ({ lost });\n", 1, "lost"),
    ],
)
def test_a_name_that_nobody_gives_is_told_once(tmp_path, text, line, name):
    assert names(tmp_path, text) == [(line, f"`{name}` is not defined")]


@pytest.mark.parametrize(
    "text",
    [
        USED,
        "lost.call();\n",  # no module: another script may give it
        "export const f = typeof jQuery2 === 'undefined' ? null : jQuery2.fn;\n",
        "/* global lost, other */\nexport default lost.call(other);\n",
        "import { a as b, c } from 'd';\nimport * as e from 'f';\nb(c(e.g));\n",
        "export const f = ({ a, b: [c, ...d] }, ...e) => a(c, d, e);\n",
        "export class A extends Array { #b = 1; c() { return this.#b + super.c(); } }\n",
        (
            "let a; export const f = () => { try { a = g(); } catch (error) { error.log(); } };\n"
            "function g() {}\n"
        ),
        "export const f = (x) => { loop: for (;;) { if (x) break loop; } };\n",
        "export default eval('lost') + lost();\n",
    ],
)
def test_what_may_be_given_is_not_told(tmp_path, text):
    assert names(tmp_path, text) == []


def test_types_are_no_values(tmp_path):
    text = (
        "import type { A } from './a';\nexport enum B { C }\nnamespace D { export const e = 1; }\n"
        "declare const G: number;\nexport function f<T>(this: A, x: T): x is T {\n"
        "  return B.C === D.e && G.toFixed() === (x as unknown as F);\n}\ntype F = string;\n"
    )
    assert names(tmp_path, text, "a.ts") == []
