"""The VERDICT grammar: reads what a judge wrote into a judgement. Pure, and never raises.

The rules that matter, each on the safe side:

- Only the judge's own words vote. What stands in a closed fence or a block quote is ignored, unless
  the whole reply is quoted; a reply that is one fence can flag, but not approve.
- The verdict stands on a line of its own. Verdicts in a list or deeply indented count only when no
  such line is there. The same verdict may be repeated; several that differ are a parse failure.
- A parse failure blocks. So does a flag without reasons. An approval that lists blocking reasons is
  a parse failure.
- An approval is the one reading that lets work pass, so it must be the only thing that the judge
  says: words elsewhere that say the opposite are a parse failure too.
- An escalation that says something outranks the verdict.

Grounding the findings is left to ``grounding``, the verdict of the panel to ``consensus``.
"""

from __future__ import annotations

from guildmoot.model.verdict import CliRun, Finding, Judgement
from guildmoot.reading.blocks import Line, json_fences, lay_out
from guildmoot.reading.list_items import Item, match_remedies, only_greets, read_items, says_none
from guildmoot.reading.reasons import DEFAULT_CODE, PLAIN_RATINGS, read_marks, read_reason, read_run
from guildmoot.reading.sections import (
    ADVISORY,
    BODY,
    PREAMBLE,
    RATIONALE,
    REASONS,
    REMEDIES,
    RUNS,
    UNKNOWN,
    ReplySection,
    Scan,
)
from guildmoot.reading.words.approval import UNREADABLE
from guildmoot.reading.words.lexicon import NOT_JUDGED
from guildmoot.reading.words.tags import split_tags

PARSE_FAILURE = "parse-failure"
WITHOUT_REASONS = "flagged-without-reasons"
READER_CODES = (PARSE_FAILURE, WITHOUT_REASONS)
"""Of findings that a reader made of a reply; no judge raised them."""


def read_verdict(text: str, seat: str, family: str = "", *, places: bool = True) -> Judgement:
    """The judgement in a reply's text, whatever the text is.

    Without ``places`` the file, line and quote of findings are not sought; nothing else changes.
    """
    own, inside = split_tags(text)
    reader = _Reader(own, inside, seat, family, places)
    judgement = reader.judge()
    if own is not text and judgement.outcome == "unreadable":  # a tag takes no flag away
        whole = _Reader(text, "", seat, family, places).judge()
        return whole if whole.outcome in ("flagged", "operator-judgment") else judgement
    return judgement


class _Reader:
    """One scanned reply and whose it is."""

    def __init__(self, text: str, inside: str, seat: str, family: str, places: bool) -> None:
        lines, self.fenced = lay_out(text)
        self.scan = Scan(lines)
        self.beside = lay_out(inside)[0] if inside else []
        """The lines inside tags, which may contradict."""
        self.seat = seat
        self.family = family
        self.places = places

    def judge(self) -> Judgement:
        blank = Judgement(
            self.seat,
            "unreadable",
            family=self.family,
            confidence=self.scan.confidence,
            cli_runs=_runs(self.scan, self.seat),
        )
        if self.scan.escalation:
            return blank._replace(outcome="operator-judgment", reason=self.scan.escalation)
        verdict, problem = _verdict(self.scan, self.fenced)
        if verdict == "approved":
            problem = self._blocked_approval() or contradiction(self.scan, self.beside)
        if problem:
            return blank._replace(reason=problem, findings=self._unreadable(problem))
        if verdict == "operator-judgment-required":
            return blank._replace(outcome="operator-judgment")
        if verdict == "recused":
            return blank._replace(outcome="recused", reason=_recusal(self.scan))
        if verdict == "approved":
            return blank._replace(outcome="approved", findings=tuple(self._advisories()))
        return blank._replace(outcome="flagged", findings=self._flags())

    def _finding(self, item: Item) -> Finding:
        return read_reason(item, self.seat, self.family, self.places)

    def _items(self, *kinds: str) -> list[Item]:
        return [item for section in self.scan.of(*kinds) for item in _spoken(section)]

    def _failure(self, code: str, title: str) -> Finding:
        return Finding(self.seat, code, title, family=self.family)

    def _unreadable(self, problem: str) -> tuple[Finding, ...]:
        """The failure blocks; reasons that were given for a flag are kept beside it."""
        items = self._remedied(self._items(REASONS)) if _says_blocked(self.scan) else []
        return (self._failure(PARSE_FAILURE, problem), *map(self._finding, items))

    def _blocked_approval(self) -> str:
        """Reasons for approving are no findings, unless they say that they block."""
        blocked = _says_blocked(self.scan)
        return "the verdict is approved, yet reasons that block are listed" if blocked else ""

    def _flags(self) -> tuple[Finding, ...]:
        """The reasons with their remedies; a flag that gives none blocks for that."""
        items = self._items(REASONS) or loose_items(self.scan)
        reasons = [self._finding(item) for item in self._remedied(items)]
        if not reasons:
            said = "the verdict is flagged, but no reason could be read"
            reasons = [self._failure(WITHOUT_REASONS, said)]
        return (*reasons, *self._advisories())

    def _remedied(self, reasons: list[Item]) -> list[Item]:
        """A reason's own remedy comes before those of the list."""
        remedies = [item for part in self.scan.of(REMEDIES) for item in read_items(part.lines)]
        for reason, remedy in match_remedies(reasons, remedies):
            reason.fields.setdefault("fix", remedy)
        return reasons

    def _advisories(self) -> list[Finding]:
        found = map(self._finding, self._items(ADVISORY))
        return [
            finding._replace(blocking=False, severity="low") if finding.blocking else finding
            for finding in found
        ]


def loose_items(scan: Scan) -> list[Item]:
    """Without a heading: after the verdict anything, before it what looks like a reason.

    Where a list before the verdict gives the reasons, a paragraph after it that names none only closes the reply.
    """

    def items(*kinds: str) -> list[Item]:
        return [item for section in scan.of(*kinds) for item in _spoken(section)]

    after = items(RATIONALE) or items(BODY, UNKNOWN)
    before = [item for item in items(PREAMBLE) if looks_like_reason(item)]
    if not any(item.listed for item in before):
        return after or before
    return [*before, *(item for item in after if item.listed or looks_like_reason(item))]


def _verdict(scan: Scan, fenced: bool) -> tuple[str, str]:
    """The one verdict of the reply, or why there is none."""
    counted = {_plain(value) for value in scan.standing or scan.weak}
    stated = counted | {_plain(value) for value in scan.doubtful}
    if not stated and scan.cited:
        return "", "the only VERDICT line stands where the reply tells another's words"
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


def _says_blocked(scan: Scan) -> bool:
    """Whether the reply flags, or lists reasons that are marked as blocking."""
    marked = (
        (section.blocking or marks.blocking, marks.text)
        for section in scan.of(REASONS)
        for marks in (read_marks(item.text) for item in _spoken(section))
    )
    return "flagged" in map(_plain, scan.standing) or any(
        blocking and not says_none(text) for blocking, text in marked
    )


def looks_like_reason(item: Item) -> bool:
    """It is rated or marked, begins with a hyphenated code or names a place."""
    from guildmoot.reading.places import find_anchor

    if {"severity", "where", "group"} & set(item.fields):
        return True
    finding = read_reason(item, "", "", places=False)
    coded = finding.code != DEFAULT_CODE and ("-" in finding.code or finding.code in PLAIN_RATINGS)
    marks = read_marks(item.text)
    rated = marks.blocking is not None or marks.severity is not None
    return coded or rated or bool(find_anchor(item.text)[0])


def _spoken(section: ReplySection) -> list[Item]:
    items = read_items(section.lines)
    return [item for item in items if not says_none(item.text) and not is_polite(item)]


def is_polite(item: Item) -> bool:
    """Whether it is a closing line in which nothing of the work is named."""
    return only_greets(item.text) and not item.fields and not looks_like_reason(item)


def _recusal(scan: Scan) -> str:
    """The text beside ``Reason:``, else the first item below it."""
    for section in scan.of(REASONS):
        items = read_items(section.lines)
        if section.inline or items:
            return section.inline or items[0].text
    return ""


def _runs(scan: Scan, seat: str) -> tuple[CliRun, ...]:
    items = [item for section in scan.of(RUNS) for item in _spoken(section)]
    return tuple(run for item in items if (run := read_run(item, seat)))


def contradiction(scan: Scan, beside: list[Line], prose: bool = True) -> str:
    """What the rest of a reply says against its approval, or nothing; ``beside`` are the lines in its tags."""
    if any(value.startswith(("flagged", "operator")) for value in scan.listed):
        return "contradicting verdicts: approved, and in a list flagged"
    from guildmoot.reading.words.doubts import doubt, json_doubt  # flags are read without it

    said = [
        line for part in scan.sections if part.kind not in (ADVISORY, RUNS) for line in part.said
    ]
    asides = [line for part in scan.of(ADVISORY) for line in part.lines]
    shown = next(filter(None, map(json_doubt, json_fences(said))), "")
    return f"it is approved, yet {shown}" if shown else doubt([*said, *beside], asides, prose)


def speaks_against(text: str) -> str:
    """What a reply without a vote says against the work; nothing when it only says that it did not judge."""
    own, inside = split_tags(text)
    lines, _ = lay_out(own)
    prose = contradiction(Scan(lines), lay_out(inside)[0])
    why = (why_not_approved(text, prose=False) or prose).removeprefix("it is approved, yet ")
    return "" if why.startswith(NOT_JUDGED) else why


def why_not_approved(text: str, prose: bool = True) -> str:
    """What in a text whose vote is taken from elsewhere speaks against an approval; empty when nothing does.

    Without ``prose`` only what no second word can settle: other verdicts and what its form says.
    """
    own, inside = split_tags(text)
    lines, _ = lay_out(own)
    scan = Scan(lines)
    other = {_plain(value) for value in (*scan.standing, *scan.doubtful)} - {"approved"}
    if other and (prose or other != {UNREADABLE}):
        return f"it also states VERDICT: {', '.join(sorted(other))}"
    if other:
        from guildmoot.reading.words.doubts import doubt

        if found := doubt(lines, [], prose=False):
            return found
    return scan.escalation or contradiction(scan, lay_out(inside)[0], prose)
