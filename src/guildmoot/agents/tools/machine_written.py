"""Reports what a change does to files that programs write: lock files, and generated ones with a source.

    python -m guildmoot.agents.tools.machine_written MANIFEST

They were compared with the base when the packet was made; this turns that record into findings.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from guildmoot.agents.tools.rdjsonl import NoJudgementError, ToolFinding, run


def find(arguments: Sequence[str], folder: str) -> list[ToolFinding]:
    """What the manifest tells, whichever folder it is run in."""
    if len(arguments) != 1:
        raise NoJudgementError("usage: python -m guildmoot.agents.tools.machine_written MANIFEST")
    try:
        manifest = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        return [
            ToolFinding(str(message), str(code), str(severity), str(check["path"]))
            for check in manifest["checks"]
            for code, severity, message in check["findings"]
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
        raise NoJudgementError(f"{arguments[0]} is no manifest of a packet: {wrong!r}") from None


if __name__ == "__main__":
    sys.exit(run(find, sys.argv[1:]))
