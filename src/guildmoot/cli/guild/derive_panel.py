"""``guild derive-panel``: the evaluators that a list of changed files calls for."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from guildmoot.agents.changed_files import panel_for
from guildmoot.agents.derive import Because, Seating
from guildmoot.agents.panel_tables import DOCS
from guildmoot.agents.recipes import load_axes, roster
from guildmoot.errors import ConfigError

_ERROR = "derive-panel-error"
_USAGE = f"""usage: guild derive-panel [--files=A,B,...] [--phase=PHASE]
                          [--explain] [--json]

Prints the evaluators for changed files, separated by commas, most important
first. Without --files the paths are read from standard input, one a line.
--explain says which rule seated whom; --json says the same for programs.
--phase=research|plan|implementer|fixer prints that phase's roster.

Rules: .guild/panel.toml of the project first, then {DOCS}
or else the built-in table for web files, then the guild's table for everything
else.
"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    if "--help" in argv or "-h" in argv:
        sys.stdout.write(_USAGE)
        return 0
    phase = _flag(argv, "--phase=")
    try:
        if phase not in (None, "reviewer"):
            sys.stdout.write(",".join(roster(load_axes(), phase or "")) + "\n")
            return 0
        return _review(argv, Path.cwd())
    except ConfigError as wrong:
        sys.stderr.write(f"{_ERROR}: {wrong}\n")
        return 1


def _review(argv: Sequence[str], cwd: Path) -> int:
    found = panel_for(_files(argv), cwd)
    # A repository without a table of its own means the built-in one; outside of any the folder may be wrong.
    absent = found.warning == "panel-spec-unreadable" and not os.path.lexists(cwd / DOCS)
    at_home = sys.stderr.isatty() or any((at / ".git").exists() for at in (cwd, *cwd.parents))
    if found.warning and not (absent and at_home):
        sys.stderr.write(f"{_ERROR}: {found.warning} (using fallback)\n")
    if "--json" in argv:
        _print_json(found.seatings)
        return 0
    sys.stdout.write(",".join(seating.agent for seating in found.seatings) + "\n")
    if "--explain" in argv:
        missing = "(no such file, and no project here)"
        kept = [f"not seated for {path}: {agents} {missing}" for path, agents in found.held_back]
        text = "".join(f"{line}\n" for line in ("", *_explained(found.seatings), *kept))
        sys.stdout.write(text.encode("utf-8", "backslashreplace").decode())
    return 0


def _flag(argv: Sequence[str], name: str) -> str | None:
    return next((word.removeprefix(name) for word in argv if word.startswith(name)), None)


def _files(argv: Sequence[str]) -> list[str]:
    """From the flag, or else from standard input when somebody pipes it."""
    given = _flag(argv, "--files=")
    if given is not None:
        paths = re.split(r"[,\n]", given)
    elif sys.stdin is None or sys.stdin.isatty():
        return []
    else:
        paths = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").split("\n")
    return [path.strip() for path in paths if path.strip()]


def _explained(panel: Sequence[Seating]) -> list[str]:
    lines = []
    for seating in panel:
        first, *others = seating.because
        more = f" (and {len(others)} more)" if others else ""
        lines.append(f"{seating.agent}: {_said(first)}{more}")
    return lines


def _said(because: Because) -> str:
    if not because.path:
        return f"always, by {because.table}"
    why = f", {because.why}," if because.why else ""
    return f"{because.path} matches `{because.pattern}`{why} in {because.table}"


def _print_json(panel: Sequence[Seating]) -> None:
    from guildmoot.system.jsonio import dumps

    seated = [
        {"agent": seating.agent, "because": [because._asdict() for because in seating.because]}
        for seating in panel
    ]
    names = [seating.agent for seating in panel]
    sys.stdout.write(dumps({"schema_version": 1, "panel": names, "seated": seated}) + "\n")
