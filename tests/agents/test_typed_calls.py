"""Calls that a change leaves with too few or too many arguments, across files and by written types."""

from __future__ import annotations

import pytest

from guildmoot.agents.members.typed.misfits import misfit_calls
from guildmoot.agents.parsing.changed_code import ChangedCode

BASE = {
    "src/till.rs": "pub struct Till;\n\npub enum Kind { Pair(u8, u8) }\n\nimpl Till {\n"
    "    pub fn new(size: u8) -> Self { Till }\n    pub fn add(&self, a: u8, b: u8) {}\n}\n\n"
    "pub fn total(a: u8, b: u8) -> u8 { 0 }\n",
    "src/user.rs": "use crate::till::{total, Kind, Till};\n\nfn run(till: &Till) {\n    till.add(1, 2);\n"
    "    Till::add(till, 1, 2);\n    let made = Till::new(3);\n    total(1, 2);\n    Kind::Pair(1, 2);\n}\n",
    "src/nested.rs": "use crate::till::*;\n\nfn run() {\n    fn total(a: u8) {}\n    total(1);\n}\n",
    "shop/till.go": "package shop\n\ntype Till struct{ ask func(int) }\n\n"
    "func (t *Till) Add(a, b int) {}\n\nfunc Total(a int, more ...int) {}\n\nfunc Make(a, b int) *Till { return nil }\n",
    "shop/more.go": "package shop\n\nfunc more() (int, int) { return 1, 2 }\n\n"
    "func Run(till *Till) {\n\ttill.Add(1, 2)\n\tMake(3, 4)\n\ttill.ask(1)\n\tTotal(1)\n}\n",
    "main.go": 'package main\n\nimport "example.com/x/shop"\n\nfunc run() {\n\tshop.Make(1, 2).Add(5, 6)\n}\n',
    "ts/till.ts": "export class Till {\n  add(a: number, b?: string): void {}\n  over(a: string): void\n"
    "  over(a: string, b?: number): void {}\n}\n"
    "export function make(a: number, b: number, c = 1): Till { return new Till() }\n",
    "ts/user.ts": "import { Till, make } from './till'\nexport function run(till: Till, rest: number[]) {\n"
    "  till.add(1)\n  make(1, 2)\n  till.over('a')\n}\n",
}


def told(path: str, old: str, new: str) -> list[str]:
    assert old in BASE[path]
    change = ChangedCode(
        {path: BASE[path]},
        {path: BASE[path].replace(old, new, 1)},
        lambda name: BASE.get(name, ""),
        lambda word: [name for name, text in BASE.items() if word in text],
    )
    return [f"{each.path} {each.name} {each.given}" for each in misfit_calls(change)]


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("src/user.rs", "till.add(1, 2)", "till.add(1)", "src/user.rs add 1"),
        ("src/user.rs", "Till::add(till, 1, 2)", "Till::add(till, 1)", "src/user.rs add 2"),
        ("src/user.rs", "Till::new(3)", "Till::new(3, 4)", "src/user.rs new 2"),
        ("src/user.rs", "total(1, 2)", "total(1)", "src/user.rs total 1"),
        ("src/user.rs", "Kind::Pair(1, 2)", "Kind::Pair(1)", "src/user.rs Pair 1"),
        ("src/till.rs", "total(a: u8, b: u8)", "total(a: u8)", "src/user.rs total 2"),
        ("src/till.rs", "new(size: u8)", "new()", "src/user.rs new 1"),
        ("shop/more.go", "till.Add(1, 2)", "till.Add(1)", "shop/more.go Add 1"),
        ("shop/more.go", "Make(3, 4)", "Make(3, 4, 5)", "shop/more.go Make 3"),
        ("main.go", "shop.Make(1, 2)", "shop.Make(1)", "main.go Make 1"),
        ("shop/till.go", "Add(a, b int)", "Add(a, b, c int)", "main.go Add 2"),
        ("ts/user.ts", "till.add(1)", "till.add()", "ts/user.ts add 0"),
        ("ts/user.ts", "make(1, 2)", "make(1)", "ts/user.ts make 1"),
        ("ts/till.ts", "b: number, c = 1", "b: number, d: number, c = 1", "ts/user.ts make 2"),
    ],
)
def test_a_call_that_does_not_fit_is_told(path, old, new, expected):
    assert expected in told(path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/user.rs", "total(1, 2)", "total(2, 1)"),
        ("src/user.rs", "fn run(till: &Till)", "fn run(till: &Till, total: fn(u8))"),
        ("src/nested.rs", "total(1)", "total(2)"),
        ("src/till.rs", "a: u8, b: u8) -> u8", "a: u8, #[cfg(unix)] b: u8) -> u8"),
        ("src/till.rs", "pub fn total(a: u8, b: u8)", "#[cfg(unix)]\npub fn total(a: u8)"),
        ("shop/more.go", "Make(3, 4)", "Make(more())"),
        ("shop/more.go", "Total(1)", "Total(1, 2, 3)"),
        ("shop/more.go", "till.ask(1)", "till.ask(1, 2)"),
        ("shop/more.go", "till *Till)", "till *Till, Make func(int))"),
        ("ts/user.ts", "make(1, 2)", "make(...rest)"),
        ("ts/user.ts", "make(1, 2)", "make(1, 2, 3)"),
        ("ts/user.ts", "till.over('a')", "till.over('a', 2)"),
        ("ts/till.ts", "a: number, b: number", "a: number, b?: number"),
    ],
)
def test_a_call_that_may_fit_is_not_told(path, old, new):
    assert told(path, old, new) == []
