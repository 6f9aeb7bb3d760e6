"""``guild loop``: bulk change in tiers, with proof at each step."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, many, number, text
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.api.loops import LoopReport

_EXAMPLES = """\
  guild loop confidence ledger 2 --pattern 'src/**/*.py' \\
      --transform 'ruff check --fix -q {files}' --verify 'pytest -q'
  guild loop confidence ledger 2 --pattern 'grep:assertEquals' --transform ... --dry-run
  guild loop confidence ledger 2 --transform ...      goes on where it stopped"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    if not argv or argv[0] in ("-h", "--help"):
        sys.stdout.write(
            "usage: guild loop confidence PROJECT PHASE [options]\n\n'guild loop confidence --help' explains them.\n"
        )
        return 0
    if argv[0] != "confidence":
        raise UsageError(f"there is no loop {argv[0]!r}", "There is: confidence.")
    parser = Parser(
        "loop confidence",
        "Change many files in tiers, small and safe first. Each batch is changed and verified in a\n"
        "work tree of its own, judged by a panel, and lands as one commit; what breaks the\n"
        "verification is found, left out and told with the evidence. Your checkout is never red.",
        _EXAMPLES,
    )
    parser.add_argument("project", help="a loom project: slug, the end of it, or a path")
    parser.add_argument("phase", type=int, help="the number of its phase")
    add_options(
        parser,
        ("--pattern", "what is in scope: a glob, grep:REGEX or cmd:COMMAND", text("P")),
        ("--transform", "command that changes a batch; {files} are its files", text("CMD")),
        ("--fixer", "command that mends what the panel flags; see GUILD_FINDINGS", text("CMD")),
        ("--verify", "command that must pass; several may be given", many("CMD", str)),
        ("--tier", "declare a tier: GLOB=N; several may be given", many("GLOB=N", str)),
        ("--batch", "most items in one unit", number(int, "N")),
        (
            "--agents",
            "who judges each unit; without it the panel that the files call for",
            many("A", str),
        ),
        ("--timeout", "seconds for one command", {**number(float, "S"), "default": 600.0}),
        ("--dry-run", "only tell items, tiers and batches", YES),
        ("--yes -y", "ask nothing", YES),
    )
    add_json(parser)
    options = parser.parse_args(argv[1:])
    from guildmoot.api.loops import LoopRequest, TierRule, loop_confidence
    from guildmoot.calls import run_foreground
    from guildmoot.system.git import project_root

    request = LoopRequest(
        root=project_root(Path.cwd()), slug=options.project, phase=options.phase, pattern=options.pattern or "",
        transform=options.transform or "", fixer=options.fixer or "", verify=tuple(options.verify or ()),
        rules=tuple(TierRule(*_rule(word)) for word in options.tier or ()), batch=options.batch or 0,
        timeout=options.timeout, agents=tuple(options.agents or ()), dry_run=options.dry_run,
    )  # fmt: skip

    def tell(line: str) -> None:
        if not options.json or sys.stderr.isatty():
            sys.stderr.write(f"{line}\n")

    report = run_foreground(loop_confidence(request, tell))
    if options.json:
        from guildmoot.system.jsonio import dumps

        sys.stdout.write(dumps(_json(report)) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(report))
    return report.exit_code


def _rule(word: str) -> tuple[str, int]:
    glob, _, tier = word.rpartition("=")
    if not glob or not tier.isdecimal() or int(tier) < 1:
        raise UsageError(f"--tier {word}: write GLOB=N", "e.g. --tier 'tests/**=1'")
    return glob, int(tier)


def _json(report: LoopReport) -> dict[str, object]:
    return {
        "schema_version": 1, "status": report.status, "phase": report.phase, "tiers": list(report.tiers),
        "landed": list(report.landed), "unchanged": list(report.unchanged),
        "quarantined": [each._asdict() for each in report.quarantined], "routed": list(report.routed),
        "branch": report.branch, "last_checkin": report.last_checkin, "reason": report.reason,
        "trials": report.trials, "next_action": report.next_action,
    }  # fmt: skip


def _lines(report: LoopReport) -> Iterator[str]:
    yield f"{report.status.upper()}  phase {report.phase['number']} {report.phase['name']} on {report.branch}"
    if report.reason:
        yield f"  {report.reason}"
    for row in report.tiers:
        yield "  " + ", ".join(f"{name} {value}" for name, value in row.items())
    if report.landed:
        yield f"  {len(report.landed)} items landed, each verified and judged before it did"
    if report.unchanged:
        yield f"  {len(report.unchanged)} items needed no change"
    for each in report.quarantined:
        yield f"  ✗ {each.item}: {each.reason}"
        if each.evidence:
            yield f"      {each.evidence.strip().splitlines()[-1][:200]}"
    for path in report.routed:
        yield f"  · {path}: tier 4, left to a person"
    yield f"next: {report.next_action}"
