"""What a section decides: the fenced block, JSON, and prose when there is neither."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.reading.decisions import (
    MOST,
    is_prose,
    read_absence,
    read_decisions,
    write_absence,
)
from guildmoot.reading.stands.stated import StatedDecision

BLOCK = """I thought about it.

```decisions
- scope: session store
  stance: adopt
  text: Store sessions in Redis
  cited: docs/load.md; round 1, colleague 2
- scope: expiry
  stance: open
  text: How long may a session live?
  cited: none
```
"""


def test_the_fenced_block_is_read_field_by_field() -> None:
    assert read_decisions(BLOCK) == (
        StatedDecision(
            "session store",
            "adopt",
            "Store sessions in Redis",
            ("docs/load.md", "round 1, colleague 2"),
        ),
        StatedDecision("expiry", "open", "How long may a session live?"),
    )


def test_a_question_its_choice_and_what_it_rules_out_are_read() -> None:
    rows = "- scope: sessions\n  question: Where are sessions stored?\n  choice: Redis\n"
    rows += "  stance: adopt\n  rejects: signed cookies; JWT\n"
    (found,) = read_decisions(f"```decisions\n{rows}```\n")
    assert (found.scope, found.answer) == ("Where are sessions stored?", "Redis")
    assert found.rejects == ("signed cookies", "JWT")


def test_the_last_block_counts_when_an_engineer_gives_two() -> None:
    later = "```decisions\n- scope: a\n  stance: reject\n  text: b\n```\n"
    assert [each.scope for each in read_decisions(BLOCK + later)] == ["a"]


def test_prose_around_a_block_adds_nothing() -> None:
    assert len(read_decisions(f"We should also rewrite it in Rust.\n\n{BLOCK}")) == 2


def test_json_is_read_as_well() -> None:
    text = '```json\n{"decisions": [{"scope": "cache", "stance": "against", "text": "Add one", "cited": ["a", "b"]}]}\n```'
    assert read_decisions(text) == (StatedDecision("cache", "reject", "Add one", ("a", "b")),)


def test_a_section_that_is_the_block_alone_is_read() -> None:
    alone = BLOCK.split("\n\n", 1)[1]
    assert read_decisions(alone) == read_decisions(BLOCK)


def test_a_block_that_was_cut_off_keeps_what_was_whole() -> None:
    cut = BLOCK[: BLOCK.index("  stance: open")]
    assert read_decisions(cut)[0].text == "Store sessions in Redis"


def test_text_goes_on_in_the_next_line_and_citations_may_be_a_list() -> None:
    text = (
        "```decisions\n- scope: cache\n  stance: for\n  text: Add a cache\n    with a limit\n"
        "  cited:\n    - src/a.py:3\n    - a measurement\n```"
    )
    [found] = read_decisions(text)
    assert found == StatedDecision(
        "cache", "adopt", "Add a cache with a limit", ("src/a.py:3", "a measurement")
    )


def test_a_stance_that_is_no_known_word_is_the_choice_itself() -> None:
    text = "```decisions\n- scope: storage\n  stance: SQLite\n  text: one file\n```"
    assert read_decisions(text) == (StatedDecision("storage", "adopt", "SQLite: one file"),)


def test_another_fence_is_no_block() -> None:
    assert read_decisions("```python\nscope = 1\nstance = 2\n```\n") == ()


def test_lists_under_telling_headings_are_decisions() -> None:
    text = (
        "## Recommendations\n\n- **Storage:** use SQLite\n- Log to `stderr`\n\n"
        "## Rejected\n\n- a second database\n\n## Open questions\n\n1. Who pays?\n"
    )
    assert [(each.scope, each.stance, each.text) for each in read_decisions(text)] == [
        ("Storage", "adopt", "use SQLite"),
        ("stderr", "adopt", "Log to `stderr`"),
        ("a second database", "reject", "a second database"),
        ("Who pays?", "open", "Who pays?"),
    ]


def test_sentences_that_recommend_advise_against_or_ask_are_the_last_resort() -> None:
    text = "It is late. I recommend signed cookies. We should not add `Redis`. Who owns it?"
    assert [(each.stance, each.text) for each in read_decisions(text)] == [
        ("adopt", "signed cookies"),
        ("reject", "add `Redis`"),
        ("open", "Who owns it?"),
    ]


def test_quoted_lines_decide_nothing() -> None:
    assert read_decisions("My view follows.\n\n> I recommend a rewrite.\n\nIt is fine.") == ()


def test_a_section_that_says_nobody_answered_decides_nothing_and_can_be_told() -> None:
    section = write_absence("timeout", "no answer\nwithin 5 s")
    assert read_absence(section) == "timeout: no answer within 5 s"
    assert read_decisions(section) == ()
    assert read_absence("I have no answer.") == ""


def test_a_section_cannot_flood_the_board() -> None:
    text = "```decisions\n" + "- scope: a\n  stance: adopt\n  text: b\n" * 1000 + "```"
    assert len(read_decisions(text)) == MOST


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    for section in (text, f"```decisions\n{text}\n```", f"## Recommendations\n{text}"):
        for found in read_decisions(section):
            assert found.scope
            assert found.text
            assert "\n" not in found.text + found.scope


_WORDS = st.from_regex(r"[a-z]{2,8}( [a-z]{2,8}){0,4}", fullmatch=True)


@given(
    st.lists(
        st.tuples(_WORDS, st.sampled_from(["adopt", "reject", "option", "open"]), _WORDS),
        min_size=1,
        max_size=8,
    )
)
def test_what_is_written_in_the_asked_form_is_read_back(rows: list[tuple[str, str, str]]) -> None:
    body = "\n".join(f"- scope: {a}\n  stance: {b}\n  text: {c}" for a, b, c in rows)
    found = read_decisions(f"Well.\n\n```decisions\n{body}\n```\n")
    assert [(each.scope, each.stance, each.text) for each in found] == rows


def test_what_follows_do_not_is_no_part_of_what_is_rejected() -> None:
    [found] = read_decisions("Do not move it at all: make the import stream instead.")
    assert (found.stance, found.text) == ("reject", "move it at all")


def test_what_i_would_do_and_what_a_thing_must_do_are_recommendations() -> None:
    text = "I would use RabbitMQ. I would be surprised. Filters must live in the URL. If so, it must go."
    assert [(each.scope, each.text) for each in read_decisions(text)] == [
        ("use RabbitMQ", "use RabbitMQ"),
        ("Filters", "Filters must live in the URL"),
    ]


def test_an_item_that_says_reject_or_avoid_rejects() -> None:
    text = "## Position\n\n- Tokens: reject API keys in query strings\n- Avoid global state\n"
    assert [(each.stance, each.text) for each in read_decisions(text)] == [
        ("reject", "API keys in query strings"),
        ("reject", "global state"),
    ]


@pytest.mark.parametrize(
    ("section", "stances", "prose"),
    [
        ("Use Redis for sessions. Switches live in a file.", ["adopt", "adopt"], True),
        ("Use Redis for sessions. It feels right to me.", ["adopt"], True),
        ("Use Redis for sessions.\n\n## Open questions\n\n- Who pays?", ["adopt", "open"], True),
        ("## Recommendations\n\n- Use Redis for sessions", ["adopt"], False),
        (
            "Well.\n\n```decisions\n- scope: a\n  stance: adopt\n  text: Use it\n```",
            ["adopt"],
            False,
        ),
    ],
)
def test_sentences_are_read_beside_questions_and_are_known_to_be_prose(section, stances, prose):
    assert [each.stance for each in read_decisions(section)] == stances
    assert is_prose(section) == prose


@pytest.mark.parametrize(
    ("section", "read"),
    [
        ("My view:\n\n- WebSockets for all traffic\n- Poll every minute", ["WebSockets for all traffic", "Poll every minute"]),
        ("**Store.** Sessions live in Redis.\n\n**Ids**: the server makes them", ["Sessions live in Redis", "the server makes them"]),
        ("| Topic | Choice |\n|---|---|\n| ids | The server makes them. |", ["The server makes them"]),
        ("Nobody reads it, so I'd load it in an hourly batch.", ["load it in an hourly batch"]),
        ("Sessions live in Redis. Card numbers are never stored.", ["Sessions live in Redis", "Card numbers are never stored"]),
        ("To save battery, a device sends a reading every hour.", ["To save battery, a device sends a reading every hour"]),
    ],
)  # fmt: skip
def test_prose_takes_a_position_in_items_rows_led_paragraphs_and_plain_statements(section, read):
    assert [each.text for each in read_decisions(section)] == read


@pytest.mark.parametrize(
    "section",
    [
        "It is late. The list was long. I think that everybody knows it.",
        "This is fine. Redis is fast. We had outages in May.",
        "## Risks\n\n- Use of Redis doubles the cost\n- Keep in mind the outage",
    ],
)
def test_background_and_feelings_are_no_positions(section):
    assert read_decisions(section) == ()


def test_the_scope_of_a_row_or_a_led_paragraph_is_its_first_part():
    rows = "| ids | The server makes them. |\n\n**Store** Sessions live in Redis."
    assert [each.scope for each in read_decisions(rows)] == ["ids", "Store"]


def test_a_row_of_a_decision_table_decides_however_short_its_cell_is() -> None:
    table = (
        "| Topic | Decision |\n|---|---|\n| Pagination | Cursor-based |\n| Errors | RFC 9457 |\n"
    )
    found = [(each.scope, each.text) for each in read_decisions(table)]
    assert found == [("Pagination", "Cursor-based"), ("Errors", "RFC 9457")]


def test_a_short_cell_of_another_table_decides_nothing() -> None:
    assert read_decisions("| File | Lines |\n|---|---|\n| cart.py | 120 |\n") == ()


def test_a_choice_in_bold_stands_under_the_scope_that_its_heading_names() -> None:
    [found] = read_decisions("### Cache\n\n**Redis**, because it is shared.\n")
    assert (found.scope, found.text) == ("Cache", "Redis")
