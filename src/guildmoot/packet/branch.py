"""What a branch changes: everything since it left the default branch, with what is not committed yet.

The default branch is the one that CI merges into, else the one that ``origin`` names, else ``main`` or
``master``, there or here; the branch that is checked out is never compared with itself. Where none of
them is known, the branch's own upstream takes its place, else the last commit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from guildmoot.errors import TargetError
from guildmoot.guard.base_branch import base_branch
from guildmoot.packet.diff import Change
from guildmoot.system.git import Git, GitError

_ORIGIN = "refs/remotes/origin/"
_HERE = "refs/heads/"
_USUAL = ("main", "master", "trunk", "develop")
_NO_DEFAULT = "no default branch (origin's, main or master) is known here"


def branch_change(git: Git, head: str) -> Change:
    """The branch and the working tree against where the branch began; ``head`` is its last commit."""
    if not head:
        return Change(
            "everything that is here, for nothing is committed yet",
            (git.empty_tree(),),
            in_worktree=True,
        )
    current = _symbolic(git, "HEAD")
    shown = f"branch {_short(current)}" if current else f"the commit {head[:10]}"
    bases = _bases(git, current)
    if not bases:
        why = "" if _short(current) in _USUAL else f" ({_NO_DEFAULT})"
        return Change(f"uncommitted work on {shown}{why}", (head,), in_worktree=True)
    start = _meeting(git, head, bases)
    ahead = int(git.run("rev-list", "--count", f"{start}..{head}"))
    against = _short(next(iter(bases)))
    if not ahead:
        title = f"uncommitted work on {shown} (no commits since {against})"
        return Change(title, (start,), in_worktree=True)
    commits = "1 commit" if ahead == 1 else f"{ahead:,} commits"
    title = f"{shown}: {commits} since {against} ({start[:10]}) and uncommitted work"
    return Change(title, (start,), in_worktree=True)


def _bases(git: Git, current: str) -> dict[str, str]:
    """The default branch by its names, there and here, with their commits; the first speaks."""
    merged_into = base_branch(git.root)
    if merged_into:
        if not merged_into.commit:
            raise TargetError(
                f"origin/{merged_into.name}, which this change is to be merged into, is not in this clone.",
                "Fetch it (in GitHub's checkout: fetch-depth: 0), then try again.",
            )
        return {f"{_ORIGIN}{merged_into.name}": merged_into.commit}
    named = _symbolic(git, f"{_ORIGIN}HEAD").removeprefix(_ORIGIN)
    for name in dict.fromkeys((*([named] if named else ()), *_USUAL)):
        places = (f"{_ORIGIN}{name}", f"{_HERE}{name}")
        found = dict(_commits(git, (place for place in places if place != current)))
        if found:
            return found
        if f"{_HERE}{name}" == current:
            break  # the default branch of a repository that knows no other place
    return dict(_commits(git, iter((_upstream(git, current),))))


def _commits(git: Git, names: Iterator[str]) -> Iterator[tuple[str, str]]:
    for name in filter(None, names):
        with suppress(GitError):
            yield name, git.commit(name)


def _upstream(git: Git, current: str) -> str:
    if not current:
        return ""
    with suppress(GitError):
        return git.run("for-each-ref", "--format=%(upstream)", current).decode().strip()
    return ""


def _meeting(git: Git, head: str, bases: dict[str, str]) -> str:
    """The nearest commit that the branch shares with its base."""
    try:
        return git.run("merge-base", head, *bases.values()).decode().split()[0]
    except GitError:
        name = _short(next(iter(bases)))
    if git.run("rev-parse", "--is-shallow-repository").strip() == b"true":
        raise TargetError(
            f"This clone is shallow: where this branch left {name} is not here to compare with.",
            "Run `git fetch --unshallow`, then try again.",
        )
    raise TargetError(
        f"This branch and {name} have no common ancestor.",
        f"Compare them directly: guild validate --diff {name}",
    )


def _symbolic(git: Git, name: str) -> str:
    """The whole name of the ref that another one points to; empty where it is a commit, or not there."""
    try:
        return git.run("symbolic-ref", "--quiet", name).decode().strip()
    except GitError:
        return ""


def _short(ref: str) -> str:
    return ref.removeprefix("refs/heads/").removeprefix("refs/remotes/")
