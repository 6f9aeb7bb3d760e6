"""The commit hook: what is staged, judged by tools of this machine, and never twice for the same reasons.

The answer is kept in git's own folder under a key of everything that could change it: the staged tree, the commit
it follows, the settings, agents and tools of this machine, and the words of the command. Imports little: a hit
must cost less than a tenth of a second.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.version import __version__

HOOKS = ("pre-commit", "pre-push")
_MARK = "# written by 'guild install-hook'"
_SCRIPT = """#!/bin/sh
{mark}; 'guild install-hook --uninstall' takes it away
guild={program}
[ -x "$guild" ] || guild=$(command -v guild) || {{
  echo "guild is not installed here, so nothing was judged; --no-verify goes on without it" >&2
  exit 1
}}
exec "$guild" {words}
"""
_WORDS = {"pre-commit": "pre-commit", "pre-push": 'pre-push "$1"'}
_DAY = 86_400
_KEPT = 20
_OWN = ("runs", "ledger", ".")
"""Beginnings of what every run changes below ``.guild``."""


class Cached(NamedTuple):
    """What an earlier run came to."""

    text: str
    exit_code: int
    when: float


def cache_place(argv: list[str]) -> tuple[Path, str] | None:
    """Where answers are kept, and the key of this one; None when there is nothing to go by."""
    try:
        told = _git("rev-parse", "--absolute-git-dir", "--show-toplevel", "HEAD^{tree}")
        tree = _git("write-tree")[0]
    except (
        OSError,
        subprocess.CalledProcessError,
    ):  # no commit yet, a merge half done, no repository
        return None
    folder, root, head = told
    parts = [__version__, tree, head, *argv, *_machine(), *_policy(Path(root))]
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return Path(folder) / "guildmoot" / "staged.json", digest


def look_up(file: Path, key: str) -> Cached | None:
    """The kept answer, not older than a day."""
    row = _read(file).get(key)
    try:
        found = Cached(*row)  # type: ignore[misc]
    except TypeError:
        return None
    return found if 0 <= time.time() - found.when < _DAY else None


def keep(file: Path, key: str, text: str, exit_code: int) -> None:
    """Keep an answer, and the newest others."""
    from guildmoot.system.files import write_atomic

    rows = {**_read(file), key: [text, exit_code, time.time()]}
    newest = dict(list(rows.items())[-_KEPT:])
    file.parent.mkdir(exist_ok=True)
    write_atomic(file, json.dumps(newest).encode())


def _read(file: Path) -> dict[str, list[object]]:
    try:
        rows = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return rows if isinstance(rows, dict) else {}


def _git(*words: str) -> list[str]:
    done = subprocess.run(
        ["git", *words], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return os.fsdecode(done.stdout).splitlines()


def _machine() -> Iterator[str]:
    """Tools, settings and agents of this machine, as far as file times tell."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        yield _stamp(folder)
    for name, value in sorted(os.environ.items()):
        if name.startswith(("GUILD", "COUNCIL_")):
            yield f"{name}={value}"
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    yield from _stamps(os.path.join(config, "guildmoot"))


def _policy(root: Path) -> Iterator[str]:
    """What the project says of judging, wherever it is believed from."""
    for name in ("guild.toml", "pyproject.toml"):
        yield _stamp(str(root / name))
    try:
        names = sorted(os.listdir(root / ".guild"))
    except OSError:
        return
    for name in names:
        if not name.startswith(_OWN):
            yield from _stamps(str(root / ".guild" / name))


def _stamps(path: str) -> Iterator[str]:
    yield _stamp(path)
    for folder, _, names in os.walk(path):
        yield from (_stamp(os.path.join(folder, name)) for name in sorted(names))


def _stamp(path: str) -> str:
    try:
        known = os.stat(path)
    except OSError:
        return f"{path} -"
    return f"{path} {known.st_mtime_ns} {known.st_size}"


class HookFile(NamedTuple):
    """A hook of git, as it is and as it would be."""

    path: Path
    before: str
    after: str


def plan_hook(name: str, cwd: Path, *, uninstall: bool = False) -> HookFile:
    """What would be written; UsageError where somebody else's hook is in the way."""
    asked = ["--git-path", f"hooks/{name}", "--git-common-dir", "--show-cdup"]
    done = subprocess.run(["git", "rev-parse", *asked], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise UsageError("this is no git repository", "Run it inside one.")
    path, *own = (cwd / row for row in done.stdout.split("\n")[:3])
    shared = not any(path.resolve().is_relative_to(each.resolve()) for each in own)
    try:
        before = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        before = ""
    words = _WORDS[name]
    if (before and _MARK not in before) or path.is_symlink():  # also one that leads nowhere now
        if uninstall:
            raise UsageError(f"{path} is not ours", "It stays as it is.")
        raise UsageError(
            f"{path} is a hook of somebody else's", f"Add a line to it yourself: guild {words}"
        )
    if shared and not before:
        raise UsageError(
            f"core.hooksPath leads to {path.parent}, which other repositories may share",
            f"Add a hook there yourself: guild {words}. Or set core.hooksPath for this one alone.",
        )
    program = os.path.join(os.path.dirname(sys.executable), "guild")
    quoted = "'" + program.replace("'", "'\\''") + "'"
    after = "" if uninstall else _SCRIPT.format(mark=_MARK, program=quoted, words=words)
    return HookFile(path, before, after)


def put_hook(hook: HookFile) -> None:
    """Write it, or take it away."""
    from guildmoot.system.files import write_atomic

    if not hook.after:
        hook.path.unlink(missing_ok=True)
        return
    hook.path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(hook.path, hook.after.encode())
    hook.path.chmod(0o755)
