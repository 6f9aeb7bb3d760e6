"""``guild runs``: list, show and open what was recorded under ``.guild/runs``; clear old runs away."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from guildmoot.cli.arguments import Parser, add_json, project_root
from guildmoot.cli.output import emit
from guildmoot.errors import UsageError
from guildmoot.runs.index import (
    RunQuery,
    cost_of,
    find_run,
    list_runs,
    runs_beneath,
    select_runs,
    summarise,
)
from guildmoot.runs.record import read_part, read_replies
from guildmoot.runs.rows import RunSummary
from guildmoot.system.jsonio import dumps
from guildmoot.text.clean import clean, count, one_line

_WORDS = {"operator-judgment-required": "undecided", "flagged-conflict": "conflict"}
_PARTS = ("request", "config", "packet", "roster", "replies", "judgements", "result", "state")


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "runs",
        "Look at recorded runs. RUN is an id, the start of one, or 'last'.",
        "  guild runs list --kind council\n  guild runs show last --replies\n"
        "  guild runs show 20261115-2137 --part roster\n  cd $(guild runs path last)\n"
        "  guild runs gc --older-than 30 --dry-run",
    )
    parser.add_argument("action", choices=("list", "show", "path", "open", "gc"))
    parser.add_argument("run", nargs="?", metavar="RUN", help="for show and path (last)")
    parser.add_argument("--replies", action="store_true", help="print each raw reply")
    parts = f"print one part as JSON: {', '.join(_PARTS)}"
    parser.add_argument("--part", choices=_PARTS, metavar="PART", help=parts)
    which = parser.add_argument_group("list: which runs")
    which.add_argument("-n", type=int, default=20, metavar="N", help="how many (20)")
    which.add_argument("--kind", metavar="KIND", help="panel, council, vibe, whiteboard ...")
    which.add_argument(
        "--parent", metavar="RUN", help="those that are part of this run, and what they cost"
    )
    clear = parser.add_argument_group(
        "gc: runs to clear away, with what only they have in the ledger"
    )
    clear.add_argument("--keep", type=int, default=20, metavar="N", help="newest that stay (20)")
    clear.add_argument("--older-than", type=float, metavar="DAYS", help="only runs older than that")
    clear.add_argument("--dry-run", action="store_true", help="tell only, remove nothing")
    add_json(parser)
    options = parser.parse_args(argv)
    root = project_root()
    if options.run and options.action in ("list", "gc"):
        raise UsageError(
            f"'guild runs {options.action}' takes no RUN",
            "gc goes by age: --keep, --older-than. 'guild runs show RUN' shows one.",
        )
    if options.action == "gc":
        return _clear(root, options)
    if options.action == "list":
        return _list(root, options)
    folder = find_run(root, options.run or "last")
    if options.action in ("path", "open"):
        return emit({"folder": str(folder)}, [str(folder)], as_json=options.json)
    if options.part:
        sys.stdout.write(dumps(read_part(folder, options.part)) + "\n")
        return 0
    return _show(folder, replies=options.replies, as_json=options.json)


def _clear(root: Path, options: argparse.Namespace) -> int:
    from guildmoot.api.runs import ClearRequest, clear

    done = clear(root, ClearRequest(options.keep, options.older_than, options.dry_run))
    plain = {**done._asdict(), "ledger": done.ledger._asdict() if done.ledger else None}
    verb = "would go" if options.dry_run else "removed"
    gone, stay = count(len(done.runs), "run"), "stays" if done.kept == 1 else "stay"
    rows = [f"{gone} {verb} ({count(done.bytes, 'byte')}), {done.kept} {stay}"]
    if done.ledger:
        words = zip(("answer", "packet", "text"), done.ledger, strict=True)
        cleared = ", ".join(count(number, word) for word, number in words)
        rows.append(f"ledger: {cleared} removed")
    return emit({"dry_run": options.dry_run, **plain}, rows, as_json=options.json)


def _list(root: Path, options: argparse.Namespace) -> int:
    most = None if options.parent else options.n
    runs, parent = select_runs(root, RunQuery(options.kind or "", options.parent or "", most))
    shown = runs[: options.n]
    total = {"parent": parent, "cost": cost_of(runs)._asdict()} if parent else {}
    rows = [_line(run) for run in shown]
    if parent and runs:
        rows.append(_cost_line(runs))
    nothing = "no recorded runs; 'guild validate .' makes one"
    rows = rows or ["no such runs" if parent or options.kind else nothing]
    data = {"runs": [run.to_json() for run in shown], **total}
    return emit(data, rows, as_json=options.json)


def _line(run: RunSummary) -> str:
    word = run.verdict if run.state == "complete" else run.state.upper()
    word = _WORDS.get(word, word)
    counts = run.counts or f"{run.blocking} blocking, {run.advisory} advisory"
    return f"{run.run_id}  {one_line(word):<12}  {one_line(counts):<27}  {one_line(run.target)}"


def _cost_line(runs: Sequence[RunSummary]) -> str:
    from guildmoot.reports.costs import money

    cost = cost_of(runs)
    told = f"{money(cost.usd)} together"
    if cost.unknown:
        number = count(len(cost.unknown), "run")
        told = f"{told}, and {number} of unknown price" if cost.usd else f"cost unknown of {number}"
    return f"{count(len(runs), 'run')}, {told}"


def _show(folder: Path, *, replies: bool, as_json: bool) -> int:
    if as_json:
        parts = {name: read_part(folder, name) for name in _PARTS}
        return emit({"run_id": folder.name, **parts}, as_json=True)
    run = summarise(folder)
    sys.stdout.write(_line(run) + "\n")
    if run.parent:
        sys.stdout.write(f"part of: {one_line(run.parent)}\n")
    for entry, text in read_replies(folder):
        row = f"  {entry['seat']:<24} {entry['status']:<10} {entry['seconds']:>7.2f} s"
        kept = one_line(str(entry.get("kept") or ""))
        sys.stdout.write(f"{row}  (reused of run {kept})\n" if kept else f"{row}\n")
        if entry["error"]:
            sys.stdout.write(f"      {one_line(str(entry['error']).splitlines()[0])}\n")
        if replies:
            sys.stdout.write("".join(f"    | {clean(line)}\n" for line in text.splitlines()))
    reasons = read_part(folder, "result").get("reasons", [])
    for reason in reasons if isinstance(reasons, list) else []:
        sys.stdout.write(f"why: {one_line(str(reason))}\n")
    if beneath := runs_beneath(list_runs(folder.parents[2]), run.run_id):
        sys.stdout.write(f"parts: {_cost_line(beneath)}; 'guild runs list --parent' shows them\n")
    sys.stdout.write(f"record: {folder}\n")
    return 0
