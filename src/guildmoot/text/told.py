"""Which sentences say something that was not told yet, by their words: for reports that say everything once."""

from __future__ import annotations

import re

from guildmoot.text.recall import words_of

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)")
LEAST_WORDS = 4
"""A sentence with fewer words of its own is a heading, or said in passing."""
_TOLD = 0.75
"""Share of a sentence's words that were told before when it says nothing new."""


def sentences(text: str) -> list[str]:
    """The text at its full stops."""
    return _SENTENCE.split(text.strip())


def is_new(sentence: str, told: frozenset[str], least: int = LEAST_WORDS) -> bool:
    """Whether the sentence holds enough that is not among the words ``told``, see ``words_of``."""
    words = set(words_of(sentence))
    return len(words) >= least and len(words & told) < _TOLD * len(words)


def words_told(*texts: str) -> frozenset[str]:
    """The words of texts that were shown already."""
    return frozenset(words_of(" ".join(texts)))
