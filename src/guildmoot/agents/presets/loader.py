"""Finds presets (the package's, and before them those in ``.guild/presets``) and the reviewer config.

The reviewer config says which perspectives judge here when nobody names any:

    ---
    reviewers: [error-paths, api-surface]
    plan_reviewers: [feasibility]
    skip_reviewers: [compliance]
    ---
    What every judge should know of this project.

Both are text of the repository: they count when the user trusts them, and their words stay data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from guildmoot.agents.frontmatter import parse
from guildmoot.agents.plainyaml import FrontMatterError, Value
from guildmoot.agents.presets.model import Preset
from guildmoot.agents.presets.perspectives import check_name, one_line, perspectives_of, toml_table
from guildmoot.errors import ConfigError

PACKAGE_FOLDER = Path(__file__).with_name("data")
PROJECT_FOLDER = ".guild/presets"
REVIEWER_CONFIG = ".agents/reviewer-config.md"
DEFAULT = "default"
"""The name that means no preset."""
MAX_BYTES = 256_000
NOTHING: Mapping[str, bytes] = MappingProxyType({})

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_KEYS = ("name", "description", "perspectives")
_LISTS = ("reviewers", "plan_reviewers", "skip_reviewers")


class Reviewers(NamedTuple):
    """What the reviewer config says; all empty where there is none."""

    reviewers: tuple[str, ...] = ()
    plan_reviewers: tuple[str, ...] = ()
    skip_reviewers: tuple[str, ...] = ()
    context: str = ""
    """The body, for every judge."""
    source: str = ""


def load_presets(brought: Mapping[str, bytes] = NOTHING) -> dict[str, Preset]:
    """Every preset by name; one of the project replaces the package's of the same name.

    ``brought`` are the files of the repository that the user trusts.
    """
    own = {path: data for path, data in brought.items() if _is_preset(path)}
    return dict(sorted({**_packaged(), **_named_presets(own)}.items()))


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


def load_reviewers(brought: Mapping[str, bytes]) -> Reviewers:
    """The reviewer config among a repository's trusted files; nothing chosen where there is none."""
    if REVIEWER_CONFIG not in brought:
        return Reviewers()
    return read_reviewers(_text(brought[REVIEWER_CONFIG], REVIEWER_CONFIG), REVIEWER_CONFIG)


def read_reviewers(text: str, source: str) -> Reviewers:
    """The reviewer config from its text."""
    try:
        matter = parse(text)
    except FrontMatterError as wrong:
        raise ConfigError(f"{source}:{wrong.line}: {wrong.reason}") from None
    judge, plan, skip = (_names(matter.data.get(key), f"{source}: {key}") for key in _LISTS)
    return Reviewers(judge, plan, skip, matter.body.strip(), source)


@cache
def _packaged() -> Mapping[str, Preset]:
    """The package's own, which do not change while it runs."""
    paths = sorted(PACKAGE_FOLDER.glob("*.toml"))
    return _named_presets({str(path): path.read_bytes() for path in paths})


def _is_preset(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return folder == PROJECT_FOLDER and name.endswith(".toml")


def _named_presets(files: Mapping[str, bytes]) -> dict[str, Preset]:
    presets: dict[str, Preset] = {}
    for path, data in sorted(files.items()):
        preset = read_preset(_text(data, path), path)
        if preset.name in presets:
            taken = presets[preset.name].source
            raise ConfigError(f"{path}: the name {preset.name} is already taken by {taken}")
        presets[preset.name] = preset
    return presets


def _text(data: bytes, name: str) -> str:
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{name}: it is larger than {MAX_BYTES:,} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        raise ConfigError(f"{name}: it is not UTF-8: {wrong.reason}") from None


def _names(value: Value, where: str) -> tuple[str, ...]:
    """A list, or names with commas between them."""
    items = value.split(",") if isinstance(value, str) else value or []
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ConfigError(f"{where} must be a list of perspective names")
    names = [str(item).strip() for item in items]
    return tuple(dict.fromkeys(check_name(name, where) for name in names if name))
