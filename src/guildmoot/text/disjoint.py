"""Numbers that belong together, directly or through others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable


class DisjointSets:
    """Union-find; each set goes by its least number."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, number: int) -> int:
        """The same number for all that belong together."""
        while (up := self._parent.get(number, number)) != number:
            self._parent[number] = self._parent.get(up, up)
            number = up
        return number

    def join(self, one: int, other: int) -> None:
        """Put the sets of two numbers together."""
        low, high = sorted((self.find(one), self.find(other)))
        self._parent[high] = low

    def sets(self, numbers: Iterable[int]) -> list[list[int]]:
        """The numbers by set, sets and members in the order in which they come."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for number in numbers:
            found[self.find(number)].append(number)
        return list(found.values())
