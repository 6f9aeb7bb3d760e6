"""Finds which items of a failing batch are to blame, with few trials. Pure but for the trial it is given.

``k`` bad ones of ``N`` take at most ``k * (ceil(log2 N) + 1) + 1`` trials, the first of the whole batch included,
and one more for each whose guilt was only inferred: nobody is blamed who passes alone. Items that fail only together
come out as one group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

Trial = Callable[[Sequence[str]], bool]
"""Whether these items alone, on the clean tree, pass the verification."""


class Isolated(NamedTuple):
    """What came of a batch."""

    good: tuple[str, ...]
    """Together they pass."""
    bad: tuple[tuple[str, ...], ...]
    """Groups that fail; most hold one item."""
    trials: int


def isolate(items: Sequence[str], passes: Trial, *, failed: bool = False) -> Isolated:
    """Part a batch into what passes together and who is to blame; ``failed``: the whole is known to fail."""
    return _Search(items, passes).run(failed)


class _Search:
    def __init__(self, items: Sequence[str], passes: Trial) -> None:
        self._left = list(items)
        self._passes = passes
        self._cleared: set[str] = set()
        self._bad: list[tuple[str, ...]] = []
        self.trials = 0

    def run(self, failed: bool) -> Isolated:
        ok = not failed and self._try(self._left)
        while self._left and not ok:
            group = self._one_group()
            self._bad.append(group)
            self._left = [item for item in self._left if item not in group]
            ok = not self._left or self._try(self._left)
        return Isolated(tuple(self._left), tuple(self._bad), self.trials)

    def _try(self, items: Sequence[str]) -> bool:
        self.trials += 1
        return self._passes(items)

    def _one_group(self) -> tuple[str, ...]:
        """One item, or items that fail together; what is left fails as a whole."""
        suspects = [item for item in self._left if item not in self._cleared]
        fails = len(self._left) == len(suspects)  # whether the suspects alone are known to fail
        while len(suspects) > 1:
            half = suspects[: len(suspects) // 2]
            fails = not self._try(half)
            if fails:
                suspects = half
            else:
                self._cleared.update(half)
                suspects = suspects[len(half) :]
        if suspects and (fails or not self._try(suspects)):
            return tuple(suspects)
        self._cleared.update(suspects)
        return self._together()

    def _together(self) -> tuple[str, ...]:
        """The fewest that fail together, found one by one: each is the last of the shortest failing prefix."""
        found: list[str] = []
        pool = list(self._left)
        while True:
            low, high = 0, len(pool)  # pool[:low] with the found ones passes, pool[:high] fails
            while high - low > 1:
                middle = (low + high) // 2
                if self._try([*pool[:middle], *found]):
                    low = middle
                else:
                    high = middle
            found.append(pool[high - 1])
            pool = pool[: high - 1]
            if not pool or not self._try(found):
                return tuple(found)
