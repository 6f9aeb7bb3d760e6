"""``guild probe``: gold cases that show how far each seat can be trusted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json, given, many, names, project_root, read_stdin
from guildmoot.cli.output import emit, judge
from guildmoot.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from guildmoot.practices.probe.suites import GoldCase

_USAGE = """usage: guild probe add NAME TARGET... --expect approved|flagged
       guild probe list | remove NAME
       guild probe run [--agents A,B] [--repeat N]
       guild probe report

A probe is a packet whose right answer is known. 'run' puts every probe, and
canaries that no sound judge approves, before every seat; 'report' tells how
far each seat can be trusted. 'guild probe ACTION --help' explains an action.
"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    actions: dict[str, Callable[[list[str]], int]] = {
        "add": _add,
        "list": _list,
        "remove": _remove,
        "run": _run,
        "report": _report,
    }
    if argv and argv[0] in ("-h", "--help"):
        sys.stdout.write(_USAGE)
        return EXIT_OK
    if not argv or argv[0] not in actions:
        said = f"{argv[0]!r} is no action" if argv else "no action was given"
        raise UsageError(said, f"Actions: {', '.join(actions)}.")
    return actions[argv[0]](argv[1:])


def _parser(action: str, about: str, examples: str) -> Parser:
    parser = Parser(f"probe {action}", about, examples)
    parser.add_argument(
        "--bank", type=Path, metavar="DIR", help="the folder of the probes (.guild/probes)"
    )
    add_json(parser)
    return parser


def _add(argv: list[str]) -> int:
    parser = _parser(
        "add",
        "Keep files or a change as a probe, with the answer that is known to be right. What the\n"
        "judges would see is copied, secrets masked; later changes to the files do not matter.",
        "  guild probe add typo prices.py --expect flagged --finding prices.py:2\n"
        "  guild probe add tidy src/tidy.py --expect approved --why 'reviewed by three people'\n"
        "  guild probe add race --diff v1.2..v1.3 --expect flagged --bank probes",
    )
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="path, glob, folder or -")
    parser.add_argument("--expect", required=True, choices=("approved", "flagged"))
    place = "a place that must be named, give or take three lines"
    parser.add_argument("--finding", help=place, **many("PATH[:LINE][:CODE]"))
    parser.add_argument("--diff", metavar="RANGE", help="the change in this range of commits")
    parser.add_argument("--why", default="", metavar="TEXT", help="how the answer is known")
    options = parser.parse_intermixed_args(argv)
    from guildmoot.packet import PacketRequest
    from guildmoot.practices.probe.suites import NewProbe, add_case, default_bank, make_case

    stdin = read_stdin() if "-" in options.targets else None
    work = PacketRequest(tuple(options.targets), Path.cwd(), diff=options.diff, stdin=stdin)
    found = tuple(options.finding)
    case = make_case(NewProbe(options.name, options.expect, work, found, options.why))
    path = add_case(options.bank or default_bank(project_root()), case)
    return _added(case, path, as_json=options.json)


def _added(case: GoldCase, path: Path, *, as_json: bool) -> int:
    from guildmoot.packet import ignores

    root = project_root()
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    rows = [f"added {shown}: {_line(case)}"]
    if case.packet.masked:
        rows.append(f"  {len(case.packet.masked)} secrets are masked in it")
    if (root / ".git").exists() and ignores(root, str(shown)):
        rows.append("  git ignores it; to share probes, keep them elsewhere: --bank probes")
    return emit({**_row(case), "file": str(path)}, rows, as_json=as_json)


def _row(case: GoldCase) -> dict[str, object]:
    return {
        "name": case.name,
        "verdict": case.verdict,
        "findings": [item._asdict() for item in case.findings],
        "files": [file.path for file in case.packet.files],
        "packet": case.packet.hash,
        "note": case.note,
    }


def _line(case: GoldCase) -> str:
    from guildmoot.text.clean import count, one_line

    places = ", ".join(item.place for item in case.findings)
    expected = f"{case.verdict} at {places}" if places else case.verdict
    about = f"  {one_line(case.note)}" if case.note else ""
    return f"{count(len(case.packet.files), 'file')}, expects {expected}{about}"


def _list(argv: list[str]) -> int:
    options = _parser(
        "list", "List the probes and what each expects.", "  guild probe list"
    ).parse_args(argv)
    from guildmoot.practices.probe.suites import default_bank, read_bank

    root = project_root()
    bank = options.bank or default_bank(root)
    cases = read_bank(bank, root)
    rows = [f"{case.name:<24}  {_line(case)}" for case in cases]
    data = {"bank": str(bank), "probes": [_row(case) for case in cases]}
    return emit(data, rows or ["no probes; 'guild probe add' makes one"], as_json=options.json)


def _remove(argv: list[str]) -> int:
    parser = _parser(
        "remove",
        "Delete a probe; what was answered to it no longer counts.",
        "  guild probe remove typo",
    )
    parser.add_argument("name", metavar="NAME")
    options = parser.parse_args(argv)
    from guildmoot.practices.probe.suites import default_bank, remove_case

    root = project_root()
    path = remove_case(options.bank or default_bank(root), options.name, root)
    return emit({"removed": str(path)}, [f"removed {options.name}"], as_json=options.json)


def _run(argv: list[str]) -> int:
    parser = _parser(
        "run",
        "Put every probe and the canaries before every seat and record the answers. Without --agents\n"
        "the seats are those that each probe's files call for.",
        "  guild probe run\n  guild probe run --shipped --agents evaluator-contract-fit@claude\n"
        "  guild probe run --agents evaluator-security,ruff --repeat 3\n\n"
        "exit codes: 0 measured, 2 a canary caught a seat, 4 a seat did not answer, 64 usage",
    )
    parser.add_argument("--agents", type=names, default=(), metavar="A,B", help="probe these")
    parser.add_argument(
        "--shipped", action="store_true", help="20 cases that come with guildmoot, in both orders"
    )
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="ask N times (1)")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds for one answer")
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress")
    parser.set_defaults(report=[], all=True)
    options = parser.parse_args(argv)
    from guildmoot.api.ask import probe
    from guildmoot.practices.probe.run import PROBE, ProbeRequest
    from guildmoot.practices.probe.suites import default_bank

    bank = options.bank or default_bank(project_root())
    settings = given(options, {"panel.timeout": "timeout"})
    request = ProbeRequest(
        bank, options.agents, options.repeat, shipped=options.shipped, settings=settings
    )
    return judge(options, PROBE, lambda watch: probe(request, watch))


def _report(argv: list[str]) -> int:
    parser = Parser(
        "probe report",
        "Tell how far each seat can be trusted, from all probe runs and dispositions: accuracy with\n"
        "its 95 % interval, who errs together, and the rule that does best when each probe is left\n"
        "out in turn.",
        "  guild probe report\n  guild probe report --json",
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.practices.probe.suites import read_standing
    from guildmoot.reports.console import Console
    from guildmoot.reports.probes import standing_document, standing_json
    from guildmoot.reports.terminal import print_document

    standing = read_standing(project_root())
    if options.json:
        return emit(standing_json(standing), as_json=True)
    print_document(standing_document(standing), Console())
    return EXIT_OK
