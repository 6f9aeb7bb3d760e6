"""Where a project's records are kept, and how any number of processes write them at once.

The manifest is the record that every reader of the seeds knows. On a branch other than the one that
work is merged into, records are added to ``records/<branch>-<clone>-<commit>.jsonl`` instead, so that
two branches never change the same file, and no file changes once it was committed: it can be merged,
squashed and compacted while the branch goes on. ``compact`` moves what was merged into the manifest.
Readers see both as one. One lock on the project's folder stands before every write; files are replaced whole.
"""

from __future__ import annotations

import json
import os
import re

from guildmoot.projects import manifest
from guildmoot.projects.edits import Addition, FieldEdit, add_unread, apply
from guildmoot.projects.errors import RecordError
from guildmoot.projects.places import read_held, refuse_link
from guildmoot.projects.repository import (
    current_branch,
    default_branch,
    find_checkout,
    head_commit,
    is_detached,
    writer_name,
)
from guildmoot.projects.slugs import MANIFEST, stamp
from guildmoot.projects.toml import check_values, write_value
from guildmoot.system.files import Locked, append_rows, replace_locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from guildmoot.projects.manifest import Record

    T = TypeVar("T")

RECORDS = "records"
_LONG = 8_000  # letters of a manifest from which on it is not read whole for every record
_KEPT = 40  # parsed manifests in the cache
_BASE = re.compile(r'^base_branch[ \t]*=[ \t]*"([^"\\]*)"', re.MULTILINE)


class Project:
    """One project's records."""

    def __init__(self, folder: str, branch: str | None = None) -> None:
        self.folder = folder
        self.branch = branch
        """The branch whose records are written, where it is not the one that is checked out."""
        self.slug = os.path.basename(folder)
        self.path = os.path.join(folder, MANIFEST)

    def read(self) -> Record:
        """Everything that is on record: the manifest, and what branches added beside it."""
        values = _parsed(self.path, self.text())
        rows = list(self.rows())
        keys = {event.get("key") for event in values["events"]} if rows else set()
        for row in rows:
            if not _is_moved(values, keys, row):
                values[row["section"]].append(_shown(row))
        values["events"] = _in_order(values["events"])
        return values

    def text(self) -> str:
        """The manifest as it is written."""
        try:
            text = read_held(self.path).decode("utf-8")
        except FileNotFoundError:
            raise RecordError("manifest-missing", f"there is no {self.path}") from None
        except UnicodeDecodeError as wrong:
            raise RecordError(
                "toml-invalid", f"{self.path} is not UTF-8 at byte {wrong.start}"
            ) from None
        if "\n<<<<<<< " in text or text.startswith("<<<<<<< "):
            raise RecordError(
                "manifest-conflict",
                f"git left both sides of a merge in {self.path}; 'loom doctor {self.slug}' shows"
                " them, choose, and remove the markers",
            )
        return text

    def rows(self) -> Iterator[Record]:
        """What stands beside the manifest, each row once."""
        seen = set()
        for name in self.segments():
            for row in _segment_rows(os.path.join(self.folder, RECORDS, name)):
                if row["id"] not in seen:
                    seen.add(row["id"])
                    yield row

    def segments(self) -> list[str]:
        """The names of the files beside the manifest."""
        try:
            names = sorted(os.listdir(os.path.join(self.folder, RECORDS)))
        except OSError:
            return []
        return [name for name in names if name.endswith(".jsonl")]

    def files(self) -> list[str]:
        """The files that the records are in: the manifest, and those beside it."""
        beside = (os.path.join(self.folder, RECORDS, name) for name in self.segments())
        return [self.path, *(path for path in beside if not os.path.islink(path))]

    def change(self, make: Callable[[RecordChange], T]) -> T:
        """Give ``make`` a draft under the lock, then write what it asked for, all of it or an error."""
        refuse_link(self.path)
        with Locked(self.folder):
            draft = RecordChange(self, self.text())
            done = make(draft)
            draft.write()
        return done

    def compact(self) -> int:
        """Move every record beside the manifest into it; how many there were."""
        branch = side_branch(self.folder, self.text())
        if branch:
            raise RecordError(
                "compact-on-branch",
                f"records of the branch {branch} are moved into the manifest after it was merged;"
                " go to the branch that it is merged into",
            )
        refuse_link(self.path)
        with Locked(self.folder):
            text, rows = self.text(), list(self.rows())
            rows.sort(key=lambda row: str(row["record"].get("at", "")))
            known = manifest.parse(text)
            keys = {event.get("key") for event in known["events"]}
            changes = [
                Addition(row["section"], _with_id(row))
                for row in rows
                if not _is_moved(known, keys, row)
            ]
            if changes:
                replace_locked(self.path, apply(text, changes).encode())
            for name in self.segments():  # only after the manifest is on the disk
                _clear(os.path.join(self.folder, RECORDS, name))
        return len(changes)


class RecordChange:
    """A change of one project's records that is being put together, under its lock."""

    def __init__(self, project: Project, text: str) -> None:
        self.project = project
        self.text = text
        self._changes: list[Addition | FieldEdit] = []
        self._rows: list[Record] = []
        named = project.branch
        self._side = side_branch(project.folder, text) if named is None else named
        self._values: Record | None = None

    @property
    def values(self) -> Record:
        """Everything that is on record, without what this draft adds."""
        if self._values is None:
            self._values = self.project.read()
        return self._values

    def add(self, section: str, record: Record, key: str = "") -> str:
        """Put one more record down; the file that it goes to."""
        check_values(record, section)
        if not self._side and not (section == "events" and self._repeats(record)):
            self._changes.append(Addition(section, {**record, "key": key} if key else record))
            return self.project.path
        row = {"id": key or os.urandom(8).hex(), "section": section}
        if self._side:
            row["branch"] = self._side
        self._rows.append({**row, "record": record})
        return self._segment()

    def add_here(self, section: str, record: Record) -> None:
        """Put one more record into the manifest itself, on whatever branch."""
        check_values(record, section)
        self._changes.append(Addition(section, record))

    def find_key(self, key: str) -> Record | None:
        """The event that was put down under a key before, if there is one."""
        if f"\nkey = {write_value(key)}\n" in self.text:
            for event in self.values["events"]:
                if event.get("key") == key:
                    return dict(event)
        return next((_shown(row) for row in self.project.rows() if row["id"] == key), None)

    def set_fields(self, section: str, index: int | None, fields: Record) -> None:
        """Other values for fields that are there once: a phase's, or those of ``meta``."""
        self._changes.append(FieldEdit(section, index, fields))

    def write(self) -> None:
        """The manifest first, then the rows: what was not reported done may be asked for again."""
        if not self._changes and not self._rows:
            return
        before = self._known()  # nothing is added to a manifest that cannot be read
        if self._changes:
            replace_locked(self.project.path, self._changed().encode())
            if before:
                _forget(before)
                _keep(_cache_file(self.project.path, "ok"), "")
        if self._rows:
            folder = os.path.join(self.project.folder, RECORDS)
            refuse_link(self._segment())
            os.makedirs(folder, exist_ok=True)
            append_rows(self._segment(), self._rows)

    def _known(self) -> str:
        """The mark by which a long manifest is known to be sound; it is read once to get one."""
        if len(self.text) <= _LONG:
            manifest.parse(self.text)
            return ""
        if not _is_known(self.project.path):
            _parsed(self.project.path, self.text)
        return _cache_file(self.project.path, "ok")

    def _changed(self) -> str:
        """One record more in a long manifest costs what it costs in a short one."""
        only = self._changes[0]
        if len(self.text) > _LONG and len(self._changes) == 1 and isinstance(only, Addition):
            return add_unread(self.text, only)
        return apply(self.text, self._changes)

    def _repeats(self, record: Record) -> bool:
        """Whether the manifest holds an equal event: its older readers take a second one for a slip."""
        block = (
            f"event = {write_value(record['event'])}\ndetail = {write_value(record['detail'])}\n"
        )
        return block in self.text

    def _segment(self) -> str:
        checkout = find_checkout(self.project.folder)
        branch = re.sub(r"[^A-Za-z0-9.]+", "-", self._side or "main")[:60].strip("-.") or "branch"
        writer = writer_name(checkout) if checkout else "here"
        head = head_commit(checkout)[:8] if checkout else ""
        name = f"{branch}-{writer}{'-' if head else ''}{head}.jsonl"
        return os.path.join(self.project.folder, RECORDS, name)


def side_branch(folder: str, text: str) -> str:
    """The branch that is checked out, if its work is merged into another one; else empty."""
    checkout = find_checkout(folder)
    if checkout is None:
        return ""
    if is_detached(checkout):
        return "detached"
    branch = current_branch(checkout)
    wanted = _BASE.search(text)
    target = default_branch(checkout, wanted.group(1) if wanted else "")
    return branch if branch and target and branch != target else ""


def _shown(row: Record) -> Record:
    """A record from beside the manifest says on which branch it was made."""
    branch = {"branch": row["branch"]} if "branch" in row and row["section"] == "events" else {}
    return {**row["record"], **branch}


def _with_id(row: Record) -> Record:
    """An event keeps its id, so that it is not moved twice."""
    return {**row["record"], "key": row["id"]} if row["section"] == "events" else row["record"]


def _is_moved(values: Record, keys: set[object], row: Record) -> bool:
    """Whether the manifest holds it already: a compaction was killed before it cleared up."""
    if row["section"] == "events":
        return row["id"] in keys
    return row["record"] in values[row["section"]]


def _in_order(events: list[Record]) -> list[Record]:
    """By their time; one that is still to come was made by a wrong clock, and counts as its next line's."""
    now = soonest = stamp()
    times = []
    for event in reversed(events):
        at = str(event["at"])
        soonest = at if at <= now else soonest
        times.append(soonest)
    timed = zip(reversed(times), events, strict=True)
    return [event for _, event in sorted(timed, key=lambda each: each[0])]


def _clear(path: str) -> None:
    """Rows that were moved go; those that cannot be read here, and links, stay."""
    kept = [line for line in _lines(path) if line.strip() and _json_row(line) is None]
    if kept:
        replace_locked(path, b"".join(kept))
    elif not os.path.islink(path):
        os.unlink(path)


def _segment_rows(path: str) -> Iterator[Record]:
    return (row for row in map(_json_row, _lines(path)) if row is not None)


def broken_rows(path: str) -> int:
    """How many lines beside the manifest cannot be read."""
    return sum(_json_row(line) is None for line in _lines(path) if line.strip())


def _lines(path: str) -> Iterator[bytes]:
    try:
        if not os.path.isfile(path):  # a pipe would wait for a writer
            return
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    with open(handle, "rb") as stream:
        yield from stream


def _json_row(line: bytes) -> Record | None:
    """A row that can be shown; what is broken or of a section that nobody knows is left alone."""
    try:
        row = json.loads(line)
        section, record = row["section"], row["record"]
        if section not in manifest.LISTS or not isinstance(row["id"], str):
            return None
        manifest.check_record(section, record)
        check_values(record, section)
    except (ValueError, KeyError, TypeError, RecursionError, RecordError):
        return None
    return dict(row)


# Long manifests are kept parsed in the user's own cache, by what the file system says of the file:
# whoever changes it, or puts another in its place, changes that.


def _parsed(path: str, text: str) -> Record:
    if len(text) <= _LONG:
        return manifest.parse(text)
    file = _cache_file(path, "json")
    try:
        with open(file, encoding="utf-8") as stream:
            kept: Record = json.load(stream)
        if kept.pop("", None) == len(text):
            return kept
    except (OSError, ValueError, AttributeError):
        pass
    values = manifest.parse(text)
    _keep(file, json.dumps({"": len(text), **values}, ensure_ascii=False))
    return values


def _is_known(path: str) -> bool:
    return any(os.path.exists(_cache_file(path, kind)) for kind in ("ok", "json"))


def _cache_file(path: str, kind: str) -> str:
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    it = os.stat(path)
    name = f"{it.st_dev:x}-{it.st_ino:x}-{it.st_size:x}-{it.st_mtime_ns:x}-{it.st_ctime_ns:x}"
    return os.path.join(home, "guildmoot", "loom", f"{name}.{kind}")


def _keep(file: str, text: str) -> None:
    folder = os.path.dirname(file)
    draft = f"{file}.{os.getpid()}"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(draft, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(draft, file)
        names = os.listdir(folder)
        if len(names) > _KEPT:
            oldest = sorted(names, key=lambda name: _age(os.path.join(folder, name)))
            for name in oldest[: len(names) - _KEPT]:
                _forget(os.path.join(folder, name))
    except OSError:
        _forget(draft)  # it is only a cache


def _age(file: str) -> float:
    try:
        return os.stat(file).st_mtime
    except OSError:
        return 0.0


def _forget(file: str) -> None:
    try:
        os.unlink(file)
    except OSError:
        return
