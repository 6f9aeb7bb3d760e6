"""The repository that a request is about: its git, its files and what is known of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from guildmoot.packet.collect import Known
from guildmoot.packet.listing import Listing, attributes, guildignored, list_files
from guildmoot.packet.reading import Tree
from guildmoot.packet.request import Request
from guildmoot.packet.targets import Rule
from guildmoot.system.git import Git


class Workspace(NamedTuple):
    """Looked up once for each packet."""

    root: Path
    git: Git
    listing: Listing
    known: Known
    tree: Tree


def open_workspace(root: Path, request: Request) -> Workspace:
    """Ask git what there is."""
    git = Git(root)
    listing = list_files(git)
    has_attributes = any(path.endswith(".gitattributes") for path in listing.tracked)
    known = Known(
        tracked=listing.tracked,
        barred=guildignored(git, listing),
        attributes=attributes(git, listing.all) if has_attributes else {},
    )
    return Workspace(root, git, listing, known, Tree(str(root), request.max_file_bytes))


def is_foreign(root: Path, path: str) -> bool:
    """Whether a folder above the path, below the root, is a repository of its own."""
    parts = path.split("/")[:-1]
    folders = ("/".join(parts[: i + 1]) for i in range(len(parts)))
    return any(os.path.lexists(root / folder / ".git") for folder in folders)


def describe(rules: Iterable[Rule]) -> str:
    """The targets in words, the same wherever in the repository the user stood."""
    return ", ".join(
        rule.word if rule.pattern else rule.base or "the whole repository" for rule in rules
    )
