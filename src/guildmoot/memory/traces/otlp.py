"""A run as OpenTelemetry spans: OTLP JSON in the words of the GenAI conventions (1.41).

Built by hand: the form is small, and nothing is sent anywhere unless an address is given.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote, urlsplit

from guildmoot.backends import traits_of
from guildmoot.backends.providers import is_loopback
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.memory.traces.calls import TraceCall
from guildmoot.memory.traces.events import Event, call_span, phase_span
from guildmoot.memory.traces.trace import RunTrace, moment
from guildmoot.version import __version__

_INTERNAL, _CLIENT = 1, 3
_OK, _ERROR = 1, 2
_SECONDS = 20.0
_PROVIDERS = {"google": "gcp.gemini", "bedrock": "aws.bedrock", "mistral": "mistral_ai"}
HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"
"""What the collector wants to be told, ``name=value`` with commas between, as OpenTelemetry has it."""


def otlp_document(told: Sequence[tuple[RunTrace, Sequence[Event]]]) -> dict[str, object]:
    """The document of a run, which comes first, and of those that are part of it. Pure."""
    number = hashlib.sha256(told[0][0].run_id.encode()).hexdigest()[:32]
    above = {trace.run_id: phase_span(trace) for trace, _ in told}
    spans = [
        {"traceId": number, **span}
        for trace, events in told
        for span in _spans(trace, events, above.get(trace.parent, ""))
    ]
    resource = {"service.name": "guildmoot", "service.version": __version__}
    scope = {"name": "guildmoot.traces", "version": __version__}
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(resource)},
                "scopeSpans": [{"scope": scope, "spans": spans}],
            }
        ]
    }


def _spans(trace: RunTrace, events: Sequence[Event], parent: str) -> Iterator[dict[str, object]]:
    last = max((moment(row["ts"]) for row in events), default=trace.began)
    facts = {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": trace.kind,
        "guild.run_id": trace.run_id,
        "guild.phase": trace.phase,
        "guild.target": trace.target,
        "guild.state": trace.state,
    }
    whole = _span(
        phase_span(trace), parent, f"invoke_workflow {trace.kind}", _INTERNAL, trace.began,
        trace.ended if trace.ended is not None else last, facts, failed=trace.status == "error",
    )  # fmt: skip
    gates = [
        {
            "timeUnixNano": _nanos(gate.when),
            "name": "gate_decision",
            "attributes": _attributes({"gate": gate.gate, "decision": gate.decision, "source": gate.source}),
        }
        for gate in trace.gates
    ]  # fmt: skip
    yield {**whole, "events": gates}
    for call in trace.calls:
        if not call.kept:
            yield _call_span(trace, call)
    for row in events:
        if row["event"] == "tool_call" and "tool_use_id" in row:
            yield _tool_span(trace, row)


def _call_span(trace: RunTrace, call: TraceCall) -> dict[str, object]:
    facts: dict[str, object] = {
        "gen_ai.agent.name": call.specialist,
        "gen_ai.conversation.id": trace.run_id,
        "guild.tier": call.tier,
        "guild.round": call.round,
        "guild.attempt": call.attempt,
    }
    failed = call.status != "answered"
    if failed:
        facts["error.type"] = call.status
    end = call.ended if call.ended is not None else call.began
    if call.is_tool:
        facts |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call.seat}
        facts["gen_ai.tool.type"] = "function"
        name, kind = f"execute_tool {call.seat}", _INTERNAL
    else:
        provider, model = _model(call)
        facts |= {"gen_ai.operation.name": "chat", "gen_ai.provider.name": provider}
        facts |= {"gen_ai.request.model": model, "gen_ai.response.model": call.model}
        name, kind = f"chat {model}".strip(), _CLIENT
        if call.usage:
            facts["gen_ai.usage.input_tokens"] = call.usage.input_tokens
            facts["gen_ai.usage.output_tokens"] = call.usage.output_tokens
            facts["gen_ai.usage.cache_read.input_tokens"] = call.usage.cache_read_tokens
            facts["gen_ai.usage.cache_creation.input_tokens"] = call.usage.cache_write_tokens
        facts["guild.cost_usd"] = "unknown" if call.usd is None else call.usd
    span = call_span(trace, call)
    return _span(span, phase_span(trace), name, kind, call.began, end, facts, failed=failed)


def _tool_span(trace: RunTrace, row: Event) -> dict[str, object]:
    """A call that a coding agent made; the log has the moment when it ended."""
    end = moment(row["ts"])
    facts = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": row["tool"],
        "gen_ai.tool.call.id": row["tool_use_id"],
        "guild.command": row["command_redacted"],
        "guild.lane": row.get("lane_id", ""),
    }
    return _span(
        str(row["span_id"]), phase_span(trace), f"execute_tool {row['tool']}", _INTERNAL,
        end - int(str(row["latency_ms"])) / 1000, end, facts, failed=row["status"] == "err",
    )  # fmt: skip


def _model(call: TraceCall) -> tuple[str, str]:
    provider, colon, model = call.requested.partition(":")
    if not colon:
        provider, model = traits_of(call.backend).provider or call.backend, call.requested
    return _PROVIDERS.get(provider, provider), model


def _span(
    span: str, parent: str, name: str, kind: int, begin: float, end: float,
    facts: Mapping[str, object], *, failed: bool,
) -> dict[str, object]:  # fmt: skip
    return {
        "spanId": span,
        **({"parentSpanId": parent} if parent else {}),
        "name": name,
        "kind": kind,
        "startTimeUnixNano": _nanos(begin),
        "endTimeUnixNano": _nanos(max(begin, end)),
        "attributes": _attributes(facts),
        "status": {"code": _ERROR if failed else _OK},
    }


def _nanos(seconds: float) -> str:
    return str(max(0, round(seconds * 1_000_000)) * 1000)


def _attributes(facts: Mapping[str, object]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for key, value in facts.items():
        if value in ("", None):
            continue
        kept: dict[str, object] = {"stringValue": str(value)}
        if isinstance(value, int):
            kept = {"intValue": str(value)}
        elif isinstance(value, float):
            kept = {"doubleValue": value}
        found.append({"key": key, "value": kept})
    return found


def check_collector(url: str) -> str:
    """The address that spans are sent to; UsageError for one that others could listen to.

    A bare address gets the path of the standard, ``/v1/traces``.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not host or parts.username or parts.password:
        raise UsageError(
            f"{url!r} is no http or https address without a password", f"A key goes into {HEADERS}."
        )
    if parts.scheme == "http" and not is_loopback(host):
        raise UsageError(
            f"{url} is not encrypted and not on this machine", "Use https, or an address on loopback."
        )  # fmt: skip
    return url if parts.path.strip("/") else f"{url.rstrip('/')}/v1/traces"


def send_spans(url: str, document: Mapping[str, object]) -> None:
    """Send the document to a collector; InfrastructureError when it is not taken."""
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return None  # a collector that sends us elsewhere is not believed

    where = check_collector(url)
    headers = {"Content-Type": "application/json", "User-Agent": "guildmoot", **_own_headers()}
    body = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    request = Request(where, body, headers)  # noqa: S310 - its kind was checked
    handlers = (Stay, ProxyHandler({})) if is_loopback(urlsplit(where).hostname or "") else (Stay,)
    try:
        with build_opener(*handlers).open(request, timeout=_SECONDS) as reply:
            reply.read(1 << 16)
    except HTTPError as wrong:
        raise InfrastructureError(f"{where} did not take the spans: HTTP {wrong.code}") from wrong
    except (URLError, HTTPException, OSError) as wrong:
        raise InfrastructureError(
            f"{where} could not be reached: {getattr(wrong, 'reason', wrong)}",
            "--otlp FILE writes the same document to a file.",
        ) from wrong


def _own_headers() -> dict[str, str]:
    pairs = (each.partition("=") for each in os.environ.get(HEADERS, "").split(",") if "=" in each)
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}
