"""Backends run one agent on one prompt and return one reply; they judge nothing.

To add one: write ``backends/<name>.py`` with a module constant ``BACKEND`` that satisfies
:class:`~guildmoot.backends.base.Backend`, and add its name to ``BACKENDS``. That is all; the module
is imported when the first seat asks for it.
"""

from __future__ import annotations

from importlib import import_module

from guildmoot.backends.base import Backend
from guildmoot.errors import UsageError

__all__ = ["BACKENDS", "Backend", "get_backend"]

BACKENDS: tuple[str, ...] = ("api", "claude", "codex", "command", "gemini", "scripted", "tool")
"""Every backend that an agent file may name; each is the module of the same name."""


def get_backend(name: str) -> Backend:
    """The backend of that name, one object for the whole process."""
    if name not in BACKENDS:
        raise UsageError(f"there is no backend {name!r}", _nearest(name))
    backend: Backend = import_module(f"guildmoot.backends.{name}").BACKEND
    return backend


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, BACKENDS, n=1)
    known = f"This version has: {', '.join(BACKENDS)}."
    return f"Did you mean {near[0]!r}? {known}" if near else known
