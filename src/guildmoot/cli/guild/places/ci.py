"""``guild ci``: the steps of a job on GitHub or GitLab."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, given, listed, number
from guildmoot.cli.output import emit

_SETTINGS = {
    "panel.model": "model",
    "panel.fail_on": "fail_on",
    "panel.add": "add",
    "policy.name": "policy",
    "budget.run_usd": "max_usd",
}


def main(argv: list[str]) -> int:
    """Run one step."""
    parser = Parser(
        "ci",
        "The steps of a job on GitHub or GitLab, in this order. 'begin' marks the commit as being\n"
        "judged and takes back what was said of older ones; 'judge' judges what changed since the base\n"
        "and writes SARIF, Markdown, reviewdog's and GitLab's files; 'post' puts one comment that is\n"
        "edited in place, sets the commit's state, and ends with the verdict's exit code.",
        "  guild ci begin && guild ci judge && guild ci post\n  guild ci judge --fail-on warn\n\n"
        "exit codes: 'judge' 0 when there is a verdict, 'post' that of the verdict,\n"
        "both 4 when something could not be judged or posted",
    )
    parser.add_argument("step", choices=("begin", "judge", "post"))
    add_options(
        parser,
        ("--model", "ask a model too", {"metavar": "M"}),
        ("--add", "these judges too", listed(default=None)),
        ("--policy", "the rule; 'guild policies' lists them", {"metavar": "NAME"}),
        ("--fail-on", "advisories fail too, with 'warn'", {"choices": ("flagged", "warn")}),
        ("--max-usd", "refuse a run that may cost more", number(float, "USD")),
        ("--inline", "post: findings beside their lines, too (GitHub)", YES),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.places import ci
    from guildmoot.places.code_hosts import GitHub, host_of

    host, folder = host_of(), ci.report_folder()
    if options.step == "begin":
        ci.begin(host, folder)
        row = f"{host.change.head[:12]} is being judged"
        return emit({"head": host.change.head}, [row], as_json=options.json)
    if options.step == "post":
        code, line = ci.post(host, folder, inline=options.inline)
        emit({"exit_code": code, "headline": line}, [line], as_json=options.json)
        return code
    report, note = asyncio.run(ci.judge(host.change, Path.cwd(), given(options, _SETTINGS)))
    ci.write_reports(report, host.change, note, folder, Path.cwd())
    sarif = folder / "guild.sarif"
    host.output(verdict=report.outcome, sarif=str(sarif) if sarif.is_file() else "")
    if options.json:
        emit({"folder": str(folder), "verdict": report.verdict, "note": note}, as_json=True)
    else:
        sys.stdout.write(ci.said(report, "github" if isinstance(host, GitHub) else "concise"))
    return 4 if report.outcome in ("infrastructure", "interrupted") else 0
