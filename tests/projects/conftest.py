"""``loom`` and ``griot`` run in this process, and a project to try them on."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import commands
from conftest import Ran

SLUG = "2026-01-05-new-ledger"
PLAN = """# New ledger

## Phase 1 — Inventory

**Goal**: list every caller
**Exit**: the list is complete

## Phase 2 — Replace

**Goal**: replace them
**Exit**: the tests pass
**Depends on**: Phase 1
"""


def run_program(
    name: str, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], stdin: bytes
) -> Ran:
    out, err = io.BytesIO(), io.BytesIO()
    main = import_module(f"guildmoot.cli.{name}.main").main
    with monkeypatch.context() as streams:
        streams.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        streams.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="utf-8"))
        streams.setattr(sys, "stderr", io.TextIOWrapper(err, encoding="utf-8"))
        code = main(list(argv))
        sys.stdout.flush()
        sys.stderr.flush()
        return Ran(code, out.getvalue().decode(), err.getvalue().decode())


@pytest.fixture
def loom(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Ran]:
    """``loom("project", "list")`` in the current folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return lambda *argv, stdin=b"": run_program("loom", monkeypatch, argv, stdin)


def checkin(**other: Any) -> dict[str, Any]:
    return {
        "schema_version": 1, "number": "01", "created": "2026-01-06T09:00:00Z",
        "phase": {"number": 1, "name": "Inventory"}, "branch": "ledger.inventory", "unit": "List callers",
        "contract": {"goal": "a full list", "acceptance_criteria": ["all are named"],
                     "rules_applied": [], "disqualifiers": [], "inputs": []},
        "execution": {"actions": ["searched"], "files_touched": ["src/a.py"], "corrections": ["two more"]},
        "scope": ["src"], "changes_since_previous": "", "notes_for_pr": ["look at b"],
        "verdict": {"result": "approved", "reasons": []},
    } | other  # fmt: skip


def make_project(folder: Path, slug: str = SLUG, **config: Any) -> Path:
    """A project as ``loom project scaffold`` makes one, in ``projects`` below a folder."""
    config = {"base_branch": "main", "reviewers": [], "labels": [], "verification": ["make test"],
              "worker_bindings": {}} | config  # fmt: skip
    phases = [{"number": 1, "name": "Inventory", "status": "not-started"},
              {"number": 2, "name": "Replace", "status": "not-started"}]  # fmt: skip
    init = {
        "title": "New ledger",
        "started": "2026-01-05",
        "strategy": "confidence",
        "phases": phases,
    }
    files = {"plan.md": PLAN, "config.json": json.dumps(config), "init.json": json.dumps(init)}
    for name, text in files.items():
        (folder / name).write_text(text)
    done = commands.run(
        ["-c", "from guildmoot.cli.main import loom; raise SystemExit(loom())",
         "project", "scaffold", slug, "--plan-file=plan.md", "--config-file=config.json",
         "--manifest-init-file=init.json"],
        cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for name in files:
        (folder / name).unlink()
    return folder / "projects" / slug


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder; the current folder is the one above ``projects``."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return make_project(work)
