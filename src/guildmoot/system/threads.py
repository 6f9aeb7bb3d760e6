"""Runs blocking work away from the caller's event loop, so that a server's loop is never held up."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import guildmoot.system.wake  # noqa: F401 - threads are heard in a sandbox, too
from guildmoot.system.git import project_root

T = TypeVar("T")


async def off_loop(work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work``, which runs on a thread with an event loop of its own.

    It may block as it likes. A cancellation is passed on and waited for: work that survives it
    still gives its result.
    """
    run = _Run(work, asyncio.get_running_loop())
    thread = threading.Thread(
        target=contextvars.copy_context().run, args=(run.main,), name="guildmoot-run", daemon=True
    )
    thread.start()
    while True:
        try:
            result: T = await asyncio.shield(run.done)
            return result
        except asyncio.CancelledError:
            if run.done.done():
                raise
            run.cancel()


async def in_project(cwd: Path, function: Callable[[Path], T]) -> T:
    """The result of a blocking function of the project's root, which runs on a thread."""
    return await asyncio.to_thread(lambda: function(project_root(cwd.absolute())))


def relayed(callback: Callable[..., None]) -> Callable[..., None]:
    """``callback`` called on the running loop, from whatever thread its caller is on."""
    loop = asyncio.get_running_loop()

    def call(*arguments: object) -> None:
        with suppress(RuntimeError):  # the loop has ended: nobody listens any more
            loop.call_soon_threadsafe(callback, *arguments)

    return call


class _Run:
    """One piece of work, and the way between its loop and the caller's."""

    def __init__(self, work: Coroutine[Any, Any, Any], caller: asyncio.AbstractEventLoop) -> None:
        self.done: asyncio.Future[Any] = caller.create_future()
        self._work = work
        self._caller = caller
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[Any] | None = None
        self._cancelled = False

    def main(self) -> None:
        """What the thread does."""
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                result = runner.run(self._attended())
        except asyncio.CancelledError:
            self._tell(self.done.cancel)
        except BaseException as error:  # noqa: BLE001 - raised again where the work is awaited
            self._tell(self.done.set_exception, error)
        else:
            self._tell(self.done.set_result, result)

    def cancel(self) -> None:
        """Ask the work to end; called from the caller's thread."""
        with suppress(RuntimeError):  # it has ended already
            self._loop.call_soon_threadsafe(self._cancel)

    async def _attended(self) -> Any:  # noqa: ANN401 - whatever the work gives
        self._task = asyncio.ensure_future(self._work)
        if self._cancelled:
            self._task.cancel()
        return await self._task

    def _cancel(self) -> None:
        self._cancelled = True
        if self._task is not None:
            self._task.cancel()

    def _tell(self, how: Callable[..., object], *values: object) -> None:
        with suppress(RuntimeError):  # the caller's loop was closed meanwhile
            self._caller.call_soon_threadsafe(how, *values)
