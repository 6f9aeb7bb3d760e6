"""How hard a lane is, and which tier of model it gets. One scorer, pure; a pin keeps the raw score."""

from __future__ import annotations

from typing import Literal, NamedTuple

from guildmoot.lifecycle.roles import TIERS, Tier
from guildmoot.text.patterns import lazy

Blast = Literal["low", "moderate", "high"]
_READING = lazy(r"\b(?:read|summari[sz]e|list|collect|classify|tag|gather)\b")
_DESIGN = lazy(r"\b(?:architect|architecture|design|review|audit|schema|threat|trade-?off)\w*\b")
_PATH = lazy(r"[\w.-]+/[\w./*-]*|[\w-]+\.[a-z]{1,4}\b")
_HIGH, _MODERATE = 6, 3
_MINUTES = {"cheap": 3, "mid": 12, "powerful": 25}
_TOKENS = {"cheap": 40_000, "mid": 150_000, "powerful": 300_000}


class Thresholds(NamedTuple):
    """The scores from which a tier begins."""

    mid: int = 1
    powerful: int = 3


_DEFAULT = Thresholds()


class LaneSignals(NamedTuple):
    """What makes a lane hard."""

    work: Literal[0, 1, 2]
    """0 reads or sums up, 1 drafts or builds, 2 designs, reviews or sets a schema."""
    blast: Blast = "low"
    contract: bool = False
    """It builds on what another lane hands over."""
    security: bool = False
    escalated: bool = False
    """An earlier attempt at this lane asked for help."""


class LaneScore(NamedTuple):
    """The score and the tier it leads to."""

    score: int
    tier: Tier
    why: str


class LaneEstimate(NamedTuple):
    """What a lane may take, by its tier; the price depends on the model and is told where that is known."""

    tokens: int
    minutes: int


def signals_of(owner: str, scope: str, waits: bool, files: int | None = None) -> LaneSignals:
    """LaneSignals that can be read off a lane; ``files`` is how many the scope reaches, where that is known."""
    text = scope.casefold()
    work: Literal[0, 1, 2] = 1
    if owner in ("architect", "security") or _DESIGN.search(text):
        work = 2
    elif owner == "researcher" or (_READING.search(text) and not _PATH.search(text)):
        work = 0
    reach = files if files is not None else len(set(_PATH.findall(text)))
    blast: Blast = "high" if reach >= _HIGH else "moderate" if reach >= _MODERATE else "low"
    return LaneSignals(work, blast, waits, owner == "security")


def score(signals: LaneSignals, thresholds: Thresholds = _DEFAULT, pin: str = "") -> LaneScore:
    """The tier of a lane; a pin decides it and leaves the score as it is."""
    parts = [
        ("kind of work", int(signals.work)),
        ("blast radius", ("low", "moderate", "high").index(signals.blast)),
        ("builds on another lane", int(signals.contract)),
        ("security", int(signals.security)),
        ("asked for help before", int(signals.escalated)),
    ]
    total = sum(value for _, value in parts)
    why = ", ".join(f"{name} {value}" for name, value in parts if value) or "nothing makes it hard"
    tier: Tier = (
        "powerful"
        if total >= thresholds.powerful
        else "mid"
        if total >= thresholds.mid
        else "cheap"
    )
    pinned = next((name for name in TIERS if name == pin), None)
    return LaneScore(total, pinned, f"pinned; {why}") if pinned else LaneScore(total, tier, why)


def estimate(tier: str) -> LaneEstimate:
    """What a lane of this tier usually takes at most."""
    return LaneEstimate(_TOKENS.get(tier, _TOKENS["mid"]), _MINUTES.get(tier, _MINUTES["mid"]))
