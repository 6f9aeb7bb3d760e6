"""Figures from public data, with our own grouping. Made by ``benchmarks/worth.py --write``; not edited by hand.

withmartian/code-review-benchmark, MIT: 30 pull requests of 3 repositories, 12 commercial review tools, whether each
finding matches a human comment by three matchers. The human comments are incomplete, so a finding that matches none
may be right all the same.
"""

from guildmoot.consensus.votes.evidence import Logistic

DATA = "30 public pull requests with 12 review tools"
AGREEMENT: dict[tuple[int, int], tuple[float, float, float]] = {
    (1, 2): (0.23, 0.11, 0.41),
    (2, 2): (0.6, 0.4, 0.75),
    (1, 3): (0.14, 0.05, 0.3),
    (2, 3): (0.39, 0.24, 0.58),
    (3, 3): (0.73, 0.54, 0.86),
    (1, 4): (0.08, 0.03, 0.26),
    (2, 4): (0.29, 0.16, 0.48),
    (3, 4): (0.62, 0.45, 0.79),
    (4, 4): (0.87, 0.68, 0.98),
    (1, 5): (0.07, 0.01, 0.22),
    (2, 5): (0.27, 0.14, 0.45),
    (3, 5): (0.51, 0.33, 0.67),
    (4, 5): (0.83, 0.66, 0.94),
    (5, 5): (0.89, 0.6, 1.0),
    (1, 6): (0.05, 0.01, 0.22),
    (2, 6): (0.21, 0.09, 0.38),
    (3, 6): (0.42, 0.25, 0.6),
    (4, 6): (0.66, 0.47, 0.81),
    (5, 6): (0.9, 0.72, 0.98),
    (1, 7): (0.04, 0.0, 0.17),
    (2, 7): (0.17, 0.07, 0.34),
    (3, 7): (0.34, 0.19, 0.52),
    (4, 7): (0.56, 0.37, 0.72),
    (5, 7): (0.81, 0.64, 0.94),
    (6, 7): (0.9, 0.7, 0.99),
    (1, 8): (0.03, 0.0, 0.17),
    (2, 8): (0.15, 0.05, 0.3),
    (3, 8): (0.34, 0.19, 0.52),
    (4, 8): (0.53, 0.33, 0.7),
    (5, 8): (0.69, 0.5, 0.86),
    (6, 8): (0.9, 0.67, 0.97),
    (7, 8): (0.9, 0.64, 1.0),
    (1, 9): (0.02, 0.0, 0.17),
    (2, 9): (0.12, 0.05, 0.3),
    (3, 9): (0.28, 0.14, 0.46),
    (4, 9): (0.48, 0.29, 0.65),
    (5, 9): (0.64, 0.44, 0.79),
    (6, 9): (0.81, 0.59, 0.93),
    (7, 9): (0.96, 0.7, 1.0),
    (1, 10): (0.02, 0.0, 0.17),
    (2, 10): (0.11, 0.03, 0.26),
    (3, 10): (0.27, 0.14, 0.46),
    (4, 10): (0.37, 0.2, 0.55),
    (5, 10): (0.59, 0.4, 0.76),
    (6, 10): (0.66, 0.45, 0.85),
    (7, 10): (0.91, 0.66, 0.99),
    (8, 10): (1.0, 0.72, 1.0),
    (1, 11): (0.02, 0.0, 0.12),
    (2, 11): (0.09, 0.03, 0.27),
    (3, 11): (0.22, 0.1, 0.4),
    (4, 11): (0.33, 0.18, 0.53),
    (5, 11): (0.54, 0.37, 0.74),
    (8, 11): (0.99, 0.67, 1.0),
    (9, 11): (1.0, 0.7, 1.0),
    (1, 12): (0.01, 0.0, 0.12),
    (2, 12): (0.08, 0.02, 0.24),
    (3, 12): (0.16, 0.06, 0.34),
    (4, 12): (0.35, 0.17, 0.55),
}
"""By how many families name an issue and how many sit: how often it is right, and the 95 % interval."""

MODEL = Logistic(means=(0.307, -0.682), scales=(0.214, 1.353), weights=(1.209, 0.441), bias=-1.728)
CUT = -1.4
"""The weighed rule: the regression on the share that agrees and on the evidence, and the least score that blocks."""
DETECTS = 0.345
"""How often a judge of whom nothing is known finds a defect that is there."""
FALSE_SHARE = 0.673
"""Which share of findings is wrong, where nobody has decided on any."""
