"""Fits the weighed rule of ``consensus.votes.evidence`` on labelled findings. Standard library only."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from guildmoot.consensus.votes.evidence import Logistic, SeatRecord, shrunk

RIDGE = 1.0


class Labelled(Protocol):
    """A finding with the golden comments that it matches."""

    @property
    def seat(self) -> str: ...
    @property
    def golden(self) -> tuple[str, ...]: ...


def learn(rows: Sequence[Labelled], probes: int) -> SeatRecord:
    """What labelled findings say of their seats; ``probes`` is how many defects each could have found."""
    seats = sorted({row.seat for row in rows})
    hits = Counter(row.seat for row in rows for _ in row.golden)
    mean = hits.total() / max(1, probes * len(seats))
    rates = {seat: shrunk(hits[seat], probes, mean) for seat in seats}
    return SeatRecord(rates, sum(not row.golden for row in rows) / max(1, len(rows)))


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
