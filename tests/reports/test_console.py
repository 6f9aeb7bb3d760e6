"""The console: nothing wider than asked for, no letter lost, styles only where they can be shown."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.reports.console import AnsiText, Console, cell_len

texts = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=120)


@given(
    st.lists(st.tuples(texts, st.sampled_from(("", "bold", "dim red"))), max_size=4),
    st.integers(4, 40),
)
def test_wrapped_rows_fit_and_lose_nothing_but_white_space(
    parts: list[tuple[str, str]], width: int
) -> None:
    text = AnsiText().add(*(AnsiText(*part) for part in parts))
    rows = text.wrap(width)
    assert all(row.cell_len <= width for row in rows)
    assert "".join("".join(row.plain for row in rows).split()) == "".join(text.plain.split())


@given(texts, st.integers(0, 40))
def test_a_cut_text_is_a_beginning_that_fits(text: str, width: int) -> None:
    short = AnsiText(text).truncate(width)
    assert text.startswith(short.plain)
    assert sum(map(cell_len, short.plain)) <= width


@pytest.mark.parametrize(
    ("text", "cells"),
    [("abc", 3), ("日本", 4), ("e\u0301", 1), ("⚠\ufe0f", 2), ("✓", 1), ("🎉", 2)],
)
def test_columns(text: str, cells: int) -> None:
    assert cell_len(text) == cells


def test_a_part_keeps_its_style_within_the_whole() -> None:
    text = AnsiText("a ", "dim").add(AnsiText("b", "bold"), "c")
    assert text.parts == [("a ", "dim"), ("b", "dim bold"), ("c", "dim")]
    assert text.cut(2).parts == text.parts[1:]


@pytest.mark.parametrize(
    ("environ", "shown"),
    [
        ({}, "x\n"),
        ({"FORCE_COLOR": "1"}, "\x1b[1;31mx\x1b[0m\n"),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "\x1b[1mx\x1b[0m\n"),
    ],
)
def test_colours_are_for_terminals_and_for_who_asks(environ: dict[str, str], shown: str) -> None:
    out = io.StringIO()
    Console(out, environ=environ).print(AnsiText("x", "bold red"))
    assert out.getvalue() == shown


@pytest.mark.parametrize(("said", "width"), [("120", 120), ("0", 80), ("wide", 80), ("", 80)])
def test_the_width_is_asked_for(said: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.get_terminal_size", _no_terminal)
    assert Console(io.StringIO(), environ={"COLUMNS": said}).width == width


def _no_terminal(handle: int) -> None:
    raise OSError(handle)
