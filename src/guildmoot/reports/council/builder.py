"""A council as a document, in the sections that its readers and tools know.

The wording of a verdict for tools, ``## Council Verdict: X``, stands in a Markdown file once, and not at
all where nothing was judged or the verdict is not complete.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from guildmoot.model.council import CouncilReport, Judge
from guildmoot.model.council_verdict import (
    COUNCIL_SEVERITIES,
    CouncilFinding,
    CouncilVerdict,
    verdict_to_json,
)
from guildmoot.model.verdict import Finding
from guildmoot.reports import document as doc
from guildmoot.reports.costs import cost_line
from guildmoot.reports.council import view
from guildmoot.reports.council.debate import debate_facts, debate_sections
from guildmoot.reports.council.findings import (
    checks,
    chosen,
    cross_vendor,
    cut_table,
    disagreements,
    evidence,
    in_a_line,
    issue_card,
    overview,
    recommendations,
    retry_lines,
    shared_findings,
    single_views,
    summary,
)
from guildmoot.reports.council.ideas import duel_sections, ideas_sections
from guildmoot.reports.council.judges import judges, own_words
from guildmoot.reports.council.remedies import remedy
from guildmoot.reports.sections import cost, coverage, next_steps, origin_facts
from guildmoot.reports.view import asked_before, reused_line
from guildmoot.system.jsonio import dumps
from guildmoot.text.clean import clean, count, one_line, seconds

_TONES: dict[str | None, doc.Tone] = {"PASS": "good", "FAIL": "bad", "DISAGREE": "bad", None: ""}
_WRAPPERS = {"vibe": "Vibe Report", "pre-mortem": "Pre-Mortem", "post-mortem": "Post-Mortem"}
_TASKS = {"brainstorm": "Brainstorm", "research": "Research", "debate": "Duel"}


def council_document(report: CouncilReport, screen: doc.Screen | None = None) -> doc.Document:
    """The whole report for a file, or what a terminal has room for."""
    short = view.is_quick(report) and screen is None
    front: list[tuple[str, str | tuple[str, ...]]] = [("id", f"council-{report.stem}")]
    front += [("type", "council"), ("date", report.date)]
    if report.wrapper:
        front += [("wrapper", report.wrapper), ("decision", report.decision)]
    front += [("predictions", tuple(name for name, _ in report.predictions))]
    body = _quick(report) if short else _body(report, screen)
    return doc.Document(
        f"Council: {report.outcome or _TASKS.get(report.task, 'none')}",
        (*body, *_ending(report, screen)),
        _banner(report, screen),
        _footer(report),
        tuple((name, value) for name, value in front if value),
    )


def log_entry(report: CouncilReport, *, related: Sequence[str] = ()) -> doc.Document:
    """A council as an entry of ``docs/council-log``, short enough to be committed with the work.

    ``related`` names commits and issues.
    """
    fields = (
        ("title", report.header.target),
        ("date", report.date),
        ("mode", report.task),
        ("flags", " ".join(report.modes)),
        ("verdict", report.outcome or "none"),
        ("confidence", report.confidence),
        ("judge_count", str(len(report.judges))),
    )
    return doc.Document(report.header.target, tuple(_log(report, related)), front=fields)


def _log(report: CouncilReport, related: Sequence[str]) -> Iterator[doc.Block]:
    yield doc.SectionHeading(report.header.target, 1)
    yield doc.SectionHeading("TL;DR", 2)
    if report.outcome:
        yield doc.Paragraph(
            (doc.strong(report.outcome), f": {view.meaning(report)} ({view.strength(report)}).")
        )
    yield _recommended(report, "No recommendation was given.")
    yield doc.SectionHeading("Consolidated Findings", 2)
    if not report.issues:
        yield doc.Paragraph("None.")
    for issue in report.issues:
        yield doc.FindingCards((issue_card(report, issue.representative),), "verbatim")
        yield doc.Paragraph(f"Raised by {view.speakers(report, issue)}.")
    yield from disagreements(report)
    yield doc.SectionHeading("Related", 2)
    yield doc.Bullets(tuple(related)) if related else doc.Paragraph("None named.")


def _banner(report: CouncilReport, screen: doc.Screen | None) -> doc.Banner:
    header = report.header
    rest = view.meaning(report) or "nothing was judged, so there is no verdict"
    title, level = f"Council Consensus: {report.outcome or 'none'}", 2
    if report.task in _TASKS:
        title = f"Council {_TASKS[report.task]}: {header.target}"
    elif report.wrapper:
        title, level = f"{_WRAPPERS.get(report.wrapper, report.wrapper)}: {header.target}", 1
    elif view.is_quick(report):
        title, level = f"Council Quick Check: {header.target}", 1
    word = report.outcome or _TASKS.get(report.task, "none").upper()
    said = one_line(report.decision) or (word if screen else f"Council: {word}")
    return doc.Banner(
        symbol=view.OUTCOMES[report.outcome][0] if report.outcome else "",
        word=said,
        rest=rest,
        tone=_TONES.get(report.outcome, "unsure"),
        facts=tuple(_brief(report) if screen else _facts(report)),
        reasons=view.reasons(report, brief=screen is not None)
        + (_weighed(report) if screen else ()),
        head=() if screen else tuple(origin_facts(header.origin)),
        title=title,
        level=level,
    )


def _brief(report: CouncilReport) -> Iterator[tuple[str, doc.Text]]:
    seated = view.seating(report)
    if view.are_tools(report):
        seated = count(len(report.judges), "tool")
    first = (reused_line(report.header), report.header.target, view.judged(report))
    for fact in (*first, seated, cost_line(report.costs)):
        yield "", one_line(fact)
    yield "", seconds(report.header.seconds)


def _weighed(report: CouncilReport) -> tuple[str, ...]:
    """How much the votes are worth, in a line of its own below why; tools have no vote to weigh.

    How many hold the verdict is left out where the head or the number of judges tells it.
    """
    if not report.outcome or view.are_tools(report):
        return ()
    share, _, record = report.confidence.partition("; ")
    told = report.outcome == "FAIL" or len(report.judges) == 1
    said = (view.strength(report), "" if told else share, record)
    return ("; ".join(filter(None, said)),)


def _facts(report: CouncilReport) -> Iterator[tuple[str, doc.Text]]:
    quick = view.is_quick(report)
    yield "Date", report.date if quick else ""
    yield "Target", report.header.target
    yield "Judged", view.judged(report)
    yield "Reused", asked_before(report.header)
    yield "Outcome", f"{report.outcome}: {view.meaning(report)}" if report.outcome else ""
    yield (
        ("Mode", _quick_mode(report))
        if quick
        else (
            "Modes",
            ", ".join(report.modes) or "default",
        )
    )
    if report.debate:
        yield from debate_facts(report.debate)
    yield "Judges", f"{len(report.judges)} ({view.seating(report) or 'none'})"
    yield "Votes", view.strength(report) if report.outcome else ""
    yield "Confidence", report.confidence
    yield "Cost", cost_line(report.costs).removeprefix("cost ")
    yield "Profile", report.profile
    yield "Technique", report.technique
    yield "Follows", doc.code(report.previous) if report.previous else ""


def _quick_mode(report: CouncilReport) -> str:
    return "quick (tools, no model)" if view.are_tools(report) else "quick (single-agent)"


def _body(report: CouncilReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    if report.wrapper:
        yield from checks(report, 2, screen)
    if report.wrapper and screen is None:
        # without a verdict to gate on, the heading must not look like one
        yield doc.SectionHeading(
            f"Council Verdict: {view.gate_word(report) or f'none ({report.outcome})'}", 2
        )
    if report.duel:
        yield from duel_sections(report, report.duel, screen)
    elif report.task in _TASKS:
        yield from ideas_sections(report, screen)
    else:
        yield from _judged(report, screen)


def _judged(report: CouncilReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """What a lead asks for, in that order: what was found, what is disputed, what to do, single views."""
    alone = view.readers_that_voted(report) < 2 and not view.shared(report)
    if not alone:
        yield from summary(report, screen)
    yield from (single_views if alone and report.minority else shared_findings)(report, screen)
    if report.wrapper and screen is None:
        yield from overview(report)
    yield from disagreements(report, screen)
    if report.recommendation.strip() or screen is None:
        yield doc.SectionHeading("Recommendation", 2 if report.wrapper else 3)
        if report.recommendation.strip():
            yield from recommendations(report)
        else:
            yield doc.Paragraph("None was given.")
    if not alone:
        yield from single_views(report, screen)
    if not report.wrapper:
        yield from checks(report, 3, screen)
    since = f"Since {report.previous}" if screen else "Since the Previous Council"
    yield from cut_table(since, ("Issue", "Before", "Now"), report.delta, 3, screen)
    yield from cut_table("Predictions", ("Id", "Foretold"), report.predictions, 3, screen)
    if report.wrapper and screen is None:
        if report.decision:
            yield doc.SectionHeading("Decision", 2)
            yield doc.Paragraph(doc.strong(report.decision))
        yield from retry_lines(report)


def _seated(report: CouncilReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """Who sat, who moved, and what only one vendor sees."""
    yield from judges(report, screen)
    if report.task in _TASKS:
        return
    yield from own_words(report, screen)
    brief = screen is not None and not screen.show_all
    if report.debate:
        yield from debate_sections(report, report.debate, brief=brief)
    if not brief:
        yield from cross_vendor(report)
        yield from evidence(report)


def _recommended(report: CouncilReport, nothing: str) -> doc.Block:
    return (
        doc.Lines(report.recommendation)
        if report.recommendation.strip()
        else doc.Paragraph(nothing)
    )


def _quick(report: CouncilReport) -> Iterator[doc.Block]:
    """The short form: one view as JSON that has the heading's verdict, its analysis, where to go on."""
    yield doc.SectionHeading(f"Verdict: {report.outcome or 'none'}", 2)
    seen = _one_view(report)
    if seen:
        shown = {**verdict_to_json(seen), "verdict": report.outcome}
        yield doc.Code(_escaped(dumps(shown)), "json")
    yield doc.SectionHeading("Analysis", 2)
    told = "\n\n".join(filter(None, (judge.beside for judge in report.judges)))
    insight = seen.key_insight.strip() if seen else ""
    yield doc.Paragraph(insight or ("" if told else "No reason was given."))
    if told:
        yield doc.Lines(told)
    lines = tuple(
        doc.joined(
            (
                in_a_line(report, issue),
                *(
                    f"Why: {one_line(why).rstrip('.')}"
                    for why in (view.why(issue, issue.representative),)
                    if why
                ),
                f"Fix: {one_line(remedy(issue, issue.representative, report)) or 'none given'}",
            ),
            ". ",
        )
        for issue in report.issues
    )
    yield doc.Bullets(lines) if lines else doc.Paragraph("It has no findings.")
    yield doc.SectionHeading("Recommendation", 2)
    yield _recommended(report, "No recommendation was given.")
    several = "`guild council validate` with the same target."
    yield doc.Paragraph(f"One view is one opinion. For several: {several}")


def _one_view(report: CouncilReport) -> CouncilVerdict | None:
    """What the one judge said; where tools judged, or its word counts as another, all of it together."""
    voted = [judge for judge in report.judges if judge.word]
    if len(voted) == 1 and voted[0].word == report.outcome:
        return _council_verdict(voted[0])
    if not voted or not report.outcome:
        return None
    found = tuple(_council_finding(issue.representative) for issue in report.issues)
    said = view.insight(voted[0])
    if len(voted) > 1:
        loud = sum(bool(judge.findings) for judge in voted)
        said = f"{count(len(voted), 'tool')} looked, each by its own rules: {loud} found something"
    return CouncilVerdict(
        report.verdict or "WARN",
        key_insight=said,
        findings=found,
        recommendation=report.recommendation,
    )


def _escaped(text: str) -> str:
    """JSON text without invisible or control characters: escaped as JSON does, so it still parses."""
    if clean(text) == text:
        return text
    return "".join(
        mark if mark == "\n" or clean(mark) == mark else json.dumps(mark)[1:-1] for mark in text
    )


def _council_verdict(judge: Judge) -> CouncilVerdict:
    """What it said, or a tool's findings in the same form."""
    if judge.verdict:
        return judge.verdict
    found = tuple(map(_council_finding, judge.findings))
    return CouncilVerdict(judge.word or "WARN", key_insight=view.insight(judge), findings=found)


def _council_finding(finding: Finding) -> CouncilFinding:
    where = view.ref(finding)
    return CouncilFinding(
        severity=COUNCIL_SEVERITIES[finding.severity],
        category=finding.code,
        description=finding.title,
        location="" if where == "none" else where,
        recommendation=finding.fix,
        fix=finding.fix or None,
        why=finding.why or None,
        ref=finding.url or None,
    )


def _ending(report: CouncilReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    if screen or not view.is_quick(report):
        yield from _seated(report, screen)
    suppressed = [f"Suppressed: {said} ({why})" for said, why in report.suppressed]
    if screen and suppressed:
        suppressed = [f"Suppressed {count(len(suppressed), 'finding')}, reasons on file."]
    yield from coverage(
        report.header, [*suppressed, *_opened(report)], screen, 3, by=_reviewers(report)
    )
    if screen is None or screen.show_all:
        yield from cost(report.costs, screen)
    if screen:
        yield from next_steps(report.header, _hints(report, screen))
    elif view.gate_word(report) and not report.wrapper:
        yield doc.SectionHeading(f"Council Verdict: {view.gate_word(report)}", 2)
        yield doc.Paragraph(
            "The gate's word, for tools that look for this line; what it rests on is told above."
        )


def _reviewers(report: CouncilReport) -> str:
    """By whom, where it was nobody who reads the whole of it."""
    voted = [judge for judge in report.judges if judge.word]
    alone = bool(voted) and all(judge.computed for judge in voted)
    return "tools alone, each by its own rules" if alone else ""


def _opened(report: CouncilReport) -> Iterator[str]:
    for who, paths in report.opened:
        yield f"{one_line(who)} also opened {', '.join(map(one_line, paths))}."


def _hints(report: CouncilReport, screen: doc.Screen) -> Iterator[tuple[str, str]]:
    shown = sum(len(chosen(each, screen)) for each in (view.shared(report), report.minority))
    if not screen.show_all and (shown < len(report.issues) or report.debate):
        yield "--all", "prints every finding, and who said what to whom"
    if report.outcome == "ERROR":
        if report.run_id:
            yield f"guild resume {one_line(report.run_id)}", "tries again: asks who did not answer"
        yield "guild doctor", "tells what is missing and what to do"


def _footer(report: CouncilReport) -> doc.Text:
    header = report.header
    answered, total = view.responded(report)
    responses = f"{answered}/{total} judges responded"
    if report.debate:
        again, asked = view.second_round(report.debate)
        responses = f"R1 {answered}/{total} and R2 {again}/{asked} judges responded"
    ids = [("run ", doc.code(header.run_id))] if header.run_id else []
    ids += [("packet ", doc.code(header.packet_hash[:12]))] if header.packet_hash else []
    version = f"guildmoot {header.version}"
    return doc.joined((f"Duration {seconds(header.seconds)}", responses, *ids, version))
