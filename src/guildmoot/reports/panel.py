"""A panel's run as a document: verdict, conflicts, findings by severity, seats, votes, cost, coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from guildmoot.model.report import RunOrigin, RunReport, SeatReport
from guildmoot.model.verdict import Conflict, Finding
from guildmoot.reports import document as doc
from guildmoot.reports.costs import costs_of
from guildmoot.reports.sections import cost, coverage, line_link, next_steps, origin_facts
from guildmoot.reports.view import (
    SeverityGroup,
    are_tools,
    asked_before,
    attendance,
    by_severity,
    doubt,
    foremost,
    gathered,
    gave_judgement,
    never_began,
    not_seated,
    place,
    repeats,
    reused_line,
    seat_state,
    shared_seats,
    some,
    speakers,
    strength,
    tally,
    verdict_words,
    votes,
)
from guildmoot.text.clean import count, one_line, seconds

_TONES: dict[str, doc.Tone] = {"approved": "good", "flagged": "bad", "conflict": "bad"}
_MANY_SEATS = 20
_MANY_FINDINGS = 3
_CODES = 5
_ROW = 74
_BY_HAND = frozenset(
    ("key-file", "symlink", "submodule", "binary", "sample", "bad-name", "unreadable", "conflict")
)
"""Characters of a row that sums up findings: one line of a terminal."""


def panel_document(report: RunReport, screen: doc.Screen | None = None) -> doc.Document:
    """The whole report for a file, or what a terminal has room for."""
    symbol, word, rest = verdict_words(report)
    header = report.header
    number = len(report.coverage) or header.files_reviewed
    files = count(number, "file") if number else ""
    thinks = any(seat.seat.backend != "tool" for seat in report.seats)
    heard = (attendance(report), strength(report)) if thinks or not screen else ()
    facts = (header.target, files, *heard, reused_line(header), seconds(header.seconds))
    banner = doc.Banner(
        symbol,
        word,
        rest,
        _TONES.get(report.outcome, "unsure"),
        facts=tuple(("", one_line(fact)) for fact in facts) if report.seats else (),
        reasons=_news(report) if screen else header.reasons,
        head=() if screen else tuple(origin_facts(header.origin)),
    )
    ids = (
        ("Run ", doc.code(header.run_id)) if header.run_id else "",
        ("packet ", doc.code(header.packet_hash)),
        ("rule ", doc.code(header.policy)),
        f"guildmoot {header.version}",
    )
    title = f"{word}: {rest}" if rest else word
    blocks = tuple(_blocks(report, screen))
    shown = sum(len(block.items) for block in blocks if isinstance(block, doc.FindingCards))
    again = banner._replace(facts=(), reasons=(), head=()) if shown > _MANY_FINDINGS else None
    return doc.Document(title, blocks, banner, doc.joined(ids), closing=again)


def _news(report: RunReport) -> tuple[str, ...]:
    """The reasons without what headline and findings of a terminal say already."""
    said = ("answered and nothing blocks", "blocking finding from", "blocking findings from")
    plain = report.outcome in ("approved", "flagged")
    return tuple(
        why for why in report.header.reasons if not (plain and any(part in why for part in said))
    )


def _blocks(report: RunReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    if report.outcome == "nothing":
        return
    groups = by_severity(report)
    boxes: list[tuple[str, int]] = [
        (each.severity, len(each.blocking) + len(each.advisory)) for each in groups
    ]
    if report.blocking and report.advisory:
        boxes.append(("advisory", len(report.advisory)))
    if len(boxes) > 1:
        yield doc.Filter(tuple(boxes))
    for conflict in report.conflicts:
        yield from _conflict(conflict)
    hidden = 0
    for group in groups:
        limit = screen.limit if screen and not screen.show_all else len(group.advisory)
        shown, rest = foremost(gathered(group.advisory), limit)
        brief = bool(screen and not screen.show_all)
        yield from _group(group, shown, report.header.origin, brief=brief)
        yield from _rest(group, rest)
        hidden += len(rest)
    yield from _seats(report, screen)
    if report.header.counts and (screen.show_all if screen else not are_tools(report)):
        yield doc.SectionHeading("Votes", 2)
        yield doc.Table(
            ("Count", "Value", "Meaning"), votes(report), "What the agreement is worth", range(1, 2)
        )
    yield from cost(costs_of(report), screen)
    existing = bool(screen and screen.existing)
    yield from coverage(
        report.header, _not_counted(report, existing=existing), screen, by=_by(report, screen)
    )
    if report.existing and (screen is None or screen.existing):
        yield doc.SectionHeading("Before the change", 2, f"{len(report.existing):,} not counted")
        yield doc.FindingCards(
            tuple(_card(same, report.header.origin) for same in gathered(report.existing)), "listed"
        )
    if report.ignored and not screen:
        yield doc.Fold(f"{count(len(report.ignored), 'finding')} ignored", _ignored_rows(report))
    if screen:
        yield from next_steps(report.header, (*_hints(report, hidden), *screen.offers))


def _conflict(conflict: Conflict) -> Iterator[doc.Block]:
    yield doc.SectionHeading("Conflict", 2, conflict.scope)
    yield doc.Bullets(
        tuple((doc.strong(f.seat), ": ", one_line(f.fix or f.title)) for f in conflict.findings)
    )
    yield doc.Paragraph("These cannot both be applied; a person must choose.", "muted")


def _group(
    group: SeverityGroup,
    advisory: Sequence[tuple[Finding, ...]],
    origin: RunOrigin,
    *,
    brief: bool,
) -> Iterator[doc.Block]:
    """Reasons stand with what blocks; advice is a line each on a terminal, and low advice in a file."""
    found = tally(group.blocking, group.advisory)
    yield doc.SectionHeading(group.severity.capitalize(), 2, found, tone=group.severity)
    listed = group.severity == "low" or (brief and group.severity not in ("critical", "high"))
    blocking = gathered(group.blocking)
    first = blocking if listed else [*blocking, *advisory]
    if first:
        yield doc.FindingCards(tuple(_card(same, origin, brief=brief) for same in first))
    if listed and advisory:
        yield doc.FindingCards(tuple(_card(same, origin) for same in advisory), "listed")


_MOST_IDS = 3
"""Of findings that differ by their place alone; `--json` has all."""


def _card(same: Sequence[Finding], origin: RunOrigin, *, brief: bool = False) -> doc.FindingCard:
    finding, *others = same
    others_say = dict.fromkeys(e for e in finding.echoes if e != (finding.seat, finding.title))
    echoes = [("Also", f"{seat}: {said}") for seat, said in others_say]
    details = [("Why", finding.why), ("Fix", finding.fix), ("Note", doubt(finding)), *echoes]
    if not brief:
        details.append(("Id", ", ".join(each.id for each in same[:_MOST_IDS] if each.id)))
    return doc.FindingCard(
        title=finding.title,
        place=place(finding),
        label=finding.code,
        who=speakers(finding),
        blocking=finding.blocking,
        tone=finding.severity,
        url=finding.url,
        link=line_link(origin, finding),
        quote=finding.quote,
        line=finding.line,
        patch=finding.patch,
        others=tuple(map(place, others)),
        details=tuple((name, text) for name, text in details if text.strip()),
    )


def _rest(group: SeverityGroup, rest: Sequence[Finding]) -> Iterator[doc.Block]:
    """What the findings that are not shown are about, by code."""
    if not rest:
        return
    by_code = repeats(rest)
    yield doc.SectionHeading(f"… {len(rest):,} more {group.severity}, advisory:", 4)
    lines: list[doc.Text] = []
    for repeat in by_code[:_CODES]:
        files = f" in {count(repeat.files, 'file')}" if repeat.files else ""
        row = f"{repeat.number:,} × {one_line(repeat.code)}{files}  e.g. {one_line(repeat.title)}"
        lines.append(row if len(row) <= _ROW else f"{row[: _ROW - 1]}…")
    others = sum(repeat.number for repeat in by_code[_CODES:])
    if others:
        lines.append(f"{others:,} × {count(len(by_code) - _CODES, 'other code')}")
    yield doc.Bullets(tuple(lines))


def _seats(report: RunReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """Every seat; of a long table on a terminal, those that found something or did not approve."""
    shown = report.seats
    if screen and not screen.show_all and are_tools(report) and not any(s.reason for s in shown):
        return
    if screen and len(shown) > _MANY_SEATS:
        shown = tuple(s for s in shown if s.findings or s.outcome != "approved")
    yield doc.SectionHeading("Judges", 2)
    if shown:
        judge = () if screen else ("Runs",)
        heads = ("Judge", *judge, "Answer", "Blocking", "Advisory", "Time")
        together = shared_seats(shown) if screen else [(seat,) for seat in shown]
        rows = tuple(_seat_row(seats, with_judge=bool(judge)) for seats in together)
        yield doc.Table(heads, rows, attendance(report), range(len(heads) - 3, len(heads)))
    quiet = len(report.seats) - len(shown)
    if quiet:
        yield doc.Paragraph(f"… {quiet} more answered and found nothing", "muted")
    told = "\n".join(report.header.reasons) if screen else ""
    explained = [seat for seat in shown if seat.reason and seat.reason not in told]
    if explained:
        yield doc.Bullets(
            tuple((doc.strong(s.seat.name), ": ", one_line(s.reason)) for s in explained)
        )


def _seat_row(seats: Sequence[SeatReport], *, with_judge: bool) -> tuple[doc.Text, ...]:
    seat = seats[0]
    blocking = sum(each.blocking for each in seats)
    judge = doc.muted(" ".join(filter(None, (seat.seat.backend, seat.seat.model))))
    return (
        ", ".join(one_line(each.seat.name) for each in seats),
        *([judge] if with_judge else []),
        seat_state(seat) if gave_judgement(seat) else doc.strong(seat_state(seat)),
        str(blocking),
        str(sum(each.findings for each in seats) - blocking),
        "–" if never_began(seat) else seconds(max(each.seconds for each in seats)),
    )


_ACCEPTED = {
    "inline": "by comments in the work",
    "dismissed": "dismissed",
    "baseline": "in the baseline",
}
"""How a finding was accepted, in words."""


def _ignored(report: RunReport) -> str:
    """How many findings somebody accepted, and how."""
    if not report.ignored:
        return ""
    ways = Counter(_ACCEPTED[each.by] for each in report.ignored)
    told = ", ".join(f"{number:,} {way}" for way, number in ways.most_common())
    grave = sum(each.finding.blocking for each in report.ignored)
    would = f"; {grave:,} of them would block" if grave else ""
    return f"Ignored {count(len(report.ignored), 'finding')}: {told}{would}."


def _ignored_rows(report: RunReport) -> tuple[doc.Text, ...]:
    rows = []
    for found, by, why, who, when in report.ignored:
        accepted = " ".join(filter(None, (_ACCEPTED[by], f"by {who}" if who else "", when)))
        said = f" {one_line(found.code)} {one_line(found.title)} ({accepted}: {one_line(why)})"
        rows.append((doc.code(place(found)), said))
    return tuple(rows)


def _by(report: RunReport, screen: doc.Screen | None) -> str:
    """Which tools judged, where no table tells it."""
    if not screen or not report.seats or not are_tools(report):
        return ""
    judged = [one_line(s.seat.name) for s in report.seats if s.outcome != "recused"]
    return some(sorted(judged), _MANY_SEATS)


def _not_counted(report: RunReport, *, existing: bool) -> Iterator[str]:
    yield _ignored(report)
    if report.outside:
        was = "was" if report.outside == 1 else "were"
        told = f"{count(report.outside, 'finding')} that {was} there before the change"
        shown = "" if existing else " (--existing shows them)"
        yield f"Not counted: {told}{shown}."
    yield asked_before(report.header)
    if report.passed_over:
        yield f"Not asked: {not_seated(report)}."


def _left_out_hints(reasons: Set[str]) -> Iterator[tuple[str, str]]:
    """What really helps, by the reason for which a changed file was not judged."""
    if reasons & {"generated", "vendored"}:
        yield "guild validate FILE", "judges a generated or vendored file, named by itself"
    if accepted := sorted(reasons & {"generated", "vendored", "ignored", "own-record", "pointer"}):
        yield f"--left-out {','.join(accepted)}", "accepts it where the base left it out too"
    if "too-large" in reasons:
        yield (
            "GUILD_PACKET_MAX_FILE_BYTES=4000000",
            "or more, judges larger files, if they are text",
        )
    if "over-budget" in reasons:
        yield "guild validate FILE", "judges a part: it is too large as a whole"
        yield "GUILD_PACKET_MAX_BYTES=1000000000", "or more, judges all of it"
    if by_hand := sorted(reasons & _BY_HAND):
        yield "git diff", f"for a person to read: no judge is shown these ({', '.join(by_hand)})"


def _hints(report: RunReport, hidden: int) -> Iterator[tuple[str, str]]:
    if hidden:
        yield "--all", f"prints the {hidden:,} findings left out here"
    if report.outcome == "infrastructure":
        yield "guild doctor", "tells what is missing and what to do"
    yield from _left_out_hints({i.reason for i in report.header.omitted if i.unseen_by})
