"""What the paired loop goes by: whether a contract is clear, whether the plan is stale, what recurs. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from guildmoot.model.verdict import Finding

RECURS = 3
"""Times that a finding is on record before it counts as recurring."""
ADR_MARK = "[adr-candidate]"
_MANY = 2
_HEDGE = re.compile(
    r"(?i)\b(should|maybe|perhaps|probably|possibly|ideally|hopefully|somehow|roughly|mostly|usually"
    r"|as needed|if possible|where (?:appropriate|possible)|appropriate(?:ly)?|reasonabl[ey]|sensibl[ey]"
    r"|etc|and so on|tbd|todo|to be decided)\b|\?\s*\Z"
)
_STALE = re.compile(
    r"(?i)\b(missing|new|another|additional|changed?|obsolete|stale|outdated|wrong|contradict\w*|not in"
    r"|belongs? (?:in|to)|out of)\b[^.]{0,60}\b(phase|deliverable|plan|milestone|scope|decision)s?\b"
)


class WorkContract(NamedTuple):
    """What one unit of paired work is held to."""

    goal: str
    criteria: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    disqualifiers: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    """Files that the work starts from."""

    def text(self) -> str:
        """As judges and people read it."""
        lines = [self.goal, "", "Acceptance criteria:"]
        lines += [f"{number}. {each}" for number, each in enumerate(self.criteria, 1)]
        for title, rows in (("Disqualifiers", self.disqualifiers), ("Inputs", self.inputs)):
            if rows:
                lines += ["", f"{title}: {'; '.join(rows)}"]
        return "\n".join(lines)


class Ambiguity(NamedTuple):
    """One field of a contract that two people could read differently."""

    field: str
    why: str
    flag: str


def ambiguities(contract: WorkContract) -> list[Ambiguity]:
    """What has to be asked before the work begins; nothing for a clear contract."""
    found = []
    if not contract.inputs:
        found.append(Ambiguity("inputs", "no file is named that the work starts from", "--input"))
    hedged = [each for each in contract.criteria if _HEDGE.search(each)]
    if hedged or not contract.criteria:
        why = f"hedged: {hedged[0]!r}" if hedged else "there is no acceptance criterion"
        found.append(Ambiguity("criteria", why, "--criterion"))
    if not contract.disqualifiers and len(contract.inputs) > _MANY:
        why = f"{len(contract.inputs)} files, and nothing is ruled out"
        found.append(Ambiguity("disqualifiers", why, "--disqualifier"))
    return found


def sharpened(contract: WorkContract, field: str, answers: Sequence[str]) -> WorkContract:
    """The contract with an answer in place of what was unclear."""
    if field == "criteria":
        kept = tuple(each for each in contract.criteria if not _HEDGE.search(each))
        return contract._replace(criteria=(*kept, *answers))
    if field == "inputs":
        return contract._replace(inputs=tuple(answers))
    return contract._replace(disqualifiers=tuple(answers))


class ScopeSignal(NamedTuple):
    """One hint that the plan no longer fits the work."""

    source: str
    """finding, comment, contradiction or boundary."""
    text: str


def scope_signals(
    findings: Iterable[Finding], comment: str, contradictions: Sequence[str], last: str
) -> list[ScopeSignal]:
    """Every source that speaks, at most one signal each; ``last`` says why this is a phase's boundary."""
    found = []
    for finding in findings:
        told = f"{finding.title} {finding.why} {finding.fix}"
        if _STALE.search(told):
            found.append(ScopeSignal("finding", f"{finding.code}: {finding.title}"))
            break
    if comment.strip():
        found.append(ScopeSignal("comment", " ".join(comment.split())))
    if contradictions:
        found.append(ScopeSignal("contradiction", contradictions[0]))
    if last:
        found.append(ScopeSignal("boundary", last))
    return found


def concurring(signals: Sequence[ScopeSignal]) -> bool:
    """Whether two sources at least say it; one alone never interrupts."""
    return len({each.source for each in signals}) > 1
