"""A council's reports: Markdown by the council's sections, JSON, SARIF, HTML and the terminal.

Nothing here decides or reads the clock; writing files is left to ``records``. The terminal has its own
module, because it prints to a console instead of giving a text.
"""

from __future__ import annotations

from importlib import import_module

from guildmoot.errors import UsageError
from guildmoot.model.council import CouncilReport

__all__ = ["FORMATS", "render"]

FORMATS: dict[str, str] = {
    ".md": "markdown",
    ".json": "json",
    ".sarif": "sarif",
    ".html": "html",
}
"""File suffix to the module that renders it."""


def render(report: CouncilReport, suffix: str) -> str:
    """The report as the text of a file with this suffix, ending in a newline.

    Raises UsageError for a suffix that is not in FORMATS, and for SARIF where nothing was judged.
    """
    name = FORMATS.get(suffix.lower())
    if name is None:
        raise UsageError(
            f"a council's report cannot be written as {suffix or 'a file without a suffix'}",
            f"The file's name says the format; known are {', '.join(FORMATS)}.",
        )
    text: str = import_module(f"{__name__}.{name}").render(report)
    return text
