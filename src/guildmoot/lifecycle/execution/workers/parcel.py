"""What travels between the machine that carries a plan out and the one that does a lane: a job, and what came of it.

Both are JSON that anybody may have written who can write to the shared database. A name that becomes a path is held to
a form, a file of a result stays inside of the worktree, and nothing says which program is run.
"""

from __future__ import annotations

import base64
import binascii
import errno
import os
import re
import shutil
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Literal, NamedTuple

from guildmoot.calls.cluster.codec import dumps, loads
from guildmoot.codec import CodecError, from_plain, to_plain
from guildmoot.errors import InfrastructureError
from guildmoot.model.settings import TIERS
from guildmoot.system.files import linked_part
from guildmoot.text.clean import one_line

MOST = 32 << 20
"""Bytes of a pack, or of the files of a result."""
LONGEST = 2 * MOST
"""Characters of a job or a result as text."""
MOST_FILES = 20_000
TOLD = frozenset(
    ("GUILD_DISPATCH_PRODUCER", "GUILD_CAPABILITY_SCOPE", "GUILD_AUTONOMY_CONTRACT", "GUILD_TIER_SCORE",
     "GUILD_DISPATCH_RUNG", "GUILD_TASK_CELL_INSTANCE_ID")
)  # fmt: skip
"""Dispatch variables that mean the same on every machine; what names a file is made anew on each."""
_LAST_CODE = 1 << 32
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_GIT = re.compile(r"(?i)\.git[\s.]*(?::.*)?|git~\d+")
_UNSEEN = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that some file systems leave out of a name."""

_THEIRS = frozenset(
    (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOTEMPTY, errno.EINVAL,
     errno.EILSEQ, errno.ELOOP)
)  # fmt: skip
"""What is wrong with a name of a result, and not with the machine that writes it."""


class ParcelError(InfrastructureError):
    """A job or a result that is not taken."""


class LaneParcel(NamedTuple):
    """One attempt at a lane, with all that it needs on another machine."""

    run: str
    task: str
    owner: str
    attempt: int
    base: str
    """The commit that the lane starts from."""
    start: str
    """The tree of its files at the start: the base's, unless it was sent back."""
    tier: str
    model: str = ""
    tools: tuple[str, ...] = ()
    seconds: float = 0.0
    max_usd: float | None = None
    environment: Mapping[str, str] = MappingProxyType({})
    brief: str = ""
    sent_back: str = ""
    assignment: str = ""
    definition: str = ""
    """The text of a specialist that is the project's own."""
    pack: str = ""
    """A pack of git in base64: what the worker does not have of base and start."""


class SentFile(NamedTuple):
    """A file as a lane left it."""

    kind: Literal["file", "program", "link"]
    data: str
    """Its bytes, or where the link leads, in base64."""


class LaneOutcome(NamedTuple):
    """What came of a lane on another machine."""

    exit_code: int | None = None
    output: str = ""
    problem: str = ""
    notes: tuple[str, ...] = ()
    receipt: str | None = None
    pushes: str = ""
    """Where it tried to push to."""
    files: Mapping[str, SentFile | None] = MappingProxyType({})
    """What it changed against its base; None for a file that is gone."""


def as_text(value: LaneParcel | LaneOutcome) -> str:
    """For the database."""
    return dumps(to_plain(value))


def read_parcel(text: str) -> LaneParcel:
    """The job again; ParcelError where it cannot be one."""
    try:
        parcel = from_plain(LaneParcel, loads(text))
    except CodecError as wrong:
        raise ParcelError(f"the job cannot be read: {wrong}") from None
    names = (parcel.run, parcel.task, parcel.owner)
    odd = [name for name in names if not _NAME.fullmatch(name) or ".." in name]
    odd += [each for each in (parcel.base, parcel.start) if not _OBJECT.fullmatch(each)]
    odd += [name for name in parcel.environment if name not in TOLD]
    odd += [str(parcel.attempt)] if not 0 < parcel.attempt < 10_000 else []
    odd += [str(parcel.seconds)] if not 0 <= parcel.seconds < 1e6 else []
    odd += [parcel.tier] if parcel.tier not in TIERS else []
    if any("\0" in value for value in (*parcel.environment.values(), parcel.model)):
        odd.append("a NUL")
    if odd:
        raise ParcelError(f"the job makes no sense: {one_line(odd[0])[:80]}")
    return parcel


def read_outcome(text: str) -> LaneOutcome:
    """The result again; ParcelError where a file of it must not be written."""
    try:
        outcome = from_plain(LaneOutcome, loads(text))
    except CodecError as wrong:
        raise ParcelError(f"the result cannot be read: {wrong}") from None
    if len(outcome.files) > MOST_FILES:
        raise ParcelError(f"it has {len(outcome.files):,} files, and {MOST_FILES:,} are the most")
    if abs(outcome.exit_code or 0) > _LAST_CODE:
        raise ParcelError("its exit code is none of any system")
    for path in outcome.files:
        if why := wrong_path(path):
            raise ParcelError(f"{one_line(ascii(path))[:120]} {why}")
    return outcome


def wrong_path(path: str) -> str:
    """Why a path of a result is none inside of a worktree; empty when it is one. Pure."""
    parts = path.split("/")
    if not path or "\0" in path or len(path) > 4000:
        return "is no path"
    if path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        return "leads out of the worktree"
    if any(_GIT.fullmatch(_UNSEEN.sub("", part)) for part in parts):
        return "is git's own"
    try:
        longest = max(len(os.fsencode(part)) for part in parts)
    except UnicodeEncodeError:  # half of a pair: no file system has such a name
        return "is no path"
    return "is too long a name" if longest > 255 else ""


def gather(folder: Path, paths: Iterable[str]) -> dict[str, SentFile | None]:
    """The files of these paths as they are; ParcelError where they are too large. No link is followed."""
    files: dict[str, SentFile | None] = {}
    room = MOST
    for path in paths:
        place = folder / path
        try:
            mode = os.lstat(place).st_mode
        except OSError:
            files[path] = None
            continue
        if stat.S_ISDIR(mode):
            continue  # another repository, which is told beside
        data = os.fsencode(os.readlink(place)) if stat.S_ISLNK(mode) else _read(place, room)
        room -= len(data)
        if room < 0 or len(files) >= MOST_FILES:
            raise ParcelError(
                f"it changed more than {MOST >> 20} MB or {MOST_FILES:,} files",
                "Let git ignore what is built, or run this lane where the plan is carried out.",
            )
        program = "program" if mode & stat.S_IXUSR else "file"
        kind: Literal["file", "program", "link"] = "link" if stat.S_ISLNK(mode) else program  # type: ignore[assignment]
        files[path] = SentFile(kind, base64.b64encode(data).decode("ascii"))
    return files


def _read(place: Path, room: int) -> bytes:
    with open(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:
        return stream.read(room + 1)


def lay_out(folder: Path, files: Mapping[str, SentFile | None]) -> None:
    """Put the files of a result into a fresh worktree; ParcelError where one would lead out of it.

    What is gone goes first, links come last: nothing is ever written through one.
    """
    contents = {path: _bytes(path, file) for path, file in files.items() if file}
    if sum(map(len, contents.values())) > MOST:
        raise ParcelError(f"its files are larger than {MOST >> 20} MB")
    for path in contents:
        if any(str(above) in contents for above in PurePosixPath(path).parents):
            raise ParcelError(f"{one_line(ascii(path))[:120]} lies below another file")
    for path in (path for path, file in files.items() if file is None):
        if not linked_part(folder, os.path.dirname(path)):
            _take_away(folder, path)
    last = sorted(contents, key=lambda path: files[path].kind == "link")  # type: ignore[union-attr]
    for path in last:
        _put(folder, path, files[path], contents[path])


def _put(folder: Path, path: str, file: SentFile | None, data: bytes) -> None:
    place = folder / path
    try:
        if linked_part(folder, os.path.dirname(path)):
            raise ParcelError(f"{one_line(ascii(path))[:120]} lies behind a link")
        place.parent.mkdir(parents=True, exist_ok=True)
        _unlink(place)
        if file and file.kind == "link":
            os.symlink(data, os.fsencode(place))
            return
        mode = 0o755 if file and file.kind == "program" else 0o644
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with open(os.open(place, flags, mode), "wb") as stream:
            stream.write(data)
    except OSError as wrong:
        raise _own_fault(path, wrong) from None


def _own_fault(path: str, wrong: OSError) -> Exception:
    """What a file of a result did to whoever writes it; what ails this machine stays what it is."""
    if wrong.errno not in _THEIRS:
        return wrong
    return ParcelError(f"{one_line(ascii(path))[:120]}: {wrong.strerror}")


def _take_away(folder: Path, path: str) -> None:
    try:
        _unlink(folder / path)
    except OSError as wrong:
        raise _own_fault(path, wrong) from None


def _unlink(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def _bytes(path: str, file: SentFile) -> bytes:
    try:
        data = base64.b64decode(file.data, validate=True)
    except (binascii.Error, ValueError):
        raise ParcelError(f"{one_line(ascii(path))[:120]} cannot be read") from None
    if file.kind == "link" and (not data or b"\0" in data or len(data) > 4000):
        raise ParcelError(f"{one_line(ascii(path))[:120]} is no link")
    return data
