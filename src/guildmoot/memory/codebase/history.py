"""What git's history tells of each file: how often it changed, how much, and who knows it. Pure but for the log."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from guildmoot.errors import GuildmootError
from guildmoot.system.git import Git, GitError

MOST_COMMITS = 3_000
_RECENT = 180 * 86_400
MOST_NEW = 300
"""Commits that are added to what is known; above that all is counted anew, so that "recent" stays true."""
_HEAD = "\x01"


class FileHistory(NamedTuple):
    """What the last commits did to a file."""

    commits: int = 0
    recent: int = 0
    """Commits of the half year before the newest one, as of when they were counted."""
    changed: int = 0
    """Lines added and taken away."""
    by: tuple[tuple[str, int], ...] = ()
    """Who changed it, most often first, with the number of commits."""

    @property
    def owners(self) -> tuple[tuple[str, int], ...]:
        """The three who know it best."""
        return self.by[:3]


class History(NamedTuple):
    """The history of every file up to a commit."""

    head: str = ""
    files: Mapping[str, FileHistory] = MappingProxyType({})


def read_history(git: Git, known: History) -> History:
    """The history from the last commits; only commits after those that are known already are asked for."""
    try:
        head = git.commit("HEAD")
        if head == known.head:
            return known
        since = _count_since(git, known.head)
        words = [f"{known.head}..{head}"] if since is not None else [f"-n{MOST_COMMITS}", head]
        log = git.run(
            "log", "--no-merges", "--no-renames", "--numstat", "-z", f"--format={_HEAD}%at%x02%aN",
            *words,
        )  # fmt: skip
    except (GitError, GuildmootError):
        return History()
    found = parse_log(log.decode("utf-8", "replace").split("\0"))
    return History(head, _joined(known.files, found) if since is not None else found)


def _count_since(git: Git, known: str) -> int | None:
    """How many commits came after the known one; None when all must be counted anew."""
    if not known:
        return None
    try:
        git.run("merge-base", "--is-ancestor", known, "HEAD")
        count = int(git.run("rev-list", "--count", f"{known}..HEAD"))
    except (GitError, ValueError):
        return None
    return count if count <= MOST_NEW else None


def _joined(
    earlier: Mapping[str, FileHistory], later: Mapping[str, FileHistory]
) -> dict[str, FileHistory]:
    joined = dict(earlier)
    for path, new in later.items():
        old = joined.get(path, FileHistory())
        by = Counter(dict(old.by)) + Counter(dict(new.by))
        joined[path] = FileHistory(
            old.commits + new.commits,
            old.recent + new.recent,
            old.changed + new.changed,
            tuple(by.most_common()),
        )
    return joined


def parse_log(pieces: Iterable[str]) -> dict[str, FileHistory]:
    """The same from what ``git log --numstat -z`` prints, piece by piece."""
    commits: Counter[str] = Counter()
    recent: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    owners: dict[str, Counter[str]] = defaultdict(Counter)
    newest = at = 0
    author = ""
    for piece in pieces:
        text = piece.lstrip("\n")
        if text.startswith(_HEAD):
            time, _, rest = text[1:].partition("\x02")
            author, _, text = rest.partition("\n")
            at = int(time) if time.isdecimal() else 0
            newest = newest or at
            text = text.lstrip("\n")
        added, _, rest = text.partition("\t")
        removed, _, path = rest.partition("\t")
        if not path:
            continue
        commits[path] += 1
        recent[path] += at > newest - _RECENT
        changed[path] += sum(int(n) for n in (added, removed) if n.isdecimal())
        owners[path][author] += 1
    return {
        path: FileHistory(count, recent[path], changed[path], tuple(owners[path].most_common()))
        for path, count in commits.items()
    }
