"""Does lanes that other machines offer: ``guild worker --lanes``.

The owner's own command or clients do the work, in a worktree of a scratch repository behind the same fence as a lane
that is done at home. A job brings commits and a brief; it never says which program runs.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from guildmoot.calls.cluster.needs import LaneRoom
from guildmoot.errors import GuildmootError, InfrastructureError
from guildmoot.lifecycle.execution.attempt import newest
from guildmoot.lifecycle.execution.checking import find_receipt
from guildmoot.lifecycle.execution.lane_folder import git_places, lane_environment
from guildmoot.lifecycle.execution.workers.base import LaneJob, LaneWorkers, WorkerState
from guildmoot.lifecycle.execution.workers.packs import Scratch
from guildmoot.lifecycle.execution.workers.parcel import (
    LaneOutcome,
    LaneParcel,
    ParcelError,
    as_text,
    gather,
    read_parcel,
)
from guildmoot.lifecycle.execution.workers.seal import lanes_key, sealed, unsealed
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.loops.workshop import git
from guildmoot.system.files import put_in_place, read_own
from guildmoot.system.removal import remove_folder
from guildmoot.text.clean import clean, one_line

if TYPE_CHECKING:
    from guildmoot.calls.cluster.lanes import TakenLane
    from guildmoot.calls.cluster.worker import LanePost

_LOOK = 0.5
_TAIL = 4000
_FAR = 10.0
"""Seconds between two looks at when a file of the worktree last changed."""


class LaneOwner(NamedTuple):
    """What the owner of a worker lets it do with lanes."""

    backend: LaneWorkers
    slots: int
    models: Mapping[str, str]
    """Who does which tier; an empty name is whoever the command asks."""
    fenced: bool


class _Place(NamedTuple):
    """A lane on this machine."""

    job: LaneJob
    repository: RunRepository
    base: str


class LaneService:
    """The lanes of one worker."""

    def __init__(self, owner: LaneOwner, scratch: Scratch, say: Callable[[str], None]) -> None:
        self.owner, self._scratch, self._say = owner, scratch, say
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._closing = False

    def room(self) -> LaneRoom:
        """What the worker advertises."""
        return LaneRoom(self.owner.slots, tuple(self.owner.models), self._scratch.commits)

    def _prepare(self) -> None:
        """Make the scratch repository, and take away what a killed worker of this name left in it."""
        self._scratch.open()
        for left in ("worktrees", "runs"):
            remove_folder(self._scratch.root / ".guild" / left)

    async def serve(self, post: LanePost) -> None:
        """Take lanes until told to close."""
        from guildmoot.calls.cluster import lanes

        await asyncio.to_thread(self._prepare)  # now that nobody else has this name
        try:
            while not self._closing:
                taken = None
                await post.fence.restored()
                if len(self._busy) < self.owner.slots:
                    token = uuid4().hex
                    taken = await post.tried(
                        partial(lanes.take, executor=post.executor, ticket=post.ticket, token=token)
                    )
                if taken:
                    self._busy[taken.id] = asyncio.create_task(self._do(post, taken))
                    continue
                await asyncio.sleep(_LOOK)
                self._busy = {key: task for key, task in self._busy.items() if not task.done()}
            if self._busy:
                await asyncio.wait(self._busy.values())
        finally:
            for task in self._busy.values():
                task.cancel()
            await asyncio.gather(*self._busy.values(), return_exceptions=True)

    def close(self) -> None:
        """Take nothing new; ``serve`` returns when what is at work has ended."""
        self._closing = True

    async def _do(self, post: LanePost, taken: TakenLane) -> None:
        """One lane, from its job to its result; done anew where heartbeats stopped and it is still ours."""
        from guildmoot.calls.cluster import lanes

        self._say(f"lane {taken.task} was taken")
        while True:
            done = await post.fence.guarded(self._outcome(post, taken))
            if done is not None:
                break
            self._say(f"lane {taken.task} was ended: the database is away")
            await post.fence.restored()
            order = await post.surely(lambda c: lanes.sign(c, taken, lanes.LaneSign()))
            if not order.ours:
                self._say(f"lane {taken.task} has gone to somebody else")
                return
        state, kept, outcome = done
        result = _sealed(as_text(outcome), f"result {taken.id}")
        finish = partial(lanes.finish, taken=taken, state=state, result=result, kept=kept)
        written = await post.surely(finish)
        how = state if kept or state == "dismissed" else f"could not be done: {outcome.problem}"
        self._say(f"lane {taken.task}: {how if written else 'it comes too late, and was refused'}")

    async def _outcome(self, post: LanePost, taken: TakenLane) -> tuple[str, bool, LaneOutcome]:
        """How it ended, whether its result counts, and the result; whatever fails, the asker hears of it."""
        from guildmoot.calls.cluster import lanes

        place = None
        try:
            text = await post.surely(lambda c: lanes.job_of(c, taken))
            parcel = read_parcel(unsealed(text, lanes_key(), f"job {taken.id}"))
            place = await asyncio.to_thread(self._unpack, taken.id, parcel)
            return await self._work(post, taken, place)
        except GuildmootError as wrong:
            return "ended", False, LaneOutcome(problem=wrong.message)
        except (OSError, ValueError) as wrong:
            return "ended", False, LaneOutcome(problem=f"{type(wrong).__name__}: {wrong}")
        finally:
            if place:
                await asyncio.to_thread(place.repository.end)
            await asyncio.to_thread(remove_folder, self._scratch.place(taken.id[:16]))

    def _unpack(self, name: str, parcel: LaneParcel) -> _Place:
        """A worktree of the lane's base with its files in it, and the record of the dispatch beside it."""
        if parcel.tier not in self.owner.models:
            raise ParcelError(f"nobody here does lanes of the tier {parcel.tier}")
        try:
            pack = base64.b64decode(parcel.pack, validate=True)
        except (binascii.Error, ValueError):
            raise ParcelError("the pack of the job cannot be read") from None
        self._scratch.take(pack, parcel.base)
        repository = RunRepository(WorkFolder(self._scratch.root), name[:16])
        repository.check_room(1, parcel.base)
        folder = repository.add(parcel.task, parcel.base)
        git(folder, "read-tree", "-m", "-u", "HEAD", parcel.start)
        git(folder, "read-tree", "HEAD")
        place = self._scratch.place(name[:16])
        inbox = place / "inbox"
        inbox.mkdir(exist_ok=True)
        texts = {
            "bundle.md": parcel.brief, "sent-back.md": parcel.sent_back,
            "dispatch.json": parcel.assignment, "specialist.md": parcel.definition,
        }  # fmt: skip
        for file, text in texts.items():
            if text or file == "bundle.md":
                put_in_place(place / file, text.encode("utf-8", "replace"))
        fenced = self.owner.fenced
        root = str(self._scratch.root) if fenced else ""
        open_to = (str(folder), str(inbox), *git_places(folder)) if fenced else ()
        job = LaneJob(
            parcel.run, parcel.task, parcel.owner, parcel.attempt, folder, place / "bundle.md",
            inbox / f"{parcel.owner}-{parcel.task}.md", inbox / "heartbeat.json", inbox / "nudge.txt",
            {}, parcel.tier, self.owner.models[parcel.tier] or parcel.model, parcel.tools, parcel.seconds,
            parcel.max_usd, place / "live.log", root, open_to, base=parcel.base,
        )  # fmt: skip
        return _Place(job._replace(environment=_environment(job, parcel)), repository, parcel.base)

    async def _work(
        self, post: LanePost, taken: TakenLane, place: _Place
    ) -> tuple[str, bool, LaneOutcome]:
        from guildmoot.calls.cluster import lanes

        backend, job, quiet = self.owner.backend, place.job, lanes.LaneOrder()
        handle = await backend.spawn(job)
        ended = asyncio.ensure_future(handle.ended())
        signs = _Signs(job)
        try:
            while not ended.done():
                await asyncio.wait({ended}, timeout=2 * _LOOK)
                state = backend.read_state(handle)
                sign = lanes.LaneSign(*await asyncio.to_thread(signs.now, state))
                # None while the database is away: the fence watches over that
                order = await post.tried(partial(lanes.sign, taken=taken, told=sign)) or quiet
                if order.dismissed or not order.ours:
                    sure = await backend.dismiss(handle)
                    said = "" if sure else "its end could not be confirmed"
                    return "dismissed", False, LaneOutcome(problem=said)
                if order.nudge and order.nudge != signs.nudged:
                    signs.nudged = order.nudge
                    put_in_place(job.nudge, f"{order.nudge}\n".encode("utf-8", "replace"))
                    await backend.send_task(handle, order.nudge)
            state = backend.read_state(handle)
            if state.infrastructure:
                return "ended", False, LaneOutcome(problem=state.problem)
            return "ended", True, await asyncio.to_thread(self._result, place, state)
        finally:
            ended.cancel()
            await asyncio.shield(backend.dismiss(handle))

    def _result(self, place: _Place, state: WorkerState) -> LaneOutcome:
        """The files that it changed, and what it handed over."""
        job, notes = place.job, list(state.notes)
        if not self.owner.fenced:
            notes.append("no fence is around its lanes")
        try:
            diff = place.repository.diff(job.task, place.base)
            files = gather(job.folder, diff.changed)
        except (ParcelError, InfrastructureError) as wrong:
            return LaneOutcome(state.exit_code, state.output, wrong.message, tuple(notes))
        notes += [
            f"{path} is another repository, and was left there"
            for path in diff.odd
            if path not in files
        ]
        text, problem, _ = find_receipt(job, self._scratch.root)
        pushes = read_own(job.receipt.with_name("refused-pushes"), 100_000).decode("utf-8", "replace")  # fmt: skip
        return LaneOutcome(
            state.exit_code, state.output, state.problem, tuple(notes), None if problem else text,
            pushes, files,
        )  # fmt: skip


class _Signs:
    """What a lane shows of being alive."""

    def __init__(self, job: LaneJob) -> None:
        self._job = job
        self.nudged = ""
        self._looked = self._files = time.time()

    def now(self, state: WorkerState) -> tuple[str, int, str, float]:
        """The last lines, how much there is in all, the heartbeat, and the seconds since any of it."""
        text = read_own(self._job.live).decode("utf-8", "replace").replace("\0", "")
        beat = read_own(self._job.heartbeat, 4000).decode("utf-8", "replace").replace("\0", "")
        if time.time() - self._looked > _FAR:
            self._looked, self._files = time.time(), newest(self._job.folder)
        signs = [
            _changed(path) for path in (self._job.live, self._job.heartbeat, self._job.receipt)
        ]
        last = max(state.last_sign, self._files, *signs)
        return text[-_TAIL:], len(text), beat, max(0.0, time.time() - last)


def _sealed(text: str, about: str) -> str:
    """A result under the seal of this machine; without one where its key is none, which was told as the problem."""
    try:
        return sealed(text, lanes_key(), about)
    except ParcelError:
        return text


def _changed(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _environment(job: LaneJob, parcel: LaneParcel) -> dict[str, str]:
    """The dispatch variables with the paths of this machine."""
    place = job.bundle.parent
    files = {"GUILD_SENT_BACK": "sent-back.md", "GUILD_AGENT_DEFINITION": "specialist.md"}
    return {
        **{name: one_line(clean(value)) for name, value in parcel.environment.items()},
        "GUILD_RUN_ID": job.run,
        "GUILD_TASK_ID": job.task,
        "GUILD_SPECIALIST": job.owner,
        "GUILD_TIER": job.tier,
        "GUILD_MODEL": job.model,
        "GUILD_ATTEMPT": str(job.attempt),
        "GUILD_TASK_ASSIGNMENT": str(place / "dispatch.json"),
        "GUILD_BUNDLE": str(job.bundle),
        "GUILD_RECEIPT": str(job.receipt),
        "GUILD_HEARTBEAT": str(job.heartbeat),
        "GUILD_NUDGE": str(job.nudge),
        **{name: str(place / file) for name, file in files.items() if (place / file).is_file()},
        **lane_environment(job.folder),
    }
