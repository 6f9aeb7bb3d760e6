"""What a protocol is: how a question is written, and what each event of a reply says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from guildmoot.backends.http.wire import CompletionRequest
from guildmoot.model.call import FileLook, Usage

Json = dict[str, Any]


class LookPart(NamedTuple):
    """A request to look, or a part of one: what has the same number belongs together."""

    number: object
    look: FileLook


class Piece(NamedTuple):
    """What one event says."""

    text: str = ""
    usage: Mapping[str, Any] = {}
    """Counts as the provider names them; later ones replace earlier ones."""
    model: str = ""
    refused: str = ""
    stop: object = None
    """Why the model stopped, in the provider's word; see ``ending_of``."""
    end: bool = False
    """Nothing is missing from here on; a reply that stops before is broken."""
    error: Json | None = None
    """The provider's own report that it failed in mid-reply."""
    looks: tuple[LookPart, ...] = ()


class Dialect(NamedTuple):
    """One protocol, as functions."""

    path: Callable[[CompletionRequest], str]
    headers: Callable[[CompletionRequest], dict[str, str]]
    body: Callable[[CompletionRequest], Json]
    read: Callable[[Json], Piece]
    usage: Callable[[Mapping[str, Any]], Usage]


TOOL_CALL, SEVERAL = "tool_call", "several_answers"
"""Words of ours, for what a provider shows without naming it."""
_WHOLE = frozenset(("end_turn", "completed", "stop", "eos", "eos_token", "STOP"))
_ENDINGS = {
    **dict.fromkeys(
        ("max_tokens", "max_output_tokens", "length", "model_length", "MAX_TOKENS"),
        "cut off at its token limit",
    ),
    "model_context_window_exceeded": "cut off at the end of its context window",
    "pause_turn": "paused before its end",
    **dict.fromkeys(
        (TOOL_CALL, "tool_use", "tool_calls", "function_call"), "ended with a call of a tool"
    ),
    SEVERAL: "several answers in one",
    "refusal": "the model refused to answer",
    "content_filter": "a content filter stopped the answer",
}


def ending_of(stops: Iterable[object]) -> str:
    """How a reply ended that is not whole; empty when the model came to its own end.

    A word that nobody knows, and none at all, are no end of the model's own.
    """
    told = [str(stop) for stop in stops if stop]
    if not told:
        return "the provider does not say how it ended"
    odd = next((stop for stop in told if stop not in _WHOLE), "")
    return odd and _ENDINGS.get(odd, f"ended for an unknown reason ({odd[:40]})")


_CALLS = (TOOL_CALL, "tool_use", "tool_calls", "function_call")


def with_parts(
    looks: Mapping[object, FileLook], parts: Iterable[LookPart]
) -> dict[object, FileLook]:
    """The requests with further parts of them; arguments come in pieces, everything else at once."""
    found = dict(looks)
    for key, part in parts:
        known = found.get(key, FileLook("", ""))
        found[key] = FileLook(
            known.name or part.name,
            known.arguments + part.arguments,
            known.id or part.id,
            known.mark or part.mark,
        )
    return found


def asked_only(looks: Iterable[FileLook], stops: Iterable[object]) -> tuple[FileLook, ...]:
    """The requests of a reply that ended with them; one that was cut off or refused asks for nothing."""
    ended = all(stop in _WHOLE or stop in _CALLS for stop in stops if stop)
    return tuple(look for look in looks if look.name) if ended else ()


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
