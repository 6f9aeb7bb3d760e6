"""The settings in force: the user's, and of the project's those that somebody vouches for.

A project's settings are read from the base of the change that is judged, never from the change; where
whole files are judged, from the working tree. In CI they are read from the branch that the change is to
be merged into. What is not used is told in one line, and stops nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from guildmoot.config import (
    PROJECT_FILES,
    SETTINGS,
    Config,
    Flags,
    Origin,
    check_value,
    flatten,
    process_config,
    project_table,
    read_table,
    user_config_file,
)
from guildmoot.errors import ConfigError
from guildmoot.guard.trust import SETTINGS_FILES, Trust, files_at, is_brought
from guildmoot.model.seed_settings import read_seed
from guildmoot.model.settings import SEED_FILE
from guildmoot.text.clean import one_line

OWN_FILE = PROJECT_FILES[0]
NO_SETTINGS = Config({})
_SHOWN, _WIDEST = 6, 200
_NOWHERE = Path("/nowhere/guild.toml")


def settings_for(root: Path | None, flags: Flags | None = None, base: str = "") -> Config:
    """The settings for work in ``root``; ``base`` is the commit that a change is compared with."""
    project, user_file = project_settings(root, base) if root else NO_SETTINGS, user_config_file()
    if root and is_brought(root, user_file):
        notice = f"{user_file} is a file of this repository, so it is not used as yours"
        project = project._replace(notices=(*project.notices, notice))
        user_file = _NOWHERE
    return process_config(project, user_file, flags)


def project_settings(root: Path, base: str = "") -> Config:
    """What of the project's settings counts, and in words what does not."""
    trust = Trust(root, base)
    own, older = _own_settings(root, trust, base), seed_settings(root, trust, base)
    return Config(
        {**older.values, **own.values},
        own.prices,
        notices=(*own.notices, *older.notices),
        unused={**older.unused, **own.unused},
    )


def seed_settings(root: Path, trust: Trust, base: str = "") -> Config:
    """What ``.guild/settings.json`` sets, where somebody vouches for it; where it is wrong it sets nothing."""
    commit = trust.base.commit if trust.base else base
    if trust.base and not commit:
        return NO_SETTINGS
    data = files_at(root, commit, (SEED_FILE,)).get(SEED_FILE)
    if data is None:
        return NO_SETTINGS
    found = read_seed(data)
    if found.problems:
        path, message = found.problems[0]
        why = one_line(f"{SEED_FILE}: {path} {message}")[:_WIDEST]
        return Config({}, notices=(f"{why}: not used; `guild config check` tells all of it",))
    idle = (f"{SEED_FILE}: no effect here: {', '.join(found.idle)}",) if found.idle else ()
    if not (trust.base or trust.covers(SEED_FILE, data)):
        why = trust.first_commit[1] or "nobody trusted it here; `guild trust` shows it"
        notice = (f"{SEED_FILE} sets {', '.join(found.values)}: not used, {why}",)
        unused = {key: f"{value!r} in {SEED_FILE}: {why}" for key, value in found.values.items()}
        return Config({}, notices=(*(notice if found.values else ()), *idle), unused=unused)
    values = {
        key: Origin(check_value(key, value, SEED_FILE), SEED_FILE)
        for key, value in found.values.items()
    }
    return Config(values, notices=idle)


def _own_settings(root: Path, trust: Trust, base: str) -> Config:
    """Those of ``guild.toml`` or ``pyproject.toml``."""
    if trust.base and not trust.base.commit:
        return _without_base(root, trust.base.name)
    files = files_at(root, trust.base.commit if trust.base else base, SETTINGS_FILES)
    try:
        found = project_table(files)
    except ConfigError as wrong:
        if trust.base:
            raise
        if not any(b"guildmoot" in data or path == OWN_FILE for path, data in files.items()):
            return NO_SETTINGS  # somebody else's file is broken, and does not speak to us
        return Config({}, notices=(f"{one_line(wrong.message)[:_WIDEST]}: not used",))
    if found is None:
        return NO_SETTINGS
    source, table = found
    path = source.partition(" ")[0]
    if trust.base or trust.covers(path, files[path]):
        return _without_engine(read_table(table, source), source)
    why = trust.first_commit[1]
    same = files_at(root, "", (path,)).get(path) if base else files[path]
    command = "guild trust" if same == files[path] else f"guild trust {base[:12]}"
    changed = trust.state(path, files[path]) == "changed"
    who = "they CHANGED since you trusted them" if changed else "nobody trusted them here"
    why = why or f"{who}; `{command}` shows them"
    return _unused(source, table, why)


def _without_engine(found: Config, source: str) -> Config:
    """A repository never names the engine, trusted or not: its work would be in somebody else's hands."""
    if "engine.url" not in found.values:
        return found
    notice = f"{source} sets engine.url: not used, only you may do that (see --engine)"
    values = {key: origin for key, origin in found.values.items() if key != "engine.url"}
    return found._replace(values=values, notices=(*found.notices, notice))


def _without_base(root: Path, name: str) -> Config:
    """CI works on a change to a branch that is not here: what the checkout holds may be the change's."""
    shown = f"origin/{one_line(name)[:_WIDEST]}"
    why = f"{shown} is not in this clone; fetch it (in GitHub's checkout: fetch-depth: 0)"
    try:
        found = project_table(files_at(root, "", SETTINGS_FILES))
    except ConfigError:
        found = (OWN_FILE, {})
    return _unused(*found, why) if found else NO_SETTINGS


def _unused(source: str, table: Mapping[str, object], why: str) -> Config:
    """No setting at all, and one line about those that the table makes; its own words are not shown."""
    try:
        keys = dict(flatten(table))
    except RecursionError:
        keys = {}
    if not table:
        return NO_SETTINGS
    known = [key for key in SETTINGS if key in keys]
    if any(key.startswith("prices.") for key in keys):
        known.append("prices")
    rest = len(known) - _SHOWN
    named = ", ".join(known[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
    notice = f"{source} sets {named or 'nothing known'}: not used, {why}"
    unused = {key: f"{keys[key]!r} in {source}: {why}" for key in known if key in keys}
    return Config({}, notices=(notice,), unused=unused)
