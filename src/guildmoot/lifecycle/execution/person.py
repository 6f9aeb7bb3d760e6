"""What a person's word makes of a lane: more places that it may change, and work that they hand in. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from guildmoot.lifecycle.execution.worktrees import LaneDiff
from guildmoot.lifecycle.plan import Lane
from guildmoot.lifecycle.proof.claims import scope_places
from guildmoot.lifecycle.proof.expectations import expected_endings
from guildmoot.lifecycle.receipt import FRONT, SCHEMA
from guildmoot.text.clean import clean, one_line


def with_places(lane: Lane, places: Sequence[str]) -> Lane:
    """A lane that may also change these; one whose scope names no place may change any."""
    known = scope_places(lane)
    if not places or not known:
        return lane
    named = ", ".join(f"`./{each.removeprefix('./')}`" for each in (*known, *places))
    return lane._replace(scope=f"{lane.scope} Also {named}.")


def person_receipt(lane: Lane, diff: LaneDiff, tier: str, said: str) -> str:
    """The receipt of work that a person did in the worktree: git says what changed, and the plan's commands are run."""
    files = sorted(diff.changed)
    rows = []
    for path in files:
        digest = diff.changed[path]
        change = "deleted" if digest is None else "modified" if path in diff.before else "added"
        rows.append(
            f"  - {{path: {json.dumps(path)}, change: {change}, sha256_after: {digest or 'none'}}}"
        )
    wanted = expected_endings(lane.criteria).values()
    commands = [each.command for each in wanted if each.passes]
    summary = one_line(clean(said))[:500] or f"{lane.task} was done by a person."
    envelope = {
        "schema_version": SCHEMA, "task_id": lane.task, "tier": tier, "status": "done",
        "summary": summary, "artifacts": [], "issues": [],
    }  # fmt: skip
    named = [f"- {path}" for path in files] or ["none"]
    shown = [f"- `{each}` exit code 0" for each in commands] or [f"- {len(files)} files, by git"]
    return "\n".join((
        "---", f"schema_version: {FRONT}", f"ids: {{task_id: {lane.task}}}", f"specialist: {lane.owner}",
        "changed_files:" if rows else "changed_files: []", *rows, "---",
        "## changed_files", *named, "## opens_for", "none", "## assumptions", "none",
        "## evidence", *shown, "## followups", "none", "",
        f"```{SCHEMA}", json.dumps(envelope), "```", "",
    ))  # fmt: skip
