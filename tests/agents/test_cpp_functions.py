"""Plain functions of C++: calls that fitted before a change and fit no form after it."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

BASE = {
    "tools.hpp": """#pragma once
#include <string>
namespace Tools {
  int add(int a, int b);
  int scale(int a, int by = 2);
  int scale(int a, int b, int c);
  template <typename T> int both(T a, T b);
  int size(int a, int b);
}
struct Bag { int size(int a); };
#define twice(a, b) ((a) + (b))
int twice(int a, int b);
int held(int a, int b);
int sort(int a, int b);
""",
    "tools.cpp": """#include "tools.hpp"
static int one(int a, int b) { return a + b; }
namespace Tools {
  int add(int a, int b) { return one(a, b); }
  int scale(int a, int by) { return a * by; }
}
int Tools::size(int a, int b) { return a; }
""",
    "user.cpp": """#include "tools.hpp"
#include <algorithm>
int run(int x) {
  Tools::add(x, 1);
  Tools::scale(x);
  Tools::both(x, 1);
  Tools::size(x, 1);
  twice(x, 1);
  std::sort(x, 1);
  sort(x, 1);
  return held(
      x,
      1);
}
""",
    "other.cpp": """#include "tools.hpp"
using namespace Tools;
int go(int x) { return add(x, 1); }
""",
}


def told(path: str, old: str, new: str) -> list[str]:
    """Of a change that also writes about the functions."""
    assert old in BASE[path]
    change = ChangedCode(
        {path: BASE[path], "NEWS.md": "one, add, scale and held"},
        {path: BASE[path].replace(old, new, 1), "NEWS.md": "one, add, scale and held are faster"},
        lambda name: BASE.get(name, ""),
        lambda word: [name for name, text in BASE.items() if word in text],
        files=lambda: list(BASE),
    )
    return [
        f"{each.path}:{each.line} {each.message}"
        for each in lost_names(change)
        if each.code == "call-does-not-fit"
    ]


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("tools.cpp", "one(a, b);", "one(a);", "tools.cpp:4 `one` is given 1"),
        ("tools.cpp", "one(int a, int b)", "one(int a)", "tools.cpp:4 `one` is given 2"),
        ("user.cpp", "add(x, 1)", "add(x)", "user.cpp:4 `add` is given 1 arguments here"),
        ("other.cpp", "add(x, 1)", "add(x, 1, 2)", "other.cpp:3 `add` is given 3"),
        ("user.cpp", "scale(x)", "scale()", "user.cpp:5 `scale` is given 0 arguments here, and"),
        ("user.cpp", "      x,\n", "", "user.cpp:11 `held` is given 1"),
        ("tools.hpp", "held(int a, int b)", "held(int a)", "user.cpp:11 `held` is given 2"),
    ],
)
def test_a_call_of_a_function_that_fits_no_more_is_told(path, old, new, expected):
    assert [each[: len(expected)] for each in told(path, old, new)] == [expected]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("user.cpp", "add(x, 1)", "add(1, x)"),
        ("user.cpp", "add(x, 1)", "add(ARGUMENTS)"),
        ("user.cpp", "scale(x)", "scale(x, 1, 2)"),
        ("user.cpp", "both(x, 1)", "both(x)"),
        ("user.cpp", "Tools::size(x, 1)", "Tools::size(x)"),
        ("user.cpp", "twice(x, 1)", "twice(x)"),
        ("user.cpp", "  sort(x, 1)", "  sort(x)"),
        (
            "user.cpp",
            "int run(int x) {",
            "int run(int x) {\n  auto held = [](int a) { return a; };",
        ),
        ("tools.hpp", "held(int a, int b)", "held(int a, int b, int c = 1)"),
        ("tools.hpp", "held(int a, int b)", "held(int a, ...)"),
        ("tools.hpp", "int add(int a, int b);", "int add(int a, int b);\n  int add(int a);"),
    ],
)
def test_a_call_that_may_fit_is_not_told(path, old, new):
    assert told(path, old, new) == []
