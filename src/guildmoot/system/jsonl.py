"""JSON lines that several programs append to and people may edit: read forgivingly, appended whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from guildmoot.errors import InfrastructureError
from guildmoot.system.atomic import locked


def read_rows(file: Path) -> Iterator[dict[str, object] | None]:
    """Each line's object; None for a line that is none. What is no file has no lines."""
    if not file.is_file():  # a device or a pipe that a link leads to would be read without end
        return
    lines = file.read_bytes().split(b"\n")
    for line in filter(bytes.strip, lines):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        yield row if isinstance(row, dict) else None


def append_rows(file: Path, rows: Sequence[object]) -> None:
    """Add lines; one that a killed writer cut short is ended first. The caller holds the lock.

    A link is refused: the folder is text of a repository, and a link in it may lead anywhere.
    """
    if not rows:
        return
    if file.is_symlink():
        raise InfrastructureError(f"{file} is a link", "Nothing was written to it.")
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    with file.open("ab+") as handle:
        end = handle.seek(0, os.SEEK_END)
        if end:
            handle.seek(end - 1)
            text = text if handle.read(1) == b"\n" else "\n" + text
        handle.write(text.encode("utf-8", "backslashreplace"))
        handle.flush()
        os.fsync(handle.fileno())


@contextmanager
def writing(root: Path, folder: Path, lock: str) -> Iterator[Path]:
    """The folder, made if need be, under its lock; one that leaves the repository is refused."""
    full = root / folder
    if not Path(os.path.realpath(full)).is_relative_to(os.path.realpath(root)):
        raise InfrastructureError(
            f"{folder} is a link that leaves the repository", "Nothing was written."
        )
    full.mkdir(parents=True, exist_ok=True)
    with locked(full / lock):
        yield full
