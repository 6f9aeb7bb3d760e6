"""Reports: one run, shown to people and to machines. Nothing here decides or reads the clock.

Writing the text to a file is left to the caller. The terminal has its own module, because it
prints to a console instead of giving a text.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from guildmoot.errors import UsageError
from guildmoot.model.report import RunReport
from guildmoot.reports.json import to_json

__all__ = ["FORMATS", "render", "to_json"]

FORMATS: dict[str, str] = {
    ".md": "markdown",
    ".json": "json",
    ".sarif": "sarif",
    ".xml": "junit",
    ".html": "html",
}
"""File suffix to the module that renders it."""


def render(report: RunReport, suffix: str) -> str:
    """The report as the text of a file with this suffix, ending in a newline.

    Raises UsageError for a suffix that is not in FORMATS.
    """
    name = FORMATS.get(suffix.lower())
    if name is None:
        raise UsageError(
            f"a report cannot be written as {suffix or 'a file without a suffix'}",
            f"The file's name says the format; known are {', '.join(FORMATS)}.",
        )
    renderer: Callable[[RunReport], str] = import_module(f"{__name__}.{name}").render
    return renderer(report)
