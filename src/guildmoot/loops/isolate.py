"""Finds which items of a failing batch are to blame, with few trials. Pure but for the trial it is given.

Nobody is blamed who passes alone, what is called good has passed together, and items that fail only together come
out as one group. That has a price: blame needs a trial of the item alone, the good ones need one of their own, and
both can tell hardly anything else. So one bad item of N takes ``ceil(log2 N) + 3`` trials in the worst case, that of
the whole batch included: one more than ``k * (ceil(log2 N) + 1) + 1``. No order of trials does better; a test plays
all of them for four items. For any k it is at most four more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

Trial = Callable[[Sequence[str]], bool]
"""Whether these items alone, on the clean tree, pass the verification."""


_SEVERAL = 2
"""Bad ones after which more are expected: then half of the rest is tried before the whole of it."""


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
        self._failing: list[str] = []
        """Some that are known to fail among themselves."""
        self.trials = 0

    def run(self, failed: bool) -> Isolated:
        fails = failed or not self._try(self._left)
        while fails:
            group = self._one_group()
            self._bad.append(group)
            self._left = [item for item in self._left if item not in group]
            fails = bool(self._left) and self._still_fails()
        return Isolated(tuple(self._left), tuple(self._bad), self.trials)

    def _still_fails(self) -> bool:
        suspects = self._suspects()
        if len(self._bad) >= _SEVERAL and len(suspects) > 2:
            half = suspects[: len(suspects) // 2]
            if not self._try(half):
                self._failing = half
                return True
            self._cleared.update(half)
        return not self._try(self._left)

    def _suspects(self) -> list[str]:
        return [item for item in self._left if item not in self._cleared]

    def _try(self, items: Sequence[str]) -> bool:
        self.trials += 1
        return self._passes(items)

    def _one_group(self) -> tuple[str, ...]:
        """One item, or items that fail together; what is left fails as a whole."""
        suspects = self._failing or self._suspects()
        fails = bool(self._failing) or len(self._left) == len(suspects)  # they alone are known to
        self._failing = []
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
