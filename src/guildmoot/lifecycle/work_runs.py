"""The runs of a piece of work: begun when a model is first asked or when the bundles are made, and what they cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from guildmoot.guard.nonce import PROOF, is_proven, make_proof
from guildmoot.guard.records import is_tracked
from guildmoot.guard.scrub import append_durable, write_durable
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.memory.traces.calls import read_calls
from guildmoot.runs.record import COMMITTED
from guildmoot.system.files import folder_inside, keep_out_of_git, read_own, read_rows
from guildmoot.text.clean import one_line

RECORD = "work.json"
_PARTS = "parts.jsonl"
_BRAINSTORM = "## brainstorm"


class WorkRun(NamedTuple):
    """One run of a piece of work."""

    id: str
    slug: str
    plan_sha256: str
    """The approved content that it carries out; empty while there is none."""


class WorkCost(NamedTuple):
    """What a piece of work has cost so far."""

    usd: float = 0.0
    tokens: int = 0
    calls: int = 0
    unpriced: int = 0
    """Calls whose price nobody knows; they are not in the sum."""


def runs_of(folder: WorkFolder, slug: str) -> Iterator[WorkRun]:
    """Every run of a piece of work, the newest first; what cannot be read, or came along, is none."""
    runs = folder.guild / "runs"
    for path in sorted(runs.glob(f"run-*-{slug}"), reverse=True) if runs.is_dir() else ():
        try:
            told = json.loads(read_own(path / RECORD, 100_000) or b"{}")
        except (ValueError, RecursionError):
            continue
        record = (path / RECORD).relative_to(folder.root)
        if (
            isinstance(told, dict)
            and is_proven(told)
            and (told.get("slug"), told.get("run")) == (slug, path.name)
            and not is_tracked(folder.root, record)
        ):
            yield WorkRun(path.name, slug, str(told.get("plan_sha256") or ""))


def latest_run(folder: WorkFolder, slug: str, plan_hash: str = "") -> str:
    """The newest run of a piece of work, of this plan where one is given; empty when there is none."""
    found = (run for run in runs_of(folder, slug) if plan_hash in ("", run.plan_sha256))
    return next((run.id for run in found), "")


def begin_run(
    folder: WorkFolder, slug: str, plan_hash: str = "", now: datetime | None = None
) -> str:
    """The run of this plan: the one that is there, else one that waits for a plan, else a new one."""
    known = list(runs_of(folder, slug))
    same = next((run for run in known if run.plan_sha256 == plan_hash), None)
    if same:
        return same.id
    waiting = next((run for run in known if not run.plan_sha256), None)
    now = now or datetime.now(UTC)
    run = waiting.id if waiting else _free_name(folder, slug, now)
    folder_inside(folder.root, folder.run(run).relative_to(folder.root))
    keep_out_of_git(folder.guild, COMMITTED)
    record = {"schema_version": 1, "slug": slug, "run": run, "plan_sha256": plan_hash,
              "started_at": now.isoformat(timespec="seconds")}  # fmt: skip
    proven = {**record, PROOF: make_proof(record)}
    write_durable(folder.run(run) / RECORD, json.dumps(proven, indent=2) + "\n")
    write_durable(folder.guild / "runs" / "current-run-id", f"{run}\n")
    return run


def _free_name(folder: WorkFolder, slug: str, now: datetime) -> str:
    """A name by the second; a plan that was changed and approved within one gets a letter."""
    stamp = f"{now:%Y%m%d-%H%M%S}"
    names = (f"run-{stamp}{letter}-{slug}" for letter in ("", *"bcdefghijklmnopqrstuvwxyz"))
    return next(name for name in names if not folder.run(name).exists())


def note_assumed(folder: WorkFolder, run: str, assumed: tuple[str, ...]) -> None:
    """Blocking unknowns of the spec that were assumed through stand among the assumptions of its run."""
    place = folder.run(run) / "assumptions.md"
    before = read_own(place, 1_000_000).decode("utf-8", "replace") or "# Assumptions\n"
    new = [row for row in dict.fromkeys(map(one_line, assumed)) if f"- {row}\n" not in before]
    if new:
        head = [] if _BRAINSTORM in before else ["", _BRAINSTORM, ""]
        rows = [before.rstrip(), *head, *(f"- {row}" for row in new)]
        write_durable(place, "\n".join(rows) + "\n")


def assumed_before(folder: WorkFolder, run: str) -> list[str]:
    """The section that the brainstorm left in a run's assumptions, which whoever writes them anew keeps."""
    text = read_own(folder.run(run) / "assumptions.md", 1_000_000).decode("utf-8", "replace")
    _, mark, rest = text.partition(f"{_BRAINSTORM}\n")
    rows = rest.partition("\n## ")[0].strip().split("\n")
    return [_BRAINSTORM, "", *rows, ""] if mark else []


def add_part(folder: WorkFolder, run: str, part: str) -> None:
    """Another run, such as a pre-mortem, was held on behalf of this one; what it costs is the work's."""
    append_durable(folder.run(run) / _PARTS, [{"run": part}])


def _with_parts(folder: WorkFolder, run: str) -> list[str]:
    rows = read_rows(folder.run(run) / _PARTS)
    return [run, *dict.fromkeys(str(row["run"]) for row in rows if row and "run" in row)]


def cost_of(folder: WorkFolder, slug: str) -> WorkCost:
    """What every run of the work asked for, by the ledger."""
    total = WorkCost()
    for run in (name for each in runs_of(folder, slug) for name in _with_parts(folder, each.id)):
        for call in read_calls(folder.root, run, {}):
            if call.is_tool:
                continue
            used = call.usage
            total = WorkCost(
                total.usd + (call.usd or 0.0),
                total.tokens + (used.input_tokens + used.output_tokens if used else 0),
                total.calls + 1,
                total.unpriced + (call.usd is None),
            )
    return total
