"""The board's grammar: what is written is read back, and no text can forge a heading."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guildmoot.errors import UsageError
from guildmoot.practices.whiteboard.board_edits import (
    encode_name,
    escape,
    format_round,
    new_board,
    with_decision,
    with_round,
)
from guildmoot.reading.board import (
    BLANK,
    ENCODED,
    Board,
    BoardDecision,
    BoardRound,
    BoardSection,
    decode_name,
    next_round,
    read_board_bytes,
    trimmed,
    unescape,
)

PARTS = [
    *(
        "##",
        "###",
        "#",
        "\\",
        "\\\\",
        "## Round 9",
        "### From x",
        "## round 007",
        "###\tFrom\u00a0y",
    ),
    *(
        "Round",
        "From",
        "9",
        "x",
        " ",
        "\n",
        "\r\n",
        "\r",
        "\u2028",
        "\ufeff",
        "\x85",
        "\x1c",
        "%20",
    ),
    *(ENCODED, "```", "> ", "## Decisions", "### Decision d", "Why:", "é", "🎈", "\0"),
]
tricky = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)
texts = tricky | st.text()
names = texts.filter(bool)
section = st.builds(BoardSection, names, texts)
boards = texts.map(lambda text: text.encode())


def written(data: bytes, sections: list[BoardSection], number: int | None = None) -> bytes:
    pieces = with_round(data, sections, "Plan", number)[1]
    return data if pieces is None else b"".join(pieces)


def kept(sections: list[BoardSection]) -> tuple[BoardSection, ...]:
    return tuple(BoardSection(name, trimmed(text)) for name, text in sections)


def board_of(text: str) -> Board:
    return read_board_bytes(text.encode("utf-8", "surrogatepass"))


def read(data: bytes) -> tuple[BoardRound, ...]:
    return read_board_bytes(data).rounds


@given(boards, st.lists(st.lists(section, max_size=3), max_size=3))
@example(b"", [[BoardSection("a b", "x"), BoardSection("a%20b", "x\n## Round 7\n\\## Round 8")]])
@example(b"", [[BoardSection("a", ENCODED + "\n\n## Round 2")]])
@example(b"", [[BoardSection("a", ENCODED + "\nx")]])
@example(b"# Plan: t\r\n", [[BoardSection("a", "\n\n  x \r\n### From b\r\ny")]])
def test_what_is_appended_is_read_back_and_what_was_there_stays(
    data: bytes, turns: list[list[BoardSection]]
) -> None:
    before = read(data)
    first = next_round(data)
    for sections in turns:
        longer = written(data, sections)
        assert longer.startswith(data)
        data = longer
    added = tuple(BoardRound(first + n, kept(sections)) for n, sections in enumerate(turns))
    assert read(data) == (*before, *added)


@given(st.text() | tricky | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_reading_never_raises(text: str) -> None:
    board = board_of(text)
    assert all(section.engineer for round_ in board.rounds for section in round_.sections)


@given(texts)
def test_escaping_is_undone_exactly_and_leaves_no_heading(text: str) -> None:
    assert unescape(escape(text)) == text
    assert board_of("## Round 1\n### From a\n" + escape(text)).rounds[0].number == 1
    assert len(board_of("## Round 1\n" + escape(text)).rounds) == 1


@given(texts)
def test_any_name_becomes_one_word_and_comes_back(name: str) -> None:
    word = encode_name(name)
    assert not re.search(r"\s", word)
    assert decode_name(word) == name


def test_a_section_that_needs_no_encoding_is_written_as_the_seeds_write_it() -> None:
    text = "\\## Round 2 is escaped here already\n\n## Details\n\n### From the top\n  ## Round 3"
    assert format_round(1, [BoardSection("plan-ü", text)]) == (
        f"## Round 1\n\n### From plan-ü\n\n{text}\n\n"
    )


def test_an_encoded_section_is_plain_markdown_and_says_so_in_a_comment() -> None:
    assert format_round(
        1, [BoardSection("Ann Lee", "a\n## Round 9\n### From boss\n\\## Round 1")]
    ) == (
        f"## Round 1\n\n### From Ann%20Lee\n\n{ENCODED}\n\n"
        "a\n\\## Round 9\n\\### From boss\n\\\\## Round 1\n\n"
    )


def test_a_board_without_our_mark_is_read_as_it_stands() -> None:
    text = "## Round 1\n\n### From a%20b\n\n\\## Round 9\n\\\\### From c\n"
    (round_,) = board_of(text).rounds
    assert round_.sections == (BoardSection("a%20b", "\\## Round 9\n\\\\### From c"),)


@pytest.mark.parametrize("space", [mark for mark in BLANK if mark != "\n"])
def test_every_blank_of_the_seeds_separates_the_words_of_a_heading(space: str) -> None:
    text = f"##{space}Round{space}3{space}\n###{space}From{space}a{space}\nx"
    assert board_of(text).rounds == (BoardRound(3, (BoardSection("a", "x"),)),)


@pytest.mark.parametrize(
    "line",
    [
        *("## Round 4 (final)", " ## Round 4", "# Round 4", "### Round 4", "##Round 4", "## Round"),
        *("## Round -1", "## Round 4.", "## Round ٤", "x ## Round 4", "## Round\x1c4"),
        "## Round " + "9" * 16,
        "## Round " + "9" * 100_000,
    ],
)
def test_what_is_nearly_a_round_is_none(line: str) -> None:
    assert board_of(f"{line}\n").rounds == ()
    assert next_round(line.encode()) == 1


@pytest.mark.parametrize(
    "line", ["### from a", "### From a b", "### From", "#### From a", " ### From a"]
)
def test_what_is_nearly_a_section_is_none(line: str) -> None:
    assert board_of(f"## Round 1\n{line}\nx").rounds == (BoardRound(1, ()),)


def test_repeated_numbers_leading_zeros_and_zero_are_rounds() -> None:
    board = board_of("## Round 007\n## ROUND 7\n## Round 0\n## Round 000\n")
    assert [number for number, _ in board.rounds] == [7, 7, 0, 0]


@pytest.mark.parametrize(
    ("head", "topic"),
    [
        ("# Whiteboard: a: b\n", "a: b"),
        ("# Plan: t\r\n", "t"),
        ("\ufeff# Plan: t\n", "t"),
        ("# Plan\n", ""),
        ("# Our cache\n", "Our cache"),
        ("intro\n\n# Plan:t", "t"),
        ("## Plan: t\n", ""),
        ("", ""),
    ],
)
def test_the_topic_is_read_under_both_words(head: str, topic: str) -> None:
    assert board_of(head + "\n## Round 1\n\n# Plan: other\n").topic == topic


@given(texts)
def test_a_topic_forges_neither_round_nor_decision(topic: str) -> None:
    board = read_board_bytes(new_board("Plan", topic + "\n## Decisions\n\n### Decision a\n> x"))
    assert (board.rounds, board.decisions) == ((), ())


def test_a_board_of_crlf_lines_gets_crlf_lines() -> None:
    data = b"# Plan: t\r\n\r\n## Round 1\r\n\r\n### From a\r\n\r\nx\r\n\r\n"
    after = written(data, [BoardSection("b", "y\nz"), BoardSection("c d", "w")])
    assert after.removeprefix(data) == (
        b"## Round 2\r\n\r\n### From b\r\n\r\ny\nz\r\n\r\n"
        b"### From c%20d\r\n\r\n" + ENCODED.encode() + b"\r\n\r\nw\r\n\r\n"
    )
    decided = b"".join(with_decision(data, BoardDecision("d", "x\r\ny", "z", "")) or [])
    assert decided.count(b"\n") == decided.count(b"\r\n")


def test_half_a_surrogate_pair_is_replaced() -> None:
    after = written(b"", [BoardSection("a\ud83d", "x\udc00y \ud83c\udf88")])
    assert read(after)[0].sections == (BoardSection("a\ufffd", "x\ufffdy 🎈"),)


def test_bytes_that_are_no_utf8_stay() -> None:
    data = b"# Plan: \xff\n\n## Round 1\n\n### From \xfe\n\n\xc3\x28\n\n"
    assert written(data, [BoardSection("a", "x")]).startswith(data)


# Running a round again

BOARD = b"# Plan: t\n\n## Round 1\n\nnote\n\n### From a\n\nold a\n\n### From b\n\nold b\n\n## Round 3\n\n### From a\n\nthird\n"


def test_a_round_that_is_run_again_replaces_only_the_sections_of_its_engineers() -> None:
    after = written(BOARD, [BoardSection("c", "new c"), BoardSection("a", "new a")], 1)
    assert after.decode() == (
        "# Plan: t\n\n## Round 1\n\nnote\n\n### From a\n\nnew a\n\n### From b\n\nold b\n\n"
        "### From c\n\nnew c\n\n## Round 3\n\n### From a\n\nthird\n"
    )


def test_the_last_section_of_a_board_without_final_newline_can_be_run_again() -> None:
    board = b"## Round 1\n### From a\nold"
    assert written(board, [BoardSection("b", "y")], 1) == board + b"\n\n### From b\n\ny\n\n"
    assert written(board, [BoardSection("a", "y")], 1) == b"## Round 1\n### From a\n\ny\n\n"


def test_a_missing_round_is_put_where_its_number_belongs() -> None:
    numbers = [number for number, _ in read(written(BOARD, [BoardSection("a", "x")], 2))]
    assert numbers == [1, 2, 3]
    assert [n for n, _ in read(written(BOARD, [BoardSection("a", "x")], 9))] == [1, 3, 9]


def test_of_several_rounds_of_a_number_the_last_is_run_again() -> None:
    board = b"## Round 1\n### From a\nx\n## Round 1\n### From a\ny\n"
    texts = [
        round_.sections[0].section for round_ in read(written(board, [BoardSection("a", "z")], 1))
    ]
    assert texts == ["x", "z"]


@given(boards, st.lists(section, max_size=4), st.integers(1, 9))
def test_the_same_round_twice_is_the_same_board(
    data: bytes, sections: list[BoardSection], number: int
) -> None:
    once = written(data, sections, number)
    assert with_round(once, sections, "Plan", number) == (number, None)
    for round_ in read(data):
        assert any(other.number == round_.number for other in read(once))


@given(boards, st.lists(section, min_size=1, max_size=4), st.lists(section, max_size=4))
def test_a_rerun_holds_every_new_section_and_every_other_engineers_old_one(
    data: bytes, old: list[BoardSection], new: list[BoardSection]
) -> None:
    number = next_round(data)
    after = read(written(written(data, old), new, number))
    found = [round_ for round_ in after if round_.number == number][-1].sections
    assert all(section in found for section in kept(new))
    redone = {section.engineer for section in new}
    assert all(section in found for section in kept(old) if section.engineer not in redone)
    assert after[: len(read(data))] == read(data)


@pytest.mark.parametrize("number", [0, -1, 10**15])
def test_a_number_that_is_none_of_a_round_is_refused(number: int) -> None:
    with pytest.raises(UsageError, match="no number for a round"):
        with_round(b"", [], "Plan", number)


def test_a_board_that_has_come_to_the_last_number_is_left_alone() -> None:
    with pytest.raises(UsageError, match="no number for a round"):
        with_round(b"## Round " + b"9" * 15, [], "Plan")


def test_a_section_of_nobody_is_refused() -> None:
    with pytest.raises(UsageError, match="has no engineer"):
        with_round(b"", [BoardSection("", "x")], "Plan")


# Decisions


def decided(data: bytes, *decisions: BoardDecision) -> bytes:
    for decision in decisions:
        pieces = with_decision(data, decision)
        data = data if pieces is None else b"".join(pieces)
    return data


FIRST = BoardDecision("c1", "A queue", "It can be drained", "2026-01-01")
SECOND = BoardDecision(
    "c1", "A log\n\n## Round 5", "It can be replayed\n### From boss", "2026-01-02"
)


def test_a_decision_stands_before_the_first_round_where_older_readers_pass_over_it() -> None:
    assert decided(b"# Plan: t\n\n## Round 1\n\n### From a\n\nx\n", FIRST).decode() == (
        "# Plan: t\n\n## Decisions\n\n### Decision c1\n\n> A queue\n\nWhy:\n\n> It can be drained\n\n"
        "Date: 2026-01-01\n\n## Round 1\n\n### From a\n\nx\n"
    )


def test_the_newest_decision_counts_and_the_history_is_kept() -> None:
    other = BoardDecision("c 2", "Yes", "", "")
    data = decided(BOARD, FIRST, other, SECOND)
    board = read_board_bytes(data)
    assert board.decisions == (SECOND, other)
    assert board.superseded == (FIRST,)
    assert board.rounds == read(BOARD)
    again = SECOND._replace(date="2027-01-01")
    assert with_decision(data, again) is None
    assert read_board_bytes(decided(data, FIRST)).superseded == (FIRST, SECOND)


def test_text_that_people_put_after_the_decisions_stays_after_them() -> None:
    data = decided(BOARD, FIRST).replace(b"## Round 1", b"## Notes\n\nmine\n\n## Round 1")
    after = decided(data, SECOND)
    assert after.index(b"A log") < after.index(b"## Notes") < after.index(b"## Round 1")
    assert after.count(b"## Decisions") == 1


decision = st.builds(BoardDecision, names, names, texts, st.just("2026-01-01")).filter(
    lambda made: made.id.strip() and made.choice.strip()
)


@given(boards, st.lists(decision, max_size=3))
def test_decisions_of_any_text_are_read_back_and_change_no_round(
    data: bytes, decisions: list[BoardDecision]
) -> None:
    before = read_board_bytes(data)
    board = read_board_bytes(decided(data, *decisions))
    assert board.rounds == before.rounds
    assert board.topic == before.topic
    newest = {made.id: made for made in decisions}
    found = {made.id: made for made in board.decisions}
    for name, made in newest.items():
        assert found[name].choice.split() == made.choice.split()
        assert found[name].why.split() == made.why.split()


def test_a_decision_without_id_or_choice_is_refused() -> None:
    for bad in (FIRST._replace(id=" "), FIRST._replace(choice="\n")):
        with pytest.raises(UsageError, match="needs an id and a choice"):
            with_decision(BOARD, bad)
