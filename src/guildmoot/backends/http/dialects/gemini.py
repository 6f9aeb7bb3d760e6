"""Google's generateContent. Its cache is automatic: all it needs is the same beginning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from guildmoot.backends.http.dialects.base import Dialect, Json, Piece, number, texts
from guildmoot.backends.http.wire import CompletionRequest
from guildmoot.model.call import Usage

_NORMAL = ("", "STOP", "FINISH_REASON_UNSPECIFIED")


def _path(request: CompletionRequest) -> str:
    return f"/v1beta/models/{quote(request.model, safe='')}:streamGenerateContent?alt=sse"


def _headers(request: CompletionRequest) -> dict[str, str]:
    return {"x-goog-api-key": request.key}


def _body(request: CompletionRequest) -> Json:
    return {
        "contents": [{"role": "user", "parts": [{"text": text} for text in texts(request)]}],
        "generationConfig": {"maxOutputTokens": request.max_tokens, **_form(request)},
    }


def _form(request: CompletionRequest) -> Json:
    if request.schema is None:
        return {}
    return {"responseMimeType": "application/json", "responseSchema": request.schema}


def _read(event: Json) -> Piece:
    if event.get("error"):
        return Piece(error=event["error"])
    blocked = (event.get("promptFeedback") or {}).get("blockReason") or ""
    candidate = next(iter(event.get("candidates") or ()), None) or {}
    reason = candidate.get("finishReason") or ""
    parts = (candidate.get("content") or {}).get("parts") or ()
    stopped = reason if reason not in (*_NORMAL, "MAX_TOKENS") else ""
    why = blocked or stopped
    return Piece(
        text="".join(part.get("text") or "" for part in parts if not part.get("thought")),
        usage=event.get("usageMetadata") or {},
        model=event.get("modelVersion") or "",
        refused=f"the provider stopped the answer ({why})" if why else "",
        cut=reason == "MAX_TOKENS",
        end=bool(reason or blocked),
    )


def _usage(counts: Mapping[str, Any]) -> Usage:
    thought = number(counts, "thoughtsTokenCount")
    return Usage(
        input_tokens=number(counts, "promptTokenCount"),
        output_tokens=number(counts, "candidatesTokenCount") + thought,
        cache_read_tokens=number(counts, "cachedContentTokenCount"),
    )


DIALECT = Dialect(_path, _headers, _body, _read, _usage)
