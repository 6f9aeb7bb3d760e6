"""``guild trace``: what happened in a run, and what it cost. Parses, calls ``api.traces``, prints."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json, add_options, listed, number, text
from guildmoot.cli.output import emit
from guildmoot.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from guildmoot.memory.traces.cost import CostRow, TraceCost
    from guildmoot.memory.traces.events import Event
    from guildmoot.memory.traces.trace import RunTrace

_USAGE = """usage: guild trace VERB [RUN] [arguments]

What happened in a run, told from its records, the ledger and its logs. RUN is
an id, the start of one, or 'last' (the default).

  runs     the newest runs of every kind
  summary  a run on one page, which is also written to summary.md in its folder
  query    its events, in order
  cost     tokens and money by tier, model, specialist and phase, with the runs
           that are part of it
  export   OpenTelemetry spans: --otlp FILE, or --otlp URL of a collector
  prune    delete the oldest archives of logs: --keep '50 MB'

'guild trace VERB --help' explains a verb.
"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    if not argv or argv[0] in ("-h", "--help"):
        sys.stdout.write(_USAGE)
        return 0
    verb = _VERBS.get(argv[0])
    if verb is None:
        hint = did_you_mean(argv[0], _VERBS, "'guild trace --help' lists them.")
        raise UsageError(f"guild trace has no verb {argv[0]!r}", hint)
    return verb(argv[1:])


def _parser(verb: str, about: str, example: str) -> Parser:
    parser = Parser(f"trace {verb}", about, example)
    parser.add_argument(
        "run", nargs="?", default="last", metavar="RUN", help="an id, its start, or last"
    )
    add_json(parser)
    return parser


_SINCE = ("--since", "only from this time on, e.g. 2026-11-17T18", text("TIME"))


def _runs(argv: list[str]) -> int:
    parser = Parser("trace runs", "List the newest runs of every kind.", "  guild trace runs -n 5")
    add_options(parser, ("-n", "how many (20)", {**number(int), "default": 20}), _SINCE)
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.traces import trace_runs
    from guildmoot.calls import run_foreground

    found = run_foreground(trace_runs(options.n, since=options.since))
    data = {"runs": [_run_json(each) for each in found], "total": len(found)}
    rows = [_run_line(each) for each in found]
    return emit(data, rows or ["There are no runs yet."], as_json=options.json)


def _run_json(trace: RunTrace) -> dict[str, object]:
    from guildmoot.memory.traces.events import stamp

    return {
        "run_id": trace.run_id, "kind": trace.kind, "phase": trace.phase, "parent": trace.parent,
        "target": trace.target, "state": trace.state, "status": trace.status,
        "started_at": stamp(trace.began),
        "ended_at": stamp(trace.ended) if trace.ended is not None else None, "calls": len(trace.calls),
    }  # fmt: skip


def _run_line(trace: RunTrace) -> str:
    from guildmoot.text.clean import count, one_line

    calls = count(len(trace.calls), "call")
    return (
        f"{trace.run_id}  {trace.kind:<10}  {trace.state:<10}  {calls:<9} {one_line(trace.target)}"
    )


def _summary(argv: list[str]) -> int:
    options = _parser("summary", "A run on one page.", "  guild trace summary last").parse_args(
        argv
    )
    from guildmoot.api.traces import trace_summary
    from guildmoot.calls import run_foreground

    done = run_foreground(trace_summary(options.run))
    data = {"run_id": done.run_id, "path": str(done.path), "text": done.text}
    return emit(data, [done.text.rstrip("\n")], as_json=options.json)


def _query(argv: list[str]) -> int:
    parser = _parser(
        "query",
        "The events of a run, in order.",
        "  guild trace query last --event gate_decision\n"
        "  guild trace query last --tool Bash --json",
    )
    add_options(
        parser,
        ("--event", "only these events, commas between", listed()),
        ("--specialist", "only those of this one", text("NAME")),
        ("--tool", "only calls of this tool", text("NAME")),
        _SINCE,
        ("--limit", "most events", number(int)),
    )
    options = parser.parse_args(argv)
    from guildmoot.api.traces import TraceQuery, trace_query
    from guildmoot.calls import run_foreground

    query = TraceQuery(
        options.run, tuple(options.event or ()), options.specialist, options.tool, options.since,
        options.limit,
    )  # fmt: skip
    found = run_foreground(trace_query(query))
    rows = list(map(_event_line, found))
    data = {"events": found, "total": len(found)}
    return emit(data, rows or ["There are no such events."], as_json=options.json)


_UNSHOWN = (
    *("ts", "event", "run_id", "span_id", "parent_span_id", "attribution_specialist", "lane_id"),
    *("task_id", "receipt_path", "tool_use_id"),
)


def _event_line(row: Event) -> str:
    """What fits into one line; ``--json`` has all of it."""
    from guildmoot.text.clean import one_line

    said = " ".join(f"{key}={one_line(str(row[key]))}" for key in row if key not in _UNSHOWN)
    line = f"{str(row['ts'])[11:23]}  {row['event']:<19}  {said}"
    return line if len(line) <= 80 else f"{line[:79]}…"


def _cost(argv: list[str]) -> int:
    about = (
        "What a run and those that are part of it cost. A price that is not known is never guessed."
    )
    examples = "  guild trace cost last --json\n  guild trace cost --since 2026-11"
    parser = _parser("cost", about, examples)
    add_options(parser, ("--since", "all runs from this time on instead", text("TIME")))
    options = parser.parse_args(argv)
    from guildmoot.api.traces import trace_cost
    from guildmoot.calls import run_foreground

    found = run_foreground(trace_cost(options.run, since=options.since))
    data = {
        "runs": list(found.runs),
        "total": _cost_json(found.total),
        "by": {name: [_cost_json(row) for row in rows] for name, rows in found.by.items()},
        "told_by_lanes": {"tokens": found.told_tokens, "usd": found.told_usd},
    }
    return emit(data, _cost_lines(found), as_json=options.json)


def _cost_json(row: CostRow) -> dict[str, object]:
    usd: object = "unknown" if row.unknown else row.usd
    return {**row._asdict(), "usd": usd, "known_usd": row.usd, "unknown_calls": row.unknown}


def _cost_lines(found: TraceCost) -> Iterator[str]:
    yield f"{'':<26} {'calls':>6} {'reused':>6} {'in':>10} {'out':>8}  cost"
    for dimension, rows in found.by.items():
        yield f"by {dimension}"
        yield from (_cost_line(f"  {row.name}", row) for row in rows)
    yield _cost_line("total", found.total)
    if found.told_tokens or found.told_usd:
        from guildmoot.reports.costs import money

        told = f"{found.told_tokens:,} tokens, {money(found.told_usd)}"
        yield f"beside that, lanes whose worker guild does not call told of {told}"


def _cost_line(name: str, row: CostRow) -> str:
    from guildmoot.reports.costs import money
    from guildmoot.text.clean import one_line

    cost = money(row.usd)
    if row.unknown:
        cost = "unknown" if row.unknown == row.calls else f"{cost} + unknown"
    return (
        f"{one_line(name)[:26] if not name.startswith(' ') else '  ' + one_line(name)[:24]:<26}"
        f" {row.calls:>6} {row.reused:>6} {row.input_tokens:>10,} {row.output_tokens:>8,}  {cost}"
    )


def _export(argv: list[str]) -> int:
    parser = _parser(
        "export",
        "Write or send a run as OpenTelemetry spans (OTLP JSON, GenAI conventions). Nothing is sent unless "
        "an address is given: https, or http on this machine. OTEL_EXPORTER_OTLP_HEADERS holds a key.",
        "  guild trace export last --otlp run.json\n"
        "  guild trace export last --otlp http://127.0.0.1:4318/v1/traces",
    )
    add_options(
        parser, ("--otlp", "the file to write, or the collector's address", text("FILE|URL"))
    )
    options = parser.parse_args(argv)
    if not options.otlp:
        raise UsageError("where to?", "--otlp FILE, or --otlp http://127.0.0.1:4318")
    from guildmoot.api.traces import trace_export
    from guildmoot.calls import run_foreground
    from guildmoot.text.clean import count

    done = run_foreground(trace_export(options.run, options.otlp))
    rows = [f"{count(done.spans, 'span')} of {done.run_id}: {done.to}"]
    return emit(done._asdict(), rows, as_json=options.json)


def _prune(argv: list[str]) -> int:
    parser = Parser(
        "trace prune",
        "Delete the oldest archives of logs, of one run or of each, until the rest of that run takes at "
        "most so much. GUILD_LOG_RETENTION='50 MB' does so whenever a log is put aside.",
        "  guild trace prune --keep '50 MB'",
    )
    parser.add_argument("run", nargs="?", default="", metavar="RUN", help="only this run's")
    add_options(parser, ("--keep", "how much stays: 500 KB, 50 MB, 2 GB", text("SIZE")))
    add_json(parser)
    options = parser.parse_args(argv)
    if not options.keep:
        raise UsageError("how much is to stay?", "--keep '50 MB'")
    from guildmoot.api.traces import trace_prune
    from guildmoot.calls import run_foreground

    done = run_foreground(trace_prune(options.keep, options.run))
    rows = [f"deleted: {path}" for path in done.deleted]
    return emit(
        {"deleted": list(done.deleted)}, rows or ["Nothing was deleted."], as_json=options.json
    )


_VERBS: dict[str, Callable[[list[str]], int]] = {
    "runs": _runs,
    "summary": _summary,
    "query": _query,
    "cost": _cost,
    "export": _export,
    "prune": _prune,
}
