"""Where a process id means something: one machine since it was started, and one namespace of it."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def place() -> str:
    """The same for processes that can ask for each other by id; empty where that cannot be known."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()}/{boot}/{os.readlink('/proc/self/ns/pid')}"
    except (OSError, UnicodeDecodeError):
        return ""
