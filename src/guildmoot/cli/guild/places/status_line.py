"""``guild status-line``: one line about the work, for the status line of a coding agent. It never fails."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path

_HELP = """usage: guild status-line < STATUS.json

Prints one line for the status line of a coding agent, which tells the folder on
standard input (workspace.current_dir or cwd): the phase of the work, the last
verdict, and how many replies are waited for. The exit code is always 0.

examples:
  guild status-line < /dev/null
  guild plugin install --claude --status-line
"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    if {"-h", "--help"}.intersection(argv):
        sys.stdout.write(_HELP)
        return 0
    line = "phase: unknown"
    with suppress(Exception):  # a status line that breaks is worse than one that says little
        line = _line(_folder())
    if "--json" in argv:
        line = json.dumps({"schema_version": 1, "line": line})
    sys.stdout.write(f"{line}\n")
    return 0


def _folder() -> Path:
    told = "" if sys.stdin.isatty() else sys.stdin.read(1_000_000)
    data = json.loads(told) if told.strip() else {}
    place = data.get("workspace") or {}
    return Path(place.get("current_dir") or data.get("cwd") or ".")


def _line(folder: Path) -> str:
    import asyncio

    from guildmoot.api.handed import waiting
    from guildmoot.api.runs import list_runs
    from guildmoot.api.work import list_work
    from guildmoot.runs.index import RunQuery
    from guildmoot.text.clean import one_line

    parts = []
    work = asyncio.run(list_work(folder))
    parts.append(f"phase: {work[0].standing.step} ({work[0].slug})" if work else "phase: unknown")
    runs = asyncio.run(list_runs(RunQuery(most=1), folder)).runs
    if runs:
        parts.append(f"last: {runs[0].verdict if runs[0].state == 'complete' else runs[0].state}")
        if handed := waiting(runs[0].run_id, folder):
            parts.append(f"waits for {len(handed.calls)}")
    return one_line(" | ".join(parts))
