"""Print how well conflicts are told from findings that merely meet, and how fast.

    python benchmarks/conflicts.py [pairs.jsonl]

The pairs were written before the rules. Their groups (remedies that share a place) are divided by a
hash of the group: 60 % to tune on, 40 % held out.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from guildmoot.consensus.conflicts import find_conflicts
from guildmoot.model.verdict import Finding

PAIRS = Path(__file__).parent.parent / "tests" / "data" / "consensus" / "conflict_pairs.jsonl"


def part(pair_id: str) -> str:
    digest = hashlib.sha256(pair_id.split("-")[0].encode()).hexdigest()
    return "dev" if int(digest, 16) % 10 < 6 else "held-out"


def finding(side: dict[str, Any], seat: str) -> Finding:
    return Finding(seat, **{name: side[name] for name in ("code", "title", "path", "fix")},
                   line=side["line"], end_line=side["end_line"])  # fmt: skip


def score(pairs: list[dict[str, Any]]) -> str:
    hit = wrong = missed = unsure = 0
    for pair in pairs:
        report = find_conflicts([finding(pair["a"], "one"), finding(pair["b"], "two")])
        real = pair["label"] == "conflict"
        hit += bool(report.conflicts) and real
        wrong += bool(report.conflicts) and not real
        missed += not report.conflicts and real
        unsure += bool(report.undecided) and real
    precision, recall = hit / (hit + wrong), hit / (hit + missed)
    f1 = 2 * precision * recall / (precision + recall)
    with_arbiter = (hit + unsure) / (hit + missed)
    return (
        f"{len(pairs):4} pairs  precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}"
        f"  recall with undecided {with_arbiter:.3f}"
    )


def crowd(pairs: list[dict[str, Any]], count: int, files: int, lines: int) -> list[Finding]:
    """Findings with distinct wording, so that nothing comes from a cache."""
    rng = random.Random(7)
    sides = [pair[key] for pair in pairs for key in ("a", "b")]
    found = []
    for i in range(count):
        side, line = rng.choice(sides), rng.randint(1, lines)
        found.append(Finding(
            f"seat{i % 12}", side["code"], side["title"], path=f"src/f{rng.randrange(files)}.py",
            line=line, end_line=line + rng.randrange(4),
            fix=side["fix"].replace("`", f"`m{rng.randrange(300)}_", 1) + f" See note {i}.",
        ))  # fmt: skip
    return found


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for name in ("dev", "held-out"):
        print(f"{name:9}", score([pair for pair in pairs if part(pair["id"]) == name]))
    for name, files, lines in (("spread", 200, 2000), ("dense", 5, 200), ("one line", 1, 1)):
        findings = crowd(pairs, 10_000, files, lines)
        start = time.process_time()
        report = find_conflicts(findings)
        seconds = time.process_time() - start
        print(
            f"10,000 findings, {name}: {seconds:.2f} s, {len(report.conflicts)} conflicts,"
            f" {len(report.undecided)} undecided"
        )


if __name__ == "__main__":
    main()
