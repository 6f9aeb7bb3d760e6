"""OpenAI's Responses. Its cache is automatic: all it needs is the same beginning, in the same place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guildmoot.backends.http.dialects.base import (
    TOOL_CALL,
    Dialect,
    Json,
    LookPart,
    Piece,
    cache_key,
    named_schema,
    number,
    texts,
)
from guildmoot.backends.http.wire import CompletionRequest
from guildmoot.backends.looks import TOOLS
from guildmoot.model.call import FileLook, Usage


def _headers(request: CompletionRequest) -> dict[str, str]:
    return {"authorization": f"Bearer {request.key}"}


def _body(request: CompletionRequest) -> Json:
    content = [{"type": "input_text", "text": text} for text in texts(request)]
    return {
        "model": request.model,
        "max_output_tokens": request.max_tokens,
        "stream": True,
        "store": False,
        "input": [{"role": "user", "content": content}, *_shown(request)],
        **cache_key(request),
        **({"reasoning": {"effort": request.effort}} if request.effort else {}),
        **_form(request),
        **_tools(request),
    }


def _tools(request: CompletionRequest) -> Json:
    if not request.has_tools:
        return {}
    named = [{"type": "function", "strict": False, **tool} for tool in TOOLS]
    return {"tools": named, **({} if request.looks_left else {"tool_choice": "none"})}


def _shown(request: CompletionRequest) -> list[Json]:
    """What was asked for and shown, as items; without their ids, which name what the provider did not keep."""
    items: list[Json] = []
    for said, looks in request.looks:
        if said:
            text = [{"type": "output_text", "text": said}]
            items.append({"type": "message", "role": "assistant", "content": text})
        items += [
            {"type": "function_call", "call_id": x.id, "name": x.name, "arguments": x.arguments}
            for x in looks
        ]
        items += [
            {"type": "function_call_output", "call_id": x.id, "output": x.shown} for x in looks
        ]
    return items


def _form(request: CompletionRequest) -> Json:
    if request.schema is None:
        return {}
    return {"text": {"format": {"type": "json_schema", **named_schema(request)}}}


def _read(event: Json) -> Piece:
    match event.get("type"):
        case "response.output_text.delta":
            return Piece(text=event.get("delta") or "")
        case "response.refusal.delta" | "response.refusal.done":
            return Piece(text=event.get("delta") or "", refused="the model refused to answer")
        case "response.completed" | "response.incomplete":
            return _ended(event["type"].partition(".")[2], event.get("response") or {})
        case "response.failed":
            return Piece(error=(event.get("response") or {}).get("error") or {})
        case "error":
            return Piece(error=event.get("error") or event)
    return Piece()


def _ended(end: str, response: Json) -> Piece:
    why = (response.get("incomplete_details") or {}).get("reason") or ""
    items = response.get("output") or ()
    called = any(str(item.get("type")).endswith("_call") for item in items)
    states = (response.get("status"), *(item.get("status") for item in items), end)
    state = next((state for state in states if state not in (None, "completed")), "completed")
    refused = "a content filter stopped the answer" if why == "content_filter" else ""
    return Piece(
        usage=response.get("usage") or {},
        model=response.get("model") or "",
        refused=refused,
        stop=why or (TOOL_CALL if called else state),
        end=True,
        looks=tuple(_look(at, item) for at, item in enumerate(items) if _is_ours(item)),
    )


def _is_ours(item: Json) -> bool:
    return item.get("type") == "function_call"


def _look(at: int, item: Json) -> LookPart:
    return LookPart(
        at, FileLook(*(str(item.get(key) or "") for key in ("name", "arguments", "call_id")))
    )


def _usage(counts: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=number(counts, "input_tokens"),
        output_tokens=number(counts, "output_tokens"),
        cache_read_tokens=number(counts, "input_tokens_details", "cached_tokens"),
        cache_write_tokens=number(counts, "input_tokens_details", "cache_write_tokens"),
    )


DIALECT = Dialect(lambda request: "/responses", _headers, _body, _read, _usage)
