"""Progress while the seats are at work: drawn live on a terminal, one line a seat elsewhere.

It is given events and prints to the console it is given, which should be standard
error; the result belongs to standard output.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, Protocol

from guildmoot.model.call import ReplyStatus
from guildmoot.reports.console import AnsiText, Console
from guildmoot.reports.pen import Pen
from guildmoot.text.clean import one_line, seconds

MOST_ROWS = 20
_BAR = 20
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_PLAIN_FRAMES = "-\\|/"
_REDRAWN = 0.125
_HIDE, _SHOW, _WIPE, _UP = "\x1b[?25l", "\x1b[?25h", "\x1b[2K", "\x1b[1A"


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
    @property
    def kept(self) -> str: ...


class SeatBoard:
    """Who is seated, at work and done, as the rows of a window."""

    def __init__(
        self, console: Console, names: Sequence[str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.names = tuple(names)
        self.started: dict[str, float] = {}
        self.finished: dict[str, SeatEvent] = {}
        self._pen = Pen(console)
        self._clock = clock
        self._frames = _FRAMES if console.encoding.startswith("utf") else _PLAIN_FRAMES

    def add(self, event: SeatEvent) -> None:
        """Take note of an event."""
        if event.kind == "started":
            self.started[event.seat] = self._clock()
        else:
            self.finished[event.seat] = event

    def summary(self) -> str:
        """``3 of 12 judges``."""
        return f"{len(self.finished)} of {len(self.names)} judges"

    def done_line(self, event: SeatEvent) -> AnsiText:
        """How one seat ended, on one line."""
        answered = event.status == "answered"
        mark = AnsiText() if answered else self._pen.text("✗ ", "red")
        how = " replied" if answered else f" {event.status}"  # whether it counts is read later
        if answered and event.kept:
            return AnsiText().add(
                self._pen.text(
                    f"{one_line(event.seat)} not asked: its answer of {event.kept} stands"
                )
            )
        return AnsiText().add(
            mark, self._pen.text(f"{one_line(event.seat)}{how}  {seconds(event.seconds)}")
        )

    def rows(self) -> Iterator[AnsiText]:
        """One row a seat, however long its name, or one for all: drawing over them needs to know the height."""
        console = self._pen.console
        if len(self.names) > min(MOST_ROWS, console.height - 2):
            yield self._bar().truncate(console.width - 1)
            return
        now = self._clock()
        for name in self.names:
            yield self._row(name, now).truncate(console.width - 1)
        yield self._pen.text(self.summary(), "dim")

    def _row(self, name: str, now: float) -> AnsiText:
        if name in self.finished:
            return self.done_line(self.finished[name])
        if name not in self.started:
            return self._pen.text(f"  {one_line(name)}", "dim")
        mark = self._frames[int(now / _REDRAWN) % len(self._frames)]
        elapsed = f"{max(now - self.started[name], 0):.0f} s"
        return self._pen.text(f"{mark} {one_line(name)}  {elapsed}")

    def _bar(self) -> AnsiText:
        failed = sum(event.status != "answered" for event in self.finished.values())
        words = self.summary() + (f", {failed} without an answer" if failed else "")
        full = _BAR * len(self.finished) // len(self.names)
        done, left = AnsiText("=" * full, "green"), AnsiText("-" * (_BAR - full), "dim")
        return AnsiText().add(done, left, " ", self._pen.text(words))


class _Drawing:
    """Draws the board again and again over itself, and takes it away in the end."""

    def __init__(self, console: Console, board: SeatBoard) -> None:
        self._console = console
        self._board = board
        self._height = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="guildmoot-progress", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Leave the window as it was."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        file = self._console.file
        try:
            file.write(_HIDE)
            while True:
                rows = [self._console.render(row) for row in self._board.rows()]
                file.write(self._back() + "\n".join(rows))
                file.flush()
                self._height = len(rows)
                if self._stopped.wait(_REDRAWN):
                    break
            file.write(_SHOW + self._back())
            file.flush()
        except (OSError, ValueError):  # the terminal is gone; the work goes on
            return

    def _back(self) -> str:
        """To the first row, with nothing left below it."""
        return ("\r" + _WIPE + (_UP + _WIPE) * (self._height - 1)) if self._height else "\r" + _WIPE


class Progress:
    """Shows a panel at work for as long as the ``with`` block lasts."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._board = SeatBoard(console, ())
        self._drawing: _Drawing | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._drawing:
            self._drawing.stop()

    def begin(self, names: Sequence[str]) -> None:
        """Tell who is seated, before the first event."""
        self._board = SeatBoard(self._console, names)
        if self._console.can_draw:
            self._drawing = _Drawing(self._console, self._board)

    def on_event(self, event: SeatEvent) -> None:
        """Show that a seat began or ended."""
        self._board.add(event)
        if not self._drawing and event.kind == "finished":
            number = f"[{len(self._board.finished)}/{len(self._board.names)}] "
            self._console.print(AnsiText(number).add(self._board.done_line(event)))
