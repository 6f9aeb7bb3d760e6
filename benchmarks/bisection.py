"""How many runs of a verification it takes to find the bad items of a batch: worst and mean, beside the bound.

``alone`` are runs of one item by itself before it is blamed, which the bound does not hold.

python benchmarks/bisection.py
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from guildmoot.loops.isolate import Isolated, isolate, most_trials

CASES = 2000


def part(count: int, bad: set[str]) -> Isolated:
    def passes(items: Sequence[str]) -> bool:
        return not bad.intersection(items)

    done = isolate([str(number) for number in range(count)], passes)
    assert {item for group in done.bad for item in group} == bad
    return done


def draw(count: int, bad: int, dice: random.Random) -> set[str]:
    """Anywhere, side by side, or every other one."""
    start = dice.randrange(count - bad + 1)
    ways = (dice.sample(range(count), bad), range(start, start + bad), range(1, 2 * bad, 2))
    return {str(number) for number in ways[dice.randrange(3)]}


def main() -> None:
    dice = random.Random(1)
    print("  N   k  bound  worst  mean  with alone: worst  mean")
    for count in (16, 30, 64, 256):
        for bad in (1, 2, 3, 4, 6, 8):
            done = [part(count, draw(count, bad, dice)) for _ in range(CASES)]
            found = [each.trials for each in done]
            every = [each.trials + each.alone for each in done]
            print(
                f"{count:3} {bad:3} {most_trials(count, bad):6} {max(found):6} {sum(found) / CASES:5.1f}"
                f" {max(every):18} {sum(every) / CASES:5.1f}"
            )


if __name__ == "__main__":
    main()
