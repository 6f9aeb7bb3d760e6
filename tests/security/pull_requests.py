"""Hostile changes, one a row: what the change writes, over what base, judged with which flags.

A value is the text or bytes of a file, a ``Link``, a ``Program`` (an executable file), or None to delete it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

DOOR = "def allowed(user):\n    return True  # anybody may enter\n"
"""What an honest judge flags wherever it is shown."""
BOOBY = "touch BOOBY"
"""A shell command that must never run; it leaves a file wherever it stands."""
AUTH = "def allowed(user):\n    return user == 'root'\n"
BASE = {"auth.py": AUTH, "app.py": "from auth import allowed\n\nprint(allowed('me'))\n"}


class Link(NamedTuple):
    """A symbolic link."""

    to: str


class Program(NamedTuple):
    """A file that can be run."""

    text: str


File = str | bytes | Link | Program | None


class PullRequest(NamedTuple):
    """One attack."""

    name: str
    change: Mapping[str, File]
    base: Mapping[str, File] = {}
    """Beside ``BASE``."""
    flags: tuple[str, ...] = ("--agents", "oracle")
    """What the reviewer gives beside ``--diff main...HEAD``."""


HIDDEN = (PullRequest("plain: the oracle flags what it sees", {"auth.py": DOOR}),)
"""Code that wants to be left out and approved."""

OWN_COURT = (
    PullRequest(
        "settings beside the door", {"auth.py": DOOR, "guild.toml": "[panel]\nlimit = 9\n"}
    ),
)
"""Settings and agents that want to choose the judges, the policy or the money."""

HARMLESS: tuple[PullRequest, ...] = (
    PullRequest("a comment", {"auth.py": f"# who may enter\n{AUTH}"}),
)
"""Changes that must be approved: the same mechanisms must not be in an honest author's way."""
