"""What lies around a council: the repository that its words may name, and who could answer.

The plan is made by pure functions; this is what they are given to look with. Nothing is looked up
before it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.binding import bind_model, parse_model
from guildmoot.agents.presets.reviewers import Reviewers, load_reviewers
from guildmoot.backends import get_backend
from guildmoot.model.agent import Agent
from guildmoot.packet.listing import list_files
from guildmoot.system.git import Git, GitError
from guildmoot.text.globs import matches

JUDGE = Agent(
    name="judge",
    description="a judge of the council; its prompt is written for the sitting",
    body="",
    source="built in",
    reply="council",
)
"""Who sits where no agent was named; cast on a vendor before it is seated."""

_PLANS = (
    *("plan*.md", "*-plan.md", "*_plan.md", "spec*.md", "*-spec.md", "design*.md", "rfc*.md"),
    *("plans/", "specs/", "rfcs/", "adr/"),
)
_OWN = (".agents/council/", ".guild/")
"""What we write ourselves: never what somebody means by their work."""
_PLAN_FOLDERS = (".agents/plans", ".guild/plan")


class RepositoryView(NamedTuple):
    """How the words of a request are looked up."""

    exists: Callable[[str], bool] = lambda word: False
    """Whether a path, seen from where the user stands, is there and within the repository."""
    files: Callable[[], Sequence[str]] = lambda: ()
    """Every file of the repository, as a path that can be named from where the user stands."""
    changed: Callable[[], bool] = lambda: False
    """Whether the working tree differs from the last commit."""
    has_commits: Callable[[], bool] = lambda: False
    newest_plan: Callable[[], str] = lambda: ""
    """The plan or spec that was written last; empty when there is none."""
    read: Callable[[str], str] = lambda path: Path(path).read_text(encoding="utf-8")
    """The text of a file that a flag names."""
    reviewers: Reviewers = Reviewers()


NOWHERE = RepositoryView()
"""No repository: every word is part of the question."""


def view_repository(root: Path, cwd: Path) -> RepositoryView:
    """What there is in the repository ``root``, for a user who stands in ``cwd``."""

    @cache
    def listed() -> tuple[str, ...]:
        return _listed(root)

    def from_here(path: str) -> str:
        return os.path.relpath(root / path, cwd).replace(os.sep, "/")

    return RepositoryView(
        exists=lambda word: _is_inside(root, cwd / word),
        files=lambda: tuple(map(from_here, listed())),
        changed=cache(lambda: any(not _is_own(path) for path in _changes(root))),
        has_commits=cache(lambda: bool(_ask(root, "rev-parse", "--verify", "-q", "HEAD"))),
        newest_plan=cache(lambda: from_here(plan) if (plan := _newest(root, listed())) else ""),
        read=lambda path: (cwd / path).read_text(encoding="utf-8"),
        reviewers=load_reviewers(root),
    )


def why_not(vendor: str) -> str:
    """Why a vendor (``claude``, ``codex:MODEL``, ``provider:model``) cannot answer now, or nothing."""
    judge = bind_model(JUDGE, parse_model(vendor)._replace(agent=JUDGE.name))
    return get_backend(judge.backend).missing(judge)


def is_plan(path: str) -> bool:
    """Whether a file is a plan, a spec or a design, going by its name."""
    return matches(path.casefold(), _PLANS) and path.casefold().endswith((".md", ".txt", ".rst"))


def _is_inside(root: Path, path: Path) -> bool:
    """A sentence may speak of ``/etc``; that does not put it before the judges."""
    folder = os.path.realpath(path.parent)
    inside = os.path.realpath(root)
    return os.path.lexists(path) and os.path.commonpath((folder, inside)) == inside


def _listed(root: Path) -> tuple[str, ...]:
    try:
        return tuple(sorted(path for path in list_files(Git(root)).all if not _is_own(path)))
    except GitError:
        return ()


def _is_own(path: str) -> bool:
    return path.startswith(_OWN)


def _changes(root: Path) -> list[str]:
    """Paths that differ from the last commit."""
    answer = _ask(root, "status", "--porcelain=v1", "--untracked-files=all", "--no-renames", "-z")
    return [os.fsdecode(entry[3:]) for entry in answer.split(b"\0") if entry]


def _ask(root: Path, *words: str) -> bytes:
    try:
        return Git(root).run(*words)
    except GitError:
        return b""


def _newest(root: Path, listed: Sequence[str]) -> str:
    """Files that git ignores count too in the folders where agents keep their plans."""
    hidden = [
        path.relative_to(root).as_posix()
        for folder in _PLAN_FOLDERS
        for path in sorted((root / folder).glob("*.md"))
    ]
    plans = {path for path in listed if is_plan(path)} | set(hidden)
    there = [path for path in plans if (root / path).is_file()]
    return max(there, key=lambda path: ((root / path).stat().st_mtime_ns, path), default="")
