"""Who does the work, and how it is shown: what is asked for, else what this machine offers. It says which and why.

Nothing is degraded silently: a way that was asked for and is not to be had is refused.
"""

from __future__ import annotations

import os
import shutil
import sys
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
    command: str, tiers: dict[str, str], config: Config, root: Path, run_folder: Path, mode: str = ""
) -> LaneWorkers:  # fmt: skip
    """The workers of a run; NoWorkerError where nobody can do the work, UsageError for a way that is not to be had.

    ``mode`` is how the run was begun; what is asked for now goes before.
    """
    asked = config.text("work.agent_mode")
    asked = mode or asked if asked == "auto" else asked
    if asked == "agent":
        return HostWorkers()
    inner = _inner(command or config.text("work.worker"), tiers, config, root)
    rung, why = pick_rung(
        asked, inside=bool(os.environ.get("TMUX")), installed=bool(shutil.which("tmux")),
        terminal=sys.stdout.isatty(),
    )  # fmt: skip
    if rung == 4:
        inner.why = f"rung 4 of 4, unseen: {why}; {inner.why}"
        return inner
    shown = TmuxWorkers(inner, run_folder, root, inside=rung == 1)
    shown.why = f"rung {rung} of 4: {why}; {shown.why}"
    return shown


def pick_rung(mode: str, *, inside: bool, installed: bool, terminal: bool) -> tuple[int, str]:
    """The rung of the ladder, and why: 1 a window of this tmux, 2 a tmux of its own, 4 unseen; 3 is asked for. Pure."""
    if mode == "team" and not installed:
        raise UsageError(
            "work.agent_mode is team, and tmux is not installed",
            "Install tmux, or set work.agent_mode to subagent: the lanes then run unseen.",
        )
    if mode == "subagent":
        return 4, "that was asked for"
    if not installed:
        return 4, "tmux is not installed, and --mode agent was not asked for"
    if inside:
        return 1, "this is inside of tmux"
    if mode == "team":
        return 2, "panes were asked for (guild team attach)"
    if terminal:
        return 2, "tmux is installed and somebody is at a terminal (guild team attach)"
    return 4, "nobody is at a terminal (--mode team shows the lanes in tmux)"


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
