"""Sections that reports of every kind share: what was covered, what it cost, what to do next."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from guildmoot.errors import EXIT_INTERRUPTED
from guildmoot.model.report import RunHeader, RunOrigin, SeatCost
from guildmoot.model.verdict import Finding
from guildmoot.reports import document as doc
from guildmoot.reports.costs import cost_sentences, money, runs_model
from guildmoot.reports.view import why_left_out
from guildmoot.text.clean import count, one_line, seconds
from guildmoot.text.patterns import lazy

_HOSTS = lazy(r"github\.com|gitlab\.[\w.-]+|github\.[\w.-]+")


def origin_facts(origin: RunOrigin) -> Iterator[tuple[str, doc.Text]]:
    """Repository, commit, range, date and command, as far as they are known."""
    at = f"{origin.branch} at {origin.commit[:10]}" if origin.branch else origin.commit[:10]
    known = {
        "Repository": origin.repository,
        "Commit": f"{at}{_against(origin)}" if at else "",
        "Date": origin.date,
    }
    yield from ((name, one_line(value)) for name, value in known.items() if value)
    if origin.command:
        yield "Command", doc.code(origin.command)


def _against(origin: RunOrigin) -> str:
    """What a change is compared with, where that is another commit."""
    base = origin.base if origin.base != origin.commit else ""
    return f", compared with {base[:10]}" if base else ""


def line_link(origin: RunOrigin, finding: Finding) -> str:
    """Where the code host shows the lines of a finding; empty where the host is not known."""
    host, commit = origin.repository.partition("/")[0], origin.commit
    if not (finding.path and commit) or not _HOSTS.fullmatch(host):
        return ""
    gitlab = "gitlab" in host
    last = max(finding.end_line, finding.line)
    lines = f"#L{finding.line}" if finding.line > 0 else ""
    if lines and last > finding.line:
        lines += f"-{'' if gitlab else 'L'}{last}"
    blob = "/-/blob" if gitlab else "/blob"
    path = quote(os.fsencode(finding.path))
    return f"https://{quote(origin.repository)}{blob}/{commit}/{path}{lines}"


def coverage(
    header: RunHeader,
    more: Iterable[str],
    screen: doc.Screen | None,
    level: int = 2,
    by: str = "",
) -> Iterator[doc.Block]:
    """What was judged, ``by`` whom, what was not and why; a file lists every path and secret."""
    sentences = [*_coverage(header, by), *filter(None, more)]
    yield doc.SectionHeading("Coverage", level)
    if screen:
        yield doc.Paragraph(" ".join(sentences))
        return
    yield doc.Bullets(tuple(sentences))
    if header.omitted:
        left_out = ((doc.code(each.path), " ", why_left_out(each)) for each in header.omitted)
        yield doc.Fold(f"{count(len(header.omitted), 'path')} left out", tuple(left_out))
    if header.masked:
        hidden = ((doc.code(f"{each.path}:{each.line}"), " ", each.kind) for each in header.masked)
        yield doc.Fold(f"{count(len(header.masked), 'secret')} held back", tuple(hidden))


def _coverage(header: RunHeader, by: str) -> Iterator[str]:
    lines = f", {count(header.lines_reviewed, 'line')}" if header.lines_reviewed else ""
    read = f"Reviewed {count(header.files_reviewed, 'file')}{lines}"
    read = read if header.files_reviewed else "No file was reviewed"
    yield f"{read}, with {by}." if by and header.files_reviewed else f"{read}."
    if header.files_scanned:
        yield f"Looked through for secrets and conflicts only: {count(header.files_scanned, 'file')}."
    left_out = [
        each
        for each in header.omitted
        if not each.detail.startswith("shown") and each.reason != "lock-file"
    ]
    if left_out:
        reasons = Counter(one_line(omission.reason) for omission in left_out)
        listed = ", ".join(f"{number:,} {reason}" for reason, number in reasons.most_common())
        yield f"Left out {len(left_out):,}: {listed}."
    compared = [each for each in header.omitted if each.reason == "lock-file"]
    if compared:
        told = ", ".join(f"{one_line(each.path)} ({one_line(each.detail)})" for each in compared)
        yield f"Compared with the base, not read: {told}."
    if header.masked:
        own = [each for each in header.masked if each.path != "diff"] or header.masked
        files = {masking.path for masking in own}  # a diff's copies are not counted again
        hidden = f"{count(len(own), 'secret')} in {count(len(files), 'file')}"
        yield f"Held back from the judges: {hidden}."


def cost(costs: Sequence[SeatCost], screen: doc.Screen | None) -> Iterator[doc.Block]:
    """Tokens, money and time of each seat that runs a model; nothing when none does."""
    shown = [each for each in costs if runs_model(each)]
    if not shown:
        return
    yield doc.SectionHeading("Cost", 2)
    model = () if screen else ("Model",)
    heads = ("Judge", *model, "Input", "Cached", "Output", "Cost", "Time")
    rows = tuple(
        (one_line(each.seat), *([each.model] if model else []), *_cost_cells(each))
        for each in shown
    )
    yield doc.Table(heads, rows, "What each judge took", range(len(heads) - 5, len(heads)))
    yield doc.Bullets(tuple(cost_sentences(costs)))


def _cost_cells(cost: SeatCost) -> tuple[doc.Text, ...]:
    usage = cost.usage
    tokens = ("-", "-", "-")
    if usage is not None:
        counted = (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens)
        tokens = (f"{counted[0]:,}", f"{counted[1]:,}", f"{counted[2]:,}")
    return (*tokens, money(cost.usd), seconds(cost.seconds))


def next_steps(header: RunHeader, hints: Iterable[tuple[str, str]]) -> Iterator[doc.Block]:
    """Commands that go on from here."""
    shown = [*hints]
    if header.run_id:
        if header.exit_code == EXIT_INTERRUPTED:
            shown.insert(0, (f"guild resume {one_line(header.run_id)}", "asks who is missing"))
        shown.append((f"guild runs show {one_line(header.run_id)}", "the record of this run"))
    if shown:
        yield doc.SectionHeading("Next", 2)
        yield doc.Facts(tuple(shown))
