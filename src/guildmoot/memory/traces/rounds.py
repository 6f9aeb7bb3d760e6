"""The rounds of a loop, told in the log of a run of its own; the panels that it asks are part of that run.

The folder ``.guild/runs/loop-...`` is made with the first round. A log that cannot be written never stops a loop.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from threading import Lock

from guildmoot.errors import GuildmootError
from guildmoot.guard.telemetry import CALLS, append_log
from guildmoot.runs.record import RunRecord, runs_folder

RoundEnd = Callable[[str, str], None]
"""Told how a round ended (``satisfied``, ``escalation``, ``error``), and who or what ended it."""


class LoopTrace:
    """Writes what happens in one call of a loop; without a root nothing is written."""

    def __init__(self, root: Path | None = None, target: str = "") -> None:
        self._root, self._target, self._lock = root, target, Lock()
        self.run_id = ""
        """The run that its panels are part of; empty before the first round."""

    def round(self, lane: str, number: int, cap: int, layer: str = "L3") -> RoundEnd:
        """A round begins; what is returned is called when it ends. One that fails at its cap is an escalation."""
        about = {"lane_id": lane, "loop_layer": layer, "round_number": number, "cap": cap}
        self._write("loop_round_start", about)

        def ended(how: str, by: str) -> None:
            capped = how == "error" and number >= cap
            how = "cap_hit" if capped else how
            self._write("loop_round_end", {**about, "terminated": how, "terminator": by})
            if capped:
                told = {
                    "reason": how,
                    "options_offered": ["decide"],
                    "user_choice": "not asked yet",
                }
                self._write("escalation", {"lane_id": lane, **told})

        return ended

    def gate(self, name: str, decision: str, source: str) -> None:
        """What was decided at a gate of the loop."""
        self._write("gate_decision", {"gate": name, "decision": decision, "source": source})

    def _write(self, event: str, fields: dict[str, object]) -> None:
        if self._root is None:
            return
        now = datetime.now(UTC)
        try:
            with self._lock:  # batches are proven at once
                self.run_id = self.run_id or self._begin(self._root, now)
        except (OSError, GuildmootError):
            self._root = None
            return
        ts = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        row = {"ts": ts, "event": event, "run_id": self.run_id, **fields}
        append_log(runs_folder(self._root) / self.run_id, CALLS, [row])

    def _begin(self, root: Path, now: datetime) -> str:
        name = f"loop-{now:%Y%m%d-%H%M%S}-{now.microsecond // 1000:03x}{token_hex(2)[:3]}"
        folder = runs_folder(root) / name
        folder.mkdir(parents=True)
        parent = os.environ.get("GUILD_RUN_ID", "")
        RunRecord(folder).put("loop", {"target": self._target, "parent": parent})
        return name
