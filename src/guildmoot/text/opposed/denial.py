"""Whether one short statement denies another: the same words, and one of them with a "not".

Only the main clause counts, so "... if there are no items" denies nothing. What is denied in other words is missed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from guildmoot.text.english import ALL_STOP_WORDS, stem, word_set

_NEGATORS = word_set("""
absent cannot fail fails forgets lack lacking lacks misses missing neither never no nobody none nor not nothing omits
unable without kein keine keinen keiner nicht nie niemals ohne""")
_EMPTY = ALL_STOP_WORDS | word_set(
    "anybody exist exists real there properly correctly really das der die es ist sind wird werden"
)
_MAIN = re.compile(
    r"[:;.(](?=\s|$)|\s(?:-|[\u2013\u2014])\s|,\s|\s\(|"
    r"\b(?:after|because|before|but|if|instead|since|so|that|though|unless|until|when|where|whether|which|while|weil|wenn)\b",
    re.IGNORECASE,
)
"""Where the main clause ends."""
_ANSWER = re.compile(r"\s*(?:(?P<yes>yes|ja|doch)|(?P<no>no|nein))[,:.;!]\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_][\w+#/-]*")
_UNDONE = re.compile(r"un(?=\w{3,}(?:ed|able)$)")


def denies(first: str, second: str, *, exactly: bool = False) -> bool:
    """Whether one says that it is so and the other that it is not; ``exactly`` of the same, no more and no less."""
    answers = [_ANSWER.match(text) for text in (first, second)]
    if answers[0] and answers[1] and not exactly:
        return answers[0].lastgroup != answers[1].lastgroup
    (one, one_not), (other, other_not) = _claim(first), _claim(second)
    few, many = sorted((one, other), key=len)
    if one_not == other_not or not few:
        return False
    return few == many if exactly else few <= many and len(many) <= 2 * len(few)


def aside(text: str) -> str:
    """What follows the main clause, which is all that ``denies`` compares: a condition, a place, a reason."""
    found = _MAIN.search(text, (said.end() if (said := _ANSWER.match(text)) else 0))
    return text[found.start() :] if found else ""


def part_denied(titles: Sequence[str]) -> list[list[int]]:
    """The numbers of titles in the sides that they take: nobody stands with whom they deny."""
    sides: list[list[int]] = []
    for number, title in enumerate(titles):
        for side in sides:
            if not any(denies(title, titles[other]) for other in side):
                side.append(number)
                break
        else:
            sides.append([number])
    return sides


@functools.lru_cache(maxsize=4096)
def _claim(text: str) -> tuple[frozenset[str], bool]:
    """The words of the main clause as stems, and whether it is denied."""
    plain = text.casefold().replace("n't", " not").replace("n\u2019t", " not")
    said = _WORD.findall(_MAIN.split(_ANSWER.sub("", plain).strip(), maxsplit=1)[0])
    undone = [_UNDONE.sub("", word) for word in said]
    negations = sum(word in _NEGATORS for word in said) + sum(
        word != bare for word, bare in zip(said, undone, strict=True)
    )
    words = (stem(word) for word in undone if word not in _NEGATORS and word not in _EMPTY)
    return frozenset(words), bool(negations % 2)
