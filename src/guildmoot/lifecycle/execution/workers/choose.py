"""Who does the work, and how it is shown: what is asked for, else what this machine offers. It says which and why.

Nothing is degraded silently: a way that was asked for and is not to be had is refused.
"""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from pathlib import Path

from guildmoot.config import FLAG, Config
from guildmoot.errors import UsageError
from guildmoot.lifecycle.execution.values import RunState
from guildmoot.lifecycle.execution.workers.base import LaneWorkers
from guildmoot.lifecycle.execution.workers.client import ClientWorkers
from guildmoot.lifecycle.execution.workers.command import CommandWorkers
from guildmoot.lifecycle.execution.workers.fleet import choose_hosts, is_open
from guildmoot.lifecycle.execution.workers.host import HostWorkers
from guildmoot.lifecycle.execution.workers.tmux import TmuxWorkers
from guildmoot.text.clean import clean, one_line

_OTHERS = {
    "hosts": "each host runs its own: there, guild worker --lanes 1 --worker CMD",
    "agent": "the agents of the host do them",
}


class NoWorkerError(UsageError):
    """Nobody is named who does the work of a lane."""


def forgotten_worker(run: str, slug: str) -> NoWorkerError:
    """What is told of a run that somebody worked on, and whose journal no longer says who."""
    return NoWorkerError(
        f"the journal of {run} (execution.jsonl) is gone, and with it who does its lanes",
        f"Say it once more: guild work execute {slug} --worker CMD, or --clients. Lanes whose commits and receipts"
        " are there are not done again.",
    )


def choose_backend(
    command: str, tiers: dict[str, str], config: Config, root: Path, run_folder: Path, state: RunState,
) -> LaneWorkers:  # fmt: skip
    """The workers of a run; NoWorkerError where nobody can do the work, UsageError for a way that is not to be had.

    ``state`` tells how the run was begun, by whom and in which mode; what is asked for now goes before.
    """
    asked = asked_mode(config, state.mode)
    command = command or state.worker or config.text("work.worker")
    tiers = tiers if config.flag("work.clients") or state.clients else {}
    if asked == "agent":
        return HostWorkers()
    if asked == "hosts":
        return choose_hosts(config, root, run_folder)
    local = partial(_local, asked, command, tiers, config, root, run_folder)
    return choose_hosts(config, root, run_folder, local) if is_open(config, asked) else local()


def asked_mode(config: Config, mode: str) -> str:
    """How lanes are run: as is asked for now, else as the run was begun."""
    asked = config.text("work.agent_mode")
    return (mode or asked) if asked == "auto" else asked


def asks_clients(backend: LaneWorkers) -> bool:
    """Whether its lanes are calls of ours: then each has a price, and the ledger holds it to the limits."""
    inner = backend.inner if isinstance(backend, TmuxWorkers) else backend
    return isinstance(inner, ClientWorkers)


def check_command(command: str, mode: str) -> None:
    """UsageError for a command that nobody would run: others do the lanes of this mode."""
    if command and mode in _OTHERS:
        raise UsageError(
            f"--worker does no lane of a run with --mode {mode}: {_OTHERS[mode]}",
            "Leave --worker away, or run it on this machine: --mode subagent --worker CMD.",
        )


def check_clients(command: str, mode: str, config: Config) -> None:
    """UsageError for ``--clients`` where others do the lanes: by the mode, or a command of the run or the settings."""
    asked = config.given("work.clients", FLAG)
    if not asked or not asked.value:
        return
    if mode in _OTHERS:
        raise UsageError(
            f"--clients does no lane of a run with --mode {mode}: {_OTHERS[mode]}",
            "Leave --clients away, or have the clients of this machine do them: --mode subagent --clients.",
        )
    named = command or config.text("work.worker")
    if named:
        whose = "--worker" if command else "work.worker"
        raise UsageError(
            f"--clients does no lane of a run with {whose}: `{one_line(clean(named))}` does them",
            "Leave --clients away, name another command with --worker CMD, or have the agents of your session do"
            " them: --mode agent.",
        )


def unfenced_words(name: str, *, wanted: bool, fenced: bool) -> str:
    """What the ladder says where the user's checkout is not read-only for whoever does a lane. Pure."""
    if name == "host":
        return "; not fenced: the host starts its agents"
    if fenced or name == "hosts":  # each host tells of its own
        return ""
    why = "this system lets nobody put a fence up" if wanted else "work.fence is off"
    return f"; not fenced: {why}"


def _local(
    asked: str, command: str, tiers: dict[str, str], config: Config, root: Path, run_folder: Path
) -> LaneWorkers:
    """Whoever works on this machine."""
    inner = lane_backend(command, tiers, config, root)
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


def lane_backend(command: str, tiers: dict[str, str], config: Config, root: Path) -> LaneWorkers:
    """A command, else the clients of these tiers; NoWorkerError where there is neither."""
    if command:
        return CommandWorkers(command, config.strings("work.writable"))
    if not tiers:
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
