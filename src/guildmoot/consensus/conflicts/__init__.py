"""Findings that cannot both be obeyed.

    phrases     a remedy as clauses of words
    readings    one clause: what is to be done, or not, to what
    remedies    the claims that a remedy makes
    opposition  whether two remedies pull apart
    scopes      whether two findings speak about the same place
    report      conflicts, undecided pairs and overlaps of a whole panel

Pure functions over findings and their words. Trying patches is left to ``grounding.patches``; asking
an arbiter about an undecided pair is left to the practices.
"""

from .report import (
    ConflictReport,
    Merged,
    Overlap,
    Undecided,
    find_conflicts,
    merge_overlaps,
    settled,
)

__all__ = [
    "ConflictReport",
    "Merged",
    "Overlap",
    "Undecided",
    "find_conflicts",
    "merge_overlaps",
    "settled",
]
