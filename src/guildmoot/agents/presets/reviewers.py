"""The project's reviewer config: which perspectives judge here when nobody names any.

    ---
    reviewers: [error-paths, api-surface]
    plan_reviewers: [feasibility]
    skip_reviewers: [compliance]
    ---
    What every judge should know of this project.

It is text of the repository under review: it can choose among angles, and its body is data.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.frontmatter import parse
from guildmoot.agents.plainyaml import FrontMatterError, Value
from guildmoot.agents.presets.perspectives import check_name
from guildmoot.errors import ConfigError

REVIEWER_CONFIG = ".agents/reviewer-config.md"
MAX_BYTES = 256_000

_LISTS = ("reviewers", "plan_reviewers", "skip_reviewers")


class Reviewers(NamedTuple):
    """What the reviewer config says; all empty where there is none."""

    reviewers: tuple[str, ...] = ()
    plan_reviewers: tuple[str, ...] = ()
    skip_reviewers: tuple[str, ...] = ()
    context: str = ""
    """The body, for every judge."""
    source: str = ""


def load_reviewers(root: Path) -> Reviewers:
    """The reviewer config of a repository; nothing chosen where there is no such file."""
    path = Path(os.path.realpath(root / REVIEWER_CONFIG))
    if not path.is_file():
        return Reviewers()
    if not path.is_relative_to(os.path.realpath(root)):
        raise ConfigError(f"{REVIEWER_CONFIG}: it is a link that leaves the repository")
    if path.stat().st_size > MAX_BYTES:
        raise ConfigError(f"{REVIEWER_CONFIG}: it is larger than {MAX_BYTES:,} bytes")
    try:
        return read_reviewers(path.read_bytes().decode("utf-8"), REVIEWER_CONFIG)
    except UnicodeDecodeError as wrong:
        raise ConfigError(f"{REVIEWER_CONFIG}: it is not UTF-8: {wrong.reason}") from wrong


def read_reviewers(text: str, source: str) -> Reviewers:
    """The reviewer config from its text."""
    try:
        matter = parse(text)
    except FrontMatterError as wrong:
        raise ConfigError(f"{source}:{wrong.line}: {wrong.reason}") from None
    judge, plan, skip = (_names(matter.data.get(key), f"{source}: {key}") for key in _LISTS)
    return Reviewers(judge, plan, skip, matter.body.strip(), source)


def _names(value: Value, where: str) -> tuple[str, ...]:
    """A list, or names with commas between them."""
    items = value.split(",") if isinstance(value, str) else value or []
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ConfigError(f"{where} must be a list of perspective names")
    names = [str(item).strip() for item in items]
    return tuple(dict.fromkeys(check_name(name, where) for name in names if name))
