"""OpenAI's Chat Completions, which most servers that run models speak."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guildmoot.backends.http.dialects.base import (
    Dialect,
    Json,
    Piece,
    cache_key,
    named_schema,
    number,
)
from guildmoot.backends.http.providers import PROVIDERS
from guildmoot.backends.http.wire import Ask
from guildmoot.model.call import Usage


def _headers(ask: Ask) -> dict[str, str]:
    return {"authorization": f"Bearer {ask.key}"} if ask.key else {}


def _body(ask: Ask) -> Json:
    return {
        "model": ask.model,
        **_limit(ask),
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": _content(ask)}],
        **(cache_key(ask) if ask.provider == "openai-chat" else {}),
        **_form(ask),
    }


def _form(ask: Ask) -> Json:
    if ask.schema is None:
        return {}
    return {"response_format": {"type": "json_schema", "json_schema": named_schema(ask)}}


def _limit(ask: Ask) -> dict[str, int]:
    """None for a server of one's own: it would refuse what does not fit beside the prompt."""
    if ask.provider == "openai-chat":
        return {"max_completion_tokens": ask.max_tokens}
    return {"max_tokens": ask.max_tokens} if PROVIDERS[ask.provider].needs_key else {}


def _content(ask: Ask) -> str | list[Json]:
    """One text, which every server takes; OpenRouter passes a breakpoint on to models that have it."""
    if ask.provider != "openrouter" or not ask.shared:
        return ask.shared + ask.own
    shared = {"type": "text", "text": ask.shared, "cache_control": {"type": "ephemeral"}}
    return [shared, {"type": "text", "text": ask.own}] if ask.own else [shared]


def _read(event: Json) -> Piece:
    if event.get("error"):
        error = event["error"]
        return Piece(error=error if isinstance(error, dict) else {"message": str(error)})
    choice = next(iter(event.get("choices") or ()), None) or {}
    # A server that does not stream sends the whole message at once.
    said = choice.get("delta") or choice.get("message") or {}
    refusal, reason = said.get("refusal") or "", choice.get("finish_reason") or ""
    refused = "the model refused to answer" if refusal else ""
    return Piece(
        text=(said.get("content") or "") + refusal,
        usage=event.get("usage") or {},
        model=event.get("model") or "",
        refused="a content filter stopped the answer" if reason == "content_filter" else refused,
        cut=reason == "length",
        end=bool(reason),
    )


def _usage(counts: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=number(counts, "prompt_tokens"),
        output_tokens=number(counts, "completion_tokens"),
        cache_read_tokens=number(counts, "prompt_tokens_details", "cached_tokens"),
        cache_write_tokens=number(counts, "prompt_tokens_details", "cache_write_tokens"),
    )


DIALECT = Dialect(lambda ask: "/chat/completions", _headers, _body, _read, _usage)
