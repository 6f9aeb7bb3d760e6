"""Names of C# that took the place of others and that the place cannot see, and calls that no longer fit."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

BASE = {
    "Shop.cs": """using App.Shared;
namespace App.Front;

public class Shop : Store {
    private readonly int _rent;
    public Shop(int rent) { _rent = rent; }
    public int Sell(int price, Order order) {
        var total = price * _rent;
        return WeighAll(total) + total;
    }
    private int WeighAll(int amount) { return amount; }
    public Order Make() { return new Order(1); }
}
public class FarShop : Elsewhere {
    public int Ask(int given) { return given; }
}
""",
    "Store.cs": """namespace App.Front;

public class Store {
    protected int Shelf { get; set; }
    protected int LiftAll(int amount) { return amount; }
}
""",
    "Order.cs": """namespace App.Shared;

public class Order {
    public Order(int size) { }
    public int ReadWhole(int depth, bool strict) { return depth; }
}
public class Parcel { }
""",
    "Crate.cs": """using App.Shared;
namespace App.Back;

public class Crate {
    public int Nails { get; set; }
    public int PryOpen(int force) { var strength = force; return strength; }
    public int Read(Order order) { return order.ReadWhole(1, true); }
}
public class Below : Elsewhere { public int Handed { get; set; } }
""",
}


def told(path: str, old: str, new: str, code: str = "undefined-name") -> list[str]:
    assert old in BASE[path]
    change = ChangedCode(
        {path: BASE[path]},
        {path: BASE[path].replace(old, new, 1)},
        lambda other: BASE.get(other, ""),
        lambda word: [other for other, text in BASE.items() if word in text],
    )
    return [each.message.split("`")[1] for each in lost_names(change) if each.code == code]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("price * _rent", "price * Nails", "Nails"),
        ("price * _rent", "price * strength", "strength"),
        ("WeighAll(total)", "PryOpen(total)", "PryOpen"),
        ("new Order(1)", "new Crate(1)", "Crate"),
        ("return given", "return strength", "strength"),
        ("return given", "return Nails", "Nails"),  # none below a class from afar has it
    ],
)
def test_what_only_others_have_is_told(old: str, new: str, name: str) -> None:
    assert told("Shop.cs", old, new) == [name]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("price * _rent", "price * Shelf"),
        ("WeighAll(total)", "LiftAll(total)"),
        ("new Order(1)", "new Parcel()"),
        ("new Order(1)", "new Store()"),
        ("return given", "return Handed"),  # what is above them both may have it
    ],
)
def test_what_the_place_can_see_is_not_told(old: str, new: str) -> None:
    assert told("Shop.cs", old, new) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("Crate.cs", "ReadWhole(1, true)", "ReadWhole(1)", "ReadWhole"),
        ("Order.cs", "int depth, bool strict", "int depth, bool strict, int more", "ReadWhole"),
        ("Order.cs", "Order(int size)", "Order(int size, int more)", "Order"),
        ("Shop.cs", "WeighAll(total)", "WeighAll(total, 1)", "WeighAll"),
    ],
)
def test_a_call_that_no_longer_fits_is_told(path: str, old: str, new: str, name: str) -> None:
    assert set(told(path, old, new, "call-does-not-fit")) == {name}


def test_a_parameter_that_need_not_be_given_is_not_told() -> None:
    assert told("Order.cs", "bool strict)", "bool strict, int m = 1)", "call-does-not-fit") == []
