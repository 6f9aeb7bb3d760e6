"""Runs work that spawns from a program without a loop, and makes it answer to signals.

The first Ctrl-C (or SIGTERM, or a closed terminal) cancels the work, which ends its calls in order
and keeps what it has; the second kills every child at once; the third is Python's own.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import guildmoot.system.wake  # noqa: F401 - threads are heard in a sandbox, too
from guildmoot.errors import Interrupted
from guildmoot.system.bounded import stop_bounded
from guildmoot.system.process import kill_all

T = TypeVar("T")

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


GRACE = 0.25
"""Seconds from the first Ctrl-C in which work may end in order, when nobody has answered yet."""


def run_foreground(work: Coroutine[Any, Any, T], leave: Callable[[], None] = lambda: None) -> T:
    """Run ``work`` to its end; one that does not survive its cancellation raises Interrupted.

    ``leave`` is called when it goes on a moment after it was told to stop: it may end the program.
    On a thread other than the main one no signal handler can be set; it then runs without.
    """
    try:
        with asyncio.Runner() as runner:
            return runner.run(_stoppable(work, leave))[0]
    except asyncio.CancelledError:
        raise Interrupted("stopped before there was anything to keep") from None


class _Quiet(tuple[T]):
    """A result that is not written out: the runner asks for the words of its task, and drops them."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "a result"


async def _stoppable(work: Coroutine[Any, Any, T], leave: Callable[[], None]) -> tuple[T]:
    # A task of its own: cancelling one that has just finished does nothing, so no result is lost.
    task = asyncio.ensure_future(work)
    with _signals_stop(task, leave):
        return _Quiet((await task,))


@contextmanager
def _signals_stop(task: asyncio.Task[Any], leave: Callable[[], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    # One that the caller ignores (nohup) stays ignored.
    before = {number: signal.getsignal(number) for number in _STOPPING}
    before = {number: old for number, old in before.items() if old is not signal.SIG_IGN}
    received = 0

    def stop() -> None:
        nonlocal received
        received += 1
        if received == 1:
            task.cancel()
            stop_bounded()
            loop.call_later(GRACE, leave)
            return
        kill_all()
        for number in before:
            loop.remove_signal_handler(number)

    for number in before:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number, old in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, old)
