"""What of a repository is believed. What it brings was written by whoever wrote it, or the change to it.

Nothing of it chooses judges, programs, money or rules unless the user said so once (``guild trust``), or,
in CI, the branch holds it that the change is to be merged into. The user's word is kept by the repository's
first commit and the hash of each file, in a folder of the user's own: another content needs another word,
and two clones of one repository share it.

A ledger and runs that git tracks are not this machine's own: they could hold verdicts that nobody gave.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Literal, NoReturn

from guildmoot.config import project_table
from guildmoot.errors import ConfigError, UsageError
from guildmoot.guard.base_branch import BaseBranch, base_branch
from guildmoot.model.settings import SEED_FILE
from guildmoot.named import NamedTuple
from guildmoot.system.files import Locked, read_inside, write_atomic
from guildmoot.system.git import Git, GitError
from guildmoot.system.state import user_state_folder
from guildmoot.system.tree import read_tree
from guildmoot.text.clean import one_line

SETTINGS_FILES = ("guild.toml", "pyproject.toml")
PLACES = (
    *SETTINGS_FILES,
    *(".guild/agents", ".claude/agents", ".guild/presets", ".guild/hosts", ".guild/panel.toml"),
    *("docs/PANEL-COMPOSITION.md", ".agents/reviewer-config.md", ".agents/vibe-suppressions.jsonl"),
    *(".guild/baseline.json", SEED_FILE),
)
"""The files and folders of a repository that choose judges, programs, money or rules."""
_MOST_BYTES, _MOST_FILES, _MOST_COMMITS = 1_000_000, 1_000, 30
_MOST_KEPT = 50
_MOST_HASHES = 100
"""Contents of one file that are remembered, the last ones."""
_LEDGER, _RUNS = ".guild/ledger.sqlite3", ".guild/runs"

Record = dict[str, dict[str, list[str]]]
"""First commit to path to the hashes of its trusted contents."""


def is_trusted(root: Path, path: str, data: bytes) -> bool:
    """Whether the user, or in CI the base branch, vouches for this content of a file of the repository."""
    return Trust(root).covers(path, data)


class Trust:
    """Who vouches for what in one repository; looked up when it is first asked."""

    def __init__(self, root: Path, revision: str = "") -> None:
        self.root = root
        self._revision = revision or "HEAD"

    def covers(self, path: str, data: bytes) -> bool:
        """Whether somebody vouches for this content at this path, relative to the root."""
        if self.base and self.base.commit:
            held = files_at(self.root, self.base.commit, (path,))
            if path in held and digest(path, held[path]) == digest(path, data):
                return True
        recorded = self._record
        if not any(digest(path, data) in files.get(path, ()) for files in recorded.values()):
            return False  # without asking git, which may have to walk a long history
        return digest(path, data) in recorded.get(self.first_commit[0], {}).get(path, ())

    def state(self, path: str, data: bytes) -> Literal["trusted", "changed", "new"]:
        """``changed`` where the user's word is for another content."""
        if self.covers(path, data):
            return "trusted"
        return "changed" if path in self._record.get(self.first_commit[0], {}) else "new"

    def trusted_before(self, path: str) -> bytes | None:
        """The last committed content of a file that the user trusted; None when history has none."""
        known = self._record.get(self.first_commit[0], {}).get(path, ())
        try:
            log = ("log", f"-{_MOST_COMMITS}", "--format=%H", self._revision, "--", path)
            commits = Git(self.root).run(*log).decode().split()
        except GitError:
            return None
        held = (files_at(self.root, commit, (path,)).get(path) for commit in commits)
        return next((data for data in held if data and digest(path, data) in known), None)

    @cached_property
    def base(self) -> BaseBranch | None:
        """What CI says that the change is to be merged into."""
        return base_branch(self.root)

    @cached_property
    def first_commit(self) -> tuple[str, str]:
        """What the repository is known by, or empty and why nothing here can be trusted."""
        walk = ("rev-list", "--first-parent", "--max-parents=0", self._revision, "--")
        try:
            git = Git(self.root)
            if git.run("rev-parse", "--is-shallow-repository").strip() == b"true":
                return "", "this clone is shallow, so its first commit is not here"
            found = git.run("--no-replace-objects", *walk).decode().split()
        except GitError:
            return "", "there is no commit here by which it could be known"
        return (found[0], "") if len(found) == 1 else ("", "it has no first commit")

    @cached_property
    def _record(self) -> Record:
        return read_record(self.root)

    def add(self, files: Mapping[str, bytes]) -> None:
        """Remember the user's word for these contents; UsageError where nothing can be trusted."""
        commit = self._known_by()

        def change(record: Record) -> None:
            known = record.setdefault(commit, {})
            for path, data in files.items():
                hashes = [each for each in known.get(path, ()) if each != digest(path, data)]
                known[path] = [*hashes, digest(path, data)][-_MOST_HASHES:]

        self._write(change)

    def revoke(self) -> int:
        """Forget the user's word for this repository; for how many files it was."""
        commit, gone = self._known_by(), 0

        def change(record: Record) -> None:
            nonlocal gone
            gone = len(record.pop(commit, {}))

        self._write(change)
        return gone

    def _known_by(self) -> str:
        commit, why = self.first_commit
        if not commit:
            raise UsageError(
                f"nothing can be trusted in {self.root}: {why}",
                "Trust is kept by a repository's first commit: commit, or `git fetch --unshallow`.",
            )
        return commit

    def _write(self, change: Callable[[Record], None]) -> None:
        file = record_file()
        if problem := _misplaced(file, self.root):
            raise UsageError(f"{file} cannot keep your word: {problem}")
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with Locked(file.parent):
            os.close(os.open(file, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
            os.chmod(file, 0o600)
            record = read_record(self.root)
            change(record)
            plain = {"schema_version": 1, "repositories": record}
            write_atomic(file, json.dumps(plain, indent=1, sort_keys=True).encode())
        self.__dict__.pop("_record", None)


def record_file() -> Path:
    """Where the user's word is kept."""
    return user_state_folder() / "trust.json"


def read_record(root: Path) -> Record:
    """All that the user trusts; nothing where the record cannot be the user's own, or is damaged."""
    file = record_file()
    data, problem = read_inside(file, None, 16 * _MOST_BYTES)
    if problem or _misplaced(file, root):
        return {}
    try:
        found = json.loads(data)["repositories"]
        return {
            str(commit): {
                str(path): [str(each) for each in hashes] for path, hashes in files.items()
            }
            for commit, files in found.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _misplaced(file: Path, root: Path) -> str:
    """Why a file there could be somebody else's."""
    if is_brought(root, file):
        return "git tracks it in this repository"
    try:
        found = os.lstat(file)
    except OSError:
        return ""
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        return "others than you may write to it"
    return ""


def is_brought(root: Path, file: Path) -> bool:
    """Whether the repository brought this file along: it lies there, and git tracks it or its folder."""
    inside, full = os.path.realpath(root), os.path.realpath(file)
    if not full.startswith(inside + os.sep):
        return False
    name = os.path.relpath(full, inside)
    try:
        return bool(Git(root).names("ls-files", "-z", "--", name))
    except GitError:
        return False


def digest(path: str, data: bytes) -> str:
    """The hash by which a content is known; of settings files the settings alone count."""
    if path in SETTINGS_FILES:
        try:
            found = project_table({path: data})
            data = json.dumps(found, sort_keys=True, default=repr).encode()
        except (ConfigError, RecursionError):
            pass
    return hashlib.sha256(data).hexdigest()


def guarded_files(root: Path, revision: str = "") -> dict[str, bytes]:
    """What the repository brings of ``PLACES``, in a revision or, without one, in the working tree."""
    found = files_at(root, revision, PLACES)
    return {path: data for path, data in sorted(found.items()) if _counts(path, data)}


class BroughtFiles(NamedTuple):
    """Files of a repository, parted by whether somebody vouches for them."""

    trusted: dict[str, bytes]
    notice: str
    """One line about the others; empty where there are none."""


def brought_files(root: Path, places: Sequence[str], base: str = "") -> BroughtFiles:
    """The files at or below these paths: from CI's base branch, the base of a change, or the working tree."""
    trust = Trust(root, base)
    found = files_at(root, (trust.base.commit if trust.base else "") or base, places)
    trusted = {path: data for path, data in found.items() if trust.covers(path, data)}
    others = [path for path in sorted(found) if path not in trusted]
    rest = f" and {len(others) - 3} more" if len(others) > 3 else ""
    named = ", ".join(map(one_line, others[:3])) + rest
    changed = any(trust.state(path, found[path]) == "changed" for path in others)
    why = "changed since you trusted it" if changed else "nobody trusted this here"
    notice = f"{named}: not used, {why}; `guild trust` shows it"
    return BroughtFiles(trusted, notice if others else "")


def _counts(path: str, data: bytes) -> bool:
    """Of the file that many programs share, only where it speaks to us."""
    if path != "pyproject.toml":
        return True
    try:
        return project_table({path: data}) is not None
    except ConfigError:
        return b"guildmoot" in data


def files_at(root: Path, revision: str, places: Sequence[str]) -> dict[str, bytes]:
    """The files at or below these paths, in a revision or in the working tree; no link is followed."""
    if not revision:
        walked = (path for place in places for path in _walk(root, place))
        paths = islice(walked, _MOST_FILES)
        read = ((path, read_inside(root / path, root, _MOST_BYTES)) for path in paths)
        return {path: data for path, (data, problem) in read if not problem}
    try:
        git = Git(root)
        tree = read_tree(git, revision)
    except GitError:
        return {}
    found = {path: tree.files[path] for path in islice(tree.below(places), _MOST_FILES)}
    blobs = {path: entry.oid for path, entry in found.items() if entry.mode.startswith("100")}
    new = {oid for oid in blobs.values() if oid not in _contents}
    try:
        with git.small_blob_reader(_MOST_BYTES) as content:
            fresh = {oid: content(oid) for oid in new}
    except GitError:  # a partial clone does not hold it, and the network is not reached for
        return {}
    contents = fresh | {oid: _contents[oid] for oid in blobs.values() if oid in _contents}
    if len(_contents) + len(fresh) > _MOST_KEPT:
        _contents.clear()
    else:
        _contents.update(fresh)
    return {path: data for path, oid in blobs.items() if (data := contents[oid]) is not None}


_contents: dict[str, bytes | None] = {}
"""What was read by its name, which stays what it is: one run asks for the same files several times."""


def _walk(root: Path, place: str) -> Iterator[str]:
    """The plain files at or below a path; a link on the way ends it."""
    parts = place.split("/")
    folders = ("/".join(parts[: end + 1]) for end in range(len(parts)))
    if any(os.path.islink(root / folder) for folder in folders):
        return
    if os.path.isfile(root / place):
        yield place
    for where, _, names in os.walk(root / place):
        for name in sorted(names):
            if not os.path.islink(os.path.join(where, name)):
                yield os.path.relpath(os.path.join(where, name), root).replace(os.sep, "/")


# Ledgers and runs.


def ledger_is_ours(root: Path) -> bool:
    """Whether answers in the ledger can be trusted: not when git tracks it, by whatever accident.

    UsageError when ``.guild`` itself is tracked, as a link or a submodule is: nothing is written
    through it.
    """
    if not (root / _LEDGER).exists():
        return True
    brought = _brought(root, (_LEDGER,))
    if ".guild" in brought:
        _refuse(".guild")
    return not brought


def check_runs(root: Path) -> None:
    """UsageError when the repository holds a ledger or recorded runs of its own."""
    brought = _brought(root, (_LEDGER, _RUNS))
    if brought:
        _refuse(brought[0])


def _brought(root: Path, places: tuple[str, ...]) -> list[str]:
    try:
        tracked = Git(root).names("ls-files", "-z", "--", ".guild")
    except GitError:
        return []  # no repository, so nobody could have committed it
    return [name for name in tracked if name == ".guild" or name.startswith(places)]


def _refuse(name: str) -> NoReturn:
    raise UsageError(
        f"git tracks {name}, so its answers may be anybody's and are not used",
        "If it is yours: git rm -r --cached .guild/runs '.guild/ledger.sqlite3*', then ignore"
        " both in .gitignore. If not, delete it.",
    )
