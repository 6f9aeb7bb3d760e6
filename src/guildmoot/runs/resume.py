"""A recorded run once more, whatever its practice: gone on with, weighed by another rule, asked anew.

What was judged, who sat and which settings held come from the record and the ledger, so that the files
and agents of today change nothing. All three are the practice itself, run under another reuse policy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from guildmoot.agents.registry import load_agents, user_agents_folder
from guildmoot.calls import Watch
from guildmoot.calls.session import ReusePolicy, load_packet
from guildmoot.codec import CodecError, from_plain
from guildmoot.config import SETTINGS, Config, Origin, Value
from guildmoot.errors import InfrastructureError, UsageError, did_you_mean
from guildmoot.guard.settings import settings_for
from guildmoot.guard.trust import check_runs
from guildmoot.model.agent import Agent, Roster
from guildmoot.model.packet import Packet
from guildmoot.packet import with_real
from guildmoot.runs.index import list_runs
from guildmoot.runs.practice import Again, Practice, Report, Restored, practice_of
from guildmoot.runs.record import PracticeRecord, read_part


def unfinished(root: Path) -> Path:
    """The newest run that was begun, is not complete, and on which nobody is at work."""
    for run in list_runs(root):
        begun = run.state in ("incomplete", "interrupted") and read_part(run.folder, "request")
        if begun:
            return run.folder
    raise UsageError("there is no unfinished run here", "'guild runs list' shows all of them.")


async def resume(
    root: Path, folder: Path, flags: Mapping[str, Value], watch: Watch | None = None
) -> Report:
    """Go on with a run: what is finished stands, what is not is asked."""
    practice = _practice(folder, "resume")
    record = await asyncio.to_thread(PracticeRecord.reopen, folder)
    found = await asyncio.to_thread(_restore, practice, root, folder, flags)
    reuse = restore_reuse(folder)._replace(resumed=True)
    report: Report = await found.proceed(record, watch or Watch(), reuse)
    return report


async def replay(root: Path, folder: Path, flags: Mapping[str, Value]) -> Report:
    """What the run's replies come to under other settings; nothing is called, spent or written."""
    practice = _practice(folder, "replay")
    found = await asyncio.to_thread(_restore, practice, root, folder, flags)
    reuse = restore_reuse(folder)._replace(replayed=True)
    report: Report = await found.proceed(PracticeRecord.read_only(folder), Watch(), reuse)
    return report


async def rerun(
    root: Path,
    folder: Path,
    seats: Sequence[str],
    flags: Mapping[str, Value],
    watch: Watch | None = None,
) -> Report:
    """A new run in which ``seats`` are asked anew and the others keep what they said."""
    now = datetime.now(UTC)
    practice = _practice(folder, "rerun")
    found = await asyncio.to_thread(_restore, practice, root, folder, flags, now)
    check_seats(seats, found.roster)
    record = await asyncio.to_thread(PracticeRecord.begin, root, now)
    reuse = asking_anew(restore_reuse(folder), folder.name, seats, record.run_id)
    found.ask(record, {"course": reuse._asdict(), "rerun_of": folder.name})
    reuse = reuse._replace(resumed=True)
    report: Report = await found.proceed(record, watch or Watch(), reuse)
    return report


def _practice(folder: Path, action: Again) -> Practice[Any]:
    """The practice of the run; UsageError when its runs have nothing of the kind."""
    practice = practice_of(folder)
    if action not in practice.again:
        raise UsageError(f"a run of the kind {practice.name} has nothing to {action}")
    return practice


def _restore(
    practice: Practice[Any],
    root: Path,
    folder: Path,
    flags: Mapping[str, Value],
    rerun_at: datetime | None = None,
) -> Restored[Any]:
    """The run as it was begun; InfrastructureError when its record is damaged."""
    try:
        restore_reuse(folder)  # damaged or not is to be known before anything is asked
        return practice.restore(root, folder, flags, rerun_at)
    except (CodecError, KeyError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else error
        raise InfrastructureError(
            f"the record of the run {folder.name} cannot be read: {what}",
            "Another version may have written it; make the run anew.",
        ) from error


class RestoredCase(NamedTuple):
    """What a run was about, who sat, and under which settings."""

    packet: Packet
    roster: Roster
    config: Config


def restore_case(root: Path, folder: Path, flags: Mapping[str, Value]) -> RestoredCase:
    """The run as it was begun, with ``flags`` over its settings."""
    digest = str(read_part(folder, "packet").get("hash", ""))
    packet = load_packet(root, digest) if digest else None
    if packet is None or not read_part(folder, "request"):
        raise UsageError(
            f"what the run {folder.name} was about is not kept",
            "It ended before it had asked anyone, or an older version made it. Judge it anew.",
        )
    return RestoredCase(with_real(packet), *restore_seats(root, folder, flags))


def restore_seats(root: Path, folder: Path, flags: Mapping[str, Value]) -> tuple[Roster, Config]:
    """Who sat in the run and under which settings, for a practice without a packet."""
    config = restore_config(read_part(folder, "config"), settings_for(root, flags), flags)
    return restore_roster(read_part(folder, "roster"), root), config


def restore_config(part: Mapping[str, Any], now: Config, flags: Mapping[str, Value]) -> Config:
    """The recorded settings; what was not recorded, where to run and what is given now come anew."""
    values = dict(now.values)
    for key, entry in part.get("settings", {}).items():
        if key not in SETTINGS or key in flags or key.startswith("engine."):
            continue
        value = entry["value"]
        values[key] = Origin(tuple(value) if isinstance(value, list) else value, entry["source"])
    return now._replace(values=values, notices=tuple(part.get("notices", ())))


def restore_reuse(folder: Path) -> ReusePolicy:
    """How the run stood to earlier ones when it was begun."""
    return from_plain(ReusePolicy, read_part(folder, "request").get("course") or {})


def asking_anew(reuse: ReusePolicy, of: str, seats: Sequence[str], run_id: str) -> ReusePolicy:
    """The reuse of a new run that asks ``seats`` and takes the others' words from the run ``of``."""
    others = [(seat, run) for seat, run in reuse.anew if seat not in seats]
    return reuse._replace(
        keyed_as=reuse.keyed_as or of,
        anew=(*others, *((seat, run_id) for seat in seats)),
    )


def restore_roster(part: Mapping[str, Any], root: Path) -> Roster:
    """Who sat, as recorded under ``roster``, whatever their files say today.

    UsageError when the repository brought its runs along: programs that they name are not started.
    """
    check_runs(root)
    plain = {"seats": part["asked"], "agents": part["agents"], "passed_over": part["passed_over"]}
    roster = from_plain(Roster, plain)
    agents = {name: _as_today(agent) for name, agent in roster.agents.items()}
    roster = roster._replace(agents=agents)
    masked = [name for name, agent in part["agents"].items() if agent.get("masked")]
    if not masked:
        return roster
    # What held a secret is not whole on record, so it is read from its file again.
    known = load_agents(root, user_agents_folder())
    again = {name: known.get(roster.agents[name].name) for name in masked}
    return roster._replace(agents={**roster.agents, **again})


def _as_today(agent: Agent) -> Agent:
    """The agent with the programs that come with guildmoot where they are now."""
    moved = (
        word.replace("guildmoot.evidence.", "guildmoot.agents.tools.") for word in agent.command
    )
    return agent._replace(command=tuple(moved))


def check_seats(seats: Sequence[str], roster: Roster) -> None:
    """UsageError when somebody is to be asked anew who did not sit."""
    known = [seat.name for seat in roster.seats]
    for name in seats:
        if name not in known:
            hint = did_you_mean(name, known, f"Its seats: {', '.join(known)}")
            raise UsageError(f"nobody called {name!r} sat in that run", hint)
