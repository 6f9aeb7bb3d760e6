"""Who holds a word is told as git tells it."""

import pytest

from guildmoot.agents.references import corpus
from guildmoot.agents.references.corpus import Corpus

FILES = {
    "a": b"one two\n",
    "b": b"ones, one_more; someone",
    "c": b"",
    "d": b"(one)",
    "e": "one\u00e9 und einé".encode(),
    "f": b"ones\none",
}


@pytest.mark.parametrize("most", [0, 2, 1000])
def test_whole_words_alone_count(monkeypatch, most) -> None:
    monkeypatch.setattr(corpus, "_MOST_PARTS", most)
    held = Corpus(FILES.items())
    assert held.users("one") == ["a", "d", "e", "f"]
    assert held.users("two") == ["a"]
    assert held.users("more") == held.users("") == held.users("zwei") == []
    assert Corpus([]).users("one") == []
