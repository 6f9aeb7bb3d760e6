"""What a protocol is: how a question is written, and what each event of a reply says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from guildmoot.backends.http.wire import CompletionRequest
from guildmoot.model.call import Usage

Json = dict[str, Any]


class Piece(NamedTuple):
    """What one event says."""

    text: str = ""
    usage: Mapping[str, Any] = {}
    """Counts as the provider names them; later ones replace earlier ones."""
    model: str = ""
    refused: str = ""
    cut: bool = False
    end: bool = False
    """Nothing is missing from here on; a reply that stops before is broken."""
    error: Json | None = None
    """The provider's own report that it failed in mid-reply."""


class Dialect(NamedTuple):
    """One protocol, as functions."""

    path: Callable[[CompletionRequest], str]
    headers: Callable[[CompletionRequest], dict[str, str]]
    body: Callable[[CompletionRequest], Json]
    read: Callable[[Json], Piece]
    usage: Callable[[Mapping[str, Any]], Usage]


def number(counts: Mapping[str, Any], *path: str) -> int:
    """A count, 0 where the provider does not give it."""
    value: Any = counts
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, int) else 0


def named_schema(request: CompletionRequest) -> Json:
    """The schema as OpenAI wants it: with a name, and strict."""
    return {"name": "reply", "schema": request.schema, "strict": True}


def texts(request: CompletionRequest) -> tuple[str, ...]:
    """The shared and the own part, without empty ones."""
    return tuple(part for part in (request.shared, request.own) if part)


def cache_key(request: CompletionRequest) -> dict[str, str]:
    """Sends seats with one packet to one machine; OpenAI alone is known to take it."""
    import hashlib

    if not request.shared or not request.provider.startswith("openai"):
        return {}
    digest = hashlib.sha256(request.shared.encode("utf-8", "backslashreplace")).hexdigest()
    return {"prompt_cache_key": digest[:32]}
