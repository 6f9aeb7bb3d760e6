"""What a person's word makes of a lane: more places that it may change, and work that they hand in. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from guildmoot.lifecycle.execution.worktrees import LaneDiff
from guildmoot.lifecycle.plan import Lane
from guildmoot.lifecycle.proof.claims import scope_places
from guildmoot.lifecycle.receipt import FRONT, SCHEMA
from guildmoot.lifecycle.spec import commands_of
from guildmoot.text.clean import clean, one_line


def with_places(lane: Lane, places: Sequence[str]) -> Lane:
    """A lane that may also change these; one whose scope names no place may change any."""
    if not places or not scope_places(lane):
        return lane
    return lane._replace(scope=f"{lane.scope} Also {', '.join(f'`{each}`' for each in places)}.")


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
    commands = dict.fromkeys(c for text in lane.criteria for c in commands_of(text))
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
