"""Words that only a person says: a lane of a run asks in vain."""

from __future__ import annotations

import os

from guildmoot.errors import UsageError


def not_in_a_lane(verb: str) -> None:
    """UsageError where a lane's worker, or what it started, gives a person's word."""
    task = os.environ.get("GUILD_TASK_ID", "")
    if task and os.environ.get("GUILD_DISPATCH_PRODUCER"):
        raise UsageError(
            f"'guild {verb}' is a person's word, and this is lane {task} of a run.",
            "Say in the receipt what you need: status blocked, and the question.",
        )
