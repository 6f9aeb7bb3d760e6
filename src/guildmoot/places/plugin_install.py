"""Puts the plugin into a host and takes it away: what would change is known first.

Codex reads skills from one folder that many write to. What was put there is remembered by its hash; a file that is
not ours, or was changed since, is neither written over nor taken away. A file of the user's that we write into is
kept as it was, and put back byte for byte unless somebody changed it meanwhile.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import struct
import zlib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.guard.hooks.places import data_folder
from guildmoot.guard.install.setup import SettingsChange
from guildmoot.places.plugin import (
    MARKET,
    NAME,
    agents_section,
    gemini_files,
    marketplace,
    plugin_files,
    skills,
)
from guildmoot.system.files import read_document, refuse_links, write_atomic

HOSTS = ("claude", "codex", "gemini")
_BEGIN, _END = "<!-- guild: begin -->", "<!-- guild: end -->"
_SHARED = ("settings.json", "settings.local.json", "AGENTS.md")
_STATUS = {"type": "command", "command": "guild status-line"}


_WRITTEN = "skills-written.json"
_BEFORE = "before-plugin"
_OURS = (_BEGIN.encode(), f"{NAME}@{MARKET}".encode())
Wanted = dict[Path, str | bytes | None]
"""Each file as it is to be; None where it is to be gone."""


class PluginChanges(NamedTuple):
    """What an installation, or its undoing, would do."""

    changes: list[SettingsChange]
    kept: list[Path]
    """Files of others under our names, which stay as they are."""


def plan(
    hosts: Sequence[str],
    project: Path | None,
    env: Mapping[str, str],
    *,
    status_line: bool = False,
    uninstall: bool = False,
) -> PluginChanges:
    """The files that change, of the project or of the user's own; none when all is as wished."""
    home = Path(env.get("HOME") or Path.home())
    data = Path(data_folder(env))
    wanted: Wanted = {}
    for host in hosts:
        files = _wanted(host, project, home, data, status_line, uninstall)
        for path in files:
            if project and project in path.parents:
                refuse_links(path)
        wanted |= files
    _remember([path for path in wanted if path.name in _SHARED], wanted, data, uninstall)
    kept: list[Path] = []
    if "codex" in hosts:
        kept = _spare((project or home) / ".agents" / "skills", wanted, data / _WRITTEN)
    found = []
    for path, text in wanted.items():
        before = read_document(str(path))
        after = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
        if before != after:
            found.append(SettingsChange(path, before, after))
    return PluginChanges(found, kept)


def _remember(shared: Sequence[Path], wanted: Wanted, data: Path, uninstall: bool) -> None:
    """Keep what others wrote before we write into it; put it back where nothing was changed since."""
    for path in shared:
        record = data / _BEFORE / _hash(str(path).encode())[:16]
        there, kept, after = (
            read_document(str(path)),
            read_document(str(record)) or b"",
            wanted[path],
        )
        digest, _, before = kept.partition(b"\n")
        unchanged = there is not None and digest == _hash(there).encode()
        if uninstall:
            wanted[record] = None
            if unchanged:
                wanted[path] = before
        elif there is not None and isinstance(after, str):
            data_after = after.encode("utf-8", "surrogateescape")
            if not any(mark in there for mark in _OURS):
                before, unchanged = there, True
            wanted[record] = _hash(data_after).encode() + b"\n" + before if unchanged else None


def _spare(folder: Path, wanted: Wanted, record: Path) -> list[Path]:
    """Take what is not ours out of the wanted files, and put in what is remembered of the rest."""
    try:
        written: dict[str, str] = json.loads(read_document(str(record)) or b"{}")
    except ValueError:
        written = {}
    texts = {folder / name / "SKILL.md": text for name, text in skills()}
    past = [path for path in map(Path, written) if folder in path.parents and path not in texts]
    wanted |= dict.fromkeys(past)  # an older version had them
    kept = []
    for path in (*texts, *past):
        there, digest = read_document(str(path)), _hash(texts.get(path, "").encode())
        if there is not None and _hash(there) not in (written.get(str(path)), digest):
            kept.append(path)
        if kept[-1:] == [path] or wanted[path] is None:
            written.pop(str(path), None)
        else:
            written[str(path)] = digest
    for path in kept:
        del wanted[path]
    wanted[record] = json.dumps(written, indent=1, sort_keys=True) + "\n" if written else None
    return kept


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()


def apply(changes: Sequence[SettingsChange]) -> None:
    """Do it; folders that are empty then go too."""
    for change in changes:
        path = Path(os.path.realpath(change.path))  # a link of the user's own stays one
        if change.after is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.parent.name == _BEFORE:  # settings may hold keys
                path.touch(0o600)
            write_atomic(path, change.after, more=change is not changes[-1])
            if path.parent.name == "bin":
                path.chmod(0o755)
            continue
        path.unlink(missing_ok=True)
        for folder in path.parents:
            try:
                os.rmdir(folder)
            except OSError:
                break


def _wanted(
    host: str, project: Path | None, home: Path, data: Path, status_line: bool, uninstall: bool
) -> Wanted:
    """Each file's text after it; None where it is to be gone."""
    base = project or home
    files: Wanted = {}
    if host == "claude":
        root = data / "plugin"
        files = {root / "plugin" / name: text for name, text in plugin_files().items()}
        files[root / ".claude-plugin" / "marketplace.json"] = marketplace()
        settings = base / ".claude" / ("settings.local.json" if project else "settings.json")
        if uninstall and project:  # other projects, or the user, may name the plugin's own files
            files = {}
        files = dict.fromkeys(files) if uninstall else files
        files[settings] = _claude_settings(settings, root, status_line, uninstall)
        return files
    if host == "codex":
        folder = base / ".agents" / "skills"
        files = {folder / name / "SKILL.md": text for name, text in skills()}
        told = (project / "AGENTS.md") if project else (home / ".codex" / "AGENTS.md")
        files = dict.fromkeys(files) if uninstall else files
        files[told] = _section(told, "" if uninstall else agents_section())
        return files
    if project:
        raise UsageError("Gemini takes extensions for a user alone", "Leave --project out.")
    folder = home / ".gemini" / "extensions" / NAME
    files = {folder / name: text for name, text in gemini_files().items()}
    return dict.fromkeys(files) if uninstall else files


def _claude_settings(path: Path, root: Path, status_line: bool, uninstall: bool) -> str | None:
    """The settings with the catalogue known and the plugin enabled, or without."""
    try:
        text = (read_document(str(path)) or b"").decode()
        data = json.loads(text or "{}")
    except ValueError as wrong:
        raise UsageError(f"{path} is no JSON: {wrong}", "Mend it first.") from None
    if not isinstance(data, dict):
        raise UsageError(f"{path} holds no object", "Mend it first.")
    for key, name, value in (
        ("extraKnownMarketplaces", MARKET, {"source": {"source": "directory", "path": str(root)}}),
        ("enabledPlugins", f"{NAME}@{MARKET}", True),
    ):
        part = data.setdefault(key, {})
        if not isinstance(part, dict):
            raise UsageError(f"{path}: {key} is no object", "Mend it first.")
        if uninstall:
            part.pop(name, None)
        else:
            part[name] = value
        if not part:
            del data[key]
    if uninstall and data.get("statusLine") == _STATUS:
        del data["statusLine"]
    elif status_line and not uninstall:
        data.setdefault("statusLine", _STATUS)
    if not data and uninstall:
        return None
    before = json.loads(text or "{}")
    if data == before and text:
        return text
    step = re.search(r'\n([ \t]+)"', text)  # as the user writes it
    said = json.dumps(data, indent=step[1] if step else 2, ensure_ascii=text.isascii()) + "\n"
    return said.replace("\n", "\r\n") if "\r\n" in text else said


def _section(path: Path, section: str) -> str | None:
    """The file with our section between its marks, or without."""
    text = (read_document(str(path)) or b"").decode("utf-8", "surrogateescape")
    head, mark, rest = text.partition(_BEGIN)
    if mark and _END not in rest:
        raise UsageError(
            f"{path} holds {_BEGIN} without {_END}, so nobody knows where our section ends",
            "Put the second mark below the section, or take both away.",
        )
    tail = rest.partition(_END)[2].lstrip("\n") if mark else ""
    parts = [head.rstrip("\n"), f"{_BEGIN}\n{section}{_END}" if section else "", tail.rstrip("\n")]
    joined = "\n\n".join(part for part in parts if part)
    return f"{joined}\n" if joined else None


def build(folder: Path) -> list[Path]:
    """Write the plugin's tree, and the catalogue beside it; what else lay in the tree goes."""
    files = {folder / name: text for name, text in plugin_files().items()}
    files |= {folder / "gemini" / name: text for name, text in gemini_files().items()}
    if folder.exists() and not (folder / ".claude-plugin" / "plugin.json").is_file():
        raise UsageError(f"{folder} is there and is no plugin", "Name a new folder.")
    shutil.rmtree(folder, ignore_errors=True)
    market = folder.parent / ".claude-plugin" / "marketplace.json"
    files[market] = marketplace(f"./{folder.name}")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "bin" / "hook").chmod(0o755)
    (folder / ".claude-plugin" / "icon.png").write_bytes(icon())
    return sorted(files)


def icon() -> bytes:
    """A table with seats around it, as a PNG of 512 dots: the catalogue of plugins wants one."""
    seats = [(math.cos(k * math.pi / 4) * 22, math.sin(k * math.pi / 4) * 22) for k in range(8)]
    rows = bytearray()
    for y in range(-32, 32):
        line = bytes(
            0
            if x * x + y * y < 190 or any((x - a) ** 2 + (y - b) ** 2 < 25 for a, b in seats)
            else 255
            for x in range(-32, 32)
        )
        rows += (b"\0" + line) * 8
    size = 512
    head = struct.pack(">IIBBBBB", size, size, 1, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(rows), 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
