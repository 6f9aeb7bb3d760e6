"""A run on one page of Markdown, from its events alone: the same events give the same bytes. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from guildmoot.memory.traces.events import Event, stamp
from guildmoot.memory.traces.trace import RunTrace
from guildmoot.text.clean import one_line

_SHOWN = 200
"""Lines of the timeline."""
_WRITES = ("Write", "Edit", "NotebookEdit")


def summary_text(trace: RunTrace, events: Sequence[Event]) -> str:
    """The page."""
    ended = _all(events, "tool_call")
    bad = [row for row in events if _is_error(row)]
    checked = [row for row in events if "status" in row]
    end = trace.ended if trace.ended is not None else None
    front = {
        "run_id": trace.run_id,
        "started_at": stamp(trace.began),
        "ended_at": stamp(end) if end is not None else "unknown",
        "duration_ms": max(0, round((end - trace.began) * 1000)) if end is not None else "unknown",
        "event_count": len(events),
        "specialists_dispatched": len({row["specialist"] for row in _all(events, "specialist_dispatch")}),
        "tools_used": len({row["tool"] for row in ended}),
        "files_touched_count": len({row["command_redacted"] for row in ended if row["tool"] in _WRITES}),
        "errors": len(bad),
        "ok_rate": f"{1 - len(bad) / len(checked):.3f}" if checked else "unknown",
    }  # fmt: skip
    rows = ["---", *(f"{name}: {value}" for name, value in front.items()), "---", ""]
    rows += [f"# {trace.kind} {_word(trace.target)}", ""]
    sections = {
        "Timeline": _timeline(events),
        "Phases": _phases(events),
        "Specialist activity": _specialists(events),
        "Loop rounds": _rounds(events),
        "Gates": (
            f"- {row['gate']}: {_word(row['decision'])} ({_word(row['source'])})"
            for row in _all(events, "gate_decision")
        ),
        "Tools": _latencies(ended, "tool"),
        "Hooks": _latencies(_all(events, "hook_event"), "hook_name"),
        "Escalations": (f"- {row['reason']}" for row in _all(events, "escalation")),
        "Assumptions": (
            f"- {_word(row['assumption_text'])}" for row in _all(events, "assumption_logged")
        ),
        "Notable events": _notable(trace, events, bad),
        "Reflection hints": _hints(trace, events),
    }
    for title, lines in sections.items():
        rows += [f"## {title}", "", *(list(lines) or ["- none"]), ""]
    return "\n".join(rows)


def _all(events: Iterable[Event], name: str) -> list[Event]:
    return [row for row in events if row["event"] == name]


def _word(value: object) -> str:
    """Text of others in one line of Markdown."""
    text = one_line(str(value)).replace("`", "'").replace("<", "&lt;").replace("|", "/")
    return text if len(text) <= 120 else f"{text[:119]}…"


def _is_error(row: Event) -> bool:
    return str(row.get("status", "ok")) not in ("ok", "n/a", "answered")


def _timeline(events: Sequence[Event]) -> Iterator[str]:
    for row in events[:_SHOWN]:
        keys = ("specialist", "tool", "hook_name", "gate", "phase", "round_number")
        what = next((_word(row[key]) for key in keys if key in row), "")
        yield f"- {row['ts']} {row['event']} {what}".rstrip()
    if len(events) > _SHOWN:
        yield f"- and {len(events) - _SHOWN:,} more"


def _phases(events: Sequence[Event]) -> Iterator[str]:
    ended = {str(row["span_id"]): row for row in _all(events, "phase_end")}
    for row in _all(events, "phase_start"):
        end = ended.get(str(row["span_id"]))
        said = f"{end['status']}, {end['duration_ms']} ms" if end else "not ended"
        yield f"- {row['phase']}: {said}"


def _specialists(events: Sequence[Event]) -> Iterator[str]:
    asked = Counter(str(row["specialist"]) for row in _all(events, "specialist_dispatch"))
    got = _all(events, "specialist_receipt")
    for name in sorted({*asked, *(str(row["specialist"]) for row in got)}):
        own = [row for row in got if row["specialist"] == name]
        words = Counter(str(row.get("status", "handed over")) for row in own)
        said = ", ".join(f"{count} {word}" for word, count in sorted(words.items()))
        yield f"- {_word(name)}: {asked[name]} dispatched, {said or 'no receipt'}"


def _rounds(events: Sequence[Event]) -> Iterator[str]:
    for row in _all(events, "loop_round_end"):
        yield (
            f"- {row['lane_id']} {row['loop_layer']} {row['round_number']} of {row['cap']}:"
            f" {row['terminated']}"
        )


def _latencies(rows: Sequence[Event], key: str) -> Iterator[str]:
    for name in sorted({str(row[key]) for row in rows}):
        own = [row for row in rows if row[key] == name]
        times = sorted(int(str(row["latency_ms"])) for row in own)
        failed = sum(map(_is_error, own))
        yield (
            f"- {_word(name)}: {len(own)} times, {failed} failed, p50 {_rank(times, 0.5)} ms,"
            f" p99 {_rank(times, 0.99)} ms"
        )


def _rank(times: Sequence[int], share: float) -> int:
    """The nearest rank."""
    return times[max(0, math.ceil(share * len(times)) - 1)]


def _notable(trace: RunTrace, events: Sequence[Event], bad: Sequence[Event]) -> Iterator[str]:
    told = [row["pages"] for row in events if isinstance(row.get("pages"), list)]
    pages = sorted({str(page) for each in told if isinstance(each, list) for page in each})
    if pages:
        yield f"- pages of the memory that the session was told: {_word(', '.join(pages))}"
    if trace.damaged:
        yield f"- {trace.damaged} lines of the log cannot be read"
    kept = [call for call in trace.calls if call.kept]
    if kept:
        yield f"- {len(kept)} answers of earlier runs were used again"
    for row in bad[:20]:
        what = row.get("specialist") or row.get("tool") or row.get("hook_name") or row.get("phase")
        yield f"- {row['ts']} {row['event']} {_word(what)}: {_word(row['status'])}"


def _hints(trace: RunTrace, events: Sequence[Event]) -> Iterator[str]:
    unpriced = sum(call.usd is None for call in trace.calls)
    if unpriced:
        yield f"- {unpriced} calls have no known price: give it under [prices]"
    open_ = {str(row["task_id"]) for row in _all(events, "specialist_dispatch")}
    open_ -= {str(row["task_id"]) for row in _all(events, "specialist_receipt")}
    if open_:
        yield f"- {len(open_)} specialists never answered"
    failing = Counter(str(row["tool"]) for row in _all(events, "tool_call") if _is_error(row))
    for name, count in sorted(failing.items()):
        if count > 2:
            yield f"- {_word(name)} failed {count} times"
