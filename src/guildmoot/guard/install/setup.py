"""Installs and uninstalls: what would change is known first, what was there comes back exactly.

The user's state folder keeps each file as it was. A file that nobody touched since gets its old bytes back;
from one that somebody did only what is ours is taken out.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.guard.hooks.places import guard_folder
from guildmoot.guard.install.handler import (
    handler_path,
    handler_text,
    remove_handler,
    write_handler,
)
from guildmoot.guard.install.settings import (
    SettingsFile,
    exclude_file,
    layers_without_hooks,
    settings_files,
)
from guildmoot.system.files import Locked, read_document, write_atomic
from guildmoot.system.git import Git, GitError

_FILE = "installed.json"
Kept = dict[str, str | None]
"""Of one file: its bytes of before, and the hash of what we made of it."""


class SettingsChange(NamedTuple):
    """One file before and after; None where there is none."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def diff(self) -> str:
        """As ``diff -u`` tells it."""
        old, new = (
            (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
            for data in (self.before, self.after)
        )
        names = str(self.path) if self.before is not None else "/dev/null", str(self.path)
        return "".join(
            line if line.endswith("\n") else f"{line}\n"
            for line in difflib.unified_diff(old, new, *names)
        )


class InstallPlan(NamedTuple):
    """What an installation, or its undoing, would do."""

    hosts: tuple[str, ...]
    project: str
    """Empty for the user's own settings."""
    handler: str
    changes: tuple[SettingsChange, ...]
    notes: tuple[str, ...] = ()
    off: bool = False
    """Whether the settings say that no hook is run, so that nothing is guarded."""
    edited: int = 0
    """Files that somebody changed since, which do not get their old bytes back."""


def plan_install(hosts: Sequence[str], project: Path | None, env: Mapping[str, str]) -> InstallPlan:
    """What would be written; UsageError where a file cannot be changed safely."""
    handler, changes, notes, off = handler_path(env), [], [], False
    old, text = read_document(str(handler)), handler_text(env).encode()
    if old != text:
        changes.append(SettingsChange(handler, old, text))
    for file in _files(hosts, project, env):
        before = read_document(str(file.path))
        after = file.add(_decoded(before, file.path)).encode()
        if after != before:
            changes.append(SettingsChange(file.path, before, after))
        if project and file.recorded and _tracked(project, file.path):
            notes.append(
                f"{file.path.name} is tracked by git: a stash or a checkout takes the guard away; --user does not"
            )
    home = Path(env.get("HOME") or Path.home())
    for path in layers_without_hooks(project, home) if "claude" in hosts else ():
        off = True
        notes.append(f"not guarded: {path} has disableAllHooks, so no hook runs; take that out")
    if "codex" in hosts:
        notes.append("codex runs a hook only after you trusted it: start codex, see /hooks")
    if "gemini" in hosts and project:
        notes.append("gemini asks once whether it may run hooks of this project")
    return InstallPlan(
        *(tuple(hosts), str(project or ""), str(handler), tuple(changes), tuple(notes), off)
    )


def install(plan: InstallPlan, env: Mapping[str, str]) -> None:
    """Do what the plan says, the handler first; InfrastructureError when a file changed meanwhile."""
    folder = Path(guard_folder(env))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with Locked(folder / ".install.lock"):
        _check(plan)
        kept = _read(folder)
        write_handler(env)
        files = {file.path: file for file in _files(plan.hosts, _place(plan), env)}
        for change in plan.changes:
            file = files.get(change.path)
            if file is None or change.after is None:
                continue
            if file.recorded:
                first = _before(file, change.before, kept.get(str(change.path)))
                kept[str(change.path)] = {"before": _kept(first), "after": _hash(change.after)}
                _write(folder, kept)
            _replace(change.path, change.after)


def _before(file: SettingsFile, now: bytes | None, known: Kept | None) -> bytes | None:
    """What an uninstallation brings back: where somebody edited since the last time, the edits too."""
    if known is None or now is None:
        return now
    if known["after"] == _hash(now):
        return _bytes(known["before"])
    return _without(file, now, known)


def plan_uninstall(
    hosts: Sequence[str], project: Path | None, env: Mapping[str, str]
) -> InstallPlan:
    """What would be taken back."""
    kept, changes, edited = _read(Path(guard_folder(env))), [], 0
    for file in _files(hosts, project, env):
        now = read_document(str(file.path))
        if now is None:
            continue
        known = kept.get(str(file.path))
        then = _without(file, now, known)
        if known and known["after"] == _hash(now):
            then = _bytes(known["before"])
        elif then != now and file.recorded:
            edited += 1
        if then != now:
            changes.append(SettingsChange(file.path, now, then))
    place = str(project or "")
    return InstallPlan(tuple(hosts), place, str(handler_path(env)), tuple(changes), edited=edited)


def _without(file: SettingsFile, now: bytes, known: Kept | None) -> bytes | None:
    """The file without what is ours; None where we made it and nothing else is in it."""
    text = _decoded(now, file.path)
    before = _bytes(known["before"]) if known else None
    left = file.take_out(text, (before or b"").decode("utf-8") if known else None)
    if left == text:
        return now
    if left.strip():
        return left.encode()
    if not known or before is None:
        return None
    return b"{}\n" if file.path.suffix == ".json" else b""


def uninstall(plan: InstallPlan, env: Mapping[str, str]) -> None:
    """Do it. The handler stays as long as any settings may still name it."""
    folder = Path(guard_folder(env))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with Locked(folder / ".install.lock"):
        _check(plan)
        kept = _read(folder)
        for change in plan.changes:
            if change.after is None:
                change.path.unlink(missing_ok=True)
                _drop_empty(change.path.parent)
            else:
                _replace(change.path, change.after)
            kept.pop(str(change.path), None)
        _write(folder, kept)
        if not kept:
            remove_handler(env)


def installed_places(env: Mapping[str, str]) -> list[str]:
    """The files that an installation put something into, and that are still there."""
    return [path for path in _read(Path(guard_folder(env))) if os.path.lexists(path)]


def _check(plan: InstallPlan) -> None:
    for change in plan.changes:
        if read_document(str(change.path)) != change.before:
            raise InfrastructureError(
                f"{change.path} was changed meanwhile, so nothing was written.", "Run it again."
            )


def _files(
    hosts: Sequence[str], project: Path | None, env: Mapping[str, str]
) -> list[SettingsFile]:
    home = Path(env.get("HOME") or Path.home())
    found = [
        file for host in hosts for file in settings_files(host, project, home, handler_path(env))
    ]
    if project is None:
        return found
    for file in found:
        _refuse_escape(file.path, project)
    exclude = _exclude(project)
    names = [f"/{file.path.relative_to(project).as_posix()}" for file in found]
    return [*found, exclude_file(exclude, names)] if exclude else found


def _exclude(project: Path) -> Path | None:
    try:
        told = Git(project).run("rev-parse", "--git-path", "info/exclude")
    except (GitError, FileNotFoundError):
        return None
    return project / os.fsdecode(told.removesuffix(b"\n"))


def _tracked(project: Path, path: Path) -> bool:
    try:
        return bool(Git(project).tracked(path.relative_to(project).as_posix()))
    except (GitError, FileNotFoundError):
        return False


def _refuse_escape(path: Path, project: Path) -> None:
    real = os.path.realpath(path)
    if os.path.commonpath((real, os.path.realpath(project))) != os.path.realpath(project):
        raise UsageError(
            f"{path} is a link that leads out of the project, to {real}.",
            "Install it there yourself with --user, or remove the link.",
        )


def _place(plan: InstallPlan) -> Path | None:
    return Path(plan.project) if plan.project else None


def _replace(path: Path, data: bytes) -> None:
    """Behind a link of the user's, the link stays and its target changes."""
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(target, data)


def _decoded(data: bytes | None, path: Path) -> str:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path} cannot be changed safely: it is no UTF-8.", "Mend it.") from None


def _read(folder: Path) -> dict[str, Kept]:
    try:
        found: dict[str, Kept] = json.loads((folder / _FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return found


def _write(folder: Path, kept: Mapping[str, Kept]) -> None:
    """Settings may hold keys, so nobody else may read what they were."""
    file = folder / _FILE
    file.touch(mode=0o600)
    file.chmod(0o600)
    write_atomic(file, json.dumps(kept, indent=1).encode())


def _kept(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _bytes(kept: str | None) -> bytes | None:
    return None if kept is None else base64.b64decode(kept)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _drop_empty(folder: Path) -> None:
    if folder.name in (".claude", ".codex", ".gemini", "policies"):
        try:
            folder.rmdir()
        except OSError:
            return
