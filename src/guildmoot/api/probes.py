"""The probes of a project: kept, listed, removed, and what they tell of each seat."""

from __future__ import annotations

import asyncio
from pathlib import Path

from guildmoot.consensus.votes.standing import Standing
from guildmoot.practices.probe import suites
from guildmoot.practices.probe.suites import GoldCase, NewProbe
from guildmoot.system.git import project_root


async def add_probe(new: NewProbe, bank: Path | None = None, cwd: Path = Path()) -> GoldCase:
    """Keep work as a probe; later changes to its files do not matter."""

    def work() -> GoldCase:
        case = suites.make_case(new)
        suites.add_case(bank or suites.default_bank(project_root(cwd.absolute())), case)
        return case

    return await asyncio.to_thread(work)


async def list_probes(bank: Path | None = None, cwd: Path = Path()) -> list[GoldCase]:
    """The probes of a bank, the project's own unless one is named."""

    def work() -> list[GoldCase]:
        root = project_root(cwd.absolute())
        return suites.read_bank(bank or suites.default_bank(root), root)

    return await asyncio.to_thread(work)


async def remove_probe(name: str, bank: Path | None = None, cwd: Path = Path()) -> Path:
    """Delete a probe, and return where it was; what was answered to it no longer counts."""

    def work() -> Path:
        root = project_root(cwd.absolute())
        return suites.remove_case(bank or suites.default_bank(root), name, root)

    return await asyncio.to_thread(work)


async def probe_report(cwd: Path = Path()) -> Standing:
    """How far each seat can be trusted, from all probe runs and dispositions."""
    return await asyncio.to_thread(lambda: suites.read_standing(project_root(cwd.absolute())))
