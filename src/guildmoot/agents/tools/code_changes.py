"""Reports names that a change of Go, TypeScript, JavaScript, Rust or Java leaves without a declaration.

    python -m guildmoot.agents.tools.code_changes REPOSITORY

REPOSITORY is the JSON file that names the repository, the base and what changed. Nothing of the work is run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from guildmoot.agents.tools.python_changes import BaseFiles
from guildmoot.agents.tools.rdjsonl import NoJudgementError, ToolFinding, run

_MOST_FILES = 300
"""Files of a change up to which it is looked at: more are a migration."""
_LARGEST = 1_000_000


def find(arguments: Sequence[str], folder: str) -> list[ToolFinding]:
    """What the change brings."""
    if len(arguments) != 1:
        raise NoJudgementError("usage: python -m guildmoot.agents.tools.code_changes REPOSITORY")
    place = Path(arguments[0])
    if not place.exists():
        return []
    try:
        told = json.loads(place.read_text(encoding="utf-8"))
        return list(_found(told, Path(folder), place.parent / "before" / "files"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as wrong:
        raise NoJudgementError(f"{place} does not tell of a change: {wrong!r}") from None


def _found(told: dict[str, Any], now: Path, then: Path) -> Iterator[ToolFinding]:
    from guildmoot.agents.parsing.changed_names import ENDINGS, ChangedCode, lost_names

    renamed = {str(old): str(new) for new, old in told["renamed"].items()}
    paths = [path for path in told["changed"] if path.endswith(ENDINGS)]
    if not paths or len(paths) > _MOST_FILES:
        return
    earlier = sorted({*(str(old) for old in told["renamed"].values()), *paths})
    before = {renamed.get(path, path): text for path, text in _texts(then, earlier).items()}
    with BaseFiles(str(told["root"]), str(told["base"]), ENDINGS) as others:
        change = ChangedCode(before, _texts(now, paths), others.text, others.users)
        for each in lost_names(change):
            yield ToolFinding(each.message, each.code, "ERROR", each.path, each.line)


def _texts(folder: Path, paths: Sequence[str]) -> dict[str, str]:
    found = {}
    for path in paths:
        place = folder / path
        if place.is_file() and place.stat().st_size < _LARGEST:
            found[path] = place.read_text(encoding="utf-8", errors="replace")
    return found


if __name__ == "__main__":
    sys.exit(run(find, sys.argv[1:]))
