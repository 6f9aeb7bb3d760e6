"""A snapshot of a few named files, written without git: a command that overwrites one of them waits for nothing.

The same commit below ``refs/guild/undo`` as a whole snapshot, with these files alone in its ``tree/``; a restore
brings back these files and touches nothing else. Where the repository is kept in a way that this does not know, it
says so and the whole snapshot is taken.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from hashlib import sha1

from guildmoot.guard.undo.refs import REFS

_MOST_FILES = 16
_MOST_BYTES = 2_000_000
_MOST_REFS = 150
"""More than these are for the whole snapshot to sweep away."""
_OTHER_FORMATS = ("objectformat", "refstorage", "worktreeconfig")
_WHO = "guild <guild@localhost>"


def keep_files(top: str, paths: tuple[str, ...], program: str) -> str:
    """The id of the snapshot; empty where only git itself can keep them."""
    try:
        repository = os.path.join(top, ".git")
        files = _files(os.path.realpath(top), paths)
        if not files or not _is_plain(repository):
            return ""
        return _keep(repository, top, files, program)
    except (OSError, ValueError):
        return ""


def _files(top: str, paths: tuple[str, ...]) -> dict[str, tuple[str, bytes, int]]:
    """Path below the top to mode, content and permissions; nothing where one is no file or they are too large."""
    found: dict[str, tuple[str, bytes, int]] = {}
    size = 0
    for path in paths:
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if not os.path.lexists(real):
            continue
        info = os.lstat(real)
        size += info.st_size
        below = real[len(top) + 1 :]
        odd = not real.startswith(top + os.sep) or ".git" in below.lower().split("/")
        if odd or (info.st_mode & 0o170000) != 0o100000 or size > _MOST_BYTES:
            return {}
        handle = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(handle, "rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) != info.st_size:
            return {}
        found[below] = (
            "100755" if info.st_mode & 0o100 else "100644",
            content,
            info.st_mode & 0o7777,
        )
    return found if len(found) <= _MOST_FILES else {}


def _is_plain(repository: str) -> bool:
    with open(os.path.join(repository, "config"), encoding="utf-8") as file:
        settings = file.read(100_000).lower()
    kept = os.path.join(repository, *REFS.split("/"))
    many = os.path.isdir(kept) and len(os.listdir(kept)) > _MOST_REFS
    return not many and not any(each in settings for each in _OTHER_FORMATS)


def _keep(repository: str, top: str, files: dict[str, tuple[str, bytes, int]], program: str) -> str:
    now = time.time_ns()
    day = time.gmtime(now // 10**9)
    name = f"{time.strftime('%Y%m%dT%H%M%S', day)}-{now // 1000 % 10**6:06d}{os.urandom(2).hex()}"
    ref = f"{REFS}/{name}"
    odd = {path: rights for path, (_, _, rights) in files.items() if rights not in (0o644, 0o755)}
    meta = {
        "id": name, "ref": ref, "commit": "", "folder": top, "why": f"{program} {' '.join(files)}"[:300],
        "taken": f"{time.strftime('%Y-%m-%dT%H:%M:%S', day)}.{now // 10**6 % 1000:03d}+00:00",
        "changed": len(files), "modes": odd, "only": list(files),
    }  # fmt: skip
    text = json.dumps(meta, ensure_ascii=True, sort_keys=True).encode()
    blobs = {
        path: (mode, _write(repository, b"blob", data)) for path, (mode, data, _) in files.items()
    }
    rows = [("100644", "meta.json", _write(repository, b"blob", text))]
    rows.append(("40000", "tree", _tree(repository, blobs)))
    tree = _write(repository, b"tree", _rows(rows))
    when = f"{_WHO} {now // 10**9} +0000"
    head = f"tree {tree.hex()}\nauthor {when}\ncommitter {when}\n\nguild undo {name}\n"
    commit = _write(repository, b"commit", head.encode())
    folder = os.path.join(repository, *REFS.split("/"))
    os.makedirs(folder, exist_ok=True)
    _place(os.path.join(folder, name), f"{commit.hex()}\n".encode(), 0o644)
    return name


def _tree(repository: str, blobs: dict[str, tuple[str, bytes]]) -> bytes:
    """Folders within folders, as git has them."""
    below: dict[str, dict[str, tuple[str, bytes]]] = {}
    rows = []
    for path, entry in blobs.items():
        folder, slash, rest = path.partition("/")
        if slash:
            below.setdefault(folder, {})[rest] = entry
        else:
            rows.append((entry[0], path, entry[1]))
    rows += [("40000", folder, _tree(repository, inner)) for folder, inner in below.items()]
    return _write(repository, b"tree", _rows(rows))


def _rows(rows: list[tuple[str, str, bytes]]) -> bytes:
    ordered = sorted(rows, key=lambda row: os.fsencode(row[1] + "/" * (row[0] == "40000")))
    return b"".join(b"%s %s\0%s" % (m.encode(), os.fsencode(n), oid) for m, n, oid in ordered)


def _write(repository: str, kind: bytes, data: bytes) -> bytes:
    """A loose object of git, as it writes them itself."""
    whole = b"%s %d\0%s" % (kind, len(data), data)
    oid = sha1(whole, usedforsecurity=False).digest()
    folder = os.path.join(repository, "objects", oid.hex()[:2])
    file = os.path.join(folder, oid.hex()[2:])
    if not os.path.exists(file):
        os.makedirs(folder, exist_ok=True)
        _place(file, zlib.compress(whole, 1), 0o444)
    return oid


def _place(file: str, data: bytes, mode: int) -> None:
    part = f"{file}.{os.urandom(4).hex()}.tmp"
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
        os.replace(part, file)
    except OSError:
        os.unlink(part)
        raise
