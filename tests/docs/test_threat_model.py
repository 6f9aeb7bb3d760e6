"""Every promise of the threat model names a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

_ROOT = Path(__file__).parents[2]


def test_each_promise_names_tests_that_are_there() -> None:
    page = (_ROOT / "docs/threat-model.md").read_text()
    promised = page.partition("## What is promised")[2].partition("## What is not")[0]
    rows = [row for row in promised.splitlines() if row.startswith("| ") and "---" not in row]
    rows = [row for row in rows if row != "| promise | test |"]

    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`(tests/[^`]+)`", row)
        assert named, f"no test: {row}"
        assert not [name for name in named if not (_ROOT / name).exists()], row
