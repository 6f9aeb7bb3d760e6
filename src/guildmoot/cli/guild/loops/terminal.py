"""What a loop tells and asks at a terminal."""

from __future__ import annotations

import select
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guildmoot.loops.values import LoopPosition, Question


class LoopView:
    """Lines on standard error; on a terminal the last one says where the loop is, and is written over."""

    def __init__(self, *, quiet: bool) -> None:
        self._live = sys.stderr.isatty()
        self._silent = quiet and not self._live
        self._shown = False

    def tell(self, line: str) -> None:
        """One line for people."""
        if not self._silent:
            self.end()
            sys.stderr.write(f"{line}\n")

    def show(self, position: LoopPosition) -> None:
        """Where it is now."""
        if self._live:
            sys.stderr.write(f"\r\x1b[K{position.line()[:79]}")
            sys.stderr.flush()
            self._shown = True

    def end(self) -> None:
        """Take the last line back."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            self._shown = False

    def ask(self, question: Question) -> bool | None:
        """Ask whoever sits there; None where nobody does."""
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return None
        self.end()
        sys.stderr.write(f"{question.text} [y/N] ")
        sys.stderr.flush()
        return _line().lower() in ("y", "yes")

    def ask_text(self, question: str) -> str | None:
        """A line of whoever sits there; None where nobody does."""
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return None
        self.end()
        sys.stderr.write(f"{question} ")
        sys.stderr.flush()
        return _line()


def _line() -> str:
    """What is typed; whoever waits for it is not inside the stream, so the program can end meanwhile."""
    select.select([sys.stdin], [], [])
    return sys.stdin.readline().strip()
