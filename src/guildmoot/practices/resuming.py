"""A recorded panel once more: gone on with, weighed by another rule, or with some seats asked anew.

What was judged, who sat and which settings held come from the record and the ledger, so that the files
and agents of today change nothing. All three are the panel itself, run on a different reuse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from guildmoot.agents.registry import load_agents, user_agents_folder
from guildmoot.calls import Watch
from guildmoot.calls.session import ReusePolicy, load_packet
from guildmoot.config import SETTINGS, Config, Origin, Value, process_config
from guildmoot.errors import UsageError
from guildmoot.guard.trust import check_runs
from guildmoot.model.agent import Agent, Roster, Seat
from guildmoot.model.packet import Packet
from guildmoot.model.report import RunReport
from guildmoot.packet import manifest
from guildmoot.practices.panel import judge
from guildmoot.runs.panel_record import PanelRecord
from guildmoot.runs.record import list_runs, read_part


class Restored(NamedTuple):
    """A run as it was begun."""

    packet: Packet
    roster: Roster
    config: Config


def unfinished(root: Path) -> Path:
    """The newest run that was begun, is not complete, and on which nobody is at work."""
    for run in list_runs(root):
        begun = run.state in ("incomplete", "interrupted") and read_part(run.folder, "request")
        if begun:
            return run.folder
    raise UsageError("there is no unfinished run here", "'guild runs list' shows all of them.")


async def resume(
    root: Path, folder: Path, flags: Mapping[str, Value], watch: Watch | None = None
) -> RunReport:
    """Go on with a run: what is finished stands, what is not is asked."""
    record = PanelRecord.again(folder)
    packet, roster, config = restore(root, folder, flags)
    reuse = restore_reuse(folder)._replace(resumed=True)
    return await judge(packet, roster, config, watch or Watch(), record, reuse)


async def replay(root: Path, folder: Path, flags: Mapping[str, Value]) -> RunReport:
    """What the run's replies come to under other settings; nothing is called, spent or written."""
    packet, roster, config = restore(root, folder, flags)
    record = PanelRecord.untouched(folder)
    reuse = restore_reuse(folder)._replace(replayed=True)
    return await judge(packet, roster, config, Watch(), record, reuse)


async def rerun(
    root: Path,
    folder: Path,
    seats: Sequence[str],
    flags: Mapping[str, Value],
    watch: Watch | None = None,
) -> RunReport:
    """A new run in which ``seats`` are asked anew and the others keep what they said."""
    packet, roster, config = restore(root, folder, flags)
    check_seats(seats, roster)
    record = PanelRecord.begin(root, datetime.now(UTC))
    reuse = asking_anew(restore_reuse(folder), folder.name, seats, record.run_id)
    request = {
        **read_part(folder, "request"),
        "rerun_of": folder.name,
        "course": reuse._asdict(),
    }
    record.asked(request, config, manifest(packet), roster.seats, roster.agents, roster.passed_over)
    return await judge(
        packet, roster, config, watch or Watch(), record, reuse._replace(resumed=True)
    )


def restore(root: Path, folder: Path, flags: Mapping[str, Value]) -> Restored:
    """The run as it was begun, with ``flags`` over its settings."""
    kept, seated = read_part(folder, "packet"), read_part(folder, "roster")
    digest = str(kept.get("hash", ""))
    packet = load_packet(root, digest) if digest else None
    if packet is None or not read_part(folder, "request"):
        raise UsageError(
            f"what the run {folder.name} was about is not kept",
            "It ended before it had asked anyone, or an older version made it. Judge it anew.",
        )
    config = restore_config(read_part(folder, "config"), process_config(root, flags), flags)
    return Restored(packet, restore_roster(seated, root), config)


def restore_config(part: Mapping[str, Any], now: Config, flags: Mapping[str, Value]) -> Config:
    """The recorded settings; what was not recorded, where to run and what is given now come anew."""
    values = dict(now.values)
    for key, entry in part.get("settings", {}).items():
        if key not in SETTINGS or key in flags or key.startswith("engine."):
            continue
        value = entry["value"]
        values[key] = Origin(tuple(value) if isinstance(value, list) else value, entry["source"])
    return now._replace(values=values)


def restore_reuse(folder: Path) -> ReusePolicy:
    """How the run stood to earlier ones when it was begun."""
    plain = read_part(folder, "request").get("course")
    if not isinstance(plain, dict):
        return ReusePolicy()
    return ReusePolicy(
        **{name: _tuples(plain[name]) for name in ReusePolicy._fields if name in plain}
    )


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
    agents = {name: _agent(plain, root) for name, plain in part["agents"].items()}
    seats = tuple(Seat(**seat) for seat in part["asked"])
    return Roster(seats, agents, tuple((who, why) for who, why in part["passed_over"]))


def _agent(plain: Mapping[str, Any], root: Path) -> Agent:
    """The agent as recorded; one whose command held a secret is read from its file again."""
    if plain.get("masked"):
        return load_agents(root, user_agents_folder()).get(str(plain["name"]))
    known = {name: _tuples(plain[name]) for name in Agent._fields if name in plain}
    return Agent(**known)


def _tuples(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """JSON's lists as the tuples that they were."""
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def check_seats(seats: Sequence[str], roster: Roster) -> None:
    """UsageError when somebody is to be asked anew who did not sit."""
    known = [seat.name for seat in roster.seats]
    for name in seats:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Its seats: {', '.join(known)}"
            raise UsageError(f"nobody called {name!r} sat in that run", hint)
