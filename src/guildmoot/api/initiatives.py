"""Verbs of a project: how it begins, and its initiatives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

from guildmoot.lifecycle.places import WorkFolder, find_work
from guildmoot.lifecycle.project import initiatives
from guildmoot.lifecycle.project.beginning import ProjectBeginning, begin_project
from guildmoot.lifecycle.project.initiatives import Initiative, InitiativeClosing
from guildmoot.practices.dispositions import user_name

T = TypeVar("T")


async def init_project(cwd: Path = Path(), *, about: str = "", goals: str = "") -> ProjectBeginning:
    """Write what a project needs before its first piece of work; what is there stays."""
    return await _as_user(
        cwd, lambda folder, by: begin_project(folder, by, about=about, goals=goals)
    )


async def list_initiatives(cwd: Path = Path()) -> list[Initiative]:
    """Every initiative of a project."""
    return await _as_user(cwd, lambda folder, by: initiatives.list_initiatives(folder))


async def show_initiative(
    name: str, cwd: Path = Path()
) -> tuple[Initiative, list[dict[str, object]]]:
    """One initiative and what happened to it."""

    def show(folder: WorkFolder, by: str) -> tuple[Initiative, list[dict[str, object]]]:
        found = initiatives.find_initiative(folder, name)
        return found, initiatives.activity(found)

    return await _as_user(cwd, show)


async def new_initiative(title: str, goal: str = "", cwd: Path = Path()) -> Initiative:
    """Begin an initiative."""
    return await _as_user(
        cwd, lambda folder, by: initiatives.new_initiative(folder, title, goal, by)
    )


async def update_initiative(
    name: str, cwd: Path = Path(), *, goal: str = "", settled: str = ""
) -> Initiative:
    """Say the goal anew, or what was settled."""
    return await _as_user(
        cwd,
        lambda folder, by: initiatives.update_initiative(
            folder, name, by, goal=goal, settled=settled
        ),
    )


async def add_to_initiative(name: str, slug: str, cwd: Path = Path()) -> Initiative:
    """Let a piece of work belong to an initiative."""
    return await _as_user(cwd, lambda folder, by: initiatives.add_work(folder, name, slug, by))


async def move_initiative(
    name: str, to: Literal["active", "archived"], cwd: Path = Path()
) -> Initiative:
    """Archive an initiative, or bring it back."""
    return await _as_user(cwd, lambda folder, by: initiatives.move_initiative(folder, name, to, by))


async def close_initiative(name: str, proof: InitiativeClosing, cwd: Path = Path()) -> Initiative:
    """Close an initiative: its release is named, and documents tell of it."""
    return await _as_user(
        cwd, lambda folder, by: initiatives.close_initiative(folder, name, by, proof)
    )


async def _as_user(cwd: Path, work: Callable[[WorkFolder, str], T]) -> T:
    def do() -> T:
        folder = find_work(cwd)
        return work(folder, user_name(folder.root))

    return await asyncio.to_thread(do)
