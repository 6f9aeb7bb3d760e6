"""Figures from public data, with our own grouping. Made by ``benchmarks/worth.py --write``; not edited by hand.

withmartian/code-review-benchmark, MIT: 30 pull requests of 3 repositories, 12 commercial review tools, whether each
finding matches a human comment by three matchers. The human comments are incomplete, so a finding that matches none
may be right all the same.
"""

from guildmoot.consensus.votes.evidence import Logistic

DATA = "30 public pull requests with 12 review tools"
AGREEMENT: dict[tuple[int, int], tuple[float, float, float]] = {
    (1, 2): (0.24, 0.11, 0.41),
    (2, 2): (0.64, 0.47, 0.81),
    (1, 3): (0.16, 0.07, 0.34),
    (2, 3): (0.44, 0.27, 0.61),
    (3, 3): (0.78, 0.56, 0.89),
    (1, 4): (0.1, 0.03, 0.26),
    (2, 4): (0.33, 0.19, 0.52),
    (3, 4): (0.64, 0.47, 0.81),
    (4, 4): (0.88, 0.68, 0.98),
    (1, 5): (0.09, 0.03, 0.26),
    (2, 5): (0.3, 0.16, 0.48),
    (3, 5): (0.53, 0.34, 0.69),
    (4, 5): (0.84, 0.66, 0.94),
    (1, 6): (0.07, 0.01, 0.22),
    (2, 6): (0.22, 0.09, 0.38),
    (3, 6): (0.45, 0.28, 0.63),
    (4, 6): (0.68, 0.5, 0.83),
    (5, 6): (0.92, 0.69, 0.98),
    (1, 7): (0.06, 0.01, 0.22),
    (2, 7): (0.18, 0.07, 0.34),
    (3, 7): (0.34, 0.19, 0.52),
    (4, 7): (0.6, 0.4, 0.75),
    (5, 7): (0.82, 0.62, 0.94),
    (6, 7): (0.9, 0.7, 0.99),
    (1, 8): (0.04, 0.0, 0.17),
    (2, 8): (0.16, 0.07, 0.34),
    (3, 8): (0.33, 0.19, 0.52),
    (4, 8): (0.55, 0.37, 0.72),
    (5, 8): (0.72, 0.52, 0.86),
    (6, 8): (0.91, 0.67, 0.97),
    (7, 8): (0.89, 0.64, 1.0),
    (1, 9): (0.04, 0.0, 0.17),
    (2, 9): (0.13, 0.05, 0.3),
    (3, 9): (0.27, 0.14, 0.46),
    (4, 9): (0.49, 0.32, 0.68),
    (5, 9): (0.66, 0.44, 0.8),
    (6, 9): (0.84, 0.65, 0.96),
    (7, 9): (0.97, 0.7, 1.0),
    (1, 10): (0.03, 0.0, 0.17),
    (2, 10): (0.11, 0.03, 0.26),
    (3, 10): (0.26, 0.12, 0.43),
    (4, 10): (0.39, 0.24, 0.6),
    (5, 10): (0.6, 0.4, 0.76),
    (7, 10): (0.91, 0.7, 0.99),
    (8, 10): (1.0, 0.72, 1.0),
    (1, 11): (0.03, 0.0, 0.17),
    (2, 11): (0.09, 0.03, 0.28),
    (3, 11): (0.2, 0.1, 0.4),
    (4, 11): (0.34, 0.19, 0.54),
    (5, 11): (0.55, 0.35, 0.72),
    (8, 11): (0.99, 0.7, 1.0),
    (9, 11): (1.0, 0.7, 1.0),
    (1, 12): (0.01, 0.0, 0.12),
    (2, 12): (0.09, 0.02, 0.24),
    (3, 12): (0.16, 0.06, 0.34),
    (9, 12): (1.0, 0.6, 1.0),
}
"""By how many families name an issue and how many sit: how often it is right, and the 95 % interval."""

MODEL = Logistic(means=(0.295, -0.671), scales=(0.206, 1.359), weights=(1.139, 0.439), bias=-1.693)
CUT = -1.3
"""The weighed rule: the regression on the share that agrees and on the evidence, and the least score that blocks."""
DETECTS = 0.345
"""How often a judge of whom nothing is known finds a defect that is there."""
FALSE_SHARE = 0.673
"""Which share of findings is wrong, where nobody has decided on any."""
