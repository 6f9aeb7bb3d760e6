"""Members that a change loses or misspells: of a class itself, of a type by its name, and by a slip of the hand."""

from __future__ import annotations

import pytest

from guildmoot.agents.members.slips import is_inner_slip
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names
from guildmoot.agents.parsing.grammars import parser
from guildmoot.agents.parsing.plain_names import plain_names
from guildmoot.agents.python.changes import ChangedPython, compare

PHP = (
    "<?php\nclass Till {\n private $items = 0;\n const LIMIT = 3;\n"
    " function sum() { return $this->items + self::LIMIT + $this->more(); }\n"
    " function more() { return 1; }\n static function make(array $rows) { return new self; }\n"
    " function log($value, $found) { $one = 1; $this->tell($value); show($one);\n"
    "  preg_match('/a/', 'b', $found); return $found; }\n}\n"
)
SCRIPT = (
    "export class Till {\n private total = 0\n constructor(private readonly rows: Rows) { this.open = true }\n"
    " sum() { return this.total + this.rows.size + this.open + this.more(() => this.total) }\n"
    " more(value: any) { return value.timeout }\n}\nexport const other = { timeout: 1 }\n"
)
RUST = (
    "pub struct Till { sum: u32 }\nimpl Till {\n pub fn new() -> Till { Self::of(1) }\n"
    " pub fn of(sum: u32) -> Till { Till { sum } }\n fn all(&self) -> u32 { self.sum + self.more() }\n"
    " fn more(&self) -> u32 { 2 }\n}\nimpl Show for Till { fn shown(&self) -> u32 { self.shown() } }\n"
)
JAVA = (
    "package p;\nimport java.io.Flushable;\npublic class Till implements Flushable {\n"
    "  void all(Object rows) { each((Object[]) rows); }\n  void each(Object[] rows) {}\n}\n"
)
GO = "package p\n\ntype Till[T any] struct { row T }\n\nfunc (t *Till[T]) Value() T {\n\treturn t.row\n}\n"
RUBY = (
    "module Till\n  MIME_TYPE = 'x'\n  def self.say(env)\n    env[:a] ||= MIME_TYPE\n  end\nend\n"
)
C = '#include "till.h"\n#include <curses.h>\nint Limit;\nint f(int n)\n{\n\tif (n > Limit)\n\t\treturn box->width;\n\treturn n;\n}\n'
BASE = {
    "Till.php": PHP,
    "Shop.php": "<?php\nclass Shop { function f() { return Till::make([]); } }\n",
    "Kid.php": "<?php\nclass Kid extends Vendor {\n function f() { return $this->name; }\n}\n",
    "till.ts": SCRIPT,
    "src/till.rs": RUST,
    "src/shop.rs": "use crate::till::Till;\nfn f() -> Till { Till::of(1) }\n",
    "p/Till.java": JAVA,
    "p/Limits.java": "package p;\nfinal class Limits {\n  static final int MOST = 3;\n}\n",
    "p/Shop.java": "package p;\nclass Shop { int f() { return Limits.MOST; } }\n",
    "p/a.go": GO,
    "till.rb": RUBY,
    "other.rb": "module Other\n  SHARED = 1\nend\n",
    "a.c": C,
    "till.h": "typedef struct {\n\tint width;\n} box_t;\nextern box_t *box;\n",
    "p/Deque.java": "package p;\nimport java.util.AbstractList;\nclass Deque<E extends Shop> extends AbstractList<E> {\n  int f() { return 1; }\n}\n",
    "Show.php": "<?php\ninterface Show { function show(): string; }\n",
    "Shown.php": "<?php\nfinal class Shown implements Show\n{\n function show(): string { return ''; }\n function extra() {}\n}\n",
    "A/Rules.php": "<?php\nnamespace Own\\A;\nfinal class Rules { static function all() {} }\n",
    "A/Use.php": "<?php\nnamespace Own\\A;\nfinal class Use1 { function f() { return Rules::all(); } }\n",
    "B/Rules.php": "<?php\nnamespace Own\\B;\nfinal class Rules {}\n",
    "render.c": '#include "render.h"\nint render_all(int n)\n{\n\treturn n;\n}\n',
    "render.h": "int render_all(int n);\n",
    "main.c": '#include "render.h"\nint main(void)\n{\n\treturn render_all(2);\n}\n',
    "src/lean.rs": "#![no_std]\nuse alloc::vec::Vec;\nuse odd::*;\npub trait Wide {}\npub fn f(a: &dyn Wide) -> Vec<u8> { Vec::new() }\n",
}


def told(path: str, old: str, new: str, **more: str) -> str:
    assert old in BASE[path]
    base = BASE | more

    def users(word: str) -> list[str]:
        return [name for name, text in base.items() if word in text]

    after = {path: BASE[path].replace(old, new, 1)}
    change = ChangedCode({path: BASE[path]}, after, lambda name: base.get(name, ""), users)
    return "\n".join(each.message for each in lost_names(change))


@pytest.mark.parametrize(
    ("path", "old", "new", "name"),
    [
        ("Till.php", "$this->items", "$this->formerItems", "formerItems"),
        ("Till.php", "self::LIMIT", "self::LIMITS", "LIMITS"),
        ("Till.php", "function more", "function less", "more"),
        ("Till.php", "private $items", "private $rows", "items"),
        ("Till.php", "log($value", "log($given", "$value"),
        ("Till.php", "$one = 1", "$two = 1", "$one"),
        ("Till.php", "function make", "function build", "make"),
        ("Till.php", "$one = 1;", "$one = 1; echo $spare;", "$spare"),
        ("render.c", "render_all(int n)", "draw_all(int n)", "render_all"),
        ("till.ts", "this.total +", "this.otherTotal +", "otherTotal"),
        ("till.ts", " more(value", " less(value", "more"),
        ("till.ts", "this.open =", "this.closed =", "open"),
        ("till.ts", "readonly rows", "readonly lines", "rows"),
        ("till.ts", "value.timeout", "value.timoeut", "timoeut"),
        ("src/till.rs", "fn of", "fn from_sum", "of"),
        ("src/till.rs", "fn more", "fn less", "more"),
        ("src/till.rs", "{ sum: u32 }", "{ total: u32 }", "sum"),
        ("src/lean.rs", "trait Wide", "trait Broad", "Wide"),
        ("p/Till.java", "(Object[])", "(formerObject[])", "formerObject"),
        ("p/Limits.java", "MOST", "LEAST", "MOST"),
        ("p/a.go", "(t *Till", "(t *OldTill", "OldTill"),
        ("p/a.go", "t.row", "t.line", "line"),
        ("p/a.go", "t.row", "t.Line", "Line"),
        ("a.c", "box->width", "box->breadth", "breadth"),
        ("till.h", "} box_t;", "} crate_t;", "box_t"),
        ("p/Deque.java", "return 1", "return fallback", "fallback"),
        ("A/Rules.php", "class Rules", "class Laws", "Rules"),
        ("Shown.php", "function show", "function display", "show"),
        ("a.c", "int Limit", "int Bound", "Limit"),
        ("till.rb", "MIME_TYPE =", "KIND =", "MIME_TYPE"),
        ("a.c", "\treturn n;", "\treturn n + fallback_limit;", "fallback_limit"),
    ],
)
def test_a_member_that_nothing_declares_is_told(path, old, new, name):
    assert f"`{name}`" in told(path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new", "more"),
    [
        ("Till.php", ", $found)", ")", {}),  # preg_match sets it
        ("Till.php", "log($value", "log($given", {"b.php": "<?php function tell(&$value) {}"}),
        ("Till.php", "class Till", "class Till extends Vendor", {}),
        (
            "Till.php",
            "$one = 1;",
            "$one = 1; read($spare); echo $spare;",
            {"b.php": "<?php\nfunction read(&$v) {}"},
        ),
        ("Till.php", "$one = 1;", "$one = 1; echo $spare ?? 2;", {}),
        ("Till.php", "$one = 1;", "$one = 1; $x = array_map(fn($q) => $q, []);", {}),
        ("Till.php", "$one = 1;", "foreach ([] as [$k, $v]) { echo $k, $v; } $one = 1;", {}),
        (
            "render.c",
            "render_all(int n)",
            "draw_all(int n)",
            {"b.c": "int render_all(int n) { return 2; }\n"},
        ),
        ("Shown.php", "function extra", "function other", {}),
        ("p/Deque.java", "return 1", "return modCount", {}),
        ("Kid.php", "$this->name", "$this->label", {}),  # the class above may have it
        ("till.ts", "this.total +", "this.toString().length +", {}),
        ("till.ts", "value.timeout", "value.timeouts", {}),  # ends of words are changed on purpose
        ("till.ts", "value.timeout", "value.limit", {}),
        ("src/till.rs", "fn shown(&self) -> u32 { self.shown() }", "", {}),
        ("src/till.rs", "fn of", "fn from_sum", {"src/more.rs": "impl Till { fn of(n: u32) {} }"}),
        ("till.rb", "MIME_TYPE =", "SHARED =", {"b.rb": "MIME_TYPE = 2\n"}),
        ("a.c", "\treturn n;", "\treturn odd_call(n);", {}),
        ("a.c", "\treturn n;", "\treturn n + till_rows;", {"more.h": "int till_rows;"}),
    ],
)
def test_what_may_be_declared_elsewhere_is_not_told(path, old, new, more):
    assert told(path, old, new, **more) == ""


def test_a_trait_is_used_and_a_namespace_declares_nothing():
    text = b"<?php\nnamespace Own\\Shop;\nuse Own\\Till;\nclass A implements Shop { use Help, Till; }\n"
    names = plain_names("PHP", parser("PHP").parse(text).root_node)
    assert {name for name, _, _ in names.used} == {"Shop", "Help", "Till"}
    assert names.declared & {"Shop", "Help", "Till"} == {"Till"}


def test_names_with_digits_are_names():
    root = (
        parser("TypeScript")
        .parse(b"function f(error: H3Error) { return new S3Client(error) }")
        .root_node
    )
    assert {name for name, _, _ in plain_names("TypeScript", root).used} >= {"H3Error", "S3Client"}


def test_slips_are_inside_of_words():
    slips = [
        ("lenght", "length"),
        ("unwarp", "unwrap"),
        ("timout", "timeout"),
        ("tiemout", "timeout"),
    ]
    assert all(is_inner_slip(*each) for each in slips)
    meant = [
        ("getID", "getId"),
        ("utf16", "utf32"),
        ("rows", "row"),
        ("on_load", "onload"),
        ("map", "mop"),
    ]
    assert not any(is_inner_slip(*each) for each in meant)


OWN = "class A:\n    def __init__(self, name):\n        self._name = name\n\n    def f(self, other):\n        return self._name + other.length\n"


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("self._name = name", "self.label = name", "`_name`"),
        ("other.length", "other.lenght", "`lenght`"),
        ("self._name + other", "self._title + other", "`_title`"),
        ("other.length", "other.size", ""),
        ("self._name = name", "setattr(self, 'x', name)", ""),
    ],
)
def test_members_of_python(old, new, name):
    files = {"a.py": OWN, "b.py": "print(x.length)\n"}
    change = ChangedPython(
        {"a.py": OWN}, {"a.py": OWN.replace(old, new)}, {"a.py": "a.py"}, {"a.py": ((1, 9),)},
        frozenset(("a.py",)), lambda path: files.get(path, ""),
        lambda word: [path for path, text in files.items() if word in text],
    )  # fmt: skip
    said = "\n".join(each.message for each in compare(change))
    assert name in said if name else not said
