"""``guild wiki``: the project's memory. Parses, calls ``api.wiki``, prints."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import (
    YES,
    Parser,
    add_json,
    add_options,
    number,
    text,
)
from guildmoot.cli.guild.memory.wiki_ingest import ingest_face
from guildmoot.cli.output import emit, tell
from guildmoot.errors import UsageError, did_you_mean
from guildmoot.text.clean import clean, one_line

if TYPE_CHECKING:
    from guildmoot.memory.recall.query import WikiAnswer
    from guildmoot.memory.recall.recall import Recalled

_USAGE = """usage: guild wiki VERB [arguments]

The project's memory: plain Markdown pages under .guild/wiki, which can be
asked. Every index can be deleted; nothing but time is lost.

  ingest   put a file, a folder, standard input or --url into it
  query    ask it; --json for programs, --batch FILE for many questions
  show     print a page, and why it is trusted
  list     list the pages; --paused lists the texts that wait for you
  lint     check all pages; --fix mends index.md and log.md
  promote  vouch for the words of a page
  retire   take a page out of recall; its file stays
  brief    what a coding agent is told when a session starts
  log      what was done when

'guild wiki VERB --help' explains a verb. Exit codes: 0 done, 2 lint found
something that blocks, 3 a text waits for your answer, 64 usage.
"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    if not argv or argv[0] in ("-h", "--help"):
        sys.stdout.write(_USAGE)
        return 0
    verb = _VERBS.get(argv[0])
    if verb is None:
        hint = did_you_mean(argv[0], _VERBS, "'guild wiki --help' lists them.")
        raise UsageError(f"guild wiki has no verb {argv[0]!r}", hint)
    return verb(argv[1:])


def _query(argv: list[str]) -> int:
    parser = Parser(
        "wiki query",
        "Ask the memory. Any word may match; rare words, titles and words side by side count more. "
        "What the pages do not speak of is answered with nothing.",
        "  guild wiki query 'how are caches cleared'\n"
        "  guild wiki query cache_size --json --limit 3\n"
        "  guild wiki query --batch questions.txt      one JSON object a line",
    )
    parser.add_argument("text", nargs="*", metavar="TEXT", help="the question")
    add_options(
        parser,
        ("--limit", "most pages (10)", {**number(int), "default": 10}),
        ("--category", "only pages of this category", text("C")),
        ("--since", "only pages changed on this day or later", text("DATE")),
        ("--batch", "a question a line, - for standard input; one JSON object a line out", text("FILE")),
    )  # fmt: skip
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.memory.recall.query import WikiQuery

    query = WikiQuery(" ".join(options.text), options.limit, options.category, options.since)
    if options.batch:
        return _batch(query, options.batch)
    from guildmoot.api.wiki import wiki_query
    from guildmoot.calls import run_foreground

    answer = run_foreground(wiki_query(query))
    for note in answer.notices:
        tell(f"note: {clean(note)}")
    for path, why in answer.left_out.items():
        tell(f"left out: {clean(path)}: {clean(why)}")
    return emit(_answer_json(answer), _answer_lines(answer), as_json=options.json)


def _batch(query: object, name: str) -> int:
    """One question a line; each answer is flushed before the next question is read."""
    import json

    from guildmoot.memory.recall.query import Memory, WikiQuery
    from guildmoot.memory.wiki.places import memory_root

    assert isinstance(query, WikiQuery)  # noqa: S101
    out = sys.stdout
    with Memory(memory_root(Path.cwd()), stay=True) as memory:
        try:
            stream = sys.stdin.buffer if name == "-" else open(name, "rb")  # noqa: SIM115
        except OSError as wrong:
            raise UsageError(f"{name} cannot be read: {wrong.strerror}") from wrong
        with stream:
            for line in iter(stream.readline, b""):
                question = line.decode("utf-8", "replace").strip()
                row: dict[str, object] = {"query": question, "results": []}
                if question:
                    answer = memory.ask(query._replace(text=question), compare=False)
                    row["results"] = [_batch_json(each) for each in answer.results]
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                out.flush()
    return 0


def _batch_json(found: Recalled) -> dict[str, object]:
    """The nine fields of an answer; flags and the sub-project only where there are any."""
    row = _result_json(found)
    return {
        key: row[key]
        for key in row
        if key != "reason" and (key not in ("flags", "source") or row[key])
    }


def _result_json(found: Recalled) -> dict[str, object]:
    return {**found._asdict(), "source_refs": list(found.source_refs), "flags": list(found.flags)}


def _answer_json(answer: WikiAnswer) -> dict[str, object]:
    return {
        "query": answer.query,
        "results": [_result_json(each) for each in answer.results],
        "total": len(answer.results),
        "conflicts": [each._asdict() for each in answer.conflicts],
        "left_out": answer.left_out,
        "mark": answer.mark,
    }


def _answer_lines(answer: WikiAnswer) -> Iterator[str]:
    if not answer.results:
        yield "Nothing in the memory speaks of that."
    strong = [each for each in answer.results if each.score >= answer.results[0].score / 10]
    for each in strong:
        where = f"{each.source}:{each.path}" if each.source else each.path
        yield f"{each.score:.2f}  {where}  {each.title}"
        for line in _folded(each.snippet):
            yield f"      {line}"
        flags = f"; {', '.join(each.flags)}" if each.flags else ""
        for line in _folded(f"{each.trust}: {each.reason}{flags}"):
            yield f"      {line}"
    if weaker := len(answer.results) - len(strong):
        yield f"{weaker} more with under a tenth of the best score: --json lists them"
    if answer.results:
        yield f"({answer.mark})"
    for pair in answer.conflicts:
        yield f"conflict  {pair.newer} and {pair.older}: {pair.why} ({pair.stands})"


def _folded(line: str) -> list[str]:
    import textwrap

    return textwrap.wrap(line, 74)[:4]


def _show(argv: list[str]) -> int:
    parser = Parser(
        "wiki show", "Print a page, and why it is trusted.", "  guild wiki show concepts/caching"
    )
    parser.add_argument("page", help="its path below .guild/wiki, or its name alone")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.wiki import wiki_show
    from guildmoot.calls import run_foreground

    shown = run_foreground(wiki_show(options.page))
    page = shown.page
    data = {
        "path": page.path, "title": page.title, "category": page.category, "frontmatter": dict(page.facts),
        "body": page.body, "trust": shown.provenance.trust, "reason": shown.provenance.reason,
        "flags": list(shown.flags), "injections": [each._asdict() for each in shown.injections],
    }  # fmt: skip
    rows = [
        f"{page.path}  {shown.provenance.trust}: {shown.provenance.reason}",
        *(f"flag: {flag}" for flag in shown.flags),
        *(
            f"careful: it speaks to a model ({each.kind}): {clean(each.text)}"
            for each in shown.injections
        ),
        "",
        clean(page.body),
    ]
    return emit(data, rows, as_json=options.json)


def _list(argv: list[str]) -> int:
    parser = Parser(
        "wiki list",
        "List the pages.",
        "  guild wiki list --category concept\n  guild wiki list --paused",
    )
    add_options(
        parser,
        ("--category", "only pages of this category", text("C")),
        ("--since", "only pages changed on this day or later", text("DATE")),
        ("--paused", "the texts that wait for your answer", YES),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.wiki import wiki_list, wiki_paused
    from guildmoot.calls import run_foreground

    if options.paused:
        waiting = run_foreground(wiki_paused())
        rows = [
            one_line(f"{each.id}  {each.path}  {'; '.join(r.detail for r in each.reasons)}")
            + ("" if each.ours else "  CHANGED since it was paused: answer skip")
            for each in waiting
        ]
        data = {
            "paused": [
                {**each._asdict(), "reasons": [r._asdict() for r in each.reasons]}
                for each in waiting
            ]
        }
        return emit(data, rows or ["Nothing waits."], as_json=options.json)
    pages = run_foreground(wiki_list(options.category, options.since))
    found = [
        {
            "path": each.page.path, "category": each.page.category, "title": each.page.title,
            "confidence": each.page.fact("confidence"), "updated_at": each.page.fact("updated_at"),
            "trust": each.provenance.trust, "flags": list(each.flags), "problem": each.page.problem,
            "status": each.page.fact("status"),
        }
        for each in pages
    ]  # fmt: skip
    rows = [
        f"{row['path']}  {row['updated_at'] or '-'}  {row['trust']}  {row['title']}"
        + (f"  ({row['status']})" if row["status"] else "")
        + (f"  BROKEN: {row['problem']}" if row["problem"] else "")
        for row in found
    ]
    return emit(
        {"pages": found, "total": len(found)}, rows or ["There are no pages."], as_json=options.json
    )


def _lint(argv: list[str]) -> int:
    parser = Parser(
        "wiki lint", "Check all pages in eight ways; edits nothing. Exit 2 when something blocks."
    )
    add_options(
        parser,
        ("--fix", "write index.md and log.md anew first; pages are never edited", YES),
        ("--no-report", "keep no report under .guild/wiki", YES),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.wiki import wiki_lint
    from guildmoot.calls import run_foreground

    found = run_foreground(wiki_lint(options.fix, not options.no_report))
    data = {"pages": found.pages, "findings": [each._asdict() for each in found.findings]}
    rows = [
        f".guild/wiki/{each.path}:{each.line}: {each.gravity}: {each.check}: {each.detail}"
        for each in found.findings
    ]
    emit(data, rows or [f"{found.pages} pages, no findings."], as_json=options.json)
    return found.exit_code


def _one_page(verb: str, about: str) -> Callable[[list[str]], int]:
    def run(argv: list[str]) -> int:
        parser = Parser(f"wiki {verb}", about, f"  guild wiki {verb} concepts/caching")
        parser.add_argument("page", help="its path below .guild/wiki, or its name alone")
        promotes = verb == "promote"
        if promotes:
            add_options(parser, ("--yes", "also where the page speaks to a model", YES))
        add_json(parser)
        options = parser.parse_args(argv)
        from guildmoot.api.wiki import wiki_promote, wiki_retire
        from guildmoot.calls import run_foreground

        work = (
            wiki_promote(options.page, yes=options.yes) if promotes else wiki_retire(options.page)
        )
        page = run_foreground(work)
        done = "promoted" if promotes else "retired"
        return emit(
            {"path": page.path, "status": done}, [f"{done}: {page.path}"], as_json=options.json
        )

    return run


def _log(argv: list[str]) -> int:
    parser = Parser("wiki log", "What was done to the wiki, oldest first.")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.wiki import wiki_log
    from guildmoot.calls import run_foreground

    lines = run_foreground(wiki_log())
    return emit({"log": lines}, lines or ["Nothing was done yet."], as_json=options.json)


def _brief(argv: list[str]) -> int:
    parser = Parser(
        "wiki brief",
        "What a coding agent is told of the memory when a session starts: the best pages that somebody "
        "vouched for, in at most 1,200 tokens.",
        "  guild wiki brief",
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.wiki import wiki_brief
    from guildmoot.calls import run_foreground

    made = run_foreground(wiki_brief())
    nothing = "Nothing: nobody vouched for a page yet. 'guild wiki promote PAGE' does."
    data = {"text": made.text, "pages": list(made.pages), "tokens": made.tokens}
    return emit(data, [made.text.rstrip("\n") or nothing], as_json=options.json)


_VERBS: dict[str, Callable[[list[str]], int]] = {
    "ingest": ingest_face,
    "query": _query,
    "show": _show,
    "list": _list,
    "lint": _lint,
    "promote": _one_page("promote", "Vouch for a page: its very words are trusted from now on."),
    "retire": _one_page("retire", "Take a page out of recall; its file stays."),
    "brief": _brief,
    "log": _log,
}
