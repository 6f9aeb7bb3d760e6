"""``--report FILE``: checked before anyone judges, written after, whatever kind of run it was."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from guildmoot.errors import InfrastructureError, UsageError


def check_files(paths: Sequence[Path], formats: Collection[str]) -> None:
    """A report that could not be written is refused before anything is spent."""
    for path in paths:
        if path.suffix.lower() not in formats:
            known = ", ".join(formats)
            raise UsageError(f"--report {path}: the file's name must end in one of {known}")
        if not path.absolute().parent.is_dir():
            raise UsageError(f"--report {path}: the folder {path.parent} does not exist")


def write_files(paths: Sequence[Path], render: Callable[[str], str]) -> None:
    """Each file in the format that its suffix asks for."""
    from guildmoot.system.atomic import write_atomic

    for path in paths:
        try:
            write_atomic(path, render(path.suffix).encode())
        except OSError as error:
            raise InfrastructureError(
                f"the verdict stands, but {path} could not be written: {error.strerror}",
                "'guild runs show' has the run; nothing has to be judged again.",
            ) from error
