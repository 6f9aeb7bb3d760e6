"""OpenAI's Chat Completions, which most servers that run models speak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from guildmoot.backends.http.dialects.base import (
    SEVERAL,
    TOOL_CALL,
    Dialect,
    Json,
    LookPart,
    Piece,
    cache_key,
    named_schema,
    number,
)
from guildmoot.backends.http.wire import CompletionRequest
from guildmoot.backends.looks import TOOLS
from guildmoot.model.call import FileLook, Usage


def _headers(request: CompletionRequest) -> dict[str, str]:
    return {"authorization": f"Bearer {request.key}"} if request.key else {}


def _body(request: CompletionRequest) -> Json:
    return {
        "model": request.model,
        **_limit(request),
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": _content(request)}, *_shown(request)],
        **(cache_key(request) if request.provider == "openai-chat" else {}),
        **({"reasoning_effort": request.effort} if request.effort else {}),
        **_form(request),
        **_tools(request),
    }


def _tools(request: CompletionRequest) -> Json:
    if not request.has_tools:
        return {}
    named = [{"type": "function", "function": tool} for tool in TOOLS]
    return {"tools": named, **({} if request.looks_left else {"tool_choice": "none"})}


def _shown(request: CompletionRequest) -> list[Json]:
    """What was asked for and shown, as turns of the conversation."""
    turns: list[Json] = []
    for said, looks in request.looks:
        asked = [
            {"id": x.id, "type": "function", "function": {"name": x.name, "arguments": x.arguments}}
            for x in looks
        ]
        turns.append({"role": "assistant", "content": said or None, "tool_calls": asked})
        turns += [{"role": "tool", "tool_call_id": x.id, "content": x.shown} for x in looks]
    return turns


def _form(request: CompletionRequest) -> Json:
    if request.schema is None:
        return {}
    return {"response_format": {"type": "json_schema", "json_schema": named_schema(request)}}


def _limit(request: CompletionRequest) -> dict[str, int]:
    if not request.max_tokens:
        return {}
    name = "max_completion_tokens" if request.provider == "openai-chat" else "max_tokens"
    return {name: request.max_tokens}


def _content(request: CompletionRequest) -> str | list[Json]:
    """One text, which every server takes; OpenRouter passes a breakpoint on to models that have it."""
    if request.provider != "openrouter" or not request.shared:
        return request.shared + request.own
    shared = {"type": "text", "text": request.shared, "cache_control": {"type": "ephemeral"}}
    return [shared, {"type": "text", "text": request.own}] if request.own else [shared]


def _read(event: Json) -> Piece:
    if event.get("error"):
        error = event["error"]
        return Piece(error=error if isinstance(error, dict) else {"message": str(error)})
    choices = event.get("choices") or ()
    choice = next(iter(choices), None) or {}
    # A server that does not stream sends the whole message at once.
    said = choice.get("delta") or choice.get("message") or {}
    refusal, reason = said.get("refusal") or "", choice.get("finish_reason") or ""
    refused = "the model refused to answer" if refusal else ""
    return Piece(
        text=(said.get("content") or "") + refusal,
        usage=event.get("usage") or {},
        model=event.get("model") or "",
        refused="a content filter stopped the answer" if reason == "content_filter" else refused,
        stop=_stop(choices, said, reason),
        end=bool(reason),
        looks=tuple(_look(at, each) for at, each in enumerate(said.get("tool_calls") or ())),
    )


def _look(at: int, called: Json) -> LookPart:
    function = called.get("function") or {}
    look = FileLook(*(str(function.get(key) or "") for key in ("name", "arguments")))
    return LookPart(called.get("index", at), look._replace(id=str(called.get("id") or "")))


def _stop(choices: Sequence[Json], said: Json, reason: object) -> object:
    """A call of a tool counts whatever the server calls its end, and so does a second answer."""
    if len(choices) > 1 or any(each.get("index") for each in choices):
        return SEVERAL
    return TOOL_CALL if said.get("tool_calls") or said.get("function_call") else reason


def _usage(counts: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=number(counts, "prompt_tokens"),
        output_tokens=number(counts, "completion_tokens"),
        cache_read_tokens=number(counts, "prompt_tokens_details", "cached_tokens"),
        cache_write_tokens=number(counts, "prompt_tokens_details", "cache_write_tokens"),
    )


DIALECT = Dialect(lambda request: "/chat/completions", _headers, _body, _read, _usage)
