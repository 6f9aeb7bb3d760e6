"""A council as an entry of ``docs/council-log``, short enough to be committed with the work.

``--commit-ready`` writes it; the name of the file, and a suffix on a day's second, are left to records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guildmoot.model.council import CouncilReport
from guildmoot.reports.council.blocks import bullets, said
from guildmoot.reports.council.markdown import scalar
from guildmoot.reports.council.markdown_findings import disagreements, verbatim
from guildmoot.reports.council.view import meaning, speakers, strength
from guildmoot.reports.markdown import prose


def render_log_entry(report: CouncilReport, *, related: Sequence[str] = ()) -> str:
    """The entry; ``related`` names commits and issues."""
    return "\n\n".join([_front(report), *_body(report, related)]) + "\n"


def _front(report: CouncilReport) -> str:
    fields = (
        ("title", report.header.target),
        ("date", report.date),
        ("mode", report.task),
        ("flags", " ".join(report.modes)),
        ("verdict", report.outcome or "none"),
        ("confidence", report.confidence),
        ("judge_count", str(len(report.judges))),
    )
    return "\n".join(("---", *(f"{name}: {scalar(value)}" for name, value in fields), "---"))


def _body(report: CouncilReport, related: Sequence[str]) -> Iterator[str]:
    yield f"# {prose(report.header.target)}"
    yield "## TL;DR"
    if report.outcome:
        yield f"**{report.outcome}**: {prose(meaning(report))} ({prose(strength(report))})."
    yield said(report.recommendation) or "No recommendation was given."
    yield "## Consolidated Findings"
    if not report.issues:
        yield "None."
    for issue in report.issues:
        yield from verbatim(report, issue.representative)
        yield f"Raised by {prose(speakers(report, issue))}."
    yield from disagreements(report)
    yield "## Related"
    yield bullets(map(prose, related)) if related else "None named."
