"""``guild loop``: bulk change in tiers, with proof at each step."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, many, number, text
from guildmoot.cli.guild.loops.armed import add_armed, armed_terms
from guildmoot.cli.guild.loops.common import (
    add_proof,
    indented,
    router_fields,
    router_lines,
    write_reports,
)
from guildmoot.cli.guild.loops.terminal import LoopView
from guildmoot.errors import UsageError
from guildmoot.text.clean import count as counted

if TYPE_CHECKING:
    from guildmoot.api.loops import LoopReport, LoopRequest

_SHOWN = 6
"""Lines of evidence that a terminal shows."""
_EXAMPLES = """\
  guild loop confidence --here --pattern 'src/**/*.py' \\
      --transform 'ruff check --fix -q {files}' --verify 'pytest -q'
  guild loop confidence ledger 2 --pattern 'grep:assertEquals' --transform ... --dry-run
  guild loop confidence ledger 2 --implementer implementer@claude --max-usd 0.5 ...
  guild loop confidence ledger 2 --transform ...      goes on where it stopped"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    if not argv or argv[0] in ("-h", "--help"):
        sys.stdout.write(
            "usage: guild loop confidence [PROJECT [PHASE]] [options]\n"
            "       guild loop interactive PROJECT PHASE [options]\n\n"
            "confidence changes many files in tiers, with proof at each step; interactive\n"
            "takes one deliverable at a time, in pairs.\n\n"
            "'guild loop confidence --help' and 'guild loop interactive --help' explain them.\n"
        )
        return 0
    if argv[0] == "interactive":
        from guildmoot.cli.guild.loops import paired

        return paired.main(argv[1:])
    if argv[0] not in ("confidence", "ev-loop-confidence"):  # the second is its name as a skill
        raise UsageError(f"there is no loop {argv[0]!r}", "There are: confidence and interactive.")
    options = _parser().parse_args(argv[1:])
    from guildmoot.api.loops import Watcher, loop_confidence, loop_phases
    from guildmoot.calls import run_foreground

    view = LoopView(quiet=options.json)
    watcher = Watcher(view.tell, view.show)
    request, terms = _request(options, argv), armed_terms(options)
    reports: tuple[LoopReport, ...]
    if options.phases:
        reports = run_foreground(loop_phases(request, view.ask, watcher, terms))
    else:
        reports = (run_foreground(loop_confidence(request, view.ask, watcher, terms)),)
    view.end()
    return write_reports(reports, options.json, _json, _lines)


def _parser() -> Parser:
    parser = Parser(
        "loop confidence",
        "Change many files in tiers, small and safe first. Each batch is changed and verified in a\n"
        "clone of its own, judged by a panel, and lands as one commit; what breaks the\n"
        "verification is found, left out and told with the evidence. Your checkout is never red.",
        _EXAMPLES,
    )
    parser.add_argument(
        "project", nargs="?", default="", help="a loom project: slug, the end of it, or a path"
    )
    parser.add_argument("phase", nargs="?", type=int, default=1, help="the number of its phase (1)")
    add_options(
        parser,
        ("--here", "make a small project for this change where there is none", YES),
        ("--pattern", "what is in scope: a glob, grep:REGEX, ast:PATTERN, cmd:COMMAND", text("P")),
        ("--tier", "declare a tier: GLOB=N; several may be given", many("GLOB=N", str)),
        ("--batch", "most items in one unit", number(int, "N")),
        ("--jobs", "batches that are proven at once", {**number(int, "N"), "default": 1}),
        title="what is changed",
    )
    add_options(
        parser,
        ("--transform", "command that changes a batch; {files} are its files", text("CMD")),
        ("--implementer", "agent that does it instead: NAME[@BACKEND:MODEL]", text("AGENT")),
        ("--task", "what an agent is told; without it the phase's goal", text("TEXT")),
        ("--fixer", "command that mends what the panel flags; see GUILD_FINDINGS", text("CMD")),
        ("--fixer-agent", "agent that mends it instead", text("AGENT")),
        ("--max-usd", "the most that an agent may spend on one unit", number(float, "USD")),
        title="who changes it",
    )
    add_proof(parser)
    add_options(
        parser,
        ("--dry-run", "show items, tiers, batches and what would change; tells a plan's id", YES),
        ("--plan", "apply exactly what that dry run showed, or nothing", text("ID")),
        ("--yes -y", "agree to the change as it is told before the start", YES),
        ("--resume", "go on although a gate was closed; flagged items are tried again", YES),
        (
            "--flagged",
            "what becomes of what the panel still flags",
            {"choices": ("stop", "quarantine")},
        ),
        title="what you are asked",
    )
    add_options(
        parser,
        ("--no-pr", "open no pull request at the end", YES),
        ("--draft", "open it as a draft", YES),
        ("--phases", "all: go on with the next phases, stacked drafts", {"choices": ("all",)}),
        ("--rate", "open at most so many: 5/h, 2/30m", text("N/TIME")),
        ("--max-open", "open none while so many of yours are open", number(int, "N")),
        ("--quiet-hours", "open none between these hours: 22-07", text("A-B")),
        title="the pull request",
    )
    add_armed(parser)
    add_json(parser)
    return parser


def _request(options: argparse.Namespace, argv: list[str]) -> LoopRequest:
    from guildmoot.api.loops import LoopRequest, PullLimits, TierRule
    from guildmoot.loops.throttle import read_quiet_hours, read_rate
    from guildmoot.system.git import project_root

    for name, least in (("batch", 1), ("jobs", 1), ("max_open", 1)):
        value = getattr(options, name)
        if value is not None and value < least:
            raise UsageError(f"--{name.replace('_', '-')} {value}: at least {least}")
    for name in ("timeout", "max_usd"):
        value = getattr(options, name)
        if value is not None and not 0 < value < float("inf"):
            raise UsageError(f"--{name.replace('_', '-')} {value}: a number above 0")
    if options.transform and options.implementer:
        raise UsageError("--transform and --implementer were both given", "Choose one of them.")
    limits = PullLimits(
        read_rate(options.rate) if options.rate else None, options.max_open or 0,
        read_quiet_hours(options.quiet_hours) if options.quiet_hours else None,
    )  # fmt: skip
    typed = [word for word in argv if word not in ("--json", "--resume")]
    return LoopRequest(
        root=project_root(Path.cwd()), slug=options.project, phase=options.phase, pattern=options.pattern,
        transform=options.transform, implementer=options.implementer, task=options.task, fixer=options.fixer,
        fixer_agent=options.fixer_agent, verify=tuple(options.verify),
        copies=tuple(getattr(options, "with")),
        rules=tuple(TierRule(*_rule(word)) for word in options.tier), batch=options.batch or 0,
        jobs=options.jobs, timeout=options.timeout, agents=tuple(options.agents), max_usd=options.max_usd,
        dry_run=options.dry_run, plan=options.plan, here=options.here, yes=options.yes, resume=options.resume,
        flagged=options.flagged or "", pull=not options.no_pr, draft=options.draft, limits=limits,
        command=shlex.join(["guild", "loop", *typed]),
    )  # fmt: skip


def _rule(word: str) -> tuple[str, int]:
    glob, _, tier = word.rpartition("=")
    if not glob or not tier.isdecimal() or int(tier) < 1:
        raise UsageError(f"--tier {word}: write GLOB=N", "e.g. --tier 'tests/**=1'")
    return glob, int(tier)


def _json(report: LoopReport) -> dict[str, object]:
    left_out = {
        name: [each._asdict() for each in rows]
        for name, rows in (("quarantined", report.quarantined), ("flagged", report.flagged))
    }
    told = router_fields(report)
    return {
        "schema_version": 1, **told, "tiers": list(report.tiers), "landed": list(report.landed), **left_out,
        "unchanged": list(report.unchanged), "still_matching": list(report.still),
        "new_matching": list(report.fresh), "ticked_by_hand": list(report.by_hand), "routed": list(report.routed),
        "proof": list(report.proof), "plan": report.plan, "estimate": report.estimate,
        "second_application": report.again, "attempts": report.attempts, "trials": report.trials[0],
        "trials_alone": report.trials[1], "infrastructure_failures": report.infrastructure, "usd": report.usd,
    }  # fmt: skip


def _lines(report: LoopReport) -> Iterator[str]:
    """What changed, what proved it, what was refused; then what the router reads."""
    if report.landed:
        yield f"What changed, and what proved it: {counted(len(report.landed), 'item')} landed"
    yield from indented(_proven(report))
    left_out = (*report.quarantined, *report.flagged)
    if left_out or report.routed:
        yield f"What was refused: {counted(len(left_out) + len(report.routed), 'item')}"
    before: list[str] = []
    for each in left_out:
        yield from indented([f"✗ {each.item}: {each.reason}"])
        seen = list(_evidence(each.evidence))
        told = [line for line in seen if not line.startswith(_LOG)]
        yield from seen if told != before else seen[len(told) :]
        before = told
    for path in report.routed:
        yield f"  · {path}: tier 4 or above, left to a person"
    if report.estimate and report.status == "planned":
        units, runs = report.estimate["units"], report.estimate["verifications"]
        from guildmoot.loops.values import spoken

        took = report.estimate["seconds"]
        time = "" if took is None else f", about {spoken(took)}"
        yield f"Estimate: {counted(units, 'unit')}, {counted(runs, 'run')} of the verification{time}"
    ran = ", ".join(
        f"{row['tier']}: {counted(_through(row), 'file')}" for row in report.tiers if _through(row)
    )
    yield from router_lines(
        report, f"Tiers {'planned' if report.status == 'planned' else 'run'}: {ran or 'none'}"
    )


def _evidence(text: str) -> Iterator[str]:
    """How it ended, the last lines that were printed, and where all of it is."""
    first, *lines = text.strip().splitlines() or [""]
    if first:  # the end says why, however long the command is
        cut = first if len(first) <= 300 else f"{first[:140]} ... {first[-150:]}"
        yield from indented([cut], 6)
    log = [lines.pop()] if lines and lines[-1].startswith("all of it: ") else []
    shown = [line for line in lines if line.strip() and line.strip() not in first]
    yield from (f"      | {line[:70]}" for line in shown[-_SHOWN:])
    yield from (f"      {line}" for line in log)


_LOG = "      all of it: "


def _through(row: dict[str, Any]) -> int:
    """Items of a tier that the loop is through with; in a plan all that it would take."""
    names = ("landed", "unchanged", "quarantined", "flagged")
    return sum(row[name] for name in names) if "landed" in row else int(row["items"])


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - 5} more" if len(names) > 5 else ""


def _proven(report: LoopReport) -> Iterator[str]:
    for row in report.proof:
        if row["files"]:
            lines = f"+{row['insertions']} -{row['deletions']} lines"
            about = f"{counted(len(row['files']), 'file')}, {lines}, check-in {row['checkin']}"
            yield f"{row['commit'][:12]}  {about}, run {row['run']}"
            if row["deleted"]:
                yield f"  deleted: {', '.join(row['deleted'][:5])}{_more(row['deleted'])}"
            if not row["as_judged"]:
                yield "  rewritten since: its tree is not the one that was judged"
            for each in row["commands"]:
                yield f"  passed: {each['command']} in {each['seconds']:.1f} s"
            yield f"  panel: {row['panel']}"
    if report.unchanged:
        yield f"{counted(len(report.unchanged), 'item')} left unchanged by the transform"
    if report.by_hand:
        named = f"{', '.join(report.by_hand[:5])}{_more(report.by_hand)}"
        yield f"ticked by hand and proven by nothing, so not believed: {named}"
    if report.still:
        named = f"{', '.join(report.still[:5])}{_more(report.still)}"
        yield f"the pattern still finds {counted(len(report.still), 'item')}: {named}"
    if report.fresh:
        named = f"{', '.join(report.fresh[:5])}{_more(report.fresh)}"
        yield f"match the pattern, but came after the inventory was made: {named}"
    if report.again:
        again = report.again["changed"]
        would = f"would change {counted(len(again), 'file')}: {', '.join(again[:5])}"
        yield f"a second application {would if again else 'changes nothing'}"
    if report.infrastructure:
        yield f"{report.infrastructure} failures of the machine or a service, blamed on nobody"
