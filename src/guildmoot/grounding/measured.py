"""How often what a rule blocked in whole repositories was harm, and whether it may hold anybody up there.

A count is of findings that somebody read (benchmarks/data/labels.jsonl) and that still blocked when they were last
judged with all excuses in place. A rule that errs too often advises in an audit. A change that newly brings what it
names is held up all the same: there "new" is the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping

from guildmoot.named import NamedTuple

GOAL = 0.8
_FEWEST = 3
"""Findings that must have been read before a rule is judged by them."""


class Read(NamedTuple):
    """What readers said of the findings of one rule."""

    harm: int
    false: int


MEASURED: Mapping[tuple[str, str], Read] = {
    ("F821", ""): Read(101, 1),
    ("F823", ""): Read(3, 0),
    ("F901", ""): Read(3, 0),
    ("B016", ""): Read(2, 0),
    ("PLW0133", ""): Read(1, 0),
    ("invalid-syntax", ""): Read(4, 0),
    # All that was ever read of it, for few of those could be judged again.
    ("key-file", ""): Read(173, 17),
    ("secret", ""): Read(12, 1),
    ("does-not-parse", "JSON"): Read(1, 2),
    ("does-not-parse", "TOML"): Read(2, 0),
    ("does-not-parse", "Shell"): Read(1, 0),
    ("does-not-parse", "C"): Read(1, 0),
    ("does-not-parse", "GitHub workflow"): Read(1, 0),
}
"""By rule; where every language has a judge of its own, by language too."""


def blocks_in_audit(
    code: str, language: str, measured: Mapping[tuple[str, str], Read] = MEASURED
) -> bool:
    """Whether a rule is right often enough, as far as it has been read, to block what is in place."""
    read = measured.get((code, language)) or measured.get((code, ""))
    if read is None or read.harm + read.false < _FEWEST:
        return True
    return read.harm >= GOAL * (read.harm + read.false)
