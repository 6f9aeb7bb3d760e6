"""Findings that somebody accepted are set aside before the verdict: by a comment, a dismissal or a baseline.

The one place where that happens. Nothing is lost: each is listed in the report with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from guildmoot.codec import from_plain
from guildmoot.config import Config
from guildmoot.consensus.votes.history import Disposition, decided
from guildmoot.grounding.inline import InlineIgnore, PragmaLines, in_ranges
from guildmoot.memory import calibration
from guildmoot.memory.baseline import NO_BASELINE, Baseline, read_baseline
from guildmoot.model.identity import fingerprint
from guildmoot.model.packet import Packet
from guildmoot.model.report import IgnoredFinding
from guildmoot.model.verdict import Finding, Judgement
from guildmoot.named import NamedTuple
from guildmoot.runs.record import read_part
from guildmoot.text.clean import count
from guildmoot.text.pragmas import may_hold

SILENCED = "silenced by a comment, not heeded in a change"


class Ignores(NamedTuple):
    """What was accepted before this run."""

    dismissed: Mapping[str, Sequence[Disposition]]
    """By the fingerprint of the finding, one for each that was dismissed."""
    baseline: Baseline = NO_BASELINE
    foreign: int = 0
    """Lines of the record that are not this user's."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What was found here and is not believed."""
        where = calibration.FILE.as_posix()
        lost = f"{where}: {count(self.foreign, 'line')} not used, you did not write them; dismiss again"
        return tuple(filter(None, (self.baseline.notice, lost if self.foreign else "")))


NO_IGNORES = Ignores({})


def load_ignores(packet: Packet, config: Config) -> Ignores:
    """What this machine's user dismissed here, and the baseline unless it is switched off."""
    root = Path(packet.root)
    drawn = read_baseline(root, packet.base) if config.flag("panel.baseline") else NO_BASELINE
    known = calibration.read(root)
    return Ignores(dismissals(known.dispositions), drawn, known.foreign)


def recorded_findings(root: Path, run: str) -> list[Finding]:
    """All that the judges of a recorded panel found, each finding by itself."""
    from guildmoot.runs.index import find_run

    rows = read_part(find_run(root, run), "judgements").get("judgements")
    read = from_plain(_Recorded, {"judgements": rows or []})
    return [finding for judgement in read.judgements for finding in judgement.findings]


class _Findings(NamedTuple):
    findings: tuple[Finding, ...] = ()


class _Recorded(NamedTuple):
    judgements: tuple[_Findings, ...]


def dismissals(known: Iterable[Disposition]) -> dict[str, list[Disposition]]:
    """The findings whose newest decision is that they are none."""
    found: dict[str, list[Disposition]] = {}
    for item in decided(known):
        if item.disposition == "dismissed":
            for name in item.prints:
                found.setdefault(name, []).append(item)
    return found


def set_aside(
    judgements: Sequence[Judgement],
    packet: Packet,
    known: Ignores,
    existing: Sequence[Finding] = (),
) -> tuple[list[Judgement], tuple[IgnoredFinding, ...]]:
    """The judgements without what was accepted, and that; ``existing`` stood before the change and comes first."""
    inline = _Inline(packet)
    left = {name: [*items] for name, items in known.dismissed.items()}
    met = Counter[str]()
    for finding in existing:
        _dismissed(finding, left)
        known.baseline.holds(finding, met)
    ignored: list[IgnoredFinding] = []
    rest = []
    for judgement in judgements:
        kept = []
        for finding in judgement.findings:
            told = _dismissed(finding, left) or inline.told(finding)
            if not isinstance(told, IgnoredFinding) and known.baseline.holds(finding, met):
                told = _of_baseline(finding, known.baseline)
            if isinstance(told, IgnoredFinding):
                named = told.finding._replace(id=fingerprint(finding)[:12])
                ignored.append(told._replace(finding=named))
            else:
                kept.append(told)
        rest.append(_without(judgement, tuple(kept)))
    return rest, tuple(ignored)


def told_ignored(ignored: IgnoredFinding) -> tuple[str, str]:
    """One of them in a line, and why."""
    found = ignored.finding
    by = " by ".join(filter(None, (ignored.by, ignored.who)))
    return f"{found.path}:{found.line} {found.code} {found.title}", f"{by}: {ignored.why}"


def _dismissed(finding: Finding, left: Mapping[str, list[Disposition]]) -> IgnoredFinding | None:
    """Each dismissal is for one finding: the same line written once more is another one."""
    items = left.get(fingerprint(finding)) if left else None
    if not items:
        return None
    item = items.pop()
    return IgnoredFinding(finding, "dismissed", item.why, item.who, item.ts)


def _of_baseline(finding: Finding, drawn: Baseline) -> IgnoredFinding:
    return IgnoredFinding(finding, "baseline", "it was there", drawn.who, drawn.when)


class _Inline:
    """The comments of the packet's files, looked up when a finding names the file."""

    def __init__(self, packet: Packet) -> None:
        self._texts = {file.path: file.text for file in packet.files}
        self._changed = dict(packet.changed)
        self._is_change = bool(packet.base or packet.changed)
        self._lines: Callable[[str], PragmaLines | None] = cache(self._read)

    def told(self, finding: Finding) -> Finding | IgnoredFinding:
        """The finding, with a note where a comment does not count; or what the comment makes of it."""
        lines = self._lines(finding.path)
        ignore = lines.ignore_of(finding) if lines else None
        if not ignore or not lines:
            return finding
        place = f"`{ignore.pragma.text}` on line {ignore.line}"
        if ignore.pragma.problem:
            return _noted(finding, f"{place} does not count: {ignore.pragma.problem}")
        if finding.blocking and self._is_new(ignore, finding):
            return _noted(finding, f"{SILENCED}: {place}")
        return IgnoredFinding(finding, "inline", ignore.pragma.reason or place)

    def _read(self, path: str) -> PragmaLines | None:
        text = self._texts.get(path, "")
        return PragmaLines(text.removesuffix("\n").split("\n")) if may_hold(text) else None

    def _is_new(self, ignore: InlineIgnore, finding: Finding) -> bool:
        """Facts that stood before the change are set aside already; an opinion is told by its lines."""
        if finding.proven:
            return self._is_change
        return in_ranges(ignore, finding, self._changed.get(finding.path, ()))


def _noted(finding: Finding, note: str) -> Finding:
    return finding._replace(note="; ".join(filter(None, (finding.note, note))))


def _without(judgement: Judgement, kept: tuple[Finding, ...]) -> Judgement:
    """A seat has nothing against the work any more when all that blocked was accepted."""
    lifted = any(f.blocking for f in judgement.findings) and not any(f.blocking for f in kept)
    if lifted and judgement.outcome == "flagged":
        return judgement._replace(findings=kept, outcome="approved")
    return judgement._replace(findings=kept)
