"""Who does the work, and how it is shown: what is asked for, else what this machine offers. It says which and why.

Nothing is degraded silently: a way that was asked for and is not to be had is refused.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from guildmoot.config import Config
from guildmoot.errors import UsageError
from guildmoot.lifecycle.execution.workers.base import LaneWorkers
from guildmoot.lifecycle.execution.workers.client import ClientWorkers
from guildmoot.lifecycle.execution.workers.command import CommandWorkers
from guildmoot.lifecycle.execution.workers.host import HostWorkers
from guildmoot.lifecycle.execution.workers.tmux import TmuxWorkers


class NoWorkerError(UsageError):
    """Nobody is named who does the work of a lane."""


def choose_backend(
    command: str, tiers: dict[str, str], config: Config, root: Path, run_folder: Path
) -> LaneWorkers:
    """The workers of a run; NoWorkerError where nobody can do the work, UsageError for a way that is not to be had."""
    mode = config.text("work.agent_mode")
    if mode == "agent":
        return HostWorkers()
    inner = _inner(command or config.text("work.worker"), tiers, config, root)
    inside = bool(os.environ.get("TMUX"))
    if mode == "team" and not shutil.which("tmux"):
        raise UsageError(
            "work.agent_mode is team, and tmux is not installed",
            "Install tmux, or set work.agent_mode to subagent: the lanes then run unseen.",
        )
    if mode == "team" or (mode == "auto" and inside and shutil.which("tmux")):
        return TmuxWorkers(inner, run_folder, root, inside=inside)
    if mode == "auto" and shutil.which("tmux"):
        inner.why += "; tmux is there, and work.agent_mode=team shows the lanes in it"
    return inner


def _inner(command: str, tiers: dict[str, str], config: Config, root: Path) -> LaneWorkers:
    if command:
        return CommandWorkers(command)
    if not config.flag("work.clients"):
        raise NoWorkerError(
            "nobody is named who does the work",
            "--worker CMD runs a program of yours in the worktree of each lane; --clients lets the models of"
            " work.tiers do it.",
        )
    found = ClientWorkers(tiers, config, root)
    if problem := found.unavailable():
        raise NoWorkerError(
            f"no client can do the work: {problem}",
            "Set work.tiers, or name a command with --worker.",
        )
    return found
