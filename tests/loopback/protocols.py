"""The four protocols from the provider's side: reading requests, writing replies. No I/O."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .rules import Bill, Request, Rule

Json = dict[str, Any]
ANSWER_TOOL = "StructuredOutput"


def protocol_of(path: str) -> str:
    """Which protocol a path belongs to; empty for none."""
    path = path.split("?")[0]
    if path.endswith("/messages"):
        return "anthropic"
    if path.endswith("/responses"):
        return "responses"
    if path.endswith("/chat/completions"):
        return "chat"
    return "gemini" if "enerateContent" in path else ""


def read_request(protocol: str, path: str, headers: Mapping[str, str], body: Json) -> Request:
    """A request in the words of the rules."""
    blocks = _blocks(protocol, body)
    marks = [at for at, block in enumerate(blocks, 1) if block.get("cache_control")]
    model = body.get("model") or path.rpartition("/")[2].partition(":")[0]
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    key = headers.get("x-api-key") or headers.get("x-goog-api-key") or bearer
    stream = bool(body.get("stream")) or "streamGenerateContent" in path
    texts = tuple(str(block.get("text", "")) for block in blocks)
    return Request(protocol, model, key, texts, tuple(marks), stream, body)


def _blocks(protocol: str, body: Json) -> list[Json]:
    if protocol == "gemini":
        contents = [body.get("systemInstruction") or {}, *body.get("contents", [])]
        return [part for content in contents for part in content.get("parts", [])]
    turns = [{"content": body.get("system") or body.get("instructions") or ""}]
    given = body.get("input") if protocol == "responses" else body.get("messages")
    turns += [{"content": given}] if isinstance(given, str) else given or []
    return [block for turn in turns for block in _content(turn.get("content") or "")]


def _content(content: str | list[Json]) -> list[Json]:
    return content if isinstance(content, list) else [{"text": content}] if content else []


def error_body(protocol: str, status: int, message: str) -> Json:
    """An error as the vendor writes it."""
    kinds = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
    kind = kinds.get(status, "api_error" if status >= 500 else "invalid_request_error")
    if protocol == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}}
    if protocol == "gemini":
        return {"error": {"code": status, "message": message, "status": kind.upper()}}
    return {"error": {"message": message, "type": kind, "code": None, "param": None}}


def events(request: Request, rule: Rule, bill: Bill) -> list[bytes]:
    """A reply as server-sent events."""
    writers = {"anthropic": _anthropic, "responses": _responses, "chat": _chat, "gemini": _gemini}
    found = writers[request.protocol](request, rule, bill)
    if rule.error_in_stream:
        kind, half = rule.error_in_stream, found[: max(1, len(found) // 2)]
        error = {"type": "error", "error": {"type": kind, "message": kind}}
        found = [*half, {"error": error["error"]} if request.protocol == "chat" else error]
    lines = [_event(request.protocol, each) for each in found]
    return [*lines, b"data: [DONE]\n\n"] if request.protocol == "chat" else lines


def whole(request: Request, rule: Rule, bill: Bill) -> Json:
    """A reply as one JSON object, for clients that do not stream."""
    if request.protocol == "anthropic":
        message = _anthropic_message(request, bill)
        return {
            **message,
            "content": [{"type": "text", "text": rule.text}],
            "stop_reason": "end_turn",
        }
    if request.protocol == "responses":
        return _response(request, rule, bill, "completed")
    if request.protocol == "chat":
        choice = {"index": 0, "message": {"role": "assistant", "content": rule.text}}
        choices = [{**choice, "finish_reason": "stop"}]
        return {
            **_chat_base(request, "chat.completion"),
            "choices": choices,
            "usage": _openai(bill),
        }
    return _gemini(request, rule, bill)[-1] | {
        "candidates": [_candidate(rule.text, "STOP")],
    }


def _event(protocol: str, event: Json) -> bytes:
    name = f"event: {event['type']}\n" if protocol in ("anthropic", "responses") else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


def _halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def _stop(rule: Rule, cut: str, whole: str) -> str | None:
    """Why the model stopped: as the rule says, else because it was cut or at its own end."""
    if rule.stop is not None:
        return rule.stop or None
    return cut if rule.length else whole


def _anthropic_message(request: Request, bill: Bill) -> Json:
    usage = {
        "input_tokens": bill.fresh,
        "cache_creation_input_tokens": bill.written,
        "cache_read_input_tokens": bill.read,
        "output_tokens": bill.output,
    }
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }


def _answers_by_tool(request: Request, rule: Rule) -> bool:
    """Claude Code holds a model to a schema with a tool; a model that answers in JSON calls it."""
    tools = [tool.get("name") for tool in request.body.get("tools", [])]
    return ANSWER_TOOL in tools and rule.text.startswith("{")


def _anthropic(request: Request, rule: Rule, bill: Bill) -> list[Json]:
    start = _anthropic_message(request, bill._replace(output=1))
    stop = _stop(rule, "max_tokens", "refusal" if rule.refuse else "end_turn")
    block: Json = {"type": "text", "text": ""}
    deltas = [{"type": "text_delta", "text": half} for half in _halves(rule.text) if half]
    name, arguments = rule.use or (ANSWER_TOOL, {})
    if rule.use or _answers_by_tool(request, rule):
        stop = "tool_use"
        said = json.dumps(arguments) if rule.use else rule.text
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": x} for x in _halves(said)]
    return [
        {"type": "message_start", "message": start},
        {"type": "ping"},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": bill.output},
        },
        {"type": "message_stop"},
    ]


def _response(request: Request, rule: Rule, bill: Bill, status: str) -> Json:
    usage = {
        "input_tokens": bill.input,
        "input_tokens_details": {"cached_tokens": bill.read},
        "output_tokens": bill.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": bill.input + bill.output,
    }
    part = {"type": "output_text", "text": rule.text, "annotations": []}
    item = {
        "id": "item_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    if rule.use:
        name, arguments = rule.use
        called = {"call_id": "call_1", "name": name, "arguments": json.dumps(arguments)}
        item = {"id": "item_1", "type": "function_call", "status": "completed", **called}
    done = status != "in_progress"
    why = _stop(rule, "max_output_tokens", "")
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": request.model,
        "status": status,
        "error": None,
        "output": [item] if done else [],
        "tools": [],
        "incomplete_details": {"reason": why} if why and done else None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "top_p": 1.0,
        "usage": usage if done else None,
    }


def _responses(request: Request, rule: Rule, bill: Bill) -> list[Json]:
    kind = "refusal" if rule.refuse else "output_text"
    at = {"item_id": "item_1", "output_index": 0, "content_index": 0}
    part = {"type": kind, kind.removeprefix("output_"): "", "annotations": []}
    item = {
        "id": "item_1",
        "type": "message",
        "role": "assistant",
        "status": "in_progress",
        "content": [],
    }
    end = "incomplete" if rule.length or rule.stop is not None else "completed"
    if rule.use:
        whole = _response(request, rule, bill, end)
        done = {"type": "response.output_item.done", "output_index": 0, "item": whole["output"][0]}
        return [
            {"type": "response.created", "response": _response(request, rule, bill, "in_progress")},
            done,
            {"type": "response.completed", "response": whole},
        ]
    found = [
        {"type": "response.created", "response": _response(request, rule, bill, "in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", "part": part, **at},
        *(
            {"type": f"response.{kind}.delta", "delta": half, "logprobs": [], **at}
            for half in _halves(rule.text)
            if half
        ),
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": _response(request, rule, bill, end)["output"][0],
        },
        {"type": f"response.{end}", "response": _response(request, rule, bill, end)},
    ]
    return [{**each, "sequence_number": number} for number, each in enumerate(found)]


def _openai(bill: Bill) -> Json:
    return {
        "prompt_tokens": bill.input,
        "completion_tokens": bill.output,
        "total_tokens": bill.input + bill.output,
        "prompt_tokens_details": {"cached_tokens": bill.read},
    }


def _chat_base(request: Request, kind: str) -> Json:
    return {"id": "chat_1", "object": kind, "created": 1, "model": request.model}


def _chat(request: Request, rule: Rule, bill: Bill) -> list[Json]:
    base = _chat_base(request, "chat.completion.chunk")
    said = "refusal" if rule.refuse else "content"

    def chunk(delta: Json, reason: str | None = None) -> Json:
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    if rule.use:
        name, arguments = rule.use
        first, second = _halves(json.dumps(arguments))
        called = {"index": 0, "id": "call_1", "type": "function"}
        pieces = ({"name": name, "arguments": first}, {"arguments": second})
        return [
            chunk({"role": "assistant", "content": None}),
            chunk({"tool_calls": [{**called, "function": pieces[0]}]}),
            chunk({"tool_calls": [{"index": 0, "function": pieces[1]}]}),
            chunk({}, "tool_calls"),
            {**base, "choices": [], "usage": _openai(bill)},
        ]
    return [
        chunk({"role": "assistant", "content": ""}),
        *(chunk({said: half}) for half in _halves(rule.text) if half),
        chunk({}, _stop(rule, "length", "stop")),
        {**base, "choices": [], "usage": _openai(bill)},
    ]


def _candidate(text: str, reason: str = "") -> Json:
    content = {"role": "model", "parts": [{"text": text}] if text else []}
    return {"content": content, "index": 0, **({"finishReason": reason} if reason else {})}


def _gemini(request: Request, rule: Rule, bill: Bill) -> list[Json]:
    usage = {
        "promptTokenCount": bill.input,
        "candidatesTokenCount": bill.output,
        "totalTokenCount": bill.input + bill.output,
        "cachedContentTokenCount": bill.read,
    }
    base = {"modelVersion": request.model, "responseId": "r_1"}
    if rule.refuse:
        blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
        return [{**base, **blocked, "usageMetadata": usage}]
    if rule.use:
        call = {"name": rule.use[0], "args": rule.use[1]}
        content = {"role": "model", "parts": [{"functionCall": call, "thoughtSignature": "s1"}]}
        candidate = {"content": content, "index": 0, "finishReason": "STOP"}
        return [{**base, "candidates": [candidate], "usageMetadata": usage}]
    first, second = _halves(rule.text)
    reason = _stop(rule, "MAX_TOKENS", "STOP") or ""
    return [
        {**base, "candidates": [_candidate(first)]},
        {**base, "candidates": [_candidate(second, reason)], "usageMetadata": usage},
    ]
