"""A limit of time for each of many looks: one that takes too long is told, and the others' results stay."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import TypeVar

Found = TypeVar("Found")


class OutOfTimeError(Exception):
    """A look took too long."""


class TimeLimits:
    """Seconds for one look, and for all of them together; the clock is that of the wall, as the seat's is."""

    def __init__(self, each: float, together: float) -> None:
        self._each, self._ends = each, time.monotonic() + together
        self.unfinished: list[str] = []

    def look(self, what: str, found: Iterable[Found]) -> Iterator[Found]:
        """What is found in time; ``unfinished`` names the look whose time is up."""
        kept = list[Found]()
        try:
            self._collect(found, kept)
        except OutOfTimeError:
            self.unfinished.append(what)
        yield from kept

    def _collect(self, found: Iterable[Found], kept: list[Found]) -> None:
        left = min(self._each, self._ends - time.monotonic())
        if left <= 0:
            raise OutOfTimeError
        if threading.current_thread() is not threading.main_thread():
            kept.extend(found)  # only there can a signal be heard
            return
        before = signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, left)
        try:
            kept.extend(found)  # what came before the signal stays in it
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def _stop(number: int, frame: FrameType | None) -> None:
    raise OutOfTimeError
