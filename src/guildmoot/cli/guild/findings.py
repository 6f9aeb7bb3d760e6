"""``guild findings``: a project's stream of findings, and what a person makes of a finding."""

from __future__ import annotations

import sys
import textwrap
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from guildmoot.errors import GuildmootError, UsageError
from guildmoot.projects.findings import FindingRow, append, count, stream_path

_ERROR = "findings-error"
_USAGE = """usage: guild findings append --slug=S --evaluator=E --code=C --evidence=TEXT
                             [--severity=blocking|advisory]
                             [--branch=B] [--unit=U]
       guild findings count  --slug=S --evaluator=E --code=C --evidence=TEXT
       guild findings accept|dismiss|fixed ID --why TEXT [--run RUN]

append adds one row to projects/S/.guild-findings.jsonl; count prints how many
rows there are of the same finding. accept, dismiss and fixed say what you made
of a finding of a recorded run.
"""
_REQUIRED = ("slug", "evaluator", "code", "evidence")
_OPTIONAL = {"append": ("severity", "branch", "unit"), "count": ()}
_SEVERITIES: dict[str, Literal["blocking", "advisory"]] = {
    "blocking": "blocking",
    "advisory": "advisory",
}

_DECISIONS: dict[str, Literal["accepted", "dismissed", "fixed"]] = {
    "accept": "accepted",
    "dismiss": "dismissed",
    "fixed": "fixed",
}


def main(argv: list[str]) -> int:
    """Run the verb."""
    if argv and argv[0] in _DECISIONS:
        return _decide(argv)
    if "--help" in argv or "-h" in argv:
        sys.stdout.write(_USAGE)
        return 0
    try:
        action = argv[0] if argv else ""
        if action not in _OPTIONAL:
            raise UsageError(f"unknown action {action!r}" if action else "no action given")
        flags = _flags(argv[1:], (*_REQUIRED, *_OPTIONAL[action]))
        row = _row(flags)
        sys.stdout.write(_append(row) if action == "append" else f"{count(Path.cwd(), row)}\n")
    except GuildmootError as wrong:
        hint = f" {wrong.hint}" if wrong.hint else ""
        sys.stderr.write(f"{_ERROR}: {wrong.message}.{hint}\n{_USAGE}")
        return 1
    except OSError as wrong:
        sys.stderr.write(f"{_ERROR}: {wrong}\n")
        return 1
    return 0


def _row(flags: dict[str, str]) -> FindingRow:
    severity = _SEVERITIES.get(flags.get("severity", "blocking"))
    if severity is None:
        raise UsageError(f"--severity is blocking or advisory, not {flags['severity']!r}")
    return FindingRow(
        flags["slug"],
        flags["evaluator"],
        flags["code"],
        flags["evidence"],
        severity,
        flags.get("branch"),
        flags.get("unit"),
    )


def _append(row: FindingRow) -> str:
    mark = append(Path.cwd(), row, datetime.now(UTC))
    path = stream_path(Path(), row.slug)
    return f"findings-append: 1 row appended to {path} (signature {mark[:12]}...)\n"


def _flags(words: list[str], known: tuple[str, ...]) -> dict[str, str]:
    """``--name=value`` or ``--name value``; anything else is refused."""
    flags: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in known:
            raise UsageError(f"{word!r} is no argument of this action")
        if not equals:
            given = next(rest, None)
            if given is None:
                raise UsageError(f"--{name} needs a value")
            value = given
        flags[name] = value
    missing = [name for name in _REQUIRED if name not in flags]
    empty = [name for name in ("slug", "evaluator") if flags.get(name) == ""]
    if missing or empty:
        raise UsageError(f"--{(missing + empty)[0]} is required")
    return flags


def _decide(argv: list[str]) -> int:
    """Say what became of a finding of a recorded run."""
    from guildmoot.cli.arguments import Parser, add_json, project_root

    action, words = argv[0], argv[1:]
    parser = Parser(
        f"findings {action}",
        "Say what you made of a finding. Accepted or fixed: whoever reported it was right;\n"
        "dismissed: was wrong, and later runs list it as ignored, with who and why.\n"
        "It counts in 'guild probe report' and the policy 'weighted'.",
        "  guild findings accept 3f2a --why 'a real overflow, ticket 41'\n"
        "  guild findings dismiss 9c01 --why 'the input is validated above' --run 20261115-2137",
    )
    parser.add_argument("id", metavar="ID", help="the finding's id, or the start of it")
    parser.add_argument("--why", required=True, metavar="TEXT", help="the reason, for others")
    parser.add_argument("--run", default="last", metavar="RUN", help="the run it is from (last)")
    add_json(parser)
    options = parser.parse_args(words)
    from guildmoot.cli.output import emit
    from guildmoot.practices.dispositions import DispositionRequest, dispose

    decided = DispositionRequest(options.id, _DECISIONS[action], options.why, options.run)
    entry = dispose(project_root(), decided, datetime.now(UTC))
    place = f"{entry.path}:{entry.line}" if entry.line else entry.path
    about = " ".join(filter(None, (place, entry.code)))
    side = "wrong" if entry.disposition == "dismissed" else "right"
    row = f"{entry.disposition}: {about} ({', '.join(entry.seats)} counted as {side})"
    lines = textwrap.wrap(row, 80, subsequent_indent="  ", break_on_hyphens=False)
    return emit(entry._asdict(), lines, as_json=options.json)
