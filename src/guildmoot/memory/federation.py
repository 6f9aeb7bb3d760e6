"""Sub-projects whose wikis are asked along: ``.guild/workspace.json``; their pages are never copied.

``{"schema": "guild.workspace.v1", "projects": [{"name": "shop", "path": "services/shop"}]}``, one level deep.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import ConfigError
from guildmoot.memory.wiki.places import GUILD
from guildmoot.system.files import linked_part, read_own

FILE = GUILD / "workspace.json"
SCHEMA = "guild.workspace.v1"


class SubProject(NamedTuple):
    """One that is asked along."""

    name: str
    root: Path


def sub_projects(root: Path) -> list[SubProject]:
    """Those that the file names; ConfigError when it is wrong, or names a place outside of the project."""
    data = read_own(root / FILE, 1 << 20)
    if not data:
        return []
    try:
        told = json.loads(data)
        rows = told["projects"]
        if told.get("schema") != SCHEMA:
            raise ConfigError(f"{FILE}: schema must be {SCHEMA!r}")
        found = [SubProject(str(row["name"]), _inside(root, str(row["path"]))) for row in rows]
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        raise ConfigError(
            f"{FILE} cannot be read: {wrong}",
            'It holds {"schema": "guild.workspace.v1", "projects": [{"name": ..., "path": ...}]}.',
        ) from wrong
    names = [each.name for each in found]
    if len(set(names)) < len(names):
        raise ConfigError(f"{FILE} names one project twice")
    return found


def _inside(root: Path, path: str) -> Path:
    if Path(path).is_absolute() or linked_part(root, path) or path in ("", "."):
        raise ConfigError(
            f"{FILE}: {path!r} is no folder inside of the project",
            "Give a path below the project's root that leads through no link.",
        )
    return root / path
