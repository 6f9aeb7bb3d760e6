"""The panel that a list of changed files calls for, by the tables that apply where they lie."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.derive import PanelTable, Seating, derive, judges_of
from guildmoot.agents.panel_tables import GUILD_TABLE, Tables, load_tables

_REACT = re.compile(
    r"""(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*(['"])react(?:-dom)?(?:/[^'"]*)?\1"""
)


class DerivedPanel(NamedTuple):
    """Who is seated, and who would be if the files were there."""

    seatings: tuple[Seating, ...]
    held_back: tuple[tuple[str, str], ...]
    """Files of which our own table was not asked, and the agents that it names for them."""
    warning: str
    """Why the project's own table could not be used."""


def panel_for(files: Sequence[str], cwd: Path) -> DerivedPanel:
    """The panel for changed files, seen from a folder."""
    loaded = load_tables(cwd)
    applies = _applies(loaded, cwd)
    panel = derive(files, loaded.tables, lambda path: _imports_react(cwd / path), applies)
    return DerivedPanel(tuple(panel), _held_back(files, loaded, applies), loaded.warning)


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


def _held_back(
    files: Sequence[str], loaded: Tables, applies: Callable[[PanelTable, str], bool]
) -> tuple[tuple[str, str], ...]:
    ours = [table for table in loaded.tables if table.name == GUILD_TABLE]
    unasked = [path for path in files if ours and not applies(ours[0], path)]
    found = {path: dict.fromkeys(agent for agent, _ in judges_of(path, ours)) for path in unasked}
    return tuple((path, ", ".join(agents)) for path, agents in found.items() if agents)
