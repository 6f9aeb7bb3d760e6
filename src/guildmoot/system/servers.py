"""Servers of the user that run commands for whoever asks: behind a fence nobody reaches them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress


def servers(environ: Mapping[str, str], user: int) -> list[str]:
    """Where the sockets of tmux, screen and the user's own services lie: folders, and sockets that lie by themselves.

    Pure. Theirs is the folder, for another server may be started while a lane is at work.
    """
    ours = os.path.join(environ.get("TMUX_TMPDIR") or "/tmp", f"tmux-{user}")  # noqa: S108 - named, not used
    runtime = environ.get("XDG_RUNTIME_DIR") or f"/run/user/{user}"
    bus = environ.get("DBUS_SESSION_BUS_ADDRESS", "").partition("unix:path=")[2].split(",")[0]
    here = environ.get("TMUX", "").split(",")[0]
    above, name = os.path.split(os.path.dirname(here))
    found = [
        *(ours, os.path.join(above, name) if name.startswith("tmux-") else here),
        *(os.path.join(runtime, "bus"), bus, os.path.join(runtime, "systemd")),
        *(environ.get("SCREENDIR", ""), f"/run/screen/S-{environ.get('USER', '')}"),
        os.path.join(environ.get("HOME", ""), ".screen"),
    ]
    return [each for each in dict.fromkeys(found) if os.path.isabs(each)]


def server_places() -> list[str]:
    """Those that are there; tmux's folder is made where it is not, for its server may be started later."""
    found = servers(os.environ, os.getuid())
    if shutil.which("tmux"):
        with suppress(OSError):
            os.mkdir(found[0], 0o700)
    return [each for each in found if os.path.exists(each)]
