"""The repository that a request is about: its git, its files and what is known of them.

Git itself does the matching, so .gitignore, negation and nested files mean what they always mean.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from guildmoot.named import NamedTuple
from guildmoot.packet.collect import PathFacts
from guildmoot.packet.contents import WorkTree
from guildmoot.packet.guarded import watched
from guildmoot.packet.request import PacketRequest
from guildmoot.packet.targets import Rule
from guildmoot.system.git import Git
from guildmoot.text.globs import matches
from guildmoot.text.languages import language_of

GUILDIGNORE = ".guildignore"
OWN_RECORDS = (
    *(".guild/runs/", ".guild/ledger.sqlite3*", ".guild/calibration.jsonl*"),
    ".agents/council/",
)
BASELINE = ".guild/baseline.json"
_LOG = "docs/council-log/"
OWN_FOLDERS = (".agents/", ".guild/", _LOG)
"""Where we keep what we wrote earlier, committed or not: verdicts, learnings, boards, settings."""
_WRITTEN = (".agents/ao/", ".agents/council/", ".agents/learnings/", ".guild/")
"""What is committed there is our own; elsewhere, as in `.agents/skills/`, others are told what to do."""
NOT_TRACKED = "git does not track it"
_ATTRIBUTES = ("linguist-generated", "linguist-vendored")


def is_own(path: str, base: str = "") -> bool:
    """Whether a path lies among what we wrote, and ``base``, which the user named, does not."""
    return path.startswith(OWN_FOLDERS) and not f"{base}/".startswith(OWN_FOLDERS)


def own_paths(bases: Mapping[str, str]) -> set[str]:
    """Which changed paths, each with what the user named above it, are ours and not to be shown.

    They are where they are all that changed. Settings that steer us are written by people, and shown.
    """
    whole = all(map(is_own, bases))
    records = (*OWN_RECORDS, "**/.guild/runs/")
    return {
        path
        for path, base in bases.items()
        if (matches(path, records) and not f"{base}/".startswith(OWN_FOLDERS))
        or (is_own(path, base) and not whole and (path == BASELINE or not watched(path)))
    }


def is_harmless(path: str, detail: str) -> bool:
    """Of a record in a change: no code, and either no commit holds it or it lies where only we write."""
    if path == BASELINE:  # the base's counts, and that this one changes is told
        return True
    if detail == NOT_TRACKED or path.startswith(_WRITTEN):
        return language_of(path).kind in ("prose", "data")
    return path.startswith(_LOG) and path.endswith(".md") and "/" not in path[len(_LOG) :]


class Listing(NamedTuple):
    """Tracked files, and untracked ones not ignored; a foreign repository ends in a slash."""

    tracked: frozenset[str]
    untracked: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """Both."""
        return self.tracked | self.untracked


def list_files(git: Git) -> Listing:
    """Every file of the working tree that git does not ignore, without our own records."""
    own = [f"--exclude=/{name}" for name in OWN_RECORDS]
    tagged = git.names("ls-files", "-z", "-t", "-c", "-o", "--exclude-standard", *own)
    untracked = frozenset(line[2:] for line in tagged if line.startswith("? "))
    return Listing(frozenset(line[2:] for line in tagged) - untracked, untracked)


def guildignored(git: Git, listing: Listing) -> frozenset[str]:
    """The files that ``.guildignore``, at the root or in any folder, keeps from judges."""
    rules = {path for path in listing.all if path.rpartition("/")[2] == GUILDIGNORE}
    if not rules and not os.path.lexists(git.root / GUILDIGNORE):
        return frozenset()
    only = f"--exclude-per-directory={GUILDIGNORE}"
    return frozenset(
        git.names("ls-files", "-z", "-c", "-i", only)
        + git.names("ls-files", "-z", "-o", "-i", only)
    )


def attributes(git: Git, paths: Iterable[str]) -> dict[tuple[str, str], bool]:
    """What .gitattributes says: (path, "generated" or "vendored") to yes or no, where it says."""
    asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
    answer = git.run("check-attr", "-z", "--stdin", *_ATTRIBUTES, stdin=asked).split(b"\0")
    said: dict[tuple[str, str], bool] = {}
    for path, name, value in zip(answer[0::3], answer[1::3], answer[2::3], strict=False):
        if value != b"unspecified":
            key = (os.fsdecode(path), name.decode().removeprefix("linguist-"))
            said[key] = value in (b"set", b"true")
    return said


class Workspace(NamedTuple):
    """Looked up once for each packet."""

    root: Path
    git: Git
    listing: Listing
    known: PathFacts
    tree: WorkTree


def open_workspace(git: Git, request: PacketRequest, *, whole: bool) -> Workspace:
    """Ask git what there is; the rules of the tree count only where the ``whole`` is judged."""
    root, listing = git.root, list_files(git)
    asked = whole and any(path.endswith(".gitattributes") for path in listing.tracked)
    known = PathFacts(
        tracked=listing.tracked,
        barred=guildignored(git, listing) if whole else frozenset(),
        attributes=attributes(git, listing.all) if asked else {},
    )
    return Workspace(root, git, listing, known, WorkTree(str(root), request.max_file_bytes))


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
