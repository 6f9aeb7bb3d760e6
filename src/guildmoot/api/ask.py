"""The verbs that ask agents without a panel's verdict: spawn, whiteboards and probes.

What is done with a board or with probes outside a run is here too; the plain functions are below.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from guildmoot.api.judge import relay, tell_notices, with_road
from guildmoot.calls import Watch
from guildmoot.consensus.votes.standing import Standing
from guildmoot.guard.settings import settings_for
from guildmoot.practices.probe import suites
from guildmoot.practices.probe.run import PROBE, ProbeReport, ProbeRequest
from guildmoot.practices.probe.suites import GoldCase, NewProbe
from guildmoot.practices.spawn import SPAWN, SpawnRequest, SpawnResult
from guildmoot.practices.whiteboard import boards, minutes
from guildmoot.practices.whiteboard.boards import WHITEBOARD, AppendedRound, BoardWords
from guildmoot.practices.whiteboard.request import WhiteboardRequest
from guildmoot.practices.whiteboard.run import WHITEBOARD_RUN
from guildmoot.reading.board import Board, BoardDecision, BoardSection
from guildmoot.reports.whiteboard import BoardReport
from guildmoot.runs.practice import Practice, R
from guildmoot.system.git import project_root
from guildmoot.system.threads import in_project, off_loop


async def spawn(request: SpawnRequest, watch: Watch | None = None) -> SpawnResult:
    """Run any number of agents at once on one brief; what each said, in the order asked."""
    return await _run(SPAWN, request, watch, "those asked")


async def whiteboard(request: WhiteboardRequest, watch: Watch | None = None) -> BoardReport:
    """Have several engineers design on one board, round after round."""
    return await _run(WHITEBOARD_RUN, request, watch, "the engineers")


async def probe(request: ProbeRequest, watch: Watch | None = None) -> ProbeReport:
    """Put every probe and the canaries before every seat, and record how far each can be trusted."""
    return await _run(PROBE, request, watch)


async def add_probe(new: NewProbe, bank: Path | None = None, cwd: Path = Path()) -> GoldCase:
    """Keep work as a probe; later changes to its files do not matter."""

    def work(root: Path) -> GoldCase:
        case = suites.make_case(new)
        suites.add_case(bank or suites.default_bank(root), case)
        return case

    return await in_project(cwd, work)


async def list_probes(bank: Path | None = None, cwd: Path = Path()) -> list[GoldCase]:
    """The probes of a bank, the project's own unless one is named."""
    return await in_project(
        cwd, lambda root: suites.read_bank(bank or suites.default_bank(root), root)
    )


async def remove_probe(name: str, bank: Path | None = None, cwd: Path = Path()) -> Path:
    """Delete a probe, and return where it was; what was answered to it no longer counts."""
    return await in_project(
        cwd, lambda root: suites.remove_case(bank or suites.default_bank(root), name, root)
    )


async def probe_report(cwd: Path = Path()) -> Standing:
    """How far each seat can be trusted, from all probe runs and dispositions."""
    return await in_project(cwd, suites.read_standing)


async def init_board(path: Path, topic: str, words: BoardWords = WHITEBOARD) -> None:
    """Make a board on a topic; one that is there already stays as it is."""
    await asyncio.to_thread(boards.init_board, path, topic, words)


async def read_board(path: Path, words: BoardWords = WHITEBOARD) -> Board:
    """The rounds and decisions on a board; none where there is no file."""
    return await asyncio.to_thread(boards.read_board, path, words)


async def next_round(path: Path, words: BoardWords = WHITEBOARD) -> int:
    """The number that the next round gets."""
    return await asyncio.to_thread(boards.next_round, path, words)


async def append_round(
    path: Path,
    sections: Sequence[BoardSection],
    number: int | None = None,
    words: BoardWords = WHITEBOARD,
) -> AppendedRound:
    """Write sections as a round; one that is there already is run again."""
    return await asyncio.to_thread(boards.add_round, path, sections, words, round_number=number)


async def decide_on_board(
    path: Path, name: str, why: str, choice: str = "", words: BoardWords = WHITEBOARD
) -> tuple[BoardDecision, bool]:
    """Record a person's choice; without one it is the decision with this ID. False: it stood already."""
    return await asyncio.to_thread(boards.decide, str(path), name, why, words, choice)


async def summarise_board(path: Path, words: BoardWords = WHITEBOARD) -> BoardReport:
    """What a board comes to, and who holds what."""
    return await asyncio.to_thread(minutes.summarise_board, path, words)


async def _run(
    practice: Practice[R],
    request: WhiteboardRequest | ProbeRequest | SpawnRequest,
    watch: Watch | None,
    seats: str = "the judges",
) -> R:
    told = relay(watch)

    async def work() -> R:
        root = project_root(request.root.absolute())
        config = with_road(settings_for(root, request.settings), seats)
        tell_notices(config, told)
        return await practice.run(request._replace(root=root), config, told)

    return await off_loop(work())
