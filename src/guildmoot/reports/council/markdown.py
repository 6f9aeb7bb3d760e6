"""The council's report as Markdown, in the sections that its readers and tools know.

One file a kind of report; all of them begin with the same front matter and end with the same roster,
notes and footer. The wording of a verdict for tools, ``## Council Verdict: X``, stands in it once, and
not at all where nothing was judged or the verdict is not complete.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from guildmoot.model.council import CouncilReport
from guildmoot.reports.council.blocks import bullets, facts, plain_table
from guildmoot.reports.council.markdown_debate import debate_facts, debate_sections
from guildmoot.reports.council.markdown_duel import duel_sections
from guildmoot.reports.council.markdown_findings import (
    check_sections,
    cross_vendor,
    delta_section,
    disagreements,
    evidence_sections,
    minority,
    partly_shared,
    recommendation,
    shared_findings,
    verdicts,
)
from guildmoot.reports.council.markdown_ideas import brainstorm_sections, research_sections
from guildmoot.reports.council.markdown_quick import quick_sections
from guildmoot.reports.council.markdown_wrappers import wrapper_sections
from guildmoot.reports.council.view import (
    full_name,
    gate_word,
    is_quick,
    meaning,
    missing,
    responded,
    seating,
    second_round,
    state,
    strength,
)
from guildmoot.reports.markdown import code, prose
from guildmoot.reports.view import why_left_out
from guildmoot.text.clean import count, one_line, seconds

MOST_OMITTED = 20
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def render_markdown(report: CouncilReport) -> str:
    """The whole report; the same report gives the same bytes."""
    blocks = [front_matter(report), *_body(report), *_ending(report)]
    return "\n\n".join(block for block in blocks if block) + "\n"


render = render_markdown


def front_matter(report: CouncilReport) -> str:
    """``id``, ``type`` and ``date``, and what a wrapper adds."""
    fields = [("id", f"council-{report.stem}"), ("type", "council"), ("date", report.date)]
    if report.wrapper:
        fields += [("wrapper", report.wrapper), ("decision", report.decision)]
    lines = [f"{name}: {scalar(value)}" for name, value in fields if value]
    if report.predictions:
        lines += ["predictions:", *(f"  - {scalar(name)}" for name, _ in report.predictions)]
    return "\n".join(("---", *lines, "---"))


def scalar(text: str) -> str:
    """A text as YAML reads it: bare when it is plain, else in double quotes."""
    text = one_line(text)
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


def _body(report: CouncilReport) -> Iterator[str]:
    if report.duel is not None:
        yield from duel_sections(report, _header(report))
    elif report.task == "brainstorm":
        yield from brainstorm_sections(report, _header(report))
    elif report.task == "research":
        yield from research_sections(report, _header(report))
    elif report.wrapper:
        yield from wrapper_sections(report, _header(report))
    elif is_quick(report):
        yield from quick_sections(report)
    else:
        yield from _validate(report)


def _validate(report: CouncilReport) -> Iterator[str]:
    yield f"## Council Consensus: {report.outcome or 'none'}"
    yield _header(report)
    yield from verdicts(report)
    if report.debate:
        yield from debate_sections(report, report.debate)
    yield from shared_findings(report)
    yield from disagreements(report)
    yield from cross_vendor(report)
    yield from partly_shared(report)
    yield from minority(report)
    yield from check_sections(report)
    yield from evidence_sections(report)
    yield from delta_section(report)
    yield from recommendation(report)


def _header(report: CouncilReport) -> str:
    judged = report.outcome is not None
    means = f"{report.outcome}: {meaning(report)}" if report.outcome else ""
    return facts(
        ("Target", prose(report.header.target)),
        ("Outcome", prose(means)),
        ("Modes", prose(", ".join(report.modes) or "default")),
        *(debate_facts(report.debate) if report.debate else ()),
        ("Judges", prose(f"{len(report.judges)} ({seating(report) or 'none'})")),
        ("Votes", prose(strength(report)) if judged else ""),
        ("Confidence", prose(report.confidence)),
        ("Profile", prose(report.profile)),
        ("Technique", prose(report.technique)),
        ("Follows", code(report.previous) if report.previous else ""),
    )


def _ending(report: CouncilReport) -> Iterator[str]:
    if not is_quick(report):
        yield from _roster(report)
    if report.notes or report.header.floors or report.header.reasons:
        yield "### Notes"
        yield bullets(map(prose, (*report.header.reasons, *report.header.floors, *report.notes)))
    yield from _coverage(report)
    if gate_word(report) and not report.wrapper:
        yield f"## Council Verdict: {gate_word(report)}"
        yield "The gate's word, for tools that look for this line; what it rests on is told above."
    yield _footer(report)


def _roster(report: CouncilReport) -> Iterator[str]:
    yield "### Roster"
    asked = ", ".join(report.requested) or ", ".join(judge.label for judge in report.judges)
    absent = missing(report)
    answered = [judge.label for judge in report.judges if judge.status == "answered"]
    lines = [f"Asked for: {prose(asked)}.", f"Answered: {prose(', '.join(answered) or 'nobody')}."]
    if absent:
        lines.append(f"Did not answer: {prose(', '.join(absent))}.")
    yield bullets(lines)
    if report.judges:
        yield plain_table(
            ("Judge", "Seat", "Model", "Said", "Time", "Remark"),
            (
                (
                    full_name(judge),
                    judge.seat.backend,
                    judge.seat.model,
                    state(judge) if report.outcome or judge.status != "answered" else "answered",
                    seconds(judge.seconds),
                    judge.reason,
                )
                for judge in report.judges
            ),
        )


def _coverage(report: CouncilReport) -> Iterator[str]:
    lines = []
    if report.header.omitted:
        lines.append(f"Left out of the packet: {count(len(report.header.omitted), 'path')}.")
        lines += [
            f"{code(each.path)}: {prose(why_left_out(each))}"
            for each in report.header.omitted[:MOST_OMITTED]
        ]
        rest = len(report.header.omitted) - MOST_OMITTED
        lines += [f"and {rest} more, which the JSON report names"] if rest > 0 else []
    if report.header.masked:
        lines.append(f"Held back from the judges: {count(len(report.header.masked), 'secret')}.")
    lines += [f"Suppressed: {prose(said)} ({prose(why)})" for said, why in report.suppressed]
    if lines:
        yield "### Coverage"
        yield bullets([f"Reviewed {count(report.header.files_reviewed, 'file')}.", *lines])


def _footer(report: CouncilReport) -> str:
    answered, total = responded(report)
    heard = f"{answered}/{total} judges responded"
    if report.debate:
        again, asked = second_round(report.debate)
        heard = f"R1 {answered}/{total} and R2 {again}/{asked} judges responded"
    ids = [f"run {code(report.header.run_id)}"] if report.header.run_id else []
    ids += [f"packet {code(report.header.packet_hash[:12])}"] if report.header.packet_hash else []
    ids += [f"guildmoot {prose(report.header.version)}"] if report.header.version else []
    return "---\n\n" + " · ".join((f"Duration {seconds(report.header.seconds)}", heard, *ids))
