"""What a loop remembers beside its records: whether a gate was closed, and what was seen of items that it left out.
It holds nothing that is ever run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.system.files import append_rows, read_own, read_rows, write_atomic

if TYPE_CHECKING:
    from guildmoot.loops.values import CommandResult, Quarantine

_MOST = 50
"""Commands whose time is remembered."""


class LoopState:
    """One phase's gate, closed until a person opens it."""

    def __init__(self, root: Path, key: str) -> None:
        self._file = root / ".guild" / "loops" / f"{key}.gate.json"
        self._times = root / ".guild" / "loops" / "seconds.json"
        self._seen = root / ".guild" / "loops" / f"{key}.evidence.jsonl"

    @property
    def closed(self) -> str:
        """Why the gate was closed; empty when it is open."""
        try:
            held = json.loads(read_own(self._file) or b"{}")
        except ValueError:
            return ""
        return str(held.get("reason") or "") if isinstance(held, dict) else ""

    def close_gate(self, status: str, reason: str) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"schema_version": 1, "status": status, "reason": reason})
        write_atomic(self._file, text.encode())

    def open_gate(self) -> None:
        self._file.unlink(missing_ok=True)

    def keep_seconds(self, results: Iterable[CommandResult]) -> None:
        """How long each command of the verification took, for the estimate of a later loop."""
        took = {**self._took(), **{each.command: each.seconds for each in results}}
        write_atomic(self._times, json.dumps(dict(list(took.items())[-_MOST:])).encode())

    def seconds(self, verify: Sequence[str]) -> float | None:
        """How long the verification took when it was last run; None when not all of it was."""
        took = self._took()
        return sum(took[each] for each in verify) if took.keys() >= set(verify) else None

    def _took(self) -> dict[str, float]:
        try:
            held = json.loads(read_own(self._times) or b"{}")
            return {str(name): max(0.0, float(took)) for name, took in held.items()}
        except (ValueError, TypeError, AttributeError):
            return {}

    def keep_evidence(self, left_out: Iterable[Quarantine]) -> None:
        """What showed that an item cannot be changed; kept before the item is marked."""
        rows: list[dict[str, object]] = [
            {"item": each.item, "evidence": each.evidence} for each in left_out
        ]
        if rows:
            append_rows(self._seen, rows)

    def evidence(self) -> dict[str, str]:
        """The last that was seen, by item."""
        rows = filter(None, read_rows(self._seen))
        return {str(row.get("item")): str(row.get("evidence", "")) for row in rows}
