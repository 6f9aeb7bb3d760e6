"""Members asked of what is written to be of a type of the crate, in Rust."""

from __future__ import annotations

import pytest

from guildmoot.agents.members.typed.losses import missing_items, missing_members
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

TILL = """use crate::rows::{Priced, Row};
use std::ops::Deref;

#[derive(Debug, Default)]
pub struct Till {
    pub rows: Vec<Row>,
    spare: Option<Box<Row>>,
}

impl Till {
    pub const MOST: usize = 9;

    pub fn new(rows: Vec<Row>) -> Self {
        Self { rows, spare: None }
    }

    pub fn load(path: &str) -> Result<Self, String> {
        Err(format!("{}", Self::MOST))
    }

    pub fn first(&self) -> Option<&Row> {
        self.rows.first()
    }

    pub fn print(&self) {
        println!("{}", self.spare.is_some());
    }
}

pub struct Guard(Till);

impl Deref for Guard {
    type Target = Till;
    fn deref(&self) -> &Till { &self.0 }
}

#[derive(Builder)]
pub struct Made { size: u8 }

pub struct Tokens;

impl Iterator for Tokens {
    type Item = u8;
    fn next(&mut self) -> Option<u8> { None }
}

impl Tokens {
    pub fn peek_one(&self) {}
}

pub struct Future<R> { at: R }

impl<R> Future<R> {
    pub fn made(at: R) -> Self { Future { at } }
}
"""
ROWS = """pub struct Row { pub price: u32 }

pub enum Kind { Cash, Card { fee: u32 } }

pub trait Priced {
    fn cost(&self) -> u32;
    fn twice(&self) -> u32 { self.cost() * 2 }
}

impl Priced for Row {
    fn cost(&self) -> u32 { self.price }
}

pub trait Shown { fn show(&self) {} }

impl<T> Shown for T {}

pub fn made(price: u32) -> Row {
    Row { price }
}
"""
USER = """use crate::rows::{self, Kind, Row};
use crate::till::{Guard, Made, Till, Tokens};

fn run(till: &Till, kind: Kind, guard: Guard, tokens: &Tokens) -> Result<(), String> {
    let mine = Till::load("a")?;
    mine.print();
    if let Some(row) = till.first() {
        row.cost();
    } else {
        row.other();
    }
    for each in &mine.rows {
        each.price;
    }
    let Row { price } = rows::made(1);
    match kind {
        Kind::Cash => guard.print(),
        Kind::Card { fee } => till.show(),
    }
    assert_eq!(Till::MOST, 9);
    Made::builder();
    tokens.peek_one();
    tokens.map(|each| each.anything);
    Ok(())
}

fn any<Till>(till: Till) { till.what(); }
"""
BASE = {"src/till.rs": TILL, "src/rows.rs": ROWS, "src/user.rs": USER}


def told(path: str, old: str, new: str) -> list[str]:
    assert old in BASE[path]
    change = ChangedCode(
        {path: BASE[path]},
        {path: BASE[path].replace(old, new, 1)},
        lambda name: BASE.get(name, ""),
        lambda word: [name for name, text in BASE.items() if word in text],
    )
    return [f"{each.path} {each.name}" for each in missing_members(change)]


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("src/till.rs", "fn load", "fn open", "src/user.rs load"),
        ("src/till.rs", "const MOST", "const LIMIT", "src/user.rs MOST"),
        ("src/till.rs", "fn first", "fn head", "src/user.rs first()"),
        ("src/till.rs", "pub rows:", "pub lines:", "src/user.rs rows"),
        ("src/till.rs", "spare: Option", "kept: Option", "src/till.rs spare"),
        ("src/till.rs", "self.spare.is", "self.sparre.is", "src/till.rs sparre"),
        ("src/till.rs", "fn peek_one", "fn peek", "src/user.rs peek_one()"),
        ("src/till.rs", "Self { rows, spare", "Self { rows, spares", "src/till.rs spares"),
        ("src/rows.rs", "pub price:", "pub sum:", "src/user.rs price"),
        ("src/rows.rs", "Cash,", "Coin,", "src/user.rs Cash"),
        ("src/rows.rs", "fn cost(&self) -> u32;", "fn worth(&self) -> u32;", "src/rows.rs cost"),
        ("src/user.rs", "Kind::Card {", "Kind::Cart {", "src/user.rs Cart"),
        ("src/user.rs", "mine.print()", "mine.prnt()", "src/user.rs prnt()"),
        ("src/user.rs", "row.cost()", "row.costs()", "src/user.rs costs()"),
        ("src/user.rs", "each.price", "each.prices", "src/user.rs prices"),
        ("src/user.rs", "let Row { price }", "let Row { cost: price }", "src/user.rs cost"),
        ("src/user.rs", "Till::load", "Till::read", "src/user.rs read"),
    ],
)
def test_a_member_that_a_written_type_does_not_have_is_told(path, old, new, expected):
    assert expected in told(path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/user.rs", "mine.print()", "mine.print(); mine.to_string(); Till::default()"),
        ("src/user.rs", "row.cost()", "row.twice()"),
        ("src/user.rs", "row.other()", "row.whatever()"),
        ("src/user.rs", "guard.print()", "guard.anything()"),
        ("src/user.rs", "till.show()", "mine.show()"),
        ("src/user.rs", "Made::builder()", "Made::build_from(1)"),
        ("src/user.rs", "each.anything", "each.something"),
        ("src/user.rs", "tokens.map(", "tokens.filter_map("),
        ("src/user.rs", "till.what()", "till.never()"),
        ("src/user.rs", "use crate::till::{Guard, Made, Till,", "use crate::till::{Guard, Made,"),
        ("src/user.rs", "Till, Tokens}", "Tokens};\nuse other::Till"),
        (
            "src/till.rs",
            "pub fn made(at: R)",
            "pub fn other() { Future::made(1); }\n    pub fn made(at: R)",
        ),
        ("src/till.rs", "pub fn print", "make_more!();\n    pub fn shown"),
        ("src/till.rs", "    pub fn print", "    pub fn more(&self) {}\n\n    pub fn print"),
    ],
)
def test_what_a_type_has_or_may_have_is_not_told(path, old, new):
    assert told(path, old, new) == []


ITEMS = {
    "src/lib.rs": "pub mod rows;\nmod till;\npub use rows::made;\n",
    "src/rows.rs": "pub fn made() {}\npub fn other() {}\npub(crate) const MOST: u8 = 1;\n",
    "src/all.rs": "pub use crate::rows::*;\n",
    "src/made.rs": "make_items!();\n",
    "src/till.rs": "use crate::{made, rows};\nuse super::rows::other;\nuse crate::all::more;\nuse crate::made::any;\n"
    "fn f() { rows::other(); let n = crate::rows::MOST; crate::shout!(); }\n",
    "src/loud.rs": "#[macro_export]\nmacro_rules! shout { () => {} }\n",
}


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("src/rows.rs", "fn other", "fn another", ["src/till.rs other"]),
        ("src/rows.rs", "const MOST", "const LIMIT", ["src/till.rs MOST"]),
        ("src/rows.rs", "fn made", "fn make", ["src/lib.rs made"]),
        ("src/till.rs", "rows::other()", "rows::othr()", ["src/till.rs othr"]),
        ("src/till.rs", "crate::{made, rows}", "crate::{maid, rows}", ["src/till.rs maid"]),
        ("src/till.rs", "all::more", "all::less", []),
        ("src/till.rs", "made::any", "made::one", []),
        ("src/till.rs", "crate::shout!()", "crate::shout!(1)", []),
        ("src/rows.rs", "fn other", "fn more() {}\npub fn other", []),
    ],
)
def test_an_item_that_a_module_does_not_have_is_told(path, old, new, expected):
    assert old in ITEMS[path]
    change = ChangedCode(
        {path: ITEMS[path]},
        {path: ITEMS[path].replace(old, new, 1)},
        lambda name: ITEMS.get(name, ""),
        lambda word: [name for name, text in ITEMS.items() if word in text],
    )
    assert [f"{each.path} {each.name}" for each in missing_items(change)] == expected


def test_a_file_that_takes_in_the_module_above_it_may_use_what_that_one_imports():
    base = {
        "src/lib.rs": "use {std::collections::BTreeSet};\nmod a;\n",
        "src/a.rs": "use super::*;\n",
    }

    def lost(text: str) -> list[str]:
        change = ChangedCode(
            {"src/a.rs": base["src/a.rs"]},
            {"src/a.rs": base["src/a.rs"] + text},
            lambda name: base.get(name, ""),
            lambda word: [name for name, said in base.items() if word in said],
        )
        return [each.message for each in lost_names(change)]

    assert lost("fn f(names: &BTreeSet<u8>) {}\n") == []
    assert "`BTreSet` is used here" in lost("fn f(names: &BTreSet<u8>) {}\n")[0]


SHOWS = """use crate::rows::Row;

fn show(row: &Row, rows: &[Row], one: Option<Row>) {
    println!("{}", row.price);
    assert_eq!(row.price, 1);
    let both = vec![row.price, 2];
    rows.iter().filter(|each| each.price > 1).count();
    one.map(|each| each.price);
    log!(told = row.price, "{}", row.price);
}
"""


def test_members_are_asked_for_in_macros_that_pass_values_on_and_in_closures():
    files = BASE | {"src/show.rs": SHOWS}
    rows = ROWS.replace("pub price: u32", "pub cost: u32")
    change = ChangedCode(
        {"src/rows.rs": ROWS},
        {"src/rows.rs": rows},
        lambda name: files.get(name, ""),
        lambda word: [name for name, held in files.items() if word in held],
    )
    found = [each.line for each in missing_members(change) if each.path == "src/show.rs"]
    assert found
    for line in (4, 5, 6, 7, 8):  # each of them alone, too
        files["src/show.rs"] = "\n".join(
            each if at in (0, 2, 9) or at == line - 1 else ""
            for at, each in enumerate(SHOWS.split("\n"))
        )
        alone = [each.line for each in missing_members(change) if each.path == "src/show.rs"]
        assert alone == [line]


def test_what_a_module_takes_in_for_itself_it_does_not_give_to_others():
    files = {
        "src/lib.rs": "mod dates;\nmod rows;\nuse {dates::shown, rows::*};\n",
        "src/dates.rs": "use super::*;\npub(crate) fn shown() {}\n",
    }
    for taken, count in (("use super::*;", 1), ("pub use super::*;", 0)):
        dates = files["src/dates.rs"].replace("use super::*;", taken)
        change = ChangedCode(
            {"src/dates.rs": dates},
            {"src/dates.rs": dates.replace("shown", "told")},
            lambda name: files.get(name, ""),
            lambda word: [name for name, held in files.items() if word in held],
        )
        assert len(list(missing_items(change))) == count


def test_a_macro_of_the_project_may_make_a_type_of_the_name_that_it_is_given():
    text = "fn f() -> u8 {\n    1\n}\n"
    more = text.replace("    1", "    made!(Shown(u8), 2);\n    Shown(1).0")
    for after, count in ((more, 0), (more.replace("made!", "assert!"), 1)):
        change = ChangedCode(
            {"src/a.rs": text}, {"src/a.rs": after}, lambda name: "", lambda word: []
        )
        assert len({each.message for each in lost_names(change)}) == count
