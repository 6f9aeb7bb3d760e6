"""Takes folders away that others filled: without the right to write in them, or deeper than a stack is."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def remove_folder(place: Path) -> None:
    """Take a folder away. A link is only unlinked."""
    if place.is_symlink():
        place.unlink()
    for _ in range(2):
        if not place.exists():
            return
        with suppress(RecursionError):
            shutil.rmtree(place, ignore_errors=True)
        if place.exists():
            for inner, _, _ in walk(place):
                os.chmod(inner, 0o700)
    if place.exists():  # folders in folders in folders
        subprocess.run(["rm", "-rf", "--", str(place)], capture_output=True, check=False)


def walk(place: Path, deepest: int = 200) -> Iterator[tuple[str, list[str], bool]]:
    """Every folder with the names of its files, and whether what lies below it is left out: so deep is it.

    ``os.walk`` goes as deep as somebody made folders, which ends a program. Links are files here; git's own folders are
    none of anybody's.
    """
    waiting = [(str(place), 0)]
    while waiting:
        folder, depth = waiting.pop()
        names: list[str] = []
        below: list[tuple[str, int]] = []
        with suppress(OSError), os.scandir(folder) as entries:
            for each in entries:
                if not each.is_dir(follow_symlinks=False):
                    names.append(each.name)
                elif each.name != ".git":
                    below.append((each.path, depth + 1))
        cut = depth >= deepest and bool(below)
        yield folder, names, cut
        waiting += [] if cut else below
