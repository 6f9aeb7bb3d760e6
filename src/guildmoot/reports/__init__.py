"""Reports: one run, shown to people and to machines. Nothing here decides or reads the clock.

A builder turns a report into a document, and a writer turns the document into Markdown, HTML or text on a
terminal. Writing the text to a file is left to the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guildmoot.errors import UsageError
from guildmoot.model.report import RunReport

if TYPE_CHECKING:
    from guildmoot.model.council import CouncilReport
    from guildmoot.reports.document import Document

__all__ = ["FORMATS", "json_of", "render", "render_lines"]

FORMATS = (".md", ".json", ".sarif", ".xml", ".html")
"""Suffixes of the files that a report can be written as."""


def render(report: RunReport | CouncilReport, suffix: str, *, whole: bool = False) -> str:
    """The report as the text of a file with this suffix, ending in a newline.

    Markdown is cut to what a comment takes, unless the ``whole`` is asked for.

    Raises UsageError for a suffix that is not known, and for SARIF and JUnit where nothing was judged.
    """
    suffix = suffix.lower()
    if suffix not in FORMATS:
        raise UsageError(
            f"a report cannot be written as {suffix or 'a file without a suffix'}",
            f"The file's name says the format; known are {', '.join(FORMATS)}.",
        )
    if suffix == ".md":
        from guildmoot.reports.markdown import to_comment, to_markdown

        return (to_markdown if whole else to_comment)(_document(report))
    if suffix == ".html":
        from guildmoot.reports.html import to_html

        return to_html(_document(report))
    if suffix == ".xml":
        from guildmoot.reports.junit import to_junit

        return to_junit(report if isinstance(report, RunReport) else _as_run(report))
    from guildmoot.system.jsonio import dumps

    if suffix == ".json":
        return dumps(json_of(report)) + "\n"
    from guildmoot.reports.sarif import to_sarif

    return dumps(to_sarif(report)) + "\n"


def render_lines(report: RunReport | CouncilReport, form: str) -> tuple[str, str]:
    """The findings one by one, as editors and code hosts take them; and the verdict for people."""
    from guildmoot.reports.annotations import WRITERS, headline
    from guildmoot.reports.view import verdict_words
    from guildmoot.system.jsonio import dumps

    if isinstance(report, RunReport):
        run, words = report, verdict_words(report)
    else:
        from guildmoot.reports.council.view import headline_words

        run, words = _as_run(report), headline_words(report)
    made = WRITERS[form](run, words)
    return made if isinstance(made, str) else dumps(made) + "\n", headline(run, words)


def _as_run(report: CouncilReport) -> RunReport:
    from guildmoot.reports.council.run import as_run

    return as_run(report)


def json_of(report: RunReport | CouncilReport) -> dict[str, object]:
    """The whole report as plain data; nothing is shortened or cleaned."""
    if isinstance(report, RunReport):
        from guildmoot.reports.json import to_json

        return to_json(report)
    from guildmoot.reports.council.json import council_json

    return council_json(report)


def _document(report: RunReport | CouncilReport) -> Document:
    if isinstance(report, RunReport):
        from guildmoot.reports.panel import panel_document

        return panel_document(report)
    from guildmoot.reports.council.builder import council_document

    return council_document(report)
