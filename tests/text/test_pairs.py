"""What must pair up is counted outside of literals, before and after, and in linear time."""

import time

import pytest

from guildmoot.text.pairs import is_nonsense, is_uneven

EVEN = [
    ("Ruby", "def f\n  return 1 if a\n  x = if b then 1 else 2 end\n  while c do\n  end\nend\n"),
    ("Shell", "case $a in\n  b) echo '(' ;;\nesac\nfor x in 1; do echo $#; done\n"),
    ("Rust", "fn f<'a>(x: &'a str) -> char { '{' }\n"),
    ("JavaScript", "const a = /[({]/; const b = `(${c}`; // (\n"),
    ("Lua", "-- end\nif a then b([[ ( ]]) end\n"),
    ("Elixir", "def f(a), do: a\ndefmodule A do\n  fn -> 1 end\nend\n"),
    ("HTML", "<div><br><p>it's {% if a < b %}</div>\n"),
]


@pytest.mark.parametrize(("language", "text"), EVEN)
def test_what_pairs_up(language: str, text: str) -> None:
    assert not is_uneven(language, text)
    assert not is_uneven(language, text + "x\n", text)


@pytest.mark.parametrize(("language", "text"), EVEN)
def test_what_a_change_cut_out_of_it_is_seen(language: str, text: str) -> None:
    assert is_uneven(language, text[: len(text) // 2], text)
    assert is_uneven(language, text.partition("\n")[2] + "x\n", text + "{ do (\n")


def test_a_line_that_makes_no_sense() -> None:
    assert is_nonsense("TypeScript", "const a: = 1;")
    assert is_nonsense("Go", "fucn f() {}")
    assert not is_nonsense("TypeScript", "  <U>(f: (s: S) => U): U")
    assert not is_nonsense("TSX", '<a b="c=;">')


@pytest.mark.parametrize("piece", ["/*", "<<A\n", '"""', "(/[", "<a ", "def ", "<!--", "[[", "'\\"])
@pytest.mark.parametrize("language", ["JavaScript", "Shell", "Ruby", "Lua", "HTML", "Kotlin"])
def test_hostile_text_takes_no_time(language: str, piece: str) -> None:
    begun = time.process_time()
    is_uneven(language, piece * 20_000, "x")
    assert time.process_time() - begun < 5
