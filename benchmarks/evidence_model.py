"""Which issues a panel reports: evidence of the seats, weighed by probes. An experiment.

No policy of the product uses it yet: it is here to show what knowing the seats is worth on labelled data.

An issue found by many seats is probably right; how probably depends on who they are.
Labelled probes (issues whose truth is known) say how often each seat finds a true
issue.  How often it reports a false one needs no labels: a seat with many findings on
a change has spent them on many issues.  Both give the log-odds of an issue given who
reported it *and who did not*; a two-feature logistic regression scales them, because
seats are not independent.  Standard library only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

RIDGE = 1.0
SHRINK = 6.0
"""Pseudo-probes at the mean detection rate, for seats with few probes."""
LEAST_RATE, MOST_RATE = 0.01, 0.6
"""Bounds of the estimated rate at which a seat reports a false issue."""


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """What probes taught: how often each seat finds a true issue; how many findings are false."""

    detects: Mapping[str, float]
    false_share: float

    @classmethod
    def learn(
        cls, hits: Mapping[str, int], probes: int, findings: int, false_findings: int
    ) -> SeatRecord:
        mean = sum(hits.values()) / max(1, probes * len(hits))
        detects = {
            seat: (count + SHRINK * mean) / (probes + SHRINK) for seat, count in hits.items()
        }
        return cls(detects, false_findings / max(1, findings))


@dataclass(frozen=True, slots=True)
class Context:
    """The change an issue belongs to: findings per seat and the number of issues."""

    findings: Mapping[str, int]
    issues: int


def features(seats: Collection[str], context: Context, record: SeatRecord) -> tuple[float, float]:
    """Number of agreeing seats, and the log-odds their presence and absence give."""
    return float(len(seats)), evidence(seats, context, record)


def evidence(seats: Collection[str], context: Context, record: SeatRecord) -> float:
    """Log-odds that an issue is true from who reported it and who did not."""
    mean = sum(record.detects.values()) / max(1, len(record.detects))
    odds = 0.0
    for seat, count in sorted(context.findings.items()):
        true_rate = record.detects.get(seat, mean)
        false_rate = count * record.false_share / context.issues
        false_rate = min(MOST_RATE, max(LEAST_RATE, false_rate))
        if seat in seats:
            odds += math.log(true_rate / false_rate)
        else:
            odds += math.log((1.0 - true_rate) / (1.0 - false_rate))
    return odds


@dataclass(frozen=True, slots=True)
class Logistic:
    """A fitted logistic regression on standardised features."""

    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float

    def score(self, row: Sequence[float]) -> float:
        """Log-odds for one row of features."""
        return self.bias + math.fsum(
            weight * (value - mean) / scale
            for weight, value, mean, scale in zip(
                self.weights, row, self.means, self.scales, strict=True
            )
        )


def fit(rows: Sequence[Sequence[float]], labels: Sequence[bool], steps: int = 30) -> Logistic:
    """Ridge-regularised logistic regression by Newton's method."""
    columns = list(zip(*rows, strict=True))
    means = tuple(math.fsum(column) / len(rows) for column in columns)
    scales = tuple(
        math.sqrt(math.fsum((v - m) ** 2 for v in c) / len(rows)) or 1.0
        for c, m in zip(columns, means, strict=True)
    )
    design = [
        [*((v - m) / s for v, m, s in zip(row, means, scales, strict=True)), 1.0] for row in rows
    ]
    weights = [0.0] * len(design[0])
    for _ in range(steps):
        step = _newton_step(design, labels, weights)
        weights = [w + d for w, d in zip(weights, step, strict=True)]
        if max(map(abs, step)) < 1e-9:
            break
    return Logistic(means, scales, tuple(weights[:-1]), weights[-1])


def _newton_step(
    design: Sequence[Sequence[float]], labels: Iterable[bool], weights: Sequence[float]
) -> list[float]:
    size = len(weights)
    gradient = [-RIDGE * w for w in weights[:-1]] + [0.0]
    hessian = [[RIDGE if i == j < size - 1 else 0.0 for j in range(size)] for i in range(size)]
    for row, label in zip(design, labels, strict=True):
        raw = sum(w * v for w, v in zip(weights, row, strict=True))
        p = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, raw))))
        for i in range(size):
            gradient[i] += (label - p) * row[i]
            for j in range(size):
                hessian[i][j] += p * (1.0 - p) * row[i] * row[j]
    return _solve(hessian, gradient)


def _solve(matrix: list[list[float]], right: Sequence[float]) -> list[float]:
    """Gauss elimination with pivoting for a small system."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, size):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    solution = [0.0] * size
    for i in reversed(range(size)):
        known = sum(rows[i][j] * solution[j] for j in range(i + 1, size))
        solution[i] = (rows[i][size] - known) / rows[i][i]
    return solution


def count_hits(golden_hits: Iterable[str], seats: Iterable[str]) -> dict[str, int]:
    """Hits per seat, with zero for seats that never hit."""
    hits = Counter(golden_hits)
    return {seat: hits[seat] for seat in sorted(seats)}
