"""Valid documents of each kind; a test breaks one in one place."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

from guildmoot.lifecycle.lint import lint

SPEC = """---
type: spec
owner: orchestrator
confidence: medium
source_refs: []
created_at: 2026-11-01
updated_at: 2026-11-01
---
# Parcel tracker
## Goal & outcome
Customers see where their parcel is.
## Audience / operator
Customers; one dispatcher.
## Success criteria
- `python -m unittest discover tests` exits 0
- `python -m unittest discover tests` exits 0 within 30 s
## Non-goals
- accounts
## Constraints
- stack: Python, SQLite
## Autonomy policy
- may act without asking: files below app/ and tests/
- requires confirmation: new dependencies
- forbidden: the network in tests
## Risks & rollback
- a wrong place is shown -> revert the commit
## Assumptions (from brainstorm)
- a parcel has one number (agreed by the user)
"""
TEAM = """spec: .guild/spec/parcels.md
backend: subagent
allow_larger: false
specialists:
  - name: backend
    scope: "Storage and pages"
    depends-on: []
  - name: qa
    scope: "Tests of the pages"
    depends-on: [backend]
    implied-by: backend-present
gaps_resolved: []
coverage_flags: []
"""


def lane(task: str, owner: str, waits: str = "[]", scope: str = "Pages below app/.") -> str:
    return f"""## Lane: {owner}
- task-id: {task}
- owner: {owner}
- depends-on: {waits}
- complexity_score: 2
- tier: mid
- loops_applicable: full
- scope: {scope}
- success-criteria:
  - `python -m unittest` exits 0
- autonomy-policy:
  - may act without asking: app/
  - requires confirmation: migrations
  - forbidden: touching auth/
"""


PLAN_HEAD = """---
type: plan
spec: .guild/spec/parcels.md
team: .guild/team/parcels.yaml
backend: subagent
created_at: 2026-11-01
approved: false
---
# Plan: Parcel tracker
"""
PLAN = PLAN_HEAD + lane("T1-backend", "backend") + lane("T2-qa", "qa", "[T1-backend]")
ENVELOPE = {
    "schema_version": "guild.handoff.v2",
    "task_id": "T1-backend",
    "tier": "mid",
    "status": "done",
    "summary": "Pages and storage are there.",
    "artifacts": ["app/api.py:1-2"],
    "issues": [],
}


def receipt(content: bytes, **changes: object) -> str:
    envelope = json.dumps({k: v for k, v in {**ENVELOPE, **changes}.items() if v is not None})
    return f"""---
schema_version: guild.handoff_receipt.v1
ids: {{initiative_id: null, run_id: run-1, task_id: T1-backend, task_run_id: t1}}
specialist: backend
status: completed
changed_files:
  - {{path: app/api.py, change: added, sha256_after: {hashlib.sha256(content).hexdigest()}}}
evidence:
  - {{kind: command, ref: python -m unittest, result: pass}}
produced_at: 2026-11-01T10:00:00Z
---
## changed_files
- app/api.py
## opens_for
- T2-qa
## assumptions
none
## evidence
- `python -m unittest` exit code 0
## followups
none

```guild.handoff.v2
{envelope}
```
"""


BUNDLE = """---
run_id: run-1
specialist: backend
task_id: T1-backend
spec: .guild/spec/parcels.md
plan: .guild/plan/parcels.md
sources: []
token_estimate: {universal: 1, role: 1, task: 1, total: 3}
dropped_for_budget: []
---
## Universal
Think first.
## Role
Small changes.
## Task
Pages.
"""
REVIEW = """---
run_id: run-1
slug: parcels
review_stage: 2
reviewed_at: 2026-11-01
reviewer: panel
overall_verdict: pass
---
| specialist | task-id | stage 1 | stage 2 | failing check |
|---|---|---|---|---|
| backend | T1-backend | pass | pass | - |
"""
VERIFY = """---
run_id: run-1
status: PASS
---
""" + "".join(f"## Check {n}\npass: exit code 0\n" for n in range(1, 6))
REFLECTION = """---
run_id: run-1
date: 2026-11-01
task_slug: parcels
proposals:
  skill_improvement: []
  missing_specialist: []
  context_issues: []
  followup_backlog: [backend/T1-backend]
significance: low
---
One thing is left.
"""
SKILL = """---
name: parcel-pages
description: Writes pages. Use when a page for parcels is asked for. Do not use for APIs.
---
Write the page.
"""


def write_project(root: Path) -> Path:
    """A spec, a team and a plan that belong together."""
    for name, text in (
        ("spec/parcels.md", SPEC),
        ("team/parcels.yaml", TEAM),
        ("plan/parcels.md", PLAN),
        ("context/run-1/backend-T1-backend.md", BUNDLE),
        ("runs/run-1/review.md", REVIEW),
        ("runs/run-1/verify.md", VERIFY),
        ("reflections/run-1.md", REFLECTION),
    ):
        put(root / ".guild" / name, text)
    put(root / "skills/parcel-pages/SKILL.md", SKILL)
    return root


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def codes(root: Path, name: str) -> list[str]:
    """What is wrong with a file, by code."""
    (found,) = lint([name], root)
    return [each.code for each in found.problems]


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
