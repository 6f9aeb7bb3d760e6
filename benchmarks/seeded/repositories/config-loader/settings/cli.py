"""``settings check FILE``: says whether a settings file can be used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from settings.environment import merge
from settings.loader import SettingsError, load
from settings.schema import server_settings


def main(argv: list[str]) -> int:
    """0 when the file is good, 2 when it is not, 64 for wrong usage."""
    if len(argv) != 1:
        print("usage: settings FILE", file=sys.stderr)
        return 64
    try:
        server = server_settings(merge(load(Path(argv[0])), os.environ))
    except (SettingsError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"listens on {server.host}:{server.port}")
    return 0


def edit(path: Path, editor: str) -> int:
    """Open the file in the user's editor."""
    return subprocess.run([editor, str(path)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
