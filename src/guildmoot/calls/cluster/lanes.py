"""Lanes of plans in the shared database: offered to one worker, taken by it, and given back with what came of it.

Who offers a lane holds its ticket, who took it its token; the functions of ``lanes.sql`` look after that. What a
job or a result says is nobody's business here.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, text

from guildmoot.calls.cluster import chunks
from guildmoot.calls.cluster.register import workers
from guildmoot.calls.cluster.rows import LONG
from guildmoot.calls.cluster.schema import PROTOCOL, SHARE
from guildmoot.errors import InfrastructureError

WANTED = 30.0
"""Seconds for which a lane that nobody took stays on offer after its asker was last heard."""
_ROW = 300_000


class OfferedLane(NamedTuple):
    """A lane, for one worker."""

    id: str
    """64 hexadecimal digits: the same attempt of the same run has the same."""
    ticket: str
    run: str
    task: str
    host: str
    slots: int
    """Lanes at once that the worker says it has room for."""
    job: str


class TakenLane(NamedTuple):
    """A lane that a worker took."""

    id: str
    token: str
    task: str
    job: str | None
    """None where it is too long for anybody."""


class LaneSign(NamedTuple):
    """What a worker tells of a lane while it works."""

    tail: str = ""
    written: int = 0
    """Characters printed in all; ``tail`` is the last of them."""
    beat: str = ""
    quiet: float = 0.0
    """Seconds since it printed, beat or changed a file."""


class LaneOrder(NamedTuple):
    """What a worker is told in return."""

    dismissed: bool = False
    nudge: str = ""
    ours: bool = True
    """False where the lane went to somebody else."""


class LaneRow(NamedTuple):
    """A lane as it stands."""

    state: str
    host: str
    worker: str
    """The executor; empty where nobody took it."""
    alive: bool
    """Whether its worker gave a sign of life within the lease."""
    waits: float
    """Seconds since it was offered."""
    sign: LaneSign
    kept: bool
    result: str | None


class LaneWorker(NamedTuple):
    """A worker that does lanes, and is alive."""

    name: str
    slots: int
    tiers: tuple[str, ...]
    commits: tuple[str, ...]


def lane_workers(connection: Connection) -> list[LaneWorker]:
    """Everybody alive who does lanes."""
    return [
        LaneWorker(each.name, room.slots, room.tiers, room.commits)
        for each in workers(connection)
        if each.alive and each.state == "working" and each.capabilities.protocol == PROTOCOL
        if (room := each.capabilities.lanes) and room.slots > 0
    ]


def loads_of(connection: Connection) -> dict[str, int]:
    """How many lanes each worker has."""
    query = (
        "SELECT host, count(*) FROM guild.lanes WHERE state = 'running' AND guild.hears(worker)"
        " OR state = 'asked' AND wanted > now() GROUP BY host"
    )
    return {str(host): int(count) for host, count in connection.exec_driver_sql(query)}


def offer(connection: Connection, lane: OfferedLane) -> str:
    """Put a lane before a worker; ``busy`` where it has no room, else the state that the lane is in."""
    values = lane._asdict() | {"job": chunks.put(connection, lane.job), "seconds": WANTED}
    query = "SELECT guild.offer_lane(:id, :ticket, :run, :task, :host, :slots, :job, :seconds)"
    return str(connection.execute(text(query), values).scalar_one())


def look(connection: Connection, lane: str, ticket: str, most: int) -> LaneRow | None:
    """How a lane stands, with its result once it ended, unless that is too long; None where there is no lane."""
    query = text("SELECT * FROM guild.look_lane(:id, :ticket, :seconds, :most)")
    values = {"id": lane, "ticket": ticket, "seconds": WANTED, "most": _ROW}
    row = connection.execute(query, values).first()
    if row is None:
        return None
    state, host, worker, alive, waits, quiet, tail, written, beat, kept, result = row
    sign = LaneSign(tail, written, beat, quiet or 0.0)
    if state == "ended" and result is not None:
        try:
            result = chunks.get(connection, result, most)
        except InfrastructureError:  # too long, or not what its name says: there is no result
            result = None
    return LaneRow(state, host, worker or "", alive, waits, sign, kept, result)


def dismiss(connection: Connection, lane: str, ticket: str) -> str:
    """Have a lane ended; the state that it is in."""
    query = text("SELECT guild.dismiss_lane(:id, :ticket)")
    return str(connection.execute(query, {"id": lane, "ticket": ticket}).scalar() or "")


def nudge(connection: Connection, lane: str, ticket: str, said: str) -> bool:
    """Tell whoever works at a lane something; whether somebody does."""
    query = text("SELECT guild.nudge_lane(:id, :ticket, :said)")
    return bool(connection.execute(query, {"id": lane, "ticket": ticket, "said": said}).scalar())


def lose(connection: Connection, lane: str, ticket: str, *, refused: bool = False) -> bool:
    """Take a lane back from who does not answer, or refuse its result; False where its worker is alive."""
    query = text("SELECT guild.lose_lane(:id, :ticket, :refused)")
    values = {"id": lane, "ticket": ticket, "refused": refused}
    return bool(connection.execute(query, values).scalar())


def take(connection: Connection, executor: str, ticket: str, token: str) -> TakenLane | None:
    """The oldest lane that is offered to us; None where there is none."""
    query = text("SELECT * FROM guild.take_lane(:worker, :ticket, :token, :share, :most)")
    values = {"worker": executor, "ticket": ticket, "token": token, "share": SHARE, "most": _ROW}
    row = connection.execute(query, values).first()
    if row is None:
        return None
    name, task, job = row
    return TakenLane(name, token, task, job)


def job_of(connection: Connection, taken: TakenLane) -> str:
    """The whole text of a job that was taken."""
    return chunks.get(connection, taken.job or "", LONG)


def sign(connection: Connection, taken: TakenLane, told: LaneSign) -> LaneOrder:
    """Give a sign of life, and hear what the asker says."""
    query = text("SELECT * FROM guild.sign_lane(:id, :token, :tail, :written, :beat, :quiet)")
    values = {"id": taken.id, "token": taken.token, **told._asdict()}
    row = connection.execute(query, values).first()
    return LaneOrder(ours=False) if row is None else LaneOrder(*row)


def finish(
    connection: Connection, taken: TakenLane, state: str, result: str, *, kept: bool
) -> bool:
    """Write down what came of it; False where the lane is not ours any more: then nothing is written."""
    values = {
        "id": taken.id,
        "token": taken.token,
        "state": state,
        "kept": kept,
        "result": chunks.put(connection, result),
    }
    query = text("SELECT guild.finish_lane(:id, :token, :state, :kept, :result)")
    return bool(connection.execute(query, values).scalar())
