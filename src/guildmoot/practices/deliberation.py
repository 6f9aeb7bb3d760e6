"""From judgements to a verdict: group, look for conflicts, rule by the named policy, then the floors.

The rules themselves are pure functions of ``consensus``; here they meet the configuration, and git where
two findings bring patches.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple

from guildmoot.config import Config
from guildmoot.consensus.conflicts import ConflictReport, find_conflicts
from guildmoot.consensus.council import tally_council, word_of
from guildmoot.consensus.floors import Floor, coverage_floor, verification_floor
from guildmoot.consensus.grouping import apart, group_findings
from guildmoot.consensus.policies import POLICIES, Case
from guildmoot.consensus.settle import settle
from guildmoot.consensus.tally import tally
from guildmoot.consensus.votes.ballots import Probe, Rule
from guildmoot.grounding.patches import Bench
from guildmoot.model.packet import Packet
from guildmoot.model.report import Counts
from guildmoot.model.verdict import Finding, Issue, Judgement, PanelResult
from guildmoot.practices.arbitration import Arbiter, arbitrate


class Deliberation(NamedTuple):
    """What a panel's judgements come to."""

    result: PanelResult
    issues: tuple[Issue, ...]
    counts: Counts
    floors: tuple[str, ...]
    policy: str
    council: str = ""
    """PASS, WARN, FAIL, DISAGREE, INCOMPLETE or ERROR, under the policy ``council``."""


class Calibration(NamedTuple):
    """What past probes taught about the seats."""

    rule: Rule | None = None
    probes: tuple[Probe, ...] = ()


async def deliberate(
    judgements: Sequence[Judgement],
    asked: Sequence[str],
    packet: Packet,
    config: Config,
    calibration: Calibration = Calibration(),  # noqa: B008 - frozen and empty
    arbiter: Arbiter | None = None,
) -> Deliberation:
    """One result from what everybody said."""
    findings = [finding for judgement in judgements for finding in judgement.findings]
    clashes = _conflicts(findings, packet)
    if arbiter and clashes.undecided:
        clashes = await arbitrate(clashes, arbiter, config.number("panel.timeout"))
    opposed = {f for conflict in clashes.conflicts for f in conflict.findings}
    issues = tuple(apart(group_findings(findings), opposed))
    policy = POLICIES[config.text("policy.name")]
    case = Case(
        judgements=tuple(judgements),
        issues=issues,
        veto=config.strings("policy.veto"),
        warn_at=int(config.number("policy.warn_at")),
        block_at=int(config.number("policy.block_at")),
        rule=calibration.rule,
    )
    floors = _floors(findings, packet, config)
    result = settle(
        judgements,
        policy.rule(case),
        expected=asked,
        conflicts=clashes.conflicts,
        floors=floors,
        precedence=config.strings("panel.precedence"),
    )
    return Deliberation(
        result=result._replace(reasons=(*result.reasons, *_clash_reasons(clashes))),
        issues=issues,
        counts=tally(judgements, issues, asked, calibration.probes),
        floors=tuple(f"{floor.name}: {floor.why}" for floor in floors),
        policy=policy.name,
        council=_council(judgements, floors) if policy.name == "council" else "",
    )


def _council(judgements: Sequence[Judgement], floors: Sequence[Floor]) -> str:
    """The council's own word; a tool that found nothing takes no side."""
    heard = [j for j in judgements if not (j.computed and j.outcome == "approved")] or judgements
    return tally_council([word_of(judgement) for judgement in heard], floors=floors).outcome


def _floors(findings: Sequence[Finding], packet: Packet, config: Config) -> list[Floor]:
    least = config.number("floors.coverage")
    return [
        *verification_floor(findings),
        *coverage_floor(len(packet.files), packet.omitted, least),
    ]


def _conflicts(findings: Sequence[Finding], packet: Packet) -> ConflictReport:
    """Conflicts among the blocking findings; patches are tried with git when there are any."""
    with ExitStack() as stack:
        trial = None
        if any(finding.patch for finding in findings):
            bench = stack.enter_context(Bench({file.path: file.text for file in packet.files}))
            trial = lambda a, b: bench.clash(a.patch, b.patch)  # noqa: E731
        return find_conflicts(findings, trial)


def _clash_reasons(clashes: ConflictReport) -> list[str]:
    """A clash is explained; what only seems to clash is left to a person, and said so."""
    told = [
        f"{conflict.scope}: {why}"
        for conflict, why in zip(clashes.conflicts, clashes.reasons, strict=True)
    ]
    if clashes.undecided:
        first = clashes.undecided[0]
        told.append(f"{len(clashes.undecided)} undecided, e.g. {first.scope}: {first.reason}")
    return told
