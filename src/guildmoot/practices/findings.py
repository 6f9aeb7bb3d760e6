"""What happens to findings between reading and the verdict: scope, grounding, and the change itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guildmoot.grounding import Texts, ground
from guildmoot.types import Call, Finding, Judgement, Packet

Ranges = tuple[tuple[int, int], ...]


def check_findings(
    judgements: Sequence[Judgement], calls: Sequence[Call], packet: Packet
) -> tuple[list[Judgement], int]:
    """Ground every finding; facts outside the seat's files or the change are set aside, and counted."""
    texts = Texts(packet.files)
    known = {file.path for file in packet.files}
    in_scope = {call.seat.name: set(call.files) for call in calls}
    changed = dict(packet.changed)
    checked, old = [], 0
    for judgement in judgements:
        scope = in_scope.get(judgement.seat, set())
        own = [f for f in judgement.findings if _is_own(f, scope, known)]
        kept = tuple(ground(f, texts) for f in own if _is_new(f, changed))
        old += len(own) - len(kept)
        checked.append(_with(judgement, kept))
    return checked, old


def touches(finding: Finding, changed: Mapping[str, Ranges]) -> bool:
    """Whether a finding lies in the change; one without a line concerns its whole file."""
    if not finding.path:
        return True
    if not finding.line:
        return finding.path in changed
    end = max(finding.line, finding.end_line)
    ranges = changed.get(finding.path, ())
    return any(first <= end and finding.line <= last for first, last in ranges)


def _is_own(finding: Finding, scope: set[str], known: set[str]) -> bool:
    """A tool that runs on the whole folder also reports on files that its agent must not judge."""
    return not finding.proven or finding.path not in known or finding.path in scope


def _is_new(finding: Finding, changed: Mapping[str, Ranges]) -> bool:
    """A fact about untouched lines was there before the change; an opinion may concern its effects."""
    return not changed or not finding.proven or touches(finding, changed)


def _with(judgement: Judgement, kept: tuple[Finding, ...]) -> Judgement:
    """A seat whose every finding was set aside has nothing against what is judged here."""
    if judgement.outcome == "flagged" and judgement.findings and not kept:
        return judgement._replace(findings=(), outcome="approved")
    return judgement._replace(findings=kept)
