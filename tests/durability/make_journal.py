"""Writes the journal of a half-finished panel, as the version of today leaves it.

    PYTHONPATH=tests python tests/durability/make_journal.py

Do so once for every released schema version, and never again: the journal is what that version wrote.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from durability.harness import Bench, build
from durability.journals import HOME, write_ledger
from durability.practices import PANEL, Template
from durability.survey import survey
from guildmoot.calls.ledger.store import MIGRATIONS

_LONG_AGO = """
UPDATE calls SET holder = 'machine:1:1', began = 1767355200, expires = 1767355380;
UPDATE calls SET ended = 1767355201 WHERE ended;
UPDATE spend SET day = '2026-01-02', expires = 1767355380;
UPDATE settled SET name = '2026-01-02' WHERE scope = 'day';
UPDATE packets SET kept = 1767355200;
"""


def main() -> int:
    """Write it, unless it is there."""
    target = HOME / f"v{len(MIGRATIONS)}"
    if target.exists():
        print(f"{target} is there already")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        template = Template(PANEL, folder)
        bench = Bench(build(folder), 1)
        bench.learn(template.place, *PANEL.argv)
        place = template.place()
        ended, changes = bench.changes(place, *PANEL.argv, copies=True)
        bench.close()
        copies = [place.copies / str(each.number) for each in changes]
        half = next(each for each in copies if len(survey(each, place.root).answered) == 2)
        _write(half / "shop" / ".guild", target, str(place.folder))
        (target / "expected.json").write_text(json.dumps(_expected(ended.json), indent=2) + "\n")
    return 0


def _write(kept: Path, target: Path, root: str) -> None:
    target.mkdir(parents=True)
    with closing(sqlite3.connect(kept / "ledger.sqlite3")) as connection:
        connection.executescript(_LONG_AGO)
    write_ledger(kept / "ledger.sqlite3", target / "ledger.sql")
    shutil.copytree(kept / "runs", target / "runs")
    for file in (target / "runs").rglob("*.json"):
        file.write_text(file.read_text().replace(root, "/somewhere"))


def _expected(report: dict) -> dict:
    """What the run comes to, however it is gone on with."""
    return {key: report[key] for key in ("verdict", "blocking_findings", "advisory_findings")}


if __name__ == "__main__":
    sys.exit(main())
