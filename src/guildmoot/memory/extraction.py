"""Which findings of a council are worth keeping beyond it, and as what.

Only a council that did not pass yields any, and only what is severe, found in the work, and held by a
judge who is sure enough. Candidates are staged for a person: nothing here changes a verdict. One issue
gives one candidate, however many judges raise it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

from guildmoot.model.council import CouncilReport
from guildmoot.model.council_verdict import COUNCIL_SEVERITIES, CouncilWord
from guildmoot.model.verdict import UNREAL, Finding, Issue
from guildmoot.reading.grammar import READER_CODES
from guildmoot.text.english import ALL_STOP_WORDS, stem

CandidateType = Literal["learning", "finding", "rule"]
Confidence = Literal["HIGH", "MEDIUM", "LOW"]

SURE: tuple[Confidence, ...] = ("HIGH", "MEDIUM")
ALIKE = 0.8
"""Share of the telling words that two descriptions must have in common to say the same."""

_RULE = re.compile(
    r"^(?:always|never|do not)\b|\b(?:must (?:always|never|not|be)|should (?:always|never|not)"
    r"|(?:every|each|no|all) [\w ]{1,40}?\b(?:must|should|needs? to|may)\b|invariants?|conventions?)\b",
    re.IGNORECASE,
)
_PROCESS = re.compile(
    r"\b(?:process|workflow|hand-?offs?|review(?:s|er|ers)?|sign-?off|approvals?|checklists?"
    r"|runbooks?|playbooks?|roll-?backs?|rollouts?|on-?call|post-?mortems?|retrospectives?"
    r"|acceptance criteria|definition of done|release (?:process|notes|plan)|owners?|ownership"
    r"|nobody (?:checks|owns|reviews)|planning)\b",
    re.IGNORECASE,
)


class Candidate(NamedTuple):
    """One line of ``extraction-candidates.jsonl``: these fields, in this order."""

    date: str
    council_id: str
    finding_description: str
    severity: str
    source_judge: str
    candidate_type: CandidateType
    dedup_key: str
    """SHA-256 of the description, byte for byte; a rewording is another."""


def candidates_of(report: CouncilReport) -> list[Candidate]:
    """What the report has that is worth keeping; nothing when it passed, or judged nothing."""
    if report.task != "validate" or report.outcome == "INCOMPLETE":
        return []
    issues = [issue for issue in report.issues if issue.representative.code not in READER_CODES]
    sureness: dict[str, Confidence | None] = {
        judge.label: judge.verdict.confidence if judge.verdict else None for judge in report.judges
    }
    return extract(
        report.verdict,
        issues,
        sureness,
        date=report.date,
        council_id=report.stem,
        own=dict(_said_of_one(report)),
    )


def extract(
    verdict: CouncilWord | None,
    issues: Sequence[Issue],
    sureness: Mapping[str, Confidence | None],
    *,
    date: str,
    council_id: str,
    own: Mapping[tuple[str, str], Confidence] | None = None,
) -> list[Candidate]:
    """The candidates of one council, the most severe first.

    ``sureness`` is each judge's own confidence; ``own`` has what a judge said of one finding, by the
    judge and the finding's description.
    """
    if verdict not in ("WARN", "FAIL"):
        return []
    said = own or {}
    found: dict[str, Candidate] = {}
    for issue in issues:
        for finding in (issue.representative, *issue.members):
            sure = said.get((finding.seat, finding.title)) or sureness.get(finding.seat)
            if is_worth_keeping(finding, sure):
                candidate = _candidate(finding, date, council_id)
                found.setdefault(candidate.dedup_key, candidate)
                break
    return list(found.values())


def is_worth_keeping(finding: Finding, confidence: Confidence | None) -> bool:
    """Severe, sure, and about a place that is really there (or about none)."""
    sure = finding.proven or confidence in SURE
    return finding.severity != "low" and sure and finding.grounding not in UNREAL


def classify(finding: Finding) -> CandidateType:
    """A rule says what must always hold, a learning is about how people work; else a finding.

    That something "never ends" describes a defect; that it "must never" end is a rule.
    """
    text = f"{finding.title} {finding.fix}"
    if _RULE.search(finding.title):
        return "rule"
    if not finding.path and (finding.code == "process" or _PROCESS.search(text)):
        return "learning"
    return "finding"


def dedup_key(description: str) -> str:
    """The key that other tools know: SHA-256 of the exact text."""
    return sha256(description.encode("utf-8", "surrogatepass")).hexdigest()


def normal_key(description: str) -> str:
    """The telling words in a fixed order: the same however a sentence is turned or a line moved.

    Numbers, punctuation, stop words and endings do not count. A text without any such word
    is its own key.
    """
    words = sorted(set(_telling(description)))
    return "-".join(words) or dedup_key(description)


def is_alike(one: str, other: str) -> bool:
    """Whether two normal keys say the same in other words."""
    left, right = set(one.split("-")), set(other.split("-"))
    return len(left & right) >= ALIKE * len(left | right)


def _telling(text: str) -> Iterator[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    for word in re.findall(r"[^\W\d_]+", plain):
        if len(word) > 1 and word not in ALL_STOP_WORDS:
            yield stem(word)


def _candidate(finding: Finding, date: str, council_id: str) -> Candidate:
    return Candidate(
        date=date,
        council_id=council_id,
        finding_description=finding.title,
        severity=COUNCIL_SEVERITIES[finding.severity],
        source_judge=finding.seat,
        candidate_type=classify(finding),
        dedup_key=dedup_key(finding.title),
    )


def _said_of_one(report: CouncilReport) -> Iterator[tuple[tuple[str, str], Confidence]]:
    """What judges said of single findings, where it differs from their confidence in the whole."""
    for judge in report.judges:
        for finding in judge.verdict.findings if judge.verdict else ():
            if finding.confidence:
                yield (judge.label, finding.description), finding.confidence
