"""Names of C# that a change leaves without a declaration, a namespace or a fitting type."""

from __future__ import annotations

import pytest

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

TILL = """using System;
using System.Text;
using Shop.Goods;
using Shop.Tools;

namespace Shop.Tills
{
    public class Till : Base, IDisposable
    {
        private readonly StringBuilder _log = new StringBuilder();
        private int _count;
        public string Label { get; set; }
        public Row Add(int by, Row given)
        {
            var total = by + _count;
            foreach (var each in new[] { 1, 2 }) { total += each; }
            if (given is Row { Price: 3 } found && int.TryParse("1", out var read)) { total += read; found.Sell(1); }
            Func<int, int> twice = one => one * 2;
            _log.Append(Label);
            Note(nameof(Add));
            var made = new Row { Price = twice(total) };
            made.Shorten();
            return made;
        }
        private void Note(string text) { _log.Append(text + Size + Kind.Cash); }
        public void Dispose() { Note("end"); }
    }
}
"""
WIDGET = """namespace Shop.Tills;
public class Widget : Vendor.Control
{
    private int _width;
    protected override void Draw() { Paint(_width); }
    private void Grow(int by) { _width += by; Draw(); Grow(by); Own(by, 1); }
    private static void Own(int a, int b) { }
}
"""
PART = "namespace Shop.Tills;\npublic partial class Wide\n{\n    private int _left;\n    int Both() => _left + _right;\n}\n"
GOODS = """namespace Shop.Goods;
public class Row
{
    public int Price { get; set; }
    public Row() { }
    public Row(int price, string name = "") { Price = price; }
    public void Sell(int count, params string[] notes) { }
    public int Cost(int count) => Price * count;
    public static Row Make(int price) => new Row(price);
}
public enum Kind { Cash, Card }
"""
USER = """using Shop.Goods;
namespace Shop.Views;
public class View
{
    private readonly Row _row = new Row(1);
    public int Show(Row row, Kind kind, object other)
    {
        var made = Row.Make(3);
        if (kind == Kind.Card) { return row.Price; }
        row.Print();
        this._row.Sell(2, "a", "b");
        return made.Cost(2) + _row.Cost(1);
    }
}
"""
BASE = {
    "src/Till.cs": TILL,
    "src/Base.cs": "namespace Shop;\npublic class Base\n{\n    protected int Size;\n}\n",
    "src/Widget.cs": WIDGET,
    "src/Wide.cs": PART,
    "src/Wide.More.cs": "namespace Shop.Tills;\npublic partial class Wide { private int _right; }\n",
    "src/Made.cs": "namespace Shop.Tills;\npublic partial class Made\n{\n    [Twin]\n    int AllAsync() => 1;\n"
    "    int Any() => AllAsync();\n}\n",
    "src/Row.cs": GOODS,
    "src/View.cs": USER,
    "src/Tools.cs": "namespace Shop.Tools;\npublic static class Texts { public static void Shorten(this object given) { }"
    " public static void Print(this object given) { } }\n",
}


def told(path: str, old: str, new: str, more: dict[str, str] | None = None) -> list[str]:
    """What is told of one replacement in the base."""
    base = {**BASE, **(more or {})}
    assert old in base[path]

    def users(word: str) -> list[str]:
        return [name for name, held in base.items() if word in held]

    after = {path: base[path].replace(old, new, 1)}
    change = ChangedCode({path: base[path]}, after, lambda name: base.get(name, ""), users)
    return [each.message for each in lost_names(change)]


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("src/Till.cs", "private int _count;", "private int _number;", "`_count`"),
        ("src/Till.cs", "by + _count", "by + _number", "`_number`"),
        ("src/Till.cs", "string Label", "string Title", "`Label`"),
        ("src/Till.cs", "private void Note(", "private void Write(", "`Note`"),
        ("src/Till.cs", 'Note("end")', 'Finish("end")', "`Finish`"),
        ("src/Till.cs", "total += each", "sum += each", "`sum`"),
        ("src/Till.cs", "var total =", "var sum =", "`total`"),
        ("src/Till.cs", "using System.Text;\n", "", "`StringBuilder`"),
        ("src/Till.cs", "using Shop.Goods;\n", "", "`using Shop.Goods;`"),
        ("src/Till.cs", "using Shop.Tools;\n", "", "`Shorten`"),
        ("src/Widget.cs", "private int _width", "private int _size", "`_width`"),
        ("src/Wide.cs", "private int _left", "private int _start", "`_left`"),
        ("src/Wide.cs", "_left + _right", "_left + _other", "`_other`"),
    ],
)
def test_a_name_that_nothing_gives_is_told(path, old, new, name):
    assert any(name in each for each in told(path, old, new))


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/Till.cs", "by + _count", "by + _count + Size"),
        ("src/Till.cs", "        private int _count;\n", "#if NET\n        private int _count;\n#else\n        private int _count;\n#endif\n"),
        ("src/Widget.cs", "    protected override void Draw() { Paint(_width); }\n", ""),
        ("src/Widget.cs", "Paint(_width)", "Refresh(Width)"),
        ("src/Widget.cs", "Vendor.Control\n{\n    private int _width;", "Vendor.Sized\n{"),
        ("src/Made.cs", "=> AllAsync()", "=> Everything()"),
        ("src/Wide.cs", "    private int _left;\n    int Both() => _left + _right;", "    int Both() => _right;"),
        ("src/Till.cs", "using System;\nusing System.Text;\n", "using System.Text;\nusing System;\n"),
        ("src/Till.cs", "new[] { 1, 2 }", "Enumerable.Range(0, 3)"),
    ],
)  # fmt: skip
def test_what_others_may_give_is_not(path, old, new):
    assert told(path, old, new) == []


MAKER = """{}
namespace Shop.Made;
public {} Maker
{{
    public static Row One(Row from) => Cast(from);
    private static Row Cast(Row from) => from;
}}
"""


@pytest.mark.parametrize("kind", ["static class", "partial struct", "sealed class"])
@pytest.mark.parametrize(
    ("taken", "place", "text", "silent"),
    [
        ("using static Far.Away.Factory;", "README.md", "", True),
        ("", "src/All.cs", "global using static Far.Away.Factory;\n", True),
        ("", "All.props", '<Using Include="Far.Away.Factory" Static="true" />', True),
        # another type of that name lies here
        ("using static Far.Away.Factory;", "src/F.cs", "namespace Shop.Made;\nclass Factory { }\n", True),
        ("using static Shop.Made.Factory;", "src/F.cs", "namespace Shop.Made;\nclass Factory { }\n", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["Casts", "NullableType"])
def test_static_members_of_a_package_may_have_any_name(kind, taken, place, text, silent, name):
    more = {"src/Maker.cs": MAKER.format(taken, kind), place: text}
    found = told("src/Maker.cs", "=> Cast(from)", f"=> {name}(from)", more)
    assert [f"`{name}`" in each for each in found] == ([] if silent else [True])


def test_what_goes_may_come_from_a_package_from_now_on():
    more = {"src/Maker.cs": MAKER.format("", "static class")}
    cast = "    private static Row Cast(Row from) => from;\n"
    assert told("src/Maker.cs", cast, "", more) != []
    more["src/Maker.cs"] = MAKER.format("using static Far.Away.Factory;", "static class")
    assert told("src/Maker.cs", cast, "", more) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/Usings.cs", "global using System.Text;\n"),
        (
            "Shop.csproj",
            '<Project><ItemGroup><Using Include="System.Text" /></ItemGroup></Project>',
        ),
    ],
)
def test_a_directive_that_the_project_gives_may_go(path, text):
    assert told("src/Till.cs", "using System.Text;\n", "", {path: text}) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("src/View.cs", "return row.Price", "return row.Worth", "`Worth`"),
        ("src/View.cs", "Kind.Card", "Kind.Check", "`Check`"),
        ("src/View.cs", "Row.Make(3)", "Row.Build(3)", "`Build`"),
        ("src/Row.cs", "public int Cost(", "public int Total(", "`Cost`"),
        ("src/Row.cs", "{ Cash, Card }", "{ Cash, Credit }", "`Card`"),
        ("src/Row.cs", "public int Price", "public int Value", "`Price`"),
        ("src/Till.cs", "new Row { Price =", "new Row { Worth =", "`Worth`"),
    ],
)
def test_a_member_that_the_written_type_has_not_is_told(path, old, new, name):
    assert any(name in each for each in told(path, old, new))


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/View.cs", "row.Print()", "row.ShouldBeFine()"),
        ("src/View.cs", "return row.Price", "return other.Value"),
        ("src/View.cs", "using Shop.Goods;", "using Vendor;"),
        ("src/View.cs", "var made = Row.Make(3);", "var made = Vendor.Row.Build(3);"),
        ("src/Row.cs", "class Row\n", "class Row : Vendor.Item\n"),
    ],
)
def test_a_member_that_may_come_from_elsewhere_is_not(path, old, new):
    assert [each for each in told(path, old, new) if "no such member" in each] == []


@pytest.mark.parametrize(("old", "new", "looked"), [("Row", "Line", False), ("Cost", "Sum", True)])
def test_nobody_is_asked_for_the_members_of_a_type_that_is_renamed_as_it_is(old, new, looked):
    asked = []

    def users(word: str) -> list[str]:
        asked.append(word)
        return [name for name, held in BASE.items() if word in held]

    before = {"src/Row.cs": BASE["src/Row.cs"]}
    after = {"src/Row.cs": BASE["src/Row.cs"].replace(old, new)}
    lost_names(ChangedCode(before, after, lambda name: BASE.get(name, ""), users))
    assert ("Cost" in asked) == looked


EXTENDED = {
    "src/Arg.cs": "namespace Shop;\npublic sealed class Arg\n{\n    public int Size { get; set; }\n}\n",
    "src/More.cs": "namespace Shop;\npublic static class More\n{\n    extension(Arg given)\n    {\n"
    "        public bool IsLate { get => true; set { } }\n    }\n}\n",
    "src/Use.cs": "namespace Shop;\npublic class Use\n{\n    public int F() { var a = new Arg(); return a.Size; }\n}\n",
}


def test_a_property_that_an_extension_block_gives_is_a_member():
    assert told("src/Use.cs", "a.Size", "a.IsLate", EXTENDED) == []
    assert told("src/Use.cs", "a.Size", "a.IsEarly", EXTENDED) != []
