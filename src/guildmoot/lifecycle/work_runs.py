"""The runs of a piece of work: begun when a model is first asked or when the bundles are made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from guildmoot.guard.nonce import PROOF, is_proven, make_proof
from guildmoot.guard.records import is_tracked, own_rows
from guildmoot.guard.scrub import append_durable, write_durable
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.runs.record import COMMITTED
from guildmoot.system.files import folder_inside, keep_out_of_git, read_own, read_rows
from guildmoot.text.clean import one_line

RECORD = "work.json"
_BEGUN = "begun.jsonl"
"""Beside the runs: the record of each once more, so that none is begun anew because its own is gone."""
_PARTS = "parts.jsonl"
_BRAINSTORM = "## brainstorm"


class WorkRun(NamedTuple):
    """One run of a piece of work."""

    id: str
    slug: str
    plan_sha256: str
    """The approved content that it carries out; empty while there is none."""


def runs_of(folder: WorkFolder, slug: str) -> Iterator[WorkRun]:
    """Every run of a piece of work, the newest first; what cannot be read, or came along, is none."""
    runs = folder.guild / "runs"
    for path in sorted(runs.glob(f"run-*-{slug}"), reverse=True) if runs.is_dir() else ():
        told = _own_record(folder, path.name) or _second_record(folder, path.name)
        if told.get("slug") == slug:
            yield WorkRun(path.name, slug, str(told.get("plan_sha256") or ""))


def is_work_run(folder: WorkFolder, run: str) -> bool:
    """Whether a folder of runs is that of a piece of work, and not of a council."""
    return (folder.run(run) / RECORD).is_file() or bool(_second_record(folder, run))


def mend_record(folder: WorkFolder, run: str) -> None:
    """Write again which of the two records of a run is gone."""
    own, second = _own_record(folder, run), _second_record(folder, run)
    if own != second:
        _write_record(folder, own or second)


def _own_record(folder: WorkFolder, run: str) -> dict[str, object]:
    file = folder.run(run) / RECORD
    try:
        told = json.loads(read_own(file, 100_000) or b"{}")
    except (ValueError, RecursionError):
        return {}
    ours = isinstance(told, dict) and told.get("run") == run and is_proven(told)
    return told if ours and not is_tracked(folder.root, file.relative_to(folder.root)) else {}


def _second_record(folder: WorkFolder, run: str) -> dict[str, object]:
    rows = own_rows(folder.root, (folder.guild / "runs" / _BEGUN).relative_to(folder.root))
    ours = [row for row in rows if row and row.get("run") == run and is_proven(row)]
    return ours[-1] if ours else {}


def _write_record(folder: WorkFolder, proven: dict[str, object]) -> None:
    write_durable(folder.run(str(proven["run"])) / RECORD, json.dumps(proven, indent=2) + "\n")
    append_durable(folder.guild / "runs" / _BEGUN, [proven])


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
    record: dict[str, object] = {
        "schema_version": 1, "slug": slug, "run": run, "plan_sha256": plan_hash,
        "started_at": now.isoformat(timespec="seconds"),
    }  # fmt: skip
    _write_record(folder, {**record, PROOF: make_proof(record)})
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


def with_parts(folder: WorkFolder, run: str) -> list[str]:
    """A run and what was held on its behalf."""
    rows = read_rows(folder.run(run) / _PARTS)
    return [run, *dict.fromkeys(str(row["run"]) for row in rows if row and "run" in row)]
