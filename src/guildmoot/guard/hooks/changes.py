"""A host's settings change while a session runs: what would take the guard away is not applied."""

from __future__ import annotations

import os

from guildmoot.guard.hooks.replies import NOTHING, HookReply, deny

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.guard.hooks.events import HookEvent

_MOST = 1_000_000


def judge_change(event: HookEvent) -> HookReply:
    """Exit 2, which leaves the settings as the session knows them, where hooks go off or ours are gone."""
    import json

    from guildmoot.guard.hooks.places import data_folder, guard_folder

    path = event.text("file_path")
    if not path:
        return NOTHING
    text = _read(path)
    try:
        table = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        table = {}
    if isinstance(table, dict) and table.get("disableAllHooks"):
        return deny(
            f"{path} switches all hooks off, the guard's too. A person starts a new session."
        )
    try:
        ours = json.loads(_read(os.path.join(guard_folder(event.env), "installed.json")) or "{}")
    except ValueError:
        ours = {}
    handler = os.path.join(data_folder(event.env), "hook")
    if path in ours and handler not in text and path.endswith((".json", ".toml")):
        return deny(f"{path} has lost the guard. 'guild guard install' puts it back.")
    return NOTHING


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MOST)
    except (OSError, ValueError):
        return ""
