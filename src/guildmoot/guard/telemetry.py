"""The one writer of a run's logs: secrets masked first, lines appended whole, full files put aside as gz.

Everybody who writes locks the folder ``logs`` of the run. The system frees the lock of a process that dies, so
none goes stale. A file of 10 MiB becomes ``NAME.1``, then ``NAME.1.gz``; killed in between, the plain file
counts until the packed one is whole.
"""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import GuildmootError, UsageError
from guildmoot.guard.scrub import Scrubber, operator_scrubber, scrub_rows
from guildmoot.system.files import Locked, append_rows, parse_rows, read_own, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

EVENTS, CALLS, PENDING = "events.ndjson", "logs/v1.4-events.jsonl", "logs/tool-call-pre.jsonl"
SECURITY = "logs/security-events.jsonl"
LOGS = (EVENTS, CALLS, PENDING, SECURITY)
ROTATE = 10 * 1024 * 1024
RETENTION = "GUILD_LOG_RETENTION"
_MOST_UNPACKED = 8 * ROTATE
_UNITS = {"kb": 1024, "mb": 1024**2, "gb": 1024**3}


class Archive(NamedTuple):
    """A log that was put aside."""

    number: int
    path: Path


def append_log(
    folder: Path, name: str, rows: Sequence[Mapping[str, object]], scrubber: Scrubber | None = None
) -> str:
    """Add lines to a log of the run in ``folder``; the warning, or an empty text."""
    clean, warning = scrub_rows(rows, (lambda: scrubber) if scrubber else operator_scrubber)
    logs, file = folder / "logs", folder / name
    try:
        logs.mkdir(exist_ok=True)
        if logs.is_symlink():
            return f"{name} lies behind a link and is not written"
        with Locked(logs):
            _rotate(file)
            append_rows(file, clean, sync=False)
    except (OSError, GuildmootError) as wrong:
        return f"{name} could not be written: {wrong}"
    return warning


def archives(file: Path) -> list[Archive]:
    """What was put aside of a log, the oldest first; a packed file goes before the plain one it was made of."""
    form = re.compile(re.escape(file.name) + r"\.(\d{1,9})(\.gz)?")
    found: dict[int, Path] = {}
    for each in sorted(os.listdir(file.parent)) if file.parent.is_dir() else ():
        hit = form.fullmatch(each)
        if hit and not (file.parent / each).is_symlink():
            found[int(hit[1])] = file.parent / each  # NAME.1.gz sorts after NAME.1
    return [Archive(number, found[number]) for number in sorted(found)]


def read_log(folder: Path, name: str) -> Iterator[dict[str, object] | None]:
    """Every line of a run's log in the order of writing, what was put aside first; None for a damaged one."""
    file = folder / name
    for each in archives(file):
        try:
            yield from parse_rows(_unpacked(each.path))
        except (OSError, EOFError, zlib.error):
            yield None
    yield from read_rows(file)


def _unpacked(path: Path) -> bytes:
    if path.suffix != ".gz":
        return read_own(path, _MOST_UNPACKED)
    import gzip

    with gzip.open(path) as packed:
        return packed.read(_MOST_UNPACKED)


def prune(folder: Path, most: int) -> list[Path]:
    """Delete the oldest archives of a run until all logs that stay take at most so many bytes.

    What is being written stays, whatever it takes.
    """
    logs = folder / "logs"
    if not logs.is_dir() or logs.is_symlink():
        return []
    with Locked(logs):
        return _pruned(folder, most)


def read_size(text: str) -> int | None:
    """Bytes of ``50 MB``; None for ``unlimited``. UsageError for what is neither."""
    said = text.strip().lower()
    if said in ("", "unlimited"):
        return None
    hit = re.fullmatch(r"(\d{1,9})\s*(kb|mb|gb)", said)
    if not hit:
        raise UsageError(f"{text!r} is no size", "For example 500 KB, 50 MB, 2 GB, or unlimited.")
    return int(hit[1]) * _UNITS[hit[2]]


def _rotate(file: Path) -> None:
    """The folder is locked."""
    try:
        if os.lstat(file).st_size < ROTATE:
            return
    except FileNotFoundError:
        return
    known = archives(file)
    os.replace(file, f"{file}.{known[-1].number + 1 if known else 1}")
    for each in archives(file):
        if each.path.suffix != ".gz":  # also one that a killed process left
            _pack(each.path)
    try:
        most = read_size(os.environ.get(RETENTION, ""))
    except UsageError:  # a word that is no size must not cost a line of the log
        most = None
    if most is not None:
        _pruned(file.parent if file.name == EVENTS else file.parents[1], most)


def _pack(path: Path) -> None:
    import gzip
    import shutil

    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    with open(path, "rb") as plain, open(part, "xb") as raw:
        with gzip.GzipFile("", "wb", 6, raw, 0) as packed:
            shutil.copyfileobj(plain, packed, 1 << 20)
        raw.flush()
        os.fsync(raw.fileno())
    os.replace(part, f"{path}.gz")
    path.unlink()


def _pruned(folder: Path, most: int) -> list[Path]:
    live = [folder / name for name in LOGS]
    aside = [each for file in live for each in archives(file)]
    sizes = {each.path: each.path.stat().st_size for each in aside}
    total = sum(sizes.values()) + sum(file.stat().st_size for file in live if file.is_file())
    gone = []
    oldest = sorted(aside, key=lambda each: (each.path.stat().st_mtime_ns, each.number))
    for each in oldest:
        if total <= most:
            break
        each.path.unlink()
        total -= sizes[each.path]
        gone.append(each.path)
    return gone
