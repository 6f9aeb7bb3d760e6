"""``guild guard explain`` and ``guild guard test``: what the rules say, without running anything."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit, shorten
from guildmoot.errors import EXIT_FLAGGED, EXIT_OK, EXIT_UNDECIDED
from guildmoot.text.clean import clean, count, one_line

if TYPE_CHECKING:
    from guildmoot.api.rules import CaseResult, Explanation
    from guildmoot.guard.decision import Decision

_SAYS = {
    "allow": "allowed",
    "ask": "a person is asked",
    "deny": "denied",
    "snapshot": "allowed after a snapshot ('guild undo' brings it back)",
}
_SHOWN = 30


def explain(argv: list[str]) -> int:
    """Run ``guild guard explain``."""
    parser = Parser(
        "guard explain",
        "What the guard would do with a shell command in this folder, and why. Nothing is run."
        " Exit 0: it would pass, 3: a person would be asked, 2: it would be denied.",
        "  guild guard explain 'git reset --hard'\n"
        "  guild guard explain 'npm test; rm -rf .' --scope 'Bash(npm test*)'\n"
        "  guild guard explain 'cp a b' --scope .claude/agents/writer.md --json",
    )
    parser.add_argument("command", help="the command, quoted as one word")
    parser.add_argument(
        "--scope",
        default="",
        metavar="RULES|FILE",
        help="rules with commas, JSON, or a file with a scope",
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.rules import explain_command

    found = asyncio.run(explain_command(options.command, options.scope))
    data = {"command": found.command, **found.decision.plain(), "parts": list(found.parts)}
    emit(data, _explained(found), as_json=options.json)
    return _code(found.decision)


def _code(decision: Decision) -> int:
    if decision.action == "deny":
        return EXIT_FLAGGED
    asks = decision.action == "ask" or (decision.action == "snapshot" and decision.then == "ask")
    return EXIT_UNDECIDED if asks else EXIT_OK


def _says(decision: Decision) -> str:
    if decision.action == "snapshot" and decision.then == "ask":
        return "a snapshot is kept, then a person is asked ('guild undo' brings it back)"
    return _SAYS[decision.action]


def _explained(found: Explanation) -> Iterator[str]:
    decision = found.decision
    yield f"{_says(decision)}{f' [{decision.code}]' if decision.code else ''}"
    if decision.reason:
        yield f"  why      {clean(decision.reason)}"
    if decision.part and decision.part != found.command:
        yield f"  part     {shorten(one_line(decision.part), 68)}"
    if decision.instead:
        yield f"  instead  {clean(decision.instead)}"
    if len(found.parts) > 1 or (found.parts and found.parts[0] != found.command):
        yield "  it would start"
        yield from (f"    {shorten(one_line(part), 74)}" for part in found.parts[:_SHOWN])
        if len(found.parts) > _SHOWN:
            yield f"    and {len(found.parts) - _SHOWN} more"


def test(argv: list[str]) -> int:
    """Run ``guild guard test``."""
    parser = Parser(
        "guard test",
        "Judge a table of commands and compare with what is expected of each. A line is one of"
        " allow, snapshot, ask, deny, caught, passes and the command; '|' goes on with it;"
        " '@ scope=[...]' sets a scope for the lines below. Nothing is run. Exit 2 where one differs.",
        "  guild guard test rules.txt",
    )
    parser.add_argument("file", type=Path)
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.rules import check_cases

    results = asyncio.run(check_cases(options.file))
    wrong = [one for one in results if not one.held]
    data = {
        "cases": len(results),
        "failed": len(wrong),
        "results": [
            {
                "line": one.case.line,
                "expected": one.case.expected,
                "command": one.case.command,
                "held": one.held,
                **one.decision.plain(),
            }
            for one in results
        ],
    }
    emit(data, _tested(results, wrong), as_json=options.json)
    return EXIT_FLAGGED if wrong else EXIT_OK


def _tested(results: list[CaseResult], wrong: list[CaseResult]) -> Iterator[str]:
    for one in wrong:
        yield f"line {one.case.line}: expected {one.case.expected}, but {_says(one.decision)}"
        yield f"  {shorten(one_line(one.case.command), 76)}"
        if one.decision.reason:
            yield f"  {clean(one.decision.reason)} [{one.decision.code}]"
    yield f"{count(len(results), 'case')}, {len(wrong)} not as expected"
