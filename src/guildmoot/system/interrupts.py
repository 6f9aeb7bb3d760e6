"""Ctrl-C while modules are loaded: it waits until the loader is at rest.

Python runs a signal's handler between any two instructions. An exception raised there while the loader drops a lock
in a callback is printed and forgotten, and the lock is held for ever: the program goes on, or hangs. So whoever loads
much after its first sign of life sets this handler.
"""

from __future__ import annotations

import signal
from types import FrameType

_LOADER = "<frozen importlib._bootstrap>"
_SOON = 0.005
"""Seconds until it is tried again."""


def interrupt_between_imports() -> None:
    """Raise KeyboardInterrupt as Python does, but never inside its loader; another meaning of Ctrl-C stays."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGALRM, _again)
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if frame is not None and frame.f_code.co_filename == _LOADER:
        signal.setitimer(signal.ITIMER_REAL, _SOON)
        return
    raise KeyboardInterrupt


def _again(number: int, frame: FrameType | None) -> None:
    """As if it came now: by then another may listen."""
    signal.raise_signal(signal.SIGINT)
