"""What cannot both be obeyed: remedies of different seats about one place that exclude each other.

A conflict is decided first by trying both patches (the caller does that, see ``patches_clash``), then
by what the remedies say. What only seems to pull apart is *undecided*: for an arbiter or a person,
never settled here. Trying patches is left to ``grounding.patches``, the language to ``text.opposed``,
asking an arbiter to the practices.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import TYPE_CHECKING

from guildmoot.consensus.subjects import OF_READERS
from guildmoot.model.verdict import Conflict, Finding
from guildmoot.named import NamedTuple
from guildmoot.text.disjoint import DisjointSets
from guildmoot.text.english import content_stems
from guildmoot.text.note import Note

if TYPE_CHECKING:
    from guildmoot.text.opposed.topics import RemedyClaim

Trial = Callable[[Finding, Finding], bool | None]
Index = defaultdict[tuple[str, str, str], list[tuple[int, object]]]

NEAR = 3
"""Judges often point a few lines apart at the same statement."""
_TRIED = "the two patches cannot both be applied"
RECENT, LAST = 64, 3
"""About one thing in one place, a note is compared with the nearest three that each source said on
the other side, for the 64 nearest sources and sides: enough to tie it to its conflict, and linear."""


class UndecidedPair(NamedTuple):
    """Two findings that may be in conflict; somebody has to look."""

    scope: str
    findings: tuple[Finding, Finding]
    reason: str


class ConflictReport(NamedTuple):
    """Everything is sorted, so the order of the findings does not change it."""

    conflicts: tuple[Conflict, ...] = ()
    reasons: tuple[str, ...] = ()
    """Why, for each conflict."""
    undecided: tuple[UndecidedPair, ...] = ()


class Clash(NamedTuple):
    """Notes that cannot all be obeyed, by their numbers; a pair that only seems so when unsure."""

    scope: str
    """Where they meet, for people."""
    sources: tuple[str, ...]
    members: tuple[int, ...]
    reason: str


class Clashes(NamedTuple):
    """What pulls apart in a list of notes, sorted."""

    sure: list[Clash]
    unsure: list[Clash]


class _OpposedPair(NamedTuple):
    """A pair that pulls apart."""

    first: int
    second: int
    symbol: str
    reason: str
    certain: bool


def find_conflicts(
    findings: Sequence[Finding], patches_clash: Trial | None = None
) -> ConflictReport:
    """Conflicts and undecided pairs among the blocking findings of different seats.

    ``patches_clash`` says whether two patches clash, or None when that could not be found out.
    """
    blocking = sorted({f for f in findings if f.blocking and f.code not in OF_READERS})
    if len({f.seat for f in blocking}) < 2:
        return ConflictReport()
    notes = [Note(f.path, f.line, f.end_line, remedy(f), source=f.seat) for f in blocking]
    tried = dict(_by_trying(blocking, notes, patches_clash)) if patches_clash else {}
    found = find_clashes(notes, tried)
    undecided = []
    for scope, _, (first, second), reason in found.unsure:
        undecided.append(UndecidedPair(scope, (blocking[first], blocking[second]), reason))
    return ConflictReport(
        tuple(
            Conflict(c.scope, c.sources, tuple(blocking[i] for i in c.members)) for c in found.sure
        ),
        tuple(clash.reason for clash in found.sure),
        tuple(undecided),
    )


def propose_pairs(
    findings: Sequence[Finding], report: ConflictReport, most: int
) -> tuple[UndecidedPair, ...]:
    """Pairs for a clerk: told by words alone, undecided, then whatever shares a place and a subject, or a line.

    Two that ask for the same in other words are no pair.
    """
    from guildmoot.text.opposed.opposition import agree

    blocking = sorted({f for f in findings if f.blocking and (f.fix or f.title)})
    told = {pair for c in report.conflicts for pair in combinations(sorted(c.findings), 2)}
    told |= {(min(u.findings), max(u.findings)) for u in report.undecided}
    by_path: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in blocking:
        if finding.path:
            by_path[finding.path].append(finding)
    ranked = []
    for members in by_path.values():
        if len({f.seat for f in members}) < 2:
            continue
        for a, b in islice(combinations(members, 2), 100 * most):
            notes = [Note(f.path, f.line, f.end_line) for f in (a, b)]
            if a.seat == b.seat or (a, b) in told or not lines_meet(*notes):
                continue
            first, second = (content_stems(remedy(each)) for each in (a, b))
            shared = len(first & second)
            overlap = 0 < a.line <= notes[1].lines[1] and 0 < b.line <= notes[0].lines[1]
            alike = first == second or agree(remedy(a), remedy(b))
            if (shared or overlap) and not alike:
                pair = UndecidedPair(scope_name(notes), (a, b), "they share a subject")
                ranked.append((-shared, a, b, pair))
    ranked.sort(key=lambda entry: entry[:3])
    return (*told_by_words(report), *report.undecided, *(pair for *_, pair in ranked))[:most]


def told_by_words(report: ConflictReport) -> tuple[UndecidedPair, ...]:
    """The conflicts of two findings that their words alone told; patches that were tried are beyond doubt."""
    both = zip(report.conflicts, report.reasons, strict=True)
    return tuple(
        UndecidedPair(conflict.scope, (conflict.findings[0], conflict.findings[1]), reason)
        for conflict, reason in both
        if len(conflict.findings) == 2 and reason != _TRIED
    )


def remedy(finding: Finding) -> str:
    """What the finding asks for; a judge without a fix may have put it in the title."""
    return finding.fix or finding.title


def settled(report: ConflictReport, rulings: Sequence[bool | None]) -> ConflictReport:
    """The report after an arbiter: True makes a pair a conflict, False clears it, None leaves it."""
    ruled = list(zip(report.undecided, rulings, strict=True))
    more = [
        (Conflict(u.scope, tuple(sorted({f.seat for f in u.findings})), u.findings), u.reason)
        for u, ruling in ruled
        if ruling
    ]
    both = sorted([*zip(report.conflicts, report.reasons, strict=True), *more])
    return ConflictReport(
        tuple(conflict for conflict, _ in both),
        tuple(reason for _, reason in both),
        tuple(u for u, ruling in ruled if ruling is None),
    )


def ruled(
    report: ConflictReport, pairs: Sequence[UndecidedPair], rulings: Sequence[bool | None]
) -> ConflictReport:
    """The report after a clerk was asked about ``pairs``: a pair that it left open stays as it was.

    What words told and the clerk denies is left to a person: undecided.
    """
    said = {pair.findings: ruling for pair, ruling in zip(pairs, rulings, strict=True)}
    told = {pair.findings for pair in told_by_words(report)}
    denied = [pair for pair in pairs if pair.findings in told and said[pair.findings] is False]
    gone = {pair.findings for pair in denied}
    both = zip(report.conflicts, report.reasons, strict=True)
    kept = [each for each in both if each[0].findings not in gone]
    more = [
        pair
        for pair in pairs
        if pair not in report.undecided and pair.findings not in told and said[pair.findings]
    ]
    whole = ConflictReport(
        tuple(conflict for conflict, _ in kept),
        tuple(reason for _, reason in kept),
        (*report.undecided, *more),
    )
    after = settled(whole, [said.get(pair.findings) for pair in whole.undecided])
    return after._replace(undecided=(*denied, *after.undecided))


def find_clashes(
    notes: Sequence[Note], tried: Mapping[tuple[int, int], bool] | None = None
) -> Clashes:
    """What cannot be obeyed together among the titles of sorted notes.

    ``tried`` has the pairs that were settled in another way before, and whether they clash.
    """
    known = tried or {}
    meetings = [
        _OpposedPair(*pair, "", _TRIED, certain=True) for pair, clashes in known.items() if clashes
    ]
    meetings += [m for m in _by_words(notes) if (m.first, m.second) not in known]
    certain = sorted(m for m in meetings if m.certain)
    sets = DisjointSets()
    for m in certain:
        sets.join(m.first, m.second)
    groups: defaultdict[int, list[_OpposedPair]] = defaultdict(list)
    for m in certain:
        groups[sets.find(m.first)].append(m)
    unsure = [_clash(notes, [m]) for m in meetings if not m.certain]
    unsure.sort(key=lambda clash: (clash.scope, clash.members, clash.reason))
    return Clashes(sorted(_clash(notes, group) for group in groups.values()), unsure)


def _clash(notes: Sequence[Note], group: Sequence[_OpposedPair]) -> Clash:
    members = tuple(sorted({i for m in group for i in (m.first, m.second)}))
    involved = [notes[i] for i in members]
    scope = scope_name(involved, min(m.symbol for m in group))
    sources = tuple(sorted({note.source for note in involved}))
    return Clash(scope, sources, members, min(m.reason for m in group))


# --- by trying ------------------------------------------------------------------------------------


def _by_trying(
    findings: Sequence[Finding], notes: Sequence[Note], clash: Trial
) -> Iterator[tuple[tuple[int, int], bool]]:
    """Each pair of patches that could be tried, and whether they clash."""
    by_path: defaultdict[str, list[tuple[int, object]]] = defaultdict(list)
    for i, finding in enumerate(findings):
        if finding.patch and finding.path:
            by_path[finding.path].append((i, i))
    for members in by_path.values():
        for i, j in _near_pairs(notes, members):
            answer = clash(findings[i], findings[j])
            if answer is not None:
                yield (i, j), answer and not _say_the_same(notes[i].title, notes[j].title)


def _say_the_same(first: str, second: str) -> bool:
    """Two patches for one remedy differ in wording only: either will do."""
    from guildmoot.text.opposed.opposition import agree, opposed

    return first == second or (agree(first, second) and not opposed(first, second))


# --- by words -------------------------------------------------------------------------------------


def _by_words(notes: Sequence[Note]) -> Iterator[_OpposedPair]:
    """Pairs that pull apart; a pair that others already tie together is not weighed."""
    # The words cost some milliseconds to load: only when needed.
    from guildmoot.text.opposed.claims import loose_claims
    from guildmoot.text.opposed.opposition import opposed

    read = {i: loose_claims(notes[i].title) for i in sharing_a_place(notes)}
    ties, seen = DisjointSets(), set[tuple[int, int]]()
    for i, j, symbol in _candidates(notes, read):
        if (i, j) in seen or ties.find(i) == ties.find(j):
            continue
        seen.add((i, j))
        found = opposed(notes[i].title, notes[j].title)
        if found and (found.certain or not symbol):
            if found.certain:
                ties.join(i, j)
            reason = f"{found.actions[0]} / {found.actions[1]}: {found.topic}".rstrip(": ")
            yield _OpposedPair(i, j, symbol, reason, found.certain)


def _candidates(
    notes: Sequence[Note], read: Mapping[int, tuple[RemedyClaim, ...]]
) -> Iterator[tuple[int, int, str]]:
    """Pairs that claim different things of one word in one place, or of one name anywhere."""
    places: Index = defaultdict(list)
    names: Index = defaultdict(list)
    for i, wants in read.items():
        for claim in wants:
            side = (claim.side, claim.value)
            for key in _meeting_keys(claim):
                places[notes[i].path, claim.axis, key].append((i, side))
            for name in sorted(claim.topic.names):
                names["", claim.axis, name].append((i, side))
    for members in places.values():
        yield from ((i, j, "") for i, j in _near_pairs(notes, members))
    for (_, _, name), members in names.items():
        for i, j in _rivals(notes, members):
            same_file = notes[i].path and notes[i].path == notes[j].path
            if name and (same_file or is_distinctive(name)):
                yield i, j, name


_ANYWHERE = ("do:", "class:", "is:", "slot:", "state:", "caching", "name")
"""Axes on which "it" may be meant: claims on them meet whatever they are about."""


def _meeting_keys(claim: RemedyClaim) -> list[str]:
    return [""] if claim.axis.startswith(_ANYWHERE) else sorted(claim.topic.core) or [""]


def _near_pairs(
    notes: Sequence[Note], members: list[tuple[int, object]]
) -> Iterator[tuple[int, int]]:
    members.sort(key=lambda member: (notes[member[0]].lines, member[0]))
    for i, j in _rivals(notes, members):
        if lines_meet(notes[i], notes[j]):
            yield i, j


def _rivals(
    notes: Sequence[Note], members: Sequence[tuple[int, object]]
) -> Iterator[tuple[int, int]]:
    """Pairs of different sources on different sides, each with the nearest few before and after."""
    for ordered in (members, members[::-1]):
        recent: dict[tuple[object, str], deque[int]] = {}
        for j, side in ordered:
            source = notes[j].source
            for (other, rival), last in islice(reversed(recent.items()), RECENT):
                if other != side and rival != source:
                    yield from ((min(i, j), max(i, j)) for i in last)
            mine = recent.pop((side, source), None) or deque(maxlen=LAST)
            mine.append(j)
            recent[side, source] = mine


# --- places ---------------------------------------------------------------------------------------


def lines_meet(a: Note, b: Note) -> bool:
    """Same path, and lines that overlap or nearly do; two notes on a whole file meet as well."""
    if not a.path or a.path != b.path or bool(a.first) != bool(b.first):
        return False
    (a_first, a_last), (b_first, b_last) = a.lines, b.lines
    return a_first <= b_last + NEAR and b_first <= a_last + NEAR


def is_distinctive(name: str) -> bool:
    """Long and compound enough that two files hardly mean different things by it."""
    return len(name) >= 6 and any(mark in name for mark in "_.(-") and not name[0].isdigit()


def scope_name(notes: Sequence[Note], symbol: str = "") -> str:
    """Where the notes meet, for people: ``src/a.py:10-12``, ``src/a.py#name`` or ``name``."""
    paths = sorted({note.path for note in notes if note.path})
    if len(paths) != 1:
        return symbol or ", ".join(paths)
    if symbol or not all(note.first for note in notes):
        return f"{paths[0]}#{symbol}" if symbol else paths[0]
    first, last = min(note.first for note in notes), max(note.lines[1] for note in notes)
    return f"{paths[0]}:{first}" if first == last else f"{paths[0]}:{first}-{last}"


def sharing_a_place(notes: Sequence[Note]) -> list[int]:
    """Those that share a place, or a name in backticks, with another source; cheap, and never short.

    Most findings of a large panel stand alone, and reading their words would be wasted.
    """
    found: set[int] = set()
    by_path: defaultdict[str, list[int]] = defaultdict(list)
    by_name: defaultdict[str, list[int]] = defaultdict(list)
    for i, note in enumerate(notes):
        if note.path:
            by_path[note.path].append(i)
        for name in note.title.split("`")[1::2]:
            by_name[name.removesuffix("()").lower()].append(i)
    for members in by_path.values():
        found.update(_neighbours(notes, members))
    for members in by_name.values():
        if len({notes[i].source for i in members}) > 1:
            found.update(members)
    return sorted(found)


def _neighbours(notes: Sequence[Note], members: list[int]) -> Iterator[int]:
    """Members whose lines meet those of another source before them, from either end of the file."""
    ordered = sorted(members, key=lambda i: notes[i].lines)
    reach: dict[str, int] = {}
    for i in ordered:
        (first, last), source = notes[i].lines, notes[i].source
        if any(end + NEAR >= first for other, end in reach.items() if other != source):
            yield i
        reach[source] = max(reach.get(source, -NEAR), last)
    ahead: dict[str, int] = {}
    for i in reversed(ordered):
        (first, last), source = notes[i].lines, notes[i].source
        if any(start <= last + NEAR for other, start in ahead.items() if other != source):
            yield i
        ahead[source] = first
