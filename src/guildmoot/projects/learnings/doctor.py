"""Looks for what is wrong with the learnings: two places, notes that are not whole, a rollup that is not read."""

from __future__ import annotations

import json
import os

from guildmoot.projects.errors import RecordError
from guildmoot.projects.learnings.notes import LEARNINGS, NOTES
from guildmoot.projects.learnings.rollup import load


def examine(folder: str, here: str) -> list[str]:
    """A sentence for each fault."""
    found = []
    own = os.path.join(here, LEARNINGS)
    if os.path.realpath(own) != os.path.realpath(folder) and os.path.isdir(own):
        found.append(f"warning: {own} lies beside {folder}; only the latter is used")
    try:
        load(folder)
    except RecordError as wrong:
        found.append(f"warning: {wrong.text}")
    notes = os.path.join(folder, NOTES)
    for name in sorted(os.listdir(notes)) if os.path.isdir(notes) else ():
        if name.endswith(".part"):
            found.append(f"warning: {name} was being written when its writer was killed; remove it")
        elif os.path.isdir(os.path.join(notes, name)) and not _is_whole(os.path.join(notes, name)):
            found.append(f"warning: the note {name} has no readable state.json")
    return found


def _is_whole(note: str) -> bool:
    try:
        with open(os.path.join(note, "state.json"), encoding="utf-8") as stream:
            return isinstance(json.load(stream), dict)
    except (OSError, ValueError):
        return False
