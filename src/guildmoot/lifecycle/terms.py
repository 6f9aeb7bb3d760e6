"""What the settings say about work, as one value that every step is given. Pure."""

from __future__ import annotations

from typing import Literal, NamedTuple

from guildmoot.backends import CLIENTS, traits_of
from guildmoot.calls.pricing import Prices, prices_of
from guildmoot.config import Config
from guildmoot.errors import ConfigError
from guildmoot.lifecycle.scoring import Price, ScoreTerms, Thresholds, no_price
from guildmoot.lifecycle.team.roles import LARGEST_TEAM, TIERS
from guildmoot.model.call import TokenRates, Usage

ReviewKind = Literal["local", "cross", "off"]
_RIGOR: dict[str, tuple[tuple[str, ...], ReviewKind]] = {
    "quick": ((), "off"),
    "standard": (("spec", "plan"), "local"),
    "deep": (("spec", "plan", "implementation"), "cross"),
}
_ALL = ("spec", "plan", "implementation")
_GATES = {"spec": ("spec",), "plan": ("team", "plan"), "build": (), "all": ("spec", "team", "plan")}
_PRICED_AS = {"haiku": "claude-haiku-4-5", "sonnet": "claude-sonnet-4-5", "opus": "claude-opus-4-5"}
"""The family names of one vendor's client, for prices alone."""
_WRITTEN, _AGAIN = 0.2, 8
"""Of a lane's tokens what is written; and how often all of them are read again from the provider's cache."""
_SAMPLE = 1000


class WorkTerms(NamedTuple):
    """The settings ``work.*`` in force."""

    model: str = ""
    """Drafts and answers; empty: nobody is asked."""
    challenger: str = ""
    auto_approve: frozenset[str] = frozenset()
    """Gates that need nobody."""
    loops: frozenset[str] = frozenset(("spec", "plan"))
    loop_cap: int = 16
    review: ReviewKind = "local"
    initiative: str = ""
    team_size: int = LARGEST_TEAM
    always_include: tuple[str, ...] = ()
    scoring: ScoreTerms = ScoreTerms()
    price: Price = no_price
    tiers: tuple[tuple[str, str], ...] = ()
    """The model of each tier."""
    recall_first: bool = True
    recall_score: float = 0.4
    has_worker: bool = False
    """The settings say who does the work of a lane."""
    notices: tuple[str, ...] = ()
    """Settings that are there and do not count."""


def work_terms(config: Config) -> WorkTerms:
    """The settings as one value; ConfigError for a tier that is none."""
    loops, review = _RIGOR[config.text("work.rigor")]
    said = config.strings("work.loops")
    if said:
        loops = () if "none" in said else _ALL if "all" in said else said
    kind = config.text("work.review")
    chosen: ReviewKind = next((each for each in ("local", "cross", "off") if each == kind), review)
    tiers = _tiers(config.strings("work.tiers"))
    return WorkTerms(
        model=config.text("work.model"),
        challenger=config.text("work.challenger") or config.text("work.model"),
        auto_approve=covered_gates(config.strings("work.auto_approve")),
        loops=frozenset(loops),
        loop_cap=int(config.number("work.loop_cap")),
        review=chosen,
        initiative=config.text("work.initiative"),
        team_size=int(config.number("work.team_size")),
        always_include=config.strings("work.always_include"),
        scoring=ScoreTerms(
            Thresholds(
                int(config.number("work.mid_from")), int(config.number("work.powerful_from"))
            ),
            blast=config.number("work.weight_blast"),
            contract=config.number("work.weight_contract"),
            security=config.number("work.weight_security"),
            escalated=config.number("work.weight_escalated"),
            enabled=config.flag("work.tiering"),
        ),
        price=tier_price(prices_of(config), tiers),
        tiers=tuple(tiers.items()),
        recall_first=config.flag("work.recall_first"),
        recall_score=config.number("work.recall_score"),
        has_worker=bool(config.text("work.worker"))
        or config.flag("work.clients")
        or config.text("work.agent_mode") in ("agent", "hosts"),
        notices=config.notices,
    )


def covered_gates(words: tuple[str, ...]) -> frozenset[str]:
    """The gates that words of ``auto_approve`` cover; quality and operations are none of them."""
    return frozenset(gate for word in words for gate in _GATES[word])


def _tiers(rows: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for row in rows:
        tier, equals, model = row.partition("=")
        if not equals or tier not in TIERS or not model:
            raise ConfigError(
                f"work.tiers: {row!r} is no tier and model", "Write for example mid=claude:sonnet."
            )
        found[tier] = model
    return found


def tier_price(prices: Prices, tiers: dict[str, str]) -> Price:
    """What the tokens of a lane cost at a tier, as far as the price of its model is known."""

    def price(tier: str, tokens: int) -> float | None:
        written, again = round(tokens * _WRITTEN), tokens * _AGAIN
        usage = Usage(tokens - written + again, written, cache_read_tokens=again)
        rates = token_rates(prices, tiers.get(tier, ""))
        return round(rates.cost(usage), 4) if rates else None

    return price


def token_rates(prices: Prices, model: str) -> TokenRates | None:
    """What the tokens of a model of ``work.tiers`` cost in requests of usual length; None where no price is known."""
    name = _priced_name(model)
    kinds = (Usage(_SAMPLE), Usage(0, _SAMPLE), Usage(_SAMPLE, cache_read_tokens=_SAMPLE))
    costs = [prices.price(name, usage) if name else None for usage in kinds]
    known = [cost / _SAMPLE for cost in costs if cost is not None]
    return TokenRates(*known) if len(known) == len(kinds) else None


def _priced_name(model: str) -> str:
    """``provider:model`` as tables of prices have it; empty where no model is named."""
    provider, _, name = model.partition(":")
    if provider in CLIENTS:
        provider, name = traits_of(provider).provider, _PRICED_AS.get(name, name)
    return f"{provider}:{name}" if name else ""
