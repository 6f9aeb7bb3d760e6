"""What happens to findings between reading and the verdict: scope, grounding, and the change itself."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from guildmoot.config import Config
from guildmoot.grounding.anchors import Texts, ground
from guildmoot.grounding.patches import PatchSandbox
from guildmoot.grounding.proofs import check_assertions, check_patch
from guildmoot.model.call import Call
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Finding, Judgement
from guildmoot.packet import materialise

Ranges = tuple[tuple[int, int], ...]


class Trials(NamedTuple):
    """What findings may run to prove themselves; nothing, unless programs are allowed by name."""

    folder: Path | None = None
    allowed: Collection[str] = ()
    timeout: float = 30.0


NO_TRIALS = Trials()


@contextmanager
def open_trials(packet: Packet, config: Config) -> Iterator[Trials]:
    """The packet in a folder of its own for the programs that the user allows; else no trials."""
    allowed = config.strings("grounding.allow")
    if not allowed:
        yield NO_TRIALS
        return
    with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
        folder, _ = materialise(packet, Path(scratch))
        yield Trials(folder, allowed, config.number("grounding.timeout"))


def check_findings(
    judgements: Sequence[Judgement],
    calls: Sequence[Call],
    packet: Packet,
    trials: Trials = NO_TRIALS,
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
    return _prove(checked, packet, trials), old


def _prove(judgements: list[Judgement], packet: Packet, trials: Trials) -> list[Judgement]:
    """Try what findings bring along: patches with git, assertions with the allowed programs."""
    brought = [f for judgement in judgements for f in judgement.findings if f.patch or f.assertions]
    if not brought:
        return judgements
    with PatchSandbox({file.path: file.text for file in packet.files}) as bench:
        return [
            judgement._replace(findings=tuple(_tried(f, bench, trials) for f in judgement.findings))
            for judgement in judgements
        ]


def _tried(finding: Finding, bench: PatchSandbox, trials: Trials) -> Finding:
    finding = check_patch(finding, bench)
    if not trials.folder:
        return finding
    return check_assertions(finding, trials.folder, trials.allowed, trials.timeout)


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
