"""``guild runs``: list, show and open what was recorded under ``.guild/runs``; clear old runs away."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.config import project_root
from guildmoot.errors import UsageError
from guildmoot.runs.index import RunSummary, find_run, list_runs, summarise
from guildmoot.runs.record import read_part, read_replies
from guildmoot.system.jsonio import dumps
from guildmoot.text.clean import clean, count, one_line

_PARTS = ("request", "config", "packet", "roster", "replies", "judgements", "result", "state")


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "runs",
        "Look at recorded runs. RUN is an id, the start of one, or 'last'.",
        "  guild runs list\n  guild runs show last --replies\n"
        "  guild runs show 20261115-2137 --part roster\n  guild runs open last\n"
        "  guild runs gc --older-than 30 --dry-run",
    )
    parser.add_argument("action", choices=("list", "show", "open", "gc"))
    parser.add_argument("run", nargs="?", default="last", metavar="RUN")
    parser.add_argument("--replies", action="store_true", help="print each raw reply")
    parts = f"print one part as JSON: {', '.join(_PARTS)}"
    parser.add_argument("--part", choices=_PARTS, metavar="PART", help=parts)
    parser.add_argument("-n", type=int, default=20, metavar="N", help="how many to list (20)")
    clear = parser.add_argument_group(
        "gc: runs to clear away, with what only they have in the ledger"
    )
    clear.add_argument("--keep", type=int, default=20, metavar="N", help="newest that stay (20)")
    clear.add_argument("--older-than", type=float, metavar="DAYS", help="only runs older than that")
    clear.add_argument("--dry-run", action="store_true", help="tell only, remove nothing")
    add_json(parser)
    options = parser.parse_args(argv)
    root = project_root()
    if options.action == "gc":
        return _clear(root, options)
    if options.action == "list":
        return _list(list_runs(root)[: options.n], as_json=options.json)
    folder = find_run(root, options.run)
    if options.action == "open":
        return _open(folder, as_json=options.json)
    if options.part:
        sys.stdout.write(dumps(read_part(folder, options.part)) + "\n")
        return 0
    return _show(folder, replies=options.replies, as_json=options.json)


def _clear(root: Path, options: argparse.Namespace) -> int:
    from datetime import UTC, datetime, timedelta

    from guildmoot.runs.gc import clear_runs

    if options.keep < 0 or (options.older_than or 0) < 0:
        raise UsageError("--keep and --older-than cannot be below 0")
    age = timedelta(days=options.older_than) if options.older_than is not None else None
    done = clear_runs(
        root, datetime.now(UTC), keep=options.keep, older_than=age, dry_run=options.dry_run
    )
    if options.json:
        plain = {**done._asdict(), "ledger": done.ledger._asdict() if done.ledger else None}
        sys.stdout.write(dumps({"schema_version": 1, "dry_run": options.dry_run, **plain}) + "\n")
        return 0
    verb = "would go" if options.dry_run else "removed"
    gone, stay = count(len(done.runs), "run"), "stays" if done.kept == 1 else "stay"
    sys.stdout.write(f"{gone} {verb} ({count(done.bytes, 'byte')}), {done.kept} {stay}\n")
    if done.ledger:
        words = zip(("answer", "packet", "text"), done.ledger, strict=True)
        cleared = ", ".join(count(number, word) for word, number in words)
        sys.stdout.write(f"ledger: {cleared} removed\n")
    return 0


def _list(runs: list[RunSummary], *, as_json: bool) -> int:
    if as_json:
        rows = [{**run._asdict(), "folder": str(run.folder)} for run in runs]
        sys.stdout.write(dumps({"schema_version": 1, "runs": rows}) + "\n")
        return 0
    if not runs:
        sys.stdout.write("no recorded runs; 'guild validate .' makes one\n")
    for run in runs:
        sys.stdout.write(_line(run) + "\n")
    return 0


def _line(run: RunSummary) -> str:
    word = run.verdict if run.state == "complete" else run.state.upper()
    counts = f"{run.blocking} blocking, {run.advisory} advisory"
    return f"{run.run_id}  {word:<12}  {counts:<27}  {one_line(run.target)}"


def _open(folder: Path, *, as_json: bool) -> int:
    """Print where the record lies, for a shell to go there."""
    text = dumps({"schema_version": 1, "folder": str(folder)}) if as_json else str(folder)
    sys.stdout.write(text + "\n")
    return 0


def _show(folder: Path, *, replies: bool, as_json: bool) -> int:
    if as_json:
        parts = {name: read_part(folder, name) for name in _PARTS}
        sys.stdout.write(dumps({"schema_version": 1, "run_id": folder.name, **parts}) + "\n")
        return 0
    sys.stdout.write(_line(summarise(folder)) + "\n")
    for entry, text in read_replies(folder):
        sys.stdout.write(
            f"  {entry['seat']:<24} {entry['status']:<10} {entry['seconds']:>7.2f} s\n"
        )
        if entry["error"]:
            sys.stdout.write(f"      {one_line(str(entry['error']).splitlines()[0])}\n")
        if replies:
            sys.stdout.write("".join(f"    | {clean(line)}\n" for line in text.splitlines()))
    reasons = read_part(folder, "result").get("reasons", [])
    for reason in reasons if isinstance(reasons, list) else []:
        sys.stdout.write(f"why: {one_line(str(reason))}\n")
    sys.stdout.write(f"record: {folder}\n")
    return 0
