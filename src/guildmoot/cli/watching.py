"""Shows a run at work on standard error, so that standard output holds the result alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from guildmoot.calls import Watch


@contextmanager
def watch_run(*, quiet: bool) -> Iterator[Watch]:
    """A watch that draws progress, anew for every round; a quiet one passes on notes alone."""
    if quiet:
        yield Watch(on_note=_tell)
        return
    from rich.console import Console

    from guildmoot.reports.progress import Progress

    console = Console(stderr=True)
    progress = Progress(console)
    with ExitStack() as stack:

        def on_begin(seats: Sequence[str], heading: str) -> None:
            nonlocal progress
            stack.close()
            if heading:
                console.print(heading, style="bold")
            progress = stack.enter_context(Progress(console))
            progress.begin(seats)

        def on_note(text: str) -> None:
            stack.close()
            _tell(text)

        yield Watch(on_begin, lambda event: progress.on_event(event), on_note)


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
