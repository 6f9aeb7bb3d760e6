"""Who raises an issue: everybody, several, or one alone. Each issue is in exactly one bucket.

A tool looks for its own rules only, so its silence is no denial: what matters is who of the readers,
the judges that read the whole work, raises it too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple

from guildmoot.model.verdict import Issue

Bucket = Literal["shared", "split", "minority"]


class Buckets(NamedTuple):
    """All issues, each once."""

    shared: tuple[Issue, ...]
    split: tuple[Issue, ...]
    minority: tuple[Issue, ...]


def bucket_of(issue: Issue, readers: Collection[str]) -> Bucket:
    """Where the issue belongs; what a single seat says is never shared, even if it sits alone."""
    if len(issue.seats) < 2:
        return "minority"
    return "shared" if set(readers) <= set(issue.seats) else "split"


def sort_issues(issues: Iterable[Issue], readers: Collection[str]) -> Buckets:
    """The issues by bucket, each bucket in the order given."""
    found: dict[Bucket, list[Issue]] = {"shared": [], "split": [], "minority": []}
    for issue in issues:
        found[bucket_of(issue, readers)].append(issue)
    return Buckets(tuple(found["shared"]), tuple(found["split"]), tuple(found["minority"]))
