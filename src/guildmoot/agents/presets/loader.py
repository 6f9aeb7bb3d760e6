"""Finds presets (the package's, and before them those in ``.guild/presets``) and the reviewer config.

The reviewer config says which perspectives judge here when nobody names any:

    ---
    reviewers: [error-paths, api-surface]
    plan_reviewers: [feasibility]
    skip_reviewers: [compliance]
    ---
    What every judge should know of this project.

Both are text of the repository under review: it can choose among perspectives, and its body is data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.frontmatter import parse
from guildmoot.agents.plainyaml import FrontMatterError, Value
from guildmoot.agents.presets.model import Preset
from guildmoot.agents.presets.perspectives import check_name, one_line, perspectives_of, toml_table
from guildmoot.errors import ConfigError
from guildmoot.system.files import read_text_inside

PACKAGE_FOLDER = Path(__file__).with_name("data")
PROJECT_FOLDER = ".guild/presets"
REVIEWER_CONFIG = ".agents/reviewer-config.md"
DEFAULT = "default"
"""The name that means no preset."""
MAX_BYTES = 256_000

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


def load_reviewers(root: Path) -> Reviewers:
    """The reviewer config of a repository; nothing chosen where there is no such file."""
    path = root / REVIEWER_CONFIG
    if not path.is_file():
        return Reviewers()
    return read_reviewers(_text(path, root, REVIEWER_CONFIG), REVIEWER_CONFIG)


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
    return _folder(PACKAGE_FOLDER, None)


def _folder(folder: Path, inside: Path | None) -> dict[str, Preset]:
    presets: dict[str, Preset] = {}
    for path in sorted(folder.glob("*.toml")):
        preset = read_preset(_text(path, inside, str(path)), str(path))
        if preset.name in presets:
            taken = presets[preset.name].source
            raise ConfigError(f"{path}: the name {preset.name} is already taken by {taken}")
        presets[preset.name] = preset
    return presets


def _text(path: Path, inside: Path | None, name: str) -> str:
    text, problem = read_text_inside(path, inside, MAX_BYTES)
    if problem:
        raise ConfigError(f"{name}: {problem}")
    return text


def _names(value: Value, where: str) -> tuple[str, ...]:
    """A list, or names with commas between them."""
    items = value.split(",") if isinstance(value, str) else value or []
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ConfigError(f"{where} must be a list of perspective names")
    names = [str(item).strip() for item in items]
    return tuple(dict.fromkeys(check_name(name, where) for name in names if name))
