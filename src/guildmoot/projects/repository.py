"""Which repository, branch and project a folder belongs to, read from git's own files.

No process is started for what every command needs. A linked work tree, a moved clone and the main
checkout lead to the same common folder; a submodule has its own.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple

_HEADS = "refs/heads/"
_USUAL = ("main", "master", "trunk", "develop")

if TYPE_CHECKING:

    class Checkout(NamedTuple):
        """One work tree of a repository."""

        root: str
        """The folder that holds the files."""
        git: str
        """Git's folder of this work tree."""
        common: str
        """Git's folder that all work trees of the repository share."""

else:  # typing costs more to import than this whole file
    Checkout = namedtuple("Checkout", "root git common")


def find_checkout(start: str) -> Checkout | None:
    """The work tree that holds a folder; None outside of git."""
    at = os.path.abspath(start)
    while True:
        place = os.path.join(at, ".git")
        if os.path.isdir(place) and os.path.exists(os.path.join(place, "HEAD")):
            return Checkout(at, place, _common(place))
        if os.path.isfile(place):
            linked = _linked(at, place)
            return Checkout(at, linked, _common(linked)) if linked else None
        above = os.path.dirname(at)
        if above == at:
            return None
        at = above


def current_branch(checkout: Checkout) -> str:
    """The branch that is checked out; empty when none is, or when it has no commit yet."""
    head = _line(os.path.join(checkout.git, "HEAD"))
    name = head.removeprefix("ref:").strip()
    if not head.startswith("ref:") or not name.startswith(_HEADS):
        return ""
    branch = name.removeprefix(_HEADS)
    return branch if branch_exists(checkout, branch) else ""


def is_detached(checkout: Checkout) -> bool:
    """Whether a commit, and no branch, is checked out."""
    head = _line(os.path.join(checkout.git, "HEAD"))
    return bool(head) and not head.startswith("ref:")


def branch_exists(checkout: Checkout, branch: str) -> bool:
    """Whether a local branch has a commit."""
    if not branch or ".." in branch or branch.startswith(("/", "-")):
        return False
    if os.path.isfile(os.path.join(checkout.common, "refs", "heads", *branch.split("/"))):
        return True
    return f" {_HEADS}{branch}\n" in _read(os.path.join(checkout.common, "packed-refs"))


def head_commit(checkout: Checkout) -> str:
    """The commit that is checked out, as far as git's plain files tell; else empty."""
    head = _line(os.path.join(checkout.git, "HEAD"))
    if not head.startswith("ref:"):
        return head
    name = head.removeprefix("ref:").strip()
    known = _line(os.path.join(checkout.common, *name.split("/"))) if ".." not in name else ""
    if known:
        return known
    packed = _read(os.path.join(checkout.common, "packed-refs")).splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {name}")), "")


def branch_is_known(checkout: Checkout, branch: str) -> bool:
    """Whether there is such a branch, here or at a remote."""
    if branch_exists(checkout, branch):
        return True
    remotes = os.path.join(checkout.common, "refs", "remotes")
    try:
        names = os.listdir(remotes)
    except OSError:
        names = []
    packed = _read(os.path.join(checkout.common, "packed-refs"))
    return any(
        os.path.isfile(os.path.join(remotes, name, *branch.split("/"))) for name in names
    ) or any(
        line.partition(" ")[2].startswith("refs/remotes/")
        and line.partition(" ")[2].split("/", 3)[3:] == [branch]
        for line in packed.splitlines()
    )


def default_branch(checkout: Checkout, wanted: str) -> str:
    """The branch that others are merged into: the project's own word, else origin's, else the usual."""
    remote = _line(os.path.join(checkout.common, "refs", "remotes", "origin", "HEAD"))
    named = remote.removeprefix("ref: refs/remotes/origin/") if remote.startswith("ref: ") else ""
    return next((name for name in (wanted, named, *_USUAL) if branch_exists(checkout, name)), "")


def root_commit(checkout: Checkout) -> str:
    """The repository's first commit, by which it is known wherever it is moved; empty without one."""
    from guildmoot.system.git import Git, GitError

    try:
        roots = Git(checkout.root).run("rev-list", "--max-parents=0", "HEAD").decode().split()
    except GitError:
        return ""
    return min(roots) if roots else ""


def writer_name(checkout: Checkout) -> str:
    """A short name of this clone, made once: two clones on one branch never write the same file."""
    place = os.path.join(checkout.common, "guildmoot-writer")
    known = _line(place)
    if len(known) == 6 and known.isalnum():
        return known
    name = os.urandom(3).hex()
    try:
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    except FileExistsError:
        return _line(place) or name
    except OSError:  # a read-only repository: the name is a new one each time, never another's
        return name
    with open(handle, "w", encoding="ascii") as stream:
        stream.write(name)
    return name


def _common(git: str) -> str:
    shared = _line(os.path.join(git, "commondir"))
    return os.path.normpath(os.path.join(git, shared)) if shared else git


def _linked(folder: str, file: str) -> str:
    line = _line(file)
    if not line.startswith("gitdir:"):
        return ""
    place = os.path.normpath(os.path.join(folder, line.removeprefix("gitdir:").strip()))
    return place if os.path.isdir(place) else ""


def _line(path: str) -> str:
    return _read(path, 4096).partition("\n")[0].strip()


def _read(path: str, most: int = -1) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read(most)
    except OSError:
        return ""
