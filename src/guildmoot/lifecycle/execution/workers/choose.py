"""Who does the work: a command that is given, else what the settings and this machine offer, with the reason."""

from __future__ import annotations

from pathlib import Path

from guildmoot.config import Config
from guildmoot.errors import UsageError
from guildmoot.lifecycle.execution.workers.base import LaneWorkers
from guildmoot.lifecycle.execution.workers.command import CommandWorkers


class NoWorkerError(UsageError):
    """Nobody is named who does the work of a lane."""


def choose_backend(command: str, config: Config, root: Path) -> LaneWorkers:
    """The backend of a run; NoWorkerError where nobody can do the work."""
    command = command or config.text("work.worker")
    if command:
        return CommandWorkers(command)
    raise NoWorkerError(
        "nobody is named who does the work",
        "--worker CMD runs a program of yours in the worktree of each lane.",
    )
