"""Members asked of what is written to be of a type of the repository, in Go, Java and TypeScript."""

from __future__ import annotations

import pytest

from guildmoot.agents.members.typed.losses import missing_members
from guildmoot.agents.parsing.changed_code import ChangedCode

GO = (
    "package shop\n\ntype Row struct{ price int }\n\ntype Base struct{ id int }\n\n"
    "type Till struct {\n\tBase\n\trows *Row\n\task func() Row\n}\n\n"
    "func NewTill() (*Till, error) { return &Till{rows: nil}, nil }\n\n"
    "func (t *Till) First() *Row { return t.rows }\n"
)
GO_USER = (
    'package main\n\nimport "example.com/x/shop"\n\nfunc run(given *shop.Till) {\n'
    "\ttill, err := shop.NewTill()\n\ttill.First()\n\tgiven.First()\n\t_ = err\n\t_ = till.id\n}\n"
)
JAVA = (
    "package p;\npublic class Till extends Base implements Runnable {\n"
    "  private final Row row = new Row();\n  Row first() { return row; }\n"
    "  public void run() { first().price(); this.row.hashCode(); base(); }\n"
    "  String text() { return null; }\n  Till text(String value) { return this; }\n}\n"
)
JAVA_USER = (
    "package q;\nimport p.Till;\nclass Shop<E> {\n  E any;\n  void f(Till till, Object other) {\n"
    "    till.first();\n    var mine = new Till();\n    mine.base();\n    till.text().trim();\n"
    "    if (other instanceof Till seen) { seen.first(); }\n  }\n}\n"
)
SCRIPT = (
    "import { Row } from './rows'\nexport class Till {\n  private rows = new Row()\n"
    "  constructor(private readonly spare: Row) {}\n  first(): Row { return this.rows }\n"
    "  static make(): Till { return new Till(new Row()) }\n}\nexport enum Kind { Cash, Card }\n"
)
SCRIPT_USER = (
    "import { Till, Kind } from './index'\nexport function f(till: Till, kind: Kind) {\n"
    "  till.first().price()\n  Till.make()\n  return Kind.Cash + kind.toFixed()\n}\n"
)
BASE = {
    "shop/till.go": GO,
    "shop/more.go": "package shop\n\nfunc (r Row) Price() int { return r.price }\n",
    "main.go": GO_USER,
    "web/writer.go": 'package web\n\nimport "net/http"\n\ntype Writer interface {\n\thttp.ResponseWriter\n'
    "\tCounter\n\tStatus() int\n\tClose() error\n}\n\ntype Counter interface{ Bytes() int }\n\n"
    "type Wrapped struct {\n\thttp.ResponseWriter\n\tCode int\n}\n",
    "web/use.go": "package web\n\nfunc log(w Writer, s *Wrapped) {\n\tw.Status()\n\tw.Bytes()\n\tw.Close()\n"
    "\tw.WriteHeader(s.Code)\n}\n",
    "src/p/Till.java": JAVA,
    "src/p/Row.java": "package p;\nrecord Row(int price) {}\n",
    "src/p/Base.java": "package p;\nclass Base { void base() {} }\n",
    "src/q/Shop.java": JAVA_USER,
    "src/p/Odd.java": "package p;\nclass Odd extends vendor.Widget { int f(Odd odd) { return odd.size; } }\n",
    "src/p/Made.java": "package p;\nimport lombok.Data;\n@Data class Made { int a; int f(Made m) { return m.getA(); } }\n",
    "ts/till.ts": SCRIPT,
    "ts/rows.ts": "export class Row { price(): number { return 1 } }\n",
    "ts/index.ts": "export * from './till'\n",
    "ts/user.ts": SCRIPT_USER,
    "ts/shape.ts": "export interface Shape { kind: string }\nexport interface Round extends Shape { radius: number }\n"
    "export function f(shape: Shape) { if ('radius' in shape) return shape.kind }\n",
    "ts/store.ts": "export class Store { put(): void {} }\nexport class Shelf { lay(): void {} }\n"
    "export function store(): Store { return new Store() }\n"
    "export function either(): Store | Shelf { return new Store() }\n"
    "export async function later(): Promise<Store> { return new Store() }\n"
    "export function any<Store>(given: Store): Store { return given }\n",
    "ts/held.ts": "import { store, either, later, any } from './store'\nimport { other as twin } from './else'\n"
    "export class Held {\n  private mine = store()\n"
    "  f(either: () => unknown) { this.mine.put(); const here = store(); here.put() }\n}\n",
}


def told(path: str, old: str, new: str) -> str:
    assert old in BASE[path]
    change = ChangedCode(
        {path: BASE[path]},
        {path: BASE[path].replace(old, new, 1)},
        lambda name: BASE.get(name, ""),
        lambda word: [name for name, text in BASE.items() if word in text],
    )
    return "\n".join(f"{each.path} {each.name}" for each in missing_members(change))


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("shop/till.go", "First()", "Head()", "main.go First"),
        ("shop/till.go", "id int", "key int", "main.go id"),
        ("shop/till.go", "{rows: nil}", "{lines: nil}", "shop/till.go lines"),
        ("shop/till.go", "return t.rows", "return t.lines", "shop/till.go lines"),
        ("main.go", "till.First()", "till.Last()", "main.go Last"),
        ("main.go", "given.First()", "given.Last()", "main.go Last"),
        ("web/writer.go", "Status() int", "Code() int", "web/use.go Status"),
        ("web/writer.go", "{ Bytes() int }", "{ Size() int }", "web/use.go Bytes"),
        ("src/p/Till.java", "Row first()", "Row head()", "src/q/Shop.java first()"),
        ("src/p/Base.java", "void base()", "void ground()", "src/q/Shop.java base()"),
        ("src/p/Till.java", "first().price()", "first().cost()", "src/p/Till.java cost()"),
        ("src/p/Till.java", "this.row.", "this.line.", "src/p/Till.java line"),
        ("src/q/Shop.java", "seen.first()", "seen.last()", "src/q/Shop.java last()"),
        ("src/q/Shop.java", "mine.base()", "mine.bass()", "src/q/Shop.java bass()"),
        ("ts/till.ts", "first(): Row", "head(): Row", "ts/user.ts first"),
        ("ts/rows.ts", "price()", "cost()", "ts/user.ts price"),
        ("ts/till.ts", "this.rows", "this.lines", "ts/till.ts lines"),
        ("ts/user.ts", "Till.make()", "Till.create()", "ts/user.ts create"),
        ("ts/user.ts", "Kind.Cash", "Kind.Coin", "ts/user.ts Coin"),
        ("ts/store.ts", "put(): void", "place(): void", "ts/held.ts put"),
        ("ts/held.ts", "this.mine.put()", "this.mine.place()", "ts/held.ts place"),
        ("ts/held.ts", "here.put()", "here.place()", "ts/held.ts place"),
    ],
)
def test_a_member_that_a_written_type_does_not_have_is_told(path, old, new, expected):
    assert expected in told(path, old, new).split("\n")


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("shop/till.go", "t.rows }", "t.rows }\n\nfunc (t *Till) Last() int { return t.id }"),
        ("shop/till.go", "ask func() Row", "ask func() Row\n\tmore Row"),
        ("main.go", "till.First()", "till.First().Price()"),
        ("main.go", "_ = err", "_ = err.Error()"),
        ("web/writer.go", "\tStatus() int\n", "\tmore.Statuses\n"),
        ("web/writer.go", "\tClose() error\n", ""),
        ("web/writer.go", "\tCode int\n", ""),
        ("web/writer.go", "Writer interface {", "Writer = interface {"),
        ("web/use.go", "w.Status()", "w.Push()"),
        ("src/q/Shop.java", "till.first()", "till.first().price()"),
        ("src/q/Shop.java", "till.text().trim()", "till.text().strip()"),
        ("src/q/Shop.java", "till.first()", "any.whatever()"),
        ("src/p/Odd.java", "odd.size", "odd.width"),
        ("src/p/Made.java", "m.getA()", "m.getB()"),
        ("ts/user.ts", "kind.toFixed()", "kind.toString()"),
        ("ts/shape.ts", "return shape.kind", "return shape.radius"),
        ("ts/user.ts", "f(till: Till", "f<Till>(till: Till"),
        ("ts/held.ts", "this.mine.put()", "either().place()"),
        ("ts/held.ts", "here.put()", "later().then(console.log)"),
        ("ts/held.ts", "here.put()", "any(4).place()"),
        ("ts/held.ts", "here.put()", "twin().place()"),
        ("ts/held.ts", "mine = store()", "mine = later()"),
        ("ts/held.ts", "mine = store()", "mine: any = store()"),
        ("ts/held.ts", "f(either", "f(store: () => any, either"),
        ("ts/store.ts", "store(): Store", "store()"),
    ],
)
def test_what_a_type_has_or_may_have_is_not_told(path, old, new):
    assert told(path, old, new) == ""
