"""``guild council compare``, ``recheck`` and ``show``: recorded councils, looked at again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json, project_root
from guildmoot.cli.output import emit, show
from guildmoot.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from guildmoot.model.verdict import Issue
    from guildmoot.practices.recheck import Recheck, Rechecked
    from guildmoot.practices.run_diff import IssueMatch, RunDiff

_FATES = {"new": "+", "still there": "=", "fixed": "-"}
_STANDINGS = {"holds": "=", "moved": "~", "vanished": "-", "unchecked": "?"}


def compare(argv: list[str]) -> int:
    """Run ``guild council compare``."""
    parser = Parser(
        "council compare",
        "Compare two runs, the older one first: the verdicts, who changed sides, and which issues\n"
        "are fixed, still there or new. RUN is an id, the start of one, or 'last'.",
        "  guild council compare 20261115-2137 last\n"
        "  guild council compare 20261115-2137 20261116-0900 --json",
    )
    parser.add_argument("before", metavar="RUN")
    parser.add_argument("now", metavar="RUN")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.runs import compare_recorded

    found = compare_recorded(project_root(), options.before, options.now)
    if options.json:
        return emit(_diff_json(found), as_json=True)
    _print_diff(found)
    return EXIT_OK


def _print_diff(found: RunDiff) -> None:
    from guildmoot.practices.run_diff import FATES
    from guildmoot.reports.console import Console
    from guildmoot.reports.pen import Pen
    from guildmoot.reports.view import place

    pen = Pen(Console())
    pen.line(pen.text(f"{found.before.outcome} -> {found.now.outcome}", "bold"))
    pen.line(pen.text(f"  {found.before.run_id} -> {found.now.run_id}", "dim"))
    for label, before, now in found.judges:
        if before != now:
            pen.line(pen.text(f"  {label}: {before} -> {now}"))
    for fate in FATES:
        for match in found.of(fate):
            shown = match.issue.representative
            text = f"{place(shown)} {shown.title}" if shown.path else shown.title
            pen.hanging(pen.text(f"  {_FATES[fate]} {fate:<11} "), pen.text(text))
    if not found.matches:
        pen.line(pen.text("  neither run found anything"))


def _diff_json(found: RunDiff) -> dict[str, object]:
    return {
        "before": {"run_id": found.before.run_id, "outcome": found.before.outcome},
        "now": {"run_id": found.now.run_id, "outcome": found.now.outcome},
        "judges": [
            {"judge": label, "before": before, "now": now} for label, before, now in found.judges
        ],
        "issues": [_issue(match) for match in found.matches],
    }


def _issue(match: IssueMatch) -> dict[str, object]:
    shown = match.issue.representative
    return {
        "fate": match.fate,
        "title": shown.title,
        "path": shown.path,
        "before": _side(match.before),
        "now": _side(match.now),
    }


def _side(issue: Issue | None) -> dict[str, object] | None:
    if issue is None:
        return None
    return {"id": issue.id, "severity": issue.severity, "line": issue.representative.line}


def recheck(argv: list[str]) -> int:
    """Run ``guild council recheck``."""
    parser = Parser(
        "council recheck",
        "Look the findings of a run up in the work as it is now: quotes in the files, and the\n"
        "findings' own assertions where grounding.allow names their programs. Nobody is asked.\n"
        "RUN is an id, the start of one, or 'last'.",
        "  guild council recheck last\n  guild council recheck 20261115-2137 --head --json",
    )
    parser.add_argument("run", nargs="?", default="last", metavar="RUN")
    parser.add_argument("--head", action="store_true", help="the last commit, not the working tree")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.runs import recheck_recorded

    found = recheck_recorded(project_root(), options.run, head=options.head)
    if options.json:
        return emit(_recheck_json(found), as_json=True)
    _print_recheck(found)
    return EXIT_OK


def _print_recheck(found: Recheck) -> None:
    from guildmoot.practices.recheck import STANDINGS
    from guildmoot.reports.console import Console
    from guildmoot.reports.pen import Pen

    pen = Pen(Console())
    number = {word: sum(each.standing == word for each in found.issues) for word in STANDINGS}
    told = ", ".join(f"{count} {word}" for word, count in number.items() if count) or "no findings"
    pen.line(pen.text(f"{found.run.run_id} against {found.against}: {told}", "bold"))
    for each in found.issues:
        lead = pen.text(f"  {_STANDINGS[each.standing]} {each.standing:<10} ")
        pen.hanging(lead, pen.text(_claim(each)))
        pen.hanging(pen.text(" " * lead.cell_len), pen.text(each.detail, "dim"))


def _claim(each: Rechecked) -> str:
    shown = each.issue.representative
    line = each.line or shown.line
    place = f"{shown.path}:{line}" if shown.path and line else shown.path
    return " ".join(filter(None, (place, " ".join(shown.title.split()))))


def _recheck_json(found: Recheck) -> dict[str, object]:
    rows = [
        {
            "id": each.issue.id,
            "standing": each.standing,
            "detail": each.detail,
            "assertions_ran": each.ran,
            "severity": each.issue.severity,
            "title": each.issue.representative.title,
            "path": each.issue.representative.path,
            "line": each.issue.representative.line,
            "line_now": each.line,
        }
        for each in found.issues
    ]
    return {
        "run_id": found.run.run_id,
        "outcome": found.run.outcome,
        "against": found.against,
        "changed_files": list(found.changed),
        "findings": rows,
    }


def show_again(argv: list[str]) -> int:
    """Run ``guild council show``."""
    parser = Parser(
        "council show",
        "Show a recorded council again. Nothing is called or written. RUN is an id, the start of\n"
        "one, or 'last'.",
        "  guild council show last\n  guild council show last --debate\n"
        "  guild council show last --g4 TICKET-12 > council-report.json",
    )
    parser.add_argument("run", nargs="?", default="last", metavar="RUN")
    parser.add_argument("--debate", action="store_true", help="only who moved, and why")
    parser.add_argument(
        "--g4", default="", metavar="AUTHORIZATION", help="as council-report.v1, a bounded record"
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.runs import show_council
    from guildmoot.calls import run_foreground
    from guildmoot.practices.council.run import COUNCIL

    report = run_foreground(show_council(options.run))
    if options.g4:
        from guildmoot.reports.council.council_report_v1 import to_council_report_v1

        return emit(to_council_report_v1(report, authorization_id=options.g4), as_json=True)
    reports = COUNCIL.reports()
    if not options.debate:
        show(report, reports, as_json=options.json, details=True)
        return 0
    if report.debate is None:
        raise UsageError("there was no debate in that council", "--debate=on holds one.")
    if options.json:
        return emit({"debate": reports.to_json(report)["debate"]}, as_json=True)
    from guildmoot.reports.console import Console
    from guildmoot.reports.council.debate import debate_document
    from guildmoot.reports.terminal import print_document

    print_document(debate_document(report), Console())
    return 0
