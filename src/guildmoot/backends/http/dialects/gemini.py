"""Google's generateContent. Its cache is automatic: all it needs is the same beginning."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from guildmoot.backends.http.dialects.base import (
    SEVERAL,
    TOOL_CALL,
    Dialect,
    Json,
    LookPart,
    Piece,
    number,
    texts,
)
from guildmoot.backends.http.wire import CompletionRequest
from guildmoot.backends.looks import TOOLS, arguments
from guildmoot.model.call import FileLook, Usage

_LEAST_THOUGHT = 512
"""Tokens; the smallest model takes no fewer."""
_NO_REFUSAL = ("", "STOP", "FINISH_REASON_UNSPECIFIED", "MAX_TOKENS")


def _path(request: CompletionRequest) -> str:
    return f"/v1beta/models/{quote(request.model, safe='')}:streamGenerateContent?alt=sse"


def _headers(request: CompletionRequest) -> dict[str, str]:
    return {"x-goog-api-key": request.key}


def _body(request: CompletionRequest) -> Json:
    return {
        "contents": [
            {"role": "user", "parts": [{"text": text} for text in texts(request)]},
            *_shown(request),
        ],
        "generationConfig": {"maxOutputTokens": request.max_tokens, **_form(request)},
        **_tools(request),
    }


def _tools(request: CompletionRequest) -> Json:
    if not request.has_tools:
        return {}
    named = [{"functionDeclarations": list(TOOLS)}]
    config = {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}}
    return {"tools": named, **({} if request.looks_left else config)}


def _shown(request: CompletionRequest) -> list[Json]:
    """What was asked for and shown, as turns; with the marks that newer models refuse to go on without."""
    turns: list[Json] = []
    for said, looks in request.looks:
        asked = [
            {
                "functionCall": {"name": x.name, "args": arguments(x)},
                **({"thoughtSignature": x.mark} if x.mark else {}),
            }
            for x in looks
        ]
        shown = [
            {"functionResponse": {"name": x.name, "response": {"shown": x.shown}}} for x in looks
        ]
        text = [{"text": said}] if said else []
        turns += [{"role": "model", "parts": [*text, *asked]}, {"role": "user", "parts": shown}]
    return turns


def _form(request: CompletionRequest) -> Json:
    form: Json = {"thinkingConfig": _thinking(request)} if request.effort else {}
    if request.schema is not None:
        form |= {"responseMimeType": "application/json", "responseSchema": request.schema}
    return form


def _thinking(request: CompletionRequest) -> Json:
    """Newer models know two levels; those of 2.5 a number of tokens, which the answer's limit includes."""
    if "gemini-2.5" not in request.model:
        return {"thinkingLevel": "low" if request.effort == "low" else "high"}
    share = {"low": 16, "medium": 4, "high": 2}[request.effort or "medium"]
    return {"thinkingBudget": max(_LEAST_THOUGHT, request.max_tokens // share)}


def _read(event: Json) -> Piece:
    if event.get("error"):
        return Piece(error=event["error"])
    blocked = (event.get("promptFeedback") or {}).get("blockReason") or ""
    candidates = event.get("candidates") or ()
    candidate = next(iter(candidates), None) or {}
    reason = candidate.get("finishReason") or ""
    parts = (candidate.get("content") or {}).get("parts") or ()
    why = blocked or (reason if reason not in _NO_REFUSAL else "")
    several = len(candidates) > 1 or any(each.get("index") for each in candidates)
    called = any(part.get("functionCall") for part in parts)
    return Piece(
        text="".join(part.get("text") or "" for part in parts if not part.get("thought")),
        usage=event.get("usageMetadata") or {},
        model=event.get("modelVersion") or "",
        refused=f"the provider stopped the answer ({why})" if why else "",
        stop=SEVERAL if several else TOOL_CALL if called else reason,
        end=bool(reason or blocked),
        looks=tuple(_look(part) for part in parts if part.get("functionCall")),
    )


def _look(part: Json) -> LookPart:
    """A request, which comes whole."""
    called, mark = part["functionCall"], str(part.get("thoughtSignature") or "")
    written = json.dumps(called.get("args") or {})
    return LookPart(object(), FileLook(str(called.get("name") or ""), written, mark=mark))


def _usage(counts: Mapping[str, Any]) -> Usage:
    thought = number(counts, "thoughtsTokenCount")
    return Usage(
        input_tokens=number(counts, "promptTokenCount"),
        output_tokens=number(counts, "candidatesTokenCount") + thought,
        cache_read_tokens=number(counts, "cachedContentTokenCount"),
    )


DIALECT = Dialect(_path, _headers, _body, _read, _usage)
