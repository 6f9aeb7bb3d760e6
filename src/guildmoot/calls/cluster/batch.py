"""Small pieces of work that come at the same time share one transaction, and so one wait for the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from guildmoot.errors import GuildmootError

if TYPE_CHECKING:
    from sqlalchemy import Connection

T = TypeVar("T")

MOST = 64
"""Pieces of work in one transaction."""

Transact = Callable[[Callable[["Connection"], list[Any]]], Awaitable[list[Any]]]


class _Piece(NamedTuple):
    key: str
    work: Callable[[Connection], object]
    done: asyncio.Future[Any]


class Batch:
    """Does work in the order it comes, as much of it at a time as there is."""

    def __init__(self, transact: Transact) -> None:
        self._transact = transact
        self._pieces: list[_Piece] = []
        self._task: asyncio.Task[None] | None = None

    async def do(self, key: str, work: Callable[[Connection], T]) -> T:
        """What the work comes to. It touches the call of that key, and raises before it writes."""
        piece = _Piece(key, work, asyncio.get_running_loop().create_future())
        self._pieces.append(piece)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._go_on())
        result: T = await piece.done
        return result

    async def settled(self) -> None:
        """Wait until what was begun is done."""
        if self._task is not None:
            await asyncio.wait((self._task,))

    async def _go_on(self) -> None:
        while self._pieces:
            batch, self._pieces = self._pieces[:MOST], self._pieces[MOST:]
            await self._do(batch)

    async def _do(self, batch: Sequence[_Piece]) -> None:
        try:
            found = await self._transact(partial(_all, [(each.key, each.work) for each in batch]))
        except Exception as error:  # noqa: BLE001 - whoever waits must hear of it, whatever it was
            if len(batch) > 1:
                for each in batch:  # only the one at fault must fail
                    await self._do([each])
                return
            found = [error]
        for piece, result in zip(batch, found, strict=True):
            if piece.done.done():
                continue
            if isinstance(result, Exception):
                piece.done.set_exception(result)
            else:
                piece.done.set_result(result)


def _all(
    pieces: Sequence[tuple[str, Callable[[Connection], object]]], connection: Connection
) -> list[object]:
    found: dict[int, object] = {}
    # Always in one order, or two machines could wait for each other's rows.
    for place in sorted(range(len(pieces)), key=lambda place: pieces[place][0]):
        try:
            found[place] = pieces[place][1](connection)
        except GuildmootError as error:
            found[place] = error
    return [found[place] for place in range(len(pieces))]
