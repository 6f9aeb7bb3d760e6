"""A vendor's client as a worker: headless, held to the specialist's scope, paid for through the ledger.

It is never started with its permissions bypassed: it gets the tools of its scope and no others, and whatever would ask
a person is refused by the client. Its words have no effect; its files and its receipt do.
"""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.agents.roster import seat_for
from guildmoot.backends import get_backend, traits_of
from guildmoot.backends.enclosure import command_view, lane_view
from guildmoot.backends.work import DISPATCH, OVER_BUDGET
from guildmoot.calls.pricing import prices_of
from guildmoot.calls.session import ReusePolicy, open_session
from guildmoot.errors import BudgetError, GuildmootError
from guildmoot.guard.secrets import mask
from guildmoot.lifecycle.deferral import CONTRACT
from guildmoot.lifecycle.execution.budgets import added
from guildmoot.lifecycle.execution.workers.base import LaneJob, WorkerHandle, WorkerState
from guildmoot.lifecycle.execution.workers.guarding import SCOPE, unguarded, worker_agent
from guildmoot.lifecycle.receipt import SCHEMA
from guildmoot.lifecycle.terms import token_rates
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply, Usage, Work
from guildmoot.system.files import folder_inside, put_in_place
from guildmoot.text.clean import clean, one_line

if TYPE_CHECKING:
    from guildmoot.config import Config

_NOT_OURS = ("missing",)
_NOT_TO_BE_HAD = ("missing", "failed")
"""The client is not there, crashed, or was refused: the next of the chain is asked."""


class _Asked:
    """A client at work."""

    task: asyncio.Task[Reply]
    notes: tuple[str, ...] = ()
    usage: Usage | None = None

    async def ended(self) -> None:
        await asyncio.wait({self.task})


class ClientWorkers:
    """Every lane is a call of the model of its tier, with tools, in its worktree."""

    name = "client"
    nudged = "a client cannot be told while it works: it is ended unless it gives a sign"

    def __init__(self, tiers: dict[str, str], config: Config, root: Path) -> None:
        self._tiers, self._config, self._root = tiers, config, root
        self.why = f"headless clients by tier: {', '.join(f'{t} {m}' for t, m in tiers.items())}"
        if config.text("engine.url"):
            self.why += "; on this machine, for the shared engine changes no files"
        self._running: list[_Asked] = []

    def unavailable(self) -> str:
        """Why the model of a tier cannot work here; empty when each can."""
        for tier, model in self._tiers.items():
            try:
                agent = worker_agent("worker", model, self._root)
            except GuildmootError as wrong:
                return f"{tier}: {wrong.message}"
            if not traits_of(agent.backend).works:
                return f"{tier}: {model} judges and does no work"
            if missing := get_backend(agent.backend).missing(agent):
                return f"{tier}: {missing}"
        return ""

    async def spawn(self, job: LaneJob) -> WorkerHandle:
        handle = _Asked()
        handle.task = asyncio.create_task(self._ask_in_turn(job, handle))
        self._running.append(handle)
        return handle

    async def _ask_in_turn(self, job: LaneJob, handle: _Asked) -> Reply:
        """The model of the tier, then those of ``work.fallback``; every change is told."""
        chain = [job.model, *(m for m in self._config.strings("work.fallback") if m != job.model)]
        for model, following in pairwise((*chain, "")):
            reply = await self._ask(job._replace(model=model))
            handle.usage = added(handle.usage, reply.usage)
            if reply.status not in _NOT_TO_BE_HAD or reply.ending in OVER_BUDGET or not following:
                break
            why = one_line(clean(reply.error))[-200:] or reply.status
            handle.notes += (f"{model} could not be had ({why}): {following} takes over",)
        return reply

    async def _ask(self, job: LaneJob) -> Reply:
        folder_inside(job.folder, job.inner_receipt.parent)
        agent = worker_agent(job.task, job.model, self._root)
        guarded = bool(job.root) or not self._config.flag("work.fence")
        if why := unguarded(agent, job.tools or SCOPE, fenced=guarded):
            return Reply(agent.name, "missing", error=why)
        told = tuple(item for item in job.environment.items() if item[0] in DISPATCH)
        ceilings = tuple(item for item in job.environment.items() if item[0].startswith("GIT_"))
        work = Work(
            str(job.folder), job.tools or SCOPE, (*told, *ceilings), job.max_usd,
            fence_of(job, agent, self._config.strings("work.writable")),
            max_tokens=job.max_tokens, anchor=anchor(job), heartbeat=str(job.heartbeat),
            live=str(job.live), rates=token_rates(prices_of(self._config), job.model),
        )  # fmt: skip
        with job.live.open("a", encoding="utf-8") as stream:  # some say nothing before their end
            stream.write(f"{job.model} is at work\n")
        bundle = job.bundle.read_text(encoding="utf-8")
        text = mask(lane_prompt(job, bundle, job.inner_receipt), "brief")[0]
        put_in_place(job.folder / job.inner_brief, text.encode("utf-8", "replace"))
        call = Call(
            seat_for(agent, f"lane {job.task}"), agent, text, workdir=str(job.folder),
            timeout=job.seconds, work=work, attempt=job.attempt - 1,
        )  # fmt: skip
        reuse = ReusePolicy(only=job.run)
        with open_session(self._root, job.run, self._config, reuse=reuse) as session:
            reply = (await session.ask([call])).replies[0]
            paid = session.costs[-1].usd
        return reply._replace(usage=reply.usage._replace(cost_usd=paid)) if reply.usage else reply

    async def send_task(self, handle: WorkerHandle, text: str) -> bool:
        return False

    def read_state(self, handle: WorkerHandle) -> WorkerState:
        if not isinstance(handle, _Asked):
            return WorkerState("lost")
        if not handle.task.done():
            return WorkerState("running")
        if handle.task.cancelled():
            return WorkerState("ended", problem="it was ended")
        wrong = handle.task.exception()
        if wrong is not None:
            message = wrong.message if isinstance(wrong, GuildmootError) else str(wrong)
            unpaid = isinstance(wrong, BudgetError)
            return WorkerState(
                "ended", problem=one_line(clean(message)), infrastructure=not unpaid, unpaid=unpaid
            )
        reply = handle.task.result()
        text = mask(clean(reply.text or reply.error), "output")[0]
        said = one_line(clean(reply.error))[-300:] or reply.status
        problem = "" if reply.status == "answered" else said
        return WorkerState(
            "ended", 0 if not problem else None, output=text, problem=problem,
            infrastructure=reply.status in _NOT_OURS, notes=handle.notes, usage=handle.usage,
            over=reply.ending in OVER_BUDGET,
        )  # fmt: skip

    async def dismiss(self, handle: WorkerHandle) -> bool:
        if not isinstance(handle, _Asked):
            return False
        handle.task.cancel()
        await asyncio.wait({handle.task})
        return handle.task.done()

    async def teardown(self) -> None:
        for handle in self._running:
            await self.dismiss(handle)


def fence_of(job: LaneJob, agent: Agent, writable: tuple[str, ...]) -> tuple[str, ...]:
    """All is read-only but what is the lane's; nothing without a fence.

    What a client keeps for itself lies in a scratch home, which is opened for it when it is made.
    """
    if not job.root:
        return ()
    view = lane_view if traits_of(agent.backend).is_client else command_view
    return view(job.root, job.open_places, writable)


def anchor(job: LaneJob) -> str:
    """What a client is told in a place that no compaction takes away. Pure."""
    return (
        f"You do the lane {job.task} of the run {job.run} as {job.owner}. Your whole brief is in {job.inner_brief};"
        " when your context was compacted, read it again before you go on, and look at what is changed already."
        f" You hand over by writing {job.inner_receipt}."
    )


def lane_prompt(job: LaneJob, bundle: str, receipt: Path) -> str:
    """The bundle, then what is done with it, and where the receipt goes. Pure."""
    envelope = (
        f'{{"schema_version": "{SCHEMA}", "task_id": "{job.task}", "tier": "{job.tier}", "status": "done",'
        ' "summary": "...", "artifacts": [], "issues": []}'
    )
    return f"""{bundle.rstrip()}

## How you hand over

Work in this folder alone; it is a git worktree of yours. Commit nothing, push nothing. When the work is done, or you
cannot go on, write `{receipt}`:

---
specialist: {job.owner}
task_id: {job.task}
changed_files:
  - {{path: app/new.py, change: added, sha256_after: 64 hex digits}}
---
## changed_files
- app/new.py
## opens_for
none
## assumptions
none
## evidence
- `a command` exit code 0
## followups
none

```{SCHEMA}
{envelope}
```

Name every file that you changed; without a shell leave the front matter's changed_files away. A claim that git does not
show is sent back to you once. status is done, blocked or escalate (then with escalate_reason). What you may not do
yourself, and the rest does not need, you leave to a person: do the safe half, and add a block

```{CONTRACT}
{{"action": "the exact command or change", "reason": "why not you", "required": true}}
```
"""
