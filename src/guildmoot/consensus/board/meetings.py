"""Positions under different scopes that speak of one thing, told by the rare words that they share.

Most engineers who contradict each other name the thing in words of their own and use no words that oppose. What
they do share is a rare word or two. Two positions meet when each shares more of such words with the other than with
anything else that the other's engineer says. Whether they contradict nobody knows: about two pairs of three do.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from guildmoot.consensus.board.positions import BoardPosition

LEAST = 2.0
"""Least weight of the words that are shared: two words, or one that hardly anybody else uses."""
MOST_POSITIONS = 300
"""Positions that are compared; a longer board is left to its scopes."""


def meetings(
    positions: Sequence[BoardPosition], words: Sequence[frozenset[str]]
) -> Iterator[tuple[BoardPosition, BoardPosition]]:
    """Each pair that meets; ``words`` are what each position speaks of."""
    if len(positions) > MOST_POSITIONS:
        return
    roots = [frozenset(map(_root, each)) for each in words]
    used = Counter(word for each in roots for word in each)
    weight = {word: math.log(1 + len(positions) / count) for word, count in used.items()}
    scores: dict[tuple[int, int], float] = {}
    best: defaultdict[tuple[int, str], float] = defaultdict(float)
    for i, j in combinations(range(len(positions)), 2):
        a, b = positions[i], positions[j]
        if a.engineer == b.engineer:
            continue
        score = scores[i, j] = sum(weight[word] for word in roots[i] & roots[j])
        best[i, b.engineer] = max(best[i, b.engineer], score)
        best[j, a.engineer] = max(best[j, a.engineer], score)
    for (i, j), score in scores.items():
        a, b = positions[i], positions[j]
        if score >= LEAST and score == best[i, b.engineer] == best[j, a.engineer]:
            yield a, b


def _root(word: str) -> str:
    """ "stor" and "storag" are one word: the first five letters tell it."""
    return word[:5] if word.isalpha() else word
