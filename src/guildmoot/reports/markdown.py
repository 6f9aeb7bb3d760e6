"""The report as Markdown, fit for a pull request's comment or a page in a repository.

Foreign text can neither format, link, embed HTML, close its code block nor notify anyone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from guildmoot.model.report import RunReport, SeatReport
from guildmoot.model.verdict import Conflict, Finding
from guildmoot.reports.identity import web_address
from guildmoot.reports.view import (
    SeverityGroup,
    attendance,
    by_severity,
    coverage,
    doubt,
    not_seated,
    place,
    seat_state,
    speakers,
    strength,
    tally,
    verdict_words,
    votes,
)
from guildmoot.text.clean import clean, one_line, seconds, spans

_SPECIAL = re.compile(r"[\\`*\[\]<>|~$&!]|(?<![^\W_])_+|_+(?![^\W_])")
_BLOCK_START = re.compile(r"^(?:[#+=>:-]|\d+(?=[.)](?:\s|$)))")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def render(report: RunReport) -> str:
    """The whole report: every finding, low advice in a line each."""
    blocks = [*_head(report), *_conflicts(report.conflicts)]
    for group in by_severity(report):
        blocks += _group(group)
    blocks += [*_seats(report), *_counts(report), *_costs(report), *_coverage(report)]
    return "\n\n".join(blocks) + "\n"


def prose(text: str) -> str:
    """Foreign text on one line, shown as it is; only `code` in backticks keeps its look."""
    parts = (code(part) if is_code else _escape(part) for is_code, part in spans(one_line(text)))
    return _BLOCK_START.sub(_escape_start, "".join(parts))


def code(text: str) -> str:
    """A code span that the text cannot close."""
    text = one_line(text)
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fenced(text: str, language: str = "text") -> str:
    """A code block that the text cannot close."""
    text = clean(text).strip("\n")
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _head(report: RunReport) -> Iterator[str]:
    symbol, word, rest = verdict_words(report)
    yield f"# {symbol} {word}: {rest}" if rest else f"# {symbol} {word}"
    facts = (
        prose(report.header.target),
        attendance(report),
        strength(report),
        seconds(report.header.seconds),
    )
    yield " · ".join(fact for fact in facts if fact)
    if report.header.reasons:
        yield _bullets(prose(reason) for reason in report.header.reasons)


def _conflicts(conflicts: tuple[Conflict, ...]) -> Iterator[str]:
    if conflicts:
        yield "## Conflicts"
    for conflict in conflicts:
        seats = ", ".join(prose(seat) for seat in conflict.seats)
        yield f"**{prose(conflict.scope)}**: remedies of {seats} cannot both be applied."
        yield _bullets(f"{prose(f.seat)}: {prose(f.fix or f.title)}" for f in conflict.findings)


def _group(group: SeverityGroup) -> Iterator[str]:
    found = tally(len(group.blocking), len(group.advisory))
    yield f"## {group.severity.capitalize()}: {found}"
    brief = group.advisory if group.severity == "low" else ()
    for finding in (*group.blocking, *group.advisory[len(brief) :]):
        yield from _finding(finding)
    if brief:
        yield _bullets(_in_a_line(finding) for finding in brief)


def _in_a_line(finding: Finding) -> str:
    """Low advice is often long: without quotations it still fits a pull request's comment."""
    said = [prose(finding.title) or "no reason was given"]
    said += [f"{label}: {text}" for label, text in _details(finding) if label in ("Fix", "Note")]
    return f"{_where(finding)} · {prose(speakers(finding))}: {'; '.join(said)}"


def _where(finding: Finding) -> str:
    where = code(place(finding)) if finding.path else "the work as a whole"
    return f"{where} · {prose(finding.code)}"


def _finding(finding: Finding) -> Iterator[str]:
    yield f"### {_where(finding)} · {'✗ blocking' if finding.blocking else 'advisory'}"
    yield prose(finding.title) or "No reason was given."
    if finding.quote.strip():
        yield fenced(finding.quote)
    if finding.patch.strip():
        yield fenced(finding.patch, "diff")
    yield _bullets(f"**{label}:** {text}" for label, text in _details(finding))


def _details(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.why:
        yield "Why", prose(finding.why)
    if finding.fix:
        yield "Fix", prose(finding.fix)
    if doubt(finding):
        yield "Note", prose(doubt(finding))
    for seat, said in finding.echoes:
        yield "Also", prose(f"{seat}: {said}")
    if finding.url:
        address = web_address(finding.url)
        yield "Rule", f"<{address}>" if address else code(finding.url)
    yield "Judge", prose(speakers(finding))


def _seats(report: RunReport) -> Iterator[str]:
    yield f"## Seats: {attendance(report)}"
    head = "| Seat | Answer | Blocking | Advisory | Time |\n|---|---|--:|--:|--:|"
    if report.seats:
        yield "\n".join([head, *(_seat_row(seat) for seat in report.seats)])
    explained = [seat for seat in report.seats if seat.reason]
    if explained:
        yield _bullets(f"{prose(seat.seat.name)}: {prose(seat.reason)}" for seat in explained)


def _seat_row(seat: SeatReport) -> str:
    cells = (
        prose(seat.seat.name),
        seat_state(seat),
        str(seat.blocking),
        str(seat.findings - seat.blocking),
        seconds(seat.seconds),
    )
    return f"| {' | '.join(cells)} |"


def _counts(report: RunReport) -> Iterator[str]:
    rows = [f"| {name} | {value} | {prose(meaning)} |" for name, value, meaning in votes(report)]
    if rows:
        yield "## Votes"
        yield "\n".join(["| Count | Value | Meaning |\n|---|--:|---|", *rows])


def _costs(report: RunReport) -> Iterator[str]:
    from guildmoot.reports.costs import cost_markdown, costs_of  # it needs our prose

    table = cost_markdown(costs_of(report))
    if table:
        yield "## Cost"
        yield table


def _coverage(report: RunReport) -> Iterator[str]:
    yield "## Coverage"
    absent = [f"Not seated: {not_seated(report)}."] if report.passed_over else []
    yield _bullets(prose(line) for line in (*coverage(report), *absent))
    packet = f"packet {code(report.header.packet_hash)}, rule {code(report.header.policy)}"
    yield f"Run {code(report.header.run_id)}, {packet}, guildmoot {prose(report.header.version)}."


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _escape(text: str) -> str:
    escaped = _SPECIAL.sub(lambda m: _ENTITIES.get(m[0]) or re.sub("(.)", r"\\\1", m[0]), text)
    return escaped.replace("@", "@<!-- -->")  # a name under review must not be notified


def _escape_start(match: re.Match[str]) -> str:
    """What would begin a heading, a list or a quotation at the start of a line."""
    found = match[0]
    return f"{found}\\" if found.isdigit() else f"\\{found}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
