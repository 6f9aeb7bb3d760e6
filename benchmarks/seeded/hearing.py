"""Puts every case before every seat, and the same question again before one of them.

Seats that are paid go through the ledger, so a run that was stopped goes on where it was when it is
started again. Tools are run each time: what they say depends on what is installed.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.seeded.cases import Case

from guildmoot.agents.registry import load_agents, user_agents_folder
from guildmoot.agents.roster import make_roster
from guildmoot.calls.session import CallSession, ReusePolicy, open_session
from guildmoot.config import Config, Origin
from guildmoot.model.agent import Seat
from guildmoot.model.call import Call
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Judgement
from guildmoot.packet import PacketRequest, build_packet
from guildmoot.practices.calls import excused_judgement, excused_reply, make_calls
from guildmoot.practices.findings import check_findings
from guildmoot.practices.stage import JUDGEMENT, ask

RUN = "seeded"
"""The ledger's name for all runs of this benchmark, so that each goes on with the last."""


class Table(NamedTuple):
    """Who is asked, how many at once, and where answers are kept."""

    root: Path
    """The project whose agents, settings and ledger are used."""
    config: Config
    agents: tuple[str, ...] = ()
    at_once: int = 8
    optional: frozenset[str] = frozenset()
    """Agents whose tools are no part of the default install."""
    fresh: str = ""
    """A run of its own, to ask everybody anew; empty goes on with what is kept."""
    on_progress: Callable[[str], None] = lambda line: None


class Heard(NamedTuple):
    """One case and what its seats said of it."""

    case: Case
    packet: Packet
    seats: tuple[Seat, ...]
    judgements: tuple[Judgement, ...]
    """In the order of the seats."""


class Bench(NamedTuple):
    """One case with its calls, which are made of files that lie in a folder of their own."""

    case: Case
    packet: Packet
    seats: tuple[Seat, ...]
    calls: dict[str, Call]
    """By seat; who is missing has nothing to judge here."""
    excused: dict[str, str]


def is_paid(seat: Seat) -> bool:
    """Whether a seat costs something to ask, or may answer otherwise the next time."""
    return seat.backend != "tool"


@contextmanager
def prepare(cases: Sequence[Case], table: Table) -> Iterator[list[Bench]]:
    """Every case laid out before its seats."""
    registry = load_agents(table.root, user_agents_folder())
    with tempfile.TemporaryDirectory(prefix="seeded-") as scratch:
        benches = []
        for number, case in enumerate(cases):
            packet = _packet(case, Path(scratch) / f"{number}-work")
            paths = [file.path for file in packet.files]
            roster = make_roster(registry, table.config, paths, table.agents, verify="")
            folder = Path(scratch) / f"{number}-packet"
            folder.mkdir()
            made = make_calls(packet, roster, table.config, folder)
            calls = {call.seat.name: call for call in made.to_make}
            benches.append(Bench(case, packet, roster.seats, calls, made.excused))
        yield benches


async def hear(benches: Sequence[Bench], table: Table) -> list[Heard]:
    """What every seat says of every case."""
    calls = [_named(call, bench.case, 1) for bench in benches for call in bench.calls.values()]
    tools = [call for call in calls if not is_paid(call.seat)]
    paid = [call for call in calls if is_paid(call.seat)]
    table.on_progress(f"{len(benches)} cases: {len(tools)} runs of tools, {len(paid)} other calls")
    said = await _ask(tools, None, table) | await _ask(paid, table.root, table)
    return [_heard(bench, said) for bench in benches]


async def hear_again(
    benches: Sequence[Bench], seat: str, times: Sequence[int], table: Table
) -> list[list[Judgement]]:
    """What one seat says of each case when it is asked so many times more."""
    asked = [
        [_named(bench.calls[seat], bench.case, turn) for turn in range(2, most + 2)]
        if seat in bench.calls
        else []
        for bench, most in zip(benches, times, strict=True)
    ]
    calls = [call for row in asked for call in row]
    table.on_progress(f"{seat} again: {len(calls)} calls")
    said = await _ask(calls, table.root, table)
    return [
        [_checked(bench, said[call.seat.name], call, f"{seat}#{turn}") for turn, call in row]
        for bench, row in zip(benches, map(_numbered, asked), strict=True)
    ]


def _numbered(calls: Sequence[Call]) -> list[tuple[int, Call]]:
    return list(enumerate(calls, start=2))


def _packet(case: Case, folder: Path) -> Packet:
    subprocess.run(["git", "init", "-q", "--template=", str(folder)], check=True)
    for path, text in case.files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return build_packet(PacketRequest(targets=tuple(sorted(case.files)), cwd=folder))


def _named(call: Call, case: Case, turn: int) -> Call:
    """A name of its own for every call, ``seat@case`` or ``seat@case#2``."""
    name = f"{call.seat.name}@{case.name}" + (f"#{turn}" if turn > 1 else "")
    return call._replace(seat=call.seat._replace(name=name))


async def _ask(calls: Sequence[Call], root: Path | None, table: Table) -> dict[str, Judgement]:
    """What each call came to, by the seat's name; with a root, kept in its ledger."""
    if not calls:
        return {}
    kept = root if root and (root / ".git").exists() else None
    config = table.config if root else _unlimited(table.config)
    with open_session(
        kept, table.fresh or RUN, config, reuse=ReusePolicy(only=table.fresh)
    ) as desk:
        return await _answers(calls, desk, table)


def _unlimited(config: Config) -> Config:
    """Tools cost nothing, and a limit would ask for a place to keep count."""
    free = {key: Origin(0.0, "the benchmark") for key in ("budget.run_usd", "budget.day_usd")}
    return config._replace(values={**config.values, **free})


async def _answers(calls: Sequence[Call], desk: CallSession, table: Table) -> dict[str, Judgement]:
    done = await ask(desk, calls, JUDGEMENT, limit=table.at_once)
    if done.interrupted:
        raise KeyboardInterrupt
    return {seat: answer.value for seat, answer in done.by_seat.items()}


def _heard(bench: Bench, said: dict[str, Judgement]) -> Heard:
    judgements = []
    for seat in bench.seats:
        call = bench.calls.get(seat.name)
        if call is None:
            reply = excused_reply(seat.name, bench.excused[seat.name])
            judgements.append(excused_judgement(reply))
            continue
        named = _named(call, bench.case, 1)
        judgements.append(_checked(bench, said[named.seat.name], named, seat.name))
    return Heard(bench.case, bench.packet, bench.seats, tuple(judgements))


def _checked(bench: Bench, judgement: Judgement, call: Call, name: str) -> Judgement:
    """A judgement whose findings were checked against the case, under the seat's own name."""
    [checked], _ = check_findings([judgement], [call], bench.packet)
    findings = tuple(finding._replace(seat=name) for finding in checked.findings)
    return checked._replace(seat=name, findings=findings)
