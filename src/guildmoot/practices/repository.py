"""The repository that is judged, as plans and checks may ask about it, and what changed there last.

Plans are made and checked by pure functions; a :class:`RepositoryView` is what they are given to look
with. Nothing is looked up before it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.presets.loader import Reviewers
from guildmoot.errors import InfrastructureError, TargetError
from guildmoot.packet.branch import branch_change as since_branch
from guildmoot.packet.branch import left_branch, nothing_changed
from guildmoot.packet.collect import LOCKS, vendored_folder
from guildmoot.packet.workspace import OWN_RECORDS, is_own, list_files, own_paths
from guildmoot.practices.recall import RecalledFile, recall_files
from guildmoot.system.files import linked_part
from guildmoot.system.git import Git, GitError
from guildmoot.text.globs import matches

_PLANS = (
    *("plan*.md", "*-plan.md", "*_plan.md", "spec*.md", "*-spec.md", "design*.md", "rfc*.md"),
    *("plans/", "specs/", "rfcs/", "adr/"),
)
_PLAN_FOLDERS = (".agents/plans", ".guild/plan")
COMMITS = 3
"""How far back a change reaches when none is named."""
MOST_FILES = 20
"""Files that one review takes then, those with the most changed lines first."""
_UNTRACKED = (".agents/", ".guild/")
"""Where councils leave files that git does not know yet; what it tracks there is judged."""
_MOST_BYTES = 4_000_000
_ALONE = "--ignore-submodules=dirty"
"""No git is started in a submodule, whose own settings could name programs."""


class RecentChange(NamedTuple):
    """What changed last."""

    title: str
    diff: str | None = None
    """What git compares with, as ``packet.PacketRequest.diff``; None stands for the only commit."""
    paths: tuple[str, ...] = ()
    """From the root; empty when nothing changed."""
    left: tuple[str, ...] = ()
    """Changed too, but beyond what one review takes."""
    gone: tuple[str, ...] = ()
    """Removed by the change, or nothing that could be read: links, records of our own."""


class RepositoryView(NamedTuple):
    """How the words of a request are looked up."""

    exists: Callable[[str], bool] = lambda word: False
    """Whether a path, seen from where the user stands, is there and within the repository."""
    files: Callable[[], Sequence[str]] = lambda: ()
    """Every file of the repository, as a path that can be named from where the user stands."""
    changed: Callable[[], bool] = lambda: False
    """Whether the working tree differs from the last commit."""
    has_commits: Callable[[], bool] = lambda: False
    commit: Callable[[str], str] = lambda name: ""
    """The commit that a name of git's stands for; empty when there is none."""
    is_branch: Callable[[str], bool] = lambda name: False
    branches: Callable[[], Sequence[str]] = lambda: ()
    """The names of the local branches."""
    current_branch: Callable[[], str] = lambda: ""
    base_branch: Callable[[str], str] = lambda name: ""
    """The branch that another one left; empty when it left none."""
    ahead: Callable[[str, str], bool] = lambda base, name: False
    """Whether the second branch has commits that the first has not."""
    titled: Callable[[str], Sequence[str]] = lambda subject: ()
    """The commits that have this subject, newest first, each by its short hash."""
    recent_change: Callable[[], RecentChange] = lambda: RecentChange("nothing")
    """The last commits and what is not committed yet; TargetError where nothing was committed."""
    branch_change: Callable[[], RecentChange] = lambda: RecentChange("nothing")
    """What the branch changed and what is not committed yet; NothingToJudgeError where that is nothing."""
    newest_plan: Callable[[], str] = lambda: ""
    """The plan or spec that was written last; empty when there is none."""
    read: Callable[[str], str] = lambda path: Path(path).read_text(encoding="utf-8")
    """The text of a file that a flag names."""
    reviewers: Reviewers = Reviewers()
    has: Callable[[str], bool] = lambda path: False
    """Whether a path, seen from the root, is a file or a folder of the repository."""
    count_lines: Callable[[str], int | None] = lambda path: None
    """How many lines a file, seen from the root, has; None when it cannot be told."""
    mentions: Callable[[str], Sequence[str]] = lambda word: ()
    """The files that hold a word, seen from the root."""
    before: Callable[[str, str], str] = lambda commit, path: ""
    """A file as it was in a commit, under the name that it had there; empty when it was not."""
    recall: Callable[[str], Sequence[RecalledFile]] = lambda question: ()
    """The files that a question is about, the best first, as paths that can be named from here."""


NOWHERE = RepositoryView()
"""No repository: every word is part of the question."""


def view_repository(root: Path, cwd: Path) -> RepositoryView:
    """What there is in the repository ``root``, for a user who stands in ``cwd``; nothing outside."""

    @cache
    def listed() -> tuple[str, ...]:
        return _listed(root)

    def from_here(path: str) -> str:
        return os.path.relpath(root / path, cwd).replace(os.sep, "/")

    return RepositoryView(
        # a sentence may speak of /etc; that does not put it before the judges
        exists=lambda word: os.path.lexists(cwd / word) and _is_within(root, (cwd / word).parent),
        files=cache(lambda: tuple(map(from_here, listed()))),
        changed=cache(lambda: _is_changed(root)),
        has_commits=cache(lambda: bool(_ask(root, "rev-parse", "--verify", "-q", "HEAD"))),
        commit=cache(lambda name: _commit(root, name)),
        is_branch=lambda name: bool(
            _ask(root, "for-each-ref", f"refs/heads/{name}", f"refs/remotes/{name}")
        ),
        branches=lambda: tuple(
            _text(_ask(root, "for-each-ref", "--format=%(refname:short)", "refs/heads")).split()
        ),
        current_branch=lambda: _text(_ask(root, "symbolic-ref", "--short", "--quiet", "HEAD")),
        base_branch=cache(lambda name: left_branch(Git(root), name)),
        ahead=cache(
            lambda base, name: bool(_ask(root, "rev-list", "-n1", f"{base}..{name}", "--"))
        ),
        titled=cache(lambda subject: _titled(root, subject)),
        recent_change=lambda: recent_change(root),
        branch_change=cache(lambda: branch_change(root)),
        newest_plan=cache(lambda: from_here(plan) if (plan := _newest(root, listed())) else ""),
        read=lambda path: (cwd / path).read_text(encoding="utf-8"),
        has=lambda path: _is_within(root, path) and (root / path).exists(),
        count_lines=lambda path: _count_lines(root, path),
        mentions=cache(lambda word: _mentions(root, word)),
        before=cache(lambda commit, path: _before(root, commit, path)),
        recall=lambda question: tuple(
            each._replace(path=from_here(each.path)) for each in recall_files(root, question)
        ),
    )


def is_plan(path: str) -> bool:
    """Whether a file is a plan, a spec or a design, going by its name."""
    return matches(path.casefold(), _PLANS) and path.casefold().endswith((".md", ".txt", ".rst"))


def _listed(root: Path) -> tuple[str, ...]:
    try:
        return tuple(sorted(p for p in list_files(Git(root)).all if not is_own(p)))
    except GitError:
        return ()


def _is_changed(root: Path) -> bool:
    """Whether a path differs from the last commit, other than what we write ourselves."""
    answer = _ask(
        root, "status", "--porcelain=v1", "--untracked-files=all", "--no-renames", "-z", _ALONE
    )
    rows = [os.fsdecode(row[3:]) for row in answer.split(b"\0") if row]
    return any(not is_own(path) for path in rows)


def _ask(root: Path, *words: str) -> bytes:
    try:
        return Git(root).run(*words)
    except GitError:
        return b""


def _commit(root: Path, name: str) -> str:
    """A name that leaves nothing open: ``:/text`` would look through messages."""
    if not name or name[0] == "-" or ":" in name:
        return ""
    try:
        return Git(root).commit(name)
    except GitError:
        return ""


def _titled(root: Path, subject: str) -> tuple[str, ...]:
    """Those of the checked out history whose first line is the subject, whatever the case of its letters."""
    sought = ("--fixed-strings", "--regexp-ignore-case", f"--grep={subject}")
    rows = _text(_ask(root, "log", *sought, "--format=%h %s", "HEAD", "--")).splitlines()
    pairs = (row.split(" ", 1) for row in rows if " " in row)
    return tuple(name for name, said in pairs if said.casefold() == subject.casefold())


def _text(answer: bytes) -> str:
    return answer.decode("utf-8", "replace").strip()


def _newest(root: Path, listed: Sequence[str]) -> str:
    """Files that git ignores count too in the folders where agents keep their plans."""
    hidden = [
        path.relative_to(root).as_posix()
        for folder in _PLAN_FOLDERS
        if not linked_part(root, folder)
        for path in sorted((root / folder).glob("*.md"))
    ]
    plans = {p for p in listed if is_plan(p) and not vendored_folder(p, "")} | set(hidden)
    # A link is nobody's plan: it may lead to any file of the user's, whose words would be sent off.
    there = [p for p in plans if (root / p).is_file() and not linked_part(root, p)]
    return max(there, key=lambda path: ((root / path).stat().st_mtime_ns, path), default="")


def recent_change(root: Path) -> RecentChange:
    """The last commits and what is not committed yet; TargetError where nothing was committed."""
    with _told_failures(root):
        return _recent_change(Git(root))


def branch_change(root: Path) -> RecentChange:
    """The change that ``guild validate`` judges when none is named, with all of its files."""
    with _told_failures(root):
        git = Git(root)
        if not _ask(root, "rev-parse", "--verify", "-q", "HEAD"):
            raise _nothing_committed()
        change = since_branch(git)
        open_ended = change.commits and _is_dirty(git)
        title = f"{change.title} and uncommitted work" if open_ended else change.title
        found = _changed(git, change.base, title)
    if not found.paths and not found.gone:
        raise nothing_changed(change, change.nothing or change.title)
    return found._replace(paths=tuple(sorted((*found.paths, *found.left))), left=())


@contextmanager
def _told_failures(root: Path) -> Iterator[None]:
    try:
        yield
    except GitError as error:
        raise InfrastructureError(
            f"git failed in {root}: {error}.", "See whether `git status` works there."
        ) from error


def _nothing_committed() -> TargetError:
    return TargetError(
        "nothing was committed here yet, so nothing changed",
        "Name what is to be judged, e.g. a folder.",
    )


def _recent_change(git: Git) -> RecentChange:
    try:
        words = ("rev-list", "--count", "--first-parent", f"--max-count={COMMITS + 1}", "HEAD")
        commits = int(git.run(*words))
    except GitError:
        if _ask(git.root, "rev-parse", "--verify", "-q", "HEAD"):
            raise
        raise _nothing_committed() from None
    return _reaching(git, commits, dirty=_is_dirty(git))


def _is_dirty(git: Git) -> bool:
    status = git.names("status", "--porcelain", "-z", _ALONE)
    return any(not _is_left(row) for row in status)


def _reaching(git: Git, commits: int, *, dirty: bool) -> RecentChange:
    """The change as far back as there are commits; the very first one has nothing before it."""
    if commits > 1:
        back = min(COMMITS, commits - 1)
        title = f"the last {back} commits" if back > 1 else "the last commit"
        return _changed(git, f"HEAD~{back}", f"{title} and uncommitted work" if dirty else title)
    if dirty:
        return _changed(git, "HEAD", "uncommitted work")._replace(diff="")
    return _changed(git, git.empty_tree(), "the only commit")._replace(diff=None)


def _changed(git: Git, since: str, title: str) -> RecentChange:
    fixed = ("--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
    rows = git.names("diff", "--numstat", "-z", *fixed, since, "--")
    weights = {path: _weight(added, gone) for added, gone, path in (r.split("\t", 2) for r in rows)}
    for path in git.names("ls-files", "-z", "-o", "--exclude-standard"):
        if not path.startswith(_UNTRACKED) and not path.endswith("/"):
            weights[path] = _count_lines(git.root, path) or 0
    own = own_paths(dict.fromkeys(weights, ""))
    there = [p for p in weights if (git.root / p).is_file() and p not in own]
    locks = [p for p in there if matches(p, LOCKS)]  # nobody reads them, so they take no place
    ranked = sorted((p for p in there if p not in locks), key=lambda p: (-weights[p], p))
    taken, left = ranked[:MOST_FILES], ranked[MOST_FILES:]
    return RecentChange(
        title,
        since,
        tuple(sorted(taken if left else taken + locks)),
        tuple(left + locks if left else left),
        tuple(path for path in weights if path not in there),
    )


def _is_left(row: str) -> bool:
    """Whether a row of git's status is about a record, or about files of ours that are not tracked."""
    path = row[3:]
    return matches(path, OWN_RECORDS) or (row.startswith("??") and path.startswith(_UNTRACKED))


def _weight(added: str, gone: str) -> int:
    """Changed lines; git gives none for a binary file."""
    return sum(int(number) for number in (added, gone) if number.isdecimal())


def _is_within(root: Path, path: str | Path) -> bool:
    full, inside = os.path.realpath(root / path), os.path.realpath(root)
    return full == inside or full.startswith(inside + os.sep)


def _count_lines(root: Path, path: str) -> int | None:
    file = root / path
    if not _is_within(root, path) or not file.is_file() or file.stat().st_size > _MOST_BYTES:
        return None
    data = file.read_bytes()
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def _mentions(root: Path, word: str) -> tuple[str, ...]:
    """The files that hold a word; git calls it a failure when there is none."""
    answer = _ask(root, "grep", "-l", "-z", "-w", "-I", "--untracked", "-F", "-e", word)
    return tuple(os.fsdecode(path) for path in answer.split(b"\0") if path)


def _before(root: Path, commit: str, path: str) -> str:
    """What git has of a file in a commit; a file that is not there may have been renamed since."""
    found = _ask(root, "cat-file", "blob", f"{commit}:{path}")
    if not found:
        found = _ask(root, "cat-file", "blob", f"{commit}:{_renamed(root, commit).get(path, path)}")
    return found.decode("utf-8", "replace")


@cache
def _renamed(root: Path, commit: str) -> dict[str, str]:
    """Old names by new ones, of what was renamed since a commit."""
    fixed = ("--no-ext-diff", "--no-textconv", "--find-renames", "--diff-filter=R", _ALONE)
    names = _ask(root, "diff", "--name-status", "-z", *fixed, commit, "--").split(b"\0")
    rows = iter(map(os.fsdecode, names))
    return {new: old for _, old, new in zip(rows, rows, rows, strict=False)}
