"""``guild wiki ingest``: puts texts into the memory, and answers for those that wait."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import (
    Parser,
    add_json,
    add_options,
    listed,
    many,
    number,
    read_stdin,
    text,
)
from guildmoot.cli.output import emit, tell
from guildmoot.errors import EXIT_FLAGGED, EXIT_UNDECIDED, UsageError
from guildmoot.text.clean import clean

if TYPE_CHECKING:
    from guildmoot.api.wiki import IngestReport
    from guildmoot.memory.wiki.ingest import Ingested


def ingest_face(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "wiki ingest",
        "Put a text into the memory. It is captured as it is, with its checksum, and becomes a page; "
        "a text that gives orders, or that stands in a page already, waits for your answer instead.",
        "  guild wiki ingest docs/caching.md --category concept\n"
        "  guild wiki ingest docs/ --category source\n"
        "  git log -5 | guild wiki ingest - --category source --slug last-commits\n"
        "  guild wiki ingest paper.md --category source --model anthropic:claude-haiku-4-5 --max-usd 0.02\n"
        "  guild wiki ingest --answer 3f2a91c0 --as keep",
    )
    parser.add_argument(
        "what", nargs="?", metavar="FILE", help="a file, a folder, or - for standard input"
    )
    add_options(
        parser,
        ("--category", "context, standard, product, entity, concept or source", text("C")),
        ("--url", "fetch this https address (text, 5 MB, 20 s)", text("URL")),
        ("--model", "who writes the summary (provider:model); it is asked once, within --max-usd", text("MODEL")),
        ("--max-usd", "the most that the model may cost", number(float, "USD")),
        ("--slug", "the page's name; without it the title's words", text("NAME")),
        ("--title", "the page's title; without it the text's own", text("TEXT")),
        ("--sensitivity", "public, internal, confidential or secret", {**text("S"), "default": "internal"}),
        ("--confidence", "low, medium or high", {**text("C"), "default": "medium"}),
        ("--kind", "durable, or state: what holds for a month at most", {**text("K"), "default": "durable"}),
        ("--as-of", "the day for which it is true", text("DATE")),
        ("--supersedes", "the page that this one replaces", text("PAGE")),
        ("--anchor", "a file that it speaks of: the page is flagged when that changes", many("FILE")),
        ("--tags", "words to find it by", listed()),
        ("--proposed-by", "the model that wrote it: it waits until a person keeps it", text("NAME")),
        ("--from", "what a proposal rests on: FILE or FILE:FIRST-LAST", {**text("FILE"), "dest": "taken_from"}),
        ("--answer", "say what becomes of the text that waits under this id", text("ID")),
        ("--as", "supersede, skip or keep", {**text("ANSWER"), "dest": "how"}),
    )  # fmt: skip
    add_json(parser)
    options = parser.parse_args(argv)
    if options.answer or options.how:
        return _answer(options)
    from guildmoot.api.wiki import IngestRequest, wiki_ingest
    from guildmoot.calls import run_foreground
    from guildmoot.memory.wiki.ingest import IngestOptions

    if not options.category:
        raise UsageError(
            "which category does it belong to?",
            "--category context|standard|product|entity|concept|source",
        )
    wanted = IngestOptions(
        options.category, options.slug, options.title, options.sensitivity, options.confidence, options.kind,
        options.as_of, options.supersedes, tuple(options.anchor), options.tags, options.proposed_by,
        options.taken_from,
    )  # fmt: skip
    given = read_stdin() if options.what == "-" else None
    path = Path(options.what) if options.what and options.what != "-" else None
    request = IngestRequest(
        wanted, path, given, options.url, Path.cwd(), options.model, options.max_usd
    )
    report = run_foreground(wiki_ingest(request, _silent if options.json else _tell_now))
    for wrong in report.failed:
        tell(clean(f"not put in: {wrong.origin}: {wrong.problem}"))
    data = {
        "done": [_ingested_json(each) for each in report.done],
        "failed": [each._asdict() for each in report.failed],
    }
    many_files = len(report.done) + len(report.failed) > 1
    emit(data, [_count_line(report)] if many_files else [], as_json=options.json)
    if report.failed:
        return EXIT_FLAGGED
    return EXIT_UNDECIDED if any(each.status == "paused" for each in report.done) else 0


def _silent(_done: Ingested) -> None:
    """Programs read one object at the end."""


def _tell_now(done: Ingested) -> None:
    sys.stdout.write("".join(f"{clean(line)}\n" for line in _ingested_lines(done)))
    sys.stdout.flush()


def _count_line(report: IngestReport) -> str:
    """What became of many, on one line: ``19 written, 1 paused``."""
    counts: Counter[str] = Counter(each.status for each in report.done)
    counts["not put in"] = len(report.failed)
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def _answer(options: Namespace) -> int:
    from typing import get_args

    from guildmoot.api.wiki import wiki_answer
    from guildmoot.calls import run_foreground
    from guildmoot.memory.wiki.ingest import Answer

    if options.how not in get_args(Answer) or not options.answer:
        raise UsageError(
            "say which text, and what becomes of it", "--answer ID --as supersede|skip|keep"
        )
    done = run_foreground(wiki_answer(options.answer, options.how))
    return emit(_ingested_json(done), _ingested_lines(done), as_json=options.json)


def _ingested_json(done: Ingested) -> dict[str, object]:
    return {
        **done._asdict(),
        "nearest": [each._asdict() for each in done.nearest],
        "pauses": [each._asdict() for each in done.pauses],
    }


def _ingested_lines(done: Ingested) -> Iterator[str]:
    yield f"{done.status}: {done.path}"
    for near in done.nearest:
        yield f"  near  {near.score:.2f}  {near.path}"
    for kind in dict.fromkeys(done.masked):
        yield f"  a secret was masked: {kind}"
    for each in done.pauses:
        yield f"  why   {each.detail}"
    if done.status == "paused":
        copies = any(each.reason in ("copy", "reviewed") for each in done.pauses)
        choice = "supersede|skip|keep" if copies else "skip|keep"
        yield f"  next  guild wiki ingest --answer {done.paused_id} --as {choice}"
    for word in done.assumptions:
        yield f"  assumed  {word}"
