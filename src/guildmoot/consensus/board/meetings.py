"""Positions that speak of one thing, told by the rare words that they share.

Most engineers who contradict each other name the thing in words of their own and use no words that oppose. What
they do share is a rare word or two, above all in what they call it; or they name amounts of one kind, or members of
one class (two databases). Two positions meet when each shares more of such
words with the other than with anything else that the other's engineer says. Whether they contradict nobody knows.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from guildmoot.consensus.board.positions import BoardPosition
from guildmoot.text.amounts import split_amounts
from guildmoot.text.english import content_stems
from guildmoot.text.opposed.classes import members

LEAST = 0.9
"""Least weight of the words that are shared: one that few others use, or several."""
_UNNAMED = 0.6
"""The same where one names no scope, and so has fewer words to share."""
_UNLIKE_QUESTIONS = 2.0
"""The same of answers to two questions, of which several engineers answer one."""
_WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_][\w-]*|%")
MOST_POSITIONS = 300
"""Positions that are compared; a longer board is left to its scopes."""


def meetings(
    positions: Sequence[BoardPosition],
) -> Iterator[tuple[BoardPosition, BoardPosition, float]]:
    """Each pair that meets, with the weight of what it shares."""
    if len(positions) > MOST_POSITIONS:
        return
    scores = dict(_scores(positions))
    asked = _shared_questions(positions)
    best: defaultdict[tuple[int, str], float] = defaultdict(float)
    for (i, j), score in scores.items():
        for one, other in ((i, j), (j, i)):
            place = one, positions[other].engineer
            best[place] = max(best[place], score)
    for (i, j), score in scores.items():
        a, b = positions[i], positions[j]
        apart = a.scope != b.scope and bool(a.answer and b.answer)
        apart = apart and not asked.isdisjoint((a.scope, b.scope))
        named = a.own_scope and b.own_scope
        least = _UNLIKE_QUESTIONS if apart else LEAST if named else _UNNAMED
        if score >= least and score == best[i, b.engineer] == best[j, a.engineer]:
            yield a, b, score


def _shared_questions(positions: Sequence[BoardPosition]) -> frozenset[str]:
    """Scopes that several engineers answer: who gives an answer and means one of these mostly names it."""
    spoke = Counter(scope for _, scope in {(each.engineer, each.scope) for each in positions})
    return frozenset(scope for scope, count in spoke.items() if count > 1)


def _scores(positions: Sequence[BoardPosition]) -> Iterator[tuple[tuple[int, int], float]]:
    """The weight of what two share; a word of a scope counts up to twice, one that two alone use is 1."""
    scopes = [_roots(each.own_scope) for each in positions]
    words = [_roots(each.text) | scope for each, scope in zip(positions, scopes, strict=True)]
    used = Counter(word for each in words for word in each)
    unit = math.log(1 + len(positions) / 2)
    weight = {word: math.log(1 + len(positions) / count) / unit for word, count in used.items()}
    for i, j in combinations(range(len(positions)), 2):
        if positions[i].engineer != positions[j].engineer:
            yield (
                (i, j),
                math.fsum(  # the same in whichever order the words come
                    weight[word] * (1 + ((word in scopes[i]) + (word in scopes[j])) / 2)
                    for word in words[i] & words[j]
                ),
            )


@functools.lru_cache(maxsize=4096)
def _roots(text: str) -> frozenset[str]:
    """ "stor" and "storag" are one word: the first five letters tell it. Amounts and classes count as words, too."""
    words = _WORD.findall(text.casefold())
    kinds = (f"#{each.kind}" for each in split_amounts(words)[1] if each.kind != "number")
    named = (f"={name}" for _, meant in members(words) for name, _ in meant)
    plain = (word[:5] if word.isalpha() else word for word in content_stems(text))
    return frozenset((*plain, *kinds, *named))
