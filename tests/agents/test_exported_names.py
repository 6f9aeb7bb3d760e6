"""Names that scripts import from each other by a relative path."""

from __future__ import annotations

import pytest

from guildmoot.agents.members.exported import gone_script_exports
from guildmoot.agents.parsing.changed_code import ChangedCode

USER = "import { N } from './m';\n"


def told(path: str, after: dict[str, str]) -> list[str]:
    before = {path: "export const N = 1;\n"}
    base = {**before, "src/user.ts": USER}
    change = ChangedCode(
        before,
        after,
        lambda name: base.get(name, ""),
        lambda word: [name for name, text in base.items() if word in text],
    )
    return [f"{name} {user}:{line}" for name, _, user, line in gone_script_exports(change)]


@pytest.mark.parametrize("text", ["export const M = 1;\n", "const N = 1;\n", "export const { M: O } = f();\n", ""])  # fmt: skip
def test_an_import_of_what_is_no_longer_exported_is_told(text: str) -> None:
    assert told("src/m.ts", {"src/m.ts": text}) == ["N src/user.ts:1"]


@pytest.mark.parametrize(
    "text",
    [
        "export const { reducer: N } = createSlice({});\n",
        "export const { N } = f();\n",
        "export const {\n  a,\n  b: { N = 1 },\n} = f();\n",
        "export const [a, N] = f();\n",
        "export const a = 1, N = 2;\n",
        "export let a: number, N: number;\n",
        "export const enum N { A }\n",
        "export { a as N };\n",
        "export * from './other';\n",
    ],
)
def test_whatever_exports_the_name_keeps_it(text: str) -> None:
    assert told("src/m.ts", {"src/m.ts": text}) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("src/m.ts", "src/m.tsx"),
        ("src/m.js", "src/m.ts"),
        ("src/m.ts", "src/m/index.ts"),
        ("src/m/index.ts", "src/m.tsx"),
        ("src/m.ts", "src/m.d.ts"),
    ],
)
def test_a_module_under_another_ending_is_the_same_module(old: str, new: str) -> None:
    assert told(old, {new: "export const N = 1;\n"}) == []
    assert told(old, {new: "export const M = 1;\n"}) == ["N src/user.ts:1"]


BARREL = {
    "src/m.ts": "export const N = 1;\n",
    "src/all/index.ts": "export * from './near';\nexport * from './other';\n",
    "src/all/near.ts": "export * from '../m';\nexport * from '.';\n",
    "src/all/other.ts": "export type P = string;\n",
    "src/far.ts": "import { N } from './all';\n",
}
"""A module that is imported through two others, one of which takes itself on in a circle."""


def told_behind(after: dict[str, str], base: dict[str, str] = BARREL) -> list[str]:
    change = ChangedCode(
        {path: base[path] for path in after if path in base},
        after,
        lambda name: base.get(name, ""),
        lambda word: [name for name, text in base.items() if word in text],
    )
    return [f"{name} {user}:{line}" for name, _, user, line in gone_script_exports(change)]


@pytest.mark.parametrize(
    "after",
    [
        {"src/m.ts": "export const M = 1;\n"},
        {"src/all/near.ts": "export { N as M } from '../m';\n"},
        {"src/all/near.ts": "export * as m from '../m';\n"},
        {"src/all/index.ts": "export * from './other';\n"},
    ],
)
def test_an_import_through_files_that_take_the_name_on_is_told(after: dict[str, str]) -> None:
    assert told_behind(after) == ["N src/far.ts:1"]


@pytest.mark.parametrize(
    "after",
    [
        {"src/m.ts": "export const M = 1;\n", "src/all/other.ts": "export const N = 1;\n"},
        {"src/m.ts": "export const M = 1;\n", "src/all/near.ts": "export { M as N } from '../m';\n"},
        {"src/m.ts": "export const M = 1;\n", "src/all/other.ts": "export * from 'package';\n"},
        {"src/m.ts": "export const M = 1;\n", "src/all/other.ts": "module.exports = f();\n"},
        {"src/m.ts": "export const M = 1;\n", "src/far.ts": "import { M } from './all';\n"},
        {"src/all/near.ts": "export { type N } from '../m';\n"},
        {"src/all/near.ts": "export { M as N, type O as P } from '../m';\n"},
        {"src/all/near.ts": "export * as N from '../m';\n"},
    ],
)  # fmt: skip
def test_a_name_that_some_file_still_takes_on_is_kept(after: dict[str, str]) -> None:
    assert told_behind(after) == []


def test_a_name_that_the_files_between_never_took_on_is_not_theirs() -> None:
    base = {**BARREL, "src/all/near.ts": "export { N as M } from '../m';\n"}
    assert told_behind({"src/m.ts": "const N = 1;\n"}, base) == ["N src/all/near.ts:1"]
    assert told_behind({"src/all/other.ts": "export type Q = string;\n"}, base) == []
