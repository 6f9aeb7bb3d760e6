"""Reads settings files. A file may include others of the same folder, and nothing outside it."""

from __future__ import annotations

from pathlib import Path

import yaml

MAX_BYTES = 64 * 1024


class SettingsError(Exception):
    """A settings file cannot be used; the message says why."""


def load(path: Path) -> dict[str, object]:
    """The settings of a file, with its includes below its own values."""
    found = _read(path)
    base: dict[str, object] = {}
    includes = found.pop("include", [])
    if not isinstance(includes, list):
        raise SettingsError(f"{path}: include must be a list")
    for name in includes:
        base |= _read(_inside(path.parent, str(name)))
    return base | found


def _inside(folder: Path, name: str) -> Path:
    """The file of this name in the folder; a name that leads out of it is refused."""
    target = (folder / name).resolve()
    if not target.is_relative_to(folder.resolve()):
        raise SettingsError(f"{name} lies outside {folder}")
    return target


def _read(path: Path) -> dict[str, object]:
    if path.stat().st_size > MAX_BYTES:
        raise SettingsError(f"{path} is larger than {MAX_BYTES} bytes")
    try:
        with path.open(encoding="utf-8") as file:
            found = yaml.safe_load(file)
    except yaml.YAMLError as error:
        raise SettingsError(f"{path} is not YAML: {error}") from error
    if not isinstance(found, dict):
        raise SettingsError(f"{path} does not hold a mapping")
    return found
