"""``guild derive-panel``: the evaluators that a list of changed files calls for."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from guildmoot.agents.derive import Because, PanelTable, Seating, derive, judges_of
from guildmoot.agents.panel_tables import DOCS, GUILD_TABLE, Tables, load_tables
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
_REACT = re.compile(
    r"""(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*(['"])react(?:-dom)?(?:/[^'"]*)?\1"""
)


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
    files = _files(argv)
    loaded = load_tables(cwd)
    if loaded.warning:
        sys.stderr.write(f"{_ERROR}: {loaded.warning} (using fallback)\n")
    applies = _applies(loaded, cwd)
    panel = derive(files, loaded.tables, lambda path: _imports_react(cwd / path), applies)
    if "--json" in argv:
        _print_json(panel)
        return 0
    sys.stdout.write(",".join(seating.agent for seating in panel) + "\n")
    if "--explain" in argv:
        lines = ["", *_explained(panel), *_held_back(files, loaded, applies)]
        text = "".join(f"{line}\n" for line in lines)
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


def _applies(loaded: Tables, cwd: Path) -> Callable[[PanelTable, str], bool]:
    """A bare list of names outside of any project gets the web table's answer and no more."""

    def applies(table: PanelTable, path: str) -> bool:
        return table.name != GUILD_TABLE or loaded.in_project or _is_there(cwd / path)

    return applies


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # no path at all: too long, or with a NUL in it
        return False


def _imports_react(path: Path) -> bool:
    """Whether the file imports React; one that cannot be read may."""
    try:
        return bool(_REACT.search(path.read_text(encoding="utf-8", errors="replace")))
    except (OSError, ValueError):
        return True


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


def _held_back(
    files: Sequence[str], loaded: Tables, applies: Callable[[PanelTable, str], bool]
) -> list[str]:
    """What our own table would say of files for which it was not asked."""
    ours = [table for table in loaded.tables if table.name == GUILD_TABLE]
    lines = []
    for path in files:
        if ours and not applies(ours[0], path):
            agents = ", ".join(dict.fromkeys(agent for agent, _ in judges_of(path, ours)))
            if agents:
                lines.append(f"not seated for {path}: {agents} (no such file, and no project here)")
    return lines


def _print_json(panel: Sequence[Seating]) -> None:
    from guildmoot.system.jsonio import dumps

    seated = [
        {"agent": seating.agent, "because": [because._asdict() for because in seating.because]}
        for seating in panel
    ]
    names = [seating.agent for seating in panel]
    sys.stdout.write(dumps({"schema_version": 1, "panel": names, "seated": seated}) + "\n")
