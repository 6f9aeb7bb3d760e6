"""What a lane leaves to a person: it does the safe half, and writes down the exact action that it may not take. Pure.

A receipt carries each as a fenced block ``guild.deferral_contract.v1``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.lifecycle.documents import SourceDocument
from guildmoot.text.clean import clean, one_line

CONTRACT = "guild.deferral_contract.v1"


class DeferredAction(NamedTuple):
    """One action that a person takes, or does not."""

    action: str
    """Exactly what is to be done, e.g. a command."""
    reason: str
    required: bool
    """The spec asks for it: the work is not done without it."""

    @property
    def text(self) -> str:
        """As a follow-up; one that is required is blocking."""
        lead = "blocking: " if self.required else ""
        return f"{lead}left to a person: `{self.action}` ({self.reason})"


def deferred_actions(document: SourceDocument) -> Iterator[DeferredAction | str]:
    """The actions that a receipt leaves to a person; a text where a block is no contract."""
    for block in (each for each in document.fences if each.tag == CONTRACT):
        try:
            told = json.loads(block.text)
        except (ValueError, RecursionError):
            told = None
        if not isinstance(told, dict):
            yield f"line {block.line}: the {CONTRACT} is no JSON object"
            continue
        action, reason = (one_line(clean(str(told.get(key) or ""))) for key in ("action", "reason"))
        if action and reason and isinstance(told.get("required"), bool):
            yield DeferredAction(action, reason, told["required"])
        else:
            yield f"line {block.line}: the {CONTRACT} needs action, reason and required (true or false)"
