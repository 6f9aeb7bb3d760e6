"""The council's report as one HTML file that needs nothing else: no script, no font, no network.

The verdict comes first, then who said what, the debate as it went, and the findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guildmoot.model.council import CouncilReport, Disagreement, Judge
from guildmoot.model.verdict import Finding, Issue
from guildmoot.reports.council.html_debate import debate_section
from guildmoot.reports.council.html_ideas import duel_sections, ideas_sections
from guildmoot.reports.council.page import chip, items, line, quote, section, table, text
from guildmoot.reports.council.style import STYLE
from guildmoot.reports.council.view import (
    OUTCOMES,
    claim,
    fix,
    full_name,
    insight,
    lone_sides,
    meaning,
    missing,
    ref,
    responded,
    seating,
    severity,
    speaker,
    speakers,
    state,
    strength,
    vendor,
    vendors,
)
from guildmoot.reports.html_head import head
from guildmoot.reports.view import doubt, why_left_out
from guildmoot.text.clean import clean, count, one_line, seconds

_TITLES = {"brainstorm": "Council Brainstorm", "research": "Council Research"}
_RESULTS = {"ok": "✓ ok", "warn": "! warn", "fail": "✗ fail", "skipped": "skipped"}


def render_html(report: CouncilReport) -> str:
    """The report as a web page, everything included."""
    body = [*_verdict(report), *_checks(report), _judges(report)]
    if report.debate:
        body.append(debate_section(report, report.debate))
    body += [*ideas_sections(report), *duel_sections(report)]
    body += [_disagreements(report), *_findings(report), _cross_vendor(report)]
    body += [_recommendation(report), *_rest(report)]
    parts = [*head(_title(report), STYLE), "<body>", "<main>", *body, "</main>", _footer(report)]
    return "\n".join(part for part in (*parts, "</body>", "</html>") if part) + "\n"


render = render_html


def _title(report: CouncilReport) -> str:
    if report.outcome:
        return f"Council: {report.outcome}"
    return "Council Duel" if report.duel else _TITLES.get(report.task, "Council")


def _verdict(report: CouncilReport) -> Iterator[str]:
    symbol = OUTCOMES[report.outcome][0] if report.outcome else ""
    mark = f'<span aria-hidden="true">{symbol}</span> ' if symbol else ""
    yield f'<header class="verdict tone-{report.outcome or "none"}">'
    yield f"<h1>{mark}{text(_title(report))}<small>{line(report.header.target)}</small></h1>"
    means = meaning(report) or "nothing was judged"
    facts = [means, strength(report) if report.outcome else "", seating(report)]
    facts += [report.confidence, ", ".join(report.modes), seconds(report.header.seconds)]
    yield f'<p class="facts">{" · ".join(line(fact) for fact in facts if fact)}</p>'
    if report.decision:
        yield f"<p>Decision: <b>{line(report.decision)}</b></p>"
    told = (*report.header.reasons, *report.header.floors, *report.notes)
    if told:
        yield f'<div class="reasons">{items(map(line, told))}</div>'
    yield "</header>"


def _checks(report: CouncilReport) -> Iterator[str]:
    rows = [
        (line(name), line(_RESULTS.get(result, result)), line(detail))
        for name, result, detail in report.checks
    ]
    if rows:
        yield section("checks", "Mechanical Checks", [table(("Check", "Result", "Detail"), rows)])
    for title, heads, cells in report.tables:
        shown = table([line(each) for each in heads], ([line(c) for c in row] for row in cells))
        yield section("checks", title, [shown])


def _judges(report: CouncilReport) -> str:
    answered, total = responded(report)
    cards = "".join(_judge(report, judge) for judge in report.judges)
    body = [f'<div class="judges">{cards}</div>']
    return section("seats", "Judges", body if cards else [], f"{answered} of {total} answered")


def _judge(report: CouncilReport, judge: Judge) -> str:
    facts = (judge.label, judge.perspective, vendor(judge), judge.seat.model)
    told = " · ".join(dict.fromkeys(one_line(fact) for fact in facts if fact))
    said = state(judge) if report.outcome or judge.status != "answered" else "answered"
    style = "done" if judge.status == "answered" and not report.outcome else "absent"
    word = chip(said) if judge.word else f'<span class="{style}">{line(said)}</span>'
    parts = [
        f"<h3><span>{line(judge.persona or judge.label)}<small>{line(told)}</small></span>{word}</h3>"
    ]
    if insight(judge):
        parts.append(f"<p>{line(insight(judge))}</p>")
    parts += [f'<p class="muted">{line(f"{name}: {answer}")}</p>' for name, answer in judge.answers]
    if judge.reason and judge.reason != insight(judge):
        parts.append(f'<p class="muted">{line(judge.reason)}</p>')
    for question, answer in judge.explored:
        parts.append(
            f"<details><summary>Asked: {line(question)}</summary>{quote(answer)}</details>"
        )
    return f'<article class="card">{"".join(parts)}</article>'


def _disagreements(report: CouncilReport) -> str:
    remark = "a person decides" if report.outcome == "DISAGREE" else ""
    body = [_disagreement(report, each) for each in report.disagreements]
    return section("conflict", "Disagreements", body, remark)


def _disagreement(report: CouncilReport, each: Disagreement) -> str:
    sides = "".join(
        f"<div><b>{line(', '.join(speaker(report, who) for who in position.who))}</b>"
        f"{quote(position.says)}</div>"
        for position in each.positions
    )
    return f'<div class="card"><h3>{line(each.issue)}</h3><div class="sides">{sides}</div></div>'


def _findings(report: CouncilReport) -> Iterator[str]:
    groups: Sequence[tuple[str, str, Sequence[Issue]]] = (
        ("Shared Findings", "every judge that voted raises them", report.shared),
        ("Partly Shared Findings", "several raise them, others do not", report.split),
        ("Minority Views", "one judge alone raises them, in its own words", report.minority),
    )
    for title, remark, issues in groups:
        yield section("findings", title, (_issue(report, each) for each in issues), remark)


def _issue(report: CouncilReport, issue: Issue) -> str:
    shown = issue.representative
    tag = '<span class="tag">blocking</span>' if issue.blocking else ""
    kind = "blocking" if issue.blocking else "advisory"
    others = [each for each in issue.members if each != shown]
    echoes = "".join(_echo(report, each) for each in others)
    return (
        f'<article class="card finding {issue.severity} {kind}"><p class="where">'
        f'<span class="place"><code>{text(ref(shown))}</code></span>{tag}'
        f"<span>{severity(issue)}</span><span>{line(speakers(report, issue))}</span></p>"
        f"<h3>{quote(shown.title) if not others else line(shown.title)}</h3>"
        f"{_code(shown)}<dl>{_details(shown)}{echoes}</dl></article>"
    )


def _code(finding: Finding) -> str:
    if not finding.quote.strip():
        return ""
    return f"<pre><code>{text(clean(finding.quote).strip(chr(10)))}</code></pre>"


def _details(finding: Finding) -> str:
    pairs = [("Why", finding.why), ("Fix", fix(finding)), ("Note", doubt(finding))]
    pairs += [("Check", f"`{check.command}`") for check in finding.assertions]
    return "".join(f"<dt>{name}</dt><dd>{line(said)}</dd>" for name, said in pairs if said.strip())


def _echo(report: CouncilReport, finding: Finding) -> str:
    who = speaker(report, finding.seat)
    return f"<dt>Also</dt><dd><b>{line(who)}</b>: {line(claim(finding))}</dd>"


def _cross_vendor(report: CouncilReport) -> str:
    if len(vendors(report)) < 2:
        return ""
    body = []
    if report.pairs:
        sides = list(dict.fromkeys(side for pair in report.pairs for side, _ in pair.words))
        rows = [
            (
                line(pair.perspective),
                *(chip(dict(pair.words).get(side)) for side in sides),
                "agree" if pair.agreed else '<span class="weak">≠ split</span>',
            )
            for pair in report.pairs
        ]
        body.append(table(("Perspective", *map(line, sides), "Agreement"), rows))
    for side, issues in lone_sides(report):
        told = [line(claim(issue.representative)) for issue in issues]
        body.append(
            f'<div class="card"><h3>Only {line(side)}</h3>{items(told or ["nothing"])}</div>'
        )
    return section("vendors", "Cross-Vendor Insights", body)


def _recommendation(report: CouncilReport) -> str:
    said = f'<div class="card">{quote(report.recommendation)}</div>'
    return section("advice", "Recommendation", [said] if report.recommendation.strip() else [])


def _rest(report: CouncilReport) -> Iterator[str]:
    if report.predictions:
        rows = [(line(name), line(said)) for name, said in report.predictions]
        yield section("predictions", "Predictions", [table(("Id", "Foretold"), rows)])
    if report.delta:
        rows3 = [tuple(map(line, each)) for each in report.delta]
        shown = table(("Issue", "Before", "Now"), rows3)
        yield section("delta", "Since the Previous Council", [shown])
    if report.evidence:
        enough = [(line(name), str(number)) for name, number in report.evidence]
        yield section("evidence", "Evidence", [table(("Finding", "Assertions"), enough)])
    yield section("coverage", "Coverage", [f'<div class="card">{items(_coverage(report))}</div>'])


def _coverage(report: CouncilReport) -> Iterator[str]:
    asked = report.requested or tuple(judge.label for judge in report.judges)
    yield f"Asked for: {line(', '.join(asked))}"
    answered = [full_name(judge) for judge in report.judges if judge.status == "answered"]
    yield f"Answered: {line(', '.join(answered) or 'nobody')}"
    if missing(report):
        yield f"Did not answer: {line(', '.join(missing(report)))}"
    yield f"Reviewed {count(report.header.files_reviewed, 'file')}"
    for each in report.header.omitted:
        yield f"Left out: <code>{line(each.path)}</code> {line(why_left_out(each))}"
    for hidden in report.header.masked:
        yield f"Held back: <code>{line(hidden.path)}:{hidden.line}</code> {line(hidden.kind)}"
    for said, why in report.suppressed:
        yield f"Suppressed: {line(said)} ({line(why)})"


def _footer(report: CouncilReport) -> str:
    facts = (
        ("Run", report.header.run_id),
        ("packet", report.header.packet_hash),
        ("policy", report.header.policy),
        ("follows", report.previous),
        ("Guildmoot", report.header.version),
    )
    told = " · ".join(f"{name} {line(value)}" for name, value in facts if value)
    return f"<footer><p>{told}</p></footer>"
