"""How many runs of a verification it takes to find the bad items of a batch: worst and mean, beside the bound.

python benchmarks/bisection.py
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import ceil, log2

from guildmoot.loops.isolate import isolate

CASES = 2000


def trials(count: int, bad: set[str]) -> int:
    def passes(items: Sequence[str]) -> bool:
        return not bad.intersection(items)

    done = isolate([str(number) for number in range(count)], passes)
    assert {item for group in done.bad for item in group} == bad
    return done.trials


def draw(count: int, bad: int, dice: random.Random) -> set[str]:
    """Anywhere, side by side, or every other one."""
    start = dice.randrange(count - bad + 1)
    ways = (dice.sample(range(count), bad), range(start, start + bad), range(1, 2 * bad, 2))
    return {str(number) for number in ways[dice.randrange(3)]}


def main() -> None:
    dice = random.Random(1)
    print("  N   k  bound  worst  mean")
    for count in (16, 30, 64, 256):
        for bad in (1, 2, 3, 4, 6, 8):
            bound = bad * (ceil(log2(count)) + 1) + 1
            made = [trials(count, draw(count, bad, dice)) for _ in range(CASES)]
            print(f"{count:3} {bad:3} {bound:6} {max(made):6} {sum(made) / CASES:6.1f}")


if __name__ == "__main__":
    main()
