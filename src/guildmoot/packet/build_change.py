"""A change as a draft: its diff, and the whole new text of every file that it touches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from guildmoot.errors import TargetError
from guildmoot.model.packet import Omission
from guildmoot.packet import changes
from guildmoot.packet.changes import Change
from guildmoot.packet.collect import ByteBudget, CollectedFiles, collect, omissions, refuse_name
from guildmoot.packet.contents import Blobs, Refusal
from guildmoot.packet.diff import Entry, Patch, Ranges, added_patch, changed_ranges, clip
from guildmoot.packet.digest import count_lines
from guildmoot.packet.egress import Draft
from guildmoot.packet.request import REASONS, Request
from guildmoot.packet.sections import make_sections
from guildmoot.packet.targets import Pick, make_rules, pick
from guildmoot.packet.workspace import Workspace, describe

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


class _Scope(NamedTuple):
    """The part of a change that the targets cover."""

    title: str
    entries: list[Entry]
    untracked: frozenset[str]
    picked: dict[str, Pick]


def draft_change(request: Request, work: Workspace, change: Change) -> Draft:
    """Collect one change; the diff takes from the budget before the whole files do."""
    scope = _scope(request, work, change)
    budget = ByteBudget(request.max_bytes)
    wanted, refused = _wanted(scope, work)
    patches = changes.patches(work.git, change, wanted, request.max_file_bytes)
    omitted = omissions(refused)
    shown = list(_within(patches, request.max_file_bytes, budget, omitted))
    scope = scope._replace(entries=wanted)
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


def _scope(request: Request, work: Workspace, change: Change) -> _Scope:
    entries = changes.entries(work.git, change)
    touched = {name for entry in entries for name in (entry.path, entry.old)}
    # A file that is new and not yet known to git is a part of the working tree's change.
    untracked = work.listing.untracked - touched if change.in_worktree else frozenset()
    rules = make_rules(request.targets, request.cwd, work.root, touched | work.listing.all)
    title = f"{change.title}, in {describe(rules)}" if rules else change.title
    picked = pick(touched | untracked, rules)
    covered = [entry for entry in entries if entry.path in picked or entry.old in picked]
    untracked &= picked.keys()
    if not covered and not untracked:
        raise TargetError(f"Nothing changed: {title}.", "Name files to judge them whole.")
    return _Scope(title, covered, untracked, picked)


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
    request: Request, work: Workspace, change: Change, scope: _Scope, budget: ByteBudget
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
