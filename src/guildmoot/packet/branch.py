"""What a branch changes: everything since it left the default branch, with what is not committed yet.

The default branch is the one that CI merges into, else the one that ``origin`` names, else ``main`` or
``master``, there or here; the branch that is checked out is never compared with itself. Where none of
them is known, the branch's own upstream takes its place, else the last commit.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from guildmoot.errors import NothingToJudgeError, TargetError
from guildmoot.guard.base_branch import base_branch
from guildmoot.named import NamedTuple
from guildmoot.packet.diff import Change
from guildmoot.system.git import Git, GitError

_ORIGIN = "refs/remotes/origin/"
_HERE = "refs/heads/"
_USUAL = ("main", "master", "trunk", "develop")
_NO_DEFAULT = "no default branch (origin's, main or master) is known here"


def branch_change(git: Git) -> Change:
    """The branch and the working tree against where the branch began."""
    head, current = _checked_out(git)
    if not head:
        return Change(
            "everything that is here, for nothing is committed yet",
            (git.empty_tree(),),
            in_worktree=True,
        )
    shown = f"branch {_short(current)}" if current else f"the commit {head[:10]}"
    bases = _bases(git, current)
    if not bases:
        known = _short(current) in _USUAL
        title = f"uncommitted work on {shown}{'' if known else f' ({_NO_DEFAULT})'}"
        nothing = f"{shown} has no uncommitted work"
        return Change(title, (head,), in_worktree=True, nothing=nothing, unsure=not known)
    start = head if head in bases.values() else _meeting(git, head, bases)
    ahead = int(git.run("rev-list", "--count", f"{start}..{head}")) if start != head else 0
    base = next(iter(bases))
    against = _short(base)
    unsure = against == f"origin/{_short(current)}" and _short(current) not in _USUAL
    nothing = f"{shown} has no commits since {against} and no uncommitted work"
    if not ahead:
        title = f"uncommitted work on {shown} (no commits since {against})"
        unsure = unsure and base != f"{_ORIGIN}{_default(git)}"
        return Change(title, (start,), in_worktree=True, nothing=nothing, unsure=unsure)
    commits = "1 commit" if ahead == 1 else f"{ahead:,} commits"
    title = f"{shown}: {commits} since {against} ({start[:10]})"
    return Change(title, (start,), in_worktree=True, commits=True, nothing=nothing)


def nothing_changed(change: Change, title: str) -> TargetError:
    """What to say of a change that is empty: no mistake, but where nobody knows what it is compared with."""
    if change.unsure:
        return TargetError(
            f"{change.nothing}; which branch it left is not known here.",
            "Name it: guild validate --diff BRANCH...HEAD; or fetch origin's branches and run"
            " `git remote set-head origin --auto`.",
        )
    return NothingToJudgeError(
        f"Nothing changed: {title}.",
        "`guild validate .` judges the whole repository, `guild validate recent` the last commit.",
    )


def is_dirty(git: Git) -> bool:
    """Whether the working tree or the index differs from the last commit, in what git tracks."""
    try:
        git.run("diff", "--quiet", "--ignore-submodules=dirty", "HEAD", "--")
    except GitError:
        return True
    return False


def left_branch(git: Git, name: str) -> str:
    """The branch that the branch ``name`` left, as people write it; empty when there is none."""
    refs = (f"{_HERE}{name}", f"refs/remotes/{name}")
    current = next(iter(_known(git, refs)), "")
    return _short(next(iter(_bases(git, current)), ""))


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
    usual = tuple(where + name for name in _USUAL for where in (_ORIGIN, _HERE))
    known = _known(git, (f"{_ORIGIN}HEAD", *usual, current))
    default = known.get(f"{_ORIGIN}HEAD")
    named = default.target.removeprefix(_ORIGIN) if default else ""
    if named and named not in _USUAL:
        known |= _known(git, (_ORIGIN + named, _HERE + named))
    names = tuple(dict.fromkeys((*([named] if named else ()), *_USUAL)))
    for name in names:
        places = (f"{_ORIGIN}{name}", f"{_HERE}{name}")
        found = {place: known[place].commit for place in places if place in known}
        found.pop(current, None)
        if found:
            return found
        if f"{_HERE}{name}" == current:
            break  # the default branch of a repository that knows no other place
    else:
        if only := _only_other(git, current):
            return only
    upstream = known[current].upstream if current in known else ""
    return {name: ref.commit for name, ref in _known(git, (upstream,)).items()}


def _only_other(git: Git, current: str) -> dict[str, str]:
    """The one branch beside the one that is checked out, such as "develop" under another name; else nothing."""
    here = os.fsdecode(git.run("for-each-ref", "--format=%(refname)", _HERE)).splitlines()
    others = [name for name in here if name != current]
    known = _known(git, others) if current and len(others) == 1 else {}
    return {name: ref.commit for name, ref in known.items()}


def _default(git: Git) -> str:
    """The branch that ``origin`` calls its default one; empty where that is not known."""
    return _symbolic(git, f"{_ORIGIN}HEAD").removeprefix(_ORIGIN)


class _Ref(NamedTuple):
    commit: str
    upstream: str
    """The whole name of the branch that it follows; empty without one."""
    target: str
    """The whole name of the branch that it stands for; empty where it is one itself."""


def _known(git: Git, names: Iterable[str]) -> dict[str, _Ref]:
    """Those of the whole names that there are, with their commits; what is no commit is left out."""
    asked = [name for name in names if name]
    if not asked:
        return {}
    row = "%(refname)%00%(objecttype)%00%(objectname)%00%(upstream)%00%(symref)"
    try:
        listed = git.run("for-each-ref", f"--format={row}", "--", *asked)
    except GitError:  # the object of one of them is missing: the others still count
        found = (_known(git, (name,)) for name in asked) if len(asked) > 1 else ()
        return {name: ref for each in found for name, ref in each.items()}
    rows = (line.split("\0") for line in os.fsdecode(listed).splitlines())
    return {
        name: _Ref(commit, upstream, target)
        for name, kind, commit, upstream, target in rows
        if kind == "commit" and name in asked
    }


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


def _checked_out(git: Git) -> tuple[str, str]:
    """The last commit, empty before the first one; and the whole name of its branch, empty without one."""
    try:
        said = git.run("rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD")
    except GitError:
        return "", ""
    commit, name = os.fsdecode(said).split()
    return commit, name.removeprefix("HEAD")


def _symbolic(git: Git, name: str) -> str:
    """The whole name of the ref that another one points to; empty where it is a commit, or not there."""
    try:
        return git.run("symbolic-ref", "--quiet", name).decode().strip()
    except GitError:
        return ""


def _short(ref: str) -> str:
    return ref.removeprefix("refs/heads/").removeprefix("refs/remotes/")
