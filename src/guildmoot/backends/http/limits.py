"""How much a provider is asked at once: rates kept on our side, pauses it asked for, a breaker.

Each is told the time rather than looking at a clock, and says how long to wait rather than waiting.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping
from typing import NamedTuple

from guildmoot.errors import ConfigError

LIMITS = "GUILD_API_LIMITS"
"""Requests and tokens a minute: ``anthropic=50/40000,openai=500``; without it there is no limit."""

TRIES = 4
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 20.0
OPENS_AFTER = 8
OPEN_SECONDS = 15.0


class Rate(NamedTuple):
    """What a provider may be asked in a minute; 0 is no limit."""

    requests: int = 0
    tokens: int = 0


def rates(environ: Mapping[str, str] | None = None) -> dict[str, Rate]:
    """The limits that the user has set, by provider."""
    text = (os.environ if environ is None else environ).get(LIMITS, "")
    found = {}
    for item in filter(None, (item.strip() for item in text.split(","))):
        provider, equals, numbers = item.partition("=")
        requests, _, tokens = numbers.partition("/")
        if not equals or not all(number.isdigit() for number in (requests or "0", tokens or "0")):
            raise ConfigError(
                f"{LIMITS}: {item!r} is not a limit",
                "Write provider=requests/tokens a minute, for example anthropic=50/40000.",
            )
        found[provider.strip()] = Rate(int(requests or 0), int(tokens or 0))
    return found


def pause(tries: int, retry_after: float | None, chance: Callable[[], float]) -> float:
    """Seconds before the next try: what the provider asks for, else a doubling time, both jittered.

    The jitter on a provider's own figure only adds, so that it is never asked too early.
    """
    if retry_after is not None:
        return retry_after * (1 + 0.1 * chance())
    return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1))) * (0.5 + 0.5 * chance())


class Bucket:
    """Fills steadily to one minute's worth; taking more than there is means waiting for it."""

    def __init__(self, per_minute: int, now: float) -> None:
        self._rate = per_minute / 60
        self._most = float(per_minute)
        self._level = self._most
        self._then = now

    def take(self, amount: float, now: float) -> float:
        """Take it now, in advance if need be, and say how many seconds to wait before using it."""
        if not self._most:
            return 0.0
        self._level = min(self._most, self._level + (now - self._then) * self._rate)
        self._then = now
        self._level -= min(amount, self._most)
        return max(0.0, -self._level / self._rate)

    def correct(self, amount: float) -> None:
        """Take what was used beyond the estimate, or give back what was not."""
        self._level = min(self._most, self._level - amount)


class Gate:
    """Stands before one provider: its rates, the pause it asked for, and its breaker."""

    def __init__(self, rate: Rate, now: float) -> None:
        self._requests = Bucket(rate.requests, now)
        self._tokens = Bucket(rate.tokens, now)
        self._closed_until = 0.0
        self._failures = 0
        self._probing = False

    def book(self, tokens: int, now: float) -> float:
        """Book one request of so many tokens; the seconds until the rates allow it."""
        return max(self._requests.take(1, now), self._tokens.take(tokens, now))

    def closed_for(self, now: float) -> float:
        """Seconds for which the provider is left alone: it asked for it, or keeps failing."""
        return max(0.0, self._closed_until - now)

    def settle(self, estimated: int, used: int) -> None:
        """Correct the booking by what was really used."""
        self._tokens.correct(used - estimated)

    @property
    def tripped(self) -> bool:
        """So many failures in a row that only one call at a time may try."""
        return self._failures >= OPENS_AFTER

    def probe(self) -> bool:
        """Whether this call may try although the breaker has opened: one at a time."""
        if self.tripped and self._probing:
            return False
        self._probing = self.tripped
        return True

    def succeeded(self) -> None:
        """It answers: the breaker closes."""
        self._failures = 0
        self._probing = False

    def failed(self, now: float, retry_after: float | None) -> None:
        """A failure that may pass; enough of them in a row, or a pause asked for, hold all calls."""
        self._failures += 1
        self._probing = False
        rest = OPEN_SECONDS if self.tripped else 0.0
        self._closed_until = max(self._closed_until, now + max(rest, retry_after or 0.0))

    def left(self) -> None:
        """A call went away without an outcome: cancelled, or refused for its own fault."""
        self._probing = False


def jitter() -> float:
    """A number between 0 and 1."""
    return random.random()  # noqa: S311 - spreads retries, guards nothing
