"""What a run cost: tokens, cached tokens, money and time of each seat, and what the cache saved.

Amounts come in ready; nothing here knows a price. The wording is the same wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from guildmoot.model.call import Usage
from guildmoot.model.report import RunReport, SeatCost
from guildmoot.named import NamedTuple
from guildmoot.text.clean import count, one_line


class TotalCost(NamedTuple):
    """All seats together."""

    usage: Usage
    usd: float
    """Of the seats whose cost is known; what nobody knows is never counted as 0."""
    unknown: tuple[str, ...]
    """Seats whose cost is not known."""
    saved_usd: float | None
    """None when no seat used a cache at a known price."""


def costs_of(report: RunReport) -> tuple[SeatCost, ...]:
    """What each seat of a run took, and its clerk; empty when no model ran, so that nothing is said of money."""
    if report.costs:
        return report.costs if any(map(runs_model, report.costs)) else ()
    if not any(seat.usage for seat in report.seats):
        return ()
    return tuple(
        SeatCost(s.seat.name, s.usage, s.usd, s.seconds, s.seat.model, s.saved_usd)
        for s in report.seats
    )


def total_cost(costs: Iterable[SeatCost]) -> TotalCost:
    """The sums; a seat without a known cost is named, never counted as free."""
    costs = tuple(costs)
    used = [cost.usage for cost in costs if cost.usage is not None]
    saved = [c.saved_usd for c in costs if c.saved_usd is not None and c.usage and _cached(c.usage)]
    usd = sum(cost.usd for cost in costs if cost.usd is not None)
    return TotalCost(
        usage=sum_usage(used)._replace(cost_usd=usd),
        usd=usd,
        unknown=tuple(cost.seat for cost in costs if cost.usd is None),
        saved_usd=sum(saved) if saved else None,
    )


def sum_usage(used: Iterable[Usage]) -> Usage:
    """All tokens and requests together, without a price."""
    used = tuple(used)
    return Usage(
        input_tokens=sum(usage.input_tokens for usage in used),
        output_tokens=sum(usage.output_tokens for usage in used),
        cache_read_tokens=sum(usage.cache_read_tokens for usage in used),
        cache_write_tokens=sum(usage.cache_write_tokens for usage in used),
        requests=sum(usage.requests for usage in used),
    )


def cost_sentences(costs: Sequence[SeatCost]) -> list[str]:
    """What it came to, what is not known, and what the prompt cache did."""
    total = total_cost(costs)
    said = [f"Total {money(total.usd)}."]
    if total.unknown:
        names = ", ".join(map(one_line, total.unknown[:5]))
        more = f" and {len(total.unknown) - 5} more" if len(total.unknown) > 5 else ""
        least = f"At least {money(total.usd)}; the" if total.usd else "Total unknown: the"
        said = [
            f"{least} cost is not known of: {names}{more}. [prices] in guild.toml gives a price."
        ]
    if total.saved_usd is not None:
        said.append(_cache_sentence(total, total.saved_usd))
    idle = sum(not runs_model(cost) for cost in costs)
    if idle and idle < len(costs):
        said.append(f"{count(idle, 'judge')} ran no model.")
    return said


def cost_json(costs: Sequence[SeatCost]) -> dict[str, object]:
    """The same for programs; money in dollars, None where it is not known."""
    total = total_cost(costs)
    saved = total.saved_usd
    return {
        "seats": [_seat_json(cost) for cost in costs],
        "total": {
            **_usage_json(total.usage),
            "cost_usd": None if total.unknown else _rounded(total.usd),
            "known_usd": _rounded(total.usd),
            "unknown": list(total.unknown),
            "saved_by_cache_usd": _rounded(saved),
            "uncached_usd": None if saved is None or total.unknown else _rounded(total.usd + saved),
        },
    }


def cost_line(costs: Sequence[SeatCost]) -> str:
    """What it came to, for a headline; empty when no model ran."""
    if not any(map(runs_model, costs)):
        return ""
    total = total_cost(costs)
    if not total.unknown:
        return f"cost {money(total.usd)}"
    return f"cost at least {money(total.usd)}" if total.usd else "cost unknown"


def money(usd: float | None) -> str:
    """Dollars for people, with as many decimals as a small amount needs."""
    if usd is None:
        return "unknown"
    if 0 < usd < 0.0001:
        return "<$0.0001"
    decimals = 4 if 0 < usd < 0.1 else 2
    return f"${usd:,.{decimals}f}"


def _cache_sentence(total: TotalCost, saved: float) -> str:
    read, whole = total.usage.cache_read_tokens, total.usage.input_tokens
    share = f"{read:,} of {whole:,} input tokens came from the prompt cache"
    if saved < 0:
        return f"{share}; writing it cost {money(-saved)} more than it saved."
    percent = f" ({saved / (total.usd + saved):.0%})" if total.usd + saved > 0 else ""
    return f"{share}, which saved {money(saved)}{percent}."


def runs_model(cost: SeatCost) -> bool:
    """It reported what it used, or its price is not known; other seats cost nothing."""
    return cost.usage is not None or cost.usd is None


def _cached(usage: Usage) -> bool:
    return bool(usage.cache_read_tokens or usage.cache_write_tokens)


def _seat_json(cost: SeatCost) -> dict[str, object]:
    return {
        "seat": cost.seat,
        "model": cost.model,
        **_usage_json(cost.usage or Usage()),
        "cost_usd": _rounded(cost.usd),
        "saved_by_cache_usd": _rounded(cost.saved_usd),
        "seconds": round(cost.seconds, 3),
    }


def _usage_json(usage: Usage) -> dict[str, object]:
    return {key: value for key, value in usage._asdict().items() if key != "cost_usd"}


def _rounded(usd: float | None) -> float | None:
    return None if usd is None else round(usd, 6)
