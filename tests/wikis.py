"""Builders for wikis that tests put pages into."""

from __future__ import annotations

import subprocess
from pathlib import Path

from guildmoot.memory.recall.recall import Recall

FRONT = """---
type: {type}
owner: t
confidence: {confidence}
source_refs: []
created_at: 2026-01-01
updated_at: {day}
sensitivity: internal
{more}---

"""
KINDS = {
    "concepts": "concept",
    "sources": "source",
    "standards": "standard",
    "decisions": "decision",
    "context": "context",
}


def repository(folder: Path) -> Path:
    """A fresh git repository."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    return folder


def put(
    root: Path,
    path: str,
    body: str,
    day: str = "2026-01-01",
    more: str = "",
    confidence: str = "medium",
) -> Path:
    """Write a page as a person would."""
    file = root / ".guild" / "wiki" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    kind = KINDS[path.partition("/")[0]]
    file.write_text(
        FRONT.format(type=kind, day=day, more=more, confidence=confidence) + body, encoding="utf-8"
    )
    return file


def found(root: Path, question: str, **terms) -> list[str]:
    """The paths of an answer."""
    recall = Recall(root)
    try:
        return [each.path for each in recall.ask(question, **terms)]
    finally:
        recall.close()
