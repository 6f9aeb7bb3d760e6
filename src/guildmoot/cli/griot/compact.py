"""``griot compact``: the notes before a panel; what helps becomes a learning."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.config import Origin
from guildmoot.errors import GuildmootError
from guildmoot.projects.errors import RecordError

if TYPE_CHECKING:
    from guildmoot.practices.learnings.run import CompactRequest

_VALUES = ("model", "judge", "subject", "attempts", "max-usd")
_SWITCHES = ("direct", "dry-run", "json", "no-regression")


def main(words: list[str]) -> int:
    """Run the verb."""
    from guildmoot.practices.learnings.run import check_request, promote_direct

    request, flags = _request(words)
    try:
        if "direct" in flags:
            rows = promote_direct(request.root)
            lines = [f"{row['note']} is {row['promoted_as']}" for row in rows]
            _tell(lines or ["no note waits that needs no judge"])
            return 0
        check_request(request)
        return _plan(request) if "dry-run" in flags else _run(request, flags)
    except GuildmootError as wrong:
        if isinstance(wrong, RecordError):
            raise
        hint = f" {wrong.hint}" if wrong.hint else ""
        sys.stderr.write(f"griot-compact-error: {wrong.message}.{hint}\n")
        return wrong.exit_code


def _request(words: list[str]) -> tuple[CompactRequest, dict[str, str]]:
    from guildmoot.practices.learnings.run import CompactRequest
    from guildmoot.projects.repository import find_checkout

    flags: dict[str, str] = {}
    judges: list[tuple[str, str]] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in (*_VALUES, *_SWITCHES):
            raise RecordError("", f"{word!r} is no argument of compact; 'griot --help' lists them")
        if not equals and name in _VALUES:
            value = next(rest, "")
        if name == "judge":
            tier, _, model = value.partition("=")
            if not tier or not model:
                raise RecordError("", f"--judge={value}: write --judge=TIER=MODEL, e.g. top=claude")
            judges.append((tier, model))
        flags[name] = value
    attempts = flags.get("attempts", "2")
    if not attempts.isdecimal() or int(attempts) < 1:
        raise RecordError("", f"--attempts={attempts}: a whole number from 1 on")
    checkout = find_checkout(str(Path.cwd()))
    request = CompactRequest(
        Path(checkout.root if checkout else Path.cwd()), flags.get("model", ""), tuple(judges),
        flags.get("subject", ""), int(attempts), "no-regression" not in flags,
    )  # fmt: skip
    return request, flags


def _plan(request: CompactRequest) -> int:
    """What would be asked; nothing is."""
    from guildmoot.projects.learnings import notes, rollup

    folder = notes.learnings_folder(str(request.root))
    waiting = notes.list_notes(folder)
    entries = rollup.load(folder) or []
    judges = len(request.judges) or 4
    lines = [f"{note['name']}  {note['state'].get('classification')}" for note in waiting]
    lines.append(
        f"{len(waiting)} notes wait; each that must be judged takes {3 + judges} to {3 + 2 * judges} calls a try"
    )
    if request.regression:
        lines.append(f"{len(entries)} learnings in use; 3 calls each")
    _tell([*lines, "nothing was asked"])
    return 0


def _run(request: CompactRequest, flags: dict[str, str]) -> int:
    from guildmoot.calls import run_foreground
    from guildmoot.guard.settings import settings_for
    from guildmoot.practices.learnings.report import report_lines
    from guildmoot.practices.learnings.run import compact

    limits = (
        {"budget.run_usd": Origin(float(flags["max-usd"]), "--max-usd")}
        if "max-usd" in flags
        else {}
    )
    report = run_foreground(compact(request, settings_for(request.root, limits)))
    if "json" in flags:
        value = {
            "schema_version": 1, "run": report.run_id, "notes": list(report.notes),
            "regression": list(report.regression), "proposed_retirements": report.retirements,
            "usd": report.usd,
        }  # fmt: skip
        sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in report_lines(report))
    return report.exit_code


def _tell(lines: list[str]) -> None:
    sys.stdout.writelines(f"griot compact: {line}\n" for line in lines)
