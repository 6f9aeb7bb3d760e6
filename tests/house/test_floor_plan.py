"""The floor plan holds: one name a class, rooms that can be overlooked, facts in one place."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.house import BACKEND_TEST, class_names  # noqa: E402

PACKAGE = ROOT / "src" / "guildmoot"
SOURCES = {path: path.read_text() for path in sorted(PACKAGE.rglob("*.py"))}
SHELF = 24
"""Files that a room may have before it is two rooms."""
PAGE = 400
"""Lines after which a file tells two stories."""


def test_no_two_public_classes_share_a_name() -> None:
    names = class_names(SOURCES)
    assert [name for name, count in names.items() if count > 1 and name[0] != "_"] == []


def test_no_room_is_too_full() -> None:
    folders = Counter(path.parent.relative_to(PACKAGE) for path in SOURCES)
    assert {str(room): count for room, count in folders.items() if count > SHELF} == {}


def test_no_file_tells_two_stories() -> None:
    long = {
        str(path): text.count("\n") for path, text in SOURCES.items() if text.count("\n") > PAGE
    }
    assert long == {}


def test_facts_about_a_backend_stand_in_its_registry_entry() -> None:
    told = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path, text in SOURCES.items()
        if PACKAGE / "backends" not in path.parents
        for line in text.splitlines()
        if BACKEND_TEST.search(line)
    ]
    assert len(told) <= 5, told


def test_contributing_names_every_room_and_no_other() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text.split("## Where things live")[1].split("## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    told = {name.strip("/") for row in rows for name in re.findall(r"`([\w./]+)`", row)}
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    small = {"__init__.py", "__main__.py", "errors.py", "version.py"}
    files = {path.name for path in PACKAGE.glob("*.py")} - small
    assert told == folders | files
