"""The VERDICT grammar: reads what a judge wrote into a judgement. Pure, and never raises.

The rules that matter, each on the safe side:

- Only the judge's own words vote. What stands in a closed fence or a block quote is ignored, unless
  the whole reply is quoted; a reply that is one fence can flag, but not approve.
- The verdict stands on a line of its own. Verdicts in a list or deeply indented count only when no
  such line is there. The same verdict may be repeated; several that differ are a parse failure.
- A parse failure blocks. So does a flag without reasons. An approval that lists blocking reasons is
  a parse failure.
- An escalation that says something outranks the verdict.

Grounding the findings is left to ``grounding``, the verdict of the panel to ``consensus``.
"""

from __future__ import annotations

from guildmoot.reading.items import Item, read_items, says_none
from guildmoot.reading.labels import ADVISORY, RATIONALE, REASONS, REMEDIES, RUNS
from guildmoot.reading.layout import lay_out
from guildmoot.reading.reasons import DEFAULT_CODE, read_marks, read_reason
from guildmoot.reading.scan import BODY, PREAMBLE, UNKNOWN, UNREADABLE, Scan, Section
from guildmoot.words import CliRun, Finding, Judgement

PARSE_FAILURE = "parse-failure"
WITHOUT_REASONS = "flagged-without-reasons"


def read_verdict(text: str, seat: str, family: str = "") -> Judgement:
    """The judgement in a reply's text, whatever the text is."""
    lines, fenced = lay_out(text)
    scan = Scan(lines)
    judgement = _judge(scan, fenced, Judgement(seat, "unreadable", family=family))
    return judgement._replace(confidence=scan.confidence, cli_runs=_runs(scan, seat))


def _judge(scan: Scan, fenced: bool, blank: Judgement) -> Judgement:
    if scan.escalation:
        return blank._replace(outcome="operator-judgment", reason=scan.escalation)
    verdict, problem = _verdict(scan, fenced)
    if problem:
        return _unreadable(scan, blank, problem)
    if verdict == "operator-judgment-required":
        return blank._replace(outcome="operator-judgment")
    if verdict == "recused":
        return blank._replace(outcome="recused", reason=_recusal(scan))
    if verdict == "approved":
        return _approved(scan, blank)
    return blank._replace(outcome="flagged", findings=_flags(scan, blank))


def _verdict(scan: Scan, fenced: bool) -> tuple[str, str]:
    """The one verdict of the reply, or why there is none."""
    counted = {_plain(value) for value in scan.standing or scan.weak}
    stated = counted | {_plain(value) for value in scan.doubtful}
    if not stated:
        return "", "no VERDICT line could be read"
    if not counted:
        return "", "the only VERDICT line stands in a code fence that is never closed"
    if UNREADABLE in stated:
        return "", "a VERDICT line holds none of the words that the grammar knows"
    if len(stated) > 1:
        return "", f"contradicting VERDICT lines: {', '.join(sorted(stated))}"
    verdict = counted.pop()
    if fenced and verdict in ("approved", "recused"):
        return "", f"VERDICT: {verdict} stands only inside a code fence, where it cannot vote"
    return verdict, ""


def _plain(value: str) -> str:
    """One judge's flagged-conflict is a flag; whether remedies conflict, the panel finds."""
    return "flagged" if value == "flagged-conflict" else value


def _unreadable(scan: Scan, blank: Judgement, problem: str) -> Judgement:
    """The failure blocks; reasons that could be read are kept beside it."""
    reasons = _findings(scan.of(REASONS), blank)
    kept = _remedied(reasons, scan) if "flagged" in map(_plain, scan.standing) else []
    failure = _failure(blank, PARSE_FAILURE, problem)
    return blank._replace(reason=problem, findings=(failure, *kept))


def _approved(scan: Scan, blank: Judgement) -> Judgement:
    """Advisories stay; reasons for approving are no findings, unless they say that they block."""
    blocking = [
        finding
        for section in scan.of(REASONS)
        for item in _spoken(section)
        if read_marks(item.text).blocking or section.blocking
        if (finding := read_reason(item, blank.seat, blank.family)).blocking
    ]
    if blocking:
        problem = "the verdict is approved, yet reasons that block are listed"
        failure = _failure(blank, PARSE_FAILURE, problem)
        return blank._replace(reason=problem, findings=(failure, *blocking))
    return blank._replace(outcome="approved", findings=tuple(_advisories(scan, blank)))


def _flags(scan: Scan, blank: Judgement) -> tuple[Finding, ...]:
    """The reasons with their remedies; a flag that gives none blocks for that."""
    reasons = _findings(scan.of(REASONS), blank) or _loose(scan, blank)
    if not reasons:
        said = "the verdict is flagged, but no reason could be read"
        reasons = [_failure(blank, WITHOUT_REASONS, said)]
    return (*_remedied(reasons, scan), *_advisories(scan, blank))


def _loose(scan: Scan, blank: Judgement) -> list[Finding]:
    """Reasons without a heading: after the verdict anything, before it only what looks like one."""
    after = _findings(scan.of(RATIONALE), blank) or _findings(scan.of(BODY, UNKNOWN), blank)
    if after:
        return after
    before = [
        (read_reason(item, blank.seat, blank.family), item) for item in _items(scan.of(PREAMBLE))
    ]
    return [
        finding
        for finding, item in before
        if finding.path
        or read_marks(item.text).blocking is not None
        or (finding.code != DEFAULT_CODE and "-" in finding.code)
    ]


def _findings(sections: list[Section], blank: Judgement) -> list[Finding]:
    return [read_reason(item, blank.seat, blank.family) for item in _items(sections)]


def _items(sections: list[Section]) -> list[Item]:
    return [item for section in sections for item in _spoken(section)]


def _spoken(section: Section) -> list[Item]:
    return [item for item in read_items(section.lines) if not says_none(item.text)]


def _remedied(reasons: list[Finding], scan: Scan) -> list[Finding]:
    """Remedies are paired with reasons by their order; a reason's own remedy comes first."""
    remedies = [item for section in scan.of(REMEDIES) for item in read_items(section.lines)]
    return [
        finding._replace(fix=remedies[number].fields.get("fix") or remedies[number].text)
        if number < len(remedies) and not finding.fix
        else finding
        for number, finding in enumerate(reasons)
    ]


def _advisories(scan: Scan, blank: Judgement) -> list[Finding]:
    found = _findings(scan.of(ADVISORY), blank)
    return [
        finding._replace(blocking=False, severity="low" if finding.blocking else finding.severity)
        for finding in found
    ]


def _failure(blank: Judgement, code: str, title: str) -> Finding:
    return Finding(blank.seat, code, title, family=blank.family)


def _recusal(scan: Scan) -> str:
    """The text beside ``Reason:``, else the first item below it."""
    for section in scan.of(REASONS):
        if section.inline:
            return section.inline
        items = read_items(section.lines)
        if items:
            return items[0].text
    return ""


def _runs(scan: Scan, seat: str) -> tuple[CliRun, ...]:
    sections = scan.of(RUNS)
    if not sections:
        return ()
    from guildmoot.reading.runs import read_run

    found = (read_run(item, seat) for item in _items(sections))
    return tuple(run for run in found if run)
