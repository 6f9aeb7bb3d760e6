"""What a judge's word counts as, once its findings were looked up in the work.

any word, and a fact that it found blocks      FAIL: nobody outvotes a fact, nor its own tool
FAIL, and a finding of it still blocks         FAIL
FAIL, and another judge's finding that stands
    says the same as one of its own            FAIL
FAIL, and nothing that it names was found      WARN: it cannot fail the work alone
PASS, and a finding of it blocks or is
    significant                                WARN: nobody passes what is gravely wrong
anything else                                  as it was said
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from guildmoot.model.verdict import Finding, Issue
from guildmoot.named import NamedTuple

if TYPE_CHECKING:
    from guildmoot.model.council_verdict import CouncilWord

STANDS = ("grounded", "moved")
"""What was looked up and found."""


class CountedVote(NamedTuple):
    """A word as it counts, and why it differs from what was said."""

    word: CouncilWord
    why: str = ""


def count_vote(
    said: CouncilWord, findings: Sequence[Finding], issues: Iterable[Issue]
) -> CountedVote:
    """The word that counts; ``findings`` are the judge's own, checked, and ``issues`` everybody's."""
    if said != "FAIL" and any(finding.blocking and finding.proven for finding in findings):
        return CountedVote("FAIL")
    blocks = any(finding.blocking for finding in findings)
    if said == "PASS" and (grave := _gravest(findings)):
        return CountedVote("WARN", f"it says PASS, yet names something {grave}: counted as WARN")
    if said != "FAIL" or blocks or not findings or _is_backed(findings, issues):
        return CountedVote(said)
    doubts = "; ".join(dict.fromkeys(f.note.split(", so it")[0] for f in findings if f.note))
    why = f"none of its reasons to fail stands up ({doubts or 'none blocks'}): counted as WARN"
    return CountedVote("WARN", why)


def _gravest(findings: Sequence[Finding]) -> str:
    """What the worst finding is called, where it is more than minor: no plain PASS stands beside it."""
    if any(finding.blocking or finding.severity == "critical" for finding in findings):
        return "critical"
    opinions = (finding for finding in findings if not finding.proven)
    return "significant" if any(finding.severity == "high" for finding in opinions) else ""


def _is_backed(findings: Sequence[Finding], issues: Iterable[Issue]) -> bool:
    """Whether another seat says the same about a place that is really there."""
    own = {finding.seat for finding in findings}
    return any(
        any(member.seat in own for member in issue.members)
        and any(m.seat not in own and m.grounding in STANDS and m.blocking for m in issue.members)
        for issue in issues
    )
