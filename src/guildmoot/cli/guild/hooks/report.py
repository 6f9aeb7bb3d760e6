"""``guild guard report`` and ``pin``, ``guild audit``: what the guard did, and what a project brings."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit, shorten
from guildmoot.errors import EXIT_FLAGGED, EXIT_OK, EXIT_USAGE
from guildmoot.text.clean import count, one_line

if TYPE_CHECKING:
    from guildmoot.guard.audit import Audit
    from guildmoot.guard.hooks.ledger import GuardReport


def report(argv: list[str]) -> int:
    """What was denied and asked, and how often a person said otherwise."""
    parser = Parser(
        "guard report",
        "Counts, rule by rule, what the guard denied and asked and how often a person overruled it,"
        " so that a policy can be tuned by evidence; and what runs of this project have on record.",
        "  guild guard report\n  guild guard report --json",
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.hooks import guard_report

    found = asyncio.run(guard_report())
    data = {**found._asdict(), "rules": [each._asdict() for each in found.rules]}
    data["security"] = dict(found.security)
    return emit(data, _report_rows(found), as_json=options.json)


def _report_rows(found: GuardReport) -> Iterator[str]:
    if not found.rules and not found.runs:
        yield "Nothing on record: the guard has denied and asked nothing yet."
        return
    if found.rules:
        yield f"since {found.since[:16].replace('T', ' ')} UTC"
        yield f"{'rule':<24} denied  asked  yes  no  passed"
    for rule in found.rules:
        yield shorten(
            f"{rule.code:<24} {rule.denied:>6} {rule.asked:>6} {rule.approved:>4} {rule.refused:>3}"
            f" {rule.overrides:>7}  {one_line(rule.example)}"
        )
    if found.waiting:
        yield f"{count(found.waiting, 'question')} waiting: guild approvals"
    if found.runs:
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(found.security.items()))
        yield f"{count(found.runs, 'run')} here: {count(found.calls, 'call')}" + (
            f"; {kinds}" if kinds else ""
        )


def pin(argv: list[str]) -> int:
    """Pin what the servers say of their tools, or compare with the pins."""
    parser = Parser(
        "guard pin",
        "Starts the MCP servers that this project and your settings name, hashes description and"
        " schema of each tool and keeps the hashes. Hosts do not tell the"
        " guard what a tool says of itself, so 'check' looks again: from then on a call of a tool that"
        " differs is asked for, as is one of a server that is started otherwise. Exit 2 where something"
        " differs.",
        "  guild guard pin          show how they are started, ask, and pin them\n"
        "  guild guard pin --yes    without asking\n"
        "  guild guard pin check    what differs from the pins",
    )
    parser.add_argument("what", nargs="?", choices=("check",), help="only compare")
    parser.add_argument("--yes", action="store_true", help="start them without asking")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.guarding import mcp_servers, pin_servers

    known = asyncio.run(mcp_servers())
    if not known:
        return emit({"servers": []}, ["No MCP server is named here."], as_json=options.json)
    if not options.yes and not _agreed(known):
        return EXIT_USAGE
    found = asyncio.run(pin_servers(check=options.what == "check"))
    rows = [shorten(f"{each.state:<9} {each.server}  {one_line(each.detail)}") for each in found]
    emit({"servers": [each._asdict() for each in found]}, rows, as_json=options.json)
    return EXIT_FLAGGED if any(each.state == "differs" for each in found) else EXIT_OK


def _agreed(known: dict[str, str]) -> bool:
    for name, command in known.items():
        sys.stderr.write(shorten(f"starts {one_line(name)}: {one_line(command)}") + "\n")
    if not sys.stdin.isatty():
        sys.stderr.write("nothing was started: --yes agrees where nobody can be asked\n")
        return False
    sys.stderr.write("Start them? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def audit(argv: list[str]) -> int:
    """What this project brings for coding agents, and what changed."""
    parser = Parser(
        "audit",
        "Looks at the agents, skills, commands, hooks, servers and settings that this project brings"
        " for coding agents, without running anything, and adds a report to .guild/audit. Compared"
        " with the report before, what is new, changed or gone is told.",
        "  guild audit\n  guild audit --json",
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.hooks import audit as look

    found = asyncio.run(look())
    data = {**found._asdict(), "files": [each._asdict() for each in found.files]}
    return emit(data, _audit_rows(found), as_json=options.json)


def _audit_rows(found: Audit) -> Iterator[str]:
    compared = f", compared with {found.compared}" if found.compared else ", for the first time"
    yield f"{count(len(found.files), 'file')} for coding agents{compared}"
    for title, paths in (("new", found.added), ("changed", found.changed), ("gone", found.gone)):
        for path in paths:
            yield shorten(f"  {title:<8} {one_line(path)}")
    for file in found.flagged:
        yield shorten(f"  look at  {one_line(file.path)}: {one_line(file.notes)}")
    yield f"the whole report: {found.report}"
