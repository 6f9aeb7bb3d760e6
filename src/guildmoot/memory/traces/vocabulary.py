"""The closed vocabulary of events: which fields each has, and what may stand in them. Pure.

``loop_layer`` also knows ``debate``, the rounds of judges among themselves. The name of a tool is open, because
every host brings its own.
"""

from __future__ import annotations

from collections.abc import Mapping

PHASES = (
    *("brainstorm", "team-compose", "plan", "context", "execute", "review", "verify", "reflect"),
)
_ROUND = ("lane_id", "loop_layer", "round_number", "cap")
FIELDS: dict[str, tuple[str, ...]] = {
    "phase_start": ("phase",),
    "phase_end": ("phase", "duration_ms", "status"),
    "specialist_dispatch": ("lane_id", "specialist", "task_id", "prompt_excerpt"),
    "specialist_receipt": ("lane_id", "specialist", "task_id", "receipt_path"),
    "loop_round_start": _ROUND,
    "loop_round_end": (*_ROUND, "terminated", "terminator"),
    "tool_call": ("tool", "command_redacted", "status", "latency_ms", "result_excerpt_redacted"),
    "hook_event": ("hook_name", "payload_excerpt_redacted", "latency_ms", "status"),
    "gate_decision": ("gate", "decision", "source"),
    "assumption_logged": ("lane_id", "specialist", "assumption_text"),
    "escalation": ("reason", "options_offered", "user_choice"),
    "codex_review_round": ("gate", "round_number", "terminated_by_satisfied"),
}
"""Every event, and the fields it always has."""
_ENVELOPE = ("ts", "event", "run_id")
_NUMBERS = ("duration_ms", "latency_ms", "round_number", "cap")
_WORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("phase_start", "phase"): PHASES,
    ("phase_end", "phase"): PHASES,
    ("phase_end", "status"): ("ok", "error", "escalated"),
    ("tool_call", "status"): ("ok", "err", "n/a"),
    ("hook_event", "status"): ("ok", "err"),
    ("escalation", "reason"): ("cap_hit", "malformed_termination_x2", "restart_cap_hit"),
    ("loop_round_end", "terminated"): (
        *("satisfied", "malformed_termination", "cap_hit", "escalation", "error"),
    ),
    **{
        (event, "loop_layer"): ("L1", "L2", "L3", "L4", "security-review", "debate")
        for event in ("loop_round_start", "loop_round_end")
    },
}


def event_problem(row: Mapping[str, object]) -> str:
    """Why a line is no event; empty when it is one."""
    name = row.get("event")
    if not isinstance(name, str) or name not in FIELDS:
        return f"there is no event {name!r}"
    wanted = (*_ENVELOPE, *FIELDS[name])
    missing = [field for field in wanted if field not in row]
    if missing:
        return f"{name} lacks {', '.join(missing)}"
    empty = [field for field, value in row.items() if value is None]
    if empty:
        return f"{name}: {empty[0]} is null; what is not known is left out"
    for field in _NUMBERS:
        value = row.get(field, 0)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            return f"{name}: {field} is {value!r}, no number"
    for (event, field), words in _WORDS.items():
        if event == name and row[field] not in words:
            return f"{name}: {field} is {row[field]!r}, none of {', '.join(words)}"
    return ""
