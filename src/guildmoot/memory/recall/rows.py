"""What an index knows of a page."""

from __future__ import annotations

from typing import NamedTuple


class PageRow(NamedTuple):
    """What the index knows of a page."""

    path: str
    changed: int
    size: int
    hash: str
    category: str
    updated: str
    told: str
    """Facts as JSON: title, confidence, source_refs ..."""
    titled: int
    terms: bytes


class KnownFile(NamedTuple):
    """By which a page's file is known again."""

    number: int
    changed: int
    size: int
    hash: str
