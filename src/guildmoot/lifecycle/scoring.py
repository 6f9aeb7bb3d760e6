"""How hard a lane is, and which tier of model it gets. One scorer, pure; a pin keeps the raw score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from guildmoot.lifecycle.team.roles import TIERS, Tier
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


class ScoreTerms(NamedTuple):
    """How a score is made, and what it leads to; the settings ``work.*`` say so."""

    thresholds: Thresholds = Thresholds()
    blast: float = 1.0
    contract: float = 1.0
    security: float = 1.0
    escalated: float = 1.0
    enabled: bool = True
    """Else every lane is mid, unless it is pinned."""


_DEFAULT = ScoreTerms()


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
    """What a lane may take, by its tier."""

    tokens: int
    minutes: int
    usd: float | None = None
    """None where no price of the tier's model is known."""

    def __str__(self) -> str:
        money = "" if self.usd is None else f", ~${self.usd:.2f}"
        return f"~{self.tokens // 1000}k tokens, ~{self.minutes} min{money}"


Price = Callable[[str, int], float | None]
"""What so many tokens of a lane cost at a tier."""


def no_price(tier: str, tokens: int) -> None:
    """Nothing is known of prices."""


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


def score(signals: LaneSignals, terms: ScoreTerms = _DEFAULT, pin: str = "") -> LaneScore:
    """The tier of a lane; a pin decides it and leaves the score as it is."""
    parts = [
        ("kind of work", float(signals.work)),
        ("blast radius", terms.blast * ("low", "moderate", "high").index(signals.blast)),
        ("builds on another lane", terms.contract * signals.contract),
        ("security", terms.security * signals.security),
        ("asked for help before", terms.escalated * signals.escalated),
    ]
    total = round(sum(value for _, value in parts))
    why = (
        ", ".join(f"{name} {value:g}" for name, value in parts if value) or "nothing makes it hard"
    )
    pinned = next((name for name in TIERS if name == pin), None)
    if pinned:
        return LaneScore(total, pinned, f"pinned; {why}")
    if not terms.enabled:
        return LaneScore(total, "mid", f"tiers are off; {why}")
    bands: tuple[tuple[Tier, int], ...] = (
        ("powerful", terms.thresholds.powerful), ("mid", terms.thresholds.mid),
    )  # fmt: skip
    return LaneScore(total, next((tier for tier, least in bands if total >= least), "cheap"), why)


def estimate(tier: str, price: Price = no_price) -> LaneEstimate:
    """What a lane of this tier usually takes at most."""
    tokens = _TOKENS.get(tier, _TOKENS["mid"])
    return LaneEstimate(tokens, _MINUTES.get(tier, _MINUTES["mid"]), price(tier, tokens))
