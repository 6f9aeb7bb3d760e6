"""When a pull request may be opened: at most so many open, so many in a time, and not at night. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from guildmoot.errors import UsageError

_UNITS = {"m": 60, "min": 60, "h": 3600, "hour": 3600, "d": 86400, "day": 86400}


class PullLimits(NamedTuple):
    """What holds for whatever opens pull requests."""

    rate: tuple[int, int] | None = None
    """So many within so many seconds."""
    max_open: int = 0
    quiet: tuple[int, int] | None = None
    """From this hour up to that one, in local time; it may go over midnight."""


def read_rate(word: str) -> tuple[int, int]:
    """``5/h``, ``2/30m``, ``10/day``."""
    found = re.fullmatch(r"(\d+)/(\d*)([a-z]+)", word.strip())
    if not found or found.group(3) not in _UNITS or not int(found.group(1)):
        raise UsageError(f"--rate {word}: write a number and a time", "e.g. --rate 5/h or 2/30m")
    return int(found.group(1)), int(found.group(2) or 1) * _UNITS[found.group(3)]


def read_quiet_hours(word: str) -> tuple[int, int]:
    """``22-07``."""
    found = re.fullmatch(r"(\d{1,2})-(\d{1,2})", word.strip())
    hours = (int(found.group(1)), int(found.group(2))) if found else (24, 24)
    if max(hours) > 23 or hours[0] == hours[1]:
        raise UsageError(f"--quiet-hours {word}: write two hours", "e.g. --quiet-hours 22-07")
    return hours


def why_not_now(
    limits: PullLimits, now: datetime, opened: Sequence[datetime], open_now: int
) -> str:
    """Why no pull request may be opened now, and until when; empty when one may."""
    if limits.quiet and is_quiet(limits.quiet, now.hour):
        return f"it is {now:%H:%M}, within the quiet hours; from {limits.quiet[1]:02}:00 on"
    if limits.max_open and open_now >= limits.max_open:
        return f"{open_now} of yours are open, and at most {limits.max_open} may be"
    if limits.rate:
        count, seconds = limits.rate
        recent = sorted(at for at in opened if now - at < timedelta(seconds=seconds))
        if len(recent) >= count:
            free = recent[-count] + timedelta(seconds=seconds)
            return f"the rate is used up ({len(recent)} opened); from {free:%H:%M} on"
    return ""


def is_quiet(hours: tuple[int, int], hour: int) -> bool:
    """Whether an hour lies within, also over midnight."""
    start, end = hours
    return start <= hour < end if start < end else hour >= start or hour < end
