"""Whether a lane is alive: when it is nudged, and when it has failed. Pure."""

from __future__ import annotations

from typing import Literal, NamedTuple

SILENCE = {"cheap": 180.0, "mid": 600.0, "powerful": 1200.0}
"""Seconds without a sign of life, by tier, before a nudge."""
PICKUP = 60.0
"""Seconds within which a worker must have taken its job up."""
COMPACTING = 600.0
"""Seconds of silence that an agent may keep at least while it compacts its context."""
_WHOLE = 6
"""A lane may take so many times its silence in all."""

LaneHealth = Literal["fine", "nudge", "silent", "not picked up"]


class LaneClock(NamedTuple):
    """What is known of a lane's time; all by one clock."""

    started: float
    picked_up: bool
    last_sign: float
    """When it last gave a sign: output, heartbeat, a file; the start where it gave none."""
    nudged: float = 0.0
    """When it was nudged; 0 when it was not."""


def silence_of(tier: str, explicit: float = 0.0) -> float:
    """The silence that a lane may keep; what is said goes before the tier."""
    return explicit or SILENCE.get(tier, SILENCE["mid"])


def silence_in(silence: float, step: str) -> float:
    """The same where the heartbeat says that the agent compacts its context, which takes its time and is no death."""
    return max(silence, COMPACTING) if is_compacting(step) else silence


def is_compacting(step: str) -> bool:
    """Whether a heartbeat says so."""
    return "compact" in step.casefold()


def whole_time(tier: str, explicit: float = 0.0) -> float:
    """The most that a lane may take in all, however alive it is; a shorter silence makes it no shorter."""
    return _WHOLE * max(silence_of(tier), explicit)


def health(clock: LaneClock, now: float, silence: float) -> LaneHealth:
    """One nudge after the silence; failed after half of it again without a sign."""
    if not clock.picked_up:
        return "not picked up" if now - clock.started > PICKUP else "fine"
    quiet = now - max(clock.last_sign, clock.started)
    if quiet <= silence:
        return "fine"
    if not clock.nudged or clock.nudged < clock.last_sign:
        return "nudge"
    return "silent" if now - clock.nudged > silence / 2 else "fine"
