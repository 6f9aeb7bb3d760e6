"""Brings a snapshot back: files as raw bytes with their modes, links, deletions, the index, branch and commit.

What is there now is kept in a snapshot first, so an undo can be undone. Untracked files that came later stay.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from hashlib import new as new_hash
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import InfrastructureError, TargetError, UsageError
from guildmoot.guard.undo.model import Snapshot
from guildmoot.guard.undo.snapshot import find_place, snapshots, take_snapshot
from guildmoot.guard.undo.unsaved import WorkPlace
from guildmoot.system.files import write_atomic
from guildmoot.system.git import Git, GitError

_PART = ".guild-undo"


class Undone(NamedTuple):
    """What was done."""

    snapshot: Snapshot
    before: Snapshot
    """What was there before, to undo the undo."""
    written: tuple[str, ...]
    removed: tuple[str, ...]


class _Entry(NamedTuple):
    mode: str
    oid: str


def find_snapshot(folder: Path, name: str = "") -> Snapshot:
    """The snapshot of that id or of its beginning, the last one without a name; UsageError when there is none."""
    every = snapshots(folder)
    here = str(find_place(folder).top)
    if not name or name == "last":
        moved = [each for each in every if not os.path.isdir(each.folder)]
        found = [each for each in every if each.folder == here] or moved
    else:
        found = [each for each in every if each.id.startswith(name)]
        if len({each.id for each in found}) > 1:
            raise UsageError(f"{name} begins {len(found)} snapshots.", "Give more of its letters.")
    if not found:
        what = f"no snapshot {name}" if name else "no snapshot"
        raise UsageError(
            f"there is {what} of {here}.", "`guild undo list` shows those that there are."
        )
    if found[0].folder != here and os.path.isdir(found[0].folder):
        raise UsageError(
            f"{found[0].id} is of another working tree, {found[0].folder}.",
            "Run it there; here it would overwrite other files.",
        )
    return found[0]


def restore(folder: Path, name: str = "", paths: Sequence[str] = ()) -> Undone:
    """Bring a snapshot back; with ``paths`` only these files and folders, and neither index nor commit."""
    place = find_place(folder)
    chosen = find_snapshot(folder, name)
    before = take_snapshot(folder, f"guild undo restore {chosen.id}")
    try:
        return _restore(place, chosen, before, tuple(paths))
    except (OSError, GitError) as wrong:
        raise InfrastructureError(
            f"{chosen.id} could not be brought back wholly: {wrong}.",
            f"Nothing is lost: it is kept, and so is what was there before ({before.id}).",
        ) from wrong


def _restore(
    place: WorkPlace, chosen: Snapshot, before: Snapshot, paths: tuple[str, ...]
) -> Undone:
    git = Git(place.top)
    inner = _inner(place.top, paths) or chosen.only
    wanted = _entries(git, f"{chosen.commit}:tree")
    if inner:
        wanted = {path: entry for path, entry in wanted.items() if _is_below(path, inner)}
        if not wanted:
            raise UsageError(
                f"{chosen.id} holds nothing at {', '.join(paths)}.", "`guild undo show` lists it."
            )
    removed = [] if inner else _surplus(git, wanted, chosen)
    for path in removed:
        _remove(place.top, path)
    written = _write(git, place.top, wanted, chosen)
    if not inner:
        for path in chosen.folders:
            _clear_way(place.top, path)
            (place.top / path).mkdir(parents=True, exist_ok=True)
        _restore_head(git, place, chosen)
        _restore_index(git, place, chosen)
        for path, below in chosen.submodules.items():
            _restore_submodule(place.top, path, below, chosen)
    return Undone(chosen, before, tuple(written), tuple(removed))


def _inner(top: Path, paths: Sequence[str]) -> tuple[str, ...]:
    found = []
    for path in paths:
        inner = os.path.relpath(os.path.join(os.getcwd(), path), os.path.realpath(top))
        if inner.startswith(os.pardir):
            raise UsageError(f"{path} is outside of {top}.", "Name files of the repository.")
        found.append(inner)
    return tuple(found)


def _is_below(path: str, places: tuple[str, ...]) -> bool:
    return any(place == "." or path == place or path.startswith(place + "/") for place in places)


def _entries(git: Git, tree: str) -> dict[str, _Entry]:
    found = {}
    for row in git.names("ls-tree", "-r", "-z", "--full-tree", tree):
        facts, _, path = row.partition("\t")
        mode, _, oid = facts.split()
        found[path] = _Entry(mode, oid)
    return found


def _surplus(git: Git, wanted: dict[str, _Entry], chosen: Snapshot) -> list[str]:
    """What is tracked now, or was then and had been deleted, and is not in the snapshot."""
    now = git.names("ls-files", "-z")
    then = _entries(git, f"{chosen.commit}:staged")
    known = dict.fromkeys((*now, *then))
    left = set(chosen.left_out)
    here = [path for path in known if path not in wanted and path not in left]
    return [
        path for path in here if os.path.lexists(git.root / path) and not (git.root / path).is_dir()
    ]


def _remove(top: Path, path: str) -> None:
    if _leads_out(top, path):
        return
    file = top / path
    file.unlink(missing_ok=True)
    for folder in file.parents:
        if folder == top:
            return
        try:
            folder.rmdir()
        except OSError:
            return


def _write(git: Git, top: Path, wanted: dict[str, _Entry], chosen: Snapshot) -> list[str]:
    written = []
    with git.blob_reader() as content:
        for path, entry in wanted.items():
            if entry.mode == "160000":
                (top / path).mkdir(parents=True, exist_ok=True)
                continue
            mode = chosen.modes.get(path, 0o755 if entry.mode == "100755" else 0o644)
            if _is_same(top, path, entry):
                if entry.mode != "120000" and _fix_mode(top / path, entry, chosen.modes.get(path)):
                    written.append(path)
                continue
            _clear_way(top, path)
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            data = content(entry.oid)
            if entry.mode == "120000":
                _link(top / path, data)
            else:
                part = (top / path).with_name(f"{_PART}-{os.urandom(4).hex()}")
                handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
                with open(handle, "wb") as stream:
                    stream.write(data)
                    os.fchmod(stream.fileno(), mode)
                os.replace(part, top / path)
            written.append(path)
    return written


def _fix_mode(file: Path, entry: _Entry, odd: int | None) -> bool:
    now = stat.S_IMODE(file.lstat().st_mode)
    if odd is not None:
        wanted = odd
    elif bool(now & 0o100) == (entry.mode == "100755"):
        return False
    else:
        wanted = 0o755 if entry.mode == "100755" else 0o644
    if now == wanted:
        return False
    os.chmod(file, wanted)
    return True


def _is_same(top: Path, path: str, entry: _Entry) -> bool:
    if _leads_out(top, path):
        return False
    try:
        info = os.lstat(top / path)
        if entry.mode == "120000":
            data = os.fsencode(os.readlink(top / path)) if stat.S_ISLNK(info.st_mode) else None
        else:
            data = (top / path).read_bytes() if stat.S_ISREG(info.st_mode) else None
    except OSError:
        return False
    return data is not None and _blob_name(data, len(entry.oid)) == entry.oid


def _blob_name(data: bytes, length: int) -> str:
    digest = new_hash("sha1" if length == 40 else "sha256", usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def _leads_out(top: Path, path: str) -> bool:
    """Whether a folder on the way is a link now."""
    parts = path.split("/")[:-1]
    return any(os.path.islink(top.joinpath(*parts[: end + 1])) for end in range(len(parts)))


def _clear_way(top: Path, path: str) -> None:
    """A link or file where a folder was, or a folder where a file was, gives way; it is in ``before``."""
    parts = path.split("/")
    for end in range(1, len(parts)):
        above = top.joinpath(*parts[:end])
        if os.path.lexists(above) and (above.is_symlink() or not above.is_dir()):
            above.unlink()
    last = top / path
    if last.is_dir() and not last.is_symlink():
        if any(last.iterdir()):
            raise InfrastructureError(
                f"{last} is a folder now, and was a file.", "Move it away and restore again."
            )
        last.rmdir()


def _link(file: Path, target: bytes) -> None:
    part = file.with_name(f"{_PART}-{os.urandom(4).hex()}")
    os.symlink(os.fsdecode(target), part)
    os.replace(part, file)


def _restore_head(git: Git, place: WorkPlace, chosen: Snapshot) -> None:
    why = ("-m", f"guild undo restore {chosen.id}")
    if chosen.branch and chosen.branch != place.branch:
        git.run("symbolic-ref", *why, "HEAD", chosen.branch)
    if chosen.head and (chosen.head != place.head or chosen.branch != place.branch):
        words = ("update-ref", *why, *(() if chosen.branch else ("--no-deref",)))
        git.run(*words, "HEAD", chosen.head)


def _restore_index(git: Git, place: WorkPlace, chosen: Snapshot) -> None:
    data = git.run("cat-file", "blob", f"{chosen.commit}:index")
    file = place.git_dir / "index"
    if data:
        write_atomic(file, data)
        try:
            git.run("update-index", "-q", "--refresh")
        except GitError:
            return  # it says so of files that differ, and they do
    else:
        file.unlink(missing_ok=True)


def _restore_submodule(top: Path, path: str, below: str, chosen: Snapshot) -> None:
    folder = top / path
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / ".git"
    if not os.path.lexists(mark) and path in chosen.links:
        mark.write_text(chosen.links[path], encoding="utf-8", errors="surrogateescape")
    try:
        inside = find_place(folder)
    except TargetError as wrong:
        raise InfrastructureError(f"the submodule {path} is gone: {wrong.message}") from wrong
    if os.path.realpath(inside.top) != os.path.realpath(folder):
        raise InfrastructureError(f"the submodule {path} has no repository any more.")
    _restore(inside, find_snapshot(folder, below), take_snapshot(folder), ())


def shown(folder: Path, name: str = "") -> tuple[Snapshot, list[str]]:
    """A snapshot, and what a restore would change: ``write PATH`` or ``remove PATH``."""
    place, chosen = find_place(folder), find_snapshot(folder, name)
    git = Git(place.top)
    wanted = _entries(git, f"{chosen.commit}:tree")
    surplus = [] if chosen.only else _surplus(git, wanted, chosen)
    rows = [f"remove {path}" for path in surplus]
    rows += [
        f"write {path}"
        for path, entry in wanted.items()
        if entry.mode != "160000" and not _is_same(place.top, path, entry)
    ]
    return chosen, rows


def drop(folder: Path, name: str) -> Snapshot:
    """Forget a snapshot."""
    chosen = find_snapshot(folder, name)
    Git(folder).run("update-ref", "-d", chosen.ref)
    return chosen
