"""A run as events in the words of the vocabulary, each a span with tokens and money where it has them. Pure.

What the records and the ledger know is not written a second time: these events are made when they are asked
for. Only what nobody else keeps, calls of tools and hooks, stands in the log.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime

from guildmoot.memory.traces.calls import TraceCall
from guildmoot.memory.traces.trace import RunTrace, moment
from guildmoot.memory.traces.vocabulary import event_problem

Event = dict[str, object]


def stamp(seconds: float) -> str:
    """A moment as the logs write it."""
    text = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def span_id(run_id: str, event: str, when: str, actor: str) -> str:
    """The id of a span: the same for the same thing, whenever it is asked for."""
    return hashlib.sha256(f"{run_id}|{event}|{when}|{actor}".encode()).hexdigest()[:16]


def phase_span(trace: RunTrace) -> str:
    """The span that all others of the run lie in."""
    return span_id(trace.run_id, "phase_start", stamp(trace.began), trace.phase)


def call_span(trace: RunTrace, call: TraceCall) -> str:
    """The span of one call."""
    return span_id(trace.run_id, "specialist_dispatch", stamp(call.began), call.id)


def events_of(trace: RunTrace) -> list[Event]:
    """Every event in the order in which it happened."""
    made = [*_phase(trace), *_rounds(trace)]
    for call in trace.calls:
        made += _of_call(trace, call)
    for gate in trace.gates:
        made.append(
            _event(trace, "gate_decision", gate.when, gate.gate, gate=gate.gate,
                   decision=gate.decision, source=gate.source)
        )  # fmt: skip
    for receipt in trace.receipts:
        owner, _, task = receipt.lane.partition("-")
        made.append(
            _event(trace, "specialist_receipt", receipt.when, receipt.lane, lane_id=receipt.lane,
                   specialist=owner, task_id=task or receipt.lane, receipt_path=receipt.path)
        )  # fmt: skip
    for each in trace.assumptions:
        made.append(
            _event(trace, "assumption_logged", each.when, each.text, lane_id=f"phase:{trace.phase}",
                   specialist=each.by, assumption_text=each.text)
        )  # fmt: skip
    above = phase_span(trace)
    made += [_logged(trace, row, above) for row in trace.logged if not event_problem(row)]
    return sorted(made, key=_order)


_RANKS = {
    "phase_start": -2,
    "loop_round_start": -1,
    "specialist_receipt": 1,
    "loop_round_end": 2,
    "gate_decision": 3,
    "phase_end": 4,
}
"""What comes first within one millisecond."""


def _order(event: Event) -> tuple[str, int, str]:
    name = str(event["event"])
    rank = _RANKS.get(name, 0)
    return str(event["ts"]), rank, str(event["span_id"])


def _event(trace: RunTrace, name: str, when: float, actor: str, **fields: object) -> Event:
    ts = stamp(when)
    made: Event = {"ts": ts, "event": name, "run_id": trace.run_id}
    made["span_id"] = span_id(trace.run_id, name, ts, actor)
    if name not in ("phase_start", "phase_end"):
        made["parent_span_id"] = phase_span(trace)
    return {**made, **fields}


def _phase(trace: RunTrace) -> Iterator[Event]:
    yield _event(trace, "phase_start", trace.began, trace.phase, phase=trace.phase)
    if trace.ended is not None:
        took = max(0, round((trace.ended - trace.began) * 1000))
        ended = _event(
            trace, "phase_end", trace.ended, trace.phase, phase=trace.phase, duration_ms=took,
            status=trace.status,
        )  # fmt: skip
        yield {**ended, "span_id": phase_span(trace)}


def _of_call(trace: RunTrace, call: TraceCall) -> Iterator[Event]:
    if call.kept:
        return  # nothing was asked: the answer of an earlier run stands
    lane = f"phase:{trace.phase}"
    who = {"lane_id": lane, "specialist": call.specialist, "task_id": call.id}
    more: Event = {"attribution_specialist": call.specialist}
    more.update({name: word for name, word in (("tier", call.tier), ("model", call.model)) if word})
    told = f"{trace.target}, round {call.round}, attempt {call.attempt + 1}"
    yield _event(
        trace, "specialist_dispatch", call.began, call.id, **who, prompt_excerpt=told, **more
    )
    if call.ended is None:
        return
    if call.is_tool:
        took = max(0, round((call.ended - call.began) * 1000))
        said = f"exit code {call.exit_code}" if call.exit_code is not None else call.status
        ran = _event(
            trace, "tool_call", call.ended, call.id, lane_id=lane, tool="Bash", command_redacted=call.seat,
            status="ok" if call.status == "answered" else "err", latency_ms=took,
            result_excerpt_redacted=said,
        )  # fmt: skip
        yield {**ran, "parent_span_id": call_span(trace, call)}
    path = f".guild/runs/{trace.run_id}/replies.json"
    got = _event(
        trace, "specialist_receipt", call.ended, call.id, **who, receipt_path=path, **more,
        status=call.status,
    )  # fmt: skip
    tokens = _tokens(call)
    yield {
        **got,
        **({"tokens": tokens} if tokens else {}),
        "parent_span_id": call_span(trace, call),
    }


def _tokens(call: TraceCall) -> Event:
    if call.is_tool or call.usage is None:
        return {}
    used = call.usage
    tokens: Event = {"input": used.input_tokens, "output": used.output_tokens}
    tokens["cached"] = used.cache_read_tokens
    return {**tokens, "cost_usd": "unknown" if call.usd is None else call.usd}


def _rounds(trace: RunTrace) -> Iterator[Event]:
    """The rounds of a debate, where judges were asked more than once."""
    own = [call for call in trace.calls if not call.kept]
    rounds = sorted({call.round for call in own})
    if len(rounds) < 2:
        return
    cap = len(rounds)
    for number, which in enumerate(rounds, 1):
        calls = [call for call in own if call.round == which]
        about = {"lane_id": f"phase:{trace.phase}", "loop_layer": "debate", "round_number": number}
        actor = f"round {number}"
        first = min(call.began for call in calls)
        yield _event(trace, "loop_round_start", first, actor, **about, cap=cap)
        ends = [call.ended for call in calls if call.ended is not None]
        if len(ends) == len(calls):
            failed = all(call.status != "answered" for call in calls)
            yield _event(
                trace, "loop_round_end", max(ends), actor, **about, cap=cap,
                terminated="error" if failed else "satisfied", terminator="program",
            )  # fmt: skip


def _logged(trace: RunTrace, row: Event, above: str) -> Event:
    when, name = stamp(moment(row.get("ts"))), str(row["event"])
    actor = str(row.get("tool_use_id") or row.get("hook_name") or "")
    found = span_id(trace.run_id, name, when, actor)
    return {"span_id": found, "parent_span_id": above, **row, "ts": when}
