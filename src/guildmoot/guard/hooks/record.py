"""What hooks leave behind: with ``GUILD_RUN_ID`` in the folder of that run, and nowhere else in a repository.

``events.ndjson`` has a line for every event, ``logs/v1.4-events.jsonl`` one for every finished call, paired by
its ``tool_use_id``, ``logs/security-events.jsonl`` one for every decision that matters. All of it is telemetry:
it is scrubbed first, and where it cannot be written the work goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.guard.telemetry import CALLS, EVENTS, PENDING, SECURITY, append_log
from guildmoot.system.files import parse_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from guildmoot.guard.hooks.events import HookEvent

SECURITY_EVENTS = frozenset((
    *("capability_scope_violation", "capability_scope_degrade", "bypass_permission_allowed"),
    *("mcp_description_mismatch", "mcp_description_unverifiable", "mcp_description_unpinned"),
    *("secret_scrub_failure", "secret_scrub_blocked", "injection_attempt_detected"),
    *("recall_quarantine", "dispatch_attribution_missing", "backend_degradation"),
    *("tier_dispatch_untiered", "harvest_promoted", "harvest_refused", "playbook_auto_replace"),
    *("wiki_cas_conflict", "harvest_reverted", "lane_wiki_write_refused"),
    *("command_denied", "command_asked", "snapshot_taken", "secret_in_output", "event_malformed"),
))  # fmt: skip
"""The closed vocabulary of ``event_type``."""
SECURITY_DECISIONS = frozenset(("ask", "deny", "allow", "pass", "blocked", "degraded"))
_MOST_TEXT = 4_096
_TAIL = 1_000_000
"""Bytes at the end of the pending calls in which a partner is looked for."""
_ROTATE = 10_000_000


class RunLog:
    """The folder of one run."""

    def __init__(self, folder: Path, event: HookEvent) -> None:
        self.folder = folder
        self._event = event
        self.warnings: list[str] = []

    def event(self, *, ok: bool, ms: int | None = None) -> None:
        """One line for the event itself."""
        event = self._event
        digest = hashlib.sha256(json.dumps(event.data, sort_keys=True).encode()).hexdigest()[:12]
        row: dict[str, object] = {
            "ts": _now(),
            "event": event.name,
            "tool": event.own_tool or None,
            "specialist": event.text("agent_type") or event.text("agent_name") or None,
            "payload_digest": digest,
            "ok": ok,
            "ms": ms,
        }
        if not event.known:
            row["unknown"] = True
        if event.name == "UserPromptSubmit":
            row["prompt"] = event.text("prompt")[:_MOST_TEXT]
        self._append(EVENTS, row)

    def began(self) -> None:
        """A call begins; its end finds it by ``tool_use_id``."""
        self._append(
            PENDING,
            {
                "run_id": self._event.run_id,
                **self._lane(),
                "tool": self._event.own_tool,
                "tool_use_id": self._event.text("tool_use_id") or None,
                "ts_pre": _now(),
                "command_redacted": _call_text(self._event),
            },
        )

    def ended(self, *, ok: bool) -> int | None:
        """A call ended: one line with how long it took. A clock that went back gives 0, never less."""
        event = self._event
        known = event.data.get("duration_ms")
        ms = int(known) if isinstance(known, int | float) and known >= 0 else self._since_began()
        self._append(
            CALLS,
            {
                "ts": _now(),
                "event": "tool_call",
                "run_id": event.run_id,
                **self._lane(),
                "tool": event.own_tool,
                **({"tool_use_id": event.text("tool_use_id")} if event.text("tool_use_id") else {}),
                "command_redacted": _call_text(event),
                "status": "ok" if ok else "err",
                "latency_ms": ms or 0,
                "result_excerpt_redacted": _cut(
                    event.data.get("tool_response", event.data.get("error", ""))
                ),
            },
        )
        return ms

    def hook(self, pages: Sequence[str] = (), status: str = "ok") -> None:
        """A line for an event that is no call; ``pages`` of the memory were told to the model."""
        self._append(
            CALLS,
            {
                "ts": _now(),
                "event": "hook_event",
                "run_id": self._event.run_id,
                **self._lane(),
                "hook_name": self._event.name,
                "payload_excerpt_redacted": _cut(dict(self._event.data)),
                "latency_ms": 0,
                "status": status,
                **({"pages": list(pages)} if pages else {}),
            },
        )

    def security(self, kind: str, decision: str, detail: str, policy: str = "") -> None:
        """One security event; words outside the vocabulary are a mistake of the caller's."""
        if kind not in SECURITY_EVENTS or decision not in SECURITY_DECISIONS:
            raise ValueError(f"{kind} / {decision} is no security event")
        row = security_row(self._event, kind, decision, detail, policy)
        self._append(SECURITY, row)

    def _lane(self) -> dict[str, object]:
        lane = self._event.env.get("GUILD_LANE_ID", "")
        return {"lane_id": lane} if lane else {}

    def _since_began(self) -> int | None:
        wanted = self._event.text("tool_use_id")
        if not wanted:
            return None
        for row in _tail(self.folder / PENDING):
            if row and row.get("tool_use_id") == wanted:
                try:
                    began = datetime.fromisoformat(str(row.get("ts_pre")))
                except ValueError:
                    return None
                return max(0, round((datetime.now(UTC) - began).total_seconds() * 1000))
        return None

    def _append(self, name: str, row: Mapping[str, object]) -> None:
        warning = append_log(self.folder, name, [row])
        if warning:
            self.warnings.append(warning)


def security_row(
    event: HookEvent, kind: str, decision: str, detail: str, policy: str = ""
) -> dict[str, object]:
    """A security event as it is kept."""
    row: dict[str, object] = {
        "schema": "guild.security_event.v1",
        "ts": _now(),
        "run_id": event.run_id or None,
        "lane_id": event.env.get("GUILD_LANE_ID") or None,
        "event_type": kind,
        "decision": decision,
        "tool": event.own_tool,
        "tool_use_id": event.text("tool_use_id") or None,
        "detail": detail[:_MOST_TEXT],
        "policy": policy or None,
        "permission_mode": event.text("permission_mode") or None,
        "host": event.env.get("GUILD_HOST_ID") or event.env.get("GUILD_HOST") or event.host,
    }
    return {name: value for name, value in row.items() if value is not None}


def find_run(event: HookEvent) -> RunLog | None:
    """The run that ``GUILD_RUN_ID`` names, where its folder exists; never through a link."""
    found = event.run_place()
    return RunLog(Path(*found), event) if found else None


def rotate(file: Path, most: int = _ROTATE) -> None:
    """A log that grew too large is put aside under the next free number; nothing is deleted."""
    try:
        if os.lstat(file).st_size < most:
            return
    except FileNotFoundError:
        return
    number = 1
    while os.path.lexists(aside := f"{file}.{number}"):
        number += 1
    os.replace(file, aside)


def is_ok(event: HookEvent) -> bool:
    """Whether the call that ended went well, as far as the host tells."""
    if event.name == "PostToolUseFailure":
        return False
    answer = event.data.get("tool_response")
    if isinstance(answer, dict):
        return answer.get("success") is not False and not answer.get("error")
    return True


def _tail(file: Path) -> list[dict[str, object] | None]:
    try:
        with open(file, "rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - _TAIL))
            return list(parse_rows(stream.read()))[::-1]
    except OSError:
        return []


def _call_text(event: HookEvent) -> str:
    return _cut(event.command or dict(event.tool_input))


def _cut(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = text.replace("\\n", "\n").replace(
        "\\t", "\t"
    )  # a name behind an escaped line end would not be seen
    if len(text) <= _MOST_TEXT:
        return text
    from guildmoot.guard.scrub import Scrubber, ScrubError

    try:  # scrubbed before it is cut: half a key is still one
        text = Scrubber().text(text[: 16 * _MOST_TEXT]).text
    except ScrubError:
        return "[not written: it could not be searched for secrets]"
    return text[:_MOST_TEXT] + f" [cut: {len(text):,} letters]"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
