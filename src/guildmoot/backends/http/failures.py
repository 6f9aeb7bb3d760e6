"""Which failures are worth another try: a pure reading of statuses, headers and error bodies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from guildmoot.backends.http.wire import CompletionError

_AGAIN = frozenset({408, 409, 425, 429})
_TEMPORARY = ("overloaded", "rate_limit", "server_error", "api_error", "timeout", "unavailable",
              "resource_exhausted", "internal")  # fmt: skip
_SPENT = ("insufficient_quota", "billing", "credit")
_LONGEST = 400


def from_status(status: int, headers: Mapping[str, str], body: bytes) -> CompletionError:
    """What a response other than success means."""
    error = _error_of(body)
    message = _message(error) or _shown(body)
    return CompletionError(
        f"the provider answered {status}{_meaning(status)}{f': {message}' if message else ''}",
        again=_is_temporary(status) and not _mentions(error, _SPENT),
        status=status,
        retry_after=retry_after(headers),
    )


def from_event(error: Mapping[str, Any]) -> CompletionError:
    """What an error in mid-reply means; it comes without a status, or with its own."""
    code = error.get("code")
    status = code if isinstance(code, int) else 0
    message = _message(error) or "without saying why"
    return CompletionError(
        f"the provider failed in mid-reply: {message}",
        again=(_is_temporary(status) if status else _mentions(error, _TEMPORARY))
        and not _mentions(error, _SPENT),
        status=status,
    )


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait, from ``retry-after`` in seconds or as a date, or ``retry-after-ms``."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) / unit)
        except (KeyError, ValueError):
            continue
    from email.utils import parsedate_to_datetime  # slow to import, and rarely needed

    try:
        then = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())
    except (KeyError, ValueError, TypeError):  # TypeError: a date without a zone
        return None


def _is_temporary(status: int) -> bool:
    return status in _AGAIN or status >= 500


def _meaning(status: int) -> str:
    if status in (401, 403):
        return " (the key is not accepted)"
    if status == 404:
        return " (no such model, or a wrong address)"
    if 300 <= status < 400:
        return " (redirects are not followed: the key would go along)"
    return " (overloaded)" if status == 529 else " (too many requests)" if status == 429 else ""


def _error_of(body: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    if isinstance(found, list) and found:  # Google sends a list when asked to stream
        found = found[0]
    error = found.get("error") if isinstance(found, dict) else None
    return error if isinstance(error, dict) else {"message": error} if error else {}


def _message(error: Mapping[str, Any]) -> str:
    return " ".join(str(error.get("message") or error.get("type") or "").split())[:_LONGEST]


def _shown(body: bytes) -> str:
    return " ".join(body[:_LONGEST].decode("utf-8", "backslashreplace").split())


def _mentions(error: Mapping[str, Any], words: tuple[str, ...]) -> bool:
    kinds = " ".join(str(error.get(name, "")) for name in ("type", "code", "status")).lower()
    return any(word in kinds for word in words)
