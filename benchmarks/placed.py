"""Group findings that name lines: 60 of four judges on one file, labelled and written by another hand.

    python benchmarks/placed.py [CSV]

All pairs of one file are counted, not only those that look alike. Standard library only.
"""

from __future__ import annotations

import csv
import sys
from itertools import combinations
from pathlib import Path

from guildmoot.consensus.grouping import group_findings
from guildmoot.model.verdict import Finding

DATA = Path(__file__).parent / "data" / "placed_findings_held.csv"


def score(rows: list[dict[str, str]], judges: str, *, placed: bool) -> str:
    """Precision, recall and F1 over all pairs of the findings of these judges."""
    labels, findings = {}, []
    for row in rows:
        if row["judge"] in judges:
            line = int(row["line"]) if placed else 0
            path = "file" if placed else ""
            code = "criterion-unmet"
            labels[row["judge"], row["text"]] = row["issue"]
            findings.append(
                Finding(row["judge"], code, row["text"], path=path, line=line, family=row["judge"])
            )
    members = [
        (labels[member.seat, member.title], number)
        for number, issue in enumerate(group_findings(findings))
        for member in issue.members
    ]
    pairs = [(a[0] == b[0], a[1] == b[1]) for a, b in combinations(members, 2)]
    both = sum(same and told for same, told in pairs)
    told, same = sum(told for _, told in pairs), sum(same for same, _ in pairs)
    precision, recall = both / max(told, 1), both / max(same, 1)
    f1 = 2 * both / max(told + same, 1)
    return f"P {precision:.2f}  R {recall:.2f}  F1 {f1:.2f}  ({both} of {same} pairs, {told} told)"


if __name__ == "__main__":
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    with source.open(encoding="utf-8", newline="") as handle:
        table = list(csv.DictReader(handle))
    for seats in ("abcd", *("".join(two) for two in combinations("abcd", 2))):
        print(f"{seats:5} with places     {score(table, seats, placed=True)}")
        print(f"{seats:5} without places  {score(table, seats, placed=False)}")
