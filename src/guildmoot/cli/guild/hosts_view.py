"""How hosts and routes look: lines for people, and plain data for programs."""

from __future__ import annotations

import sys
import textwrap

from guildmoot.agents.hosts import Fleet, Host, HostOption, Route
from guildmoot.agents.hosts.routing import SKEW
from guildmoot.text.clean import one_line

_SHOWN = 10
_WIDTH = 72


def write_route(found: Route, fleet: Fleet) -> None:
    """The route for people: where, why, what differs, who is next, who is not."""
    sys.stdout.write(f"{one_line(found.task_id)} -> {_option_text(found.choice)}\n")
    _row("why", found.reason)
    for note in found.notes:
        _row("note", note)
    _rows("then", [_option_text(option) for option in found.chain])
    write_passed_over([(each.host, each.reason) for each in found.rejected], fleet)


def write_passed_over(rejected: list[tuple[str, str]], fleet: Fleet) -> None:
    """Every host that was passed over, and why; a refused manifest is one."""
    refused = [(each.host_id, f"refused: {each.reasons[0]}") for each in fleet.refused]
    _rows("not", [f"{host}: {reason}" for host, reason in (*rejected, *refused)])


def _rows(lead: str, texts: list[str]) -> None:
    for text in texts[:_SHOWN]:
        _row(lead, text)
    if len(texts) > _SHOWN:
        _row(lead, f"{len(texts) - _SHOWN:,} more; --json has them all")


def _row(lead: str, text: str) -> None:
    rows = textwrap.wrap(one_line(text), _WIDTH, break_on_hyphens=False) or [""]
    for number, row in enumerate(rows):
        sys.stdout.write(f"  {'' if number else lead:<4}  {row}\n")


def _option_text(option: HostOption) -> str:
    params = "".join(f" {name}={value}" for name, value in option.model.params)
    model = (option.model.model or "its own default model") + params
    return f"{option.host} ({option.kind}), {option.tier}, {model}"


def is_fresh(host: Host, now: float, ttl: float) -> bool:
    """Whether a manifest still counts."""
    return now - ttl <= host.advertised <= now + SKEW


def host_json(host: Host, now: float, ttl: float) -> dict[str, object]:
    """One host as it was read."""
    return {
        "host_id": host.host_id,
        "host_kind": host.kind,
        "fresh": is_fresh(host, now, ttl),
        "advertised_at": host.advertised_at,
        "offers": sorted(host.offers),
        "tool_permissions": None if host.tools is None else sorted(host.tools),
        "tier_models": {tier: model.model or None for tier, model in host.models.items()},
        "egress": host.egress,
        "agent_api_version": host.api_version,
        "source": host.source,
    }


def route_json(found: Route, fleet: Fleet) -> dict[str, object]:
    """The route, and beside it the manifests that were refused."""
    return {
        "task_id": found.task_id,
        **_option_json(found.choice),
        "asked_tier": found.asked_tier,
        "degraded": found.degraded,
        "independence": found.independence,
        "host_diversity": found.host_diversity,
        "fallback_chain": [_option_json(option) for option in found.chain],
        "rejected": [each._asdict() for each in found.rejected],
        "refused": refused_json(fleet),
        "reason": found.reason,
        "notes": found.notes,
    }


def _option_json(option: HostOption) -> dict[str, object]:
    return {
        "host": option.host,
        "host_kind": option.kind,
        "tier": option.tier,
        "model": option.model.model or None,
        "model_params": dict(option.model.params),
        "affinity_score": option.score,
        "lacks": option.lacks,
    }


def refused_json(fleet: Fleet) -> list[dict[str, object]]:
    """The manifests that were refused, with every reason."""
    return [refused._asdict() for refused in fleet.refused]
