"""A change as a draft: its diff, and the whole new text of what it touches.

Left out is not approved: whatever a change touches is put before the judges, or it is listed with who did
not see it. What is worth leaving out is for the base to say; see ``base``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple

from guildmoot.errors import NothingJudgedError, TargetError
from guildmoot.guard.egress import admit
from guildmoot.model.packet import BaseFile, FileCheck, Omission
from guildmoot.model.verdict import Finding
from guildmoot.packet.base import BaseRevision, read_base
from guildmoot.packet.branch import is_dirty, nothing_changed
from guildmoot.packet.changes import compared
from guildmoot.packet.collect import (
    ByteBudget,
    CollectedFiles,
    collect,
    is_vendored,
    omissions,
    refuse_name,
)
from guildmoot.packet.contents import Blobs, Refusal, WorkTree
from guildmoot.packet.diff import (
    PLAIN,
    Change,
    Entry,
    Patch,
    Ranges,
    added_patch,
    changed_ranges,
    clip,
    is_binary,
    split_patches,
)
from guildmoot.packet.digest import count_lines
from guildmoot.packet.egress import Draft
from guildmoot.packet.encodings import ATTRIBUTES, refuse_encoded
from guildmoot.packet.guarded import guarded_changes
from guildmoot.packet.machine_written import check_data, check_left_out, check_locks, check_sources
from guildmoot.packet.recoded import recoded
from guildmoot.packet.request import REASONS, PacketRequest
from guildmoot.packet.sections import make_sections
from guildmoot.packet.targets import Pick, make_rules, pick
from guildmoot.packet.workspace import (
    BASELINE,
    GUILDIGNORE,
    NOT_TRACKED,
    Workspace,
    describe,
    is_harmless,
    own_paths,
)
from guildmoot.text.languages import language_of

MOST_FILES = 10_000
"""Changed files that are judged at once."""
MOST_SPARED = 60_000
"""Characters of diff, together, up to which what the base leaves out is shown all the same."""
LARGER = 10
"""A changed file may be so many times as large as one that is shown whole: its diff is shown, and tools get it all."""
_MOST_NAMED = 20
_ELSEWHERE = ("symlink", "submodule", "pointer", "re-encoded")
"""Reasons for which the diff is not what will be there."""
_HINTS = {
    "key-file": "Key files are never shown to judges, even when they are named.",
    "ignored": "Change .guildignore (in a change: the base's) to have it judged.",
    "generated": "Name a file itself to have it judged all the same.",
    "vendored": "Name a file itself, or its folder, to have it judged all the same.",
    "too-large": "Raise packet.max_file_bytes, or judge a part of it.",
    "over-budget": "Raise packet.max_bytes, or name fewer files.",
    "pointer": "Fetch the content (`git lfs pull`), then name the file to have it judged.",
    "re-encoded": "A person must look at what is checked out or run.",
    "own-record": "Name the folder itself, e.g. `.agents/`, to have it judged.",
    "submodule": "Run it inside that repository.",
    "symlink": "Name the file that the link points to.",
}


class _Scope(NamedTuple):
    """The part of a change that the targets cover."""

    title: str
    entries: list[Entry]
    untracked: frozenset[str]
    picked: dict[str, Pick]
    alerts: tuple[Finding, ...]
    everything: list[Entry]
    diff: str
    """Both of the whole change, covered or not."""

    def pick(self, entry: Entry) -> Pick:
        """Why an entry is in."""
        return self.picked.get(entry.path) or self.picked[entry.old]

    @property
    def named(self) -> set[str]:
        """What the user named itself."""
        return {path for path, pick in self.picked.items() if pick.named}


def draft_change(request: PacketRequest, work: Workspace, change: Change) -> Draft:
    """Collect one change; the diff takes from the budget before the whole files do."""
    scope = _scope(request, work, change)
    names = {name for entry in scope.entries for name in (entry.path, entry.old)} | scope.untracked
    base = read_base(work.git, change.base, names, work.listing.tracked, _own_rules(work, change))
    wanted, refused = _wanted(scope, base, _encoded(work, change, scope, base))
    with _new_side(request, work, change, wanted) as source:
        draft = _drafted(request, work, change, wanted, base, source, omissions(refused))
        lost = recoded(work.git, base.files, draft.files, draft.before, source)
    return draft._replace(
        root=str(work.root),
        target=scope.title,
        sections=make_sections(request, work.root),
        diff_title=change.title,
        alerts=scope.alerts,
        base=change.base,
        recoded=lost,
        beside=sorted({n for e in scope.everything for n in (e.path, e.old)} - names),
    )


def _own_rules(work: Workspace, change: Change) -> bytes:
    """The user's own .guildignore: one that no commit holds, where commits are judged."""
    if change.in_worktree or GUILDIGNORE in work.listing.tracked:
        return b""
    found = work.tree.read(GUILDIGNORE)
    return b"" if isinstance(found, Refusal) else found


@contextmanager
def _new_side(
    request: PacketRequest, work: Workspace, change: Change, scope: _Scope
) -> Iterator[WorkTree | Blobs]:
    if change.in_worktree:
        yield WorkTree(str(work.root), LARGER * request.max_file_bytes)
        return
    with work.git.blob_reader() as read:
        yield Blobs(work.git, scope.entries, read, LARGER * request.max_file_bytes)


def _drafted(
    request: PacketRequest,
    work: Workspace,
    change: Change,
    scope: _Scope,
    base: BaseRevision,
    source: WorkTree | Blobs,
    omitted: list[Omission],
) -> Draft:
    """What is shown of the entries, what is compared instead, and what is left out."""
    budget, limit = ByteBudget(request.max_bytes), request.max_file_bytes
    touched = [entry for entry in scope.entries if not admit(entry.path)]
    patches = split_patches(scope.diff, touched)
    sizes = {patch.path: len(patch.text) for patch in patches}
    locks = check_locks(work.git, base.files, touched, source, scope.named)
    by_rule = {e.path: base.excludes(e.path, e.old, scope.pick(e)) for e in touched}
    gone = {entry.path for entry in touched if entry.status == "D"}
    by_rule = {path: why for path, why in by_rule.items() if why and path not in (*locks, *gone)}
    spared = locks | _spared(by_rule, sizes, request.left_out)
    shown = [*_within((p for p in patches if p.path not in spared), limit, budget, omitted, gone)]
    rest = scope._replace(entries=[e for e in scope.entries if e.path not in spared])
    collected = _without_large(_contents(rest, base, source, budget), limit, shown)
    marked = base.marked(work.git, [file for file in collected.files if file[0] not in scope.named])
    spared |= _spared(dict.fromkeys(marked, "generated"), sizes, request.left_out)
    files = [file for file in collected.files if file[0] not in spared]
    new = [added_patch(*file) for file in files if file[0] in scope.untracked]
    shown = [patch for patch in shown if patch.path not in spared]
    shown += [patch for patch in new if budget.take(len(patch.text))]
    omitted += [
        *collected.omitted,
        *(each for each in spared.values() if isinstance(each, Omission)),
    ]
    locked = [each for each in spared.values() if isinstance(each, FileCheck)]
    checks = [*locked, *check_data(omitted)]
    seen = _Seen({path for path, _ in files}, {p.path for p in shown if changed_ranges(p.text)})
    omitted = [i._replace(unseen_by=seen.unseen_by(i, base, scope, request)) for i in omitted]
    unseen = {item.path for item in omitted if item.unseen_by == "everybody"}
    if not files and not checks:
        checks = check_left_out(omitted)
        ours = any(item.reason == "own-record" and item.path != BASELINE for item in omitted)
        told = any(item.reason == "key-file" for item in omitted)  # a judge of its own says so
        if not told and not seen.diffs - unseen and (unseen or ours or not checks):
            raise _nothing_judged(scope.title, omitted)
    generated = [path for path, why in by_rule.items() if why == "generated"]
    return Draft(
        root="",
        target="",
        files=files,
        patches=sorted(shown),
        omitted=[*omitted, *(Omission(each.path, "lock-file", each.told) for each in locked)],
        changed=dict(_changed(files, [*patches, *new])),
        checkout=change.in_worktree or _is_here(source, work, files),
        checks=[*checks, *check_sources([*generated, *marked], base.files, scope.entries)],
        before=[
            BaseFile(entry.path, entry.old, base.files[entry.old])
            for entry in scope.entries
            if entry.old in base.files
        ],
    )


def _is_here(source: WorkTree | Blobs, work: Workspace, files: Iterable[tuple[str, str]]) -> bool:
    """Whether the working tree holds the same content."""
    return isinstance(source, Blobs) and source.equal(work.tree, [path for path, _ in files])


class _Seen(NamedTuple):
    """What the judges see of the change: whole files, and diffs."""

    files: set[str]
    diffs: set[str]

    def unseen_by(
        self, item: Omission, base: BaseRevision, scope: _Scope, request: PacketRequest
    ) -> Literal["", "tools", "everybody"]:
        """Who did not see a path that is on the list."""
        path, reason = item.path, item.reason
        if path in self.files or reason in ("data", "deleted"):
            return ""
        if reason == "submodule" and f"{path}/" in scope.untracked:
            return ""  # another repository that lies here, and that no commit of this one can hold
        if reason in request.left_out and (reason != "ignored" or path in base.barred):
            return ""
        if reason == "own-record" and is_harmless(path, item.detail):
            return ""
        if reason == "sample" and any(language_of(each).kind == "code" for each in self.files):
            return ""  # what is done with it stands in code, and that is judged
        return "everybody" if reason in _ELSEWHERE or path not in self.diffs else "tools"


def _spared(
    reasons: Mapping[str, str], sizes: Mapping[str, int], accepted: Sequence[str]
) -> dict[str, Omission | FileCheck]:
    """What is left out of all that the base leaves out: nothing while it is little.

    What is accepted is counted by itself, so that much of it does not take the rest along.
    """
    much = Counter[bool]()
    for path, reason in reasons.items():
        much[reason in accepted] += sizes.get(path, 0)
    why = f"the base already left it out, and its diffs have more than {MOST_SPARED:,} characters"
    return {
        path: Omission(path, reason, why)
        for path, reason in reasons.items()
        if much[reason in accepted] > MOST_SPARED
    }


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


def _nothing_judged(target: str, omitted: Sequence[Omission]) -> NothingJudgedError:
    """The error for a change of which nothing reached a judge: it is not approved."""
    named = {i.path: f"{i.path!r} ({i.reason}: {REASONS[i.reason]})" for i in omitted}
    told = [*named.values()]
    more = f" and {len(told) - _MOST_NAMED} more" if len(told) > _MOST_NAMED else ""
    return NothingJudgedError(
        f"Undecided: nothing is left to judge in {target}: {', '.join(told[:_MOST_NAMED])}{more}.",
        f"A person must look at it. {nothing_left(target, omitted).hint}",
    )


def _scope(request: PacketRequest, work: Workspace, change: Change) -> _Scope:
    entries, diff = compared(work.git, change, request.max_file_bytes)
    touched = {name for entry in entries for name in (entry.path, entry.old)}
    untracked = work.listing.untracked - touched if change.in_worktree else frozenset()
    rules = make_rules(request.targets, request.cwd, work.root, touched | work.listing.all)
    open_ended = change.commits and (untracked or is_dirty(work.git))
    title = f"{change.title} and uncommitted work" if open_ended else change.title
    title = f"{title}, in {describe(rules)}" if rules else title
    picked = pick(touched | untracked, rules)
    covered = [entry for entry in entries if entry.path in picked or entry.old in picked]
    untracked &= picked.keys()
    if not covered and not untracked:
        raise nothing_changed(change, title if rules else change.nothing or title)
    if len(covered) + len(untracked) > MOST_FILES:
        raise NothingJudgedError(
            f"Undecided: {len(covered) + len(untracked):,} files changed, and at most {MOST_FILES:,} are"
            f" judged at once ({title}).",
            "Name folders to judge a part of it, or fewer commits.",
        )
    alerts = guarded_changes(work.git, change.base, entries, sorted(untracked))
    return _Scope(title, covered, untracked, picked, alerts, entries, diff)


def _encoded(
    work: Workspace, change: Change, scope: _Scope, base: BaseRevision
) -> dict[str, Refusal]:
    """What git would check out as another text than the one that is shown."""
    written = None
    if change.in_worktree:
        there = {e.path for e in scope.everything if e.status != "D"} | work.listing.untracked
        rules = [path for path in there if path.rpartition("/")[2] == ATTRIBUTES]
        read = {path: work.tree.read(path) for path in rules}
        written = {path: data for path, data in read.items() if isinstance(data, bytes)}
    return refuse_encoded(work.git, base.files, scope.everything, written)


def _wanted(
    scope: _Scope, base: BaseRevision, encoded: Mapping[str, Refusal]
) -> tuple[_Scope, list[tuple[str, Refusal]]]:
    """The scope without the files that their names or encodings rule out, and those."""
    bases = {entry.path: scope.pick(entry).base for entry in scope.entries}
    own = own_paths(bases | {path: scope.picked[path].base for path in scope.untracked})
    wanted, refused = [], []
    for entry in scope.entries:
        why = refuse_name(entry.path, base.known) or refuse_name(entry.old, base.known)
        why = why or encoded.get(entry.path)
        if entry.path in own and entry.mode == PLAIN:  # we write no links and no programs
            why = Refusal("own-record")
        if why and entry.status == "D":
            why = Refusal("deleted")
        if why and (entry.status == "D" or not admit(entry.path)):
            refused.append((entry.path, why))
        else:  # of a key file nothing is shown, but whether it holds a key is looked up
            wanted.append(entry)
    refused += ((path, Refusal("own-record", NOT_TRACKED)) for path in own & scope.untracked)
    scope = scope._replace(untracked=scope.untracked - own)
    output = {path for path in scope.untracked if _is_output(path, scope.picked[path])}
    refused += ((path, Refusal("vendored", "git neither tracks nor ignores it")) for path in output)
    refused += ((path, encoded[path]) for path in scope.untracked - output if path in encoded)
    untracked = scope.untracked - output - encoded.keys()
    return scope._replace(entries=wanted, untracked=untracked), refused


def _is_output(path: str, pick: Pick) -> bool:
    return not pick.named and is_vendored(path, pick.base, tracked=False)


def _within(
    patches: Iterable[Patch],
    limit: int,
    budget: ByteBudget,
    omitted: list[Omission],
    gone: Collection[str],
) -> Iterator[Patch]:
    """The diffs that are shown; that a file is gone is listed, however much it held."""
    for patch in patches:
        size = len(patch.text)
        if patch.path in gone and (size > limit or size > budget.left):
            continue
        if size > limit:
            omitted.append(Omission(patch.path, "too-large", f"its diff has {size} characters"))
        elif not budget.take(size):
            omitted.append(Omission(patch.path, "over-budget", f"its diff has {size} characters"))
        else:
            yield patch


def _contents(
    scope: _Scope, base: BaseRevision, source: WorkTree | Blobs, budget: ByteBudget
) -> CollectedFiles:
    """The new texts."""
    gone = {entry.path for entry in scope.entries if entry.status == "D"}
    picks = {e.path: scope.pick(e) for e in scope.entries if e.path not in gone}
    picks |= {path: scope.picked[path] for path in scope.untracked}
    collected = collect(picks, source, base.known, budget, sparing=False)
    collected.omitted.extend(Omission(path, "deleted") for path in sorted(gone))
    return collected


def _without_large(collected: CollectedFiles, limit: int, shown: Sequence[Patch]) -> CollectedFiles:
    """Without the files that are too large to be shown, unless their diff is."""
    diffs = {patch.path for patch in shown}
    files, omitted = [], [*collected.omitted]
    for path, text in collected.files:
        size = len(text.encode()) if len(text) * 4 > limit else 0
        if size > limit and path not in diffs:
            omitted.append(Omission(path, "too-large", f"{size} bytes"))
        else:
            files.append((path, text))
    return CollectedFiles(files, omitted)


def _changed(
    files: Iterable[tuple[str, str]], patches: Iterable[Patch]
) -> Iterator[tuple[str, Ranges]]:
    """The changed lines of each file; all of them where git shows none because it takes it for binary."""
    ranges = {patch.path: changed_ranges(patch.text) for patch in patches if not is_binary(patch)}
    for path, text in files:
        last = count_lines(text)
        yield path, clip(ranges.get(path, ((1, last),)), last)
