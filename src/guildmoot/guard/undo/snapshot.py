"""Takes a snapshot of a working tree through a private index; the user's index is only read.

Nothing of the repository is run: no hook, no filter. Contents are kept as raw bytes, so line ends and
filters change nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable
from contextlib import nullcontext
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from guildmoot.errors import InfrastructureError, TargetError
from guildmoot.guard.undo.model import MOST_BYTES, MOST_KEPT, REFS, Snapshot
from guildmoot.guard.undo.unsaved import WorkPlace, unsaved_work
from guildmoot.system.git import Git, GitError

_SCRATCH = "guild-undo-"
_STALE = 3_600.0
_MOST_DEPTH = 5
"""Submodules within submodules."""


def find_place(folder: Path) -> WorkPlace:
    """The working tree around a folder; TargetError where there is none."""
    try:
        git = Git(folder)
        words = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir")
        top, own, common = os.fsdecode(git.run("rev-parse", *words)).splitlines()[:3]
    except (GitError, ValueError, FileNotFoundError) as wrong:
        raise TargetError(
            f"{folder} is in no working tree of git, so nothing there can be kept: {wrong}.",
            "Copy what you need, or make it a repository with git init.",
        ) from None
    head = branch = ""
    try:
        head = git.run("rev-parse", "--verify", "-q", "HEAD^{commit}").decode().strip()
    except GitError:
        head = ""  # no commit yet
    try:
        branch = git.run("symbolic-ref", "-q", "HEAD").decode().strip()
    except GitError:
        branch = ""
    return WorkPlace(Path(top), Path(own), Path(os.path.join(folder, common)), head, branch)


def take_snapshot(
    folder: Path,
    why: str = "",
    *,
    ignored: bool = False,
    also: tuple[str, ...] = (),
    most: int = MOST_BYTES,
    depth: int = 0,
) -> Snapshot:
    """Keep the state of the working tree around ``folder``; the last snapshot when nothing changed since.

    ``ignored`` keeps ignored files too, ``also`` those at these paths that no build makes
    again. InfrastructureError when it could not be kept.
    """
    place = find_place(folder)
    _clear_scratch(place.git_dir)
    try:
        with tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=place.git_dir) as scratch:
            return _take(place, Path(scratch), why, ignored, also, most, depth)
    except (OSError, GitError) as wrong:
        reason = wrong.strerror if isinstance(wrong, OSError) else str(wrong)
        raise InfrastructureError(
            f"no snapshot of {place.top} could be taken: {reason or wrong}.",
            "Nothing was run. Make room, or see whether `git status` works there.",
        ) from wrong


def _take(
    place: WorkPlace,
    scratch: Path,
    why: str,
    ignored: bool,
    also: tuple[str, ...],
    most: int,
    depth: int,
) -> Snapshot:
    index = scratch / "index"
    index.touch()
    own = place.git_dir / "index"
    if own.exists():
        shutil.copy2(own, index)  # with its time: git compares it to tell what changed since
    else:
        index.unlink()
    git = Git(place.top, index=index)
    if any(place.git_dir.glob("sharedindex.*")):
        git.run("-c", "core.splitIndex=false", "update-index", "--no-split-index")
    raw_index = index.read_bytes() if index.exists() else b""
    found = unsaved_work(git, place, ignored, also, most)
    kept = _store(git, scratch, place.top, found.files, {"index": raw_index})
    staged, unmerged = _staged(git, scratch)
    rows = _removals(found.gone, staged)
    rows += [f"{_mode(info)} {kept[path]}\t{path}" for path, info in found.files.items()]
    if rows:
        git.run("update-index", "-z", "--index-info", stdin=_nul(rows))
    tree = git.run("write-tree").decode().strip()
    below = _submodules(place, found.submodules, why, ignored, most, depth)
    modes = _odd_modes(found.files)
    state = sha256(repr((place.head, place.branch, tree, staged, unmerged, modes, below)).encode())
    last = next(iter(snapshots(place.top, 1)), None)
    if last and last.state == state.hexdigest() and last.folder == str(place.top):
        return last
    now = datetime.now(UTC)
    name = f"{now:%Y%m%dT%H%M%S}-{now:%f}{os.urandom(2).hex()}"  # sorted by time
    taken = Snapshot(
        name, f"{REFS}/{name}", "", str(place.top), now.isoformat(timespec="milliseconds"), why,
        place.head, place.branch, len(found.files) + len(found.gone),
        (*found.left_out, *(f"{path}: {what}" for path, what in below.items() if "/" in what)),
        modes, tuple(found.folders), {k: v for k, v in below.items() if "/" not in v},
        _git_files(place.top, found.submodules), state=state.hexdigest(),
    )  # fmt: skip
    commit = _commit(git, scratch, taken, kept["\0index"], tree, staged, unmerged)
    git.run("update-ref", taken.ref, commit)
    _prune(git)
    return taken._replace(commit=commit)


def _store(
    git: Git,
    scratch: Path,
    top: Path,
    files: dict[str, os.stat_result],
    more: dict[str, bytes],
) -> dict[str, str]:
    """Write contents as blobs, as they are; path to blob. ``more`` are under their names after a NUL."""
    asked: dict[str, str] = {}
    for number, (path, info) in enumerate(files.items()):
        if stat.S_ISLNK(info.st_mode):
            spare = scratch / f"link-{number}"
            spare.write_bytes(os.fsencode(os.readlink(top / path)))
            asked[path] = str(spare)
        elif "\n" in path or path.endswith("\r"):  # git reads lines
            spare = scratch / f"file-{number}"
            shutil.copyfile(top / path, spare)
            asked[path] = str(spare)
        else:
            asked[path] = os.path.join(top, path)
    for name, data in more.items():
        (scratch / f"more-{name}").write_bytes(data)
        asked["\0" + name] = str(scratch / f"more-{name}")
    listed = b"".join(os.fsencode(place) + b"\n" for place in asked.values())
    answer = git.run("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=listed)
    return dict(zip(asked, answer.decode().split(), strict=True))


def _staged(git: Git, scratch: Path) -> tuple[str, str]:
    """Trees that hold what the index names: what is ready to be committed, and the sides of a merge."""
    rows = git.names("ls-files", "-z", "-u")
    if not rows:
        return git.run("write-tree").decode().strip(), ""
    sides: list[str] = []
    for row in rows:
        facts, _, _path = row.partition("\t")
        mode, oid, number = facts.split()
        sides.append(f"{mode} blob {oid}\t{len(sides)}-{number}")
    unmerged = git.run("mktree", "-z", stdin=_nul(sides)).decode().strip()
    spare = scratch / "index-merged"
    shutil.copy2(scratch / "index", spare)
    other = Git(git.root, index=spare)
    paths = dict.fromkeys(row.partition("\t")[2] for row in rows)
    other.run("update-index", "-z", "--index-info", stdin=_nul(_removals(paths, unmerged)))
    return other.run("write-tree").decode().strip(), unmerged


def _commit(
    git: Git, scratch: Path, taken: Snapshot, index: str, tree: str, staged: str, unmerged: str
) -> str:
    meta = json.dumps(taken._asdict(), ensure_ascii=True, sort_keys=True).encode()
    blob = _store(git, scratch, git.root, {}, {"meta": meta})["\0meta"]
    rows = [f"100644 blob {index}\tindex", f"100644 blob {blob}\tmeta.json"]
    rows += [f"040000 tree {staged}\tstaged", f"040000 tree {tree}\ttree"]
    rows += [f"040000 tree {unmerged}\tunmerged"] if unmerged else []
    top = git.run("mktree", "-z", stdin=_nul(rows)).decode().strip()
    parents = ("-p", taken.head) if taken.head else ()
    who = [
        word for key in ("user.name=guild", "user.email=guild@localhost") for word in ("-c", key)
    ]
    words = (*who, "-c", "commit.gpgSign=false", "commit-tree", top, *parents)
    return git.run(*words, stdin=f"guild undo {taken.id}\n".encode()).decode().strip()


def _submodules(
    place: WorkPlace, paths: list[str], why: str, ignored: bool, most: int, depth: int
) -> dict[str, str]:
    """Each populated submodule's own snapshot; a slash in the text says why there is none."""
    found = {}
    for path in paths:
        if not os.path.lexists(place.top / path / ".git"):
            continue
        if depth >= _MOST_DEPTH:
            found[path] = "n/a: nested too deeply"
            continue
        try:
            below = take_snapshot(
                place.top / path, why, ignored=ignored, most=most, depth=depth + 1
            )
            found[path] = below.id
        except (InfrastructureError, TargetError) as wrong:
            found[path] = f"n/a: {wrong.message}"
    return found


def _git_files(top: Path, paths: list[str]) -> dict[str, str]:
    found = {}
    for path in paths:
        file = top / path / ".git"
        if file.is_file() and not file.is_symlink():
            found[path] = file.read_text(encoding="utf-8", errors="surrogateescape")
    return found


def _odd_modes(files: dict[str, os.stat_result]) -> dict[str, int]:
    usual = (0o644, 0o755)
    modes = {
        path: stat.S_IMODE(info.st_mode)
        for path, info in files.items()
        if not stat.S_ISLNK(info.st_mode)
    }
    return {path: mode for path, mode in modes.items() if mode not in usual}


def _mode(info: os.stat_result) -> str:
    if stat.S_ISLNK(info.st_mode):
        return "120000"
    return "100755" if info.st_mode & 0o100 else "100644"


def _removals(paths: Iterable[str], like: str) -> list[str]:
    return [f"0 {'0' * len(like)}\t{path}" for path in paths]


def _nul(rows: list[str]) -> bytes:
    return b"".join(os.fsencode(row) + b"\0" for row in rows)


def snapshots(folder: Path, most: int = MOST_KEPT) -> list[Snapshot]:
    """Those of the repository, the newest first; one that cannot be read is left out."""
    git = Git(folder)
    words = (
        "for-each-ref",
        f"--count={most}",
        "--format=%(objectname) %(refname)",
        "--sort=-refname",
    )
    try:
        listed = git.run(*words, REFS).decode().splitlines()
    except GitError:
        return []
    found = []
    with git.blob_reader() if listed else nullcontext(_no_content) as content:
        for row in listed:
            commit, _, ref = row.partition(" ")
            try:
                kept = json.loads(content(f"{commit}:meta.json"))
                found.append(_read(kept)._replace(commit=commit, ref=ref))
            except (GitError, ValueError, TypeError):
                continue
    return found


def _no_content(oid: str) -> bytes:
    raise GitError(f"object {oid} is missing")


def _read(kept: dict[str, object]) -> Snapshot:
    known = {name: kept[name] for name in Snapshot._fields if name in kept}
    made = Snapshot(**known)  # type: ignore[arg-type] # our own words, read back
    return made._replace(
        left_out=tuple(made.left_out), folders=tuple(made.folders), only=tuple(made.only)
    )


def _prune(git: Git) -> None:
    refs = git.run("for-each-ref", "--format=%(refname)", "--sort=-refname", REFS).decode().split()
    for ref in refs[MOST_KEPT:]:
        git.run("update-ref", "-d", ref)


def _clear_scratch(git_dir: Path) -> None:
    """What a killed one left behind."""
    for left in git_dir.glob(f"{_SCRATCH}*"):
        try:
            if time.time() - left.lstat().st_mtime > _STALE:
                shutil.rmtree(left, ignore_errors=True)
        except OSError:
            continue
