"""A perspective is the angle from which a judge looks; a preset is a named group of them."""

from __future__ import annotations

from typing import NamedTuple


class PerspectiveAnswer(NamedTuple):
    """A labelled answer that a perspective asks for beside the verdict."""

    label: str
    choices: tuple[str, ...]


class Perspective(NamedTuple):
    """One angle."""

    name: str
    """As it stands in flags and file names, e.g. ``error-paths``."""
    persona: str = ""
    """What the judge is called, e.g. ``Pathfinder``; unique over all presets."""
    focus: str = ""
    """What to look at, in sentences for the judge."""
    read_budget: tuple[str, ...] = ()
    """Documents to read first, where the packet has them."""
    answers: tuple[PerspectiveAnswer, ...] = ()
    constraints: tuple[tuple[str, str], ...] = ()
    """Limits of a role that is played, by name, e.g. ``("cannot", "ask the author")``."""


class Preset(NamedTuple):
    """Perspectives that belong together."""

    name: str
    description: str
    perspectives: tuple[Perspective, ...]
    source: str = ""
    """The file that it came from."""
