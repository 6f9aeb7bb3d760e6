"""The table of pinned archives and its labels hold together."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS.parent))

from benchmarks.real_repositories import LABELS, PROJECTS, key_of  # noqa: E402

projects = json.loads(PROJECTS.read_text())
labels = [json.loads(line) for line in LABELS.read_text().splitlines()]


def test_enough_projects_are_pinned_in_sets_that_were_judged_at_different_times() -> None:
    assert len(projects) >= 20
    assert len({row["language"] for row in projects}) >= 8
    halves = Counter(row["half"] for row in projects)
    assert {*halves} == {
        *("tuning", "held", "second", "last", "applications"),
        *("typical", "further", "latest", "registries", "fresh", "fresh second"),
    }
    assert min(halves.values()) >= 10
    assert all(_is_pinned(row) for row in projects)


def _is_pinned(row: dict[str, str]) -> bool:
    if row["registry"] == "git":
        return len(row["commit"]) == 40 and row["commit"].startswith(row["version"])
    return len(row["sha256"]) == 64 and row["version"] in row["url"]


def test_every_label_is_of_a_pinned_project_and_says_why() -> None:
    versions = {row["project"]: row["version"] for row in projects}
    assert all(versions[row["project"]] == row["version"] for row in labels)
    assert all(row["label"] in ("true", "false") and row["why"] for row in labels)
    said = Counter((*key_of(row["project"], row), row["title"]) for row in labels)
    assert [key for key, number in said.items() if number > 1] == []
