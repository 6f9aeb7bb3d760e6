"""The report as one HTML file that needs nothing else: no script, no font, no picture, no network.

Its head, with the policy that lets nothing run, is in ``html_head``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from guildmoot.model.report import RunReport, SeatReport
from guildmoot.model.verdict import Conflict, Finding
from guildmoot.reports.html_head import head
from guildmoot.reports.html_style import STYLE
from guildmoot.reports.identity import web_address
from guildmoot.reports.view import (
    SeverityGroup,
    attendance,
    by_severity,
    coverage,
    doubt,
    gave_judgement,
    not_seated,
    place,
    seat_state,
    speakers,
    strength,
    tally,
    verdict_words,
    votes,
    why_left_out,
)
from guildmoot.text.clean import clean, count, one_line, seconds, spans


def render(report: RunReport) -> str:
    """The report as a web page, every finding included."""
    _, word, rest = verdict_words(report)
    body = [*_verdict(report), *_filter(report)]
    body += [part for conflict in report.conflicts for part in _conflict(conflict)]
    body += [part for group in by_severity(report) for part in _group(group)]
    body += [*_seats(report), *_counts(report), *_coverage(report)]
    top = head(f"{word}: {rest}" if rest else word, STYLE)
    lines = [*top, "<body>", "<main>", *body, "</main>", _footer(report), "</body>", "</html>"]
    return "\n".join(lines) + "\n"


def _verdict(report: RunReport) -> Iterator[str]:
    symbol, word, rest = verdict_words(report)
    yield f'<header class="verdict tone-{report.outcome}">'
    yield f'<h1><span aria-hidden="true">{symbol}</span> {word}<small>{_text(rest)}</small></h1>'
    facts = (
        one_line(report.header.target),
        attendance(report),
        strength(report),
        seconds(report.header.seconds),
    )
    yield f'<p class="facts">{_text(" · ".join(fact for fact in facts if fact))}</p>'
    if report.header.reasons:
        yield f'<ul class="reasons">{_items(_prose(reason) for reason in report.header.reasons)}</ul>'
    yield "</header>"


def _filter(report: RunReport) -> Iterator[str]:
    """Check boxes that the style sheet alone acts on."""
    boxes = [
        _box(group.severity, len(group.blocking) + len(group.advisory))
        for group in by_severity(report)
    ]
    if report.blocking and report.advisory:
        boxes.append(_box("advisory", len(report.advisory)))
    if len(boxes) > 1:
        yield f'<fieldset class="filter"><legend>Show</legend>{"".join(boxes)}</fieldset>'


def _box(name: str, number: int) -> str:
    return f'<label><input type="checkbox" id="show-{name}" checked>{name} {number:,}</label>'


def _conflict(conflict: Conflict) -> Iterator[str]:
    yield '<section class="conflict"><h2>Conflict <small>a person must choose</small></h2>'
    seats = " and ".join(_text(one_line(seat)) for seat in conflict.seats)
    yield f'<div class="card"><p><code>{_text(one_line(conflict.scope))}</code>: the remedies of '
    yield f"{seats} cannot both be applied.</p><ul>"
    yield _items(
        f"<b>{_text(one_line(finding.seat))}:</b> {_prose(finding.fix or finding.title)}"
        for finding in conflict.findings
    )
    yield "</ul></div></section>"


def _group(group: SeverityGroup) -> Iterator[str]:
    found = tally(len(group.blocking), len(group.advisory))
    name = group.severity
    yield f'<section class="severity {name}">'
    yield f"<h2>{name.capitalize()} <small>{found}</small></h2>"
    for finding in (*group.blocking, *group.advisory):
        yield from _finding(finding)
    yield "</section>"


def _finding(finding: Finding) -> Iterator[str]:
    kind = "blocking" if finding.blocking else "advisory"
    tag = '<span class="tag">blocking</span>' if finding.blocking else ""
    where = place(finding)
    shown = f"<code>{_text(where)}</code>" if where else "the work as a whole"
    yield f'<article class="card finding {kind}">'
    yield f'<p class="where"><span class="place">{shown}</span>{tag}'
    yield f"<span>{_code_link(finding)}</span><span>{_text(one_line(speakers(finding)))}</span></p>"
    yield f"<h3>{_prose(finding.title) or 'No reason was given.'}</h3>"
    if finding.quote.strip():
        yield _quote(finding)
    details = "".join(f"<dt>{label}</dt><dd>{text}</dd>" for label, text in _details(finding))
    if details:
        yield f"<dl>{details}</dl>"
    if finding.patch.strip():
        patch = _text(finding.patch.strip("\n"))
        yield f"<details><summary>Patch</summary><pre><code>{patch}</code></pre></details>"
    yield "</article>"


def _details(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.why.strip():
        yield "Why", _prose(finding.why)
    if finding.fix.strip():
        yield "Fix", _prose(finding.fix)
    if doubt(finding):
        yield "Note", _prose(doubt(finding))
    for seat, said in finding.echoes:
        yield "Also", _prose(f"{seat}: {said}")


def _code_link(finding: Finding) -> str:
    label, address = _text(one_line(finding.code)), web_address(finding.url)
    if not address:
        return label
    return f'<a href="{escape(address)}" rel="noopener noreferrer">{label}</a>'


def _quote(finding: Finding) -> str:
    lines = clean(finding.quote).strip("\n").split("\n")
    if finding.line < 1:
        return f"<pre><code>{_text(chr(10).join(lines))}</code></pre>"
    width = len(str(finding.line + len(lines) - 1))
    numbered = (
        f'<span class="number">{number:>{width}}  </span>{_text(line)}'
        for number, line in enumerate(lines, finding.line)
    )
    return f"<pre><code>{chr(10).join(numbered)}</code></pre>"


def _seats(report: RunReport) -> Iterator[str]:
    yield '<section class="seats"><h2>Seats</h2><div class="card scroll" tabindex="0"><table>'
    yield f"<caption>{attendance(report)}</caption>"
    heads = ("Blocking", "Advisory", "Time")
    counts = "".join(f'<th scope="col" class="count">{name}</th>' for name in heads)
    yield f'<thead><tr><th scope="col">Seat</th><th scope="col">Answer</th>{counts}</tr></thead>'
    yield f"<tbody>{''.join(_seat_row(seat) for seat in report.seats)}</tbody>"
    yield "</table></div></section>"


def _counts(report: RunReport) -> Iterator[str]:
    rows = votes(report)
    if not rows:
        return
    yield '<section class="counts"><h2>Votes</h2><div class="card scroll" tabindex="0"><table>'
    yield "<caption>What the agreement is worth</caption><tbody>"
    for name, value, meaning in rows:
        yield f'<tr><th scope="row">{name}</th><td class="count">{value}</td><td>{_text(meaning)}</td></tr>'
    yield "</tbody></table></div></section>"


def _seat_row(seat: SeatReport) -> str:
    judge = " ".join(filter(None, (one_line(seat.seat.backend), one_line(seat.seat.model))))
    style = "" if gave_judgement(seat) else ' class="absent"'
    reason = f"<small>{_prose(seat.reason)}</small>" if seat.reason else ""
    cells = (str(seat.blocking), str(seat.findings - seat.blocking), seconds(seat.seconds))
    return (
        f'<tr><th scope="row">{_text(one_line(seat.seat.name))} <small>{_text(judge)}</small></th>'
        f"<td><span{style}>{seat_state(seat)}</span>{reason}</td>"
        + "".join(f'<td class="count">{cell}</td>' for cell in cells)
        + "</tr>"
    )


def _coverage(report: RunReport) -> Iterator[str]:
    absent = [f"Not seated: {not_seated(report)}."] if report.passed_over else []
    yield '<section class="coverage"><h2>Coverage</h2><div class="card">'
    yield f"<ul>{_items(_text(line) for line in (*coverage(report), *absent))}</ul>"
    left_out = [
        f"<code>{_text(one_line(o.path))}</code> {_text(why_left_out(o))}"
        for o in report.header.omitted
    ]
    held_back = [
        f"<code>{_text(one_line(m.path))}:{m.line}</code> {_text(one_line(m.kind))}"
        for m in report.header.masked
    ]
    yield _fold(f"{count(len(left_out), 'path')} left out", left_out)
    yield _fold(f"{count(len(held_back), 'secret')} held back", held_back)
    yield "</div></section>"


def _fold(summary: str, items: list[str]) -> str:
    if not items:
        return ""
    return f"<details><summary>{summary}</summary><ul>{_items(items)}</ul></details>"


def _footer(report: RunReport) -> str:
    facts = (
        f"Run {one_line(report.header.run_id)}",
        f"rule {one_line(report.header.policy)}",
        f"packet {one_line(report.header.packet_hash)}",
        f"Guildmoot {one_line(report.header.version)}",
    )
    return f"<footer><p>{_text(' · '.join(facts))}</p></footer>"


def _items(lines: Iterable[str]) -> str:
    return "".join(f"<li>{line}</li>" for line in lines)


def _prose(text: str) -> str:
    """Foreign text on one line; `code` in backticks keeps its look."""
    return "".join(
        f"<code>{_text(part)}</code>" if is_code else _text(part)
        for is_code, part in spans(one_line(text))
    )


def _text(text: str) -> str:
    return escape(clean(text))
