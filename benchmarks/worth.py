"""What agreement is worth, and which rule for opinions does best: by number of families and size of the panel.

    python benchmarks/worth.py [DATA_FOLDER]          measures and compares with what is shipped
    python benchmarks/worth.py --write                writes src/guildmoot/consensus/published.py

The public findings of 12 review tools are grouped by the product's own grouping, in panels of every size drawn
at random; an issue is right when the finding that speaks for it matches a golden comment, by the mean of three
matchers. Intervals are of pull requests drawn again, not of findings: 30 of them are few.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from evidence_model import fit, learn
from grouping import Data, Tally, add, load, prf, repository, smoothed_best, strict

from guildmoot.consensus import published
from guildmoot.consensus.grouping import group_findings
from guildmoot.consensus.opinions import least_families
from guildmoot.consensus.votes.counting import wilson
from guildmoot.consensus.votes.evidence import Context, Logistic, SeatRecord, features

TARGET = Path(__file__).parents[1] / "src/guildmoot/consensus/published.py"
SIZES = tuple(range(2, 13))
PANELS, SEED, DRAWS = 10, 5, 400
WIDEST = 0.4
"""Cells whose interval is wider than this say nothing, and are left out."""
CUTS = [k / 10 for k in range(-40, 21)]


class Found(NamedTuple):
    """An issue of one panel on one pull request."""

    seats: tuple[str, ...]
    golden: tuple[str, ...]
    context: Context


class Fitted(NamedTuple):
    record: SeatRecord
    model: Logistic
    cut: float


class Panels:
    """Random panels of every size, and what they find."""

    def __init__(self, data: Data) -> None:
        self.data = data
        tools = sorted({row.seat for rows in data.findings.values() for row in rows})
        rng = random.Random(SEED)
        self.of_size = {
            size: [tuple(tools)]
            if size >= len(tools)
            else [tuple(sorted(rng.sample(tools, size))) for _ in range(PANELS)]
            for size in SIZES
        }
        self._known: dict[tuple[str, str, tuple[str, ...]], list[Found]] = {}

    def issues(self, matcher: str, pull: str, seats: tuple[str, ...]) -> list[Found]:
        key = matcher, pull, seats
        if key not in self._known:
            rows = [r for r in self.data.findings.get((matcher, pull), []) if r.seat in seats]
            found = group_findings(rows)
            counts = Counter(row.seat for row in rows)
            context = Context({seat: counts[seat] for seat in seats}, len(found))
            issues = [Found(i.seats, i.representative.golden, context) for i in found]
            self._known[key] = sorted(issues, key=lambda issue: -len(issue.seats))
        return self._known[key]

    def all(self, size: int, pulls: Sequence[str]) -> Iterator[tuple[str, str, list[Found]]]:
        for seats in self.of_size[size]:
            for matcher in self.data.matchers:
                for pull in pulls:
                    yield matcher, pull, self.issues(matcher, pull, seats)


def agreement_table(
    panels: Panels, sizes: Sequence[int] = SIZES
) -> dict[tuple[int, int], tuple[float, float, float]]:
    """How often an issue of so many families among so many is right, with its interval."""
    table = {}
    for size in sizes:
        right: defaultdict[int, Counter[str]] = defaultdict(Counter)
        seen: defaultdict[int, Counter[str]] = defaultdict(Counter)
        for _, pull, found in panels.all(size, panels.data.pulls):
            for issue in found:
                seen[len(issue.seats)][pull] += 1
                right[len(issue.seats)][pull] += bool(issue.golden)
        for number in sorted(seen):
            share, low, high = _interval(right[number], seen[number], panels.data.pulls)
            if high - low <= WIDEST:
                table[number, size] = share, low, high
    return table


def _interval(
    right: Counter[str], seen: Counter[str], pulls: Sequence[str]
) -> tuple[float, float, float]:
    rng = random.Random(SEED)
    shares = []
    for _ in range(DRAWS):
        drawn = rng.choices(pulls, k=len(pulls))
        total = sum(seen[pull] for pull in drawn)
        shares.append(sum(right[pull] for pull in drawn) / total if total else 0.0)
    shares.sort()
    share = right.total() / seen.total()
    # What was always right in the few pull requests that have it is not certain: the wider interval counts.
    clusters = sum(count > 0 for count in seen.values())
    plain = wilson(round(share * clusters), clusters)
    low = min(shares[int(0.025 * DRAWS)], plain.low)
    high = max(shares[int(0.975 * DRAWS) - 1], plain.high)
    return round(share, 2), math.floor(low * 100) / 100, math.ceil(high * 100) / 100


# --- rules ------------------------------------------------------------------------------


def fit_rule(panels: Panels, pulls: Sequence[str]) -> Fitted:
    """The weighed rule as these pull requests teach it: records, regression, and the cut with the best F1."""
    data = panels.data
    rows = [row for m in data.matchers for p in pulls for row in data.findings.get((m, p), [])]
    golden = sum(data.golden[p] for p in pulls)
    record = learn(rows, golden * len(data.matchers))
    table, labels = [], []
    by_pull: dict[
        tuple[int, tuple[str, ...], str], list[list[tuple[tuple[float, float], Found]]]
    ] = {}
    for size in SIZES[1:]:
        for seats in panels.of_size[size]:
            for matcher in data.matchers:
                parts = by_pull.setdefault((size, seats, matcher), [])
                for pull in pulls:
                    found = panels.issues(matcher, pull, seats)
                    parts.append([(features(i.seats, i.context, record), i) for i in found])
                    table += [row for row, _ in parts[-1]]
                    labels += [bool(issue.golden) for _, issue in parts[-1]]
    model = fit(table, labels)

    def worth(cut: float) -> float:
        total = 0.0
        for (size, _, _), parts in by_pull.items():
            tallies = [
                strict([i.golden for row, i in part if model.score(row) >= cut]) for part in parts
            ]
            total += prf(add(tallies), golden)[2] / len(panels.of_size[size])
        return total

    return Fitted(record, model, CUTS[smoothed_best([worth(cut) for cut in CUTS])])


def compare(panels: Panels) -> None:
    """Strict F1 of the rules by size of the panel; what is learnt is learnt on other repositories."""
    data = panels.data

    @cache
    def fitted(repo: str) -> Fitted:
        return fit_rule(panels, [p for p in data.pulls if repository(p) != repo])

    def weighed(issue: Found, size: int, repo: str) -> bool:
        learnt = fitted(repo)
        row = features(issue.seats, issue.context, learnt.record)
        return learnt.model.score(row) >= learnt.cut

    rules: dict[str, Callable[[Found, int, str], bool]] = {
        "any (panel)": lambda issue, size, repo: True,
        "three (agreement)": lambda issue, size, repo: len(issue.seats) >= min(3, size),
        "a third, at least two": lambda issue, size, repo: len(issue.seats) >= least_families(size),
        "weighed by records": weighed,
    }
    print("\n== Rules for opinions, strict F1 (mean of matchers), by families in the panel ==")
    print(f"{'':24}" + "".join(f"{size:>6}" for size in SIZES))
    golden = sum(data.golden.values())
    for name, rule in rules.items():
        row = []
        for size in SIZES:
            if name.startswith("weighed") and size < 3:
                row.append("     -")
                continue
            scores = []
            for seats in panels.of_size[size]:
                for matcher in data.matchers:
                    tallies: list[Tally] = [
                        strict([i.golden for i in panels.issues(matcher, pull, seats)
                                if rule(i, size, repository(pull))])
                        for pull in data.pulls
                    ]  # fmt: skip
                    scores.append(prf(add(tallies), golden)[2])
            row.append(f"{sum(scores) / len(scores):6.3f}")
        print(f"{name:24}" + "".join(row), flush=True)


# --- the shipped table ------------------------------------------------------------------


def module_text(panels: Panels) -> str:
    data = panels.data
    rule = fit_rule(panels, data.pulls)
    rows = "\n".join(
        f"    ({number}, {size}): ({share}, {low}, {high}),"
        for (number, size), (share, low, high) in agreement_table(panels).items()
    )
    model = Logistic(*(_rounded(part) for part in rule.model))
    mean = sum(rule.record.detects.values()) / len(rule.record.detects)
    return f'''"""Figures from public data, with our own grouping. Made by ``benchmarks/worth.py --write``; not edited by hand.

withmartian/code-review-benchmark, MIT: {len(data.pulls)} pull requests of {len(data.repositories)} repositories, 12 commercial review tools, whether each
finding matches a human comment by three matchers. The human comments are incomplete, so a finding that matches none
may be right all the same.
"""

from guildmoot.consensus.votes.evidence import Logistic

DATA = "{len(data.pulls)} public pull requests with 12 review tools"
AGREEMENT: dict[tuple[int, int], tuple[float, float, float]] = {{
{rows}
}}
"""By how many families name an issue and how many sit: how often it is right, and the 95 % interval."""

MODEL = {model!r}
CUT = {rule.cut}
"""The weighed rule: the regression on the share that agrees and on the evidence, and the least score that blocks."""
DETECTS = {mean:.3f}
"""How often a judge of whom nothing is known finds a defect that is there."""
FALSE_SHARE = {rule.record.false_share:.3f}
"""Which share of findings is wrong, where nobody has decided on any."""
'''


def _rounded(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(round(each, 3) for each in value)
    return round(value, 3) if isinstance(value, float) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parent / "data")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    panels = Panels(load(options.folder))
    if options.write:
        TARGET.write_text(module_text(panels), encoding="utf-8")
        print(f"written: {TARGET}")
        return
    print(
        "== What agreement is worth: share right and 95 % interval, by families that agree and that sit =="
    )
    for (number, size), (share, low, high) in agreement_table(panels).items():
        shipped = published.AGREEMENT.get((number, size))
        mark = "" if shipped == (share, low, high) else f"   shipped: {shipped}"
        print(f"  {number:2} of {size:2}: {share:.2f} ({low:.2f} to {high:.2f}){mark}")
    compare(panels)


if __name__ == "__main__":
    main()
