"""How long to wait before the next attempt."""

from __future__ import annotations

MAX_ATTEMPTS = 5
BASE_SECONDS = 0.5
MOST_SECONDS = 30.0


def may_retry(attempts: int) -> bool:
    """Whether a job that was tried this often may be tried again; five attempts are all."""
    return attempts < MAX_ATTEMPTS


def delay(attempts: int) -> float:
    """Seconds before the next attempt: doubled each time, up to the most."""
    return min(BASE_SECONDS * 2 ** (attempts - 1), MOST_SECONDS)
