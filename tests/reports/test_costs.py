"""The cost of a run, for people and programs."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.model.call import Usage
from guildmoot.model.report import SeatCost
from guildmoot.reports.console import Console
from guildmoot.reports.costs import (
    cost_json,
    cost_line,
    cost_sentences,
    money,
    total_cost,
)
from guildmoot.reports.document import Document, Screen, Table
from guildmoot.reports.markdown import to_markdown
from guildmoot.reports.sections import cost
from guildmoot.reports.sections import cost as section
from guildmoot.reports.terminal import print_document

WRITER = SeatCost(
    "security", Usage(100_000, 800, 0, 99_000, 1), 0.387, 12.34, "claude-sonnet-4-5", -0.074
)
READER = SeatCost(
    "performance", Usage(100_100, 900, 99_000, 0, 1), 0.0467, 4.2, "claude-sonnet-4-5", 0.267
)
TOOL = SeatCost("ruff", None, 0.0, 0.1)
MYSTERY = SeatCost("oracle", Usage(5_000, 100), None, 3.0, "new-model")


def table(costs, screen=None):
    """The rows of the cost section as plain cells."""
    return next(block for block in cost(costs, screen) if isinstance(block, Table)).rows


def test_each_seat_has_a_row_and_then_comes_the_total_and_what_the_cache_saved():
    _, rows, said = cost([WRITER, READER, TOOL], Screen())
    assert rows.rows == (
        ("security", "100,000", "0", "800", "$0.39", "12 s"),
        ("performance", "100,100", "99,000", "900", "$0.0467", "4.2 s"),
    )
    assert said.items == (
        "Total $0.43.",
        "99,000 of 200,100 input tokens came from the prompt cache, which saved $0.19 (31%).",
        "1 judge ran no model.",
    )


def test_a_seat_without_a_known_cost_is_named_and_not_taken_for_free():
    assert total_cost([WRITER, MYSTERY]).unknown == ("oracle",)
    assert cost_sentences([WRITER, MYSTERY])[0] == (
        "At least $0.39; the cost is not known of: oracle. [prices] in guild.toml gives a price."
    )
    assert "unknown" in table([MYSTERY])[0]


def test_a_seat_that_told_nothing_of_its_use_still_has_a_row():
    (row,) = table([SeatCost("claude", None, None, 120.0)], Screen())
    assert row == ("claude", "-", "-", "-", "unknown", "2 min")


def test_a_cache_that_did_not_pay_says_so():
    said = cost_sentences([WRITER])[1]
    assert said.endswith("writing it cost $0.0740 more than it saved.")


def test_a_panel_of_tools_has_no_costs_to_show():
    assert [*cost([TOOL], None)] == []
    assert cost_json([TOOL])["total"]["cost_usd"] == 0


@given(
    st.integers(0, 99_999_999),
    st.integers(0, 9_999_999),
    st.floats(0, 99_999) | st.none(),
    st.floats(0, 86_399),
)
def test_numbers_keep_apart_and_within_80_columns(tokens, output, usd, seconds):
    cost = SeatCost("a-judge-of-20-letter", Usage(tokens, output, tokens), usd, seconds)
    out = io.StringIO()
    document = Document("", tuple(section([cost], Screen())))
    print_document(document, Console(file=out, width=80))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[3].split()[1:5] == [f"{tokens:,}", f"{tokens:,}", f"{output:,}", money(usd)]


def test_markdown_names_the_model_and_no_name_breaks_the_table():
    costs = [READER, MYSTERY._replace(seat="a|b", model="<b>x</b>")]
    text = to_markdown(Document("", tuple(cost(costs, None))))
    rows = text.split("\n\n")[1].splitlines()
    assert rows[0] == "| Judge | Model | Input | Cached | Output | Cost | Time |"
    assert "| claude-sonnet-4-5 |" in rows[2]
    assert rows[3].startswith(r"| a\|b | &lt;b&gt;x&lt;/b&gt; | 5,000 |")
    assert "\n- At least" in text


def test_a_cost_that_nobody_knows_is_unknown_and_never_nothing():
    assert cost_sentences([MYSTERY])[0].startswith(
        "Total unknown: the cost is not known of: oracle."
    )
    assert cost_line([MYSTERY, TOOL]) == "cost unknown"
    assert cost_line([WRITER, MYSTERY]) == "cost at least $0.39"
    assert cost_line([WRITER]) == "cost $0.39"
    assert cost_line([TOOL]) == ""


def test_programs_get_every_figure():
    found = json.loads(json.dumps(cost_json([WRITER, READER, MYSTERY])))
    assert found["seats"][1] == {
        "seat": "performance",
        "model": "claude-sonnet-4-5",
        "input_tokens": 100_100,
        "output_tokens": 900,
        "cache_read_tokens": 99_000,
        "cache_write_tokens": 0,
        "requests": 1,
        "cost_usd": 0.0467,
        "saved_by_cache_usd": 0.267,
        "seconds": 4.2,
    }
    assert found["seats"][2]["cost_usd"] is None
    total = found["total"]
    assert (total["input_tokens"], total["cache_read_tokens"]) == (205_100, 99_000)
    assert (total["cost_usd"], total["unknown"]) == (None, ["oracle"]), "a part is no total"
    assert total["known_usd"] == 0.4337
    assert (total["saved_by_cache_usd"], total["uncached_usd"]) == (0.193, None)


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (None, "unknown"),
        (0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.0123, "$0.0123"),
        (0.456, "$0.46"),
        (1234.5, "$1,234.50"),
    ],
)
def test_small_amounts_keep_their_digits(usd, shown):
    assert money(usd) == shown
