"""Where the guard keeps what is the user's own. Found without imports that a hook would pay for.

The same folders as ``system.state`` and platformdirs name; a test holds that.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_MAC = "Library/Application Support"


def state_folder(env: Mapping[str, str]) -> str:
    """What changes: asks, answers, decisions, the daemon's socket."""
    return os.path.join(_base(env, "XDG_STATE_HOME", ".local/state"), "guildmoot")


def data_folder(env: Mapping[str, str]) -> str:
    """Where the handler stands that hosts call."""
    return os.path.join(_base(env, "XDG_DATA_HOME", ".local/share"), "guildmoot")


def guard_folder(env: Mapping[str, str]) -> str:
    """The guard's part of the state."""
    return os.path.join(state_folder(env), "guard")


def socket_path(env: Mapping[str, str]) -> str:
    """Where the daemon of this version listens."""
    from guildmoot.version import __version__

    return os.path.join(guard_folder(env), f"hook-{__version__}.sock")


_SETTINGS = (
    *(".claude/settings.local.json", ".claude/settings.json", ".codex/hooks.json"),
    ".gemini/settings.json",
)
_MOST = 1_000_000


def guarded_places(env: Mapping[str, str], project: str = "") -> tuple[str, ...]:
    """The guard's own files, which no agent may change: the settings that name it are among them."""
    data = data_folder(env)
    handler, found = os.path.join(data, "hook").encode("utf-8", "surrogateescape"), []
    for base in dict.fromkeys((project, env.get("HOME", ""))):
        for name in _SETTINGS if base else ():
            path = os.path.join(base, name)
            try:
                handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            except (OSError, ValueError):
                continue
            try:
                named = handler in os.read(handle, _MOST)
            except OSError:
                named = False
            os.close(handle)
            found += [path] if named else []
    config = os.path.join(_base(env, "XDG_CONFIG_HOME", ".config"), "guildmoot")
    return (state_folder(env), data, config, *found)


def _base(env: Mapping[str, str], name: str, usual: str) -> str:
    home = env.get("HOME") or os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, _MAC)
    given = env.get(name, "").strip()
    return given or os.path.join(home, usual)
