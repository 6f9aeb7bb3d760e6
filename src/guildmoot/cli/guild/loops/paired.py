"""``guild loop interactive``: one phase in pairs, a deliverable at a time."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, many, text
from guildmoot.cli.guild.loops.armed import add_armed, armed_terms
from guildmoot.cli.guild.loops.common import (
    add_proof,
    indented,
    router_fields,
    router_lines,
    write_reports,
)
from guildmoot.cli.guild.loops.terminal import LoopView

if TYPE_CHECKING:
    from guildmoot.api.loops import InteractiveReport, InteractiveRequest

_EXAMPLES = """\
  guild loop interactive ledger 2 --verify 'pytest -q' --input src/ledger.py
  guild loop interactive ledger 2 --verify 'pytest -q' --done     judge what you did
  guild loop interactive ledger 2 --implementer './work.sh' --verify 'pytest -q' --yes"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    options = _parser().parse_args(argv)
    from guildmoot.api.loops import Watcher, loop_interactive, loop_interactive_phases
    from guildmoot.calls import run_foreground

    view = LoopView(quiet=options.json)
    watcher = Watcher(view.tell, view.show)
    request = paired_request(options, ["interactive", *argv])
    terms = armed_terms(options)
    given = (request, view.ask, view.ask_text, watcher, terms)
    reports: tuple[InteractiveReport, ...]
    if options.phases:
        reports = run_foreground(loop_interactive_phases(*given))
    else:
        reports = (run_foreground(loop_interactive(*given)),)
    view.end()
    return write_reports(reports, options.json, paired_json, paired_lines)


def _parser() -> Parser:
    parser = Parser(
        "loop interactive",
        "Do one phase in pairs. Each deliverable gets a contract, the work is yours (or a command's),\n"
        "then it is verified and judged in a clone, and lands as one commit. Run it again to go on.",
        _EXAMPLES,
    )
    parser.add_argument("project", help="a loom project: slug, the end of it, or a path")
    parser.add_argument("phase", type=int, help="the number of its phase")
    add_paired(parser)
    add_armed(parser)
    add_json(parser)
    return parser


def add_paired(parser: argparse.ArgumentParser) -> None:
    """What is asked, as flags that answer beforehand."""
    add_options(
        parser,
        (
            "--deliverable",
            "one piece of the phase; several; else its exit criteria",
            many("TEXT", str),
        ),
        ("--input", "a file that the work starts from; several may be given", many("PATH", str)),
        ("--criterion", "what must hold in the end; several may be given", many("TEXT", str)),
        ("--disqualifier", "what is ruled out; several may be given", many("TEXT", str)),
        ("--yes -y", "agree to the deliverables and contracts", YES),
        ("--new-contract", "agree to another --verify than the one agreed before", YES),
        title="the contract",
    )
    add_options(
        parser,
        ("--done", "the work is in the checkout: judge it", YES),
        ("--implementer", "command that does the work in a clone; see GUILD_CONTRACT", text("CMD")),
        ("--fixer", "command that mends what was flagged", text("CMD")),
        ("--decision", "the answer to what an implementer asked", text("TEXT")),
        title="the work",
    )
    add_proof(parser)
    add_options(
        parser,
        ("--note", "for the pull request; [adr-candidate] proposes a decision", many("TEXT", str)),
        ("--adr", "record proposed decisions", {"choices": ("yes", "no")}),
        ("--comment", "what you would change in the plan", text("TEXT")),
        ("--scope-shift", "when the plan is stale", {"choices": ("accept", "decline")}),
        ("--no-pr", "open no pull request at the end", YES),
        ("--draft", "open it as a draft", YES),
        ("--phases", "all: go on with the next phases, stacked drafts", {"choices": ("all",)}),
        title="the records",
    )


def paired_request(options: argparse.Namespace, typed: list[str]) -> InteractiveRequest:
    """The request that the options make."""
    from guildmoot.api.loops import InteractiveRequest
    from guildmoot.system.git import project_root

    words = [word for word in typed if word not in ("--json", "--done", "--new-contract")]
    return InteractiveRequest(
        project_root(Path.cwd()), options.project, options.phase, tuple(options.deliverable),
        tuple(options.input), tuple(options.criterion), tuple(options.disqualifier), tuple(options.verify),
        tuple(getattr(options, "with")),
        options.implementer, options.fixer, tuple(options.agents), options.comment, tuple(options.note),
        options.decision, options.yes, options.new_contract, options.done, options.scope_shift or "", options.adr or "",
        pull=not options.no_pr, draft=options.draft, timeout=options.timeout,
        command=shlex.join(["guild", "loop", *words]),
    )  # fmt: skip


def paired_json(report: InteractiveReport) -> dict[str, object]:
    """As programs get it; a paired phase has no tiers, and what is refused is not in quarantine."""
    landed = sorted({path for row in report.proof for path in row["files"]})
    return {
        "schema_version": 1, **router_fields(report), "tiers": [], "landed": landed,
        "quarantined": [], "deliverables": list(report.deliverables),
        "signals": list(report.signals), "findings": list(report.findings), "proof": list(report.proof),
    }  # fmt: skip


def paired_lines(report: InteractiveReport) -> Iterator[str]:
    """The same for people."""
    for row in report.proof:
        yield f"{row['commit'][:12]}  check-in {row['checkin']}, run {row['run']}: {row['deliverable']}"
        ran = ", ".join(f"{each['command']} in {each['seconds']:.1f} s" for each in row["commands"])
        judges = f"panel: {', '.join(row['judges']) or 'nobody'}"
        proven = (f"changed {', '.join(row['files'])}", f"passed {ran}", judges)
        yield from indented((*proven, f"criteria: {row['criteria']}"))
    for finding in report.findings:
        place = f"{finding['path']}:{finding['line']}"
        yield from indented([f"✗ {place} {finding['code']}: {finding['message']}"])
    yield from indented(f"· {told}" for told in report.signals)
    for row in report.deliverables:
        yield f"  [{'x' if row['done'] else ' '}] {row['text']}"
    done = sum(bool(row["done"]) for row in report.deliverables)
    yield from router_lines(report, f"Deliverables: {done}/{len(report.deliverables)}")
