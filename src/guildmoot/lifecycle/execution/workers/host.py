"""Lanes for the agents of a host session: a dispatch plan as JSON, and the receipts collected by the next call."""

from __future__ import annotations

import json
from pathlib import Path

from guildmoot.errors import InfrastructureError
from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.execution.workers.base import LaneJob, WorkerHandle, WorkerState
from guildmoot.lifecycle.execution.workers.client import lane_prompt

PLAN = "dispatch-plan.json"


class HostWorkers:
    """Nothing is started here: the host's session starts its agents, each in the worktree of its lane."""

    name = "host"
    nudged = "GUILD_NUDGE"
    why = f"lanes are handed out to the agents of the host: {PLAN}"

    def unavailable(self) -> str:
        return ""

    async def spawn(self, job: LaneJob) -> WorkerHandle:
        raise InfrastructureError("the host's agents are started by the host")

    async def send_task(self, handle: WorkerHandle, text: str) -> bool:
        return False

    def read_state(self, handle: WorkerHandle) -> WorkerState:
        return WorkerState("lost")

    async def dismiss(self, handle: WorkerHandle) -> bool:
        return False

    async def teardown(self) -> None:
        """Whoever started the agents ends them."""


def descriptor(job: LaneJob) -> dict[str, object]:
    """One agent that the host starts: always the named specialist. Pure but for the bundle that it reads."""
    definition = job.environment.get("GUILD_AGENT_DEFINITION", "")
    return {
        "name": job.task,
        "subagentType": "general-purpose" if definition else job.owner,
        "model": job.model,
        "cwd": str(job.folder),
        "env": dict(job.environment),
        "prompt": lane_prompt(job, job.bundle.read_text(encoding="utf-8"), job.receipt),
        "receipt": str(job.receipt),
        **({"definitionPath": definition} if definition else {}),
    }


def write_plan(run_folder: Path, jobs: list[LaneJob]) -> Path:
    """Write what the host is to start now."""
    told = {"schema_version": "guild.dispatch_plan.v1", "run_id": run_folder.name,
            "dispatchPlan": [descriptor(job) for job in jobs]}  # fmt: skip
    write_durable(run_folder / PLAN, json.dumps(told, indent=2) + "\n")
    return run_folder / PLAN


def forget_plan(run_folder: Path) -> None:
    """No lane waits for an agent any more: a plan that lay there would have one done again."""
    (run_folder / PLAN).unlink(missing_ok=True)
