"""Reports what a change does to files that programs write: lock files, and generated ones with a source.

    python -m guildmoot.agents.tools.machine_written MANIFEST

They were compared with the base when the packet was made; this turns that record into findings.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from guildmoot.agents.tools.rdjsonl import ToolFinding, refuse, write


def main(arguments: list[str]) -> int:
    """The program; returns its exit code."""
    if len(arguments) != 1:
        return refuse("usage: python -m guildmoot.agents.tools.machine_written MANIFEST")
    try:
        manifest = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        findings = [
            ToolFinding(str(message), str(code), str(severity), str(check["path"]))
            for check in manifest["checks"]
            for code, severity, message in check["findings"]
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
        return refuse(f"{arguments[0]} is no manifest of a packet: {wrong!r}")
    return write(findings)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
