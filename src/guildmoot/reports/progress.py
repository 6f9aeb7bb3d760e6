"""Progress while the seats are at work: drawn live on a terminal, one line a seat elsewhere.

It is given events and prints to the console it is given, which should be standard
error; the result belongs to standard output.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from guildmoot.model.call import ReplyStatus
from guildmoot.reports.pen import Pen
from guildmoot.text.clean import one_line, seconds

MOST_ROWS = 20


class SeatEvent(Protocol):
    """What progress needs to know of an event; ``spawn`` makes them."""

    @property
    def seat(self) -> str: ...
    @property
    def kind(self) -> Literal["started", "finished"]: ...
    @property
    def status(self) -> ReplyStatus | None: ...
    @property
    def seconds(self) -> float: ...


class SeatBoard:
    """Who is seated, at work and done; it draws itself whenever rich asks."""

    def __init__(self, console: Console, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.started: dict[str, float] = {}
        self.finished: dict[str, SeatEvent] = {}
        self._pen = Pen(console)
        self._spinner = Spinner("line" if console.options.ascii_only else "dots")

    def add(self, event: SeatEvent) -> None:
        """Take note of an event."""
        if event.kind == "started":
            self.started[event.seat] = self._pen.console.get_time()
        else:
            self.finished[event.seat] = event

    def summary(self) -> str:
        """``3 of 12 seats``."""
        return f"{len(self.finished)} of {len(self.names)} judges"

    def done_line(self, event: SeatEvent) -> Text:
        """How one seat ended, on one line."""
        answered = event.status == "answered"
        mark = self._pen.text("✓ " if answered else "✗ ", "green" if answered else "red")
        how = "" if answered else f" {event.status}"
        rest = self._pen.text(f"{one_line(event.seat)}{how}  {seconds(event.seconds)}")
        return Text.assemble(mark, rest)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if len(self.names) > min(MOST_ROWS, options.size.height - 2):
            yield self._bar()
            return
        for name in self.names:
            yield self._row(name, console.get_time())
        yield self._pen.text(self.summary(), "dim")

    def _row(self, name: str, now: float) -> Text:
        if name in self.finished:
            return _one_row(self.done_line(self.finished[name]))
        if name not in self.started:
            return _one_row(self._pen.text(f"  {one_line(name)}", "dim"))
        frame = self._spinner.render(now)
        mark = frame if isinstance(frame, Text) else Text("*")
        elapsed = f"{max(now - self.started[name], 0):.0f} s"
        return _one_row(Text.assemble(mark, self._pen.text(f" {one_line(name)}  {elapsed}")))

    def _bar(self) -> Table:
        failed = sum(event.status != "answered" for event in self.finished.values())
        words = self.summary() + (f", {failed} without an answer" if failed else "")
        grid = Table.grid(padding=(0, 1))
        bar = ProgressBar(len(self.names), len(self.finished), width=20)
        grid.add_row(bar, _one_row(self._pen.text(words)))
        return grid


class Progress:
    """Shows a panel at work for as long as the ``with`` block lasts."""

    def __init__(self, console: Console) -> None:
        self._console = console
        # FORCE_COLOR makes rich take a CI log for a terminal; cursor movements would spoil it.
        self._can_draw = console.is_interactive and console.file.isatty()
        self._board = SeatBoard(console, ())
        self._live: Live | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._live:
            self._live.stop()

    def begin(self, names: Sequence[str]) -> None:
        """Tell who is seated, before the first event."""
        self._board = SeatBoard(self._console, names)
        if self._can_draw:
            # Standard output holds the result alone, so rich must not take it over.
            self._live = Live(
                self._board, console=self._console, transient=True, redirect_stdout=False
            )
            self._live.start()

    def on_event(self, event: SeatEvent) -> None:
        """Show that a seat began or ended."""
        self._board.add(event)
        if not self._live and event.kind == "finished":
            number = f"[{len(self._board.finished)}/{len(self._board.names)}] "
            self._console.print(Text.assemble(number, self._board.done_line(event)), soft_wrap=True)


def _one_row(text: Text) -> Text:
    """A seat is one row, however long its name: drawing over it needs to know the height."""
    text.no_wrap, text.overflow = True, "ellipsis"
    return text
