"""What changed, in git's terms, and as a draft: its diff, and the whole new text of what it touches.

A change is the working tree, the index, a range or the last commits against what came before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from guildmoot.errors import TargetError
from guildmoot.guard.egress import admit
from guildmoot.model.packet import Omission
from guildmoot.model.verdict import Finding
from guildmoot.packet.collect import ByteBudget, CollectedFiles, collect, omissions, refuse_name
from guildmoot.packet.contents import Blobs, Refusal
from guildmoot.packet.diff import (
    Entry,
    Patch,
    Ranges,
    added_patch,
    changed_ranges,
    clip,
    parse_raw,
    split_patches,
)
from guildmoot.packet.digest import count_lines
from guildmoot.packet.egress import Draft
from guildmoot.packet.guarded import guarded_changes
from guildmoot.packet.request import REASONS, RECENT, PacketRequest
from guildmoot.packet.sections import make_sections
from guildmoot.packet.targets import Pick, make_rules, pick
from guildmoot.packet.workspace import Workspace, describe
from guildmoot.system.git import Git, GitError, find_root

# Every setting of the user that would change the bytes is overruled, and so is whatever would run a
# program. Files beyond the limit are taken for binary, so that git never holds a huge one.
_FIXED = (
    "-l1000", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames",
    "--diff-algorithm=histogram", "--src-prefix=a/", "--dst-prefix=b/", "--full-index",
    "--unified=3", "--inter-hunk-context=0", "--indent-heuristic", "--submodule=short",
    "--ignore-submodules=dirty", "-O/dev/null", "--no-abbrev",
)  # fmt: skip
_PLAIN = ("-c", "diff.suppressBlankEmpty=false")
_HINTS = {
    "key-file": "Key files are never shown to judges, even when they are named.",
    "ignored": "Change .guildignore to have it judged.",
    "generated": "Name a file itself to have it judged all the same.",
    "vendored": "Name a file itself, or its folder, to have it judged all the same.",
    "too-large": "Raise packet.max_file_bytes, or judge a part of it.",
    "over-budget": "Raise packet.max_bytes, or name fewer files.",
    "submodule": "Run it inside that repository.",
    "symlink": "Name the file that the link points to.",
}


class Change(NamedTuple):
    """Two states to compare."""

    title: str
    """In words, for people."""
    revisions: tuple[str, ...]
    """The arguments for git diff."""
    in_worktree: bool
    """The new side is the working tree, so new content is read from there."""

    @property
    def base(self) -> str:
        """What it is compared with."""
        return self.revisions[1 if self.revisions[0] == "--cached" else 0]


def base_revision(request: PacketRequest) -> str:
    """The commit that a requested change is compared with; empty where whole files are judged."""
    asked = (request.staged, request.diff is not None, request.targets == (RECENT,))
    if sum(asked) != 1:
        return ""  # no change, or more than one: then the packet is refused
    change = change_of(Git(find_root(request.cwd)), request)
    return change.base if change else ""


def change_of(git: Git, request: PacketRequest) -> Change | None:
    """The change that is requested; None where whole files are."""
    if request.staged:
        return staged(git)
    if request.diff is not None:
        return compare(git, request.diff)
    return recent(git, request.recent) if request.targets == (RECENT,) else None


def staged(git: Git) -> Change:
    """What the next commit would hold."""
    return Change("staged changes", ("--cached", _head(git) or git.empty_tree()), in_worktree=False)


def compare(git: Git, text: str) -> Change:
    """A ref against the working tree, or the two ends of ``a..b`` or ``a...b``."""
    if not text:
        head = _head(git) or git.empty_tree()
        return Change("working tree against HEAD", (head,), in_worktree=True)
    left, dots, right = _split_range(text)
    start = commit_named(git, left or "HEAD")
    if not dots:
        return Change(f"working tree against {text}", (start,), in_worktree=True)
    end = commit_named(git, right or "HEAD")
    if dots == "...":
        start = _merge_base(git, start, end, text)
    return Change(f"changes in {text}", (start, end), in_worktree=False)


def recent(git: Git, count: int) -> Change:
    """The last commits on the way to HEAD; the first commit is compared with nothing."""
    head = _head(git)
    if not head:
        raise TargetError(
            "This repository has no commits yet, so none are recent.",
            "Commit something, or name the files to judge.",
        )
    title = "the last commit" if count == 1 else f"the last {count} commits"
    there = int(git.run("rev-list", "--count", "--first-parent", f"--max-count={count + 1}", head))
    if there > count:
        return Change(title, (commit_named(git, f"{head}~{count}"), head), in_worktree=False)
    if git.run("rev-parse", "--is-shallow-repository").strip() == b"true":
        raise TargetError(
            f"This clone is shallow: what came before {title} is not here to compare with.",
            f"Run `git fetch --deepen={count}`, then try again.",
        )
    return Change(title, (git.empty_tree(), head), in_worktree=False)


def entries_of(git: Git, change: Change) -> list[Entry]:
    """Every changed file."""
    return parse_raw(git.run(*_PLAIN, "diff", *_FIXED, "--raw", "-z", *change.revisions, "--"))


def patches_of(git: Git, change: Change, wanted: list[Entry], limit: int) -> list[Patch]:
    """The unified diff of the entries that are wanted."""
    if not wanted:
        return []
    threshold = ("-c", f"core.bigFileThreshold={limit}")
    out = git.run(*_PLAIN, *threshold, "diff", *_FIXED, "-p", *change.revisions, "--")
    return split_patches(out.decode("utf-8", "replace"), wanted)


def _split_range(text: str) -> tuple[str, str, str]:
    for dots in ("...", ".."):
        left, found, right = text.partition(dots)
        if found:
            return left, dots, right
    return text, "", ""


def _head(git: Git) -> str:
    """The commit that is checked out; empty before the first one."""
    try:
        return git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
    except GitError:
        return ""


def commit_named(git: Git, name: str) -> str:
    """The commit of that name; TargetError when there is none."""
    try:
        # Resolved before it is used, so that a name can never be taken for an option.
        found = git.run("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
    except GitError as error:
        raise TargetError(
            f"{name!r} names no commit here: git says {str(error)!r}.",
            "See `git log --oneline` and `git branch -a` for the names there are.",
        ) from None
    return found.decode().strip().splitlines()[-1]


def _merge_base(git: Git, start: str, end: str, text: str) -> str:
    try:
        return git.run("merge-base", start, end).decode().strip()
    except GitError:
        raise TargetError(
            f"The two ends of {text!r} have no common ancestor here.",
            "Use two dots to compare them directly, or fetch the missing history.",
        ) from None


class _Scope(NamedTuple):
    """The part of a change that the targets cover."""

    title: str
    entries: list[Entry]
    untracked: frozenset[str]
    picked: dict[str, Pick]
    alerts: tuple[Finding, ...]


def draft_change(request: PacketRequest, work: Workspace, change: Change) -> Draft:
    """Collect one change; the diff takes from the budget before the whole files do."""
    scope = _scope(request, work, change)
    budget = ByteBudget(request.max_bytes)
    wanted, refused = _wanted(scope, work)
    patches = patches_of(work.git, change, wanted, request.max_file_bytes)
    # A key file is never shown, but whether it holds a key is looked up where contents are read.
    keys = [entry for entry in scope.entries if admit(entry.path) and entry.status != "D"]
    held = {entry.path for entry in keys}
    omitted = omissions(each for each in refused if each[0] not in held)
    shown = list(_within(patches, request.max_file_bytes, budget, omitted))
    scope = scope._replace(entries=[*wanted, *keys])
    collected, checkout = _contents(request, work, change, scope, budget)
    omitted += collected.omitted
    new = [added_patch(*file) for file in collected.files if file[0] in scope.untracked]
    generated = {item.path for item in omitted if item.reason == "generated"}
    shown = [patch for patch in shown if patch.path not in generated]
    shown += [patch for patch in new if budget.take(len(patch.text))]
    if not shown and not collected.files:
        raise nothing_left(scope.title, omitted)
    return Draft(
        root=str(work.root),
        target=scope.title,
        files=collected.files,
        sections=make_sections(request, work.root),
        patches=sorted(shown),
        diff_title=change.title,
        omitted=omitted,
        changed=dict(_changed(collected.files, [*patches, *new])),
        checkout=checkout,
        alerts=scope.alerts,
        base=change.base,
    )


def nothing_left(target: str, omitted: Sequence[Omission]) -> TargetError:
    """The error for a target of which nothing may be judged, with the reasons counted."""
    counts = Counter(item.reason for item in omitted)
    told = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
    if len(omitted) == 1:
        only = omitted[0]
        told = f"{only.reason}: {REASONS[only.reason]}{f', {only.detail}' if only.detail else ''}"
    hints = (_HINTS[reason] for reason, _ in counts.most_common() if reason in _HINTS)
    return TargetError(
        f"Nothing is left to judge in {target} ({told or 'it is empty'}).",
        next(hints, "Name other files."),
    )


def _scope(request: PacketRequest, work: Workspace, change: Change) -> _Scope:
    entries = entries_of(work.git, change)
    touched = {name for entry in entries for name in (entry.path, entry.old)}
    # A file that is new and not yet known to git is a part of the working tree's change.
    untracked = work.listing.untracked - touched if change.in_worktree else frozenset()
    rules = make_rules(request.targets, request.cwd, work.root, touched | work.listing.all)
    title = f"{change.title}, in {describe(rules)}" if rules else change.title
    picked = pick(touched | untracked, rules)
    alerts = guarded_changes(work.git, change.base, entries, sorted(untracked))
    covered = [entry for entry in entries if entry.path in picked or entry.old in picked]
    untracked &= picked.keys()
    if not covered and not untracked:
        raise TargetError(f"Nothing changed: {title}.", "Name files to judge them whole.")
    return _Scope(title, covered, untracked, picked, alerts)


def _wanted(scope: _Scope, work: Workspace) -> tuple[list[Entry], list[tuple[str, Refusal]]]:
    """The entries whose diff may be shown, and those that either of their names rules out."""
    wanted, refused = [], []
    for entry in scope.entries:
        pick = _pick(scope, entry)
        why = refuse_name(entry.path, pick, work.known) or refuse_name(entry.old, pick, work.known)
        if why:
            refused.append((entry.path, why))
        else:
            wanted.append(entry)
    return wanted, refused


def _pick(scope: _Scope, entry: Entry) -> Pick:
    return scope.picked.get(entry.path) or scope.picked[entry.old]


def _within(
    patches: Iterable[Patch], limit: int, budget: ByteBudget, omitted: list[Omission]
) -> Iterator[Patch]:
    for patch in patches:
        size = len(patch.text)
        if size > limit:
            omitted.append(Omission(patch.path, "too-large", f"its diff has {size} characters"))
        elif not budget.take(size):
            omitted.append(Omission(patch.path, "over-budget", f"its diff has {size} characters"))
        else:
            yield patch


def _contents(
    request: PacketRequest, work: Workspace, change: Change, scope: _Scope, budget: ByteBudget
) -> tuple[CollectedFiles, bool]:
    """The new texts, and whether the working tree holds the same."""
    picks = {entry.path: _pick(scope, entry) for entry in scope.entries}
    if change.in_worktree:
        gone = {entry.path for entry in scope.entries if entry.status == "D"}
        picks |= {path: scope.picked[path] for path in scope.untracked}
        there = {path: pick for path, pick in picks.items() if path not in gone}
        collected = collect(there, work.tree, work.known, budget)
        collected.omitted.extend(Omission(path, "deleted") for path in sorted(gone))
        return collected, True
    with work.git.blob_reader() as read:
        blobs = Blobs(work.git, scope.entries, read, request.max_file_bytes)
        collected = collect(picks, blobs, work.known, budget)
        return collected, blobs.equal(work.tree, [path for path, _ in collected.files])


def _changed(
    files: Iterable[tuple[str, str]], patches: Iterable[Patch]
) -> Iterator[tuple[str, Ranges]]:
    ranges = {patch.path: changed_ranges(patch.text) for patch in patches}
    for path, text in files:
        yield path, clip(ranges.get(path, ()), count_lines(text))
