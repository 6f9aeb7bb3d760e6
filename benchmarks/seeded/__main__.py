"""``python -m benchmarks.seeded``: what judges find of defects that were put into sound code.

    python -m benchmarks.seeded                            the evidence judges, no key needed
    python -m benchmarks.seeded --agents evaluator-correctness@claude,evaluator-security@codex
    python -m benchmarks.seeded --agents evaluator-correctness,secrets --model anthropic:MODEL \\
        --only price-service --dry-run
    python -m benchmarks.seeded --report benchmarks/seeded/results.md --json > results.json

Answers of models are kept in ``.guild/ledger.sqlite3``: a run that was stopped goes on when it is
started again. Exit codes: 0 measured, 4 somebody gave no answer, 64 wrong usage,
130 stopped.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.seeded.cases import Case, CaseError, chosen, load_cases
from benchmarks.seeded.hearing import Table, is_paid, prepare
from benchmarks.seeded.measure import measure
from benchmarks.seeded.releases import CACHE, load_releases
from benchmarks.seeded.tables import as_json, as_markdown, as_text

from guildmoot import __version__
from guildmoot.agents.registry import load_agents, user_agents_folder
from guildmoot.backends.programs import find_program
from guildmoot.calls.estimate import estimate
from guildmoot.calls.pricing import read_prices
from guildmoot.config import Value
from guildmoot.errors import EXIT_INTERRUPTED, GuildmootError
from guildmoot.guard.settings import settings_for


def main(argv: list[str]) -> int:
    """Measure and print."""
    options = _parser().parse_args(argv)
    try:
        return _run(options, argv)
    except KeyboardInterrupt:
        print("seeded: stopped; the same command goes on with what was answered", file=sys.stderr)
        return EXIT_INTERRUPTED
    except CaseError as error:
        print(f"seeded: {error}", file=sys.stderr)
        return 64
    except GuildmootError as error:
        print(f"seeded: {error}\n{error.hint}", file=sys.stderr)
        return error.exit_code


def _run(options: argparse.Namespace, argv: list[str]) -> int:
    cases, table = load_cases(options.only), _table(options)
    if options.releases:
        cases += chosen(load_releases(options.releases), options.only)
    if options.dry_run:
        return _foretell(cases, table)
    measured = asyncio.run(measure(cases, table))
    command = shlex.join(["python", "-m", "benchmarks.seeded", *argv])
    if options.report:
        text = as_markdown(measured, command, _made_with())
        options.report.write_text(text, encoding="utf-8")
    if options.json:
        print(json.dumps(as_json(measured, command), indent=2))
    else:
        print(as_text(measured, command))
    return 4 if any(row.silent for row in measured.rows) else 0


def _made_with() -> str:
    """The versions that the numbers depend on, of the tools that are installed."""
    told = [f"guildmoot {__version__}"]
    for tool in ("ruff", "shellcheck", "bandit", "hadolint"):
        program = find_program(tool)
        if program:
            done = subprocess.run(
                [program, "--version"], capture_output=True, text=True, check=False
            )
            number = re.search(r"\d+\.\d+(\.\d+)?", done.stdout)
            told.append(f"{tool} {number[0] if number else '?'}")
    return ", ".join(told)


def _parser() -> argparse.ArgumentParser:
    about, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.seeded",
        description=about,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--agents", default="", metavar="A,B", help="seat exactly these")
    parser.add_argument("--model", metavar="M", help="for agents without one")
    parser.add_argument("--degrade", action="store_true", help="go on without absent seats")
    parser.add_argument("--only", default="", metavar="PREFIX", help="cases that begin so")
    parser.add_argument(
        "--releases",
        nargs="?",
        type=Path,
        const=CACHE,
        metavar="FOLDER",
        help="also real bug fixes: releases of public packages, downloaded into FOLDER",
    )
    parser.add_argument("--at-once", type=int, default=8, metavar="N", help="calls at a time (8)")
    parser.add_argument("--fresh", action="store_true", help="ask anew what the ledger has")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what it would cost, call nobody"
    )
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the tables as Markdown")
    return parser


def _table(options: argparse.Namespace) -> Table:
    root = Path.cwd()
    flags: dict[str, Value] = {"panel.model": options.model} if options.model else {}
    if options.degrade:
        flags["panel.degrade"] = True
    agents = load_agents(root, user_agents_folder()).agents.values()
    return Table(
        root=root,
        optional=frozenset(agent.name for agent in agents if agent.optional),
        config=settings_for(root, flags),
        agents=tuple(word for word in options.agents.split(",") if word),
        at_once=max(options.at_once, 1),
        fresh=f"seeded-{datetime.now(UTC):%Y%m%dT%H%M%S}" if options.fresh else "",
        on_progress=lambda line: print(f"seeded: {line}", file=sys.stderr),
    )


def _foretell(cases: Sequence[Case], table: Table) -> int:
    """What the panel would take at most; asking one seat again takes as many calls once more."""
    with prepare(cases, table) as benches:
        calls = [call for bench in benches for call in bench.calls.values()]
    paid = [call for call in calls if is_paid(call.seat)]
    prices = read_prices(table.config.prices, "[prices]")
    found = estimate(paid, prices, int(table.config.number("budget.max_output")))
    print(f"{len(cases)} cases, {len(calls) - len(paid)} runs of tools, {len(paid)} other calls")
    if paid:
        price = "of unknown price" if found.unknown else f"{found.usd:.2f} USD at most"
        print(f"the panel: {price}; asking one seat as often again: about as much once more")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
