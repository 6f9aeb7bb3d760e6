"""Finds which items of a failing batch are to blame, with few trials. Pure but for the trial it is given.

k bad items of N are found with at most ``k * (ceil(log2 N) + 1) + 1`` trials: one of the whole batch, for each bad item
a search by halves, and one of what is left without it, the last of which proves the good ones together. Nobody is
blamed who passes alone: an item that was found because the other half passed is tried once by itself, which is its
evidence. Those are counted apart: no order of trials that holds the bound can tell such an item from a pair that fails
only together (a test plays all of them for four items). A pair comes out as one group.
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
    """Of the search, with that of the whole batch."""
    alone: int = 0
    """Of one item by itself, before it is blamed."""
    flips: bool = False
    """The same items passed and failed: nobody is to blame for that."""


def most_trials(items: int, bad: int) -> int:
    """The bound of the search: ``k * (ceil(log2 N) + 1) + 1``."""
    return bad * ((items - 1).bit_length() + 1) + 1


def isolate(items: Sequence[str], passes: Trial, *, failed: bool = False) -> Isolated:
    """Part a batch into what passes together and who is to blame; ``failed``: the whole was tried and fails."""
    return _Search(items, passes).run(failed)


class _Flips(Exception):
    """The same items failed and passed."""


class _Search:
    def __init__(self, items: Sequence[str], passes: Trial) -> None:
        self._count = len(items)
        self._left = list(items)
        self._passes = passes
        self._cleared: set[str] = set()
        self._bad: list[tuple[str, ...]] = []
        self._failing: list[str] = []
        """Some that are known to fail among themselves."""
        self._known: dict[frozenset[str], bool] = {}
        self.trials = self.alone = 0

    def run(self, failed: bool) -> Isolated:
        fails = failed or not self._try(self._left)
        self.trials += failed
        try:
            while fails:
                group = self._one_group()
                self._bad.append(group)
                self._left = [item for item in self._left if item not in group]
                fails = bool(self._left) and self._still_fails()
        except _Flips:
            return Isolated((), (), self.trials, self.alone, flips=True)
        return Isolated(tuple(self._left), tuple(self._bad), self.trials, self.alone)

    def _still_fails(self) -> bool:
        """After some bad ones more are expected: half of the suspects is tried first, where the bound leaves room."""
        suspects = self._suspects()
        if len(suspects) > 2 and self.trials + 2 <= most_trials(self._count, len(self._bad)):
            half = suspects[: len(suspects) // 2]
            if not self._try(half):
                self._failing = half
                return True
            self._cleared.update(half)
        return not self._try(self._left)

    def _suspects(self) -> list[str]:
        return [item for item in self._left if item not in self._cleared]

    def _try(self, items: Sequence[str]) -> bool:
        """Whether they pass; nothing is tried twice."""
        key = frozenset(items)
        if key not in self._known:
            self.trials += 1
            self._known[key] = self._passes(items)
        return self._known[key]

    def _one_group(self) -> tuple[str, ...]:
        """One item, or items that fail together; what is left fails as a whole."""
        suspects = self._failing or self._suspects()
        fails = bool(self._failing) or len(self._left) == len(suspects)  # they alone are known to
        failing, self._failing = self._failing or self._left, []
        while len(suspects) > 1:
            half = suspects[: len(suspects) // 2]
            fails = not self._try(half)
            if fails:
                suspects = failing = half
            else:
                self._cleared.update(half)
                suspects = suspects[len(half) :]
        if suspects and (fails or self._fails_alone(suspects)):
            return tuple(suspects)
        self._cleared.update(suspects)
        return self._together(failing)

    def _fails_alone(self, item: Sequence[str]) -> bool:
        self.alone += 1
        return not self._passes(item)

    def _together(self, failing: Sequence[str]) -> tuple[str, ...]:
        """The fewest that fail together, found one by one: each is the last of the shortest failing prefix."""
        self.trials += 1
        if self._passes(failing):  # no half of them fails: is it the items, or a check that flips?
            raise _Flips
        found: list[str] = []
        pool = list(failing)
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
            if not self._try(found):
                return tuple(found)
            if not pool:
                raise _Flips
