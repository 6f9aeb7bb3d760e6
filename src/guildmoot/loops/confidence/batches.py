"""Batches of one tier, one after another or several at once, each in a clone of its own.

Those that were proven at once are put together in their fixed order and verified together; where they do not fit
together, the first one stands and the others are proven again on top of it, one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from guildmoot.calls import Event, Watch
from guildmoot.loops.transform import CommandTransformer, KeptTransformer
from guildmoot.loops.units import Steadiness, UnitContract, UnitRunner, first_red, why_refused
from guildmoot.loops.values import Held, LoopPosition, LoopRequest, LoopTools, UnitResult
from guildmoot.loops.workshop import Workshop

if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

TOGETHER = 30
"""Items that a command is given at once where nothing is verified."""


class Crew:
    """The clones of a loop, and what is done in them."""

    def __init__(
        self, request: LoopRequest, shop: Workshop, contract: UnitContract, tools: LoopTools
    ) -> None:
        self._request, self._shop, self._contract, self._tools = request, shop, contract, tools
        self._steadiness = Steadiness()
        self.position = LoopPosition()
        self.first = self._runner(shop)
        self._more: list[UnitRunner] = []
        self._attempts: Counter[int] = Counter()

    def _runner(self, shop: Workshop) -> UnitRunner:
        return UnitRunner(
            self._request, shop, self._contract, self._tools.judge, self._steadiness,
            self._step, Watch(on_event=self._seat), self._tools.trace,
        )  # fmt: skip

    def _step(self, step: str) -> None:
        self._tools.watcher.show(self.position._replace(step=step))

    def _seat(self, event: Event) -> None:
        if event.kind == "started":
            self._tools.watcher.show(self.position._replace(step="panel", seat=event.seat))

    def prove(self, batches: Sequence[list[str]]) -> Iterator[UnitResult]:
        """Each batch's result, in order, to be landed before the next one is asked for."""
        for done in self._prove(batches):
            self._attempts[1 + len(done.remedies)] += 1
            yield done

    def _prove(self, batches: Sequence[list[str]]) -> Iterator[UnitResult]:
        if len(batches) == 1:
            yield self.first.run(batches[0])
            return
        results = self._at_once(batches)
        if self._fit(results):
            yield from (done._replace(last=False) for done in results[:-1])
            yield results[-1]
            return
        yield results[0]
        for batch in batches[1:]:
            yield self.first.run(batch)

    def _at_once(self, batches: Sequence[list[str]]) -> list[UnitResult]:
        while len(self._more) < len(batches) - 1:
            name = f"{self._shop.folder.name}-{len(self._more) + 2}"
            self._more.append(self._runner(self._shop.beside(name)))
        runners = [self.first, *self._more[: len(batches) - 1]]
        for runner in runners[1:]:
            runner.shop.move(self._shop.base)
        with ThreadPoolExecutor(len(runners)) as pool:
            waiting = [pool.submit(r.run, b) for r, b in zip(runners, batches, strict=True)]
            return [each.result() for each in waiting]

    def _fit(self, results: Sequence[UnitResult]) -> bool:
        """Whether all that was proven at once passes together; the clone then holds nothing of it."""
        together: Held = {}
        for done in results:
            together |= done.held
        if sum(bool(done.held) for done in results) > 1:
            self._shop.put(together)
            return first_red(self.first.verify()) is None
        return True

    def apply_again(self, paths: Sequence[str]) -> Record | None:
        """What a second application would change: nothing, when the transform is what it should be."""
        again = self._contract.transformer
        if isinstance(again, KeptTransformer) and self._request.transform:
            again = CommandTransformer(self._request.transform, self._request.timeout)
        if not isinstance(again, CommandTransformer) or not paths:
            return None
        found: list[str] = []
        for start in range(0, len(paths), TOGETHER):
            some = paths[start : start + TOGETHER]
            self._shop.reset()
            again.change(self._shop, some)
            found += some if why_refused(self._shop, some) else self._shop.changed()
        self._shop.reset()
        return {"checked": len(paths), "changed": found}

    @property
    def trials(self) -> tuple[int, int]:
        """Runs of the verification that looked for who is to blame, and those of one item by itself."""
        runners = (self.first, *self._more)
        return sum(each.trials for each in runners), sum(each.alone for each in runners)

    @property
    def infrastructure(self) -> int:
        return sum(runner.infrastructure for runner in (self.first, *self._more))

    @property
    def attempts(self) -> Record:
        """How many units took how many tries."""
        return {str(tries): units for tries, units in sorted(self._attempts.items())}

    def close(self) -> None:
        """Take every clone away."""
        for runner in (self.first, *self._more):
            runner.shop.end()
