"""Finds presets: those of the package, and those in ``.guild/presets``, which stand before them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from guildmoot.agents.presets.model import Preset
from guildmoot.agents.presets.perspectives import one_line, perspectives_of, toml_table
from guildmoot.errors import ConfigError

PACKAGE_FOLDER = Path(__file__).with_name("data")
PROJECT_FOLDER = ".guild/presets"
DEFAULT = "default"
"""The name that means no preset."""
MAX_BYTES = 256_000

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_KEYS = ("name", "description", "perspectives")


def load_presets(root: Path | None) -> dict[str, Preset]:
    """Every preset by name; one of the project replaces the package's of the same name."""
    presets = dict(_packaged())
    if root is not None:
        presets |= _folder(root / PROJECT_FOLDER, root)
    return dict(sorted(presets.items()))


def read_preset(text: str, source: str) -> Preset:
    """A preset from the text of its file; ConfigError says what is wrong with it."""
    table = toml_table(text, source)
    for key in table:
        if key not in _KEYS:
            raise ConfigError(f"{source}: unknown key {key}", f"Its keys are {', '.join(_KEYS)}.")
    name = one_line(table.get("name"), f"{source}: name")
    if not _NAME.fullmatch(name) or name == DEFAULT:
        raise ConfigError(
            f"{source}: {name!r} cannot be the name of a preset",
            f"Use small letters, digits and hyphens; {DEFAULT!r} means no preset.",
        )
    description = one_line(table.get("description") or "", f"{source}: description")
    return Preset(name, description, perspectives_of(table, source), source)


def from_project(presets: Mapping[str, Preset], name: str) -> bool:
    """Whether that preset is text of the repository and not the package's own."""
    return Path(presets[name].source).parent != PACKAGE_FOLDER


@cache
def _packaged() -> Mapping[str, Preset]:
    """The package's own, which do not change while it runs."""
    return _folder(PACKAGE_FOLDER, None)


def _folder(folder: Path, inside: Path | None) -> dict[str, Preset]:
    presets: dict[str, Preset] = {}
    for path in sorted(folder.glob("*.toml")):
        preset = read_preset(_text(path, inside), str(path))
        if preset.name in presets:
            taken = presets[preset.name].source
            raise ConfigError(f"{path}: the name {preset.name} is already taken by {taken}")
        presets[preset.name] = preset
    return presets


def _text(path: Path, inside: Path | None) -> str:
    real = Path(os.path.realpath(path))
    if inside is not None and not real.is_relative_to(os.path.realpath(inside)):
        raise ConfigError(f"{path}: it is a link that leaves the repository")
    try:
        if real.stat().st_size > MAX_BYTES:
            raise ConfigError(f"{path}: it is larger than {MAX_BYTES:,} bytes")
        return real.read_bytes().decode("utf-8")
    except OSError as wrong:
        raise ConfigError(f"{path}: it cannot be read: {wrong.strerror}") from wrong
    except UnicodeDecodeError as wrong:
        raise ConfigError(f"{path}: it is not UTF-8: {wrong.reason}") from wrong
