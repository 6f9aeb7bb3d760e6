"""``guild recipe``: the members of a named recipe."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from guildmoot.agents.recipes import AXES, load_axes, members
from guildmoot.errors import ConfigError

_ERROR = "guild-recipe-error"
_USAGE = """usage: guild recipe NAME [--manifest FILE] [--pretty]

Prints {"name", "members"} of a recipe: a named group of agents in its declared
order. --manifest reads recipes from a TOML file of your own: [[recipes]] with
name, phase, personality and domains.
"""


def main(argv: list[str]) -> int:
    """Run the verb; flags that it does not know are ignored, as the seeds' program does."""
    if "--help" in argv or "-h" in argv:
        sys.stdout.write(_USAGE)
        return 0
    name, manifest = _arguments(argv)
    try:
        if not name:
            raise ConfigError("no recipe named; usage: guild recipe NAME [--manifest FILE]")
        found = members(load_axes(Path(manifest) if manifest else AXES), name)
    except ConfigError as wrong:
        sys.stderr.write(f"{_ERROR}: {wrong}\n")
        return 1
    recipe, indent = {"name": name, "members": found}, 2 if "--pretty" in argv else None
    marks = (",", ": ") if indent else (",", ":")
    sys.stdout.write(json.dumps(recipe, ensure_ascii=False, indent=indent, separators=marks) + "\n")
    return 0


def _arguments(argv: list[str]) -> tuple[str, str]:
    """The first word that is no flag, and the manifest as ``--manifest=F`` or ``--manifest F``."""
    name = manifest = ""
    words = iter(argv)
    for word in words:
        if word == "--manifest":
            manifest = next(words, "")
        elif word.startswith("--manifest="):
            manifest = word.removeprefix("--manifest=")
        elif not word.startswith("-"):
            name = name or word
    return name, manifest
