"""A lane is dispatched: with a bundle, a tier, a model, a scope and a budget that are written down first."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UndecidedError
from guildmoot.guard.scrub import Scrubber, write_durable
from guildmoot.lifecycle.briefing.gathering import lane_bundle
from guildmoot.lifecycle.execution.journal import now
from guildmoot.lifecycle.execution.lane_folder import git_places, lane_environment
from guildmoot.lifecycle.execution.liveness import silence_of, whole_time
from guildmoot.lifecycle.execution.values import BaseChecks, LaneState
from guildmoot.lifecycle.execution.workers.base import LaneJob
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.plan import Lane, Plan
from guildmoot.lifecycle.scoring import estimate, score, signals_of
from guildmoot.lifecycle.team.roster import Specialist
from guildmoot.lifecycle.terms import WorkTerms
from guildmoot.system.files import folder_inside, put_in_place, read_text_inside

PRODUCER = "guild.dispatch.v1"
DIFFERENCE, SENT_BACK = "difference.md", "sent-back.md"
"""Why an attempt was not accepted; and the same as the next attempt is told it."""
_MOST = 1_000_000


class Dispatcher(NamedTuple):
    """What every dispatch of a run needs."""

    folder: WorkFolder
    run: str
    slug: str
    plan: Plan
    terms: WorkTerms
    specialists: tuple[Specialist, ...]
    backend: str
    scrubber: Scrubber
    silence: float = 0.0
    fenced: bool = False
    """The user's checkout is read-only for workers, but for what is theirs."""
    tokens: int = 0
    """The most that a lane may take; 0 is by its tier."""
    closed: tuple[str, ...] = ()
    """What is read-only for workers beside the user's checkout, as the fence reads it."""

    def place(self, task: str, attempt: int) -> Path:
        """The folder of an attempt."""
        return self.folder.run(self.run) / "attempts" / f"{task}-{attempt}"

    def prepare(
        self, lane: Lane, state: LaneState, worktree: Path, baseline: BaseChecks
    ) -> LaneJob:
        """Write the record of the next attempt; UndecidedError for a lane without a tier."""
        attempt = state.attempt + 1
        tier = self._tier(lane, state)
        if not tier:
            raise UndecidedError(
                f"{lane.task} has no tier: it is not dispatched without one",
                f"Write '- tier: mid' into its lane in .guild/plan/{self.slug}.md and approve it.",
            )
        model = dict(self.terms.tiers).get(tier, "") or "the worker's own"
        who = next((each for each in self.specialists if each.name == lane.owner), None)
        tools = who.scope if who else ()
        place = self.place(lane.task, attempt)
        inbox = place / f"inbox-{secrets.token_hex(8)}"
        folder_inside(self.folder.root, inbox.relative_to(self.folder.root))
        bundle = place / "bundle.md"
        needs = toolchain(worktree)
        text = f"{self._bundle(lane, state).rstrip()}\n\n{worktree_note(baseline, needs)}"
        kept = self._write(bundle, text)
        tokens = self.tokens or estimate(tier).tokens
        most_usd = self.terms.price(tier, tokens)
        seconds = whole_time(tier, self.silence)
        job = LaneJob(
            self.run, lane.task, lane.owner, attempt, worktree, bundle,
            inbox / f"{lane.owner}-{lane.task}.md", inbox / "heartbeat.json", inbox / "nudge.txt",
            {}, tier, model, tools, seconds, most_usd, place / "live.log", *self._fence(worktree, inbox),
            tokens,
        )  # fmt: skip
        self._write_scope(lane, tools)
        record = {
            "schema_version": "guild.task_run.v1", "run_id": self.run, "task_id": lane.task,
            "specialist": lane.owner, "attempt": attempt, "assigned_at": now(),
            "bundle": str(bundle), "bundle_sha256": hashlib.sha256(kept).hexdigest(),
            "tier": tier, "complexity_score": lane.score, "model": model,
            "scope": {"objective": lane.scope, "tools": list(tools)},
            "budget": {"max_tokens": tokens, "max_usd": most_usd,
                       "max_seconds": seconds, "silence_seconds": silence_of(tier, self.silence)},
            "depends_on": list(lane.depends_on), "base": baseline.commit, "worktree": str(worktree),
            "branch": f"lane/{lane.task}", "backend": self.backend, "fenced": self.fenced,
            "receipt": str(job.receipt),
            "toolchain": needs,
            "baseline": {"checks": list(baseline.checks), "failing": list(baseline.failing)},
        }  # fmt: skip
        self._write(place / "dispatch.json", json.dumps(record, indent=2) + "\n")
        return job._replace(environment=self.environment(job, lane), base=baseline.commit)

    def _fence(self, worktree: Path, inbox: Path) -> tuple[str, tuple[str, ...]]:
        """What is read-only for the worker, and where it may write all the same."""
        if not self.fenced:
            return "", ()
        logs = self.folder.run(self.run) / "logs"
        folder_inside(self.folder.root, logs.relative_to(self.folder.root))
        places = [str(each) for each in (worktree, inbox, logs)]
        return str(self.folder.root), (*self.closed, *places, *git_places(worktree))

    def environment(self, job: LaneJob, lane: Lane) -> dict[str, str]:
        """What every worker is told in its environment."""
        who = next((each for each in self.specialists if each.name == job.owner), None)
        definition = {"GUILD_AGENT_DEFINITION": who.definition} if who and who.definition else {}
        sent_back = job.bundle.parent / SENT_BACK
        return {
            "GUILD_DISPATCH_PRODUCER": PRODUCER,
            "GUILD_RUN_ID": job.run,
            "GUILD_TASK_ID": job.task,
            "GUILD_SPECIALIST": job.owner,
            "GUILD_CAPABILITY_SCOPE": json.dumps(list(job.tools)),
            "GUILD_AUTONOMY_CONTRACT": json.dumps([line.text for line in lane.policy]),
            "GUILD_TIER": job.tier,
            "GUILD_TIER_SCORE": str(lane.score if lane.score is not None else ""),
            "GUILD_MODEL": job.model,
            "GUILD_DISPATCH_RUNG": self.backend,
            "GUILD_TASK_ASSIGNMENT": str(job.bundle.parent / "dispatch.json"),
            "GUILD_TASK_CELL_INSTANCE_ID": f"{job.task}-{job.attempt}",
            "GUILD_ATTEMPT": str(job.attempt),
            "GUILD_BUNDLE": str(job.bundle),
            "GUILD_RECEIPT": str(job.receipt),
            "GUILD_HEARTBEAT": str(job.heartbeat),
            "GUILD_NUDGE": str(job.nudge),
            **({"GUILD_SENT_BACK": str(sent_back)} if sent_back.is_file() else {}),
            **definition,
            **lane_environment(job.folder),
        }

    def _tier(self, lane: Lane, state: LaneState) -> str:
        """The plan's; after a failed attempt what the scorer makes of a lane that asked for help, if that is more."""
        if not lane.tier or not state.tries:
            return lane.tier
        signals = signals_of(lane.owner, lane.scope, bool(lane.depends_on))
        harder = score(signals._replace(escalated=True), self.terms.scoring).tier
        order = ("cheap", "mid", "powerful")
        return max(lane.tier, harder, key=order.index) if lane.tier in order else lane.tier

    def _bundle(self, lane: Lane, state: LaneState) -> str:
        """The brief of the lane, with what those before it handed over, and why it was sent back."""
        path = self.folder.context(self.run) / f"{lane.owner}-{lane.task}.md"
        if lane.depends_on or not path.is_file():
            lane_bundle(self.folder, self.slug, self.plan, self.run, lane, self.terms)
        text, problem = read_text_inside(path, self.folder.root, _MOST)
        if problem:
            raise UndecidedError(
                f"{lane.task} has no bundle: {problem}", f"guild work context {self.slug} makes it."
            )
        if not state.sent_back:
            return text
        more = self.place(lane.task, state.attempt) / DIFFERENCE
        said = more.read_text(encoding="utf-8") if more.is_file() else f"{state.sent_back}\n"
        write_durable(self.place(lane.task, state.attempt + 1) / SENT_BACK, said)
        return f"{text.rstrip()}\n\n### Sent back\n{said}"

    def _write_scope(self, lane: Lane, tools: tuple[str, ...]) -> None:
        """What the guard holds the lane's agent to, whatever its environment says."""
        if tools:
            path = self.folder.run(self.run) / "scope" / f"{lane.task}.json"
            folder_inside(self.folder.root, path.parent.relative_to(self.folder.root))
            self._write(path, json.dumps({"capability_scope": list(tools)}) + "\n")

    def _write(self, path: Path, text: str) -> bytes:
        """Scrubbed and whole, but not forced to the disk: a lane whose record is lost is dispatched anew."""
        kept = self.scrubber.text(text, path.name).text.encode("utf-8", "surrogatepass")
        put_in_place(path, kept)
        return kept


def toolchain(folder: Path) -> list[str]:
    """What the worktree needs before its tests can run, by the files that say so."""
    signs = {
        "package.json": "npm install", "Cargo.toml": "cargo build", "go.mod": "go build ./...",
        "requirements.txt": "pip install -r requirements.txt", "pyproject.toml": "pip install -e .",
    }  # fmt: skip
    return [f"{name}: {how}" for name, how in signs.items() if os.path.isfile(folder / name)]


def worktree_note(baseline: BaseChecks, needs: Sequence[str]) -> str:
    """What a worker is told of the place that it finds. Pure."""
    rows = [f"- base: {baseline.commit[:12]}, with nothing else in it"]
    rows += [f"- toolchain: {each}" for each in needs]
    for command in baseline.checks:
        how = "fails already" if command in baseline.failing else "passes"
        rows.append(f"- `{command}` {how} there, before you begin")
    return "### Worktree\n" + "\n".join(rows) + "\n"


def recorded_job(dispatcher: Dispatcher, lane: Lane, attempt: int) -> LaneJob | None:
    """The job of an attempt that was dispatched before, as far as its receipt needs it; None without a record."""
    place = dispatcher.place(lane.task, attempt)
    text, problem = read_text_inside(place / "dispatch.json", dispatcher.folder.root, _MOST)
    try:
        told = json.loads(text) if not problem else {}
        receipt, worktree = Path(told["receipt"]), Path(told["worktree"])
    except (ValueError, KeyError, TypeError):
        return None
    inbox = receipt.parent
    if not inbox.is_relative_to(place):
        return None
    return LaneJob(
        dispatcher.run, lane.task, lane.owner, attempt, worktree, place / "bundle.md", receipt,
        inbox / "heartbeat.json", inbox / "nudge.txt", {},
    )  # fmt: skip
