"""How many hostile replies the plain readers approve, and how many honest ones they refuse, in one run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from guildmoot.reading.council.judgement import read_judgement
from guildmoot.reading.council.read import read_council
from guildmoot.reading.grammar import read_verdict

DATA = Path(__file__).parents[1] / "tests" / "data" / "replies"
BOUNDS = {"hostile": 0.05, "honest": 0.12}
"""Share of hostile replies that may be approved, and of honest ones that may be refused."""
SPLITS = ("dev", "held")


def rows(name: str) -> list[dict[str, str]]:
    """The replies of one file; ``split`` says which were written to be measured only."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_bytes().splitlines()]


def approves(row: dict[str, str]) -> bool:
    """Whether the reader of the row's form takes it for an approval."""
    if row["form"] == "verdict":
        judgement = read_verdict(row["text"], "judge")
    else:
        judgement = read_judgement(read_council(row["text"]), "judge")
    return judgement.outcome == "approved" and not any(f.blocking for f in judgement.findings)


def mistaken(name: str, split: str) -> tuple[list[dict[str, str]], int]:
    """The rows of a split that were read wrongly, and how many there are in all."""
    part = [row for row in rows(name) if row["split"] == split]
    return [row for row in part if approves(row) == (name == "hostile")], len(part)


def main() -> int:
    """Print the rates, and with ``--show`` the rows of the development split; 1 when a bound is missed."""
    missed = 0
    for name, bound in BOUNDS.items():
        for split in SPLITS:
            wrong, total = mistaken(name, split)
            missed += len(wrong) > bound * total
            said = "approved" if name == "hostile" else "refused"
            share = 100 * len(wrong) / max(1, total)
            print(
                f"{name}, {split}: {len(wrong)} of {total} {said} = {share:.1f} % (bound {bound:.0%})"
            )
            for row in wrong if "--show" in sys.argv and split == "dev" else ():
                print(f"  {row['id']} {row['kind']}: {row['text']!r}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
