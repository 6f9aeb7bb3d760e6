"""The program that hosts call: one small script at a stable path, outside of any plugin's folder.

What it runs stands beside it, so that a checkout or an environment may move, change or go.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from guildmoot.guard.hooks.places import data_folder, socket_path

_PACKAGE = Path(__file__).resolve().parents[2]
_ROOMS = ("guard", "system", "text", "model")
"""What an answer needs of the package; the rest only tells new sessions of a project's memory."""


def handler_path(env: Mapping[str, str]) -> Path:
    """Where it stands."""
    return Path(data_folder(env)) / "hook"


def python_path() -> str:
    """The interpreter itself: an environment that was made of it may go."""
    base: str = getattr(sys, "_base_executable", "") or sys.executable
    return base if os.access(base, os.X_OK) else sys.executable


def handler_problem(env: Mapping[str, str]) -> str:
    """Why the handler of an installation does not answer as this program would; empty where it does."""
    try:
        text = handler_path(env).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return f"{handler_path(env)} is gone: guild guard install writes it again"
    python = text.partition("[ -x '")[2].partition("' ]")[0].replace("'\"'\"'", "'")
    if not os.access(python, os.X_OK):
        return f"its Python {python} is gone: guild guard install mends it"
    files = _program_files()
    if text != handler_text(env) or not _program_folder(env, files).is_dir():
        return "it is of another version: guild guard install brings it up to date"
    return ""


def handler_text(env: Mapping[str, str]) -> str:
    """It starts Python without site packages and without the environment's say, which is quicker too."""
    places = dict.fromkeys(
        (
            str(_program_folder(env, _program_files())),
            sysconfig.get_path("purelib"),
            sysconfig.get_path("platlib"),
        )
    )
    python = python_path().replace("'", "'\"'\"'")
    return f'''#!/bin/sh
""":"; [ -x '{python}' ] && exec '{python}' -IS "$0" "$@"
case $(cat) in *PreToolUse*|*BeforeTool*) ;; *) exit 0 ;; esac
why="guild guard: its Python is gone, so nothing is let pass."
echo "$why Run guild guard install again, or take $0 out of the settings." >&2
exit 2 # The guard of guildmoot, which coding agents call: made by guild guard install."""
import sys

sys.dont_write_bytecode = False
sys.path += {list(places)!r}
try:
    import guildmoot
    from guildmoot.guard.hooks.entry import main
    guildmoot.__path__.append({str(_PACKAGE)!r})
except ImportError as wrong:
    event = sys.stdin.buffer.read()
    if b"PreToolUse" not in event and b"BeforeTool" not in event:
        sys.exit(0)
    sys.stderr.write(
        f"guild guard: its program is gone ({{wrong}}), so nothing is let pass. Install guildmoot again and run"
        " guild guard install, or take the hook out of the settings.\\n"
    )
    sys.exit(2)
main(sys.argv[1:], {socket_path(env)!r})
'''


def write_handler(env: Mapping[str, str]) -> Path:
    """Write it, whole, and make it a program."""
    from guildmoot.system.files import write_atomic

    path = handler_path(env)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write_program(env)
    write_atomic(path, handler_text(env).encode())
    os.chmod(path, 0o755)  # noqa: S103 - a program, without a secret in it
    return path


def remove_handler(env: Mapping[str, str]) -> None:
    """The handler and what it runs."""
    handler_path(env).unlink(missing_ok=True)
    shutil.rmtree(Path(data_folder(env)) / "program", ignore_errors=True)


def _program_files() -> dict[str, bytes]:
    """Path to content of what the handler runs."""
    import platformdirs

    rooms = (file for room in _ROOMS for file in (_PACKAGE / room).rglob("*.py"))
    found = {
        str(file.relative_to(_PACKAGE.parent)): file for file in (*_PACKAGE.glob("*.py"), *rooms)
    }
    other = Path(platformdirs.__file__).resolve().parent
    found |= {str(file.relative_to(other.parent)): file for file in other.glob("*.py")}
    return {name: found[name].read_bytes() for name in sorted(found)}


def _program_folder(env: Mapping[str, str], files: Mapping[str, bytes]) -> Path:
    """Its place, which is another for another content."""
    digest = hashlib.sha256()
    for name, data in files.items():
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return Path(data_folder(env)) / "program" / digest.hexdigest()[:16]


def _write_program(env: Mapping[str, str]) -> None:
    """The files whole or not at all, compiled: the first call of a session must not be late for it."""
    files = _program_files()
    folder = _program_folder(env, files)
    if folder.is_dir():
        return
    part = folder.with_name(f".{folder.name}.{os.getpid()}")
    shutil.rmtree(part, ignore_errors=True)
    for name, data in files.items():
        (part / name).parent.mkdir(parents=True, exist_ok=True)
        (part / name).write_bytes(data)
    words = ("-IS", "-m", "compileall", "-q", "-s", str(part), "-p", str(folder))
    subprocess.run(
        [python_path(), *words, str(part / "guildmoot" / "guard")], check=False, capture_output=True
    )
    try:
        part.rename(folder)
    except OSError:  # another one was quicker
        shutil.rmtree(part, ignore_errors=True)
    for old in folder.parent.iterdir():
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)
