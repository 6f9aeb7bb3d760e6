"""Shows a panel at work on standard error, so that standard output holds the result alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from guildmoot.practices.panel import Watch

if TYPE_CHECKING:
    from guildmoot.practices.roster import Roster


@contextmanager
def watch_panel(*, quiet: bool) -> Iterator[Watch]:
    """A watch that draws progress, or a silent one."""
    if quiet:
        yield Watch()
        return
    from rich.console import Console

    from guildmoot.reports.progress import Progress

    with Progress(Console(stderr=True)) as progress:

        def on_roster(roster: Roster) -> None:
            progress.begin([seat.name for seat in roster.seats])

        yield Watch(on_roster=on_roster, on_event=progress.on_event)
