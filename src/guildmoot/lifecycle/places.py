"""Where the documents of a piece of work lie: below ``.guild`` of the main checkout, whatever work tree asks."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.memory.wiki.places import memory_root
from guildmoot.system.files import place_inside

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
_OTHER = re.compile(r"[^a-z0-9]+")
_LONGEST_SLUG = 48
_FILLERS = frozenset(
    (
        "a",
        "an",
        "the",
        "of",
        "for",
        "to",
        "in",
        "on",
        "and",
        "or",
        "with",
        "that",
        "which",
        "we",
        "i",
    )
) | {"want", "need", "would", "like", "please", "let", "us", "add", "make"}


class WorkFolder(NamedTuple):
    """The folder of the project, and where each document lies in it."""

    root: Path

    @property
    def guild(self) -> Path:
        """``.guild``, which holds all of it."""
        return place_inside(self.root, ".guild")

    def spec(self, slug: str) -> Path:
        """What is wanted."""
        return self._file("spec", f"{slug}.md")

    def team(self, slug: str) -> Path:
        """Who does it."""
        return self._file("team", f"{slug}.yaml")

    def plan(self, slug: str) -> Path:
        """How."""
        return self._file("plan", f"{slug}.md")

    def gates(self, slug: str) -> Path:
        """Who approved what, and when."""
        return self._file("gates", f"{slug}.jsonl")

    def run(self, run: str) -> Path:
        """What one run wrote."""
        return self._file("runs", run)

    def context(self, run: str) -> Path:
        """The bundles of one run."""
        return self._file("context", run)

    def _file(self, *parts: str) -> Path:
        return place_inside(self.root, os.path.join(".guild", *parts))


def find_work(cwd: Path) -> WorkFolder:
    """The main checkout that a folder belongs to; outside of git the folder itself."""
    return WorkFolder(memory_root(cwd).resolve())


def check_slug(slug: str) -> str:
    """The name itself; UsageError for one that is none and could lead out of its folder."""
    if not _SLUG.fullmatch(slug):
        raise UsageError(
            f"{slug!r} is no name for a piece of work",
            "Use small letters, digits and dashes, e.g. link-shortener.",
        )
    return slug


def slug_of(intent: str) -> str:
    """A short name for an intent: its first telling words."""
    words = [word for word in _OTHER.sub(" ", intent.casefold()).split() if word not in _FILLERS]
    name = ""
    for word in words:
        longer = f"{name}-{word}" if name else word
        if len(longer) > _LONGEST_SLUG or name.count("-") > 3:
            break
        name = longer
    return name or "work"
