"""Findings that cannot both be obeyed, and findings that merely meet.

A conflict is two blocking findings of different seats about one place whose remedies cannot both be
applied. It is decided first by trying both patches (the caller does that, see ``patches_clash``),
then by what the remedies say. What only seems to pull apart is *undecided*: for an arbiter or a
person, never settled here. What meets on one line without pulling apart is an *overlap*, merged by
precedence with the others kept beside it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from itertools import islice

from guildmoot.model.verdict import SEVERITIES, Conflict, Finding

from .scopes import in_company, lines_meet, scope_name, shared_symbol, span

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from guildmoot.model.verdict import NamedTuple
else:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import NamedTuple

    from .opposition import Opposition
    from .remedies import Claim

    Trial = Callable[[Finding, Finding], bool | None]
    Index = defaultdict[tuple[str, str, str], list[tuple[int, object]]]

RECENT, LAST = 64, 3
"""About one thing in one place, a finding is compared with the nearest three that each seat said on
the other side, for the 64 nearest seats and sides: enough to tie it to its conflict, and linear."""


class Undecided(NamedTuple):
    """Two findings that may be in conflict; somebody has to look."""

    scope: str
    findings: tuple[Finding, Finding]
    reason: str


class Overlap(NamedTuple):
    """Findings of several seats on one line whose remedies get along."""

    scope: str
    findings: tuple[Finding, ...]


class ConflictReport(NamedTuple):
    """Everything is sorted, so the order of the findings does not change it."""

    conflicts: tuple[Conflict, ...] = ()
    reasons: tuple[str, ...] = ()
    """Why, for each conflict."""
    undecided: tuple[Undecided, ...] = ()
    overlaps: tuple[Overlap, ...] = ()


class Merged(NamedTuple):
    """One finding that stands for all that was said about a line."""

    finding: Finding
    also: tuple[Finding, ...] = ()
    """What seats of lower precedence said there, whole."""


class _Meeting(NamedTuple):
    """A pair that pulls apart."""

    first: int
    second: int
    symbol: str
    reason: str
    certain: bool


def remedy(finding: Finding) -> str:
    """What the finding asks for; a judge without a fix may have put it in the title."""
    return finding.fix or finding.title


def find_conflicts(
    findings: Sequence[Finding], patches_clash: Trial | None = None
) -> ConflictReport:
    """Conflicts, undecided pairs and overlaps among the blocking findings of different seats.

    ``patches_clash`` says whether two patches clash, or None when that could not be found out.
    """
    blocking = sorted({f for f in findings if f.blocking})
    if len({f.seat for f in blocking}) < 2:
        return ConflictReport()
    tried = dict(_by_trying(blocking, patches_clash)) if patches_clash else {}
    meetings = [m for m in tried.values() if m]
    meetings += [m for m in _by_words(blocking) if (m.first, m.second) not in tried]
    pairs = [_conflict(blocking, group) for group in _groups(m for m in meetings if m.certain)]
    undecided = sorted(_undecided(blocking, m) for m in meetings if not m.certain)
    apart = {i for m in meetings for i in (m.first, m.second)}
    overlaps = _overlaps(f for i, f in enumerate(blocking) if i not in apart)
    pairs.sort()
    return ConflictReport(
        tuple(conflict for conflict, _ in pairs),
        tuple(reason for _, reason in pairs),
        tuple(undecided),
        tuple(overlaps),
    )


def settled(report: ConflictReport, rulings: Sequence[bool | None]) -> ConflictReport:
    """The report after an arbiter: True makes a pair a conflict, False clears it, None leaves it."""
    ruled = list(zip(report.undecided, rulings, strict=True))
    more = [(_new_conflict(u.scope, u.findings), u.reason) for u, ruling in ruled if ruling]
    both = sorted([*zip(report.conflicts, report.reasons, strict=True), *more])
    return report._replace(
        conflicts=tuple(conflict for conflict, _ in both),
        reasons=tuple(reason for _, reason in both),
        undecided=tuple(u for u, ruling in ruled if ruling is None),
    )


# --- by trying ------------------------------------------------------------------------------------


def _by_trying(
    findings: Sequence[Finding], clash: Trial
) -> Iterator[tuple[tuple[int, int], _Meeting | None]]:
    """Each pair of patches that was tried with success, and the conflict that it showed."""
    by_path: dict[str, list[tuple[int, object]]] = defaultdict(list)
    for i, finding in enumerate(findings):
        if finding.patch and finding.path:
            by_path[finding.path].append((i, i))
    for members in by_path.values():
        for i, j in _near_pairs(findings, members):
            answer = clash(findings[i], findings[j])
            if answer is None:
                continue
            clashes = answer and not _say_the_same(findings[i], findings[j])
            reason = "the two patches cannot both be applied"
            yield (i, j), _Meeting(i, j, "", reason, certain=True) if clashes else None


def _say_the_same(a: Finding, b: Finding) -> bool:
    """Two patches for one remedy differ in wording only: either will do."""
    from .opposition import agree, opposed

    first, second = remedy(a), remedy(b)
    return first == second or (agree(first, second) and not opposed(first, second))


# --- by words -------------------------------------------------------------------------------------


def _by_words(findings: Sequence[Finding]) -> Iterator[_Meeting]:
    """Pairs whose remedies pull apart; a pair that others already tie together is not weighed."""
    from .opposition import opposed  # the words cost some milliseconds to load: only when needed
    from .remedies import claims

    texts = [remedy(finding) for finding in findings]
    read = {i: claims(texts[i]) for i in in_company(findings, texts)}
    ties, seen = _Ties(), set[tuple[int, int]]()
    for i, j, symbol in _candidates(findings, read):
        if (i, j) in seen or ties.of(i) == ties.of(j):
            continue
        seen.add((i, j))
        found = opposed(texts[i], texts[j])
        if found and (found.certain or not symbol):
            if found.certain:
                ties.tie(i, j)
            yield _Meeting(i, j, symbol, explain(found), found.certain)


def explain(found: Opposition) -> str:
    """The opposition in one line."""
    return f"{found.actions[0]} / {found.actions[1]}: {found.thing}".rstrip(": ")


def _candidates(
    findings: Sequence[Finding], read: Mapping[int, tuple[Claim, ...]]
) -> Iterator[tuple[int, int, str]]:
    """Pairs that claim different things of one word in one place, or of one name anywhere."""
    places: Index = defaultdict(list)
    names: Index = defaultdict(list)
    for i, wants in read.items():
        for claim in wants:
            side = (claim.side, claim.value)
            for key in [""] if claim.axis.startswith("do:") else claim.thing.core:
                places[findings[i].path, claim.axis, key].append((i, side))
            for name in claim.thing.names:
                names["", claim.axis, name].append((i, side))
    for members in places.values():
        yield from ((i, j, "") for i, j in _near_pairs(findings, members))
    for (_, _, name), members in names.items():
        for i, j in _rivals(findings, members):
            if symbol := shared_symbol(findings[i], findings[j], [name]):
                yield i, j, symbol


def _near_pairs(
    findings: Sequence[Finding], members: list[tuple[int, object]]
) -> Iterator[tuple[int, int]]:
    members.sort(key=lambda member: (span(findings[member[0]]), member[0]))
    for i, j in _rivals(findings, members):
        if lines_meet(findings[i], findings[j]):
            yield i, j


def _rivals(
    findings: Sequence[Finding], members: Sequence[tuple[int, object]]
) -> Iterator[tuple[int, int]]:
    """Pairs of different seats on different sides, each with the nearest few before and after."""
    yield from _earlier_rivals(findings, members)
    yield from _earlier_rivals(findings, members[::-1])


def _earlier_rivals(
    findings: Sequence[Finding], members: Sequence[tuple[int, object]]
) -> Iterator[tuple[int, int]]:
    recent: dict[tuple[object, str], deque[int]] = {}
    for j, side in members:
        seat = findings[j].seat
        for (other, rival), last in islice(reversed(recent.items()), RECENT):
            if other != side and rival != seat:
                yield from ((min(i, j), max(i, j)) for i in last)
        mine = recent.pop((side, seat), None) or deque(maxlen=LAST)
        mine.append(j)
        recent[side, seat] = mine


# --- the report -----------------------------------------------------------------------------------


class _Ties:
    """Which findings belong to one conflict, directly or through others."""

    def __init__(self) -> None:
        self._leader: dict[int, int] = {}

    def of(self, i: int) -> int:
        """The same number for all that are tied together."""
        while (up := self._leader.get(i, i)) != i:
            self._leader[i] = self._leader.get(up, up)
            i = up
        return i

    def tie(self, i: int, j: int) -> None:
        low, high = sorted((self.of(i), self.of(j)))
        self._leader[high] = low


def _groups(meetings: Iterable[_Meeting]) -> list[list[_Meeting]]:
    """Meetings that share a finding belong to one conflict."""
    found, ties = sorted(meetings), _Ties()
    for m in found:
        ties.tie(m.first, m.second)
    groups: dict[int, list[_Meeting]] = defaultdict(list)
    for m in found:
        groups[ties.of(m.first)].append(m)
    return list(groups.values())


def _conflict(findings: Sequence[Finding], group: list[_Meeting]) -> tuple[Conflict, str]:
    members = sorted({i for m in group for i in (m.first, m.second)})
    involved = tuple(findings[i] for i in members)
    scope = scope_name(involved, min((m.symbol for m in group), default=""))
    return _new_conflict(scope, involved), min(m.reason for m in group)


def _new_conflict(scope: str, findings: Sequence[Finding]) -> Conflict:
    return Conflict(scope, tuple(sorted({f.seat for f in findings})), tuple(findings))


def _undecided(findings: Sequence[Finding], m: _Meeting) -> Undecided:
    pair = (findings[m.first], findings[m.second])
    return Undecided(scope_name(pair, m.symbol), pair, m.reason)


def _by_line(findings: Iterable[Finding]) -> dict[tuple[str, int], list[Finding]]:
    places: dict[tuple[str, int], list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.path and finding.line:
            places[finding.path, finding.line].append(finding)
    return places


def _overlaps(findings: Iterable[Finding]) -> Iterator[Overlap]:
    for (path, line), group in sorted(_by_line(findings).items()):
        if len({f.seat for f in group}) > 1:
            yield Overlap(f"{path}:{line}", tuple(group))


def merge_overlaps(
    findings: Sequence[Finding],
    precedence: Sequence[str] = (),
    conflicts: Sequence[Conflict] = (),
) -> tuple[Merged, ...]:
    """One finding for each line: that of the seat named first in ``precedence``, others beside it.

    A blocking finding is never folded into an advisory one, two findings of one seat are never
    folded together, and what is in a conflict stays as it is.
    """
    rank = {seat: i for i, seat in enumerate(precedence)}
    fixed = {f for conflict in conflicts for f in conflict.findings}
    free = sorted(f for f in findings if f not in fixed)
    alone = [f for f in free if not (f.path and f.line)]
    merged = [Merged(f) for f in (*fixed.intersection(findings), *alone)]
    for group in _by_line(free).values():
        merged += _merge(group, rank)
    return tuple(sorted(merged))


def _merge(group: list[Finding], rank: dict[str, int]) -> list[Merged]:
    def order(f: Finding) -> tuple[bool, int, int, Finding]:
        return not f.blocking, rank.get(f.seat, len(rank)), SEVERITIES.index(f.severity), f

    best, *rest = sorted(group, key=order)
    others = tuple(f for f in rest if f.seat != best.seat)
    return [Merged(best, others), *(Merged(f) for f in rest if f.seat == best.seat)]
