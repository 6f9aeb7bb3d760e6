"""A vendor's client as a worker: headless, held to the specialist's scope, paid for through the ledger.

It is never started with its permissions bypassed: it gets the tools of its scope and no others, and whatever would ask
a person is refused by the client. Its words have no effect; its files and its receipt do.
"""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.agents.binding import bind_model, parse_model
from guildmoot.agents.registry import load_agents
from guildmoot.agents.roster import seat_for
from guildmoot.backends import get_backend, traits_of
from guildmoot.backends.work import DISPATCH
from guildmoot.calls.session import ReusePolicy, open_session
from guildmoot.errors import GuildmootError
from guildmoot.guard.secrets import mask
from guildmoot.lifecycle.deferral import CONTRACT
from guildmoot.lifecycle.execution.workers.base import LaneJob, WorkerHandle, WorkerState
from guildmoot.lifecycle.receipt import SCHEMA
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply, Work
from guildmoot.text.clean import clean, one_line

if TYPE_CHECKING:
    from guildmoot.config import Config

_SCOPE = ("Read", "Glob", "Grep", "Edit", "Write")
"""Of a specialist that names none: it runs no commands."""
_NOT_OURS = ("missing",)
_NOT_TO_BE_HAD = ("missing", "failed")
"""The client is not there, crashed, or was refused: the next of the chain is asked."""


class _Asked:
    """A client at work."""

    task: asyncio.Task[Reply]
    notes: tuple[str, ...] = ()

    async def ended(self) -> None:
        await asyncio.wait({self.task})


class ClientWorkers:
    """Every lane is a call of the model of its tier, with tools, in its worktree."""

    name = "client"

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
            if reply.status not in _NOT_TO_BE_HAD or not following:
                break
            why = one_line(clean(reply.error))[-200:] or reply.status
            handle.notes += (f"{model} could not be had ({why}): {following} takes over",)
        return reply

    async def _ask(self, job: LaneJob) -> Reply:
        place = job.folder / receipt_place(job)
        place.parent.mkdir(parents=True, exist_ok=True)
        agent = worker_agent(job.task, job.model, self._root)
        told = tuple(item for item in job.environment.items() if item[0] in DISPATCH)
        ceilings = tuple(item for item in job.environment.items() if item[0].startswith("GIT_"))
        work = Work(str(job.folder), job.tools or _SCOPE, (*told, *ceilings), job.max_usd)
        text = mask(lane_prompt(job, job.bundle.read_text(encoding="utf-8")), "brief")[0]
        call = Call(
            seat_for(agent, f"lane {job.task}"), agent, text, workdir=str(job.folder),
            timeout=job.seconds, work=work, attempt=job.attempt - 1,
        )  # fmt: skip
        reuse = ReusePolicy(only=job.run)
        with open_session(self._root, job.run, self._config, reuse=reuse) as session:
            return (await session.ask([call])).replies[0]

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
            return WorkerState("ended", problem=one_line(clean(message)), infrastructure=True)
        reply = handle.task.result()
        text = mask(clean(reply.text or reply.error), "output")[0]
        said = one_line(clean(reply.error))[-300:] or reply.status
        problem = "" if reply.status == "answered" else said
        return WorkerState(
            "ended", 0 if not problem else None, output=text, problem=problem,
            infrastructure=reply.status in _NOT_OURS, notes=handle.notes,
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


def worker_agent(name: str, model: str, root: Path) -> Agent:
    """The agent of the user's that is named, or a blank one on a model; its bundle is all that it is told."""
    known = load_agents(root).agents.get(model)
    if known is not None:
        return known._replace(name=name)
    return bind_model(Agent(name, f"{name} of a lane", "", "built in"), parse_model(model))


def receipt_place(job: LaneJob) -> Path:
    """Where a client that may only write to its worktree puts the receipt."""
    return Path(".guild") / "runs" / job.run / "handoffs" / f"{job.owner}-{job.task}.md"


def lane_prompt(job: LaneJob, bundle: str) -> str:
    """The bundle, then what is done with it. Pure."""
    envelope = (
        f'{{"schema_version": "{SCHEMA}", "task_id": "{job.task}", "tier": "{job.tier}", "status": "done",'
        ' "summary": "...", "artifacts": [], "issues": []}'
    )
    return f"""{bundle.rstrip()}

## How you hand over

Work in this folder alone; it is a git worktree of yours. Commit nothing, push nothing. When the work is done, or you
cannot go on, write `{receipt_place(job)}`:

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
