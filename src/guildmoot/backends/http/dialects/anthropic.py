"""Anthropic's Messages. The shared part ends in a cache breakpoint: later seats read it from there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guildmoot.backends.http.dialects.base import (
    TOOL_CALL,
    Dialect,
    Json,
    LookPart,
    Piece,
    number,
)
from guildmoot.backends.http.wire import CompletionRequest
from guildmoot.backends.looks import TOOLS, arguments
from guildmoot.model.call import FileLook, Usage


def _headers(request: CompletionRequest) -> dict[str, str]:
    return {"x-api-key": request.key, "anthropic-version": "2023-06-01"}


def _body(request: CompletionRequest) -> Json:
    content: list[Json] = []
    if request.shared:
        breakpoint_ = {"type": "ephemeral"}
        content.append({"type": "text", "text": request.shared, "cache_control": breakpoint_})
    if request.own:
        content.append({"type": "text", "text": request.own})
    return {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "stream": True,
        "messages": [{"role": "user", "content": content}, *_shown(request)],
        **_form(request),
        **_tools(request),
    }


def _tools(request: CompletionRequest) -> Json:
    if not request.has_tools:
        return {}
    named = [
        {"name": t["name"], "description": t["description"], "input_schema": t["parameters"]}
        for t in TOOLS
    ]
    return {"tools": named, **({} if request.looks_left else {"tool_choice": {"type": "none"}})}


def _shown(request: CompletionRequest) -> list[Json]:
    """What was asked for and shown, as turns of the conversation."""
    turns: list[Json] = []
    for said, looks in request.looks:
        asked = [
            {"type": "tool_use", "id": x.id, "name": x.name, "input": arguments(x)} for x in looks
        ]
        shown = [{"type": "tool_result", "tool_use_id": x.id, "content": x.shown} for x in looks]
        text = [{"type": "text", "text": said}] if said.strip() else []
        turns += [
            {"role": "assistant", "content": [*text, *asked]},
            {"role": "user", "content": shown},
        ]
    return turns


def _form(request: CompletionRequest) -> Json:
    form: Json = {"effort": request.effort} if request.effort else {}
    if request.schema is not None:
        form["format"] = {"type": "json_schema", "schema": request.schema}
    return {"output_config": form} if form else {}


def _read(event: Json) -> Piece:
    match event.get("type"):
        case "message_start":
            message = event.get("message") or {}
            return Piece(usage=message.get("usage") or {}, model=message.get("model") or "")
        case "content_block_start":
            block = event.get("content_block") or {}
            kind = str(block.get("type") or "")
            asked = FileLook(str(block.get("name") or ""), "", str(block.get("id") or ""))
            looks = (LookPart(event.get("index"), asked),) if kind == "tool_use" else ()
            return Piece(stop=TOOL_CALL if kind.endswith("tool_use") else None, looks=looks)
        case "content_block_delta":
            delta = event.get("delta") or {}
            if written := delta.get("partial_json"):
                part = LookPart(event.get("index"), FileLook("", str(written)))
                return Piece(looks=(part,))
            return Piece(text=delta.get("text") or "")
        case "message_delta":
            stop = (event.get("delta") or {}).get("stop_reason")
            refused = "the model refused to answer" if stop == "refusal" else ""
            return Piece(usage=event.get("usage") or {}, refused=refused, stop=stop)
        case "message_stop":
            return Piece(end=True)
        case "error":
            return Piece(error=event.get("error") or {})
    return Piece()


def _usage(counts: Mapping[str, Any]) -> Usage:
    read, written = (
        number(counts, "cache_read_input_tokens"),
        number(counts, "cache_creation_input_tokens"),
    )
    return Usage(
        input_tokens=number(counts, "input_tokens") + read + written,
        output_tokens=number(counts, "output_tokens"),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


DIALECT = Dialect(lambda request: "/v1/messages", _headers, _body, _read, _usage)
