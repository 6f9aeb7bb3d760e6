"""Names of C++ that a change leaves without a declaration, and names of others that took their place."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

BASE = {
    "shop.h": """#pragma once
#include "store.h"
#define LOUD(x) (x)
namespace shop {
enum Kind { Big, Small };
int weigh(int amount);
class Shop : public Store {
 public:
  explicit Shop(int rent) : rent_(rent) {}
  int sell(int price, Kind kind) const;
  int half(int whole) const { return whole / 2 + rent_; }
 private:
  int rent_;
  static int count;
};
}
""",
    "store.h": """#pragma once
class Store {
 protected:
  int shelf_ = 0;
  int lift(int amount) const { return amount; }
};
struct Crate {
  int nails_;
  int pry(int force);
};
""",
    "shop.cpp": """#include "shop.h"
#include <vector>
namespace shop {
static int doubled(int amount) { return amount * 2; }
int Shop::sell(int price, Kind kind) const {
  std::vector<int> all{price, rent_};
  int total = 0;
  for (auto& each : all) {
    total += each;
  }
  auto [first, second] = std::pair<int, int>(price, total);
  auto add = [&, extra = first](int more) { return more + extra + second; };
  if (int rest = total % 2; rest > 0) {
    return rest;
  }
  try {
    return weigh(total) + add(shelf_);
  } catch (const std::exception& problem) {
    throw problem;
  }
  return kind == Big ? doubled(total) : lift(total);
}
template <typename T, int Size> T filled(T value) { T copy = value; return copy + Size; }
}
""",
    "crate.cpp": """#include "store.h"
static int hammer(int force) { int strength = force; return strength; }
int Crate::pry(int force) { return hammer(force) + nails_; }
""",
    "shop_test.cpp": """#include "shop.h"
class ShopTest : public ::testing::Test { protected: int fixture_ = 1; };
TEST_F(ShopTest, Sells) {
  int wanted = fixture_;
  EXPECT_EQ(wanted, LOUD(1));
}
""",
}


def told(path: str, old: str, new: str) -> list[str]:
    assert old in BASE[path]
    change = ChangedCode(
        {path: BASE[path]},
        {path: BASE[path].replace(old, new, 1)},
        lambda other: BASE.get(other, ""),
        lambda word: [other for other, text in BASE.items() if word in text],
    )
    found = (each for each in lost_names(change) if each.code == "undefined-name")
    return [each.message.split("`")[1] for each in found]


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("shop.cpp", "total += each", "total += strength", "strength"),  # another function's local
        ("shop.cpp", "total += each", "total += nails_", "nails_"),  # another class has it
        ("shop.cpp", "total += each", "total += wholly", "wholly"),  # nobody's
        ("shop.cpp", "weigh(total)", "pry(total)", "pry"),
        ("shop.cpp", "doubled(total)", "hammer(total)", "hammer"),  # another file's own
        ("shop.cpp", "throw problem", "throw force", "force"),
        ("shop.cpp", "T copy = value", "T copy = strength", "strength"),
        ("shop.cpp", "  int total = 0;\n", "", "total"),
        ("shop.h", "return whole / 2", "return strength / 2", "strength"),
        ("shop.h", "rent_(rent)", "rent_(nails_)", "nails_"),
        ("shop_test.cpp", "EXPECT_EQ(wanted", "EXPECT_EQ(strength", "strength"),
        ("shop_test.cpp", "EXPECT_EQ(wanted", "EXPECT_EQ(nails_", "nails_"),
    ],
)
def test_a_name_that_cannot_be_seen_there_is_told(path: str, old: str, new: str, name: str) -> None:
    assert told(path, old, new)[:1] == [name]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("shop.cpp", "total += each", "total += shelf_"),  # the class above has it
        ("shop.cpp", "total += each", "total += Small"),
        ("shop.cpp", "total += each", "total += count"),
        ("shop.cpp", "weigh(total)", "half(total)"),
        ("shop.cpp", "weigh(total)", "lift(total)"),
        ("shop.cpp", "weigh(total)", "abs(total)"),  # no file says what a library has
        ("shop.cpp", "more + extra", "more + first"),
        ("shop_test.cpp", "EXPECT_EQ(wanted", "EXPECT_EQ(fixture_"),
        ("shop.h", "return whole / 2", "return shelf_ / 2"),
    ],
)
def test_what_can_be_seen_is_not_told(path: str, old: str, new: str) -> None:
    assert told(path, old, new) == []


BAG = """#pragma once
namespace shop {
struct Bag {
  union { int coins; char notes; };
  int size;
  int all() const { return size; }
};
template <typename First, typename Second> int both(First first) { return sizeof(first); }
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return size", "return coins"),  # a union without a name gives its members away
        ("sizeof(first)", "sizeof(Second)"),  # a type that is taken for a value
    ],
)
def test_what_the_file_declares_somewhere_is_not_told(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    monkeypatch.setitem(BASE, "bag.h", BAG)
    assert told("bag.h", old, new) == []


def test_what_an_outer_header_may_bring_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "int cut(int x) { return x; }\n"
    own = f"#include <vector>\n{line}int f(int x) {{ return cut(x); }}\n"
    monkeypatch.setitem(BASE, "cut.cpp", own)
    assert told("cut.cpp", line, "") == ["cut"]
    assert told("cut.cpp", f"#include <vector>\n{line}", "#include <far.h>\n") == []


@pytest.mark.parametrize("kind", ["cpp", "h"])
@pytest.mark.parametrize("mark", ["", "SHOP_EXPORT(PART) "])
def test_a_class_that_many_files_name_is_found(
    monkeypatch: pytest.MonkeyPatch, kind: str, mark: str
) -> None:
    monkeypatch.setitem(BASE, "shop.h", BASE["shop.h"].replace("class Shop", f"class {mark}Shop"))
    users = {f"a{at}.{kind}": '#include "shop.h"\nclass Shop;\n' for at in range(60)}
    users["half.h"] = "struct Other {\n  int half;\n};\n"
    every = {**users, **BASE}
    change = ChangedCode(
        {"shop.cpp": every["shop.cpp"]},
        {"shop.cpp": every["shop.cpp"].replace("weigh(total)", "half(total)", 1)},
        lambda other: every.get(other, ""),
        lambda word: [other for other, text in every.items() if word in text],
    )
    assert [each.message for each in lost_names(change) if each.code == "undefined-name"] == []
