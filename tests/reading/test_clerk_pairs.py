"""What a clerk's answer on a pair is worth: its quotes must be said, and enough to carry it."""

import json

import pytest

from guildmoot.reading.clerk.pairs import AskedPair, PairAnswer, read_answers, swapped

LONG = "Put every session into the Redis cluster that we run"


@pytest.mark.parametrize(
    ("text", "quote", "counts"),
    [
        (LONG, "Redis", False),
        (LONG, "the Redis cluster", False),
        (LONG, "into the redis cluster", True),
        (LONG, LONG, True),
        (LONG, "into the Postgres cluster", False),
        ("Use Redis.", "Use", False),
        ("Use Redis.", "use redis", True),
        ("Cookies", "cookies", True),
        ("Keep signed cookies only", "signed cookies", True),
        (LONG, "", False),
        ("", "", False),
    ],
)
def test_a_quote_is_all_of_it_or_four_words_or_half(text: str, quote: str, counts: bool) -> None:
    for sides in ((text, "Cookies"), ("Cookies", text)):
        quotes = [quote if each == text else "Cookies" for each in sides]
        row = {"number": 1, "answer": "contradict", "quote_a": quotes[0], "quote_b": quotes[1]}
        pair = AskedPair("store", sides[0], "store", sides[1])
        told = (PairAnswer(True, heard=True) if counts else PairAnswer(),)
        assert read_answers(json.dumps({"pairs": [row]}), [pair]) == told
        assert read_answers(json.dumps({"pairs": [row]}), [swapped(pair)]) == told


def test_unclear_is_an_answer_and_two_answers_are_none() -> None:
    pair = AskedPair("store", "Use Redis", "store", "Use cookies")
    rows = [{"number": 1, "answer": "unclear", "quote_a": "", "quote_b": ""}]
    assert read_answers(json.dumps({"pairs": rows}), [pair]) == (PairAnswer(None, heard=True),)
    quotes = {"quote_a": "use redis", "quote_b": "use cookies"}
    rows = [{"number": 1, "answer": word, **quotes} for word in ("contradict", "compatible")]
    assert read_answers(json.dumps({"pairs": rows}), [pair]) == (PairAnswer(None, heard=True),)
    assert read_answers("I cannot tell.", [pair]) == (PairAnswer(),)
