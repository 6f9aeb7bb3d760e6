"""Calls of methods and constructors with many forms: told where they fitted at the base and no form takes them now."""

from __future__ import annotations

import pytest

from guildmoot.agents.members.typed.misfits import misfit_calls
from guildmoot.agents.parsing.changed_code import ChangedCode

BASE = {
    "shop/Till.java": """package shop;

import java.util.ArrayList;

public class Till {
    public Till(int size, String name) { this(size, name, true); }
    Till(int size, String name, boolean open) { }
    public void add(int a) { }
    public void add(int a, int b, int c) { }
    public static Till of(String... names) { return new Till(1, "a"); }
}

class Drawer extends ArrayList<String> {
    private void put(int a, int b) { }
    public void swap(int a, int b) { put(a, b); swap(b, a); }
}

class Broad extends Till {
    Broad() { super(1, "b"); }
}
""",
    "shop/Price.java": """package shop;

record Price(int amount, String unit) {
    Price(int amount) { this(amount, "EUR"); }
}
""",
    "shop/Sums.java": """package shop;

public class Sums {
    public static int total(int a, int b) { return a + b; }
}
""",
    "shop/Shop.java": """package shop;

import static shop.Sums.total;
import java.util.List;

class Shop {
    void run(Till till, List<String> list) {
        till.add(1);
        Till made = new Till(2, "main");
        Price price = new Price(1, "EUR");
        Till.of("a", "b");
        total(1, 2);
        list.add(0, "x");
        help(1, 2);
    }
    void help(int a, int b) { }
}
""",
    "Till.cs": """namespace Shop;

public class Till(int size, string name)
{
    public void Add(int a, int b = 2, params int[] more) { }
    public void Set(int a, int b = 2) { }
    private void Own(int a, int b) { Own(b, a); }
}

public static class TillMore
{
    public static void Close(this Till till, int a, int b) { }
}

public class Door : Elsewhere.Gate
{
    public Door(int a, int b) { }
    private void Shut(int a, int b) { Shut(b, a); }
    public void Open(int a, int b) { Open(b, a); }
}
""",
    "User.cs": """\ufeffusing Shop;

namespace Users;

class User
{
    void Run(Till till)
    {
        till.Set(1);
        till.Set(a: 1, b: 3);
        till.Add(1);
        till.Close(1, 2);
        var made = new Till(1, "a");
        Door door = new(1, 2);
    }
}
""",
    "till.h": """#pragma once
class Till {
 public:
  explicit Till(int size, int name, bool open = false);
  void add(int a);
};
struct Plain { int a; int b; };
""",
    "user.cpp": """#include "till.h"
void run(Till other) {
  auto made = new Till(1, 2);
  auto held = std::make_unique<Till>(1, 2, true);
  Till till(3, 4);
  Till copy(1, 2);
  Plain plain(1, 2);
}
""",
    "till.ts": """export class Till {
  constructor(private size: number, readonly name: string, open?: boolean) {}
}
export class Wide extends Till {}
""",
    "user.ts": """import { Till, Wide } from './till'
export function run() {
  const till = new Till(1, 'a')
  const wide = new Wide(1, 'a')
}
""",
}


def told(path: str, old: str, new: str) -> list[str]:
    assert old in BASE[path]
    change = ChangedCode(
        {path: BASE[path]},
        {path: BASE[path].replace(old, new, 1)},
        lambda name: BASE.get(name, ""),
        lambda word: [name for name, text in BASE.items() if word in text],
    )
    return [
        f"{each.path} {each.name} {each.given} of {each.wanted}" for each in misfit_calls(change)
    ]


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("shop/Shop.java", "till.add(1)", "till.add(1, 2)", "shop/Shop.java add 2 of 1 or 3"),
        ("shop/Shop.java", '(2, "main")', "(2)", "shop/Shop.java Till 1 of 2 or 3"),
        ("shop/Shop.java", "total(1, 2)", "total(1)", "shop/Shop.java total 1 of 2"),
        ("shop/Shop.java", "help(1, 2)", "help(1)", "shop/Shop.java help 1 of 2"),
        ("shop/Shop.java", '(1, "EUR")', "()", "shop/Shop.java Price 0 of 1 or 2"),
        ("shop/Till.java", "add(int a)", "add()", "shop/Shop.java add 1 of 0 or 3"),
        ("shop/Till.java", "Till(int size, String name) {", "Till() {", "shop/Shop.java Till 2"),
        ("shop/Till.java", "this(size, name, true)", "this(size)", "shop/Till.java Till 1"),
        ("shop/Till.java", 'super(1, "b")', "super(1)", "shop/Till.java Till 1"),
        ("shop/Till.java", "put(a, b)", "put(a)", "shop/Till.java put 1 of 2"),
        ("shop/Price.java", "String unit)", "String unit, int tax)", "shop/Shop.java Price 2 of"),
        ("User.cs", "till.Set(1)", "till.Set()", "User.cs Set 0 of 1 to 2"),
        (
            "User.cs",
            "till.Set(a: 1, b: 3)",
            "till.Set(a: 1, c: 3)",
            "User.cs Set 2 of 1 to 2, none called `c`",
        ),
        ("User.cs", "till.Add(1)", "till.Add()", "User.cs Add 0 of 1 or more"),
        ("User.cs", 'Till(1, "a")', "Till(1)", "User.cs Till 1 of 2"),
        ("User.cs", "new(1, 2)", "new(1)", "User.cs Door 1 of 2"),
        ("Till.cs", "Till(int size, string name)", "Till(int size)", "User.cs Till 2 of 1"),
        ("Till.cs", "Shut(b, a)", "Shut(b)", "Till.cs Shut 1 of 2"),
        ("user.cpp", "new Till(1, 2)", "new Till(1)", "user.cpp Till 1 of 2 to 3"),
        ("user.cpp", "make_unique<Till>(1, 2, true)", "make_unique<Till>(1)", "user.cpp Till 1"),
        ("user.cpp", "till(3, 4)", "till(3, 4, true, 5)", "user.cpp Till 4 of 2 to 3"),
        ("till.h", "int size, int name, ", "int size, ", "user.cpp Till 3 of 1 to 2"),
        ("user.ts", "new Till(1, 'a')", "new Till(1)", "user.ts Till 1 of 2 to 3"),
        ("till.ts", ", readonly name: string, open?: boolean", "", "user.ts Till 2 of 1"),
    ],
)
def test_a_call_that_fitted_and_fits_no_more_is_told(path, old, new, expected):
    assert any(each.startswith(expected) for each in told(path, old, new)), told(path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("shop/Shop.java", "till.add(1)", "till.add(1, 2, 3)"),
        ("shop/Shop.java", 'Till.of("a", "b")', "Till.of()"),
        ("shop/Shop.java", 'list.add(0, "x")', 'list.add("x")'),
        ("shop/Shop.java", '(1, "EUR")', "(1)"),
        ("shop/Shop.java", "till.add(1)", "till.add(1); made.of(1, 2)"),
        ("shop/Till.java", "swap(b, a)", "swap(b)"),
        ("shop/Till.java", "public void add(int a) { }", "public void add(int... a) { }"),
        ("shop/Sums.java", "int b) {", "int b) { total(1);"),
        ("User.cs", "till.Set(1)", "till.Set(1, 2)"),
        ("User.cs", "till.Set(1)", "till.Set(b: 1, a: 2)"),
        ("User.cs", "till.Add(1)", "till.Add(1, 2, 3, 4)"),
        ("User.cs", "till.Close(1, 2)", "till.Close(1)"),
        ("Till.cs", "Open(b, a)", "Open(b)"),
        ("user.cpp", "copy(1, 2)", "copy(other)"),
        ("user.cpp", "plain(1, 2)", "plain(1)"),
        ("user.cpp", "new Till(1, 2)", "new Till(MANY)"),
        ("user.ts", "new Wide(1, 'a')", "new Wide(1)"),
        ("user.ts", "new Till(1, 'a')", "new Till(1, 'a', true)"),
    ],
)
def test_a_call_that_may_fit_or_was_never_understood_is_not_told(path, old, new):
    assert told(path, old, new) == []


def test_a_call_that_did_not_fit_at_the_base_is_left_alone():
    odd = {"A.java": "class A {\n  void f(int a) { }\n  void g() { f(1, 2); }\n}\n"}
    change = ChangedCode(
        odd, {"A.java": odd["A.java"].replace("(1, 2)", "(1, 2, 3)")}, lambda _: "", lambda _: []
    )
    assert list(misfit_calls(change)) == []
